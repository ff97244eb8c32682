//! From the bytes of a document to its text: UTF-8, or UTF-16 with a byte order mark.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::json::position;

/// How a document's bytes hold its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// True if a document so encoded may declare this encoding.
    pub(crate) fn allows(self, declared: &str) -> bool {
        let names: &[&str] = match self {
            // ASCII is a part of UTF-8.
            Encoding::Utf8 => &["UTF-8", "US-ASCII", "ASCII"],
            Encoding::Utf16 => &["UTF-16"],
        };
        names.iter().any(|name| name.eq_ignore_ascii_case(declared))
    }
}

/// The text of a document, without its byte order mark.
///
/// # Errors
/// Other encodings, and bytes that are no text.
pub(crate) fn text_of(bytes: &[u8]) -> Result<(Cow<'_, str>, Encoding), Error> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => Ok((Cow::Borrowed(utf8(rest, 3)?), Encoding::Utf8)),
        [0xFE, 0xFF, rest @ ..] => Ok((Cow::Owned(utf16(rest, u16::from_be_bytes)?), Encoding::Utf16)),
        [0xFF, 0xFE, rest @ ..] => Ok((Cow::Owned(utf16(rest, u16::from_le_bytes)?), Encoding::Utf16)),
        [0, b'<', ..] | [b'<', 0, ..] => {
            let message = "a document in UTF-16 must start with a byte order mark";
            Err(Error::new(ErrorKind::Syntax, message))
        }
        // The start of a declaration, or of an element, in EBCDIC.
        [0x4C, ..] => Err(Error::new(ErrorKind::Syntax, "the document is neither UTF-8 nor UTF-16")),
        _ => Ok((Cow::Borrowed(utf8(bytes, 0)?), Encoding::Utf8)),
    }
}

fn utf8(bytes: &[u8], before: usize) -> Result<&str, Error> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let valid = std::str::from_utf8(&bytes[..at]).unwrap_or_default();
        let message = format!("byte {} of the text is not UTF-8", before + at);
        Error { position: Some(position(valid, at)), ..Error::new(ErrorKind::Syntax, message) }
    })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Error> {
    let (units, rest) = bytes.as_chunks::<2>();
    let fail = |text: &str, at: usize| {
        let message = format!("byte {} of the text is not UTF-16", 2 + at * 2);
        Error { position: Some(position(text, text.len())), ..Error::new(ErrorKind::Syntax, message) }
    };
    let mut text = String::with_capacity(bytes.len());
    let mut at = 0;
    for character in char::decode_utf16(units.iter().map(|pair| unit(*pair))) {
        let character = character.map_err(|_| fail(&text, at))?;
        at += character.len_utf16();
        text.push(character);
    }
    if rest.is_empty() { Ok(text) } else { Err(fail(&text, at)) }
}
