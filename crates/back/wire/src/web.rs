//! Requests over HTTP and answers to them, as bytes.

use service::{WebAnswer, WebHeader, WebRequest};

use super::BadMessage;
use super::bytes::{Reader, put_bytes};

/// The most headers of a request or an answer.
pub const WEB_HEADERS_MAX: usize = 1_000;

pub(super) fn put_request(to: &mut Vec<u8>, request: &WebRequest) {
    for text in [&request.method, &request.version, &request.host, &request.path, &request.query] {
        put_bytes(to, text.as_bytes());
    }
    for text in [&request.uri_map, &request.client, &request.charset] {
        put_bytes(to, text.as_bytes());
    }
    to.push(u8::from(request.is_secure));
    to.extend(request.port.to_le_bytes());
    put_headers(to, &request.headers);
    put_bytes(to, &request.body);
}

pub(super) fn take_request(from: &mut Reader<'_>) -> Result<WebRequest, BadMessage> {
    let (method, version, host) = (from.text()?, from.text()?, from.text()?);
    let (path, query) = (from.text()?, from.text()?);
    Ok(WebRequest {
        method,
        version,
        host,
        path,
        query,
        uri_map: from.text()?,
        client: from.text()?,
        charset: from.text()?,
        is_secure: from.flag()?,
        port: u16::from_le_bytes(from.array()?),
        headers: take_headers(from)?,
        body: from.bytes()?,
    })
}

pub(super) fn put_answer(to: &mut Vec<u8>, answer: &WebAnswer) {
    to.extend(answer.status.to_le_bytes());
    put_bytes(to, &answer.reason);
    to.push(u8::from(answer.closes));
    put_headers(to, &answer.headers);
    put_bytes(to, &answer.body);
}

pub(super) fn take_answer(from: &mut Reader<'_>) -> Result<WebAnswer, BadMessage> {
    Ok(WebAnswer {
        status: u16::from_le_bytes(from.array()?),
        reason: from.bytes()?,
        closes: from.flag()?,
        headers: take_headers(from)?,
        body: from.bytes()?,
    })
}

pub(super) fn put_headers(to: &mut Vec<u8>, headers: &[WebHeader]) {
    to.extend((headers.len() as u32).to_le_bytes());
    for WebHeader { name, value } in headers {
        put_bytes(to, name.as_bytes());
        put_bytes(to, value);
    }
}

pub(super) fn take_headers(from: &mut Reader<'_>) -> Result<Vec<WebHeader>, BadMessage> {
    let count = from.u32()? as usize;
    if count > WEB_HEADERS_MAX {
        return Err(BadMessage("expected at most 1,000 headers"));
    }
    // A header that is not there ends it, so that the count alone makes nothing grow.
    (0..count).map(|_| Ok(WebHeader { name: from.text()?, value: from.bytes()? })).collect()
}
