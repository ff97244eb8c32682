//! Numbers that stay exact: decimals of up to 38 digits. Floating point is only for results that have no such
//! form.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::error::Error;

/// The most digits of an exact decimal, before and behind the point together. COBOL's extended numbers have 31.
pub const DECIMAL_DIGITS_MAX: u32 = 38;

/// All integers up to here are exact in floating point.
const FLOAT_INTEGER_MAX: f64 = 9_007_199_254_740_992.0;

/// A JSON number. A number that is read is written with the same value, whatever its number of digits.
#[derive(Clone, Debug)]
pub struct Number(Form);

#[derive(Clone, Debug)]
enum Form {
    /// `units / 10^scale`, with the least possible scale.
    Decimal { units: i128, scale: u32 },
    /// The result of an operation that is not a short decimal. Always finite.
    Float(f64),
    /// A number with more digits than a decimal holds, as text. Arithmetic uses the nearest float.
    Long(Arc<str>),
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number(Form::Decimal { units: 0, scale: 0 });

    /// `units / 10^scale`; `None` beyond [`DECIMAL_DIGITS_MAX`] digits.
    pub fn decimal(units: i128, scale: u32) -> Option<Number> {
        let (mut units, mut scale) = (units, scale);
        while scale > 0 && units % 10 == 0 {
            units /= 10;
            scale -= 1;
        }
        let fits =
            scale <= DECIMAL_DIGITS_MAX && units.unsigned_abs() < ten(DECIMAL_DIGITS_MAX)?.unsigned_abs();
        fits.then_some(Number(Form::Decimal { units, scale }))
    }

    /// The units and the scale of an exact decimal. The scale is the least possible one.
    pub fn as_decimal(&self) -> Option<(i128, u32)> {
        match self.0 {
            Form::Decimal { units, scale } => Some((units, scale)),
            _ => None,
        }
    }

    /// Reads a number in JSON's grammar: `-12.50e3`, no leading zeros, no plus. `None` for anything else.
    pub fn parse(text: &str) -> Option<Number> {
        let written = Written::read(text.as_bytes())?;
        let exact = written.decimal().map(|(units, scale)| Number::decimal(units, scale));
        Some(exact.flatten().unwrap_or_else(|| Number(Form::Long(text.into()))))
    }

    /// A result of floating point.
    ///
    /// # Errors
    /// D1001 for infinities and NaN.
    pub(crate) fn from_float(value: f64) -> Result<Number, Error> {
        if !value.is_finite() {
            return Err(Error::new("D1001", format!("the number is out of range: {value}")));
        }
        if value.fract() == 0.0 && value.abs() < FLOAT_INTEGER_MAX {
            return Ok(Number::from(value as i64));
        }
        Ok(Number(Form::Float(value)))
    }

    /// The nearest floating point number; infinite for the very large.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Form::Decimal { units, scale } => decimal_to_float(*units, *scale),
            Form::Float(value) => *value,
            Form::Long(text) => text.parse().unwrap_or(f64::NAN),
        }
    }

    /// The greatest integer that is not above it, in 64 bits. Numbers outside of the range become the end of
    /// the range.
    pub(crate) fn floor_i64(&self) -> i64 {
        match &self.0 {
            Form::Decimal { units, scale } => {
                let floor = units.div_euclid(ten(*scale).unwrap_or(i128::MAX));
                floor.clamp(i64::MIN.into(), i64::MAX.into()) as i64
            }
            _ => self.to_f64().floor() as i64,
        }
    }

    /// The value if it is an integer of 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Form::Decimal { units, scale: 0 } => i64::try_from(units).ok(),
            _ => None,
        }
    }

    pub(crate) fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Decimal { scale, .. } => *scale == 0,
            _ => self.to_f64().fract() == 0.0,
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        match &self.0 {
            Form::Decimal { units, .. } => *units == 0,
            Form::Float(value) => *value == 0.0,
            Form::Long(text) => {
                !text.bytes().take_while(|b| !b"eE".contains(b)).any(|b| (b'1'..=b'9').contains(&b))
            }
        }
    }

    pub(crate) fn negate(&self) -> Number {
        match &self.0 {
            Form::Decimal { units, scale } => Number(Form::Decimal { units: -units, scale: *scale }),
            Form::Float(value) => Number(Form::Float(-value)),
            Form::Long(text) => Number(Form::Long(match text.strip_prefix('-') {
                Some(rest) => rest.into(),
                None => format!("-{text}").into(),
            })),
        }
    }

    pub(crate) fn abs(&self) -> Number {
        if *self < Number::ZERO { self.negate() } else { self.clone() }
    }

    /// Exact if the sum fits.
    pub(crate) fn add(&self, other: &Number) -> Result<Number, Error> {
        let exact = self.aligned(other).and_then(|(a, b, scale)| Number::decimal(a.checked_add(b)?, scale));
        exact.map_or_else(|| Number::from_float(self.to_f64() + other.to_f64()), Ok)
    }

    pub(crate) fn subtract(&self, other: &Number) -> Result<Number, Error> {
        self.add(&other.negate())
    }

    /// Exact if the product fits.
    pub(crate) fn multiply(&self, other: &Number) -> Result<Number, Error> {
        let exact = self
            .decimals(other)
            .and_then(|((a, a_scale), (b, b_scale))| Number::decimal(a.checked_mul(b)?, a_scale + b_scale));
        exact.map_or_else(|| Number::from_float(self.to_f64() * other.to_f64()), Ok)
    }

    /// Exact if the quotient is a decimal that fits: 10/4 is one, 10/3 is not.
    pub(crate) fn divide(&self, other: &Number) -> Result<Number, Error> {
        let exact = self.decimals(other).and_then(|(a, b)| exact_quotient(a, b));
        exact.map_or_else(|| Number::from_float(self.to_f64() / other.to_f64()), Ok)
    }

    /// The remainder of a division with an integer quotient, with the sign of the dividend.
    pub(crate) fn remainder(&self, other: &Number) -> Result<Number, Error> {
        let exact = self.aligned(other).and_then(|(a, b, scale)| Number::decimal(a.checked_rem(b)?, scale));
        exact.map_or_else(|| Number::from_float(self.to_f64() % other.to_f64()), Ok)
    }

    /// Exact for small integer exponents if the power fits.
    pub(crate) fn power(&self, exponent: &Number) -> Result<Number, Error> {
        if let (Some(mut times), Some(_)) =
            (exponent.as_i64().filter(|e| (0..=128).contains(e)), self.as_decimal())
        {
            let mut power = Number::from(1_i64);
            while times > 0 && power.as_decimal().is_some() {
                power = power.multiply(self)?;
                times -= 1;
            }
            if power.as_decimal().is_some() {
                return Ok(power);
            }
        }
        let value = self.to_f64().powf(exponent.to_f64());
        Number::from_float(value).map_err(|_| {
            Error::new(
                "D3061",
                format!("$power: {self} to the power of {exponent} is not a number that can be held"),
            )
        })
    }

    /// Rounds to `places` digits behind the point (before it, if negative). A half goes to the even
    /// neighbour.
    pub(crate) fn round(&self, places: i64) -> Number {
        let Some((units, scale)) = self.shortest() else { return self.clone() };
        let cut = i64::from(scale).saturating_sub(places);
        if cut <= 0 {
            return self.clone();
        }
        let Some(unit) = u32::try_from(cut).ok().and_then(ten) else { return Number::ZERO };
        let (quotient, rest) = (units / unit, (units % unit).abs());
        let up = match rest.cmp(&(unit - rest)) {
            Ordering::Greater => true,
            Ordering::Equal => quotient % 2 != 0,
            Ordering::Less => false,
        };
        let rounded = quotient + if up { units.signum() } else { 0 };
        let exact = match u32::try_from(places) {
            Ok(scale) => Number::decimal(rounded, scale),
            Err(_) => u32::try_from(-places)
                .ok()
                .and_then(ten)
                .and_then(|unit| rounded.checked_mul(unit))
                .and_then(|units| Number::decimal(units, 0)),
        };
        exact.unwrap_or_else(|| self.clone())
    }

    pub(crate) fn floor(&self) -> Number {
        self.integer(|units, unit| units.div_euclid(unit), f64::floor)
    }

    pub(crate) fn ceil(&self) -> Number {
        self.integer(|units, unit| -(-units).div_euclid(unit), f64::ceil)
    }

    fn integer(&self, exact: fn(i128, i128) -> i128, float: fn(f64) -> f64) -> Number {
        match &self.0 {
            Form::Decimal { units, scale } => ten(*scale)
                .and_then(|unit| Number::decimal(exact(*units, unit), 0))
                // With a scale of 38, the number is below one.
                .unwrap_or_else(|| self.clone()),
            _ => Number::from_float(float(self.to_f64())).unwrap_or_else(|_| self.clone()),
        }
    }

    /// The decimal with the shortest text of the number.
    fn shortest(&self) -> Option<(i128, u32)> {
        match &self.0 {
            Form::Decimal { units, scale } => Some((*units, *scale)),
            Form::Float(_) => Number::parse(&self.to_string())?.as_decimal(),
            Form::Long(_) => None,
        }
    }

    fn decimals(&self, other: &Number) -> Option<((i128, u32), (i128, u32))> {
        Some((self.as_decimal()?, other.as_decimal()?))
    }

    /// Both numbers in units of the finer scale.
    fn aligned(&self, other: &Number) -> Option<(i128, i128, u32)> {
        let ((a, a_scale), (b, b_scale)) = self.decimals(other)?;
        let scale = a_scale.max(b_scale);
        Some((a.checked_mul(ten(scale - a_scale)?)?, b.checked_mul(ten(scale - b_scale)?)?, scale))
    }

    /// The text of `$string`. Inexact numbers are rounded to 15 digits, which hides the noise of floating
    /// point.
    pub(crate) fn to_text(&self) -> String {
        match self.0 {
            Form::Float(value) => {
                let rounded = format!("{value:.14e}").parse().unwrap_or(value);
                Number::from_float(rounded).unwrap_or_else(|_| self.clone()).to_string()
            }
            _ => self.to_string(),
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number(Form::Decimal { units: value.into(), scale: 0 })
    }
}

impl From<usize> for Number {
    fn from(value: usize) -> Number {
        Number(Form::Decimal { units: value as i128, scale: 0 })
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        if let Some((a, b)) = self.decimals(other) {
            return Some(compare(a, b));
        }
        if let (Form::Long(a), Form::Long(b)) = (&self.0, &other.0)
            && a == b
        {
            return Some(Ordering::Equal);
        }
        self.to_f64().partial_cmp(&other.to_f64())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Decimal { units, scale: 0 } => write!(f, "{units}"),
            Form::Decimal { units, scale } => {
                let digits = format!("{:0width$}", units.unsigned_abs(), width = *scale as usize + 1);
                let (whole, fraction) = digits.split_at(digits.len() - *scale as usize);
                write!(f, "{}{whole}.{fraction}", if *units < 0 { "-" } else { "" })
            }
            Form::Float(value) => f.write_str(&float_text(*value)),
            Form::Long(text) => f.write_str(text),
        }
    }
}

/// The parts of a number's text.
struct Written<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
}

impl Written<'_> {
    fn read(text: &[u8]) -> Option<Written<'_>> {
        let (negative, text) = match text.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, text) = digits(text)?;
        if whole.len() > 1 && whole[0] == b'0' {
            return None;
        }
        let (fraction, text) = match text.strip_prefix(b".") {
            Some(rest) => digits(rest)?,
            None => (&[][..], text),
        };
        let exponent = match text.first() {
            None => 0,
            Some(b'e' | b'E') => exponent(&text[1..])?,
            Some(_) => return None,
        };
        Some(Written { negative, whole, fraction, exponent })
    }

    /// Units and scale, if they fit.
    fn decimal(&self) -> Option<(i128, u32)> {
        let mut units: i128 = 0;
        for digit in self.whole.iter().chain(self.fraction) {
            units = units.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
        }
        if units == 0 {
            return Some((0, 0));
        }
        let mut scale = i64::try_from(self.fraction.len()).ok()?.checked_sub(self.exponent)?;
        while scale > 0 && units % 10 == 0 {
            units /= 10;
            scale -= 1;
        }
        if scale < 0 {
            units = units.checked_mul(ten(u32::try_from(-scale).ok()?)?)?;
            scale = 0;
        }
        Some((if self.negative { -units } else { units }, u32::try_from(scale).ok()?))
    }
}

/// The digits at the start, at least one, and the rest.
fn digits(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// An exponent behind its letter. If it has too many digits to matter, a limit replaces it.
fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, text) = match text.first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (digits, rest) = digits(text)?;
    if !rest.is_empty() {
        return None;
    }
    let value =
        digits.iter().fold(0_i64, |value, digit| (value * 10 + i64::from(digit - b'0')).min(1_000_000_000));
    Some(if negative { -value } else { value })
}

fn ten(exponent: u32) -> Option<i128> {
    10_i128.checked_pow(exponent)
}

fn compare((a, a_scale): (i128, u32), (b, b_scale): (i128, u32)) -> Ordering {
    let split = |units: i128, scale: u32| {
        let unit = ten(scale).unwrap_or(i128::MAX);
        let fraction = units.rem_euclid(unit) * ten(DECIMAL_DIGITS_MAX - scale).unwrap_or(1);
        (units.div_euclid(unit), fraction)
    };
    split(a, a_scale).cmp(&split(b, b_scale))
}

fn exact_quotient((a, a_scale): (i128, u32), (b, b_scale): (i128, u32)) -> Option<Number> {
    if b == 0 {
        return None;
    }
    let divisor = greatest_common_divisor(a, b);
    let (mut a, mut b) = (a / divisor, b / divisor);
    if b < 0 {
        (a, b) = (-a, -b);
    }
    let mut scale = i64::from(a_scale) - i64::from(b_scale);
    while b > 1 {
        // Each further digit behind the point takes a two and a five out of the divisor.
        let shared = match (b % 2, b % 5) {
            (0, 0) => (10, 1),
            (0, _) => (2, 5),
            (_, 0) => (5, 2),
            _ => return None,
        };
        b /= shared.0;
        a = a.checked_mul(shared.1)?;
        scale += 1;
    }
    if scale < 0 {
        a = a.checked_mul(ten(u32::try_from(-scale).ok()?)?)?;
        scale = 0;
    }
    Number::decimal(a, u32::try_from(scale).ok()?)
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

fn decimal_to_float(units: i128, scale: u32) -> f64 {
    // Both are exact as floats, so the only division is rounded correctly.
    if units.unsigned_abs() < (1 << 53) && scale <= 22 {
        return units as f64 / 10_f64.powi(scale as i32);
    }
    format!("{units}e-{scale}").parse().unwrap_or(f64::NAN)
}

/// The shortest text that reads as the same float, in the form of JavaScript.
fn float_text(value: f64) -> String {
    if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    match text.split_once("e-") {
        Some(_) => text,
        None => text.replace('e', "e+"),
    }
}
