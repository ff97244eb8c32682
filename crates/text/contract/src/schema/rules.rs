//! Exact arithmetic of number rules: comparison, integers and multiples, for numbers of any length.

use std::cmp::Ordering;

use expression::Number;

/// True for numbers without a fraction, such as `1.0` and `1e3`.
pub(crate) fn is_integer(number: &Number) -> bool {
    match number.as_decimal() {
        Some((_, scale)) => scale == 0,
        None => Digits::of(number).exponent >= 0,
    }
}

/// Compares two numbers exactly.
pub(crate) fn compare(left: &Number, right: &Number) -> Ordering {
    if left.as_decimal().is_some()
        && right.as_decimal().is_some()
        && let Some(ordering) = left.partial_cmp(right)
    {
        return ordering;
    }
    Digits::of(left).compare(&Digits::of(right))
}

/// True if a number is a multiple of another, which is above zero; none if it has too many digits to find
/// out.
pub(crate) fn is_multiple(number: &Number, of: &Number) -> Option<bool> {
    let ((units, scale), (of_units, of_scale)) = (number.as_decimal()?, of.as_decimal()?);
    if units == 0 {
        return Some(true);
    }
    // Both have as few decimal places as possible, so a multiple cannot have more than the other number.
    if scale > of_scale {
        return Some(false);
    }
    let mut rest = units % of_units;
    for _ in scale..of_scale {
        rest = rest.checked_mul(10)? % of_units;
    }
    Some(rest == 0)
}

/// A number as digits without zeros at either end, times ten to the power of the exponent.
struct Digits {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Digits {
    fn of(number: &Number) -> Self {
        let text = number.to_string();
        let (text, exponent) = match text.split_once(['e', 'E']) {
            Some((text, exponent)) => (text, exponent_of(exponent)),
            None => (text.as_str(), 0),
        };
        let (negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let mut digits: Vec<u8> =
            whole.bytes().chain(fraction.bytes()).skip_while(|digit| *digit == b'0').collect();
        let mut exponent = exponent.saturating_sub(fraction.len() as i64);
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent = exponent.saturating_add(1);
        }
        if digits.is_empty() {
            return Self { negative: false, digits, exponent: 0 };
        }
        Self { negative, digits, exponent }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let sign = |one: &Self| match (one.digits.is_empty(), one.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let order = sign(self).cmp(&sign(other));
        if order != Ordering::Equal || self.digits.is_empty() {
            return order;
        }
        let places = |one: &Self| one.exponent.saturating_add(one.digits.len() as i64);
        let size = places(self).cmp(&places(other)).then_with(|| self.digits.cmp(&other.digits));
        if self.negative { size.reverse() } else { size }
    }
}

/// An exponent. If it has more digits than an integer of the machine, only its sign matters.
fn exponent_of(text: &str) -> i64 {
    let most = i64::MAX / 4;
    text.parse::<i64>()
        .map_or(if text.starts_with('-') { -most } else { most }, |value| value.clamp(-most, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn numbers_of_any_length_are_compared_exactly() {
        let long = "1".repeat(60);
        let ascending = [
            "-1e999999999999999999999",
            "-1e400",
            "-2.5",
            "-2.49",
            "0",
            "1e-400",
            "0.1",
            "0.10000000000000000000000000000000000000000000000000000001",
            "1",
            "9007199254740993",
            &long,
            "1e400",
        ];
        for (at, left) in ascending.iter().enumerate() {
            for (other, right) in ascending.iter().enumerate() {
                assert_eq!(compare(&number(left), &number(right)), at.cmp(&other), "{left} and {right}");
            }
        }
        assert_eq!(compare(&number("1e2"), &number("100.0")), Ordering::Equal);
        assert_eq!(compare(&number("-0.0"), &number("0")), Ordering::Equal);
    }

    #[test]
    fn integers_are_told_by_value() {
        for integer in ["0", "-3", "1.0", "1e3", "1.5e1", "1e400"] {
            assert!(is_integer(&number(integer)), "{integer}");
        }
        for other in ["0.5", "1e-1", "1e-400", "1.00000000000000000000000000000000000000000000000001"] {
            assert!(!is_integer(&number(other)), "{other}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        let check = |value: &str, of: &str| is_multiple(&number(value), &number(of));
        for (value, of) in
            [("0.3", "0.1"), ("4.35", "0.01"), ("19.99", "0.01"), ("0", "7"), ("-9", "1.5"), ("1e20", "0.5")]
        {
            assert_eq!(check(value, of), Some(true), "{value} of {of}");
        }
        for (value, of) in [("0.35", "0.1"), ("7", "2"), ("0.001", "0.01"), ("10000000000000000001", "2")] {
            assert_eq!(check(value, of), Some(false), "{value} of {of}");
        }
        assert_eq!(check("1e400", "7"), None);
    }
}
