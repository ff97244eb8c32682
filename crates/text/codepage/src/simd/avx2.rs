//! Kernels with AVX2, 32 bytes a step: translation here, and below it the conversions to and from Unicode.
//!
//! Only the loads and stores here are `unsafe`; operations between registers are safe if the CPU has the
//! feature.

mod from_bytes;
mod utf16;
mod utf8;

pub(super) use from_bytes::{bytes_to_utf8, bytes_to_utf16};
pub(super) use utf8::{utf8_to_bytes, utf8_to_utf16};
pub(super) use utf16::{utf16_to_bytes, utf16_to_utf8};

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// One vector.
const STEP: usize = 32;

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn load(bytes: &[u8; STEP]) -> __m256i {
    // SAFETY: an array of 32 bytes can be read as a vector of 32; the load asks for no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn load_16(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: an array of 16 bytes can be read as a vector of 16; the load asks for no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// Eight bytes in the lower half.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn load_8(bytes: &[u8; 8]) -> __m128i {
    _mm_cvtsi64_si128(i64::from_le_bytes(*bytes))
}

/// The place of a number of bytes from `at` on, if there are enough.
#[inline]
fn room<const BYTES: usize>(
    bytes: &mut [MaybeUninit<u8>],
    at: usize,
) -> Option<&mut [MaybeUninit<u8>; BYTES]> {
    bytes.get_mut(at..)?.first_chunk_mut()
}

/// Initialises 32 bytes.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn init(bytes: &mut [MaybeUninit<u8>; STEP], vector: __m256i) {
    // SAFETY: 32 bytes, initialised or not, can be written as a vector of 32; the store asks for no alignment.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) }
}

/// Initialises 16 bytes.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn init_16(bytes: &mut [MaybeUninit<u8>; 16], vector: __m128i) {
    // SAFETY: 16 bytes, initialised or not, can be written as a vector of 16; the store asks for no alignment.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), vector) }
}

/// Initialises eight bytes with the lower half of the vector.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn init_8(bytes: &mut [MaybeUninit<u8>; 8], vector: __m128i) {
    *bytes = _mm_cvtsi128_si64(vector).to_le_bytes().map(MaybeUninit::new);
}

/// One bit for each byte: its highest one.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn high_bits(vector: __m256i) -> u32 {
    _mm256_movemask_epi8(vector).cast_unsigned()
}

/// All bits of the bytes that equal `byte`, and no bits of the others.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn equal(vector: __m256i, byte: u8) -> __m256i {
    _mm256_cmpeq_epi8(vector, _mm256_set1_epi8(byte.cast_signed()))
}

/// The half of a table for 128 bytes in a row, as eight rows of sixteen, each of them XORed with the one
/// before.
///
/// A shuffle looks up a row by a byte's low four bits, and gives zero for bytes that are negative as signed
/// numbers. From step to step the bytes are lowered by 16. The byte 2B, for example, takes part in the rows
/// 0, 1 and 2, and the XOR of their values is the value of row 2 alone.
struct Half([__m128i; 8]);

impl Half {
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn new(table: &[u8; 128]) -> Half {
        let mut rows = [_mm_setzero_si128(); 8];
        let mut before = _mm_setzero_si128();
        for (row, bytes) in rows.iter_mut().zip(table.as_chunks().0) {
            let plain = load_16(bytes);
            *row = _mm_xor_si128(plain, before);
            before = plain;
        }
        Half(rows)
    }

    /// The value in the table for bytes from 00 to 7F, and zero for the others.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn look_up(&self, mut bytes: __m256i) -> __m256i {
        let mut found = _mm256_setzero_si256();
        for row in &self.0 {
            let row = _mm256_broadcastsi128_si256(*row);
            found = _mm256_xor_si256(found, _mm256_shuffle_epi8(row, bytes));
            // Saturated: negative bytes stay negative.
            bytes = _mm256_subs_epi8(bytes, _mm256_set1_epi8(16));
        }
        found
    }
}

/// A table for all bytes.
struct Table {
    ascii: Half,
    beyond: Half,
}

impl Table {
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn new(table: &[u8; 256]) -> Table {
        let [ascii, beyond] = table.as_chunks::<128>().0 else { unreachable!("256 is twice 128") };
        Table { ascii: Half::new(ascii), beyond: Half::new(beyond) }
    }

    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn look_up(&self, bytes: __m256i) -> __m256i {
        _mm256_or_si256(self.ascii.look_up(bytes), self.beyond.look_up(flipped(bytes)))
    }
}

/// 80 to FF as 00 to 7F, and the other way round.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn flipped(bytes: __m256i) -> __m256i {
    _mm256_xor_si256(bytes, _mm256_set1_epi8(i8::MIN))
}

/// Translates up to the first byte that `stops` at, given a vector and its translation. Returns how many bytes are
/// before it. There are at least 32.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn run(
    table: &[u8; 256],
    from: &[u8],
    to: &mut [MaybeUninit<u8>],
    stops: impl Fn(__m256i, __m256i) -> __m256i,
) -> usize {
    let length = from.len().min(to.len());
    let (from, to) = (&from[..length], &mut to[..length]);
    let table = Table::new(table);
    for (number, (slots, pair)) in
        to.as_chunks_mut::<{ 2 * STEP }>().0.iter_mut().zip(from.as_chunks::<{ 2 * STEP }>().0).enumerate()
    {
        let ([first, second], [first_slots, second_slots]) = (pair.as_chunks().0, slots.as_chunks_mut().0)
        else {
            unreachable!("two steps")
        };
        let bytes = [load(first), load(second)];
        let translated = [table.look_up(bytes[0]), table.look_up(bytes[1])];
        init(first_slots, translated[0]);
        init(second_slots, translated[1]);
        let low = high_bits(stops(bytes[0], translated[0]));
        let high = high_bits(stops(bytes[1], translated[1]));
        let stop = u64::from(low) | u64::from(high) << STEP;
        if stop != 0 {
            return 2 * STEP * number + stop.trailing_zeros() as usize;
        }
    }
    // The rest is less than two steps. One step converts it from here, and another one ends where the slices
    // end. Bytes that both convert, or the loop has converted, are converted again.
    let rest = length % (2 * STEP);
    for at in [length - rest, length.saturating_sub(STEP)] {
        let (Some(step), Some(slots)) = (from[at..].first_chunk(), to[at..].first_chunk_mut()) else {
            continue;
        };
        let bytes = load(step);
        let translated = table.look_up(bytes);
        init(slots, translated);
        let stop = high_bits(stops(bytes, translated));
        if stop != 0 {
            return at + stop.trailing_zeros() as usize;
        }
    }
    length
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn translate(table: &[u8; 256], from: &[u8], to: &mut [MaybeUninit<u8>]) -> usize {
    run(table, from, to, |_, _| _mm256_setzero_si256())
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn translate_until(
    table: &[u8; 256],
    special: u8,
    from: &[u8],
    to: &mut [MaybeUninit<u8>],
) -> usize {
    run(table, from, to, |_, translated| equal(translated, special))
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn translate_json(table: &[u8; 256], from: &[u8], to: &mut [MaybeUninit<u8>]) -> usize {
    run(table, from, to, |bytes, _| {
        // As signed numbers, bytes that are not ASCII are negative, and so below the blank too.
        let low = _mm256_cmpgt_epi8(_mm256_set1_epi8(b' '.cast_signed()), bytes);
        _mm256_or_si256(low, _mm256_or_si256(equal(bytes, b'"'), equal(bytes, b'\\')))
    })
}
