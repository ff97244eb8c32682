//! Bytes through a table of 256: the base of every conversion of single-byte text, for other crates too.
//!
//! The functions use the widest vectors of the CPU, which is asked when the program runs. The plain loops
//! here define the results; the tests compare every kernel with them.

use crate::simd::Cpu;

/// Writes `table[byte]` for each byte of `from`.
///
/// With AVX-512 VBMI this takes 64 bytes at a time, with AVX2 from 64 bytes on 32 at a time.
///
/// # Panics
///
/// If `to` is not as long as `from`.
#[inline]
pub fn translate(table: &[u8; 256], from: &[u8], to: &mut [u8]) {
    assert_eq!(from.len(), to.len(), "both slices have the same length");
    Cpu::best().translate(table, from, to);
}

/// [`translate`] up to the first byte whose translation is `special`; returns the number of bytes before it,
/// `from.len()` if there is none.
///
/// The content of `to` from there on is unspecified. A table for JSON gives `special`, say 80, to every byte
/// that is not an ASCII character or needs an escape. Most fields then need only one call.
///
/// # Panics
///
/// If `to` is not as long as `from`.
#[inline]
#[must_use]
pub fn translate_until(table: &[u8; 256], special: u8, from: &[u8], to: &mut [u8]) -> usize {
    assert_eq!(from.len(), to.len(), "both slices have the same length");
    Cpu::best().translate_until(table, special, from, to)
}

/// [`translate`] for the inside of a JSON string, up to the first byte that is not plain: a quote, a
/// backslash, a control below 20, or a byte that is not ASCII. Returns the number of bytes before it.
///
/// `from` may go on behind the string's end. At most `to.len()` bytes are read, so one call finds the end of
/// the string and fills the field. The content of `to` from there on is unspecified.
#[inline]
#[must_use]
pub fn translate_json(table: &[u8; 256], from: &[u8], to: &mut [u8]) -> usize {
    let length = from.len().min(to.len());
    Cpu::best().translate_json(table, &from[..length], &mut to[..length])
}

/// Written rows of text, and the JSON that was read for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonRows {
    /// The number of rows.
    pub rows: usize,
    /// Bytes of JSON, up to the end of the last row's closing quote.
    pub read: usize,
}

/// [`translate_json`] for strings that follow each other, each into a row of `row_bytes`, which is filled
/// with `blank`.
///
/// `from` starts at the quote of the first string; only a comma stands between strings. Stops at the end of
/// `to`, and before a string that is too long for its row or has a byte that is not plain. The content of its
/// row is then unspecified, and the rows behind it are unchanged.
///
/// # Panics
///
/// If rows have no bytes.
#[inline]
#[must_use]
pub fn translate_json_rows(
    table: &[u8; 256],
    blank: u8,
    row_bytes: usize,
    from: &[u8],
    to: &mut [u8],
) -> JsonRows {
    assert!(row_bytes > 0, "rows have bytes");
    Cpu::best().translate_json_rows(table, blank, row_bytes, from, to)
}

/// The plain loop of [`translate`]. Eight bytes are loaded and stored as one, which is half as fast again.
pub(crate) fn plain(table: &[u8; 256], from: &[u8], to: &mut [u8]) {
    let ((words, rest), (word_slots, slots)) = (from.as_chunks::<8>(), to.as_chunks_mut::<8>());
    for (slot, word) in word_slots.iter_mut().zip(words) {
        *slot = crate::fast::translated(table, word);
    }
    for (slot, byte) in slots.iter_mut().zip(rest) {
        *slot = table[usize::from(*byte)];
    }
}

/// The plain loop of [`translate_until`].
pub(crate) fn plain_until(table: &[u8; 256], special: u8, from: &[u8], to: &mut [u8]) -> usize {
    // It has no early end: the text before a special byte is rarely long, and mostly there is no such byte.
    let mut found = false;
    for (slot, byte) in to.iter_mut().zip(from) {
        *slot = table[usize::from(*byte)];
        found |= *slot == special;
    }
    match found {
        true => to.iter().position(|byte| *byte == special).unwrap_or(from.len()),
        false => from.len(),
    }
}

/// The plain loop of [`translate_json`], eight bytes at a time.
pub(crate) fn plain_json(table: &[u8; 256], from: &[u8], to: &mut [u8]) -> usize {
    let length = from.len().min(to.len());
    let ((words, rest), (slots, rest_slots)) =
        (from[..length].as_chunks::<8>(), to[..length].as_chunks_mut::<8>());
    for (number, (slot, word)) in slots.iter_mut().zip(words).enumerate() {
        *slot = crate::fast::translated(table, word);
        let found = marks(u64::from_le_bytes(*word));
        if found != 0 {
            return number * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let stands_for_itself = |byte: u8| matches!(byte, b' '..0x80) && byte != b'"' && byte != b'\\';
    for (place, (slot, byte)) in rest_slots.iter_mut().zip(rest).enumerate() {
        if !stands_for_itself(*byte) {
            return length - rest.len() + place;
        }
        *slot = table[usize::from(*byte)];
    }
    length
}

/// Sets the highest bit of each byte of a word that is not plain in a JSON string. Bytes above the first such
/// byte may be marked falsely, by a borrow from it.
#[inline]
fn marks(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH_BITS: u64 = ONES << 7;
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit));
    let quote = below(word ^ (ONES * u64::from(b'"')), 1);
    let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
    (below(word, b' ') | quote | backslash | word) & HIGH_BITS
}

/// The plain loop of [`translate_json_rows`], with any [`translate_json`].
#[inline]
pub(crate) fn plain_json_rows(
    blank: u8,
    row_bytes: usize,
    from: &[u8],
    to: &mut [u8],
    translate_json: impl Fn(&[u8], &mut [u8]) -> usize,
) -> JsonRows {
    let mut done = JsonRows::default();
    let mut at = 0;
    for row in to.chunks_exact_mut(row_bytes) {
        let Some((b'"', inside)) = from.get(at..).and_then(<[u8]>::split_first) else { break };
        let most = inside.len().min(row_bytes);
        let length = translate_json(&inside[..most], &mut row[..most]);
        if inside.get(length) != Some(&b'"') {
            break;
        }
        row[length..].fill(blank);
        done = JsonRows { rows: done.rows + 1, read: at + length + 2 };
        if from.get(done.read) != Some(&b',') {
            break;
        }
        at = done.read + 1;
    }
    done
}
