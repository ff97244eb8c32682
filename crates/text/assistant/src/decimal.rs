//! Exact decimal numbers of schemas: limits and units decide how many digits a picture has.

use std::cmp::Ordering;
use std::fmt;

/// The most digits that a number of a schema may have. COBOL can hold far fewer.
const DIGITS_MAX: usize = 36;

/// A decimal number: `mantissa` divided by ten to the power of `scale`, without needless zeros at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    mantissa: i128,
    scale: u8,
}

impl Decimal {
    /// An integer.
    #[must_use]
    pub fn integer(value: i128) -> Self {
        Self { mantissa: value, scale: 0 }
    }

    /// `10` to the power of `digits`, less one: the greatest integer with this number of digits.
    #[must_use]
    pub fn nines(digits: u32) -> i128 {
        10_i128.pow(digits.min(DIGITS_MAX as u32)) - 1
    }

    /// Reads a number as JSON writes it, with an exponent or without.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (negative, number) = match number.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, number),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let trimmed = digits.trim_end_matches('0');
        if trimmed.is_empty() {
            return Some(Self::integer(0));
        }
        let dropped = i32::try_from(digits.len() - trimmed.len()).ok()?;
        let mut scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?.checked_sub(dropped)?;
        let significant = trimmed.trim_start_matches('0');
        let zeros = usize::try_from(-scale.min(0)).ok()?;
        if significant.len() + zeros > DIGITS_MAX || scale > DIGITS_MAX as i32 {
            return None;
        }
        let mut mantissa: i128 = significant.parse().ok()?;
        if scale < 0 {
            mantissa *= 10_i128.pow(zeros as u32);
            scale = 0;
        }
        Some(Self { mantissa: if negative { -mantissa } else { mantissa }, scale: u8::try_from(scale).ok()? })
    }

    /// The number of decimal places.
    #[must_use]
    pub fn fraction_digits(self) -> u8 {
        self.scale
    }

    /// The number of digits before the decimal point; 0 for a number below one.
    #[must_use]
    pub fn integer_digits(self) -> u32 {
        let whole = (self.mantissa / 10_i128.pow(u32::from(self.scale))).unsigned_abs();
        if whole == 0 { 0 } else { whole.ilog10() + 1 }
    }

    /// True below zero.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// The least multiple of ten to the power of minus `scale` that is not below the number.
    #[must_use]
    pub fn ceiling(self, scale: u8) -> Self {
        self.rounded(scale, true)
    }

    /// The greatest multiple of ten to the power of minus `scale` that is not above the number.
    #[must_use]
    pub fn floor(self, scale: u8) -> Self {
        self.rounded(scale, false)
    }

    fn rounded(self, scale: u8, up: bool) -> Self {
        if self.scale <= scale {
            return self;
        }
        let unit = 10_i128.pow(u32::from(self.scale - scale));
        let below = self.mantissa.div_euclid(unit);
        let inexact = self.mantissa.rem_euclid(unit) != 0;
        Self { mantissa: below + i128::from(up && inexact), scale }.trimmed()
    }

    /// The number plus `units` units of ten to the power of minus `scale`; none if it gets too long.
    #[must_use]
    pub fn plus(self, units: i128, scale: u8) -> Option<Self> {
        let common = self.scale.max(scale);
        let step = units.checked_mul(10_i128.checked_pow(u32::from(common - scale))?)?;
        let mantissa = self.mantissa.checked_mul(10_i128.checked_pow(u32::from(common - self.scale))?)?;
        Some(Self { mantissa: mantissa.checked_add(step)?, scale: common }.trimmed())
    }

    /// The number as an integer, if it is one.
    #[must_use]
    pub fn to_integer(self) -> Option<i128> {
        (self.scale == 0).then_some(self.mantissa)
    }

    fn trimmed(mut self) -> Self {
        while self.scale > 0 && self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.scale -= 1;
        }
        self
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let power = |scale: u8| 10_i128.pow(u32::from(scale));
        let whole =
            (self.mantissa.div_euclid(power(self.scale)), other.mantissa.div_euclid(power(other.scale)));
        // The rests are below one, so they still fit when they get the same scale.
        let common = self.scale.max(other.scale);
        let rest =
            |number: &Self| number.mantissa.rem_euclid(power(number.scale)) * power(common - number.scale);
        whole.0.cmp(&whole.1).then_with(|| rest(self).cmp(&rest(other)))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs().to_string();
        let scale = usize::from(self.scale);
        if scale == 0 {
            return write!(f, "{sign}{digits}");
        }
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        write!(f, "{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect(text)
    }

    #[test]
    fn numbers_are_read_exactly() {
        for (text, shown) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("1e2", "100"),
            ("0.01", "0.01"),
            ("1E-3", "0.001"),
            ("-12.50", "-12.5"),
            ("9999999999999999.99", "9999999999999999.99"),
            ("100", "100"),
        ] {
            assert_eq!(decimal(text).to_string(), shown, "{text}");
        }
        for text in ["", "-", "x", "1e99", "1e-99", "1e9999999999", "1".repeat(40).as_str()] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn digits_and_order() {
        assert_eq!(decimal("999.99").integer_digits(), 3);
        assert_eq!(decimal("0.99").integer_digits(), 0);
        assert_eq!(decimal("-1234").integer_digits(), 4);
        assert!(decimal("-1.5") < decimal("-1.25"));
        assert!(decimal("1e35") > decimal("1e-36"));
        assert!(decimal("2") > decimal("1.999"));
    }

    #[test]
    fn rounding_goes_towards_the_side_that_is_asked_for() {
        assert_eq!(decimal("1.005").ceiling(2), decimal("1.01"));
        assert_eq!(decimal("1.005").floor(2), decimal("1"));
        assert_eq!(decimal("-1.005").ceiling(2), decimal("-1"));
        assert_eq!(decimal("-1.005").floor(0), decimal("-2"));
        assert_eq!(decimal("5").plus(-1, 2), Some(decimal("4.99")));
    }
}
