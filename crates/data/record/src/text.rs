//! Plain text fields: bulk conversion between JSON strings and the encoding of the record's text.

use codepage::{Encoding, JsonRows, Unmappable, translate, translate_json_rows, translate_until};

use crate::characters;
use crate::error::{Error, ErrorKind};
use crate::json;
use crate::out::Out;
use crate::policies::Policies;

/// Marks a byte without a plain character in the table of plain characters, which are all ASCII. The byte
/// takes the slow path.
const SPECIAL: u8 = 0x80;

/// Tables of one encoding, built once for a bind.
#[derive(Clone, Debug)]
pub(crate) struct TextTables {
    encoding: Encoding,
    /// The ASCII byte of each page byte that JSON shows unescaped, else [`SPECIAL`].
    plain: [u8; 256],
    /// The page byte of each ASCII byte, if the page has all of them.
    from_ascii: [u8; 256],
    /// True for a page without some ASCII character. Every character is then looked up alone.
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
    /// Tables of an encoding in which ASCII characters are one byte each.
    pub(crate) fn new(encoding: Encoding) -> Self {
        let mut plain = [SPECIAL; 256];
        let mut text = String::new();
        for byte in 0..=u8::MAX {
            text.clear();
            if encoding.decode(&[byte], Unmappable::Error, &mut text).is_ok()
                && let [ascii @ 0x20..0x7F] = *text.as_bytes()
                && ascii != b'"'
                && ascii != b'\\'
            {
                plain[usize::from(byte)] = ascii;
            }
        }
        let (mut from_ascii, mut partial_ascii) = ([0; 256], false);
        let mut bytes = Vec::new();
        for ascii in 0..0x80u8 {
            bytes.clear();
            let encoded =
                encoding.encode(char::from(ascii).encode_utf8(&mut [0]), Unmappable::Error, &mut bytes);
            match (encoded, bytes.as_slice()) {
                (Ok(_), [byte]) => from_ascii[usize::from(ascii)] = *byte,
                _ => partial_ascii = true,
            }
        }
        let space = encoding.blank()[0];
        Self { encoding, plain, from_ascii, partial_ascii, space }
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub(crate) fn space(&self) -> u8 {
        self.space
    }

    /// Writes a field's text as the inside of a JSON string (without the quotes).
    ///
    /// # Errors
    /// A byte has no character in the code page.
    #[inline]
    pub(crate) fn decode(&self, codec: TextCodec, field: &[u8], out: &mut Out<'_>) -> Result<(), Error> {
        let text = self.trimmed(codec, field);
        let plain = self.translate_plain(text, out.room(text.len()));
        if plain == text.len() {
            out.advance(plain);
            return Ok(());
        }
        self.decode_special(text, plain, out)
    }

    /// Translates text up to the first byte that is not plain. Returns the number of bytes before it.
    #[inline]
    pub(crate) fn translate_plain(&self, text: &[u8], to: &mut [u8]) -> usize {
        translate_until(&self.plain, SPECIAL, text, to)
    }

    /// Decodes text whose first `plain` bytes are plain and stand behind `out` already.
    #[cold]
    fn decode_special(&self, text: &[u8], plain: usize, out: &mut Out<'_>) -> Result<(), Error> {
        let Some(page) = self.encoding.code_page() else {
            return self.decode_encoded(text, out);
        };
        out.advance(plain);
        let mut rest = &text[plain..];
        while let Some((byte, after)) = rest.split_first() {
            let unit = page.to_unicode()[usize::from(*byte)];
            match char::from_u32(u32::from(unit))
                .filter(|character| *character != char::REPLACEMENT_CHARACTER)
            {
                Some(character)
                    if (' '..'\u{7F}').contains(&character) && !matches!(character, '"' | '\\') =>
                {
                    out.push(unit as u8);
                }
                Some(character @ '\u{80}'..='\u{7FF}') => {
                    character.encode_utf8(out.window::<2>());
                    out.advance(2);
                }
                Some(character) => out.with(|out| json::write_char(character, out)),
                None => {
                    return Err(Error::new(
                        ErrorKind::BadData,
                        format!("byte {byte:02X} is not a character of CCSID {}", page.ccsid()),
                    ));
                }
            }
            rest = after;
        }
        Ok(())
    }

    /// Decodes text in an encoding of several bytes a character.
    fn decode_encoded(&self, text: &[u8], out: &mut Out<'_>) -> Result<(), Error> {
        let mut decoded = String::new();
        self.encoding
            .decode(text, Unmappable::Error, &mut decoded)
            .map_err(|error| Error::new(ErrorKind::BadData, error.to_string()))?;
        out.with(|out| decoded.chars().for_each(|character| json::write_char(character, out)));
        Ok(())
    }

    /// The field's text as plain text, without JSON's escapes.
    ///
    /// # Errors
    /// A byte has no character in the code page.
    pub(crate) fn decode_plain(&self, codec: TextCodec, field: &[u8], out: &mut String) -> Result<(), Error> {
        let text = self.trimmed(codec, field);
        self.encoding
            .decode(text, Unmappable::Error, out)
            .map(drop)
            .map_err(|error| Error::new(ErrorKind::BadData, error.to_string()))
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

    /// Blanks are passed over in words, because half-filled fields are usual.
    #[inline]
    pub(crate) fn without_trailing_blanks<'a>(&self, mut field: &'a [u8]) -> &'a [u8] {
        const WORD: usize = size_of::<u64>();
        let blanks = u64::from_ne_bytes([self.space; WORD]);
        let whole = field;
        while let Some((rest, word)) = field.split_last_chunk::<WORD>() {
            let others = u64::from_le_bytes(*word) ^ blanks;
            if others != 0 {
                return &whole[..field.len() - others.leading_zeros() as usize / 8];
            }
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
        translate(&self.from_ascii, text.as_bytes(), &mut field[start..end]);
        field[..start].fill(self.space);
        field[end..].fill(self.space);
        Ok(())
    }

    /// Writes the texts of the JSON strings that start `json` into the rows of `fields`, as long as they are
    /// plain: no escapes, only ASCII, not too long, padded at their ends, only a comma between them. The row
    /// behind the written rows may have any content afterwards. Call [`TextTables::encode`] for it.
    #[inline]
    pub(crate) fn encode_json(
        &self,
        codec: TextCodec,
        json: &[u8],
        row_bytes: usize,
        fields: &mut [u8],
    ) -> JsonRows {
        if codec.justified || self.partial_ascii || row_bytes == 0 {
            return JsonRows::default();
        }
        translate_json_rows(&self.from_ascii, self.space, row_bytes, json, fields)
    }

    #[cold]
    fn encode_wide(&self, codec: TextCodec, text: &str, field: &mut [u8]) -> Result<(), Error> {
        let Some(page) = self.encoding.code_page() else {
            return characters::encode(self.encoding, codec.justified, Policies::default(), text, field);
        };
        let length = text.chars().count();
        if length > field.len() {
            return Err(too_long(length, field.len()));
        }
        let (start, end) = placed(codec, length, field.len());
        for (to, character) in field[start..end].iter_mut().zip(text.chars()) {
            *to = page.encode_char(character).ok_or_else(|| unmappable(character, page.ccsid()))?;
        }
        field[..start].fill(self.space);
        field[end..].fill(self.space);
        Ok(())
    }
}

/// The place of `length` characters in a field.
fn placed(codec: TextCodec, length: usize, field: usize) -> (usize, usize) {
    if codec.justified { (field - length, field) } else { (0, length) }
}

fn too_long(length: usize, field: usize) -> Error {
    Error::new(ErrorKind::TooLong, format!("text of {length} characters is longer than the field's {field}"))
}

pub(crate) fn unmappable(character: char, ccsid: u16) -> Error {
    let number = u32::from(character);
    Error::new(ErrorKind::Unmappable, format!("character U+{number:04X} is not in CCSID {ccsid}"))
}
