//! Picture strings of dates and times, split into terms.

use super::conditions::{Condition, PICTURE};

/// The picture of a date if the program gives a blank one: that of the country US.
pub const DEFAULT_DATE: &[u8] = b"MM/DD/YY";

/// The picture of a timestamp if the program gives a blank one.
pub const DEFAULT_TIMESTAMP: &[u8] = b"MM/DD/YY ZH:MI:SS AP";

/// A term of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// Digits of the year, 1 to 4.
    Year(usize),
    Month(Zeros),
    /// The month's name, in the form of [`Name`].
    MonthName(Name),
    /// The month in Roman numerals, in 4 places.
    Roman(Fill),
    Day(Zeros),
    DayOfYear,
    Hour(Zeros),
    Minute,
    Second,
    /// This number of digits of the second's fraction.
    Fraction(usize),
    /// AM or PM.
    HalfDay {
        upper: bool,
        dots: bool,
    },
    WeekdayName(Name),
    /// A character that stands for itself.
    Literal(u8),
}

/// Whether a number of two digits is written with its leading zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zeros {
    Kept,
    Dropped,
}

/// Whether a word is filled with blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    Blanks,
    Nothing,
}

/// The form of a name: which of its characters are capitals, for each character that has room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) capitals: Vec<bool>,
    pub(super) fill: Fill,
}

/// The most characters of a name.
const NAME_MAX: usize = 20;

/// The terms of a picture.
///
/// # Errors
/// CEE2EM: it has an era, which is not supported.
pub(super) fn terms(picture: &[u8]) -> Result<Vec<Term>, Condition> {
    let mut terms = Vec::new();
    let mut rest = picture;
    let mut after_hour = false;
    while let Some(first) = rest.first() {
        let (term, taken) = term(rest, after_hour);
        match (&term, first) {
            (Term::Literal(b'<'), _) => return Err(PICTURE),
            (Term::Literal(_), _) => {}
            (term, _) => after_hour = matches!(term, Term::Hour(_)),
        }
        terms.push(term);
        rest = &rest[taken..];
    }
    Ok(terms)
}

/// The first term, and its number of characters. MM after an hour means minutes.
fn term(rest: &[u8], after_hour: bool) -> (Term, usize) {
    let run = |upper: u8| rest.iter().take_while(|byte| byte.to_ascii_uppercase() == upper).count();
    let exact = |upper: u8| rest.iter().take_while(|byte| **byte == upper).count();
    let starts = |text: &[u8]| rest.starts_with(text);
    let half_day = |upper: bool, dots: bool| Term::HalfDay { upper, dots };
    match rest[0] {
        b'Z' if starts(b"ZYY") => (Term::Year(3), 3),
        b'Z' if starts(b"ZM") && !starts(b"ZMM") => (Term::Month(Zeros::Dropped), 2),
        b'Z' if starts(b"ZD") => (Term::Day(Zeros::Dropped), 2),
        b'Z' if starts(b"ZH") => (Term::Hour(Zeros::Dropped), 2),
        b'Y' => (Term::Year(exact(b'Y').min(4)), exact(b'Y').min(4)),
        b'M' | b'm' if run(b'M') >= 3 => name(rest, run(b'M'), Term::MonthName),
        b'M' if starts(b"MI") => (Term::Minute, 2),
        b'M' if starts(b"MM") && after_hour => (Term::Minute, 2),
        b'M' if starts(b"MM") => (Term::Month(Zeros::Kept), 2),
        b'R' if starts(b"RRRR") => (Term::Roman(Fill::Blanks), 4),
        b'R' if starts(b"RRRZ") => (Term::Roman(Fill::Nothing), 4),
        b'D' if starts(b"DDD") => (Term::DayOfYear, 3),
        b'D' if starts(b"DD") => (Term::Day(Zeros::Kept), 2),
        b'H' if starts(b"HH") => (Term::Hour(Zeros::Kept), 2),
        b'S' if starts(b"SS") => (Term::Second, 2),
        b'9' => (Term::Fraction(exact(b'9').min(3)), exact(b'9').min(3)),
        b'A' if starts(b"AP") => (half_day(true, false), 2),
        b'A' if starts(b"A.P.") => (half_day(true, true), 4),
        b'a' if starts(b"ap") => (half_day(false, false), 2),
        b'a' if starts(b"a.p.") => (half_day(false, true), 4),
        b'W' | b'w' => name(rest, run(b'W'), Term::WeekdayName),
        other => (Term::Literal(other), 1),
    }
}

/// A name of a month or weekday. A Z at its end leaves blanks out, unless it belongs to the next term.
fn name(rest: &[u8], letters: usize, term: impl Fn(Name) -> Term) -> (Term, usize) {
    let letters = letters.min(NAME_MAX);
    let capitals: Vec<bool> = rest[..letters].iter().map(u8::is_ascii_uppercase).collect();
    let next = |at: usize| rest.get(letters + at).copied().unwrap_or(b' ');
    let trims = next(0) == b'z' || (next(0) == b'Z' && !matches!(next(1), b'D' | b'M' | b'H' | b'Y'));
    if !trims {
        return (term(Name { capitals, fill: Fill::Blanks }), letters);
    }
    // In place of the Z, the text may have a letter of the name.
    let mut capitals = capitals;
    capitals.push(next(0) == b'Z');
    (term(Name { capitals, fill: Fill::Nothing }), letters + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_taken_apart() {
        use Term::*;
        let dash = || Literal(b'-');
        assert_eq!(
            terms(b"YYYY-MM-DD"),
            Ok(vec![Year(4), dash(), Month(Zeros::Kept), dash(), Day(Zeros::Kept)])
        );
        assert_eq!(terms(b"HH:MM"), Ok(vec![Hour(Zeros::Kept), Literal(b':'), Minute]));
        assert_eq!(terms(b"YYDDD"), Ok(vec![Year(2), DayOfYear]));
        assert_eq!(terms(b"S P"), Ok(vec![Literal(b'S'), Literal(b' '), Literal(b'P')]));
        let month = Name { capitals: vec![true; 3], fill: Fill::Blanks };
        assert_eq!(terms(b"MMMZD"), Ok(vec![MonthName(month), Day(Zeros::Dropped)]));
        let day = Name { capitals: vec![true, false, false], fill: Fill::Nothing };
        assert_eq!(terms(b"Wwz."), Ok(vec![WeekdayName(day), Literal(b'.')]));
        assert_eq!(terms(b"<JJJJ> YY.MM.DD"), Err(PICTURE));
        assert_eq!(terms(b""), Ok(vec![]));
    }
}
