//! Translation with AVX-512 VBMI, 64 bytes a step.
//!
//! Four registers hold the table. `vpermi2b` looks up 128 bytes of it by the low seven bits of each byte, once for
//! either half, and the eighth bit chooses between the two.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use crate::translate::JsonRows;

/// One vector.
pub(super) const STEP: usize = 64;

/// The table in registers: its quarters.
#[derive(Clone, Copy)]
struct Table([__m512i; 4]);

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn load(bytes: &[u8; STEP]) -> __m512i {
    // SAFETY: an array of 64 bytes can be read as a vector of 64; the load asks for no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn init(bytes: &mut [MaybeUninit<u8>; STEP], vector: __m512i) {
    // SAFETY: 64 bytes, initialised or not, can be written as a vector of 64; the store asks for no alignment.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector) }
}

/// A mask with one bit for each byte. There are fewer than 64 bytes.
#[inline]
fn mask(bytes: usize) -> __mmask64 {
    assert!(bytes < STEP, "more is a whole vector");
    (1 << bytes) - 1
}

/// Up to 63 bytes, and zeros behind them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn load_rest(bytes: &[u8]) -> __m512i {
    // SAFETY: only the bytes under the mask are read, and these are the slice's; the others are not touched.
    unsafe { _mm512_maskz_loadu_epi8(mask(bytes.len()), bytes.as_ptr().cast()) }
}

/// The first bytes of the vector into a slice of up to 63.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn init_rest(bytes: &mut [MaybeUninit<u8>], vector: __m512i) {
    // SAFETY: only the bytes under the mask are written, and these are the slice's; the others are not touched.
    unsafe { _mm512_mask_storeu_epi8(bytes.as_mut_ptr().cast(), mask(bytes.len()), vector) }
}

impl Table {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn new(table: &[u8; 256]) -> Table {
        let [a, b, c, d] = table.as_chunks::<STEP>().0 else { unreachable!("256 is four times 64") };
        Table([load(a), load(b), load(c), load(d)])
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn look_up(self, bytes: __m512i) -> __m512i {
        let Table([a, b, c, d]) = self;
        let lower = _mm512_permutex2var_epi8(a, bytes, b);
        let upper = _mm512_permutex2var_epi8(c, bytes, d);
        _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), lower, upper)
    }
}

/// Translates up to the first byte that `stops` at, given a vector and its translation. Returns how many bytes are
/// before it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn run(
    table: &[u8; 256],
    from: &[u8],
    to: &mut [MaybeUninit<u8>],
    stops: impl Fn(__m512i, __m512i) -> __mmask64,
) -> usize {
    let length = from.len().min(to.len());
    let (from, to) = (&from[..length], &mut to[..length]);
    let table = Table::new(table);
    let ((steps, rest), (step_slots, rest_slots)) = (from.as_chunks::<STEP>(), to.as_chunks_mut::<STEP>());
    for (number, (slots, step)) in step_slots.iter_mut().zip(steps).enumerate() {
        let bytes = load(step);
        let translated = table.look_up(bytes);
        init(slots, translated);
        let stop = stops(bytes, translated);
        if stop != 0 {
            return number * STEP + stop.trailing_zeros() as usize;
        }
    }
    if !rest.is_empty() {
        let bytes = load_rest(rest);
        let translated = table.look_up(bytes);
        init_rest(rest_slots, translated);
        let stop = stops(bytes, translated) & mask(rest.len());
        if stop != 0 {
            return length - rest.len() + stop.trailing_zeros() as usize;
        }
    }
    length
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn translate(table: &[u8; 256], from: &[u8], to: &mut [MaybeUninit<u8>]) -> usize {
    run(table, from, to, |_, _| 0)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn translate_until(
    table: &[u8; 256],
    special: u8,
    from: &[u8],
    to: &mut [MaybeUninit<u8>],
) -> usize {
    let special = _mm512_set1_epi8(special.cast_signed());
    run(table, from, to, |_, translated| _mm512_cmpeq_epi8_mask(translated, special))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn translate_json(table: &[u8; 256], from: &[u8], to: &mut [MaybeUninit<u8>]) -> usize {
    let blank = _mm512_set1_epi8(b' '.cast_signed());
    let quote = _mm512_set1_epi8(b'"'.cast_signed());
    let backslash = _mm512_set1_epi8(b'\\'.cast_signed());
    run(table, from, to, |bytes, _| {
        // As signed numbers, bytes that are not ASCII are negative, and so below the blank too.
        _mm512_cmplt_epi8_mask(bytes, blank)
            | _mm512_cmpeq_epi8_mask(bytes, quote)
            | _mm512_cmpeq_epi8_mask(bytes, backslash)
    })
}

/// Rows of fewer bytes than a vector has, so that the quote behind the longest text is in the vector too.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn translate_json_rows(
    table: &[u8; 256],
    blank: u8,
    row_bytes: usize,
    from: &[u8],
    to: &mut [MaybeUninit<u8>],
) -> JsonRows {
    let table = Table::new(table);
    let blanks = _mm512_set1_epi8(blank.cast_signed());
    let space = _mm512_set1_epi8(b' '.cast_signed());
    let quote = _mm512_set1_epi8(b'"'.cast_signed());
    let backslash = _mm512_set1_epi8(b'\\'.cast_signed());
    let mut done = JsonRows::default();
    let mut at = 0;
    for row in to.chunks_exact_mut(row_bytes) {
        let Some((b'"', inside)) = from.get(at..).and_then(<[u8]>::split_first) else { break };
        let bytes = match inside.first_chunk() {
            Some(step) => load(step),
            None => load_rest(inside),
        };
        // The start of the next row depends on the quote alone. Everything else can be computed in parallel.
        let quotes = _mm512_cmpeq_epi8_mask(bytes, quote);
        let length = quotes.trailing_zeros() as usize;
        // The bytes below the quote; all bytes if there is no quote.
        let text = quotes.wrapping_sub(1) & !quotes;
        // As signed numbers, bytes that are not ASCII are negative, and so below the blank too.
        let others = _mm512_cmplt_epi8_mask(bytes, space) | _mm512_cmpeq_epi8_mask(bytes, backslash);
        if length > row_bytes || others & text != 0 {
            break;
        }
        init_rest(row, _mm512_mask_blend_epi8(text, blanks, table.look_up(bytes)));
        done = JsonRows { rows: done.rows + 1, read: at + length + 2 };
        if from.get(done.read) != Some(&b',') {
            break;
        }
        at = done.read + 1;
    }
    done
}
