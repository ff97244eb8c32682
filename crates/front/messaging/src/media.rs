//! Media types of bodies: the texts that a message can be put as, and bytes.

use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};

use message::{Ccsid, Format, NewMessage};

use crate::trouble::{Trouble, shown};

/// The form in which a body is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// Text in UTF-8, whatever its markup is: nobody looks into it.
    Text,
    /// Bytes without a format, which is ours.
    Binary,
}

/// The media type of bytes.
pub const BINARY: &str = "application/octet-stream";

const TEXTS: [&str; 5] = ["text/plain", "text/html", "text/xml", "application/json", "application/xml"];

impl Media {
    /// The form that the content type names. A body without a type is text if it is empty.
    ///
    /// # Errors
    /// Another type, another character set, or a coding.
    pub fn of(headers: &HeaderMap) -> Result<Option<Self>, Trouble> {
        if let Some(coding) = headers.get(CONTENT_ENCODING) {
            return Err(wrong(coding.as_bytes()).because("No content coding is taken."));
        }
        let mut values = headers.get_all(CONTENT_TYPE).iter();
        let Some(value) = values.next() else { return Ok(None) };
        let bad = || wrong(value.as_bytes());
        if values.next().is_some() {
            return Err(bad().because("The content type is given more than once."));
        }
        let text = value.to_str().map_err(|_| bad())?;
        let mut pieces = text.split(';').map(str::trim);
        let kind = pieces.next().unwrap_or_default();
        if kind.eq_ignore_ascii_case(BINARY) {
            return Ok(Some(Self::Binary));
        }
        if !TEXTS.iter().any(|known| known.eq_ignore_ascii_case(kind)) {
            return Err(bad().because(format!("A message is {} or {BINARY}.", TEXTS.join(", "))));
        }
        for piece in pieces {
            match piece.split_once('=') {
                Some((name, charset)) if name.trim().eq_ignore_ascii_case("charset") => {
                    let charset = charset.trim().trim_matches('"');
                    if !charset.eq_ignore_ascii_case("utf-8") && !charset.eq_ignore_ascii_case("utf8") {
                        return Err(wrong_charset(charset));
                    }
                }
                _ => {}
            }
        }
        Ok(Some(Self::Text))
    }

    /// A message with this body.
    pub(crate) fn message(self, message: NewMessage, body: Vec<u8>) -> NewMessage {
        let format = match self {
            Self::Text => Format::STRING,
            Self::Binary => Format::NONE,
        };
        NewMessage { format, ccsid: Ccsid::UTF_8, body, ..message }
    }

    /// Checks that a body is JSON, for resources that take nothing else.
    ///
    /// # Errors
    /// It is something else.
    pub fn check_json(headers: &HeaderMap) -> Result<(), Trouble> {
        let is_json = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|text| {
            let kind = text.split(';').next().unwrap_or_default();
            kind.trim().eq_ignore_ascii_case("application/json")
        });
        match Self::of(headers)? {
            Some(Self::Text) if is_json => Ok(()),
            _ => Err(wrong(headers.get(CONTENT_TYPE).map_or(b"", |value| value.as_bytes()))
                .because("This resource takes application/json.")),
        }
    }

    /// Whether a client asks for bytes: its Accept header names the type. Any other value is passed over, because clients
    /// that ask for JSON take a text too.
    #[must_use]
    pub fn wants_binary(headers: &HeaderMap) -> bool {
        let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        values
            .flat_map(|value| value.split(','))
            .any(|one| one.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(BINARY)))
    }
}

/// Missing where there is a body.
pub(crate) fn missing_type() -> Trouble {
    wrong(b"").because("The body has no content type.")
}

fn wrong(value: &[u8]) -> Trouble {
    let message = format!("The media type '{}' is not supported.", shown(value));
    Trouble::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "MQWB0306E", message)
}

fn wrong_charset(charset: &str) -> Trouble {
    let charset = shown(charset.as_bytes());
    let message = format!("The character set '{charset}' is not supported.");
    Trouble::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "MQWB0305E", message).because("Bodies are UTF-8.")
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(value))])
    }

    #[test]
    fn texts_and_bytes_are_told_apart() {
        for text in
            ["text/plain", "text/plain;charset=utf-8", "Application/JSON; Charset=\"UTF-8\"", "text/xml;a=b"]
        {
            assert_eq!(Media::of(&headers(text)), Ok(Some(Media::Text)), "{text}");
        }
        assert_eq!(Media::of(&headers("application/octet-stream")), Ok(Some(Media::Binary)));
        assert_eq!(Media::of(&HeaderMap::new()), Ok(None));
        for other in ["application/x-www-form-urlencoded", "", "text/plain;charset=iso-8859-1", "image/png"] {
            assert_eq!(Media::of(&headers(other)).expect_err(other).status, 415, "{other}");
        }
    }

    #[test]
    fn only_the_type_itself_asks_for_bytes() {
        let accept = |value| HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(value))]);
        assert!(Media::wants_binary(&accept("text/plain, application/octet-stream;q=0.5")));
        for other in ["*/*", "application/json", "application/*"] {
            assert!(!Media::wants_binary(&accept(other)), "{other}");
        }
    }
}
