//! The loops of a [`Converter`](crate::Converter) for data that is right. Each appends to `out` and returns
//! `None` if the data is not right or has a character the other side does not have; `out` then has anything.

mod from_single;
mod from_unicode;

pub(crate) use from_single::{ByteTable, Utf8Table, Utf16Table};
pub(crate) use from_unicode::{utf8_to_single, utf8_to_utf16, utf16_to_single, utf16_to_utf8};

/// One load of the loops.
const WORD_BYTES: usize = 8;

/// What is looked at together for being ASCII.
const RUN: usize = 32;

/// Without an early end, so that the compiler compares many at once.
fn contains(bytes: &[u8], wanted: u8) -> bool {
    bytes.iter().fold(false, |found, byte| found | (*byte == wanted))
}

/// Eight bytes through a table, written at once.
fn translated(table: &[u8; 256], word: &[u8; WORD_BYTES]) -> [u8; WORD_BYTES] {
    let shifted = |(place, byte): (usize, &u8)| u64::from(table[usize::from(*byte)]) << (8 * place);
    word.iter().enumerate().map(shifted).fold(0, |all, byte| all | byte).to_le_bytes()
}

fn is_ascii(run: &[u8; RUN]) -> bool {
    run.iter().fold(0, |all, byte| all | byte) < 0x80
}
