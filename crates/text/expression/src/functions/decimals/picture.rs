//! The parts of a decimal's picture.

use crate::error::Error;
use crate::evaluate::Result;
use crate::functions::integers::gcd;
use crate::value::Value;

/// The most digits on each side of the point, and the most characters of a picture.
const PICTURE_MAX: usize = 400;

/// The special characters of pictures and results.
pub(super) struct Symbols {
    pub(super) decimal: char,
    grouping: char,
    pub(super) exponent: char,
    pub(super) minus: char,
    percent: char,
    per_mille: char,
    zero: char,
    optional: char,
    pub(super) pattern_separator: char,
}

impl Symbols {
    /// The usual ones, except for those in the options.
    pub(super) fn of(options: &Value) -> Symbols {
        let symbol = |name, usual| {
            let given = options.get(name).and_then(Value::as_str);
            given.and_then(|text| text.chars().next()).unwrap_or(usual)
        };
        Symbols {
            decimal: symbol("decimal-separator", '.'),
            grouping: symbol("grouping-separator", ','),
            exponent: symbol("exponent-separator", 'e'),
            minus: symbol("minus-sign", '-'),
            percent: symbol("percent", '%'),
            per_mille: symbol("per-mille", '\u{2030}'),
            zero: symbol("zero-digit", '0'),
            optional: symbol("digit", '#'),
            pattern_separator: symbol("pattern-separator", ';'),
        }
    }

    fn is_digit(&self, character: char) -> bool {
        (self.zero as u32..self.zero as u32 + 10).contains(&(character as u32))
    }

    /// The alphabet's digit for an ASCII one.
    pub(super) fn digit(&self, ascii: u8) -> char {
        char::from_u32(self.zero as u32 + u32::from(ascii.wrapping_sub(b'0'))).unwrap_or(char::from(ascii))
    }

    fn is_active(&self, character: char) -> bool {
        self.is_digit(character)
            || [self.decimal, self.grouping, self.exponent, self.optional].contains(&character)
    }
}

pub(super) struct SubPicture {
    pub(super) prefix: String,
    pub(super) suffix: String,
    /// 100 for percent, 1,000 for per mille, else 1.
    pub(super) factor: i64,
    pub(super) whole_min: usize,
    /// Digits before the point of a number with an exponent.
    pub(super) scale: usize,
    pub(super) fraction_min: usize,
    pub(super) fraction_max: usize,
    /// Zero if there is no exponent.
    pub(super) exponent_digits: usize,
    /// Digits to the right of each separator before the point.
    whole_groups: Vec<usize>,
    regular: Option<usize>,
    /// Digits to the left of each separator behind the point.
    fraction_groups: Vec<usize>,
}

impl SubPicture {
    /// # Errors
    /// D3081 to D3093, the fault of the picture.
    pub(super) fn parse(picture: &str, symbols: &Symbols) -> Result<SubPicture> {
        let wrong = |code, what: &str| Err(Error::new(code, format!("the picture {picture:?} {what}")));
        if picture.len() > PICTURE_MAX {
            return wrong("D3086", "is too long");
        }
        let count = |symbol: char| picture.chars().filter(|character| *character == symbol).count();
        match (count(symbols.percent), count(symbols.per_mille)) {
            (2.., _) => return wrong("D3082", "has more than one percent sign"),
            (_, 2..) => return wrong("D3083", "has more than one per mille sign"),
            (1, 1) => return wrong("D3084", "has both a percent and a per mille sign"),
            _ => {}
        }
        if count(symbols.decimal) > 1 {
            return wrong("D3081", "has more than one decimal separator");
        }
        let begins = |character: char| symbols.is_active(character) && character != symbols.exponent;
        let Some(start) = picture.find(begins) else { return wrong("D3085", "has no digit") };
        let end = picture
            .rfind(begins)
            .map_or(start, |at| at + picture[at..].chars().next().map_or(1, char::len_utf8));
        let active = &picture[start..end];
        let (mantissa, exponent) = match active.split_once(symbols.exponent) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (active, None),
        };
        let (whole, fraction) = mantissa.split_once(symbols.decimal).unwrap_or((mantissa, ""));
        check(picture, symbols, Parts { active, whole, fraction, exponent })?;
        let factor = match (count(symbols.percent), count(symbols.per_mille)) {
            (1, _) => 100,
            (_, 1) => 1_000,
            _ => 1,
        };
        let mut parsed = SubPicture {
            prefix: picture[..start].to_string(),
            suffix: picture[end..].to_string(),
            factor,
            whole_min: digits(whole, symbols),
            scale: digits(whole, symbols),
            fraction_min: digits(fraction, symbols),
            fraction_max: fraction.chars().filter(|character| *character != symbols.grouping).count(),
            exponent_digits: exponent.map_or(0, |exponent| exponent.chars().count()),
            whole_groups: groups(whole.chars().rev(), symbols.grouping),
            regular: None,
            fraction_groups: groups(fraction.chars(), symbols.grouping),
        };
        parsed.adjust(whole.contains(symbols.optional));
        parsed.regular = regular(&parsed.whole_groups);
        Ok(parsed)
    }

    /// Makes sure that there is always a digit to write.
    fn adjust(&mut self, optional: bool) {
        let exponent = self.exponent_digits > 0;
        if self.whole_min == 0 && self.fraction_max == 0 {
            match exponent {
                true => (self.fraction_min, self.fraction_max) = (1, 1),
                false => self.whole_min = 1,
            }
        }
        if exponent && self.whole_min == 0 && optional {
            self.whole_min = 1;
        }
        if self.whole_min == 0 && self.fraction_min == 0 {
            self.fraction_min = 1;
        }
    }

    pub(super) fn group_whole(&self, digits: &str, symbols: &Symbols, out: &mut String) {
        for (at, digit) in digits.bytes().enumerate() {
            let right = digits.len() - at;
            let separated = match self.regular {
                Some(distance) => right.is_multiple_of(distance),
                None => self.whole_groups.contains(&right),
            };
            if at > 0 && separated {
                out.push(symbols.grouping);
            }
            out.push(symbols.digit(digit));
        }
    }

    pub(super) fn group_fraction(&self, digits: &str, symbols: &Symbols, out: &mut String) {
        for (at, digit) in digits.bytes().enumerate() {
            if at > 0 && self.fraction_groups.contains(&at) {
                out.push(symbols.grouping);
            }
            out.push(symbols.digit(digit));
        }
    }
}

struct Parts<'p> {
    active: &'p str,
    whole: &'p str,
    fraction: &'p str,
    exponent: Option<&'p str>,
}

fn check(picture: &str, symbols: &Symbols, parts: Parts) -> Result<()> {
    let Parts { active, whole, fraction, exponent } = parts;
    let grouping = symbols.grouping;
    let order = |part: &str, first: &dyn Fn(char) -> bool, second: &dyn Fn(char) -> bool| {
        part.find(first).is_some_and(|at| part[at..].contains(second))
    };
    let digit = |character: char| symbols.is_digit(character);
    let optional = |character: char| character == symbols.optional;
    let fault = if !active.contains(|c| digit(c) || optional(c)) {
        ("D3085", "has no digit")
    } else if active.contains(|c| !symbols.is_active(c)) {
        ("D3086", "has other characters between its digits")
    } else if picture.contains(symbols.decimal)
        && (whole.ends_with(grouping) || fraction.starts_with(grouping))
    {
        ("D3087", "has a grouping separator beside the decimal separator")
    } else if whole.ends_with(grouping) {
        ("D3088", "ends its digits with a grouping separator")
    } else if active.contains(&String::from_iter([grouping, grouping])) {
        ("D3089", "has two grouping separators in a row")
    } else if order(whole, &digit, &optional) {
        ("D3090", "has an optional digit behind a mandatory one before the point")
    } else if order(fraction, &optional, &digit) {
        ("D3091", "has a mandatory digit behind an optional one behind the point")
    } else if exponent.is_some() && picture.contains([symbols.percent, symbols.per_mille]) {
        ("D3092", "has both an exponent and a percent or per mille sign")
    } else if exponent.is_some_and(|exponent| exponent.is_empty() || !exponent.chars().all(digit)) {
        ("D3093", "needs digits, and nothing else, as its exponent")
    } else {
        return Ok(());
    };
    Err(Error::new(fault.0, format!("the picture {picture:?} {}", fault.1)))
}

fn digits(part: &str, symbols: &Symbols) -> usize {
    part.chars().filter(|character| symbols.is_digit(*character)).count()
}

/// Digits before each separator.
fn groups(characters: impl Iterator<Item = char>, grouping: char) -> Vec<usize> {
    let (mut count, mut groups) = (0, Vec::new());
    for character in characters {
        if character == grouping { groups.push(count) } else { count += 1 }
    }
    groups
}

fn regular(groups: &[usize]) -> Option<usize> {
    let distance = groups.iter().copied().reduce(gcd).filter(|distance| *distance > 0)?;
    (1..=groups.len()).all(|times| groups.contains(&(times * distance))).then_some(distance)
}
