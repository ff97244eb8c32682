//! Text and values of attributes in the form of a document.

use crate::characters::is_allowed;
use crate::error::{Error, ErrorKind};

/// True for text that an element can have unchanged, as nearly all text can: no markup, no control
/// characters, and not the two forbidden characters, which start with EF.
#[must_use]
pub fn is_plain(text: &str) -> bool {
    let special = |byte: u8| byte < 0x20 || matches!(byte, b'<' | b'>' | b'&' | 0xEF);
    !text.bytes().fold(false, |found, byte| found | special(byte))
}

/// Writes text in the form for an element.
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
            // A reader would turn it into a line feed.
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

/// Writes a value in the form for an attribute in double quotes. The caller must not pass characters that XML
/// does not allow.
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
