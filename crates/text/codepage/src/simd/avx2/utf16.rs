//! UTF-16 to UTF-8 and to bytes of a single-byte page, with AVX2.

use super::{STEP, Table, equal, high_bits, init, init_16, load, load_16, room};
use crate::simd::Done;
use crate::simd::shuffles::ONE_OR_TWO;
use crate::unicode::ByteOrder;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Units in the given byte order as numbers, or the other way round.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn swap(order: ByteOrder, units: __m256i) -> __m256i {
    match order {
        ByteOrder::Big => _mm256_or_si256(_mm256_slli_epi16(units, 8), _mm256_srli_epi16(units, 8)),
        ByteOrder::Little => units,
    }
}

/// The lower bytes of units below U+0100.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn narrowed(first: __m256i, second: __m256i) -> __m256i {
    // The instruction works within the halves of a vector, so the middle quarters must change places.
    _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), 0b11_01_10_00)
}

/// True if no unit has any of these bits.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn lacks(units: __m256i, bits: u16) -> bool {
    _mm256_testz_si256(units, _mm256_set1_epi16(bits.cast_signed())) == 1
}

/// Sixteen units below U+0800 as UTF-8 bytes: a lead and a continuation, or an ASCII character and an
/// undefined byte. Also all bits of the units that need both bytes.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn two_bytes(units: __m256i) -> [__m256i; 2] {
    let lead = _mm256_srli_epi16(units, 6);
    let next = _mm256_slli_epi16(_mm256_and_si256(units, _mm256_set1_epi16(0x3F)), 8);
    let marks = _mm256_set1_epi16(0x80C0u16.cast_signed());
    let both = _mm256_or_si256(_mm256_or_si256(lead, next), marks);
    let is_both = _mm256_cmpgt_epi16(units, _mm256_set1_epi16(0x7F));
    [_mm256_blendv_epi8(units, both, is_both), is_both]
}

/// Initialises `slots` with twice sixteen units below U+0800 as UTF-8. Returns their number of bytes. Zeros
/// may stand behind them.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn init_utf8(slots: &mut [MaybeUninit<u8>; 2 * STEP], units: [__m256i; 2]) -> usize {
    let ([first, first_is_both], [second, second_is_both]) = (two_bytes(units[0]), two_bytes(units[1]));
    // As in narrowed(), but for signed numbers.
    let packed = _mm256_packs_epi16(first_is_both, second_is_both);
    let masks = high_bits(_mm256_permute4x64_epi64(packed, 0b11_01_10_00));
    init_one_or_two(slots, [first, second], masks)
}

/// Initialises `slots` with the first bytes of 32 pairs, and the second ones of those whose bit is set.
/// Returns their number of bytes. Zeros may stand behind them.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn init_one_or_two(
    slots: &mut [MaybeUninit<u8>; 2 * STEP],
    [first, second]: [__m256i; 2],
    masks: u32,
) -> usize {
    let quarters = [
        _mm256_castsi256_si128(first),
        _mm256_extracti128_si256(first, 1),
        _mm256_castsi256_si128(second),
        _mm256_extracti128_si256(second, 1),
    ];
    let mut written = 0;
    for (bytes, mask) in quarters.into_iter().zip(masks.to_le_bytes()) {
        let shuffle = load_16(&ONE_OR_TWO[usize::from(mask)]);
        init_16(room(slots, written).expect("16 bytes for 8 pairs"), _mm_shuffle_epi8(bytes, shuffle));
        written += 8 + mask.count_ones() as usize;
    }
    written
}

#[target_feature(enable = "avx2,popcnt")]
pub(in crate::simd) fn utf16_to_utf8(order: ByteOrder, from: &[u8], to: &mut [MaybeUninit<u8>]) -> Done {
    let mut done = Done::default();
    for pair in from.as_chunks::<{ 2 * STEP }>().0 {
        let Some(slots) = room::<{ 2 * STEP }>(to, done.written) else { break };
        let [first, second] = pair.as_chunks().0 else { unreachable!("two steps") };
        let (first, second) = (swap(order, load(first)), swap(order, load(second)));
        let both = _mm256_or_si256(first, second);
        let written = if lacks(both, 0xFF80) {
            init(room(slots, 0).expect("two steps"), narrowed(first, second));
            STEP
        } else if lacks(both, 0xF800) {
            init_utf8(slots, [first, second])
        } else {
            break;
        };
        done = Done { read: done.read + 2 * STEP, written: done.written + written };
    }
    done
}

#[target_feature(enable = "avx2,popcnt")]
pub(in crate::simd) fn utf16_to_bytes(
    latin1: &[u8; 256],
    order: ByteOrder,
    from: &[u8],
    to: &mut [MaybeUninit<u8>],
) -> Done {
    let table = Table::new(latin1);
    let mut done = Done::default();
    for pair in from.as_chunks::<{ 2 * STEP }>().0 {
        let Some(slots) = room(to, done.written) else { break };
        let [first, second] = pair.as_chunks().0 else { unreachable!("two steps") };
        let (first, second) = (swap(order, load(first)), swap(order, load(second)));
        if !lacks(_mm256_or_si256(first, second), 0xFF00) {
            break;
        }
        let characters = narrowed(first, second);
        let is_ascii = high_bits(characters) == 0;
        let bytes = if is_ascii { table.ascii.look_up(characters) } else { table.look_up(characters) };
        if high_bits(_mm256_andnot_si256(equal(characters, 0), equal(bytes, 0))) != 0 {
            break;
        }
        init(slots, bytes);
        done = Done { read: done.read + 2 * STEP, written: done.written + STEP };
    }
    done
}
