//! Bytes through a table of 256: what every conversion of single-byte text comes down to, for other crates too.
//!
//! The functions use the widest vectors that the CPU has, found out when the program runs. What they do is said by
//! their plain loops here; the tests hold every kernel against them.

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
    assert_eq!(from.len(), to.len(), "as many bytes are written as are read");
    Cpu::best().translate(table, from, to);
}

/// [`translate`] up to the first byte whose translation is `special`; returns how many bytes are before it,
/// `from.len()` if there is none.
///
/// What `to` holds from there on is unspecified. A table for JSON gives `special`, say 80, to every byte that is not
/// an ASCII character or that has to be escaped, and most fields are done in one call.
///
/// # Panics
///
/// If `to` is not as long as `from`.
#[inline]
#[must_use]
pub fn translate_until(table: &[u8; 256], special: u8, from: &[u8], to: &mut [u8]) -> usize {
    assert_eq!(from.len(), to.len(), "as many bytes are written as are read");
    Cpu::best().translate_until(table, special, from, to)
}

/// [`translate`] for the inside of a JSON string, up to the first byte that does not stand for itself: a quote, a
/// backslash, a control below 20, or a byte that is not ASCII. Returns how many bytes are before it.
///
/// `from` may go on behind the string's end, and only as many bytes are looked at as `to` has: one call finds the end
/// of the string and fills the field. What `to` holds from there on is unspecified.
#[inline]
#[must_use]
pub fn translate_json(table: &[u8; 256], from: &[u8], to: &mut [u8]) -> usize {
    let length = from.len().min(to.len());
    Cpu::best().translate_json(table, &from[..length], &mut to[..length])
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
    // Without an early end: what comes before a special byte is rarely long, and mostly there is none.
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

/// The plain loop of [`translate_json`].
pub(crate) fn plain_json(table: &[u8; 256], from: &[u8], to: &mut [u8]) -> usize {
    let stands_for_itself = |byte: u8| matches!(byte, b' '..0x80) && byte != b'"' && byte != b'\\';
    for (place, (slot, byte)) in to.iter_mut().zip(from).enumerate() {
        if !stands_for_itself(*byte) {
            return place;
        }
        *slot = table[usize::from(*byte)];
    }
    from.len()
}
