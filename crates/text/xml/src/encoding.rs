//! From the bytes of a document to its text, and the encodings that a document may declare.

use std::borrow::Cow;

use codepage::readable::position;
use codepage::{Form, Unmappable};

use crate::error::{Error, ErrorKind};

/// The encoding of a document's bytes.
#[derive(Clone, Copy, Debug)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16 with a byte order mark.
    Utf16,
    /// Another encoding, which the caller has decoded. A declaration may have any of its names.
    Charset(codepage::Encoding),
    /// One that the caller knows from elsewhere, such as a content type, and has decoded. A declaration does not count
    /// then (RFC 7303, section 3.1).
    Told,
}

impl Encoding {
    /// True if a document with this encoding may declare it by this name.
    pub(crate) fn allows(self, declared: &str) -> bool {
        let names: &[&str] = match self {
            // ASCII is a part of UTF-8. The W3C's tests of SOAP 1.2 have UTF8, too.
            Encoding::Utf8 => &["UTF-8", "UTF8", "US-ASCII", "ASCII"],
            Encoding::Utf16 => &["UTF-16"],
            Encoding::Told => return true,
            Encoding::Charset(encoding) => {
                let found = codepage::Encoding::by_charset(declared);
                let utf16 = encoding.form() == Form::Utf16;
                return found.is_some_and(|found| {
                    found.ccsid() == encoding.ccsid() || (utf16 && found.form() == Form::Utf16)
                });
            }
        };
        names.iter().any(|name| name.eq_ignore_ascii_case(declared))
    }

    /// Its name in messages.
    pub(crate) fn name(self) -> String {
        match self {
            Encoding::Utf8 => "UTF-8".to_owned(),
            Encoding::Utf16 => "UTF-16".to_owned(),
            Encoding::Charset(encoding) => format!("CCSID {}", encoding.ccsid()),
            Encoding::Told => "in another encoding".to_owned(),
        }
    }
}

/// The text of a document, without its byte order mark: UTF-8, which is not copied, or UTF-16 with a mark.
///
/// # Errors
/// Other encodings, and bytes that are not text.
pub fn decode(bytes: &[u8]) -> Result<(Cow<'_, str>, Encoding), Error> {
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

/// The text of a document in a known encoding, for example from the charset of a content type. A byte order
/// mark overrides it (RFC 7303, section 3).
///
/// # Errors
/// Bytes that are not text in this encoding.
pub fn decode_as(bytes: &[u8], encoding: codepage::Encoding) -> Result<(Cow<'_, str>, Encoding), Error> {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] | [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] => return decode(bytes),
        _ if encoding.form() == Form::Utf8 => return decode(bytes),
        _ => {}
    }
    let mut text = String::with_capacity(bytes.len());
    encoding.decode(bytes, Unmappable::Error, &mut text).map_err(|error| {
        let message = format!("the text is not in CCSID {}: {error}", encoding.ccsid());
        Error { position: Some(position(&text, text.len())), ..Error::new(ErrorKind::Syntax, message) }
    })?;
    Ok((Cow::Owned(text), Encoding::Charset(encoding)))
}

/// The text of a document whose encoding only the document itself shows: by its byte order mark, or by its
/// declaration.
///
/// # Errors
/// An unknown encoding, and bytes that are not text in the encoding.
pub fn decode_declared(bytes: &[u8]) -> Result<(Cow<'_, str>, Encoding), Error> {
    let Some(charset) = declared_charset(bytes) else { return decode(bytes) };
    let Some(encoding) = codepage::Encoding::by_charset(&charset) else {
        let message = format!("the encoding {} is not known", crate::shown(&charset));
        return Err(Error::new(ErrorKind::Syntax, message));
    };
    decode_as(bytes, encoding)
}

/// The bytes of a document that are searched for its declaration of an encoding.
const DECLARATION_BYTES_MAX: usize = 256;

/// The name of the encoding in a document's XML declaration, for bytes whose encoding is not known from
/// elsewhere. All encodings of ASCII's family have the same letters for a declaration, and so do all of
/// EBCDIC's. None if there is no declaration, or it has no encoding, or the document has a byte order mark.
#[must_use]
pub fn declared_charset(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES_MAX)];
    let text = match head {
        [b'<', b'?', b'x', b'm', b'l', ..] => {
            head.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect()
        }
        // `<?xml` in EBCDIC.
        [0x4C, 0x6F, 0xA7, 0x94, 0x93, ..] => {
            let mut text = String::new();
            codepage::Encoding::by_ccsid(1047)?.decode(head, Unmappable::Substitute, &mut text).ok()?;
            text
        }
        _ => return None,
    };
    let end = text.find("?>")?;
    let given = crate::attributes::attributes(&text, "<?xml".len(), end).ok()?;
    given.into_iter().find(|attribute| attribute.name == "encoding").map(|found| found.value.into_owned())
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
