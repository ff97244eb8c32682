//! WEB SEND, WEB WRITE HTTPHEADER and WEB RETRIEVE: the answer.
//!
//! An answer goes out when the task ends normally. With IMMEDIATE the region gets it at once, and it goes out whatever the
//! task does after it. Chunks are joined: the client gets one body.

use headers::belongs_to_connection;
use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{INVREQ, LENGERR, NOTFND};
use program::documents::Document;
use program::{cvda, web};
use wire::{Ask, WebAnswer, WebHeader};

use super::super::Done;
use super::super::{containers, documents};
use super::{RESP2_BAD_CHARACTERS, RESP2_MALFORMED, WebTask};
use super::{SendState, condition, converted, converts, given_charset, host_page, named, page, task};
use crate::cobol::arguments::Arguments;
use crate::commands::text::{Unconvertible, convert};
use crate::task::{Fault, Runtime, Step};

/// INVREQ: ACTION, CLOSESTATUS, DOCSTATUS or CHUNKING have another value.
const RESP2_ACTION: u32 = 11;
pub(super) const RESP2_CLOSESTATUS: u32 = 13;
pub(super) const RESP2_DOCSTATUS: u32 = 84;
pub(super) const RESP2_CHUNKING: u32 = 77;
/// INVREQ: the media type, the status code, or the status text cannot be sent.
pub(super) const RESP2_MEDIATYPE: u32 = 32;
const RESP2_STATUSCODE: u32 = 72;
const RESP2_STATUSTEXT: u32 = 74;
/// INVREQ: a status that has no body came with one.
const RESP2_NO_BODY: u32 = 73;
/// INVREQ: the answer is sent already, or a chunk is out of turn.
pub(super) const RESP2_SEQUENCE: u32 = 75;
/// INVREQ: CHUNKEND has no data.
pub(super) const RESP2_CHUNKEND: u32 = 80;
/// INVREQ, our own: the name or the value of a header cannot be sent, or it is one that the gateway writes; there are too
/// many of them.
const RESP2_HEADER: u32 = 103;
const RESP2_HEADERS: u32 = 104;
/// LENGERR: a length is not positive, or too large; our own: the body is longer than it may be.
const RESP2_LENGTH: u32 = 1;
pub(super) const RESP2_BODY: u32 = 105;
/// NOTFND: there is no document.
const RESP2_NO_DOCUMENT: u32 = 1;

/// Headers that the gateway writes itself, besides those that belong to a connection.
const GATEWAYS_OWN: &[&str] = &["date", "x-request-id"];

/// The text of an option of any length, as long as another one says.
pub(super) fn text(
    arguments: &Arguments,
    option: OptionName,
    length: Option<i64>,
    most: usize,
) -> Result<Vec<u8>, Fault> {
    let length = match length.map(usize::try_from) {
        None => None,
        Some(Ok(length)) if (1..=most).contains(&length) => Some(length),
        Some(_) => return condition(&LENGERR, RESP2_LENGTH),
    };
    let mut bytes = arguments.bytes_of(option, length).unwrap_or_default();
    bytes.truncate(bytes.trim_ascii_end().len());
    if bytes.len() > most { condition(&LENGERR, RESP2_LENGTH) } else { Ok(bytes) }
}

pub(super) fn write_header(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let (name, value) = header(arguments)?;
    let own = task(runtime)?;
    if own.state != SendState::Open {
        return condition(&INVREQ, RESP2_SEQUENCE);
    }
    add_header(&mut own.headers, name, value, GATEWAYS_OWN)
}

/// Adds a header, unless a program may not write it. `refused` are names in small letters, besides those that belong to a
/// connection.
pub(super) fn add_header(
    headers: &mut Vec<WebHeader>,
    name: Vec<u8>,
    value: Vec<u8>,
    refused: &[&str],
) -> Done {
    let lower = String::from_utf8_lossy(&name).to_ascii_lowercase();
    if belongs_to_connection(&lower)
        || refused.contains(&lower.as_str())
        || !web::is_token(&name)
        || !web::is_field_value(&value)
    {
        return condition(&INVREQ, RESP2_HEADER);
    }
    if headers.len() == web::ANSWER_HEADERS_MAX {
        return condition(&INVREQ, RESP2_HEADERS);
    }
    headers.push(WebHeader { name: String::from_utf8_lossy(&name).into_owned(), value });
    Ok(Step::GoOn)
}

/// The name and the value of the header that a command writes.
pub(super) fn header(arguments: &Arguments) -> Result<(Vec<u8>, Vec<u8>), Fault> {
    let name = text(arguments, HTTPHEADER, arguments.number(NAMELENGTH), web::HEADER_NAME_MAX_BYTES)?;
    let value = text(arguments, VALUE, arguments.number(VALUELENGTH), web::HEADER_VALUE_MAX_BYTES)?;
    Ok((name, value))
}

/// Which of some words a command gives: as an option, or as the value of another one; the first if none.
pub(super) fn chosen(
    arguments: &Arguments,
    words: &[OptionName],
    option: OptionName,
    resp2: u32,
) -> Result<OptionName, Fault> {
    if let Some(word) = words.iter().find(|word| arguments.has(**word)) {
        return Ok(*word);
    }
    let Some(given) = arguments.number(option) else { return Ok(words[0]) };
    let is = |word: &&OptionName| cvda::value(word.text).map(i64::from) == Some(given);
    words.iter().find(is).copied().map_or_else(|| condition(&INVREQ, resp2), Ok)
}

pub(super) fn send(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let is_immediate = chosen(arguments, &[EVENTUAL, IMMEDIATE], ACTION, RESP2_ACTION)? == IMMEDIATE;
    let chunking = chosen(arguments, &[CHUNKNO, CHUNKYES, CHUNKEND], CHUNKING, RESP2_CHUNKING)?;
    match (task(runtime)?.state, chunking) {
        (SendState::Sent, _) => condition(&INVREQ, RESP2_SEQUENCE),
        (SendState::Open, CHUNKNO) => {
            let Whole { answer, document, .. } = whole_answer(runtime, arguments)?;
            task(runtime)?.document = document.filter(|_| !is_immediate);
            finish(runtime, answer, is_immediate)
        }
        (SendState::Open, CHUNKYES) => {
            let Whole { answer, page, .. } = whole_answer(runtime, arguments)?;
            let own = task(runtime)?;
            own.answer = Some(Box::new(answer));
            own.document = None;
            own.state = SendState::Chunks { is_immediate, page };
            Ok(Step::GoOn)
        }
        (SendState::Chunks { page, .. }, CHUNKYES) => add_chunk(runtime, arguments, page),
        (SendState::Chunks { .. }, CHUNKEND) if arguments.has(FROM) => condition(&INVREQ, RESP2_CHUNKEND),
        (SendState::Chunks { is_immediate, .. }, CHUNKEND) => {
            let own = task(runtime)?;
            let Some(answer) = own.answer.take() else { return condition(&INVREQ, RESP2_SEQUENCE) };
            own.state = SendState::Open;
            finish(runtime, *answer, is_immediate)
        }
        _ => condition(&INVREQ, RESP2_SEQUENCE),
    }
}

/// The most bytes of a body that a program sends.
pub(super) fn body_max_bytes(runtime: &Runtime) -> usize {
    usize::try_from(runtime.task.containers_max_bytes).unwrap_or(usize::MAX)
}

/// Adds a chunk to the body, converted as the first one was.
fn add_chunk(runtime: &mut Runtime, arguments: &Arguments, page: Option<u16>) -> Done {
    let most = body_max_bytes(runtime);
    let host = host_page(runtime, arguments)?;
    let chunk = content(runtime, arguments, host, most, page)?;
    let Some(answer) = &mut task(runtime)?.answer else { return condition(&INVREQ, RESP2_SEQUENCE) };
    if answer.body.len() + chunk.len() > most {
        return condition(&LENGERR, RESP2_BODY);
    }
    answer.body.extend(chunk);
    Ok(Step::GoOn)
}

/// Keeps the answer for the end of the task, or gives it to the region.
fn finish(runtime: &mut Runtime, answer: WebAnswer, is_immediate: bool) -> Done {
    if is_immediate {
        runtime.ask(Ask::WebSent(Box::new(answer.clone())))?;
    }
    let own = task(runtime)?;
    own.answer = Some(Box::new(answer));
    own.headers.clear();
    if is_immediate {
        own.state = SendState::Sent;
    }
    Ok(Step::GoOn)
}

/// The type that a body goes out with: that of a header which the program has written, or MEDIATYPE; empty if it has none.
pub(super) fn type_of_body(headers: &[WebHeader], media: Option<&str>) -> String {
    let written =
        WebHeader::first(headers, "content-type").map(|value| String::from_utf8_lossy(value).into_owned());
    written.or_else(|| media.map(str::to_owned)).unwrap_or_default()
}

/// The answer of a command.
struct Whole {
    answer: WebAnswer,
    /// The document that it came from, if it is kept.
    document: Option<Document>,
    /// The code page that the body was converted to.
    page: Option<u16>,
}

fn whole_answer(runtime: &mut Runtime, arguments: &Arguments) -> Result<Whole, Fault> {
    let closes = chosen(arguments, &[NOCLOSE, CLOSE], CLOSESTATUS, RESP2_CLOSESTATUS)? == CLOSE;
    let keeps = chosen(arguments, &[NODOCDELETE, DOCDELETE], DOCSTATUS, RESP2_DOCSTATUS)? == NODOCDELETE;
    let status = match arguments.number(STATUSCODE).map(u16::try_from) {
        None => 200,
        Some(Ok(status)) if web::is_status(status) => status,
        Some(_) => return condition(&INVREQ, RESP2_STATUSCODE),
    };
    let length = arguments.number(STATUSLEN).or_else(|| arguments.number(LENGTH));
    let reason = match arguments.has(STATUSTEXT) {
        true => text(arguments, STATUSTEXT, length, web::REASON_MAX_BYTES)?,
        false => Vec::new(),
    };
    if !web::is_field_value(&reason) {
        return condition(&INVREQ, RESP2_STATUSTEXT);
    }
    let media = named(arguments, MEDIATYPE, 56);
    if media.as_deref().is_some_and(|media| !web::is_media_type(media)) {
        return condition(&INVREQ, RESP2_MEDIATYPE);
    }
    let Body { bytes, charset, page } = body(runtime, arguments, media.as_deref())?;
    if web::has_no_body(status) && !bytes.is_empty() {
        return condition(&INVREQ, RESP2_NO_BODY);
    }
    let document = match arguments.has(DOCTOKEN) {
        true => Some(documents::sent(runtime, arguments)?).filter(|_| keeps),
        false => None,
    };
    if arguments.has(DOCTOKEN) && !keeps {
        documents::delete(runtime, arguments)?;
    }
    let mut headers = task(runtime)?.headers.clone();
    add_content_type(&mut headers, media, charset);
    Ok(Whole { answer: WebAnswer { status, reason, headers, body: bytes, closes }, document, page })
}

/// Adds the media type of a body, with the character set that it was converted to, unless there is one.
pub(super) fn add_content_type(headers: &mut Vec<WebHeader>, media: Option<String>, charset: Option<String>) {
    if let Some(media) = media.filter(|_| WebHeader::first(headers, "content-type").is_none()) {
        let names_none = web::parameter(&media, "charset").is_none() && !web::is_json(&media);
        let value = match charset.filter(|_| names_none) {
            Some(charset) => format!("{media}; charset={charset}"),
            None => media,
        };
        headers.push(WebHeader { name: "content-type".to_owned(), value: value.into_bytes() });
    }
}

/// A body, and the character set that it was converted to.
struct Body {
    bytes: Vec<u8>,
    charset: Option<String>,
    page: Option<u16>,
}

/// The body that a command gives.
fn body(runtime: &mut Runtime, arguments: &Arguments, media: Option<&str>) -> Result<Body, Fault> {
    let own = task(runtime)?;
    let content_type = type_of_body(&own.headers, media);
    let is_text = web::is_text(web::media_type(&content_type));
    let charset = match converts(arguments)? && (is_text || arguments.has(CHARACTERSET)) {
        true => Some(charset_of_answer(own, arguments, &content_type)),
        false => None,
    };
    let page = charset.as_deref().map(page).transpose()?;
    let most = body_max_bytes(runtime);
    let host = host_page(runtime, arguments)?;
    let bytes = content(runtime, arguments, host, most, page)?;
    if bytes.len() > most { condition(&LENGERR, RESP2_BODY) } else { Ok(Body { bytes, charset, page }) }
}

/// The bytes that a command gives in the code page `host`, in another one if that is wanted.
pub(super) fn content(
    runtime: &mut Runtime,
    arguments: &Arguments,
    host: u16,
    most: usize,
    to: Option<u16>,
) -> Result<Vec<u8>, Fault> {
    if arguments.has(DOCTOKEN) {
        return document(runtime, arguments, host, to);
    }
    if arguments.has(CONTAINER) {
        return match (containers::sent(runtime, arguments)?, to) {
            ((Some(from), bytes), Some(to)) => checked(bytes, from, to),
            ((_, bytes), _) => Ok(bytes),
        };
    }
    let bytes = from(arguments, most)?;
    match to {
        Some(to) => checked(bytes, host, to),
        None => Ok(bytes),
    }
}

/// The bytes of FROM.
fn from(arguments: &Arguments, most: usize) -> Result<Vec<u8>, Fault> {
    let length = match arguments.number(FROMLENGTH).map(usize::try_from) {
        None => None,
        Some(Ok(length)) if length <= most => Some(length),
        Some(_) => return condition(&LENGERR, RESP2_LENGTH),
    };
    Ok(arguments.bytes_of(FROM, length).unwrap_or_default())
}

/// Converted text. A character that the other page lacks is an error, so that no wrong one is sent.
fn checked(bytes: Vec<u8>, from: u16, to: u16) -> Result<Vec<u8>, Fault> {
    let converted = converted(bytes, from, to)?;
    if converted.whole { Ok(converted.bytes) } else { condition(&INVREQ, RESP2_BAD_CHARACTERS) }
}

/// The content of a document: its text is converted, the rest is not.
fn document(
    runtime: &mut Runtime,
    arguments: &Arguments,
    host: u16,
    to: Option<u16>,
) -> Result<Vec<u8>, Fault> {
    let document = documents::sent(runtime, arguments)?;
    document.retrieved(false, |bytes, from| match to {
        None => Ok(bytes.to_vec()),
        Some(to) => match convert(bytes.to_vec(), from.unwrap_or(host), to) {
            Ok(converted) if converted.whole => Ok(converted.bytes),
            Ok(_) | Err(Unconvertible::Page) => condition(&INVREQ, RESP2_BAD_CHARACTERS),
            Err(Unconvertible::Malformed) => condition(&INVREQ, RESP2_MALFORMED),
        },
    })
}

/// The character set of the answer's text. The one that its type names counts first, because the client reads the body with it.
fn charset_of_answer(own: &WebTask, arguments: &Arguments, content_type: &str) -> String {
    let is_json = web::is_json(web::media_type(content_type));
    web::parameter(content_type, "charset")
        .or_else(|| given_charset(arguments))
        .or_else(|| is_json.then(|| "utf-8".to_owned()))
        .or_else(|| own.charset().filter(|charset| page(charset).is_ok()))
        .unwrap_or_else(|| own.request.charset.clone())
}

/// WEB RETRIEVE: the document that the last SEND with EVENTUAL has sent, as it was then.
pub(super) fn retrieve(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let Some(document) = task(runtime)?.document.clone() else {
        return condition(&NOTFND, RESP2_NO_DOCUMENT);
    };
    let token = documents::add(runtime, document)?;
    arguments.set_characters(DOCTOKEN, &token);
    Ok(Step::GoOn)
}
