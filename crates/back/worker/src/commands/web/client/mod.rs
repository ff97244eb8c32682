//! EXEC CICS WEB, the client side: sessions with servers over HTTP, the requests of a task, and their answers.
//!
//! The region checks each server and each path, and sends the requests: a worker reaches nothing itself. A session is known to
//! its task alone, and ends with it. SEND waits for the whole answer, so that RECEIVE only reads it.

mod receive;
mod send;

use std::collections::BTreeMap;

use percent::bare_host;
use program::commands::names::*;
use program::conditions::{INVREQ, LENGERR, NOTOPEN};
use program::web;
use wire::{Answer, Ask, CallAnswer, CallAsk, WebAnswer, WebAsk, WebHeader, WebReply, WebSend, WebServer};

use super::super::Done;
use super::super::text::ccsid;
use super::fields::{self, Browse};
use super::send::{RESP2_SEQUENCE, add_header, chosen, header, text};
use super::{RESP2_NO_HOST_PAGE, condition, family, give, head_text, local_text, named, set_cvda, whole};
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

/// NOTOPEN: the token is not one of the task's.
const RESP2_NO_SESSION: u32 = 27;
/// INVREQ, our own: the task has [`web::SESSIONS_MAX`] sessions already; HOST, PORTNUMBER or SCHEME is wrong; the server has not
/// answered a request of the session yet; the URL is not one of HTTP.
const RESP2_SESSIONS: u32 = 110;
const RESP2_SERVER: u32 = 111;
const RESP2_NO_ANSWER: u32 = 114;
const RESP2_URL: u32 = 115;
/// LENGERR of WEB EXTRACT and PARSE URL: the path, the version, the query, the host and the realm do not fit.
const RESP2_PATH: u32 = 5;
const RESP2_VERSION: u32 = 6;
const RESP2_QUERY: u32 = 7;
const RESP2_HOST: u32 = 21;
const RESP2_REALM: u32 = 22;

/// The most bytes of a URL.
const URL_MAX_BYTES: usize = 4096;

/// Headers that the connection writes, besides those that belong to it.
const CONNECTIONS_OWN: &[&str] = &["expect", "host", "proxy-authorization"];

/// The sessions of a task, by their tokens.
#[derive(Debug, Default)]
pub(crate) struct WebSessions {
    known: BTreeMap<[u8; 8], Session>,
    /// How many the task has opened.
    opened: u64,
}

/// A session with a server.
#[derive(Debug)]
struct Session {
    server: WebServer,
    /// The URIMAP that it was opened with, and the path of that; both are empty if it was opened with a host.
    uri_map: String,
    path: String,
    /// The code page of the program.
    page: u16,
    /// Headers for the next request.
    headers: Vec<WebHeader>,
    /// A request that waits for more chunks, and the code page that its first chunk was converted to.
    chunks: Option<(Box<WebSend>, Option<u16>)>,
    /// The answer to the last request.
    answer: Option<Box<WebAnswer>>,
    /// The end of its body that a RECEIVE with NOTRUNCATE has left for the next one.
    left: Option<Vec<u8>>,
    browse: Option<Browse>,
}

/// Carries out a command.
pub(in super::super) fn carry_out(runtime: &mut Runtime, arguments: &Arguments, function: u16) -> Done {
    match function {
        0xF084 => open(runtime, arguments),
        0xF085 => send::send(runtime, arguments),
        0xF086 => receive::receive(runtime, arguments),
        0xF087 => receive::converse(runtime, arguments),
        0xF088 => close(runtime, arguments),
        0xF089 => {
            let (name, value) = header(arguments)?;
            let own = session(runtime, arguments)?;
            if own.chunks.is_some() {
                // The request has its headers already.
                return condition(&INVREQ, RESP2_SEQUENCE);
            }
            add_header(&mut own.headers, name, value, CONNECTIONS_OWN)
        }
        0xF08A => {
            let local = runtime.task.ccsid;
            let headers = fields::headers(&answer(session(runtime, arguments)?)?.headers, local);
            fields::read_header(runtime, arguments, headers)
        }
        0xF08B => {
            let local = runtime.task.ccsid;
            let session = session(runtime, arguments)?;
            let headers = fields::headers(&answer(session)?.headers, local);
            fields::start_headers(&mut session.browse, headers)
        }
        0xF08C => fields::next_header(arguments, session(runtime, arguments)?.browse.as_mut()),
        0xF08D => fields::end_of(&mut session(runtime, arguments)?.browse),
        0xF08E | 0xF08F => extract(runtime, arguments),
        0xF090 => parse_url(runtime, arguments),
        _ => raise(&INVREQ),
    }
}

/// The token that a command gives.
fn token(arguments: &Arguments) -> [u8; 8] {
    let given = arguments.bytes(SESSTOKEN, Some(8)).unwrap_or_default();
    given.try_into().unwrap_or_default()
}

/// The session of a command.
fn session<'r>(runtime: &'r mut Runtime, arguments: &Arguments) -> Result<&'r mut Session, Fault> {
    match runtime.web_sessions.known.get_mut(&token(arguments)) {
        Some(session) => Ok(session),
        None => condition(&NOTOPEN, RESP2_NO_SESSION),
    }
}

/// The answer to the last request of a session.
fn answer(session: &Session) -> Result<&WebAnswer, Fault> {
    match &session.answer {
        Some(answer) => Ok(answer),
        None => condition(&INVREQ, RESP2_NO_ANSWER),
    }
}

fn ask(runtime: &mut Runtime, ask: WebAsk) -> Result<WebReply, Fault> {
    match runtime.ask(Ask::Call(CallAsk::Web(ask)))? {
        Answer::Call(CallAnswer::Web(reply)) => Ok(reply),
        _ => raise(&INVREQ),
    }
}

fn open(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    if runtime.web_sessions.known.len() == web::SESSIONS_MAX {
        return condition(&INVREQ, RESP2_SESSIONS);
    }
    let page = match named(arguments, CODEPAGE, 40) {
        None => runtime.task.ccsid,
        Some(name) => ccsid(&name).map_or_else(|| condition(&INVREQ, RESP2_NO_HOST_PAGE), Ok)?,
    };
    let uri_map = named(arguments, URIMAP, 8).unwrap_or_default();
    let asked = match arguments.has(HOST) {
        true => WebAsk::Open(server(runtime, arguments)?),
        false => WebAsk::OpenUriMap(uri_map.clone()),
    };
    let WebReply::Open { server, path } = ask(runtime, asked)? else { return raise(&INVREQ) };
    let sessions = &mut runtime.web_sessions;
    sessions.opened += 1;
    let token = sessions.opened.to_be_bytes();
    let (headers, chunks, answer, left, browse) = (Vec::new(), None, None, None, None);
    let session = Session { server, uri_map, path, page, headers, chunks, answer, left, browse };
    sessions.known.insert(token, session);
    arguments.set_characters(SESSTOKEN, &token);
    arguments.set_number(HTTPVNUM, 1);
    arguments.set_number(HTTPRNUM, 1);
    Ok(Step::GoOn)
}

/// The server that a command names.
fn server(runtime: &Runtime, arguments: &Arguments) -> Result<WebServer, Fault> {
    let is_secure = chosen(arguments, &[HTTP, HTTPS], SCHEME, RESP2_SERVER)? == HTTPS;
    let host = text(arguments, HOST, arguments.number(HOSTLENGTH), web::HOST_MAX_BYTES)?;
    let host = head_text(host, runtime.task.ccsid)?;
    let host = bare_host(&host).to_owned();
    if !web::is_host(&host) {
        return condition(&INVREQ, RESP2_SERVER);
    }
    let usual = if is_secure { 443 } else { 80 };
    match u16::try_from(arguments.number(PORTNUMBER).unwrap_or(usual)) {
        Ok(port @ 1..) => Ok(WebServer { is_secure, host, port }),
        _ => condition(&INVREQ, RESP2_SERVER),
    }
}

fn close(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    match runtime.web_sessions.known.remove(&token(arguments)) {
        Some(_) => Ok(Step::GoOn),
        None => condition(&NOTOPEN, RESP2_NO_SESSION),
    }
}

fn extract(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let local = runtime.task.ccsid;
    let Session { server, uri_map, path, answer, .. } = session(runtime, arguments)?;
    let challenge = answer.as_ref().and_then(|answer| WebHeader::first(&answer.headers, "www-authenticate"));
    let realm = challenge.and_then(web::realm).unwrap_or_default();
    let local = |text: &[u8]| local_text(text, local);
    let (host, path, realm) = (local(server.host.as_bytes()), local(path.as_bytes()), local(&realm));
    set_cvda(arguments, SCHEME, if server.is_secure { "HTTPS" } else { "HTTP" });
    set_cvda(arguments, HOSTTYPE, host_type(&server.host));
    arguments.set_number(PORTNUMBER, server.port.into());
    arguments.set_characters(URIMAP, &wire::name::<8>(uri_map));
    give(
        arguments,
        &[
            (HTTPVERSION, VERSIONLEN, b"HTTP/1.1", RESP2_VERSION),
            (PATH, PATHLENGTH, &path.bytes, RESP2_PATH),
            (HOST, HOSTLENGTH, &host.bytes, RESP2_HOST),
            (REALM, REALMLEN, &realm.bytes, RESP2_REALM),
        ],
    )?;
    whole(path.whole && host.whole && realm.whole)
}

/// The CVDA of a host.
pub(in super::super) fn host_type(host: &str) -> &'static str {
    family(host).unwrap_or("HOSTNAME")
}

fn parse_url(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let written = text(arguments, URL, arguments.number(URLLENGTH), URL_MAX_BYTES)?;
    let written = head_text(written, runtime.task.ccsid)?;
    let Some(url) = web::url(&written) else { return condition(&INVREQ, RESP2_URL) };
    // What the table of the conversion lacks cannot be in a URL.
    let local = |text: &str| local_text(text.as_bytes(), runtime.task.ccsid).bytes;
    let scheme = if url.is_secure { "HTTPS" } else { "HTTP" };
    arguments.set_characters(SCHEMENAME, format!("{scheme:16}").as_bytes());
    set_cvda(arguments, HOSTTYPE, host_type(url.host));
    arguments.set_number(PORTNUMBER, url.port.into());
    let (host, path, query) = (local(url.host), local(url.path), local(url.query));
    give(
        arguments,
        &[
            (HOST, HOSTLENGTH, &host, RESP2_HOST),
            (PATH, PATHLENGTH, &path, RESP2_PATH),
            (QUERYSTRING, QUERYSTRLEN, &query, RESP2_QUERY),
        ],
    )?;
    Ok(Step::GoOn)
}
