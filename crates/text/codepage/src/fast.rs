//! The loops of a [`Converter`](crate::Converter) for data that is right. Each appends to `out` and returns
//! `None` if the data is not right or has a character the other side does not have; `out` then has anything.
//!
//! The kernels of [`simd`](crate::simd) do what they can; plain code does what stopped them, and so everything where
//! there are none.

mod from_single;
mod from_unicode;
mod mixed;

use crate::simd::Cpu;

pub(crate) use from_single::{ByteTable, Utf8Table, Utf16Table};
pub(crate) use from_unicode::{utf8_to_single, utf8_to_utf16, utf16_to_single, utf16_to_utf8};
pub(crate) use mixed::{MixedTable, utf8_to_mixed};

/// One load of the loops.
const WORD_BYTES: usize = 8;

/// What is looked at together for being ASCII.
const RUN: usize = 32;

/// What plain code converts, in bytes, before the kernels are asked again. Where one character is beyond them more
/// will follow.
const PLAIN_RUN_BYTES: usize = 128;

/// Alternates between a kernel, which returns how many bytes it did, and plain code, which returns how many of at
/// least one and about the given count it did.
fn alternate(
    cpu: Cpu,
    bytes: &[u8],
    out: &mut Vec<u8>,
    kernel: impl Fn(&[u8], &mut Vec<u8>) -> usize,
    plain: impl Fn(&[u8], usize, &mut Vec<u8>) -> Option<usize>,
) -> Option<()> {
    let run = if cpu.is_portable() { usize::MAX } else { PLAIN_RUN_BYTES };
    let mut at = 0;
    while at < bytes.len() {
        at += kernel(&bytes[at..], out);
        if at < bytes.len() {
            at += plain(&bytes[at..], run, out)?;
        }
    }
    Some(())
}

/// Without an early end, so that the compiler compares many at once.
fn contains(bytes: &[u8], wanted: u8) -> bool {
    bytes.iter().fold(false, |found, byte| found | (*byte == wanted))
}

/// Eight bytes through a table, written at once.
pub(crate) fn translated(table: &[u8; 256], word: &[u8; WORD_BYTES]) -> [u8; WORD_BYTES] {
    let shifted = |(place, byte): (usize, &u8)| u64::from(table[usize::from(*byte)]) << (8 * place);
    word.iter().enumerate().map(shifted).fold(0, |all, byte| all | byte).to_le_bytes()
}

fn is_ascii(run: &[u8; RUN]) -> bool {
    run.iter().fold(0, |all, byte| all | byte) < 0x80
}
