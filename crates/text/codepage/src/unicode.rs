//! UTF-8 and UTF-16 between bytes and text, strictly.

use crate::{Error, ErrorKind};

/// The byte of a UTF-16 unit that comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Big,
    Little,
}

impl ByteOrder {
    pub(crate) fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            ByteOrder::Big => u16::from_be_bytes(bytes),
            ByteOrder::Little => u16::from_le_bytes(bytes),
        }
    }

    pub(crate) fn bytes(self, unit: u16) -> [u8; 2] {
        match self {
            ByteOrder::Big => unit.to_be_bytes(),
            ByteOrder::Little => unit.to_le_bytes(),
        }
    }
}

/// The bytes as text, if they are UTF-8.
pub(crate) fn utf8(ccsid: u16, bytes: &[u8]) -> Result<&str, Error> {
    str::from_utf8(bytes).map_err(|error| {
        let kind = if error.error_len().is_some() { ErrorKind::Malformed } else { ErrorKind::Incomplete };
        Error { ccsid, at: error.valid_up_to(), kind }
    })
}

/// Appends the text of the units to `out`.
pub(crate) fn decode_utf16(
    ccsid: u16,
    order: ByteOrder,
    bytes: &[u8],
    out: &mut String,
) -> Result<(), Error> {
    let (units, rest) = bytes.as_chunks::<2>();
    out.reserve(units.len());
    let mut at = 0;
    for decoded in char::decode_utf16(units.iter().map(|unit| order.unit(*unit))) {
        match decoded {
            Ok(character) => {
                out.push(character);
                at += 2 * character.len_utf16();
            }
            Err(error) => {
                let unit = error.unpaired_surrogate();
                let is_last = at + 2 == bytes.len() && unit < 0xDC00;
                let kind = if is_last { ErrorKind::Incomplete } else { ErrorKind::UnpairedSurrogate(unit) };
                return Err(Error { ccsid, at, kind });
            }
        }
    }
    match rest {
        [] => Ok(()),
        _ => Err(Error { ccsid, at, kind: ErrorKind::Incomplete }),
    }
}

/// Appends the units of the text to `out`.
pub(crate) fn encode_utf16(order: ByteOrder, text: &str, out: &mut Vec<u8>) {
    out.reserve(2 * text.len());
    out.extend(text.encode_utf16().flat_map(|unit| order.bytes(unit)));
}
