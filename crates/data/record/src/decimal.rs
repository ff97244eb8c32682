//! Exact decimal numbers between JSON text and fields: a sign, up to 38 digits and a scale, never floating point.

use std::fmt;

/// The most significant digits that a number may have; more than any COBOL field holds (31).
pub const NUMBER_DIGITS_MAX: usize = 38;

/// The longest text of digits and a point whose digits a `u64` holds for certain.
const SHORT_BYTES_MAX: usize = 19;

/// A number with a decimal exponent: `mantissa / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// All digits as an integer, with the sign.
    pub mantissa: i128,
    /// Digits right of the decimal point; negative for numbers such as 12E3.
    pub scale: i32,
}

/// The reason why text is not a number, or why a number does not fit a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// Not written as a number.
    Syntax,
    /// More digits before the decimal point than any field holds.
    TooLarge,
    /// Digits behind the last decimal place.
    TooPrecise,
}

/// Powers of ten that fit an `i128`: 10^0 to 10^38.
const POWERS: [i128; NUMBER_DIGITS_MAX + 1] = {
    let mut powers = [1i128; NUMBER_DIGITS_MAX + 1];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// 10^`exponent`, if that is within [`NUMBER_DIGITS_MAX`] digits.
#[must_use]
pub(crate) fn power_of_ten(exponent: u32) -> Option<i128> {
    POWERS.get(exponent as usize).copied()
}

impl Decimal {
    /// Reads a number as JSON writes it (RFC 8259, section 6).
    ///
    /// # Errors
    /// The text is not a JSON number, or has more digits than [`NUMBER_DIGITS_MAX`].
    pub fn from_json(text: &[u8]) -> Result<Self, NumberError> {
        let unsigned = text.strip_prefix(b"-").unwrap_or(text);
        if unsigned.len() > 1 && unsigned[0] == b'0' && unsigned[1].is_ascii_digit() {
            return Err(NumberError::Syntax);
        }
        let negative = text.len() > unsigned.len();
        match Self::parse_short(negative, unsigned) {
            Some(short) => Ok(short),
            None => Self::parse(negative, unsigned, Exponent::Allowed),
        }
    }

    /// Reads a number from a parameter: digits with an optional sign and decimal point, leading zeros allowed.
    ///
    /// # Errors
    /// The text is not such a number, or has more digits than [`NUMBER_DIGITS_MAX`].
    pub fn from_text(text: &[u8]) -> Result<Self, NumberError> {
        match text {
            [b'-', rest @ ..] => Self::parse(true, rest, Exponent::Refused),
            [b'+', rest @ ..] => Self::parse(false, rest, Exponent::Refused),
            rest => Self::parse(false, rest, Exponent::Refused),
        }
    }

    /// Reads the usual numbers: few digits, perhaps a point, no exponent. None for all others, right or
    /// wrong. Zeros at the end of a fraction stay in the mantissa.
    #[inline]
    fn parse_short(negative: bool, text: &[u8]) -> Option<Self> {
        if text.len() > SHORT_BYTES_MAX {
            return None;
        }
        let (mut magnitude, mut point) = (0u64, text.len());
        for (at, byte) in text.iter().enumerate() {
            match byte {
                b'0'..=b'9' => magnitude = magnitude * 10 + u64::from(byte - b'0'),
                b'.' if point == text.len() && at > 0 && at + 1 < text.len() => point = at,
                _ => return None,
            }
        }
        let scale = text.len().saturating_sub(point + 1) as i32;
        let mantissa = i128::from(magnitude);
        (!text.is_empty()).then_some(Decimal { mantissa: if negative { -mantissa } else { mantissa }, scale })
    }

    fn parse(negative: bool, text: &[u8], exponent: Exponent) -> Result<Self, NumberError> {
        let mut digits = Digits::default();
        let integer_end = digits.take(text, 0, NumberError::TooLarge);
        if integer_end == 0 {
            return Err(NumberError::Syntax);
        }
        let mut at = integer_end;
        let mut scale = 0i32;
        if text.get(at) == Some(&b'.') {
            let end = digits.take(text, at + 1, NumberError::TooPrecise);
            if end == at + 1 {
                return Err(NumberError::Syntax);
            }
            scale = i32::try_from(end - at - 1).map_err(|_| NumberError::TooPrecise)?;
            at = end;
        }
        if let (Some(b'e' | b'E'), Exponent::Allowed) = (text.get(at), exponent) {
            let (value, end) = parse_exponent(text, at + 1)?;
            scale = scale.saturating_sub(value);
            at = end;
        }
        if at != text.len() {
            return Err(NumberError::Syntax);
        }
        digits.finish(negative, scale)
    }

    /// The number as an integer count of 10^-`scale`, exactly.
    ///
    /// # Errors
    /// The number has more decimal places than `scale`, or is too large for this count.
    #[inline]
    pub fn scaled_to(self, scale: i32) -> Result<i128, NumberError> {
        if self.scale == scale {
            return Ok(self.mantissa);
        }
        self.rescale(scale)
    }

    fn rescale(self, scale: i32) -> Result<i128, NumberError> {
        if self.mantissa == 0 {
            return Ok(0);
        }
        let shift = i64::from(scale) - i64::from(self.scale);
        let power = u32::try_from(shift.unsigned_abs()).ok().and_then(power_of_ten);
        if shift >= 0 {
            power.and_then(|power| self.mantissa.checked_mul(power)).ok_or(NumberError::TooLarge)
        } else {
            match power {
                Some(power) if self.mantissa % power == 0 => Ok(self.mantissa / power),
                _ => Err(NumberError::TooPrecise),
            }
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        write_number(self.mantissa, self.scale, &mut text);
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

#[derive(Clone, Copy)]
enum Exponent {
    Allowed,
    Refused,
}

/// Digits as they are read: zeros wait until a digit follows them, so that 1.500 and 000.1 need few places.
#[derive(Default)]
struct Digits {
    magnitude: u128,
    /// Significant digits in `magnitude`.
    count: usize,
    /// Zeros seen since the last other digit.
    pending_zeros: usize,
    /// The error if there are more digits than any field holds. The rest must be the text of a number even
    /// then.
    excess: Option<NumberError>,
}

impl Digits {
    /// Reads digits from `at` on and returns where they end. `excess` is the error for too many digits.
    fn take(&mut self, text: &[u8], mut at: usize, excess: NumberError) -> usize {
        while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            if digit == 0 {
                self.pending_zeros += usize::from(self.count > 0);
            } else if self.count + self.pending_zeros >= NUMBER_DIGITS_MAX {
                self.excess.get_or_insert(excess);
            } else {
                self.count += self.pending_zeros + 1;
                self.magnitude =
                    self.magnitude * POWERS[self.pending_zeros + 1].unsigned_abs() + u128::from(digit);
                self.pending_zeros = 0;
            }
            at += 1;
        }
        at
    }

    fn finish(self, negative: bool, scale: i32) -> Result<Decimal, NumberError> {
        if let Some(excess) = self.excess {
            return Err(excess);
        }
        let magnitude = i128::try_from(self.magnitude).map_err(|_| NumberError::TooLarge)?;
        let zeros = i32::try_from(self.pending_zeros).map_err(|_| NumberError::TooLarge)?;
        let scale = if magnitude == 0 { 0 } else { scale.saturating_sub(zeros) };
        Ok(Decimal { mantissa: if negative { -magnitude } else { magnitude }, scale })
    }
}

/// Reads the exponent after `e`. One that is beyond all fields is cut to a value that is beyond them too.
fn parse_exponent(text: &[u8], mut at: usize) -> Result<(i32, usize), NumberError> {
    let negative = text.get(at) == Some(&b'-');
    if let Some(b'-' | b'+') = text.get(at) {
        at += 1;
    }
    let start = at;
    let mut value = 0i32;
    while let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add(i32::from(digit - b'0')).min(1_000_000);
        at += 1;
    }
    if at == start {
        return Err(NumberError::Syntax);
    }
    Ok((if negative { -value } else { value }, at))
}

/// Writes `value / 10^scale` as a JSON number: no leading zeros, and no zeros after the last decimal place that counts.
pub(crate) fn write_number(value: i128, scale: i32, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    if scale <= 0 || value == 0 {
        match i64::try_from(value) {
            Ok(small) => out.extend_from_slice(buffer.format(small).as_bytes()),
            Err(_) => out.extend_from_slice(buffer.format(value).as_bytes()),
        }
        let zeros = if value == 0 { 0 } else { scale.unsigned_abs() as usize };
        out.resize(out.len() + zeros, b'0');
        return;
    }
    let digits = match u64::try_from(value.unsigned_abs()) {
        Ok(small) => buffer.format(small).as_bytes(),
        Err(_) => buffer.format(value.unsigned_abs()).as_bytes(),
    };
    let scale = scale.unsigned_abs() as usize;
    if value < 0 {
        out.push(b'-');
    }
    let (integer, fraction) = digits.split_at(digits.len().saturating_sub(scale));
    out.extend_from_slice(if integer.is_empty() { b"0" } else { integer });
    let trailing = fraction.iter().rev().take_while(|digit| **digit == b'0').count();
    let kept = &fraction[..fraction.len() - trailing];
    if !kept.is_empty() {
        out.push(b'.');
        out.resize(out.len() + scale - fraction.len(), b'0');
        out.extend_from_slice(kept);
    }
}
