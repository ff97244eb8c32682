//! WEB RECEIVE with SESSTOKEN, and WEB CONVERSE: the answer of a server.

use program::commands::OptionName;

use super::super::super::containers;
use super::super::receive::{asked_bytes, give_padded, take};
use super::super::text_of_body;
use super::super::{UTF_8, page};
use super::send::{USUAL_CHARSET, conversions, exchange};
use super::*;

/// LENGERR: the status text does not fit.
const RESP2_STATUSTEXT: u32 = 8;

pub(super) fn receive(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let (_, converts) = conversions(arguments)?;
    received(runtime, arguments, LENGTH, converts)
}

pub(super) fn converse(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let (_, converts) = conversions(arguments)?;
    exchange(runtime, arguments)?;
    received(runtime, arguments, TOLENGTH, converts)
}

fn received(runtime: &mut Runtime, arguments: &Arguments, length: OptionName, converts: bool) -> Done {
    // A wrong length leaves what is left for the next command.
    let most = asked_bytes(arguments, length)?;
    let own = session(runtime, arguments)?;
    let (own_page, left) = (own.page, own.left.take());
    let WebAnswer { status, reason, headers, body, .. } = answer(own)?;
    let (status, reason) = (*status, reason.clone());
    let content_type = WebHeader::first(headers, "content-type").unwrap_or_default();
    let content_type = String::from_utf8_lossy(content_type).into_owned();
    // The pieces after the first one need no copy of the whole.
    let needs_body = left.is_none() || arguments.has(TOCONTAINER);
    let body = if needs_body { body.clone() } else { Vec::new() };
    let media = web::media_type(&content_type).to_owned();
    let charset = web::parameter(&content_type, "charset");
    arguments.set_number(STATUSCODE, status.into());
    give_padded(arguments, MEDIATYPE, &media, 56);
    give_padded(arguments, BODYCHARSET, charset.as_deref().unwrap_or_default(), 40);
    let told = give(arguments, &[(STATUSTEXT, STATUSLEN, &reason, RESP2_STATUSTEXT)]);
    let from = || match &charset {
        Some(charset) => page(charset),
        None if web::is_json(&media) => Ok(UTF_8),
        None => page(USUAL_CHARSET),
    };
    if arguments.has(TOCONTAINER) {
        let page = web::is_text(&media).then(from).transpose()?;
        arguments.set_number(length, i64::try_from(body.len()).unwrap_or(i64::MAX));
        containers::received(runtime, arguments, page, body)?;
        return told.map(|()| Step::GoOn);
    }
    let (body, is_whole) = match left {
        Some(left) => (left, true),
        None if converts && web::is_text(&media) && !body.is_empty() => {
            text_of_body(body, from()?, own_page)?
        }
        None => (body, true),
    };
    let left = take(runtime, arguments, body, most, length);
    session(runtime, arguments)?.left = left?;
    told?;
    whole(is_whole)
}
