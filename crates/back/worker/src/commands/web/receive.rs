//! WEB RECEIVE: the body of the request.

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{INVREQ, LENGERR};
use program::web;

use super::super::Done;
use super::super::{containers, memory};
use super::{
    UTF_8, WebTask, condition, converts, given_charset, host_page, page, set_cvda, task, text_of_body,
};
use crate::cobol::arguments::{Area, Arguments};
use crate::task::{Fault, Runtime, raise};

/// LENGERR: MAXLENGTH is not positive; the body is longer.
const RESP2_NO_LENGTH: u32 = 1;
const RESP2_TRUNCATED: u32 = 57;

pub(super) fn receive(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let own = task(runtime)?;
    let (media, charset) = (web::media_type(&own.content_type()).to_owned(), own.charset());
    set_cvda(arguments, TYPE, "HTTPYES");
    give_padded(arguments, MEDIATYPE, &media, 56);
    give_padded(arguments, BODYCHARSET, charset.as_deref().unwrap_or_default(), 40);
    if arguments.has(TOCONTAINER) {
        let body = own.request.body.clone();
        let is_text = web::is_text(&media) || arguments.has(CHARACTERSET) || arguments.has(CLNTCODEPAGE);
        let page = is_text.then(|| page_of_body(own, arguments, &media)).transpose()?;
        return containers::received(runtime, arguments, page, body);
    }
    // A wrong length leaves what is left for the next command.
    let most = asked_bytes(arguments, LENGTH)?;
    let left = task(runtime)?.left.take();
    let (body, whole) = match left {
        Some(left) => (left, true),
        None => body(runtime, arguments, &media)?,
    };
    let left = take(runtime, arguments, body, most, LENGTH);
    task(runtime)?.left = left?;
    super::whole(whole)
}

pub(super) fn give_padded(arguments: &Arguments, option: OptionName, text: &str, bytes: usize) {
    arguments.set_characters(option, format!("{text:bytes$.bytes$}").as_bytes());
}

/// The whole body, converted if the command wants it.
fn body(runtime: &mut Runtime, arguments: &Arguments, media: &str) -> Result<(Vec<u8>, bool), Fault> {
    let to = host_page(runtime, arguments)?;
    let own = task(runtime)?;
    let body = own.request.body.clone();
    if !converts(arguments)? || !(web::is_text(media) || arguments.has(CHARACTERSET)) {
        return Ok((body, true));
    }
    let from = page_of_body(own, arguments, media)?;
    text_of_body(body, from, to)
}

/// The code page of the body.
fn page_of_body(own: &WebTask, arguments: &Arguments, media: &str) -> Result<u16, Fault> {
    match given_charset(arguments).or_else(|| own.charset()) {
        Some(charset) => page(&charset),
        None if web::is_json(media) => Ok(UTF_8),
        None => page(&own.request.charset),
    }
}

/// The most bytes that a program takes, if it says so. `length` is the option with the length of its item.
pub(super) fn asked_bytes(arguments: &Arguments, length: OptionName) -> Result<Option<usize>, Fault> {
    match arguments.number(MAXLENGTH) {
        Some(most @ 1..) => Ok(Some(usize::try_from(most).unwrap_or(usize::MAX))),
        Some(_) => condition(&LENGERR, RESP2_NO_LENGTH),
        None if arguments.has(SET) => Ok(None),
        None => Ok(arguments.number(length).filter(|length| *length > 0).map(|length| length as usize)),
    }
}

/// Gives as much of the body as the program takes, and its length to an option. With NOTRUNCATE the rest is left for the next
/// RECEIVE.
pub(super) fn take(
    runtime: &mut Runtime,
    arguments: &Arguments,
    mut body: Vec<u8>,
    most: Option<usize>,
    length: OptionName,
) -> Result<Option<Vec<u8>>, Fault> {
    let room = match arguments.area(INTO) {
        Some(area) => most.unwrap_or(area.bytes),
        None => most.unwrap_or(usize::MAX),
    };
    let (all, count) = (body.len(), body.len().min(room));
    let rest = body.split_off(count);
    if arguments.has(SET) {
        memory::set(runtime, arguments, &body)?;
    } else {
        let Some(area) = arguments.area(INTO) else { return raise(&INVREQ) };
        // The program may give a length beyond the item, as in CICS.
        Area::new(area.address(), count).write(&body);
    }
    if arguments.has(NOTRUNCATE) {
        arguments.set_number(length, i64::try_from(count).unwrap_or(i64::MAX));
        // A full buffer has a next one, which may be empty: so the program sees the end.
        return Ok((count == room).then_some(rest));
    }
    arguments.set_number(length, i64::try_from(all).unwrap_or(i64::MAX));
    if count < all { condition(&LENGERR, RESP2_TRUNCATED) } else { Ok(None) }
}
