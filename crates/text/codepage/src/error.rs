//! The ways a conversion can fail, each with its place.

use std::fmt;

/// A byte without a character in the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The page.
    pub ccsid: u16,
    /// The offset of the byte, from 0.
    pub offset: usize,
    /// The byte.
    pub byte: u8,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecodeError { ccsid, offset, byte } = self;
        write!(formatter, "the byte {byte:02X} at offset {offset} has no character in CCSID {ccsid}")
    }
}

impl std::error::Error for DecodeError {}

/// A character that the page does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// The page.
    pub ccsid: u16,
    /// The index of the character in the text, in characters from 0.
    pub index: usize,
    /// The character.
    pub character: char,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EncodeError { ccsid, index, character } = self;
        write!(
            formatter,
            "the character {character:?} (U+{:04X}) at index {index} has no byte in CCSID {ccsid}",
            u32::from(*character)
        )
    }
}

impl std::error::Error for EncodeError {}

/// The reason and the place of a failed conversion by an [`Encoding`](crate::Encoding) or a
/// [`Converter`](crate::Converter).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// The page, or other encoding, that could not convert.
    pub ccsid: u16,
    /// The place, counted from 0: in bytes for errors of decoding, in characters for errors of encoding
    /// ([`ErrorKind::UnknownCharacter`], [`ErrorKind::TooLong`], [`ErrorKind::PartialLength`]).
    pub at: usize,
    /// The kind of the error.
    pub kind: ErrorKind,
}

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A byte without a character.
    UnknownByte(u8),
    /// A double-byte code without a character.
    UnknownDoubleByte(u16),
    /// A character without a code.
    UnknownCharacter(char),
    /// Bytes that cannot be a code at all: not UTF-8, or a double-byte code with a byte outside of 40 to FE.
    Malformed,
    /// The bytes end within a character.
    Incomplete,
    /// A UTF-16 surrogate that is not part of a pair.
    UnpairedSurrogate(u16),
    /// A shift-out (0E) in the double-byte state.
    UnexpectedShiftOut,
    /// A shift-in (0F) in the single-byte state.
    UnexpectedShiftIn,
    /// The bytes end in the double-byte state; the place is that of the shift-out.
    MissingShiftIn,
    /// The text needs more bytes than the field has; the place is that of the first character that does not
    /// fit.
    TooLong {
        /// The bytes that the text needs, with its shifts.
        bytes: usize,
        /// The bytes of the field.
        limit: usize,
    },
    /// The field's length in bytes is not a whole number of the encoding's units.
    PartialLength(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { ccsid, at, kind } = self;
        match kind {
            ErrorKind::UnknownByte(byte) => {
                write!(formatter, "the byte {byte:02X} at offset {at} has no character")
            }
            ErrorKind::UnknownDoubleByte(code) => {
                write!(formatter, "the double-byte code {code:04X} at offset {at} has no character")
            }
            ErrorKind::UnknownCharacter(character) => {
                let number = u32::from(*character);
                write!(formatter, "the character {character:?} (U+{number:04X}) at index {at} has no code")
            }
            ErrorKind::Malformed => write!(formatter, "the bytes at offset {at} are not well-formed"),
            ErrorKind::Incomplete => write!(formatter, "the character at offset {at} is not complete"),
            ErrorKind::UnpairedSurrogate(unit) => {
                write!(formatter, "the surrogate {unit:04X} at offset {at} is not part of a pair")
            }
            ErrorKind::UnexpectedShiftOut => {
                write!(formatter, "a shift-out (0E) at offset {at}, where double bytes have begun already")
            }
            ErrorKind::UnexpectedShiftIn => {
                write!(formatter, "a shift-in (0F) at offset {at}, where no double bytes have begun")
            }
            ErrorKind::MissingShiftIn => {
                write!(formatter, "the double bytes begun by the shift-out (0E) at offset {at} do not end")
            }
            ErrorKind::TooLong { bytes, limit } => {
                write!(formatter, "the text needs {bytes} bytes of {limit}, too many from index {at} on")
            }
            ErrorKind::PartialLength(length) => {
                write!(formatter, "a field of {length} bytes is not a whole number of characters")
            }
        }?;
        write!(formatter, " in CCSID {ccsid}")
    }
}

impl std::error::Error for Error {}

impl From<DecodeError> for Error {
    fn from(DecodeError { ccsid, offset, byte }: DecodeError) -> Error {
        Error { ccsid, at: offset, kind: ErrorKind::UnknownByte(byte) }
    }
}

impl From<EncodeError> for Error {
    fn from(EncodeError { ccsid, index, character }: EncodeError) -> Error {
        Error { ccsid, at: index, kind: ErrorKind::UnknownCharacter(character) }
    }
}
