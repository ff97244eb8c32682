//! The loops of a [`Converter`](crate::Converter) for correct data. Each appends to `out`. It returns `None`
//! if the data is wrong or has a character that the other side lacks; the content of `out` is undefined then.
//!
//! The kernels of [`simd`](crate::simd) convert as much as they can. Plain code converts the rest, or
//! everything if there are no kernels.

mod from_single;
mod from_unicode;
mod mixed;

use crate::simd::Cpu;

pub(crate) use from_single::{ByteTable, Utf8Table, Utf16Table};
pub(crate) use from_unicode::{utf8_to_single, utf8_to_utf16, utf16_to_single, utf16_to_utf8};
pub(crate) use mixed::{MixedTable, utf8_to_mixed};

/// One load of the loops.
const WORD_BYTES: usize = 8;

/// The bytes that are checked together for ASCII.
const RUN: usize = 32;

/// The bytes that plain code converts before it tries the kernels again. If one character is beyond the
/// kernels, more will follow.
const PLAIN_RUN_BYTES: usize = 128;

/// Alternates between a kernel and plain code. Each returns the number of bytes that it converted. Plain code
/// converts at least one byte, and about the given number.
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

/// It has no early end, so that the compiler compares many bytes at once.
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
