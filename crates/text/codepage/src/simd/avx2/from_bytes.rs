//! Bytes of a single-byte page to UTF-16 and UTF-8, with AVX2.

use super::utf16::{init_one_or_two, init_utf8, lacks, swap};
use super::{STEP, Table, equal, flipped, high_bits, init, load, room};
use crate::simd::{BEYOND, Done, PairTable, Utf8Pairs};
use crate::unicode::ByteOrder;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// The steps that are looked up in one go.
const BLOCK_STEPS: usize = 8;

/// A [`PairTable`] of a page's characters, units or UTF-8.
struct Pairs {
    low: Table,
    high: Table,
    /// True if 20 to 7E are ASCII.
    is_ascii: bool,
    /// True if the high bytes are all zero: for the bytes from 00 to 7F, and for the others.
    is_low_half_plain: bool,
    is_high_half_plain: bool,
}

impl Pairs {
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn new(PairTable { low, high }: &PairTable) -> Pairs {
        let is_zero = |half: &[u8]| half.iter().fold(0, |all, byte| all | byte) == 0;
        let is_low_half_plain = is_zero(&high[..0x80]);
        let is_same = (b' '..0x7F).fold(true, |all, byte| all & (low[usize::from(byte)] == byte));
        Pairs {
            low: Table::new(low),
            high: Table::new(high),
            is_ascii: is_same && is_low_half_plain,
            is_low_half_plain,
            is_high_half_plain: is_zero(&high[0x80..]),
        }
    }

    /// The low and the high bytes.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn look_up(&self, bytes: __m256i) -> [__m256i; 2] {
        let zero = _mm256_setzero_si256();
        let high = match (self.is_low_half_plain, self.is_high_half_plain) {
            (true, true) => zero,
            (true, false) if high_bits(bytes) == 0 => zero,
            (true, false) => self.high.beyond.look_up(flipped(bytes)),
            _ => self.high.look_up(bytes),
        };
        if self.is_ascii {
            let is_printable = _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(0x1F));
            let is_plain = _mm256_andnot_si256(equal(bytes, 0x7F), _mm256_or_si256(is_printable, bytes));
            if high_bits(is_plain) == u32::MAX {
                let ascii = _mm256_and_si256(bytes, is_printable);
                let low = match high_bits(bytes) {
                    0 => ascii,
                    _ => _mm256_or_si256(ascii, self.low.beyond.look_up(flipped(bytes))),
                };
                return [low, high];
            }
        }
        [self.low.look_up(bytes), high]
    }
}

/// The first sixteen and the other sixteen units of two bytes. `first` has their first bytes.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn interleave(first: __m256i, second: __m256i) -> [__m256i; 2] {
    // The instructions work within the halves of a vector.
    let outer = _mm256_unpacklo_epi8(first, second);
    let inner = _mm256_unpackhi_epi8(first, second);
    [_mm256_permute2x128_si256(outer, inner, 0x20), _mm256_permute2x128_si256(outer, inner, 0x31)]
}

#[target_feature(enable = "avx2,popcnt")]
pub(in crate::simd) fn bytes_to_utf16(
    table: &PairTable,
    order: ByteOrder,
    from: &[u8],
    to: &mut [MaybeUninit<u8>],
) -> Done {
    let pairs = Pairs::new(table);
    let mut done = Done::default();
    for step in from.as_chunks::<STEP>().0 {
        let Some(slots) = room::<{ 2 * STEP }>(to, done.written) else { break };
        let [low, high] = pairs.look_up(load(step));
        if high_bits(_mm256_and_si256(equal(high, 0xFF), equal(low, 0xFD))) != 0 {
            break;
        }
        let written = match order {
            ByteOrder::Big => interleave(high, low),
            ByteOrder::Little => interleave(low, high),
        };
        for (slots, written) in slots.as_chunks_mut().0.iter_mut().zip(written) {
            init(slots, written);
        }
        done = Done { read: done.read + STEP, written: done.written + 2 * STEP };
    }
    done
}

#[target_feature(enable = "avx2,popcnt")]
pub(in crate::simd) fn bytes_to_utf8(table: &Utf8Pairs, from: &[u8], to: &mut [MaybeUninit<u8>]) -> Done {
    match table {
        Utf8Pairs::Latin1(table) => {
            run(table, from, to, |low, high, slots| Some(init_utf8(slots, interleave(low, high))))
        }
        Utf8Pairs::Bytes(table) => run(table, from, to, |first, second, slots| {
            let is_known = lacks(second, u16::from_le_bytes([BEYOND; 2]));
            is_known.then(|| init_one_or_two(slots, interleave(first, second), high_bits(second)))
        }),
    }
}

/// Goes through the steps. `other` stores steps that are not all ASCII, and returns the number of bytes, or
/// stops.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn run(
    table: &PairTable,
    from: &[u8],
    to: &mut [MaybeUninit<u8>],
    other: impl Fn(__m256i, __m256i, &mut [MaybeUninit<u8>; 2 * STEP]) -> Option<usize>,
) -> Done {
    let pairs = Pairs::new(table);
    let mut done = Done::default();
    let mut found = [[_mm256_setzero_si256(); 2]; BLOCK_STEPS];
    for block in from.chunks(BLOCK_STEPS * STEP) {
        // All look-ups come first, and then all work that depends on the length of the characters. So the CPU
        // can overlap enough of each.
        let steps = block.as_chunks::<STEP>().0;
        for (found, step) in found.iter_mut().zip(steps) {
            *found = pairs.look_up(load(step));
        }
        for [low, high] in &found[..steps.len()] {
            let (low, high) = (*low, *high);
            let Some(slots) = room::<{ 2 * STEP }>(to, done.written) else { return done };
            let written = if high_bits(low) == 0 && lacks(high, 0xFFFF) {
                init(room(slots, 0).expect("two steps"), low);
                STEP
            } else {
                let Some(written) = other(low, high, slots) else { return done };
                written
            };
            done = Done { read: done.read + STEP, written: done.written + written };
        }
    }
    done
}

/// The units of 32 bytes, in the order of writing.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn widened(low: __m256i, order: ByteOrder) -> [__m256i; 2] {
    interleave(low, _mm256_setzero_si256()).map(|units| swap(order, units))
}
