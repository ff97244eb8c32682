//! A request on its way out and the answer to it, as bytes.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::target::ValueError;

/// A request, without what the connection adds: the host, credentials, lengths.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The method.
    pub method: Method,
    /// The path below that of the connection, beginning with a slash, and the query.
    pub target: String,
    /// Headers; those that belong to one hop alone are not sent.
    pub headers: HeaderMap,
    /// The body; empty for none.
    pub body: Bytes,
    /// True if it may be sent twice without doing more than once.
    pub idempotent: bool,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status, whichever it is.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

/// A header's value from data.
///
/// # Errors
/// It has a character that would end the header, or is not of ASCII.
pub fn header_value(text: &str) -> Result<HeaderValue, ValueError> {
    crate::target::check_text(text)?;
    match HeaderValue::from_str(text) {
        Ok(value) if text.is_ascii() => Ok(value),
        _ => Err(ValueError("a header's value is of ASCII characters".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_ends_its_header() {
        assert_eq!(header_value("a b").expect("a value"), "a b");
        for text in ["a\r\nx: y", "a\n", "\0", "ä", "a\u{7f}"] {
            assert!(header_value(text).is_err(), "{text:?}");
        }
    }
}
