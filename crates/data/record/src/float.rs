//! COMP-1 and COMP-2: IBM's hexadecimal and IEEE 754 floating point, to and from decimal text.
//!
//! The decimal text is the shortest one that reads back as the same bytes. Decimal text becomes the nearest
//! value of the form. Both use exact integers where 64-bit floating point would round a second time.

use num_bigint::BigUint;

use crate::decimal::{Decimal, NumberError};
use crate::options::{ByteOrder, FloatForm};

/// A floating-point field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatCodec {
    pub(crate) form: FloatForm,
    /// The order of the bytes. The highest byte has the sign and exponent.
    pub(crate) order: ByteOrder,
}

/// The number of significant decimal digits that tells all numbers of 24 and of 56 bits apart, hexadecimal
/// ones included.
const SHORT_DIGITS_MAX: usize = 9;
const LONG_DIGITS_MAX: usize = 18;

/// Decimal exponents beyond these are zero or too large in every form, and are not worth computing.
const EXPONENT_MAX: i64 = 400;

impl FloatCodec {
    /// Appends the number as JSON writes it; false if the bytes are not a number (an IEEE infinity or NaN).
    pub(crate) fn read(self, field: &[u8], out: &mut String) -> bool {
        match (self.form, field.len()) {
            (FloatForm::Ieee, 4) => {
                let value = f32::from_bits(self.bits(field) as u32);
                value.is_finite() && {
                    write_shortest(&format!("{value:e}"), out);
                    true
                }
            }
            (FloatForm::Ieee, _) => {
                let value = f64::from_bits(self.bits(field));
                value.is_finite() && {
                    write_shortest(&format!("{value:e}"), out);
                    true
                }
            }
            (FloatForm::Ibm, bytes) => {
                let all = self.bits(field).to_be_bytes();
                let hex = Hex::of(&all[all.len() - bytes..]);
                write_shortest(&hex.shortest(), out);
                true
            }
        }
    }

    /// Writes the number nearest to a decimal text.
    ///
    /// # Errors
    /// The text is not a number, or the number is too large for the form.
    pub(crate) fn write(self, text: &str, field: &mut [u8]) -> Result<(), NumberError> {
        let decimal = exact(text)?;
        match (self.form, field.len()) {
            (FloatForm::Ieee, 4) => {
                let value: f32 = text.parse().map_err(|_| NumberError::Syntax)?;
                if !value.is_finite() {
                    return Err(NumberError::TooLarge);
                }
                self.store(value.to_bits().into(), field);
            }
            (FloatForm::Ieee, _) => {
                let value: f64 = text.parse().map_err(|_| NumberError::Syntax)?;
                if !value.is_finite() {
                    return Err(NumberError::TooLarge);
                }
                self.store(value.to_bits(), field);
            }
            (FloatForm::Ibm, bytes) => {
                Hex::nearest(&decimal, bytes).ok_or(NumberError::TooLarge)?.store(field);
                if self.order == ByteOrder::Little {
                    field.reverse();
                }
            }
        }
        Ok(())
    }

    fn bits(self, field: &[u8]) -> u64 {
        let join = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        match self.order {
            ByteOrder::Big => field.iter().fold(0, join),
            ByteOrder::Little => field.iter().rev().fold(0, join),
        }
    }

    fn store(self, bits: u64, field: &mut [u8]) {
        let bytes = bits.to_be_bytes();
        field.copy_from_slice(&bytes[bytes.len() - field.len()..]);
        if self.order == ByteOrder::Little {
            field.reverse();
        }
    }
}

/// A decimal number with any number of digits: `digits * 10^exponent`.
struct Exact {
    negative: bool,
    digits: BigUint,
    exponent: i64,
}

/// Reads a number as JSON writes it, with up to [`crate::NUMBER_DIGITS_MAX`] digits, or with more if the rest
/// are zeros.
fn exact(text: &str) -> Result<Exact, NumberError> {
    let Decimal { mantissa, scale } = Decimal::from_json(text.as_bytes())?;
    Ok(Exact {
        negative: text.starts_with('-'),
        digits: BigUint::from(mantissa.unsigned_abs()),
        exponent: -i64::from(scale),
    })
}

/// A hexadecimal floating-point number: `fraction / 16^digits * 16^(exponent - 64)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hex {
    negative: bool,
    exponent: u8,
    fraction: u64,
    /// Hexadecimal digits of the fraction: 6 or 14.
    digits: u8,
}

impl Hex {
    fn of(field: &[u8]) -> Self {
        let (first, rest) = field.split_first().unwrap_or((&0, &[]));
        Self {
            negative: first & 0x80 != 0,
            exponent: first & 0x7F,
            fraction: rest.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)),
            digits: (rest.len() * 2) as u8,
        }
    }

    fn store(self, field: &mut [u8]) {
        let Some((first, rest)) = field.split_first_mut() else { return };
        *first = self.exponent | if self.negative { 0x80 } else { 0 };
        let bytes = self.fraction.to_be_bytes();
        rest.copy_from_slice(&bytes[bytes.len() - rest.len()..]);
    }

    /// The power of two by which the fraction, as an integer, is multiplied.
    fn shift(self) -> i64 {
        4 * (i64::from(self.exponent) - 64 - i64::from(self.digits))
    }

    /// The number nearest to a decimal one, ties away from zero as the compiler rounds; none if it is too
    /// large. A number that is too small becomes zero.
    fn nearest(decimal: &Exact, bytes: usize) -> Option<Self> {
        let digits = (bytes * 2 - 2) as u8;
        let zero = Self { negative: decimal.negative, exponent: 0, fraction: 0, digits };
        if decimal.digits == BigUint::ZERO || decimal.exponent < -EXPONENT_MAX {
            return Some(Self { negative: false, ..zero });
        }
        if decimal.exponent > EXPONENT_MAX {
            return None;
        }
        let (numerator, denominator) = ratio(&decimal.digits, decimal.exponent);
        // With this exponent the fraction has all its digits: 16^(digits-1) <= fraction < 16^digits.
        let bits = numerator.bits() as i64 - denominator.bits() as i64;
        let mut power = bits.div_euclid(4) + 1;
        loop {
            let at = |power| scaled(&numerator, &denominator, 4 * (i64::from(digits) - power));
            let fraction = at(power);
            let full = BigUint::from(1u8) << (4 * u32::from(digits));
            if fraction >= full {
                power += 1;
                continue;
            }
            // The least fraction may be the result of rounding up. With one more digit, the number then
            // differs.
            if fraction <= full >> 4u32 && at(power - 1) < BigUint::from(1u8) << (4 * u32::from(digits)) {
                power -= 1;
                continue;
            }
            let exponent = power + 64;
            if exponent > 127 {
                return None;
            }
            if exponent < 0 {
                // Below the least normal number the fraction starts with zeros.
                let fraction = scaled(&numerator, &denominator, 4 * (i64::from(digits) + 64));
                let fraction = fraction.iter_u64_digits().next().unwrap_or(0);
                return Some(Self { negative: decimal.negative && fraction > 0, fraction, ..zero });
            }
            let fraction = fraction.iter_u64_digits().next().unwrap_or(0);
            return Some(Self { negative: decimal.negative, exponent: exponent as u8, fraction, digits });
        }
    }

    /// The same number with no zero digit in front.
    fn normal(mut self) -> Self {
        if self.fraction == 0 {
            return Self { exponent: 0, negative: false, ..self };
        }
        let top = 4 * (u32::from(self.digits) - 1);
        while self.fraction >> top == 0 && self.exponent > 0 {
            self.fraction <<= 4;
            self.exponent -= 1;
        }
        self
    }

    /// The decimal number with the fewest digits that is nearest to this one alone, as `d.ddde-dd`.
    fn shortest(self) -> String {
        if self.fraction == 0 {
            return "0e0".to_owned();
        }
        let normal = self.normal();
        let fraction = BigUint::from(normal.fraction);
        let (numerator, denominator) = match normal.shift() {
            shift @ 0.. => (fraction << shift as u64, BigUint::from(1u8)),
            shift => (fraction, BigUint::from(1u8) << shift.unsigned_abs()),
        };
        // The value in 64-bit floating point finds the decimal exponent, or one next to it.
        let near = normal.fraction as f64 * 2f64.powi(normal.shift() as i32);
        let places_max = if self.digits <= 6 { SHORT_DIGITS_MAX } else { LONG_DIGITS_MAX };
        let bytes = usize::from(self.digits) / 2 + 1;
        let mut last = String::new();
        for places in 1..=places_max {
            let mut exponent = near.log10().floor() as i64;
            let digits = loop {
                let digits = rounded(&numerator, &denominator, places as i64 - 1 - exponent).to_string();
                match digits.len() {
                    length if length > places => exponent += 1,
                    length if length < places => exponent -= 1,
                    _ => break digits,
                }
            };
            let decimal = Exact {
                negative: normal.negative,
                digits: digits.parse().unwrap_or_default(),
                exponent: exponent - (places as i64 - 1),
            };
            let sign = if normal.negative { "-" } else { "" };
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            last = format!("{sign}{first}{point}{rest}e{exponent}");
            if Self::nearest(&decimal, bytes) == Some(normal) {
                break;
            }
        }
        last
    }
}

/// `digits * 10^exponent` as a fraction of integers.
fn ratio(digits: &BigUint, exponent: i64) -> (BigUint, BigUint) {
    let power = BigUint::from(10u8).pow(exponent.unsigned_abs() as u32);
    match exponent {
        0.. => (digits * power, BigUint::from(1u8)),
        _ => (digits.clone(), power),
    }
}

/// `numerator / denominator * 2^shift`, rounded half up.
fn scaled(numerator: &BigUint, denominator: &BigUint, shift: i64) -> BigUint {
    match shift {
        0.. => half_up(&(numerator << shift as u64), denominator),
        _ => half_up(numerator, &(denominator << shift.unsigned_abs())),
    }
}

/// `numerator / denominator * 10^power`, rounded half up.
fn rounded(numerator: &BigUint, denominator: &BigUint, power: i64) -> BigUint {
    let factor = BigUint::from(10u8).pow(power.unsigned_abs() as u32);
    match power {
        0.. => half_up(&(numerator * factor), denominator),
        _ => half_up(numerator, &(denominator * factor)),
    }
}

fn half_up(numerator: &BigUint, denominator: &BigUint) -> BigUint {
    ((numerator << 1u32) + denominator) / (denominator << 1u32)
}

/// Writes `d.ddde-dd` as JSON: plain if people can read it without counting zeros, else with an exponent.
fn write_shortest(scientific: &str, out: &mut String) {
    const PLAIN: std::ops::RangeInclusive<i32> = -7..=20;
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        out.push('0');
        return;
    }
    out.push_str(sign);
    if !PLAIN.contains(&exponent) {
        out.push_str(&digits[..1]);
        if digits.len() > 1 {
            out.push('.');
            out.push_str(&digits[1..]);
        }
        out.push('e');
        out.push_str(&exponent.to_string());
        return;
    }
    if exponent < 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
        out.push_str(digits);
        return;
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        out.push_str(digits);
        out.extend(std::iter::repeat_n('0', whole - digits.len()));
    } else {
        out.push_str(&digits[..whole]);
        out.push('.');
        out.push_str(&digits[whole..]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::FloatCodec;
    use crate::options::{ByteOrder, FloatForm, Options};

    const IBM: FloatCodec = FloatCodec { form: FloatForm::Ibm, order: ByteOrder::Big };

    fn read(codec: FloatCodec, bytes: &[u8]) -> String {
        let mut out = String::new();
        assert!(codec.read(bytes, &mut out));
        out
    }

    fn write(codec: FloatCodec, text: &str, bytes: usize) -> Vec<u8> {
        let mut field = vec![0; bytes];
        codec.write(text, &mut field).unwrap();
        field
    }

    #[test]
    fn known_hexadecimal_numbers() {
        let known: &[(&str, &[u8])] = &[
            ("1", &[0x41, 0x10, 0, 0]),
            ("-118.625", &[0xC2, 0x76, 0xA0, 0]),
            ("1234", &[0x43, 0x4D, 0x20, 0]),
            ("0", &[0, 0, 0, 0]),
            ("0.1", &[0x40, 0x19, 0x99, 0x9A]),
            ("0.1", &[0x40, 0x19, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A]),
            ("7.237005577332262e75", &[0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ];
        for (text, bytes) in known {
            if !text.contains('e') {
                assert_eq!(read(IBM, bytes), *text);
            }
            let again = write(IBM, &read(IBM, bytes), bytes.len());
            assert_eq!(&again, bytes, "{text}");
        }
        // The greatest fractions, which are next to the least ones of the exponent above.
        for exponent in [0x00, 0x01, 0x40, 0x41, 0x7E] {
            for last in [0xF0, 0xFE, 0xFF] {
                let long = [exponent, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, last];
                assert_eq!(write(IBM, &read(IBM, &long), 8), long, "{}", read(IBM, &long));
                let short = [exponent, 0xFF, 0xFF, last];
                assert_eq!(write(IBM, &read(IBM, &short), 4), short, "{}", read(IBM, &short));
            }
        }
        // Not normalised, as programs may leave it.
        assert_eq!(read(IBM, &[0x42, 0x01, 0, 0]), "1");
        assert!(IBM.write("1e76", &mut [0; 8]).is_err());
        assert_eq!(write(IBM, "1e-100", 8), [0; 8]);
        assert_eq!(read(IBM, &write(IBM, "1e-90", 8)), "1e-90");
        assert_eq!(write(IBM, "-0", 4), [0; 4]);
    }

    #[test]
    fn known_ieee_numbers() {
        let little = FloatCodec { form: FloatForm::Ieee, order: ByteOrder::Little };
        assert_eq!(write(little, "1.5", 8), 1.5f64.to_le_bytes());
        assert_eq!(read(little, &0.1f32.to_le_bytes()), "0.1");
        assert_eq!(read(little, &1e300f64.to_le_bytes()), "1e300");
        assert_eq!(read(little, &123_456_789_012.0f64.to_le_bytes()), "123456789012");
        assert!(!little.read(&f64::NAN.to_le_bytes(), &mut String::new()));
        assert!(little.write("1e39", &mut [0; 4]).is_err());
    }

    #[test]
    fn the_order_of_ieee_numbers_may_be_their_own() {
        let codec = |ccsid, float| {
            let encoding = codepage::Encoding::by_ccsid(ccsid).expect("a page");
            let own = Some(ByteOrder::Little);
            Options { ieee_order: own, float, ..Options::new(encoding) }.float_codec()
        };
        assert_eq!((codec(819, None).form, codec(819, None).order), (FloatForm::Ieee, ByteOrder::Little));
        // IBM's form is that of a mainframe, on every machine.
        assert_eq!((codec(37, None).form, codec(37, None).order), (FloatForm::Ibm, ByteOrder::Big));
        assert_eq!(codec(37, Some(FloatForm::Ieee)).order, ByteOrder::Little);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn what_is_written_reads_back(bits in any::<u64>(), long in any::<bool>()) {
            let bytes = if long { bits.to_be_bytes().to_vec() } else { bits.to_be_bytes()[..4].to_vec() };
            let text = read(IBM, &bytes);
            let again = write(IBM, &text, bytes.len());
            prop_assert_eq!(read(IBM, &again), text, "{:02X?} {:02X?}", bytes, again);
            // A normal number comes back as the same bytes.
            if bytes[1] >= 0x10 {
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
