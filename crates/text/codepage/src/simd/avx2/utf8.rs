//! UTF-8 to UTF-16 and to bytes of a single-byte page, with AVX2: ASCII and characters of two bytes.
//!
//! Every byte except the leads becomes a unit, made from it and the byte before. Then the leads are dropped.

use super::from_bytes::{interleave, widened};
use super::utf16::swap;
use super::{STEP, Table, equal, high_bits, init, init_8, init_16, load, load_8, load_16, room};
use crate::simd::Done;
use crate::simd::shuffles::{DROP_BYTES, DROP_UNITS};
use crate::unicode::ByteOrder;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// The facts about 32 bytes that are not all ASCII: bits for the leads, vectors of bytes for the rest.
struct Step {
    leads: u32,
    /// Lower and upper bytes of the units; undefined at leads.
    low: __m256i,
    high: __m256i,
}

/// The facts that the next step needs from the one before.
#[derive(Clone, Copy)]
struct Before {
    bytes: __m256i,
    /// True if the last byte is a lead.
    ends_in_lead: bool,
}

impl Before {
    /// At the start of a character.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn nothing() -> Before {
        Before { bytes: _mm256_setzero_si256(), ends_in_lead: false }
    }
}

/// None if the bytes are not UTF-8, or have characters of more than two bytes.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn two_byte_characters(before: Before, bytes: __m256i) -> Option<Step> {
    let minus = |number: i8| _mm256_set1_epi8(number);
    // As signed numbers, 80 to BF are those below -64, and C2 to DF are -62 to -33.
    let is_next = _mm256_cmpgt_epi8(minus(-64), bytes);
    let is_lead =
        _mm256_and_si256(_mm256_cmpgt_epi8(bytes, minus(-63)), _mm256_cmpgt_epi8(minus(-32), bytes));
    let (leads, nexts) = (high_bits(is_lead), high_bits(is_next));
    let is_utf8 = nexts == (leads << 1 | u32::from(before.ends_in_lead)) && leads | nexts == high_bits(bytes);
    if !is_utf8 {
        return None;
    }
    let across = _mm256_permute2x128_si256(before.bytes, bytes, 0x21);
    let previous = _mm256_alignr_epi8(bytes, across, 15);
    // The bits that a shift brings from the byte beside are masked.
    let upper_two = _mm256_and_si256(_mm256_slli_epi16(previous, 6), minus(0xC0u8.cast_signed()));
    let lower_six = _mm256_and_si256(bytes, minus(0x3F));
    let low = _mm256_blendv_epi8(bytes, _mm256_or_si256(upper_two, lower_six), is_next);
    let high = _mm256_and_si256(_mm256_srli_epi16(previous, 2), minus(7));
    Some(Step { leads, low, high: _mm256_and_si256(high, is_next) })
}

/// Goes through the steps. `ascii` stores 32 bytes, `other` stores a step or stops; both get the room for
/// twice the number of bytes, and return the number of written bytes.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn run(
    from: &[u8],
    to: &mut [MaybeUninit<u8>],
    ascii: impl Fn(__m256i, &mut [MaybeUninit<u8>; 2 * STEP]) -> Option<usize>,
    other: impl Fn(Step, &mut [MaybeUninit<u8>; 2 * STEP]) -> Option<usize>,
) -> Done {
    let (mut done, mut before) = (Done::default(), Before::nothing());
    for step in from.as_chunks::<STEP>().0 {
        let Some(slots) = room(to, done.written) else { break };
        let bytes = load(step);
        let (written, ends_in_lead) = if high_bits(bytes) == 0 && !before.ends_in_lead {
            (ascii(bytes, slots), false)
        } else {
            let Some(step) = two_byte_characters(before, bytes) else { break };
            let ends_in_lead = step.leads >> (STEP - 1) == 1;
            (other(step, slots), ends_in_lead)
        };
        let Some(written) = written else { break };
        before = Before { bytes, ends_in_lead };
        done = Done { read: done.read + STEP, written: done.written + written };
    }
    // An incomplete character is not converted.
    done.read -= usize::from(before.ends_in_lead);
    done
}

#[target_feature(enable = "avx2,popcnt")]
pub(in crate::simd) fn utf8_to_utf16(order: ByteOrder, from: &[u8], to: &mut [MaybeUninit<u8>]) -> Done {
    let ascii = |bytes, slots: &mut [MaybeUninit<u8>; 2 * STEP]| {
        for (slots, units) in slots.as_chunks_mut().0.iter_mut().zip(widened(bytes, order)) {
            init(slots, units);
        }
        Some(2 * STEP)
    };
    let other = |step: Step, slots: &mut [MaybeUninit<u8>; 2 * STEP]| {
        let mut written = 0;
        let [first, second] = interleave(step.low, step.high).map(|units| swap(order, units));
        let quarters = [
            _mm256_castsi256_si128(first),
            _mm256_extracti128_si256(first, 1),
            _mm256_castsi256_si128(second),
            _mm256_extracti128_si256(second, 1),
        ];
        for (units, leads) in quarters.into_iter().zip(step.leads.to_le_bytes()) {
            let shuffle = load_16(&DROP_UNITS[usize::from(leads)]);
            init_16(room(slots, written)?, _mm_shuffle_epi8(units, shuffle));
            written += 16 - 2 * leads.count_ones() as usize;
        }
        Some(written)
    };
    run(from, to, ascii, other)
}

#[target_feature(enable = "avx2,popcnt")]
pub(in crate::simd) fn utf8_to_bytes(latin1: &[u8; 256], from: &[u8], to: &mut [MaybeUninit<u8>]) -> Done {
    let table = Table::new(latin1);
    let ascii = |characters, slots: &mut [MaybeUninit<u8>; 2 * STEP]| {
        let bytes = table.ascii.look_up(characters);
        let lacks = high_bits(_mm256_andnot_si256(equal(characters, 0), equal(bytes, 0)));
        init(room(slots, 0)?, bytes);
        (lacks == 0).then_some(STEP)
    };
    let other = |step: Step, slots: &mut [MaybeUninit<u8>; 2 * STEP]| {
        let bytes = table.look_up(step.low);
        let lacks = high_bits(_mm256_andnot_si256(equal(step.low, 0), equal(bytes, 0))) & !step.leads;
        let is_beyond = high_bits(equal(step.high, 0)) != u32::MAX;
        if lacks != 0 || is_beyond {
            return None;
        }
        let mut written = 0;
        let [first, second] = [_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)];
        let quarters = [first, _mm_unpackhi_epi64(first, first), second, _mm_unpackhi_epi64(second, second)];
        for (bytes, leads) in quarters.into_iter().zip(step.leads.to_le_bytes()) {
            let shuffle = load_8(&DROP_BYTES[usize::from(leads)]);
            init_8(room(slots, written)?, _mm_shuffle_epi8(bytes, shuffle));
            written += 8 - leads.count_ones() as usize;
        }
        Some(written)
    };
    run(from, to, ascii, other)
}
