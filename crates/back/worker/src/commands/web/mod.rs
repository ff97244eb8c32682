//! EXEC CICS WEB: the request over HTTP that a task answers, and its answer; `client` has the requests that a task sends.
//!
//! RESP2 values are those of CICS TS where we have read them; docs/reference/regions.md says which these are.
//!
//! Text in headers, paths and fields comes in the region's code page. Bodies come as they were sent unless the command
//! asks for conversion.

mod client;
mod fields;
mod receive;
mod send;

use std::net::IpAddr;

use percent::bare_host;
use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{Condition, INVREQ, LENGERR};
use program::documents::Document;
use program::{cvda, web};
use wire::{WebAnswer, WebHeader, WebRequest};

use super::Done;
use super::text::{Converted, Unconvertible, ccsid, convert};
use crate::cobol::arguments::{Area, Arguments};
use crate::task::{Fault, Runtime, Step};
pub(crate) use client::WebSessions;
pub(super) use client::{carry_out as as_client, host_type};
use fields::Browse;

/// INVREQ: the task does not answer a request over HTTP.
const RESP2_NOT_WEB: u32 = 1;
/// INVREQ: the character set, or the code page of the program, is not known.
const RESP2_NO_CHARSET: u32 = 45;
const RESP2_NO_HOST_PAGE: u32 = 46;
/// INVREQ, our own: characters that do not exist in the other code page; bytes that are not text of theirs.
const RESP2_BAD_CHARACTERS: u32 = 101;
const RESP2_MALFORMED: u32 = 102;
/// LENGERR of WEB EXTRACT: the method, the path, the version, the query and the host do not fit.
const RESP2_METHOD: u32 = 4;
const RESP2_PATH: u32 = 5;
const RESP2_VERSION: u32 = 6;
const RESP2_QUERY: u32 = 7;
const RESP2_HOST: u32 = 21;
/// LENGERR of EXTRACT TCPIP: a text does not fit.
const RESP2_ADDRESS: u32 = 1;

/// UTF-8, and ISO 8859-1.
const UTF_8: u16 = 1208;
const LATIN_1: u16 = 819;

/// The request of a task, and what the task has done with it.
#[derive(Debug)]
pub(crate) struct WebTask {
    request: WebRequest,
    /// The end of the body that a RECEIVE with NOTRUNCATE has left for the next one.
    left: Option<Vec<u8>>,
    browses: [Option<Browse>; 3],
    /// Headers for the next answer.
    headers: Vec<WebHeader>,
    /// The answer that goes out when the task ends.
    answer: Option<Box<WebAnswer>>,
    /// The document of that answer.
    document: Option<Document>,
    state: SendState,
}

/// How far the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SendState {
    /// Another answer may take the place of the one that is there, if there is one.
    Open,
    /// Chunks of the answer are there, and more may come.
    Chunks {
        is_immediate: bool,
        /// The code page that the first chunk was converted to, and so are the others.
        page: Option<u16>,
    },
    /// The answer is sent.
    Sent,
}

impl WebTask {
    pub(crate) fn of(request: WebRequest) -> Self {
        Self {
            request,
            left: None,
            browses: [None, None, None],
            headers: Vec::new(),
            answer: None,
            document: None,
            state: SendState::Open,
        }
    }

    /// The answer, when the task has ended. Chunks without an end are none.
    pub(crate) fn into_answer(self) -> Option<Box<WebAnswer>> {
        self.answer.filter(|_| !matches!(self.state, SendState::Chunks { .. }))
    }

    /// The Content-Type of the request; empty if there is none.
    fn content_type(&self) -> String {
        String::from_utf8_lossy(self.request.header("content-type").unwrap_or_default()).into_owned()
    }

    /// The character set that the request names for its body.
    fn charset(&self) -> Option<String> {
        web::parameter(&self.content_type(), "charset")
    }
}

fn condition<T>(condition: &'static Condition, resp2: u32) -> Result<T, Fault> {
    Err(Fault::Condition(condition, resp2))
}

/// The request of the task.
fn task(runtime: &mut Runtime) -> Result<&mut WebTask, Fault> {
    match &mut runtime.web {
        Some(task) => Ok(task),
        None => condition(&INVREQ, RESP2_NOT_WEB),
    }
}

/// Carries out a command of web support.
pub(super) fn carry_out(runtime: &mut Runtime, arguments: &Arguments, function: u16) -> Done {
    task(runtime)?;
    match function {
        0xF070 | 0xF071 => extract(runtime, arguments),
        0xF072 => receive::receive(runtime, arguments),
        0xF073 => send::send(runtime, arguments),
        0xF074 => send::retrieve(runtime, arguments),
        0xF079 => send::write_header(runtime, arguments),
        0xF082 => extract_tcpip(runtime, arguments),
        _ => fields::carry_out(runtime, arguments, function),
    }
}

/// A text for the program: the option of its data, that of its length, its bytes, and RESP2 if it does not fit.
type Given<'t> = (OptionName, OptionName, &'t [u8], u32);

/// Gives texts to the program.
fn give(arguments: &Arguments, texts: &[Given<'_>]) -> Result<(), Fault> {
    let mut too_long = None;
    for (option, length, bytes, resp2) in texts {
        let Some(area) = arguments.area(*option) else { continue };
        let (area, pads) = match arguments.number(*length) {
            // The program may give a length beyond the item, as in CICS.
            Some(length) => (Area::new(area.address(), usize::try_from(length).unwrap_or(0)), false),
            None => (area, true),
        };
        let count = area.bytes.min(bytes.len());
        if pads {
            area.write(&vec![b' '; area.bytes]);
        }
        area.write(bytes);
        arguments.set_number(*length, i64::try_from(count).unwrap_or(i64::MAX));
        if count < bytes.len() {
            too_long.get_or_insert(*resp2);
        }
    }
    too_long.map_or(Ok(()), |resp2| condition(&LENGERR, resp2))
}

fn set_cvda(arguments: &Arguments, option: OptionName, word: &str) {
    arguments.set_number(option, cvda::value(word).unwrap_or_default().into());
}

fn extract(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let local = runtime.task.ccsid;
    let WebTask { request, .. } = task(runtime)?;
    let local = |text: &str| local_text(text.as_bytes(), local);
    let (path, query, host) = (local(&request.path), local(&request.query), local(&request.host));
    set_cvda(arguments, SCHEME, if request.is_secure { "HTTPS" } else { "HTTP" });
    set_cvda(arguments, REQUESTTYPE, "HTTPYES");
    set_cvda(arguments, HOSTTYPE, family(&request.host).unwrap_or("HOSTNAME"));
    arguments.set_number(PORTNUMBER, request.port.into());
    arguments.set_characters(URIMAP, &wire::name::<8>(&request.uri_map));
    give(
        arguments,
        &[
            (HTTPMETHOD, METHODLENGTH, request.method.as_bytes(), RESP2_METHOD),
            (HTTPVERSION, VERSIONLEN, request.version.as_bytes(), RESP2_VERSION),
            (PATH, PATHLENGTH, &path.bytes, RESP2_PATH),
            (QUERYSTRING, QUERYSTRLEN, &query.bytes, RESP2_QUERY),
            (HOST, HOSTLENGTH, &host.bytes, RESP2_HOST),
        ],
    )?;
    whole(path.whole && query.whole && host.whole)
}

/// EXTRACT TCPIP. Nobody asks a name server: the client's name is its address.
fn extract_tcpip(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let WebTask { request, .. } = task(runtime)?;
    set_cvda(arguments, CLNTIPFAMILY, family(&request.client).unwrap_or("NOTAPPLIC"));
    set_cvda(arguments, SSLTYPE, if request.is_secure { "SSL" } else { "NOSSL" });
    arguments.set_number(PORTNUMNU, request.port.into());
    arguments.set_characters(PORTNUMBER, format!("{:5}", request.port).as_bytes());
    let client = request.client.as_bytes();
    give(
        arguments,
        &[
            (CLIENTADDR, CADDRLENGTH, client, RESP2_ADDRESS),
            (CLIENTNAME, CNAMELENGTH, client, RESP2_ADDRESS),
            (SERVERNAME, SNAMELENGTH, request.host.as_bytes(), RESP2_ADDRESS),
        ],
    )?;
    Ok(Step::GoOn)
}

/// The CVDA of an address; none for a name.
fn family(host: &str) -> Option<&'static str> {
    let address = bare_host(host).parse::<IpAddr>().ok()?;
    Some(if address.is_ipv4() { "IPV4" } else { "IPV6" })
}

/// The end of a command that has converted text; `whole` is false if some characters became blanks.
fn whole(whole: bool) -> Done {
    if whole { Ok(Step::GoOn) } else { condition(&INVREQ, RESP2_BAD_CHARACTERS) }
}

/// Text of a head in the region's code page: UTF-8, or else ISO 8859-1, where every byte is a character.
fn local_text(bytes: &[u8], local: u16) -> Converted {
    if bytes.is_ascii() {
        return Converted { bytes: bytes.to_vec(), whole: true };
    }
    let from = if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { LATIN_1 };
    convert(bytes.to_vec(), from, local).unwrap_or(Converted { bytes: bytes.to_vec(), whole: false })
}

/// Text of the program in UTF-8, for a head. Nothing in it may get lost.
fn head_text(bytes: Vec<u8>, local: u16) -> Result<String, Fault> {
    if let Some(text) = std::str::from_utf8(&bytes).ok().filter(|text| text.is_ascii()) {
        return Ok(text.to_owned());
    }
    let converted = converted(bytes, local, UTF_8)?;
    match String::from_utf8(converted.bytes) {
        Ok(text) if converted.whole => Ok(text),
        _ => condition(&INVREQ, RESP2_BAD_CHARACTERS),
    }
}

/// Converts text of a body.
fn converted(bytes: Vec<u8>, from: u16, to: u16) -> Result<Converted, Fault> {
    convert(bytes, from, to).or_else(|reason| match reason {
        Unconvertible::Page => condition(&INVREQ, RESP2_NO_CHARSET),
        Unconvertible::Malformed => condition(&INVREQ, RESP2_MALFORMED),
    })
}

/// Text of a body in another code page, and whether all of it exists there.
fn text_of_body(body: Vec<u8>, from: u16, to: u16) -> Result<(Vec<u8>, bool), Fault> {
    let converted = converted(body, from, to)?;
    Ok((converted.bytes, converted.whole))
}

/// A name that an option gives, without blanks at its end; none if there is none.
fn named(arguments: &Arguments, option: OptionName, bytes: usize) -> Option<String> {
    let text = arguments.bytes(option, Some(bytes))?;
    let text = String::from_utf8_lossy(&text);
    Some(text.trim_end_matches([' ', '\0']).to_owned()).filter(|text| !text.is_empty())
}

/// The code page of a character set.
fn page(charset: &str) -> Result<u16, Fault> {
    ccsid(charset).map_or_else(|| condition(&INVREQ, RESP2_NO_CHARSET), Ok)
}

/// The code page of the program: HOSTCODEPAGE, or that of the region.
fn host_page(runtime: &Runtime, arguments: &Arguments) -> Result<u16, Fault> {
    match named(arguments, HOSTCODEPAGE, 40) {
        None => Ok(runtime.task.ccsid),
        Some(name) => ccsid(&name).map_or_else(|| condition(&INVREQ, RESP2_NO_HOST_PAGE), Ok),
    }
}

/// The character set that the command names.
fn given_charset(arguments: &Arguments) -> Option<String> {
    named(arguments, CHARACTERSET, 40).or_else(|| named(arguments, CLNTCODEPAGE, 40))
}

/// Whether the command wants conversion: with SRVCONVERT, or with an option that names a code page.
fn converts(arguments: &Arguments) -> Result<bool, Fault> {
    let is = |given: i64, word: &str| cvda::value(word).map(i64::from) == Some(given);
    match arguments.number(SERVERCONV) {
        _ if arguments.has(SRVCONVERT) => Ok(true),
        _ if arguments.has(NOSRVCONVERT) => Ok(false),
        Some(given) if is(given, "SRVCONVERT") => Ok(true),
        Some(given) if is(given, "NOSRVCONVERT") => Ok(false),
        Some(_) => condition(&INVREQ, RESP2_SERVERCONV),
        None => {
            Ok([CHARACTERSET, CLNTCODEPAGE, HOSTCODEPAGE].into_iter().any(|option| arguments.has(option)))
        }
    }
}

/// INVREQ: SERVERCONV has another value.
const RESP2_SERVERCONV: u32 = 144;
