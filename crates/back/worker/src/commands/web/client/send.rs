//! WEB SEND with SESSTOKEN, and the first half of WEB CONVERSE: a request goes out, and its answer comes into the session.

use super::super::super::documents;
use super::super::send::{
    RESP2_BODY, RESP2_CHUNKEND, RESP2_CHUNKING, RESP2_CLOSESTATUS, RESP2_DOCSTATUS, RESP2_MEDIATYPE,
    add_content_type, body_max_bytes, content, type_of_body,
};
use super::super::{given_charset, page};
use super::*;
use program::commands::OptionName;
use program::conditions::IOERR;

/// INVREQ, our own: the method is not known, or has no body; the path or the query cannot be sent; AUTHENTICATE or
/// CLIENTCONV has another value.
const RESP2_METHOD: u32 = 116;
const RESP2_BODY_OF_METHOD: u32 = 117;
const RESP2_TARGET: u32 = 118;
const RESP2_AUTHENTICATE: u32 = 119;
const RESP2_CLIENTCONV: u32 = 144;

/// The most bytes of a path, of a query, and of a user or a password.
const PATH_MAX_BYTES: usize = 8 * 1024;
const QUERY_MAX_BYTES: usize = 16 * 1024;
const CREDENTIAL_MAX_BYTES: usize = 256;

/// The character set of text for which nothing else names one, as in CICS.
pub(super) const USUAL_CHARSET: &str = "iso-8859-1";

const METHODS: &[OptionName] = &[GET, HEAD, POST, PUT, TRACE, OPTIONS, DELETE, PATCH];

/// Which texts a command converts: what goes out, and what comes in.
pub(super) fn conversions(arguments: &Arguments) -> Result<(bool, bool), Fault> {
    let words = [CLICONVERT, NOCLICONVERT, NOINCONVERT, NOOUTCONVERT];
    Ok(match chosen(arguments, &words, CLIENTCONV, RESP2_CLIENTCONV)? {
        NOCLICONVERT => (false, false),
        NOINCONVERT => (true, false),
        NOOUTCONVERT => (false, true),
        _ => (true, true),
    })
}

pub(super) fn send(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let chunking = chosen(arguments, &[CHUNKNO, CHUNKYES, CHUNKEND], CHUNKING, RESP2_CHUNKING)?;
    let chunks = session(runtime, arguments)?.chunks.take();
    match (chunks, chunking) {
        (None, CHUNKNO) => exchange(runtime, arguments),
        (None, CHUNKYES) => {
            let (request, page) = request(runtime, arguments, true)?;
            keep(runtime, arguments, request, page)
        }
        (Some((mut request, page)), CHUNKYES) => {
            // A chunk that cannot be added leaves those before it.
            let chunk = chunk(runtime, arguments, request.body.len(), page);
            if let Ok(chunk) = &chunk {
                request.body.extend(chunk);
            }
            keep(runtime, arguments, request, page)?;
            chunk.map(|_| Step::GoOn)
        }
        (Some((request, page)), CHUNKEND) if arguments.has(FROM) => {
            keep(runtime, arguments, request, page)?;
            condition(&INVREQ, RESP2_CHUNKEND)
        }
        (Some((request, _)), CHUNKEND) => exchanged(runtime, arguments, request),
        (Some((request, page)), _) => {
            keep(runtime, arguments, request, page)?;
            condition(&INVREQ, RESP2_SEQUENCE)
        }
        (None, _) => condition(&INVREQ, RESP2_SEQUENCE),
    }
}

fn keep(runtime: &mut Runtime, arguments: &Arguments, request: Box<WebSend>, page: Option<u16>) -> Done {
    session(runtime, arguments)?.chunks = Some((request, page));
    Ok(Step::GoOn)
}

/// A further chunk, behind the bytes of the body that are `there`.
fn chunk(
    runtime: &mut Runtime,
    arguments: &Arguments,
    there: usize,
    page: Option<u16>,
) -> Result<Vec<u8>, Fault> {
    let (most, host) = (body_max_bytes(runtime), session(runtime, arguments)?.page);
    let chunk = content(runtime, arguments, host, most, page)?;
    if there + chunk.len() > most { condition(&LENGERR, RESP2_BODY) } else { Ok(chunk) }
}

/// Sends the request of a command. Its answer is in the session then.
pub(super) fn exchange(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    if session(runtime, arguments)?.chunks.is_some() {
        return condition(&INVREQ, RESP2_SEQUENCE);
    }
    let (request, _) = request(runtime, arguments, false)?;
    exchanged(runtime, arguments, request)
}

fn exchanged(runtime: &mut Runtime, arguments: &Arguments, request: Box<WebSend>) -> Done {
    let own = session(runtime, arguments)?;
    own.headers.clear();
    (own.answer, own.left, own.browse) = (None, None, None);
    let WebReply::Answer(answer) = ask(runtime, WebAsk::Send(request))? else { return raise(&IOERR) };
    session(runtime, arguments)?.answer = Some(answer);
    Ok(Step::GoOn)
}

/// The request that a command makes, and the code page that its body was converted to. A body in chunks may begin without bytes.
fn request(
    runtime: &mut Runtime,
    arguments: &Arguments,
    has_chunks: bool,
) -> Result<(Box<WebSend>, Option<u16>), Fault> {
    // Connections are kept or closed by the gateway; the value must be one all the same.
    chosen(arguments, &[NOCLOSE, CLOSE], CLOSESTATUS, RESP2_CLOSESTATUS)?;
    let keeps = chosen(arguments, &[NODOCDELETE, DOCDELETE], DOCSTATUS, RESP2_DOCSTATUS)? == NODOCDELETE;
    let method = method(arguments)?;
    let own = session(runtime, arguments)?;
    let (server, opened) = (own.server.clone(), own.uri_map.clone());
    let (usual_path, host) = (own.path.clone(), own.page);
    let mut headers = own.headers.clone();
    let (path, query) = target(runtime, arguments, usual_path)?;
    let credentials = credentials(runtime, arguments)?;
    let (mut body, mut to) = (Vec::new(), None);
    if has_chunks || [FROM, DOCTOKEN, CONTAINER].into_iter().any(|option| arguments.has(option)) {
        let media = named(arguments, MEDIATYPE, 56);
        if media.as_deref().is_some_and(|media| !web::is_media_type(media)) {
            return condition(&INVREQ, RESP2_MEDIATYPE);
        }
        let charset = charset(arguments, &type_of_body(&headers, media.as_deref()))?;
        to = charset.as_deref().map(page).transpose()?;
        let most = body_max_bytes(runtime);
        body = content(runtime, arguments, host, most, to)?;
        if body.len() > most {
            return condition(&LENGERR, RESP2_BODY);
        }
        if (has_chunks || !body.is_empty()) && [GET, HEAD, TRACE].contains(&method) {
            return condition(&INVREQ, RESP2_BODY_OF_METHOD);
        }
        if arguments.has(DOCTOKEN) && !keeps {
            documents::delete(runtime, arguments)?;
        }
        add_content_type(&mut headers, media, charset);
    }
    let (uri_map, method) = (named(arguments, URIMAP, 8).unwrap_or_default(), method.text.to_owned());
    Ok((Box::new(WebSend { server, opened, uri_map, method, path, query, headers, body, credentials }), to))
}

fn method(arguments: &Arguments) -> Result<OptionName, Fault> {
    if let Some(word) = METHODS.iter().find(|word| arguments.has(**word)) {
        return Ok(*word);
    }
    match arguments.has(METHOD) {
        true => chosen(arguments, METHODS, METHOD, RESP2_METHOD),
        false => condition(&INVREQ, RESP2_METHOD),
    }
}

/// The path and the query of a request.
fn target(runtime: &Runtime, arguments: &Arguments, usual_path: String) -> Result<(String, String), Fault> {
    let local = runtime.task.ccsid;
    let path = match arguments.has(PATH) {
        true => head_text(text(arguments, PATH, arguments.number(PATHLENGTH), PATH_MAX_BYTES)?, local)?,
        false => usual_path,
    };
    let query = match arguments.has(QUERYSTRING) && arguments.number(QUERYSTRLEN) != Some(0) {
        true => {
            head_text(text(arguments, QUERYSTRING, arguments.number(QUERYSTRLEN), QUERY_MAX_BYTES)?, local)?
        }
        false => String::new(),
    };
    let path = if path.starts_with('/') { path } else { format!("/{path}") };
    match web::is_target(&path) && web::is_target(&query) {
        true => Ok((path, query)),
        false => condition(&INVREQ, RESP2_TARGET),
    }
}

/// A user and a password.
type Credentials = (String, Vec<u8>);

/// User and password, if the command gives them.
fn credentials(runtime: &Runtime, arguments: &Arguments) -> Result<Option<Credentials>, Fault> {
    let word = chosen(arguments, &[NONE, BASICAUTH], AUTHENTICATE, RESP2_AUTHENTICATE)?;
    // Without a user, the credentials are those of the connection, if it has some.
    if word == NONE || !arguments.has(USERNAME) {
        return Ok(None);
    }
    let given = |option, length| {
        let bytes = text(arguments, option, arguments.number(length), CREDENTIAL_MAX_BYTES)?;
        head_text(bytes, runtime.task.ccsid)
    };
    Ok(Some((given(USERNAME, USERNAMELEN)?, given(PASSWORD, PASSWORDLEN)?.into_bytes())))
}

/// The character set that a body is converted to; none if it goes out as it is. The one that its type names counts first,
/// because the server reads the body with it.
fn charset(arguments: &Arguments, content_type: &str) -> Result<Option<String>, Fault> {
    let (converts, _) = conversions(arguments)?;
    let media = web::media_type(content_type);
    if !converts || !(web::is_text(media) || arguments.has(CHARACTERSET)) {
        return Ok(None);
    }
    let usual = if web::is_json(media) { "utf-8" } else { USUAL_CHARSET };
    let named = web::parameter(content_type, "charset").or_else(|| given_charset(arguments));
    Ok(Some(named.unwrap_or_else(|| usual.to_owned())))
}
