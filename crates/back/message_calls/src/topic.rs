//! Topics that programs open: a topic object, an object string, or both, make the whole text of a topic.
//!
//! Source: IBM MQ, "Using topic strings", and the explanations of the reasons 2085, 2425, 2441 and 2520.

use codepage::{Encoding, Unmappable};
use message::Reason;
use mqi::Fields;
use queue::is_topic;
use wire::MessageAnswer;

use crate::options::Uses;
use crate::task::Surroundings;

/// MQOT-TOPIC.
pub(crate) const TOPIC: i32 = 8;
/// MQCCSI-DEFAULT and MQCCSI-APPL: the code page of the region.
const OF_REGION: [i32; 2] = [0, -3];

/// The topic of an object descriptor, with the answer for the program: the descriptor, and the whole text of the topic in the
/// code page that the program wants.
///
/// # Errors
/// `UnknownObjectName` if there is no such topic object, or neither object nor string; `ObjectString`, `TopicString`,
/// `ResolvedObjectString`; `SelectorInvalidForType`; `NotAuthorized`.
pub(crate) fn resolve(
    mut object: Fields,
    string: &[u8],
    around: Surroundings<'_>,
) -> Result<(String, MessageAnswer), Reason> {
    check_selection(&object, Reason::SelectorInvalidForType)?;
    let topic = topic(&object, string, around)?;
    around.rights.check(around.user, &topic, Uses { output: true, ..Uses::default() })?;
    object.set_text("RESOLVEDQNAME", "");
    object.set_text("RESOLVEDQMGRNAME", "");
    object.set_number("RESOLVEDTYPE", TOPIC);
    let resolved = match object.varying("RESOBJECTSTRING") {
        None => Vec::new(),
        Some(place) => {
            place.wanted().map_err(|_| Reason::ResolvedObjectString)?;
            let ccsid = ccsid_of(place.ccsid, around).ok_or(Reason::ResolvedObjectString)?;
            let encoding = Encoding::by_ccsid(ccsid).ok_or(Reason::ResolvedObjectString)?;
            let mut text = Vec::with_capacity(topic.len());
            encoding
                .encode(&topic, Unmappable::Error, &mut text)
                .map_err(|_| Reason::ResolvedObjectString)?;
            let length = i32::try_from(text.len()).unwrap_or(i32::MAX);
            object.set_varying("RESOBJECTSTRING", length, ccsid.into());
            text
        }
    };
    let answer = MessageAnswer { object: object.into_bytes(), string: resolved, ..MessageAnswer::default() };
    Ok((topic, answer))
}

/// Refuses a selection string: messages are selected by their ids only.
///
/// # Errors
/// `otherwise`.
pub(crate) fn check_selection(object: &Fields, otherwise: Reason) -> Result<(), Reason> {
    match object.varying("SELECTIONSTRING") {
        Some(selection) if !selection.is_absent() => Err(otherwise),
        _ => Ok(()),
    }
}

/// The whole text of the topic.
fn topic(object: &Fields, string: &[u8], around: Surroundings<'_>) -> Result<String, Reason> {
    let definitions = around.manager.definitions();
    let name = object.text("OBJECTNAME").ok_or(Reason::UnknownObjectName)?;
    let above = match name {
        _ if name.is_empty() || name.starts_with(' ') => None,
        name => Some(definitions.topic(name).ok_or(Reason::UnknownObjectName)?),
    };
    let own = match object.varying("OBJECTSTRING") {
        _ if string.first().is_none_or(|first| *first == 0) => None,
        None => None,
        Some(text) => {
            let ccsid = ccsid_of(text.ccsid, around).ok_or(Reason::TopicString)?;
            let encoding = Encoding::by_ccsid(ccsid).ok_or(Reason::TopicString)?;
            let mut own = String::with_capacity(string.len());
            encoding.decode(string, Unmappable::Error, &mut own).map_err(|_| Reason::TopicString)?;
            Some(own).filter(|own| !own.starts_with(' '))
        }
    };
    let topic = match (above, own) {
        (None, None) => return Err(Reason::UnknownObjectName),
        (None | Some(""), Some(own)) => own,
        (Some(above), None) => above.to_owned(),
        (Some(above), Some(own)) => format!("{above}/{own}"),
    };
    if is_topic(&topic) { Ok(topic) } else { Err(Reason::TopicString) }
}

fn ccsid_of(ccsid: i32, around: Surroundings<'_>) -> Option<u16> {
    if OF_REGION.contains(&ccsid) { Some(around.ccsid) } else { u16::try_from(ccsid).ok() }
}
