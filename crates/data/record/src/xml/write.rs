//! Record to XML: texts, and elements of values that may be nil or left out.

use ::xml::{is_allowed, is_plain, write_attribute, write_text};

use crate::decode::Dialect;
use crate::error::{Error, ErrorKind};
use crate::out::Out;
use crate::slot::Found;
use crate::text::{TextCodec, TextTables};

/// XML, for generic code.
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
        out.with(|out| write_text(scratch, out))?;
        Ok(())
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

    fn attribute(name: &[u8], found: Found, text: &str, out: &mut Vec<u8>) -> Result<(), Error> {
        if found == Found::Null {
            return Ok(());
        }
        out.extend_from_slice(name);
        match found {
            Found::Text => {
                if let Some(character) = text.chars().find(|character| !is_allowed(*character)) {
                    let message = format!("character U+{:04X} is not allowed in XML", u32::from(character));
                    return Err(Error::new(ErrorKind::BadData, message));
                }
                let mut value = String::new();
                write_attribute(text, &mut value);
                out.extend_from_slice(value.as_bytes());
            }
            other => Self::found(other, text, out)?,
        }
        out.push(b'"');
        Ok(())
    }
}
