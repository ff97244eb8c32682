//! Any request of the messaging REST interface: nothing panics, names that come out can name something, and ids have their bytes.
#![no_main]

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use libfuzzer_sys::fuzz_target;
use messaging::{Asked, Head, Operation, Request};

/// A line up to its end, and what stands behind it.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    (&bytes[..end], bytes.get(end + 1..).unwrap_or_default())
}

// METHOD PATH?QUERY, headers, an empty line, the body.
fuzz_target!(|bytes: &[u8]| {
    let _ = Asked::parse(bytes);
    let (first, mut rest) = line(bytes);
    let Ok(first) = std::str::from_utf8(first) else { return };
    let Some((method, target)) = first.split_once(' ') else { return };
    let Ok(method) = Method::from_bytes(method.as_bytes()) else { return };
    let mut headers = HeaderMap::new();
    loop {
        let (header, next) = line(rest);
        rest = next;
        if header.is_empty() {
            break;
        }
        let Some(colon) = header.iter().position(|byte| *byte == b':') else { continue };
        let name = HeaderName::from_bytes(&header[..colon]);
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(header[colon + 1..].trim_ascii())) {
            headers.append(name, value);
        }
    }
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let head = Head { method: &method, path, query, headers: &headers };
    let Ok(request) = Request::route(head) else { return };
    let _ = (request.check_origin(), request.takes_body(), request.logs_in());
    if let Ok(Operation::Put(_, message)) = request.operation(Bytes::copy_from_slice(rest)) {
        assert!(message.body.len() <= rest.len());
    }
});
