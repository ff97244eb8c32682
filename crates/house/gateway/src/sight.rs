//! The view of a request over HTTP for service providers. Nothing is copied.

use std::borrow::Cow;

use http::header::HOST;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Uri};
use service::{Headers, RequestView};

/// Headers of HTTP, for providers.
#[derive(Debug)]
pub(crate) struct SeenHeaders<'r>(pub(crate) &'r HeaderMap);

impl Headers for SeenHeaders<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        let mut values = self.0.get_all(name).iter().map(text);
        let first = values.next()?;
        let joined = values.fold(None, |joined: Option<String>, value| {
            Some(format!("{}, {value}", joined.as_deref().unwrap_or(&first)))
        });
        Some(joined.map_or(first, Cow::Owned))
    }
}

/// The text of a value: UTF-8, or else ISO 8859-1, where every byte is a character (RFC 9110, 5.5).
fn text(value: &HeaderValue) -> Cow<'_, str> {
    match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(value.as_bytes().iter().copied().map(char::from).collect()),
    }
}

/// The view of a request for providers. `secure` says that it came over TLS.
pub(crate) fn view<'r>(
    secure: bool,
    method: &'r Method,
    uri: &'r Uri,
    headers: &'r SeenHeaders<'r>,
) -> RequestView<'r> {
    RequestView {
        method: method.as_str(),
        scheme: if secure { "https" } else { "http" },
        authority: uri.authority().map(http::uri::Authority::as_str),
        path: uri.path(),
        query: uri.query(),
        headers,
    }
}

/// The host that a request names, with its port if it names one.
pub(crate) fn named_host(parts: &Parts) -> Option<&str> {
    let header = || parts.headers.get(HOST).and_then(|host| host.to_str().ok());
    parts.uri.authority().map(http::uri::Authority::as_str).or_else(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_joined_and_every_byte_is_shown() {
        let mut headers = HeaderMap::new();
        for value in [&b"1"[..], b"caf\xE9", b"caf\xC3\xA9"] {
            headers.append("x-note", HeaderValue::from_bytes(value).expect("a value"));
        }
        headers.insert("x-one", HeaderValue::from_static("1"));
        let seen = SeenHeaders(&headers);
        assert_eq!(seen.value("X-Note").as_deref(), Some("1, caf\u{e9}, caf\u{e9}"));
        assert_eq!((seen.value("x-one").as_deref(), seen.value("x-two")), (Some("1"), None));
    }
}
