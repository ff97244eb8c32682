//! Text fields: bulk conversion between JSON strings and single-byte code pages.

use codepage::CodePage;
use memchr::memchr;

use crate::error::{Error, ErrorKind};
use crate::json;

/// What stands for "no plain character" in the table of plain ones, which are all ASCII: the byte then takes the slow
/// path.
const SPECIAL: u8 = 0x80;

/// Tables of one code page, built once for a bind.
#[derive(Clone, Debug)]
pub(crate) struct TextTables {
    page: &'static CodePage,
    /// The ASCII byte of each page byte that stands in JSON as itself, else [`SPECIAL`].
    plain: [u8; 256],
    /// The page byte of each ASCII byte, if the page has all of them.
    from_ascii: [u8; 256],
    /// True for a page without some ASCII character: every character is then looked up alone.
    partial_ascii: bool,
    space: u8,
}

/// How a text field is filled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextCodec {
    /// Padded on the left.
    pub(crate) justified: bool,
    /// Blanks at the end (at the start, if justified) are left out of the JSON.
    pub(crate) trim: bool,
}

impl TextTables {
    pub(crate) fn new(page: &'static CodePage) -> Self {
        let mut plain = [SPECIAL; 256];
        for (byte, unit) in page.to_unicode().iter().enumerate() {
            if let Ok(ascii @ 0x20..0x7F) = u8::try_from(*unit)
                && ascii != b'"'
                && ascii != b'\\'
            {
                plain[byte] = ascii;
            }
        }
        let mut from_ascii = [0; 256];
        for ascii in 0..0x80u8 {
            if let Some(byte) = page.encode_char(char::from(ascii)) {
                from_ascii[usize::from(ascii)] = byte;
            }
        }
        let space = page.encode_char(' ').unwrap_or(b' ');
        Self { page, plain, from_ascii, partial_ascii: !page.has_all_ascii(), space }
    }

    pub(crate) fn space(&self) -> u8 {
        self.space
    }

    /// Writes a field's text as the inside of a JSON string (without the quotes).
    ///
    /// # Errors
    /// A byte has no character in the code page.
    #[inline]
    pub(crate) fn decode(&self, codec: TextCodec, field: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let text = self.trimmed(codec, field);
        let start = out.len();
        // No branch for each byte: what is special anywhere shows in the sum of all bits.
        let mut bits = 0;
        out.extend(text.iter().map(|byte| {
            let plain = self.plain[usize::from(*byte)];
            bits |= plain;
            plain
        }));
        if bits & SPECIAL == 0 { Ok(()) } else { self.decode_special(text, start, out) }
    }

    /// Decodes again what stands at the end of `out` from `start` on, from the first byte that is special.
    #[cold]
    fn decode_special(&self, text: &[u8], start: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let plain = memchr(SPECIAL, &out[start..]).unwrap_or(text.len());
        out.truncate(start + plain);
        for byte in &text[plain..] {
            let unit = self.page.to_unicode()[usize::from(*byte)];
            match char::from_u32(u32::from(unit))
                .filter(|character| *character != char::REPLACEMENT_CHARACTER)
            {
                Some(character) => json::write_char(character, out),
                None => {
                    return Err(Error::new(
                        ErrorKind::BadData,
                        format!("byte {byte:02X} is no character of CCSID {}", self.page.ccsid()),
                    ));
                }
            }
        }
        Ok(())
    }

    /// The field's text as plain text, without JSON's escapes.
    ///
    /// # Errors
    /// A byte has no character in the code page.
    pub(crate) fn decode_plain(&self, codec: TextCodec, field: &[u8], out: &mut String) -> Result<(), Error> {
        let text = self.trimmed(codec, field);
        self.page.decode(text, out).map_err(|error| Error::new(ErrorKind::BadData, error.to_string()))
    }

    fn trimmed<'a>(&self, codec: TextCodec, field: &'a [u8]) -> &'a [u8] {
        if !codec.trim {
            return field;
        }
        if codec.justified {
            let start = field.iter().position(|byte| *byte != self.space).unwrap_or(field.len());
            &field[start..]
        } else {
            self.without_trailing_blanks(field)
        }
    }

    /// Blanks are passed over in words: half-filled fields are the rule.
    #[inline]
    fn without_trailing_blanks<'a>(&self, mut field: &'a [u8]) -> &'a [u8] {
        const WORD: usize = size_of::<u64>();
        let blanks = [self.space; WORD];
        while let Some((rest, word)) = field.split_last_chunk::<WORD>()
            && *word == blanks
        {
            field = rest;
        }
        let end = field.iter().rposition(|byte| *byte != self.space).map_or(0, |last| last + 1);
        &field[..end]
    }

    /// Writes text into a field and fills the rest with blanks.
    ///
    /// # Errors
    /// The text is longer than the field, or has a character that the code page lacks.
    #[inline]
    pub(crate) fn encode(&self, codec: TextCodec, text: &str, field: &mut [u8]) -> Result<(), Error> {
        if !text.is_ascii() || self.partial_ascii {
            return self.encode_wide(codec, text, field);
        }
        let length = text.len();
        if length > field.len() {
            return Err(too_long(length, field.len()));
        }
        let (start, end) = placed(codec, length, field.len());
        for (to, from) in field[start..end].iter_mut().zip(text.as_bytes()) {
            *to = self.from_ascii[usize::from(*from)];
        }
        field[..start].fill(self.space);
        field[end..].fill(self.space);
        Ok(())
    }

    #[cold]
    fn encode_wide(&self, codec: TextCodec, text: &str, field: &mut [u8]) -> Result<(), Error> {
        let length = text.chars().count();
        if length > field.len() {
            return Err(too_long(length, field.len()));
        }
        let (start, end) = placed(codec, length, field.len());
        for (to, character) in field[start..end].iter_mut().zip(text.chars()) {
            *to = self.page.encode_char(character).ok_or_else(|| {
                Error::new(
                    ErrorKind::Unmappable,
                    format!("character U+{:04X} is not in CCSID {}", u32::from(character), self.page.ccsid()),
                )
            })?;
        }
        field[..start].fill(self.space);
        field[end..].fill(self.space);
        Ok(())
    }
}

/// Where `length` characters stand in a field.
fn placed(codec: TextCodec, length: usize, field: usize) -> (usize, usize) {
    if codec.justified { (field - length, field) } else { (0, length) }
}

fn too_long(length: usize, field: usize) -> Error {
    Error::new(ErrorKind::TooLong, format!("text of {length} characters is longer than the field's {field}"))
}
