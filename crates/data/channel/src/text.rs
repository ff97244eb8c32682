//! Text and octets in fields: their end, and the bytes behind it.

use codepage::{Encoding, Unmappable};

use crate::error::{Error, ErrorKind};
use crate::plan::{End, Field, Place};

/// Encodes text.
///
/// # Errors
/// The encoding has not all of its characters.
pub(crate) fn encode(encoding: Encoding, text: &str, out: &mut Vec<u8>) -> Result<(), Error> {
    let encoded = encoding.encode(text, Unmappable::Error, out);
    encoded.map(drop).map_err(|error| Error::new(ErrorKind::Unmappable, error.to_string()))
}

/// Decodes bytes.
///
/// # Errors
/// Bytes are not characters of the encoding.
pub(crate) fn decode(encoding: Encoding, bytes: &[u8], out: &mut String) -> Result<(), Error> {
    let decoded = encoding.decode(bytes, Unmappable::Error, out);
    decoded.map(drop).map_err(|error| Error::new(ErrorKind::BadData, error.to_string()))
}

/// The blank, one byte in every encoding that an interface takes.
pub(crate) fn blank(encoding: Encoding) -> u8 {
    encoding.blank().first().copied().unwrap_or(b' ')
}

/// Bytes without the blanks at their end.
pub(crate) fn trimmed(bytes: &[u8], blank: u8) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != blank).map_or(0, |last| last + 1);
    &bytes[..end]
}

impl Field {
    /// Puts encoded text into its field; the record's bytes are as in its template. `delta` is the place of the row.
    ///
    /// # Errors
    /// The text does not fit.
    pub(crate) fn put(
        &self,
        text: &[u8],
        encoding: Encoding,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), Error> {
        let field = &mut record[self.place.range(delta)];
        let room = field.len() - usize::from(matches!(self.end, End::Null));
        if text.len() > room || (matches!(self.end, End::Fixed) && text.len() != room) {
            let most = if matches!(self.end, End::Fixed) { "" } else { "at most " };
            let message = format!("expected {most}{room} bytes, found {}", text.len());
            return Err(Error::new(ErrorKind::Length, message));
        }
        if matches!(self.end, End::Null) && text.contains(&0) {
            let message = "expected a value without null characters, which end it in its field";
            return Err(Error::new(ErrorKind::Unmappable, message));
        }
        field[..text.len()].copy_from_slice(text);
        let fill = if matches!(self.end, End::Blanks) { blank(encoding) } else { 0 };
        field[text.len()..].fill(fill);
        if let End::Length(length) = &self.end {
            put_count(length, text.len(), record, delta);
        }
        Ok(())
    }

    /// The bytes of a field that are its text.
    ///
    /// # Errors
    /// The length is not possible, or nothing ends the text.
    pub(crate) fn bytes<'r>(
        &self,
        encoding: Encoding,
        record: &'r [u8],
        delta: usize,
    ) -> Result<&'r [u8], (Error, &Place)> {
        let field = &record[self.place.range(delta)];
        match &self.end {
            End::Fixed => Ok(field),
            End::Blanks => Ok(trimmed(field, blank(encoding))),
            End::Null => field.iter().position(|byte| *byte == 0).map(|end| &field[..end]).ok_or_else(|| {
                let message = format!("expected a null character within {} bytes, found none", field.len());
                (Error::new(ErrorKind::BadData, message), &self.place)
            }),
            End::Length(length) => Ok(&field[..counted(length, record, delta, field.len())?]),
        }
    }
}

/// Puts a length or a count into its binary field.
pub(crate) fn put_count(place: &Place, count: usize, record: &mut [u8], delta: usize) {
    let bytes = (count as u64).to_be_bytes();
    let from = bytes.len() - place.bytes;
    record[place.range(delta)].copy_from_slice(&bytes[from..]);
}

/// Reads a length or a count from its binary field.
///
/// # Errors
/// It is negative, or greater than `most`.
pub(crate) fn counted<'p>(
    place: &'p Place,
    record: &[u8],
    delta: usize,
    most: usize,
) -> Result<usize, (Error, &'p Place)> {
    let field = &record[place.range(delta)];
    let sign = if field.first().is_some_and(|first| *first >= 0x80) { -1_i64 } else { 0 };
    let value = field.iter().fold(sign, |value, byte| value << 8 | i64::from(*byte));
    match usize::try_from(value) {
        Ok(value) if value <= most => Ok(value),
        _ => {
            let message = format!("expected 0 to {most}, found {value}");
            Err((Error::new(ErrorKind::BadData, message), place))
        }
    }
}
