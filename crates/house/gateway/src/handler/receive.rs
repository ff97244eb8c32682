//! Receives requests: the head, the content type, and the body within its limits of bytes and time.

use std::fmt::Display;
use std::net::Ipv6Addr;
use std::pin::pin;
use std::time::Duration;

use api::Operation;
use bytes::{Bytes, BytesMut};
use failure::{Code, Failure, JSON};
use http::Version;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST};
use http::request::Parts;
use http_body_util::BodyExt;
use hyper::body::Body;

use super::call::within;
use super::exchange::Arrival;
use admission::ApiGuard;
use admission::is_from_elsewhere;
use headers::UNKNOWN_CODING;

/// Checks the rules of HTTP for every request. The headers of HTTP/1.1 are limited while they are
/// read, but those of HTTP/2 are not.
pub fn check_head(arrival: Arrival<'_>) -> Result<(), Failure> {
    let Arrival { gateway, peer, parts } = arrival;
    if parts.headers.len() > gateway.limits.header_count_max {
        return Err(Failure::new(Code::TooManyHeaders));
    }
    // RFC 9112, section 3.2; HTTP/2 has the host in a pseudo-header.
    if parts.version == Version::HTTP_11 && parts.headers.get_all(HOST).iter().count() != 1 {
        return Err(Failure::new(Code::BadHost));
    }
    if parts.headers.get(HOST).is_some_and(|host| !is_host(host.as_bytes())) {
        return Err(Failure::with_details(
            Code::BadHost,
            "it is a name or an address, and a port if need be",
        ));
    }
    if !peer.hosts.take(parts) {
        return Err(Failure::new(Code::WrongHost));
    }
    if parts.version < Version::HTTP_2 && parts.headers.contains_key(UNKNOWN_CODING) {
        return Err(Failure::new(Code::UnknownCoding));
    }
    Ok(())
}

/// Whether the text is a host and perhaps a port (RFC 3986, section 3.2.2).
fn is_host(text: &[u8]) -> bool {
    let port = |text: &[u8]| match text {
        [] => true,
        [b':', digits @ ..] => {
            digits.iter().all(u8::is_ascii_digit)
                && std::str::from_utf8(digits)
                    .is_ok_and(|text| text.is_empty() || text.parse::<u16>().is_ok())
        }
        _ => false,
    };
    if let [b'[', rest @ ..] = text {
        let Some(end) = rest.iter().position(|byte| *byte == b']') else { return false };
        let address = std::str::from_utf8(&rest[..end]);
        return address.is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok()) && port(&rest[end + 1..]);
    }
    let end = text.iter().position(|byte| *byte == b':').unwrap_or(text.len());
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%".contains(byte);
    end > 0 && text[..end].iter().all(fits) && port(&text[end..])
}

/// Reads the whole body, within the limits of size and time.
pub(super) async fn receive<B>(arrival: Arrival<'_>, operation: &Operation, body: B) -> Result<Bytes, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    if operation.takes_body() {
        receive_json(arrival, body).await
    } else {
        receive_any(arrival, body, true).await
    }
}

/// Reads a whole body of JSON, or none, within the limits of size and time.
pub(super) async fn receive_json<B>(arrival: Arrival<'_>, body: B) -> Result<Bytes, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let typed = body.is_end_stream() || check_content_type(arrival.parts)?;
    receive_any(arrival, body, typed).await
}

/// Reads a body. A body without a type must be empty.
pub(crate) async fn receive_any<B>(arrival: Arrival<'_>, body: B, typed: bool) -> Result<Bytes, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    receive_within(arrival, body, typed, arrival.gateway.limits.request_body_max_bytes).await
}

/// The same with another limit of bytes.
pub(super) async fn receive_within<B>(
    arrival: Arrival<'_>,
    body: B,
    typed: bool,
    limit: usize,
) -> Result<Bytes, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let Arrival { gateway, parts, .. } = arrival;
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    if parts.headers.contains_key(CONTENT_ENCODING) {
        return Err(Failure::with_details(Code::WrongContentType, "content-encoding is not supported"));
    }
    if declared_length(parts).is_some_and(|length| length > limit as u64) {
        return Err(too_large(limit));
    }
    if !typed && declared_length(parts).is_some_and(|length| length > 0) {
        return Err(untyped());
    }
    let time = Duration::from_millis(gateway.limits.body_read_timeout_ms);
    let body = within(time, collect(body, limit)).await;
    let body = body.unwrap_or_else(|| Err(Failure::new(Code::BodyTimeout)))?;
    if typed || body.is_empty() { Ok(body) } else { Err(untyped()) }
}

/// Refuses a change that a page of another site requests through a user's browser. The browser
/// would send the user's credentials with it, and would not ask first.
pub(super) fn check_page(guard: &ApiGuard, arrival: Arrival<'_>) -> Result<(), Failure> {
    let Arrival { peer, parts, .. } = arrival;
    if parts.method.is_safe() || !is_from_elsewhere(peer.secure, parts) {
        return Ok(());
    }
    match &guard.cors {
        Some(cors) if cors.allows(&parts.headers) => Ok(()),
        _ => Err(Failure::new(Code::CorsRefused)),
    }
}

/// A page can make a browser send a body without a type to any site, without a preflight.
fn untyped() -> Failure {
    Failure::with_details(Code::WrongContentType, "content-type is missing")
}

fn too_large(limit: usize) -> Failure {
    Failure::with_details(Code::BodyTooLarge, format!("the limit is {limit} bytes"))
}

fn declared_length(parts: &Parts) -> Option<u64> {
    parts.headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Checks that the content type is JSON in UTF-8. False if there is none, which is right only for
/// an empty body.
fn check_content_type(parts: &Parts) -> Result<bool, Failure> {
    let mut values = parts.headers.get_all(CONTENT_TYPE).iter();
    let Some(value) = values.next() else { return Ok(false) };
    if values.next().is_some() {
        return Err(Failure::with_details(Code::WrongContentType, "content-type is given more than once"));
    }
    if value.as_bytes() == JSON.as_bytes() || value.to_str().is_ok_and(is_json) {
        return Ok(true);
    }
    let shown = String::from_utf8_lossy(value.as_bytes());
    let shown: String = shown.chars().take(TYPE_SHOWN_MAX).collect();
    Err(Failure::with_details(Code::WrongContentType, format!("found {shown}")))
}

/// The most characters of a content type in an answer.
const TYPE_SHOWN_MAX: usize = 100;

fn is_json(content_type: &str) -> bool {
    let mut pieces = content_type.split(';').map(str::trim);
    let charset_is_utf8 = |piece: &str| match piece.split_once('=') {
        Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
            value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    };
    pieces.next().is_some_and(|kind| kind.eq_ignore_ascii_case(JSON)) && pieces.all(charset_is_utf8)
}

/// Joins the frames of a body. Mostly there is one frame, which is not copied.
pub async fn collect<B>(body: B, limit: usize) -> Result<Bytes, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let mut body = pin!(body);
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame
            .map_err(|error| Failure { log: Some(error.to_string()), ..Failure::new(Code::BodyBroken) })?;
        let Ok(data) = frame.into_data() else { continue };
        if first.len() + joined.len() + data.len() > limit {
            return Err(too_large(limit));
        }
        if first.is_empty() && joined.is_empty() {
            first = data;
        } else {
            joined.extend_from_slice(&std::mem::take(&mut first));
            joined.extend_from_slice(&data);
        }
    }
    Ok(if joined.is_empty() { first } else { joined.freeze() })
}
