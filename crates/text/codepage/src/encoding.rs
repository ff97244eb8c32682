//! Every encoding that a CCSID can name, behind one type.

use crate::double_byte::DoubleByte;
use crate::mixed::{Double, Mixed, decode_single, encode_single};
use crate::tables::mixed::{DOUBLE_BYTE, MIXED};
use crate::unicode::{self, ByteOrder};
use crate::{CodePage, Error, ErrorKind, Family};

/// The treatment of a code without a character, and of a character without a code. Nothing else is ever
/// replaced: shifts that do not match, bytes that are not UTF-8, and lone surrogates are always errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmappable {
    /// It is an error.
    #[default]
    Error,
    /// It is replaced. Decoding uses U+FFFD. Encoding uses the page's [`CodePage::substitute`], and FEFE in
    /// double-byte EBCDIC. A mixed page uses its single byte, 3F, for U+0000 to U+00FF and half-width
    /// letters, and FEFE for all other characters.
    Substitute,
}

/// The use of bytes in an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One byte a character.
    SingleByte,
    /// Two bytes a character, without shifts: the content of `PIC G` fields.
    DoubleByte,
    /// Single bytes, and double bytes between a shift-out (0E) and a shift-in (0F).
    Mixed,
    /// UTF-8.
    Utf8,
    /// UTF-16, either byte order.
    Utf16,
}

/// A single-byte, double-byte or mixed code page, UTF-8, or UTF-16.
#[derive(Clone, Copy, Debug)]
pub struct Encoding {
    ccsid: u16,
    name: &'static str,
    pub(crate) inner: Inner,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Inner {
    Single(&'static CodePage),
    Double(&'static DoubleByte),
    Mixed(&'static Mixed),
    Utf8,
    Utf16(ByteOrder),
}

const UNICODE: [Encoding; 3] = [
    Encoding { ccsid: 1200, name: "UTF-16, big-endian", inner: Inner::Utf16(ByteOrder::Big) },
    Encoding { ccsid: 1202, name: "UTF-16, little-endian", inner: Inner::Utf16(ByteOrder::Little) },
    Encoding { ccsid: 1208, name: "UTF-8", inner: Inner::Utf8 },
];

impl From<&'static CodePage> for Encoding {
    fn from(page: &'static CodePage) -> Encoding {
        Encoding { ccsid: page.ccsid(), name: page.name(), inner: Inner::Single(page) }
    }
}

impl Encoding {
    /// Every encoding, in no particular order.
    pub fn all() -> impl Iterator<Item = Encoding> {
        CodePage::all().iter().map(Encoding::from).chain(Encoding::not_single_byte())
    }

    /// The encoding of a coded character set identifier, if it is known.
    #[must_use]
    pub fn by_ccsid(ccsid: u16) -> Option<Encoding> {
        let single = CodePage::by_ccsid(ccsid).map(Encoding::from);
        single.or_else(|| Encoding::not_single_byte().find(|encoding| encoding.ccsid == ccsid))
    }

    fn not_single_byte() -> impl Iterator<Item = Encoding> {
        let double = |(ccsid, name, part): &(u16, &'static str, &'static DoubleByte)| {
            let (ccsid, inner) = (*ccsid, Inner::Double(part));
            Encoding { ccsid, name, inner }
        };
        let mixed = |mixed: &'static Mixed| {
            let (ccsid, name) = (mixed.single.ccsid(), mixed.single.name());
            Encoding { ccsid, name, inner: Inner::Mixed(mixed) }
        };
        UNICODE.into_iter().chain(DOUBLE_BYTE.iter().map(double)).chain(MIXED.iter().map(mixed))
    }

    /// The CCSID.
    #[must_use]
    pub fn ccsid(&self) -> u16 {
        self.ccsid
    }

    /// A readable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The use of its bytes.
    #[must_use]
    pub fn form(&self) -> Form {
        match self.inner {
            Inner::Single(_) => Form::SingleByte,
            Inner::Double(_) => Form::DoubleByte,
            Inner::Mixed(_) => Form::Mixed,
            Inner::Utf8 => Form::Utf8,
            Inner::Utf16(_) => Form::Utf16,
        }
    }

    /// The single-byte page, if it is one.
    #[must_use]
    pub fn code_page(&self) -> Option<&'static CodePage> {
        match self.inner {
            Inner::Single(page) => Some(page),
            _ => None,
        }
    }

    /// The digits and signs of the encoding for numbers in text form; none if a digit is not one byte.
    #[must_use]
    pub fn family(&self) -> Option<Family> {
        match self.inner {
            Inner::Single(page) => Some(page.family()),
            Inner::Mixed(_) => Some(Family::Ebcdic),
            Inner::Utf8 => Some(Family::Ascii),
            Inner::Double(_) | Inner::Utf16(_) => None,
        }
    }

    /// The double-byte part of a mixed page alone, without shifts: the encoding of `PIC G` fields beside its
    /// text.
    #[must_use]
    pub fn double_byte(&self) -> Option<Encoding> {
        let Inner::Mixed(mixed) = self.inner else { return None };
        let (ccsid, name, part) =
            DOUBLE_BYTE.iter().find(|(_, _, part)| std::ptr::eq(*part, mixed.double))?;
        Some(Encoding { ccsid: *ccsid, name, inner: Inner::Double(part) })
    }

    /// The bytes of the blank with which a field is padded: 40 or 20, 4040 in double-byte EBCDIC, U+0020 in
    /// UTF-16.
    #[must_use]
    pub fn blank(&self) -> &'static [u8] {
        match self.inner {
            Inner::Single(page) if page.space() != 0x40 => b"\x20",
            Inner::Single(_) | Inner::Mixed(_) => b"\x40",
            Inner::Double(_) => b"\x40\x40",
            Inner::Utf8 => b"\x20",
            Inner::Utf16(ByteOrder::Big) => b"\x00\x20",
            Inner::Utf16(ByteOrder::Little) => b"\x20\x00",
        }
    }

    /// Appends the text of the bytes to `out`, and returns the number of replaced codes.
    ///
    /// A mixed page begins and ends in the single-byte state. Shifts must come in pairs; pairs that enclose
    /// nothing or that follow each other without need are accepted and ignored.
    ///
    /// # Errors
    ///
    /// The first wrong byte or code, with its offset. `out` then has the text before it.
    pub fn decode(&self, bytes: &[u8], unmappable: Unmappable, out: &mut String) -> Result<usize, Error> {
        let ccsid = self.ccsid;
        match self.inner {
            Inner::Single(page) => decode_single(page, bytes, unmappable, out),
            Inner::Mixed(mixed) => mixed.decode(bytes, unmappable, out),
            Inner::Double(part) => {
                let mut replaced = 0;
                let at = Double { ccsid, part, start: 0 }.decode(bytes, unmappable, out, &mut replaced)?;
                match at == bytes.len() {
                    true => Ok(replaced),
                    // A shift is not allowed here.
                    false => Err(Error { ccsid, at, kind: ErrorKind::Malformed }),
                }
            }
            Inner::Utf8 => match unicode::utf8(ccsid, bytes) {
                Ok(text) => {
                    out.push_str(text);
                    Ok(0)
                }
                Err(error) => {
                    out.push_str(str::from_utf8(&bytes[..error.at]).unwrap_or_default());
                    Err(error)
                }
            },
            Inner::Utf16(order) => unicode::decode_utf16(ccsid, order, bytes, out).map(|()| 0),
        }
    }

    /// Appends the bytes of the text to `out`, and returns the number of replaced characters.
    ///
    /// In a mixed page, characters with a single byte are written as that byte. Each run of other characters
    /// stands between a shift-out and a shift-in.
    ///
    /// # Errors
    ///
    /// The first character the encoding does not have, with its index. `out` then has the bytes of all
    /// characters before it, without a last shift-in.
    pub fn encode(&self, text: &str, unmappable: Unmappable, out: &mut Vec<u8>) -> Result<usize, Error> {
        match self.inner {
            Inner::Single(page) => encode_single(page, text, unmappable, out),
            Inner::Mixed(mixed) => mixed.encode(text, unmappable, out),
            Inner::Double(part) => Double { ccsid: self.ccsid, part, start: 0 }.encode(text, unmappable, out),
            Inner::Utf8 => {
                out.extend(text.bytes());
                Ok(0)
            }
            Inner::Utf16(order) => {
                unicode::encode_utf16(order, text, out);
                Ok(0)
            }
        }
    }

    /// [`Encoding::decode`] for a field of fixed length: the blanks that [`Encoding::encode_field`] adds at
    /// the end are left out. In a mixed page these are single-byte blanks; 4040 between shifts is U+3000,
    /// which is text. In pure double-byte EBCDIC, 4040 is the blank that is left out.
    ///
    /// # Errors
    ///
    /// As [`Encoding::decode`].
    pub fn decode_field(
        &self,
        bytes: &[u8],
        unmappable: Unmappable,
        out: &mut String,
    ) -> Result<usize, Error> {
        let start = out.len();
        let replaced = self.decode(bytes, unmappable, out)?;
        let blank = if self.form() == Form::DoubleByte { '\u{3000}' } else { ' ' };
        out.truncate(start + out[start..].trim_end_matches(blank).len());
        Ok(replaced)
    }

    /// [`Encoding::encode`] for a field of a fixed length in bytes: a shorter text is padded with
    /// [`Encoding::blank`]. In a mixed page the shifts count, and the field ends in the single-byte state.
    ///
    /// # Errors
    ///
    /// As [`Encoding::encode`]. It is also an error if the text needs more bytes than the field has (it is
    /// never cut), or if the length is not a multiple of the blank's. `out` is then as it was.
    pub fn encode_field(
        &self,
        text: &str,
        length: usize,
        unmappable: Unmappable,
        out: &mut Vec<u8>,
    ) -> Result<usize, Error> {
        let (ccsid, blank, start) = (self.ccsid, self.blank(), out.len());
        if !length.is_multiple_of(blank.len()) {
            return Err(Error { ccsid, at: 0, kind: ErrorKind::PartialLength(length) });
        }
        let result = self.encode(text, unmappable, out);
        let bytes = out.len() - start;
        if result.is_err() {
            out.truncate(start);
            return result;
        }
        if bytes > length {
            out.truncate(start);
            let at = self.first_that_does_not_fit(text, length);
            return Err(Error { ccsid, at, kind: ErrorKind::TooLong { bytes, limit: length } });
        }
        for _ in 0..(length - bytes) / blank.len() {
            out.extend(blank);
        }
        result
    }

    /// The first character that does not fit into `length` bytes, for a text that is too long. Bisection
    /// finds its index, because a longer text never needs fewer bytes.
    fn first_that_does_not_fit(&self, text: &str, length: usize) -> usize {
        let ends: Vec<usize> =
            text.char_indices().map(|(start, character)| start + character.len_utf8()).collect();
        let mut scratch = Vec::new();
        ends.partition_point(|end| {
            scratch.clear();
            let encoded = self.encode(&text[..*end], Unmappable::Substitute, &mut scratch);
            encoded.is_ok() && scratch.len() <= length
        })
    }
}
