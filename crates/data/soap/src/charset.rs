//! The text of a message: its charset is that of the content type, or else what the document itself says.

use std::borrow::Cow;

use failure::Code;
use xml::{Encoding, declared_charset, decode, decode_as, shown};

use crate::trouble::Trouble;

/// The text of a message's bytes. The charset of the content type goes before the declaration of the document; without
/// both, the text is UTF-8, or UTF-16 with a byte order mark (RFC 7303).
///
/// # Errors
/// A charset that is not known, and bytes that are no text in it.
pub fn text<'b>(bytes: &'b [u8], charset: Option<&str>) -> Result<(Cow<'b, str>, Encoding), Trouble> {
    let declared = match charset {
        // Nearly all messages.
        Some(charset) if charset.eq_ignore_ascii_case("utf-8") => return Ok(decode(bytes)?),
        Some(charset) => Some(charset.to_owned()),
        None => declared_charset(bytes),
    };
    let Some(charset) = declared else { return Ok(decode(bytes)?) };
    if charset.eq_ignore_ascii_case("utf-16") && matches!(bytes, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..]) {
        return Ok(decode(bytes)?);
    }
    let Some(encoding) = codepage::Encoding::by_charset(&charset) else {
        let message = format!("the charset {} is not known", shown(&charset));
        return Err(Trouble::new(Code::BadEnvelope, message));
    };
    Ok(decode_as(bytes, encoding)?)
}
