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
/// `UnknownObjectName` if the topic object does not exist, or if neither object nor string is given; `ObjectString`, `TopicString`,
/// `ResolvedObjectString`; `SelectorInvalidForType`; `NotAuthorized`.
pub(crate) fn resolve(
    mut object: Fields,
    string: &[u8],
    around: Surroundings<'_>,
) -> Result<(String, MessageAnswer), Reason> {
    check_selection(&object, Reason::SelectorInvalidForType)?;
    let topic = whole(&object, string, around)?;
    around.rights.check(around.user, &topic, Uses { output: true, ..Uses::default() })?;
    object.set_text("RESOLVEDQNAME", "");
    object.set_text("RESOLVEDQMGRNAME", "");
    object.set_number("RESOLVEDTYPE", TOPIC);
    let resolved =
        give(&mut object, "RESOBJECTSTRING", &topic, around).ok_or(Reason::ResolvedObjectString)?;
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

/// Sets length and code page of a text that goes back to the program, and gives its bytes. None if the code page does not
/// exist or lacks a character, or if the program describes no good place.
pub(crate) fn give(
    object: &mut Fields,
    field: &str,
    text: &str,
    around: Surroundings<'_>,
) -> Option<Vec<u8>> {
    let Some(place) = object.varying(field) else { return Some(Vec::new()) };
    place.wanted().ok()?;
    let ccsid = ccsid_of(place.ccsid, around)?;
    let mut given = Vec::with_capacity(text.len());
    Encoding::by_ccsid(ccsid)?.encode(text, Unmappable::Error, &mut given).ok()?;
    object.set_varying(field, i32::try_from(given.len()).unwrap_or(i32::MAX), ccsid.into());
    Some(given)
}

/// A text that a program gives in a field. None if it is not text in its code page.
pub(crate) fn given(object: &Fields, field: &str, bytes: &[u8], around: Surroundings<'_>) -> Option<String> {
    let Some(text) = object.varying(field).filter(|_| !bytes.is_empty()) else { return Some(String::new()) };
    let mut given = String::with_capacity(bytes.len());
    Encoding::by_ccsid(ccsid_of(text.ccsid, around)?)?.decode(bytes, Unmappable::Error, &mut given).ok()?;
    Some(given)
}

/// True if a topic object or an object string names a topic.
pub(crate) fn is_named(object: &Fields, string: &[u8]) -> bool {
    !is_blank(object.text("OBJECTNAME").unwrap_or_default())
        || string.first().is_some_and(|first| ![0, b' '].contains(first))
}

/// The whole text of the topic.
pub(crate) fn whole(object: &Fields, string: &[u8], around: Surroundings<'_>) -> Result<String, Reason> {
    let definitions = around.manager.definitions();
    let name = object.text("OBJECTNAME").ok_or(Reason::UnknownObjectName)?;
    let above = match name {
        name if is_blank(name) => None,
        name => Some(definitions.topic(name).ok_or(Reason::UnknownObjectName)?),
    };
    let own = match string.first() {
        None | Some(0) => None,
        Some(_) => {
            let own = given(object, "OBJECTSTRING", string, around).ok_or(Reason::TopicString)?;
            Some(own).filter(|own| !is_blank(own))
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

/// True if a program has left a name or a text blank.
fn is_blank(text: &str) -> bool {
    text.is_empty() || text.starts_with(' ')
}

/// A code page by its number; none if the number cannot be that of a code page.
pub(crate) fn ccsid_of(ccsid: i32, around: Surroundings<'_>) -> Option<u16> {
    if OF_REGION.contains(&ccsid) { Some(around.ccsid) } else { u16::try_from(ccsid).ok() }
}
