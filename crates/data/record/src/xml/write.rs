//! Record to XML: text with its escapes, elements of values that may be nil or left out.

use crate::decode::Dialect;
use crate::error::{Error, ErrorKind};
use crate::out::Out;
use crate::slot::Found;
use crate::text::{TextCodec, TextTables};

use super::characters::is_allowed;

/// XML, for those who write either.
pub(crate) struct Xml;

impl Dialect for Xml {
    fn text(
        tables: &TextTables,
        codec: TextCodec,
        field: &[u8],
        scratch: &mut String,
        out: &mut Out<'_>,
    ) -> Result<(), Error> {
        scratch.clear();
        tables.decode_plain(codec, field, scratch)?;
        if is_plain(scratch) {
            out.extend(scratch.as_bytes());
            return Ok(());
        }
        out.with(|out| write_text(scratch, out))
    }

    fn found(found: Found, text: &str, out: &mut Vec<u8>) -> Result<(), Error> {
        match found {
            Found::Null => {}
            Found::Boolean(true) => out.extend_from_slice(b"true"),
            Found::Boolean(false) => out.extend_from_slice(b"false"),
            Found::Number => out.extend_from_slice(text.as_bytes()),
            Found::Text => write_text(text, out)?,
        }
        Ok(())
    }

    fn member(name: &[u8], found: Found, text: &str, out: &mut Vec<u8>) -> Result<(), Error> {
        out.push(b'<');
        out.extend_from_slice(name);
        if found == Found::Null {
            out.extend_from_slice(b" xsi:nil=\"true\"/>");
            return Ok(());
        }
        out.push(b'>');
        Self::found(found, text, out)?;
        out.extend_from_slice(b"</");
        out.extend_from_slice(name);
        out.push(b'>');
        Ok(())
    }
}

/// Neither markup nor control characters, nor the two forbidden characters, which start with EF: nearly all text.
fn is_plain(text: &str) -> bool {
    let special = |byte: u8| byte < 0x20 || matches!(byte, b'<' | b'>' | b'&' | 0xEF);
    !text.bytes().fold(false, |found, byte| found | special(byte))
}

/// Writes text as it stands in an element.
///
/// # Errors
/// A character that XML cannot hold.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) -> Result<(), Error> {
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
                return Err(Error::new(ErrorKind::BadData, message));
            }
        }
    }
    Ok(())
}

/// Writes a value as it stands in an attribute in double quotes.
pub(crate) fn write_attribute(value: &str, out: &mut String) {
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
