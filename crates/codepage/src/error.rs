//! The two ways a conversion can fail: a byte without a character, a character without a byte.

use std::fmt;

/// A byte to which the page gives no character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The page.
    pub ccsid: u16,
    /// Where the byte is, counted from 0.
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
    /// Where the character is in the text, counted in characters from 0.
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
