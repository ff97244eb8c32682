//! Integers by pictures: digits, letters, Roman numerals and English words (XPath's format-integer).

mod words;

use super::Row;
use super::numbers::given;
use super::strings::text;
use crate::error::Error;
use crate::evaluate::{Evaluation, Result};
use crate::number::Number;
use crate::value::Value;

pub(super) const TABLE: &[Row] =
    &[("formatInteger", "<n-s:s>", format_integer), ("parseInteger", "<s-s:n>", parse_integer)];

/// Larger values are not written as Roman numerals or letters.
const NUMERAL_VALUE_MAX: i128 = 1_000_000;

/// A picture of an integer.
#[derive(Clone, Debug)]
pub(super) struct IntegerPicture {
    pub(super) form: Form,
    /// `;o`: first, 2nd, third.
    pub(super) ordinal: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    Decimal(Digits),
    Letters(Case),
    Roman(Case),
    Words(Case),
}

#[derive(Clone, Debug)]
pub(super) struct Digits {
    zero: char,
    pub(super) mandatory: usize,
    pub(super) optional: usize,
    /// Digits to the right of each separator.
    separators: Vec<(usize, char)>,
    /// The distance in which the separators repeat.
    pub(super) regular: Option<(usize, char)>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Case {
    Upper,
    Lower,
    Title,
}

fn format_integer(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let (Some(number), Some(picture)) = (given(&arguments[0]), arguments[1].as_str()) else {
        return Ok(Value::Undefined);
    };
    let Some((value, _)) = number.floor().as_decimal() else {
        return Err(Error::new("D3130", format!("$formatInteger: {number} has more than 38 digits")));
    };
    let text = IntegerPicture::parse(picture)?.format(value)?;
    evaluation.purse.built(text.len())?;
    Ok(Value::from(text))
}

fn parse_integer(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let (Some(text), Some(picture)) = (text(arguments), arguments[1].as_str()) else {
        return Ok(Value::Undefined);
    };
    let value = IntegerPicture::parse(picture)?.read(text).and_then(|value| Number::decimal(value, 0));
    value.map(Value::Number).ok_or_else(|| {
        Error::new("D3137", format!("$parseInteger: {text:?} is not an integer of the picture {picture:?}"))
    })
}

impl IntegerPicture {
    /// # Errors
    /// D3130 for a picture of another kind, D3131 for digits of two alphabets.
    pub(super) fn parse(picture: &str) -> Result<IntegerPicture> {
        let (primary, ordinal) = match picture.rsplit_once(';') {
            Some((primary, modifier)) => (primary, modifier.starts_with('o')),
            None => (picture, false),
        };
        let form = match primary {
            "A" => Form::Letters(Case::Upper),
            "a" => Form::Letters(Case::Lower),
            "I" => Form::Roman(Case::Upper),
            "i" => Form::Roman(Case::Lower),
            "W" => Form::Words(Case::Upper),
            "w" => Form::Words(Case::Lower),
            "Ww" => Form::Words(Case::Title),
            _ => Form::Decimal(Digits::parse(primary)?),
        };
        Ok(IntegerPicture { form, ordinal })
    }

    pub(super) fn format(&self, value: i128) -> Result<String> {
        let size = i128::try_from(value.unsigned_abs()).unwrap_or(i128::MAX);
        let text = match &self.form {
            Form::Decimal(digits) => digits.format(size) + if self.ordinal { suffix(size) } else { "" },
            Form::Words(case) => case.apply(&words::of(size, self.ordinal)),
            Form::Letters(_) | Form::Roman(_) if size > NUMERAL_VALUE_MAX => {
                let message = format!("{value} is more than a numeral can be ({NUMERAL_VALUE_MAX})");
                return Err(Error::new("D3130", message));
            }
            Form::Letters(case) => case.apply(&letters(size)),
            Form::Roman(case) => case.apply(&roman(size)),
        };
        Ok(if value < 0 { format!("-{text}") } else { text })
    }

    /// The value of a text in the picture's form.
    pub(super) fn read(&self, text: &str) -> Option<i128> {
        match &self.form {
            Form::Decimal(digits) => digits.read(text),
            Form::Words(_) => words::read(&text.to_lowercase()),
            Form::Letters(_) => text.to_ascii_lowercase().bytes().try_fold(0_i128, |value, letter| {
                letter.is_ascii_lowercase().then_some(())?;
                value.checked_mul(26)?.checked_add(i128::from(letter - b'a') + 1)
            }),
            Form::Roman(_) => read_roman(&text.to_ascii_lowercase()),
        }
    }
}

impl Digits {
    fn parse(picture: &str) -> Result<Digits> {
        let mut digits =
            Digits { zero: '0', mandatory: 0, optional: 0, separators: Vec::new(), regular: None };
        let mut position = 0;
        for character in picture.chars().rev() {
            if let Some(zero) = zero_of(character) {
                if digits.mandatory > 0 && zero != digits.zero {
                    return Err(Error::new(
                        "D3131",
                        format!("the picture {picture:?} has digits of two alphabets"),
                    ));
                }
                digits.zero = zero;
                digits.mandatory += 1;
                position += 1;
            } else if character == '#' {
                digits.optional += 1;
                position += 1;
            } else {
                digits.separators.push((position, character));
            }
        }
        if digits.mandatory == 0 {
            return Err(Error::new("D3130", format!("the picture {picture:?} is not supported")));
        }
        digits.regular = regular(&digits.separators);
        Ok(digits)
    }

    fn format(&self, size: i128) -> String {
        let plain = format!("{size:0width$}", width = self.mandatory);
        let mut out = Vec::new();
        for (done, digit) in plain.bytes().rev().enumerate() {
            match self.regular {
                Some((distance, separator)) if done > 0 && done % distance == 0 => out.push(separator),
                Some(_) => {}
                None => out.extend(
                    self.separators.iter().filter(|(at, _)| *at == done).map(|(_, separator)| *separator),
                ),
            }
            out.push(char::from_u32(self.zero as u32 + u32::from(digit - b'0')).unwrap_or('?'));
        }
        out.iter().rev().collect()
    }

    fn read(&self, text: &str) -> Option<i128> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let text = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let mut value = None;
        for character in text.chars() {
            let digit = (character as u32).checked_sub(self.zero as u32).filter(|digit| *digit < 10);
            match digit {
                Some(digit) => {
                    value = Some(value.unwrap_or(0_i128).checked_mul(10)?.checked_add(digit.into())?)
                }
                None if self.separators.iter().any(|(_, separator)| *separator == character) => {}
                None => return None,
            }
        }
        value.map(|value| if negative { -value } else { value })
    }
}

/// The zero of the alphabet that has this digit.
pub(super) fn zero_of(character: char) -> Option<char> {
    // The zeros of Unicode's decimal digits in the basic plane.
    const ZEROS: [u32; 37] = [
        0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
        0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0,
        0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    ];
    let code = character as u32;
    let zero = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code))?;
    char::from_u32(*zero)
}

/// The distance in which all separators repeat, if they do and are equal.
fn regular(separators: &[(usize, char)]) -> Option<(usize, char)> {
    let (_, character) = *separators.first()?;
    let distance = separators.iter().map(|(at, _)| *at).reduce(gcd).filter(|distance| *distance > 0)?;
    let repeats =
        (1..=separators.len()).all(|times| separators.iter().any(|(at, _)| *at == times * distance));
    (repeats && separators.iter().all(|(_, other)| *other == character)).then_some((distance, character))
}

pub(super) fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn suffix(size: i128) -> &'static str {
    match (size % 10, size % 100) {
        (1..=3, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

impl Case {
    pub(super) fn apply(self, title: &str) -> String {
        match self {
            Case::Upper => title.to_uppercase(),
            Case::Lower => title.to_lowercase(),
            Case::Title => title.to_string(),
        }
    }
}

fn letters(mut size: i128) -> String {
    let mut out = Vec::new();
    while size > 0 {
        size -= 1;
        out.push(char::from(b'a' + (size % 26) as u8));
        size /= 26;
    }
    out.iter().rev().collect()
}

const NUMERALS: [(i128, &str); 13] = [
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
];

fn roman(mut size: i128) -> String {
    let mut out = String::new();
    for (value, numeral) in NUMERALS {
        while size >= value {
            out.push_str(numeral);
            size -= value;
        }
    }
    out
}

fn read_roman(text: &str) -> Option<i128> {
    let values = text.chars().map(|letter| {
        NUMERALS.iter().find(|(_, numeral)| numeral.chars().eq([letter])).map(|(value, _)| *value)
    });
    let values = values.collect::<Option<Vec<i128>>>()?;
    let next = values.iter().skip(1).chain(&[0]);
    Some(values.iter().zip(next).map(|(value, next)| if value < next { -value } else { *value }).sum())
}
