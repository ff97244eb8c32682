//! The text of a message. Its charset comes from the content type, or else from the document
//! itself.

use std::borrow::Cow;

use failure::Code;
use xml::{Encoding, declared_charset, decode, decode_as, shown};

use crate::trouble::Trouble;

/// Decodes the bytes of a message. The charset of the content type overrides the declaration in the
/// document. Without both, the text is UTF-8, or UTF-16 with a byte order mark (RFC 7303).
///
/// # Errors
/// The charset is not known, or the bytes are not text in it.
pub fn text<'b>(bytes: &'b [u8], charset: Option<&str>) -> Result<(Cow<'b, str>, Encoding), Trouble> {
    match charset {
        // Nearly all messages take this way.
        Some(charset) if charset.eq_ignore_ascii_case("utf-8") => Ok((decode(bytes)?.0, Encoding::Told)),
        Some(charset) => Ok((decoded(bytes, charset)?.0, Encoding::Told)),
        None => match declared_charset(bytes) {
            Some(charset) => decoded(bytes, &charset),
            None => Ok(decode(bytes)?),
        },
    }
}

/// The text in a charset.
fn decoded<'b>(bytes: &'b [u8], charset: &str) -> Result<(Cow<'b, str>, Encoding), Trouble> {
    if charset.eq_ignore_ascii_case("utf-16") && matches!(bytes, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..]) {
        return Ok(decode(bytes)?);
    }
    let Some(encoding) = codepage::Encoding::by_charset(charset) else {
        let message = format!("the charset {} is not known", shown(charset));
        return Err(Trouble::new(Code::BadEnvelope, message));
    };
    Ok(decode_as(bytes, encoding)?)
}
