//! Conversion between CCSIDs and Unicode, and from one CCSID to another.
//!
//! - [`CodePage`]: the pages in which each byte is one character, with their tables.
//! - [`Encoding`]: any CCSID: these pages, double-byte and mixed EBCDIC, UTF-8 (1208), UTF-16 (1200 and
//!   1202).
//! - [`Converter`]: bytes from one encoding to another, for bulk data.
//! - [`translate`] and similar functions: bytes through a table, for writers of JSON or records.
//! - [`readable`]: bytes in a form for people, in messages and dumps.
//!
//! All are strict. A byte without a character and a character without a byte are errors with their place.
//! Nothing is replaced by something similar, unless the caller asks for [`Unmappable::Substitute`].
//!
//! Bytes that are decoded and encoded again are the same bytes, with these exceptions:
//!
//! - the few [`CodePage::one_way`] bytes of some Thai, Lao and HP pages,
//! - 189 radicals of the Chinese pages 937 and 1371,
//! - shifts without an effect,
//! - the rules below for the mixed pages.
//!
//! # Single-byte pages
//!
//! - **Source.** The tables are ICU's; [`CodePage::converter`] names the table. CCSIDs 1250 to 1258 use the
//!   tables ICU takes for `windows-1250` to `windows-1258`, which have the euro sign. They are those of 5346
//!   to 5350, 9447 to 9449, and 5354.
//! - **Newline.** The tables are ICU's plain ones, the IBM registry's. In EBCDIC, 15 (NL) is U+0085 and 25
//!   (LF) is U+000A. z/OS UNIX exchanges the two. A byte is never both.
//! - **PC pages** (437, 850 and so on) follow IBM's rotation of three controls: 1A is U+001C, 1C is U+007F
//!   and 7F is U+001A.
//! - **Not used.** ICU's fallbacks from Unicode, such as full-width letters to plain ones (`|1` in its `.ucm`
//!   files), are not in the tables.
//!
//! # Mixed and double-byte pages
//!
//! - **Which.** 930, 933, 935, 937, 939, 1364, 1371, 1388, 1390, 1399; 5026 and 5035, for which ICU takes the
//!   tables of 930 and 939; and the double-byte parts alone, for `PIC G`: 300, 834, 835, 837, 4396 (as 300),
//!   4930, 4933, 9027 and 16684.
//! - **Shifts.** A text begins and ends in the single-byte state. A shift-out (0E) begins double bytes, and a
//!   shift-in (0F) ends them. Decoding accepts pairs that enclose nothing and pairs that follow each other; a
//!   shift without its other half is an error with its offset. U+000E and U+000F cannot be encoded.
//! - **Blanks.** The double byte 4040 is U+3000, the byte 40 is U+0020; neither ever becomes the other.
//! - **Prefers.** A character that has a single byte and a double byte, the euro sign in 1371, 1390 and 1399,
//!   is encoded as the single byte.
//! - **Pairs.** Twenty-five double bytes of 1390, 1399 and 16684 are two characters each in Unicode, such as
//!   U+304B and U+309A. The two are encoded as the one code whenever they follow each other.
//! - **User-defined characters** are in the private use area, as ICU has them.
//! - **1388** is ICU 76's, of GB 18030-2022. Older editions had 25 of its characters in private use.

mod charset;
mod converter;
mod double_byte;
mod encoding;
mod error;
mod fast;
mod guess;
mod mixed;
pub mod readable;
mod reverse;
mod simd;
mod tables;
mod translate;
mod unicode;

pub use converter::Converter;
pub use encoding::{Encoding, Form, Unmappable};
pub use error::{DecodeError, EncodeError, Error, ErrorKind};
pub use translate::{JsonRows, translate, translate_json, translate_json_rows, translate_until};

use reverse::{ReverseView, UNDEFINED};

/// The bytes that are decoded together if they are all ASCII characters.
const DECODE_RUN_BYTES: usize = 32;

/// The digits, letters and signs of a page for numbers in text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Digits are F0 to F9, the blank is 40.
    Ebcdic,
    /// Digits are 30 to 39, the blank is 20.
    Ascii,
}

/// A single-byte code page.
#[derive(Debug)]
pub struct CodePage {
    data: Data,
    reverse: ReverseView,
}

/// ICU's data about a page.
#[derive(Debug)]
struct Data {
    ccsid: u16,
    name: &'static str,
    converter: &'static str,
    family: Family,
    substitute: u8,
    to_unicode: &'static [u16; 256],
    one_way: &'static [u8],
}

impl CodePage {
    const fn new(data: Data, reverse: ReverseView) -> CodePage {
        CodePage { data, reverse }
    }

    /// Every page, by ascending CCSID.
    #[must_use]
    pub fn all() -> &'static [CodePage] {
        &tables::PAGES
    }

    /// The page of a coded character set identifier, if it is known.
    #[must_use]
    pub fn by_ccsid(ccsid: u16) -> Option<&'static CodePage> {
        let place = tables::PAGES.binary_search_by_key(&ccsid, CodePage::ccsid).ok()?;
        Some(&tables::PAGES[place])
    }

    /// The CCSID.
    #[must_use]
    pub fn ccsid(&self) -> u16 {
        self.data.ccsid
    }

    /// A readable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.data.name
    }

    /// The name of the ICU converter the table comes from, such as `ibm-37_P100-1995`.
    #[must_use]
    pub fn converter(&self) -> &'static str {
        self.data.converter
    }

    /// EBCDIC or ASCII.
    #[must_use]
    pub fn family(&self) -> Family {
        self.data.family
    }

    /// The byte of the blank.
    #[must_use]
    pub fn space(&self) -> u8 {
        self.reverse.latin1[usize::from(b' ')]
    }

    /// The byte that replaces characters that the page lacks, for callers that ask for substitution: 3F in
    /// EBCDIC; 1A, or 7F in the PC pages, in ASCII.
    #[must_use]
    pub fn substitute(&self) -> u8 {
        self.data.substitute
    }

    /// The bytes that are decoded to a character which is encoded as another byte, or cannot be encoded. Most
    /// pages have none.
    #[must_use]
    pub fn one_way(&self) -> &'static [u8] {
        self.data.one_way
    }

    /// The character of each byte as a UTF-16 unit; U+FFFD for bytes without a character.
    #[must_use]
    pub fn to_unicode(&self) -> &'static [u16; 256] {
        self.data.to_unicode
    }

    /// The byte of each ASCII character; 00 if the page lacks it. U+0000 itself is 00 in every page. Only
    /// some Hebrew, Arabic and Farsi EBCDIC pages lack any: see [`CodePage::has_all_ascii`].
    #[must_use]
    pub fn ascii_to_page(&self) -> &'static [u8; 128] {
        self.reverse.ascii
    }

    /// Whether the page has all 128 ASCII characters.
    #[must_use]
    pub fn has_all_ascii(&self) -> bool {
        self.reverse.has_all_ascii
    }

    /// The byte of a character, if the page has it. Takes the same time for every character.
    #[must_use]
    pub fn encode_char(&self, character: char) -> Option<u8> {
        self.reverse.byte(character)
    }

    /// Appends the characters of the bytes to `out`.
    ///
    /// # Errors
    ///
    /// The first byte that has no character. `out` then has the characters of all bytes before it.
    pub fn decode(&self, bytes: &[u8], out: &mut String) -> Result<(), DecodeError> {
        out.reserve(bytes.len());
        for (run, bytes) in bytes.chunks(DECODE_RUN_BYTES).enumerate() {
            let mut ascii = [0; DECODE_RUN_BYTES];
            let mut all_units = 0;
            for (slot, byte) in ascii.iter_mut().zip(bytes) {
                let unit = self.data.to_unicode[usize::from(*byte)];
                *slot = unit as u8;
                all_units |= unit;
            }
            match str::from_utf8(&ascii[..bytes.len()]) {
                Ok(text) if all_units < 0x80 => out.push_str(text),
                _ => self.decode_run(run * DECODE_RUN_BYTES, bytes, out)?,
            }
        }
        Ok(())
    }

    /// Decodes byte by byte; `start` is the offset of the first one.
    fn decode_run(&self, start: usize, bytes: &[u8], out: &mut String) -> Result<(), DecodeError> {
        for (position, byte) in bytes.iter().enumerate() {
            let unit = self.data.to_unicode[usize::from(*byte)];
            match char::from_u32(unit.into()) {
                Some(character) if unit != UNDEFINED => out.push(character),
                _ => {
                    let (ccsid, offset) = (self.ccsid(), start + position);
                    return Err(DecodeError { ccsid, offset, byte: *byte });
                }
            }
        }
        Ok(())
    }

    /// Appends the bytes of the text to `out`.
    ///
    /// # Errors
    ///
    /// The first character that the page lacks. `out` then has the bytes of all characters before it.
    pub fn encode(&self, text: &str, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        if self.has_all_ascii() && text.is_ascii() {
            let bytes = self.reverse.latin1;
            out.extend(text.bytes().map(|ascii| bytes[usize::from(ascii)]));
            return Ok(());
        }
        out.reserve(text.len());
        for (index, character) in text.chars().enumerate() {
            match self.encode_char(character) {
                Some(byte) => out.push(byte),
                None => return Err(EncodeError { ccsid: self.ccsid(), index, character }),
            }
        }
        Ok(())
    }
}
