//! Text and values of attributes as they stand in a document.

use crate::characters::is_allowed;
use crate::error::{Error, ErrorKind};

/// True for text that stands in an element as it is, which is nearly all: neither markup nor control characters, nor
/// the two forbidden characters, which start with EF.
#[must_use]
pub fn is_plain(text: &str) -> bool {
    let special = |byte: u8| byte < 0x20 || matches!(byte, b'<' | b'>' | b'&' | 0xEF);
    !text.bytes().fold(false, |found, byte| found | special(byte))
}

/// Writes text as it stands in an element.
///
/// # Errors
/// A character that XML cannot hold ([`ErrorKind::Character`]).
pub fn write_text(text: &str, out: &mut Vec<u8>) -> Result<(), Error> {
    if is_plain(text) {
        out.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    for character in text.chars() {
        match character {
            '<' => out.extend_from_slice(b"&lt;"),
            '>' => out.extend_from_slice(b"&gt;"),
            '&' => out.extend_from_slice(b"&amp;"),
            // A reader would take it for a line feed.
            '\r' => out.extend_from_slice(b"&#13;"),
            other if is_allowed(other) => {
                let mut buffer = [0; 4];
                out.extend_from_slice(other.encode_utf8(&mut buffer).as_bytes());
            }
            other => {
                let message = format!("character U+{:04X} is not allowed in XML", u32::from(other));
                return Err(Error::new(ErrorKind::Character, message));
            }
        }
    }
    Ok(())
}

/// Writes a value as it stands in an attribute in double quotes. Characters that XML does not allow are for the caller
/// to keep out.
pub fn write_attribute(value: &str, out: &mut String) {
    for character in value.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(character))),
            other => out.push(other),
        }
    }
}
