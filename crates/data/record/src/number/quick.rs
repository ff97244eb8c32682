//! The usual numbers, straight from bytes to decimal text and back: up to sixteen digits, one in each byte of
//! a `u128`, the last digit in the lowest byte.
//!
//! A quick number leaves all other numbers, right or wrong, to [`NumberCodec`]. Only the codec knows errors.

use copybook::Sign;

use super::{NEGATIVE, NO_DIGIT, NumberForm, ZonedTables};
use crate::out::Out;
use crate::slot::NumberCodec;

/// The most digits.
const DIGITS_MAX: usize = 16;
const GREATEST: u64 = 9_999_999_999_999_999;
/// The most bytes of packed and binary numbers.
const WORD_BYTES: usize = 8;
/// The size of the buffer for a number: a sign, a point, and vectors of digits before it and behind it.
const WINDOW_BYTES: usize = 48;

const ONES: u128 = u128::from_ne_bytes([1; 16]);
const HIGH_BITS: u128 = ONES << 7;
const ASCII_ZEROS: u128 = ONES * b'0' as u128;
/// Added to a byte of up to 7F, it sets the highest bit if the byte is above 9.
const ABOVE_NINE: u128 = ONES * 0x76;

/// A number's form, length, scale and limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuickNumber {
    form: QuickForm,
    bytes: usize,
    scale: usize,
    /// The digits of the greatest number, and of the least number without its minus.
    greatest: u128,
    least: u128,
}

#[derive(Clone, Copy, Debug)]
enum QuickForm {
    Zoned { signed: bool, tables: &'static ZonedTables },
    Packed { signed: bool },
    PackedUnsigned,
    Binary { signed: bool },
}

/// A number: its digits, and whether it is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    digits: u128,
    negative: bool,
}

impl QuickNumber {
    /// The quick form of a codec, if it can take enough numbers.
    pub(crate) fn new(codec: &NumberCodec, bytes: usize) -> Option<Self> {
        let (form, bytes_max) = match codec.form {
            NumberForm::Zoned { sign: Sign::None, tables } => {
                (QuickForm::Zoned { signed: false, tables }, DIGITS_MAX)
            }
            NumberForm::Zoned { sign: Sign::Trailing, tables } => {
                (QuickForm::Zoned { signed: true, tables }, DIGITS_MAX)
            }
            NumberForm::Packed { signed } => (QuickForm::Packed { signed }, WORD_BYTES),
            NumberForm::PackedUnsigned => (QuickForm::PackedUnsigned, WORD_BYTES),
            NumberForm::Binary { signed } => (QuickForm::Binary { signed }, WORD_BYTES),
            _ => return None,
        };
        let limits = &codec.limits;
        let scale = usize::try_from(limits.scale).ok().filter(|scale| *scale <= DIGITS_MAX)?;
        if !(1..=bytes_max).contains(&bytes) || limits.least > 0 || limits.greatest < 0 {
            return None;
        }
        // If the codec has wider limits, it takes the numbers beyond these.
        let digits =
            |limit: i128| digits_of(u64::try_from(limit.unsigned_abs()).unwrap_or(u64::MAX).min(GREATEST));
        Some(Self { form, bytes, scale, greatest: digits(limits.greatest), least: digits(limits.least) })
    }

    /// The number of a field that lies at `at`.
    #[inline]
    pub(crate) fn read(&self, record: &[u8], at: usize) -> Option<Digits> {
        let end = at.checked_add(self.bytes)?;
        let before = record.get(..end)?;
        let found = match self.form {
            QuickForm::Zoned { signed, tables } if self.bytes <= WORD_BYTES => {
                read_zoned(last_word(before, self.bytes).into(), signed, self.bytes, tables)?
            }
            QuickForm::Zoned { signed, tables } => {
                read_zoned(last_bytes(before, self.bytes), signed, self.bytes, tables)?
            }
            QuickForm::Packed { signed } => {
                let word = last_word(before, self.bytes);
                let negative = match (word & 0x0F, signed) {
                    (0xA | 0xC | 0xE | 0xF, _) => false,
                    (0xB | 0xD, true) => true,
                    _ => return None,
                };
                Digits { digits: unpacked(word >> 4)?, negative }
            }
            QuickForm::PackedUnsigned => {
                Digits { digits: unpacked(last_word(before, self.bytes))?, negative: false }
            }
            QuickForm::Binary { signed } => {
                let shift = u64::BITS - 8 * self.bytes as u32;
                let word = last_word(before, self.bytes);
                let value = (word << shift).cast_signed() >> shift;
                let negative = signed && value < 0;
                let magnitude = if negative { value.unsigned_abs() } else { word };
                if magnitude > GREATEST {
                    return None;
                }
                Digits { digits: digits_of(magnitude), negative }
            }
        };
        self.admit(found)
    }

    #[inline]
    fn admit(&self, Digits { digits, negative }: Digits) -> Option<Digits> {
        let limit = if negative { self.least } else { self.greatest };
        // Minus zero is zero.
        (digits <= limit).then_some(Digits { digits, negative: negative && digits != 0 })
    }

    /// Writes a number as JSON does.
    #[inline]
    pub(crate) fn write_json(&self, Digits { digits, negative }: Digits, out: &mut Out<'_>) {
        let window = out.window::<WINDOW_BYTES>();
        window[0] = b'-';
        let start = usize::from(negative);
        let end = match digits >> 64 == 0 && self.scale <= WORD_BYTES {
            true => self.write_few(digits as u64, start, window),
            false => self.write_many(digits, start, window),
        };
        out.advance(end);
    }

    /// Writes a number of up to eight digits from `at` on; `scale` of them are decimal places. Returns where
    /// the text ends.
    #[inline]
    fn write_few(&self, digits: u64, mut at: usize, window: &mut [u8; WINDOW_BYTES]) -> usize {
        let text = digits | ASCII_ZEROS as u64;
        let leading = digits.leading_zeros() as usize / 8;
        let mut put = |at: usize, text: u64| window[at..at + 8].copy_from_slice(&text.to_be_bytes());
        if self.scale == 0 {
            let skipped = leading.min(WORD_BYTES - 1);
            put(at, text << (8 * skipped));
            return at + WORD_BYTES - skipped;
        }
        let integers = WORD_BYTES - self.scale;
        if leading >= integers {
            put(at, u64::from(b'0') << 56);
            at += 1;
        } else {
            put(at, text << (8 * leading));
            at += integers - leading;
        }
        let kept = self.scale - (digits.trailing_zeros() as usize / 8).min(self.scale);
        if kept > 0 {
            put(at, u64::from(b'.') << 56);
            put(at + 1, text << (8 * integers));
            at += 1 + kept;
        }
        at
    }

    /// The same for up to sixteen digits.
    #[inline]
    fn write_many(&self, digits: u128, mut at: usize, window: &mut [u8; WINDOW_BYTES]) -> usize {
        let text = digits | ASCII_ZEROS;
        let leading = digits.leading_zeros() as usize / 8;
        let mut put = |at: usize, text: u128| window[at..at + 16].copy_from_slice(&text.to_be_bytes());
        if self.scale == 0 {
            let skipped = leading.min(DIGITS_MAX - 1);
            put(at, text << (8 * skipped));
            return at + DIGITS_MAX - skipped;
        }
        let integers = DIGITS_MAX - self.scale;
        if leading >= integers {
            put(at, u128::from(b'0') << 120);
            at += 1;
        } else {
            put(at, text << (8 * leading));
            at += integers - leading;
        }
        let kept = self.scale - (digits.trailing_zeros() as usize / 8).min(self.scale);
        if kept > 0 {
            put(at, u128::from(b'.') << 120);
            put(at + 1, text << (8 * integers));
            at += 1 + kept;
        }
        at
    }

    /// The number at the start of a text, and its length in bytes.
    #[inline]
    pub(crate) fn parse_json(&self, text: &[u8]) -> Option<(Digits, usize)> {
        let negative = *text.first()? == b'-';
        let start = usize::from(negative);
        let (integer, integers) = digits_at(text, start)?;
        if integers + self.scale > DIGITS_MAX || (integers > 1 && text[start] == b'0') {
            return None;
        }
        let mut digits = integer;
        let mut end = start + integers;
        if self.scale > 0 {
            digits <<= 8 * self.scale;
        }
        if text.get(end) == Some(&b'.') {
            let (fraction, places) = digits_at(text, end + 1)?;
            if places > self.scale {
                return None;
            }
            digits |= fraction << (8 * (self.scale - places));
            end += 1 + places;
        }
        if let Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') = text.get(end) {
            return None;
        }
        Some((self.admit(Digits { digits, negative })?, end))
    }

    /// Writes a number into a field that lies at `at`.
    #[inline]
    pub(crate) fn write(&self, Digits { digits, negative }: Digits, record: &mut [u8], at: usize) {
        let end = at + self.bytes;
        match self.form {
            QuickForm::Zoned { signed, tables } => {
                let mut zoned = digits | (ONES * u128::from(tables.zero));
                if signed {
                    let overpunch = if negative { &tables.minus } else { &tables.plus };
                    let last = overpunch[usize::from(digits as u8 & 0x0F)];
                    zoned = zoned & !0xFF | u128::from(last);
                }
                put(zoned, &mut record[at..end]);
            }
            QuickForm::Packed { signed } => {
                let sign = match (signed, negative) {
                    (false, _) => 0x0F,
                    (true, false) => 0x0C,
                    (true, true) => 0x0D,
                };
                put((packed(digits) << 4 | sign).into(), &mut record[at..end]);
            }
            QuickForm::PackedUnsigned => put(packed(digits).into(), &mut record[at..end]),
            QuickForm::Binary { .. } => {
                let magnitude = value_of(digits);
                let word = if negative { magnitude.wrapping_neg() } else { magnitude };
                put(word.into(), &mut record[at..end]);
            }
        }
    }
}

/// Writes the lowest bytes of a word, as two words that overlap. It does not read the old bytes, because they
/// may just have been written in other pieces.
#[inline]
fn put(word: u128, field: &mut [u8]) {
    let above = |bytes: usize| word >> (8 * bytes);
    let length = field.len();
    if let Some(first) = field.first_chunk_mut::<8>() {
        *first = (above(length - 8) as u64).to_be_bytes();
        if let Some(last) = field.last_chunk_mut::<8>() {
            *last = (word as u64).to_be_bytes();
        }
    } else if let Some(first) = field.first_chunk_mut::<4>() {
        *first = (above(length - 4) as u32).to_be_bytes();
        if let Some(last) = field.last_chunk_mut::<4>() {
            *last = (word as u32).to_be_bytes();
        }
    } else {
        field.iter_mut().rev().enumerate().for_each(|(place, byte)| *byte = above(place) as u8);
    }
}

/// The last bytes, one to sixteen of them, as a number. The last byte is the lowest.
#[inline]
fn last_bytes(before: &[u8], bytes: usize) -> u128 {
    let shift = u128::BITS - 8 * bytes as u32;
    match before.last_chunk::<16>() {
        Some(window) => u128::from_be_bytes(*window) << shift >> shift,
        None => before[before.len() - bytes..].iter().fold(0, |word, byte| word << 8 | u128::from(*byte)),
    }
}

/// The same for one to eight bytes.
#[inline]
fn last_word(before: &[u8], bytes: usize) -> u64 {
    let shift = u64::BITS - 8 * bytes as u32;
    match before.last_chunk::<WORD_BYTES>() {
        Some(window) => u64::from_be_bytes(*window) << shift >> shift,
        None => before[before.len() - bytes..].iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

#[inline]
fn read_zoned(word: u128, signed: bool, bytes: usize, tables: &ZonedTables) -> Option<Digits> {
    let zones = (ONES * u128::from(tables.zero)) << (u128::BITS - 8 * bytes as u32)
        >> (u128::BITS - 8 * bytes as u32);
    let (mut digits, mut negative) = (word ^ zones, false);
    if signed {
        let last = tables.signed[usize::from(word as u8)];
        if last == NO_DIGIT {
            return None;
        }
        negative = last & NEGATIVE != 0;
        digits = digits & !0xFF | u128::from(last & 0x0F);
    }
    (not_digits(digits) == 0).then_some(Digits { digits, negative })
}

/// Sets the highest bit of each byte that is above 9. Bytes above the first such byte may be marked falsely.
#[inline]
fn not_digits(bytes: u128) -> u128 {
    (bytes.wrapping_add(ABOVE_NINE) | bytes) & HIGH_BITS
}

/// One to fifteen digits of a text from `at` on, and their number. The text must go on behind them.
#[inline]
fn digits_at(text: &[u8], at: usize) -> Option<(u128, usize)> {
    let window = text.get(at..)?.first_chunk::<16>()?;
    let bytes = u128::from_le_bytes(*window) ^ ASCII_ZEROS;
    // Most numbers are short, and half of the word is enough for them.
    let half = bytes as u64;
    let count = not_digits(half.into()) as u64;
    if count != 0 {
        let count = count.trailing_zeros() as usize / 8;
        return (count > 0).then(|| ((half.swap_bytes() >> (64 - 8 * count)).into(), count));
    }
    let count = not_digits(bytes).trailing_zeros() as usize / 8;
    (count < DIGITS_MAX).then(|| (bytes.swap_bytes() >> (8 * (DIGITS_MAX - count)), count))
}

/// The digits of a number with up to sixteen digits.
#[inline]
fn digits_of(value: u64) -> u128 {
    const HALF: u64 = 100_000_000;
    if value < HALF {
        return eight_digits(value).into();
    }
    u128::from(eight_digits(value / HALF)) << 64 | u128::from(eight_digits(value % HALF))
}

/// The digits of a number with up to eight digits. Halves, quarters and bytes are divided side by side.
#[inline]
fn eight_digits(value: u64) -> u64 {
    let halves = ((value / 10_000) << 32) | (value % 10_000);
    // 10486 / 2^20 is a hundredth for numbers below 10,000, 103 / 2^10 a tenth for those below 100.
    let hundreds = (halves * 10_486) >> 20 & 0x0000_007F_0000_007F;
    let quarters = hundreds << 16 | (halves - hundreds * 100);
    let tens = (quarters * 103) >> 10 & 0x000F_000F_000F_000F;
    tens << 8 | (quarters - tens * 10)
}

/// The number of digits.
#[inline]
fn value_of(digits: u128) -> u64 {
    let eight = |digits: u64| {
        let quarters = (digits >> 8 & 0x00FF_00FF_00FF_00FF) * 10 + (digits & 0x00FF_00FF_00FF_00FF);
        let halves = (quarters >> 16 & 0x0000_FFFF_0000_FFFF) * 100 + (quarters & 0x0000_FFFF_0000_FFFF);
        (halves >> 32) * 10_000 + (halves & 0xFFFF_FFFF)
    };
    eight((digits >> 64) as u64) * 100_000_000 + eight(digits as u64)
}

/// Half bytes as bytes; none if one of them is not a digit.
#[inline]
fn unpacked(word: u64) -> Option<u128> {
    let above_nine = (word >> 3) & (word >> 2 | word >> 1) & 0x1111_1111_1111_1111;
    if above_nine != 0 {
        return None;
    }
    let spread = |half: u64| {
        let half = (half | half << 16) & 0x0000_FFFF_0000_FFFF;
        let half = (half | half << 8) & 0x00FF_00FF_00FF_00FF;
        (half | half << 4) & 0x0F0F_0F0F_0F0F_0F0F
    };
    Some(u128::from(spread(word >> 32)) << 64 | u128::from(spread(word & 0xFFFF_FFFF)))
}

/// Bytes as half bytes.
#[inline]
fn packed(digits: u128) -> u64 {
    let drawn = |half: u64| {
        let half = (half | half >> 4) & 0x00FF_00FF_00FF_00FF;
        let half = (half | half >> 8) & 0x0000_FFFF_0000_FFFF;
        (half | half >> 16) & 0xFFFF_FFFF
    };
    drawn((digits >> 64) as u64) << 32 | drawn(digits as u64)
}

#[cfg(test)]
mod tests;
