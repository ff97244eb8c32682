//! Reads a date or a timestamp by its picture, like CEEDAYS and CEESECS.

use calendar::Date;

use super::conditions::{
    Condition, DATE_NOT_NUMERIC, HOURS, INSUFFICIENT, MINUTES, MONTH, PICTURE, SECONDS, TIMESTAMP_NOT_NUMERIC,
};
use super::lilian::{Stamp, lilian_of, lilian_of_day};
use super::picture::{Fill, Name, Term, terms};
use super::write::{MONTHS, ROMAN};

/// A shorter text is not a date.
const TEXT_MIN_BYTES: usize = 5;

/// The fewest letters of a month's name.
const NAME_MIN: usize = 3;

/// The service that reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// CEEDAYS and CEECBLDY: terms of the time are ignored.
    Date,
    /// CEESECS: they count, and are zero if the text has ended.
    Timestamp,
}

/// The meaning of years of two digits: one of the hundred years from this one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Century {
    /// The first year.
    pub first_year: i64,
}

impl Century {
    /// The window that begins this number of years before a year. LE's default is 80.
    pub fn before(year: i64, years: i64) -> Self {
        Self { first_year: year - years }
    }

    fn year(self, two_digits: i64) -> i64 {
        self.first_year + (two_digits - self.first_year).rem_euclid(100)
    }
}

/// The values so far.
#[derive(Default)]
struct Parts {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
    milliseconds: Option<i64>,
    afternoon: Option<bool>,
}

/// The text that follows a number in its picture. Delimiters are placeholders: any character may stand in
/// their place.
#[derive(Clone, Copy)]
enum After {
    Delimiter,
    End,
    Term,
}

struct Reader<'t> {
    rest: &'t [u8],
    reading: Reading,
}

/// Reads a text by its picture. Blanks before it do not count, nor does text after the last term.
///
/// # Errors
/// The fault of the text or the picture.
pub fn read(text: &[u8], picture: &[u8], reading: Reading, century: Century) -> Result<Stamp, Condition> {
    let terms = terms(picture)?;
    let blanks = |bytes: &[u8]| bytes.iter().take_while(|byte| **byte == b' ').count();
    if text.len() < TEXT_MIN_BYTES || blanks(text) == text.len() {
        return Err(INSUFFICIENT);
    }
    // A picture that begins with blanks skips only these.
    let skipped = if picture.first() == Some(&b' ') { 0 } else { blanks(text) };
    let mut reader = Reader { rest: &text[skipped..], reading };
    let mut parts = Parts::default();
    for (at, term) in terms.iter().enumerate() {
        let after = match terms.get(at + 1) {
            None => After::End,
            Some(Term::Literal(_)) => After::Delimiter,
            Some(_) => After::Term,
        };
        reader.term(term, after, &mut parts, century)?;
    }
    parts.stamp()
}

impl Reader<'_> {
    fn term(
        &mut self,
        term: &Term,
        after: After,
        parts: &mut Parts,
        century: Century,
    ) -> Result<(), Condition> {
        match term {
            Term::Year(4) => once(&mut parts.year, self.number(4, after)?),
            Term::Year(2) => {
                let year = self.number(2, after)?;
                once(&mut parts.year, century.year(year))
            }
            Term::Year(_) => Err(PICTURE),
            Term::Month(_) => once(&mut parts.month, self.number(2, after)?),
            Term::MonthName(name) => once(&mut parts.month, self.month(name)?),
            Term::Roman(_) => once(&mut parts.month, self.roman()?),
            Term::Day(_) => once(&mut parts.day, self.number(2, after)?),
            Term::DayOfYear => once(&mut parts.day_of_year, self.number(3, after)?),
            Term::Hour(_) => self.time(2, after, &mut parts.hour),
            Term::Minute => self.time(2, after, &mut parts.minute),
            Term::Second => self.time(2, after, &mut parts.second),
            Term::Fraction(digits) => {
                self.time(*digits, after, &mut parts.milliseconds)?;
                if let Some(fraction) = &mut parts.milliseconds {
                    *fraction *= 10_i64.pow(3 - *digits as u32);
                }
                Ok(())
            }
            Term::HalfDay { dots, .. } => self.half_day(if *dots { 4 } else { 2 }, &mut parts.afternoon),
            Term::WeekdayName(name) => {
                let letters = self.rest.iter().take(name.capitals.len());
                let count = letters.take_while(|byte| byte.is_ascii_alphabetic()).count();
                self.rest = &self.rest[count..];
                Ok(())
            }
            Term::Literal(_) => {
                self.rest = self.rest.get(1..).unwrap_or_default();
                Ok(())
            }
        }
    }

    fn not_numeric(&self) -> Condition {
        match self.reading {
            Reading::Date => DATE_NOT_NUMERIC,
            Reading::Timestamp => TIMESTAMP_NOT_NUMERIC,
        }
    }

    /// A number of this many digits. Leading zeros may be left out if a delimiter follows in the picture.
    fn number(&mut self, digits: usize, after: After) -> Result<i64, Condition> {
        let found = self.rest.iter().take(digits).take_while(|byte| byte.is_ascii_digit()).count();
        if found == 0 && self.rest.is_empty() {
            return Err(INSUFFICIENT);
        }
        let may_be_short = match after {
            After::Delimiter => true,
            After::End => self.rest.get(found).is_none_or(|next| !next.is_ascii_alphanumeric()),
            After::Term => false,
        };
        if found == 0 || (found < digits && !may_be_short) {
            return Err(self.not_numeric());
        }
        let (number, rest) = self.rest.split_at(found);
        self.rest = rest;
        Ok(number.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    }

    /// A number of the time. In a date it is ignored; it is zero if the text has ended.
    fn time(&mut self, digits: usize, after: After, place: &mut Option<i64>) -> Result<(), Condition> {
        if self.reading == Reading::Date {
            let found = self.rest.iter().take(digits).take_while(|byte| byte.is_ascii_digit()).count();
            self.rest = &self.rest[found..];
            return Ok(());
        }
        if self.rest.iter().all(|byte| *byte == b' ') {
            return once(place, 0);
        }
        let number = self.number(digits, after)?;
        once(place, number)
    }

    fn half_day(&mut self, bytes: usize, place: &mut Option<bool>) -> Result<(), Condition> {
        let (word, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.rest = rest;
        if self.reading == Reading::Date || word.iter().all(|byte| *byte == b' ') {
            return Ok(());
        }
        let afternoon = match word.first().map(u8::to_ascii_uppercase) {
            Some(b'A') => false,
            Some(b'P') => true,
            _ => return Err(self.not_numeric()),
        };
        match place.replace(afternoon) {
            Some(_) => Err(PICTURE),
            None => Ok(()),
        }
    }

    /// A month by its name, or by the start of it.
    fn month(&mut self, name: &Name) -> Result<i64, Condition> {
        let letters = self.rest.iter().take(name.capitals.len());
        let count = letters.take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, rest) = self.rest.split_at(count);
        // A name that is shorter than its field is filled with blanks, unless the picture ends with a Z.
        let filled = name.capitals.len() - count;
        let blanks = rest.iter().take(filled).take_while(|byte| **byte == b' ').count();
        let filled = if name.fill == Fill::Blanks { blanks } else { 0 };
        self.rest = &rest[filled..];
        let word = word.to_ascii_uppercase();
        let is = |month: &&str| word.len() >= NAME_MIN && month.as_bytes().starts_with(&word);
        let found = MONTHS.iter().position(is).ok_or(MONTH)?;
        Ok(found as i64 + 1)
    }

    fn roman(&mut self) -> Result<i64, Condition> {
        let count = self.rest.iter().take(4).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, rest) = self.rest.split_at(count);
        let blanks = rest.iter().take(4 - count).take_while(|byte| **byte == b' ').count();
        self.rest = &rest[blanks..];
        let word = word.to_ascii_uppercase();
        let found = ROMAN.iter().position(|roman| roman.as_bytes() == word).ok_or(MONTH)?;
        Ok(found as i64 + 1)
    }
}

/// Keeps a value. A picture must not have it twice.
fn once(place: &mut Option<i64>, value: i64) -> Result<(), Condition> {
    match place.replace(value) {
        Some(_) => Err(PICTURE),
        None => Ok(()),
    }
}

impl Parts {
    fn stamp(self) -> Result<Stamp, Condition> {
        let lilian = match (self.year, self.month, self.day, self.day_of_year) {
            (Some(year), Some(month), Some(day), _) => lilian_of(Date { year, month, day })?,
            (Some(year), _, _, Some(day_of_year)) => lilian_of_day(year, day_of_year)?,
            _ => return Err(INSUFFICIENT),
        };
        let hour = self.hour.unwrap_or(0);
        let hour = match self.afternoon {
            None if hour < 24 => hour,
            Some(afternoon) if (1..=12).contains(&hour) => hour % 12 + 12 * i64::from(afternoon),
            _ => return Err(HOURS),
        };
        let (minute, second) = (self.minute.unwrap_or(0), self.second.unwrap_or(0));
        if minute > 59 {
            return Err(MINUTES);
        }
        if second > 59 {
            return Err(SECONDS);
        }
        let milliseconds = self.milliseconds.unwrap_or(0);
        Ok(Stamp { lilian, milliseconds: ((hour * 60 + minute) * 60 + second) * 1_000 + milliseconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callable::conditions::{DATE_RANGE, DATE_VALUE};

    const CENTURY: Century = Century { first_year: 1946 };

    fn days(text: &str, picture: &str) -> Result<i64, Condition> {
        read(text.as_bytes(), picture.as_bytes(), Reading::Date, CENTURY).map(|stamp| stamp.lilian)
    }

    fn seconds(text: &str, picture: &str) -> Result<i64, Condition> {
        let stamp = read(text.as_bytes(), picture.as_bytes(), Reading::Timestamp, CENTURY);
        stamp.map(Stamp::seconds_milliseconds)
    }

    #[test]
    fn dates_follow_their_pictures() {
        assert_eq!(days("1582-10-15", "YYYY-MM-DD"), Ok(1));
        assert_eq!(days("6/2/88", "MM/DD/YY"), Ok(148_155));
        assert_eq!(days("060288", "MMDDYY"), Ok(148_155));
        assert_eq!(days("88154", "YYDDD"), Ok(148_155));
        assert_eq!(days("  1988154", "YYYYDDD"), Ok(148_155));
        assert_eq!(days("  1988154", "  YYYYDDD"), Ok(148_155));
        assert_eq!(days("August 14, 1966", "Mmmmmmmmmmmz DD, YYYY"), Ok(140_192));
        assert_eq!(days("09 JUN 88", "DD MMM YY"), Ok(148_162));
        assert_eq!(days("16.V   .88", "DD.RRRR.YY"), Ok(148_138));
        assert_eq!(days("19:00 88/05/16 and more", "HH:MI YY/MM/DD"), Ok(148_138));
        assert_eq!((days("01/01/46", "MM/DD/YY"), days("01/01/45", "MM/DD/YY")), (Ok(132_662), Ok(168_822)));
    }

    #[test]
    fn what_is_wrong_with_a_date_has_its_condition() {
        assert_eq!(days("2023-02-29", "YYYY-MM-DD"), Err(DATE_VALUE));
        assert_eq!(days("2024-13-01", "YYYY-MM-DD"), Err(MONTH));
        assert_eq!(days("09 JUX 88", "DD MMM YY"), Err(MONTH));
        assert_eq!(days("2024-01-X1", "YYYY-MM-DD"), Err(DATE_NOT_NUMERIC));
        assert_eq!(days("2024-1-1", "YYYYMMDD"), Err(DATE_NOT_NUMERIC));
        assert_eq!(days("          ", "YYYY-MM-DD"), Err(INSUFFICIENT));
        assert_eq!(days("2024-01", "YYYY-MM-DD"), Err(INSUFFICIENT));
        assert_eq!(days("01/31", "MM/DD"), Err(INSUFFICIENT));
        assert_eq!(days("1582-10-14", "YYYY-MM-DD"), Err(DATE_RANGE));
        assert_eq!(days("63.05.16", "<JJJJ> YY.MM.DD"), Err(PICTURE));
        assert_eq!(days("2024 2024", "YYYY YYYY"), Err(PICTURE));
    }

    #[test]
    fn timestamps_have_times() {
        let picture = "YYYY-MM-DD HH:MI:SS.999";
        assert_eq!(seconds("1988-05-16 19:00:01.078", picture), Ok(12_799_191_601_078));
        assert_eq!(seconds("92/6/3 3.35.03 PM", "YY/MM/DD HH.MI.SS AP"), Ok(12_926_964_903_000));
        assert_eq!(seconds("92.155 3.35.03 pm", "YY.DDD HH.MI.SS AP"), Ok(12_926_964_903_000));
        assert_eq!(seconds("1992-05-17", "YYYY-MM-DD-HH:MI"), Ok(12_925_440_000_000));
        assert_eq!(seconds("1988-05-16 12:00 AM", "YYYY-MM-DD HH:MI AP"), Ok(12_799_123_200_000));
        assert_eq!(seconds("1988-05-16 25:00", "YYYY-MM-DD HH:MI"), Err(HOURS));
        assert_eq!(seconds("1988-05-16 13:00 PM", "YYYY-MM-DD HH:MI AP"), Err(HOURS));
        assert_eq!(seconds("1988-05-16 19:61", "YYYY-MM-DD HH:MI"), Err(MINUTES));
        assert_eq!(seconds("1988-05-16 19:01:60.0", "YYYY-MM-DD HH:MI:SS"), Err(SECONDS));
        assert_eq!(seconds("1988-05-16 19:0X", "YYYY-MM-DD HH:MI"), Err(TIMESTAMP_NOT_NUMERIC));
        assert_eq!(seconds("1988-05-16 19:0X", "YYYY-MM-DD HH:MI "), Ok(12_799_191_600_000));
        assert_eq!(seconds("1988-05-16 19:X0", "YYYY-MM-DD HH:MI"), Err(TIMESTAMP_NOT_NUMERIC));
        assert_eq!(seconds("1988-05-16 19:00 XM", "YYYY-MM-DD HH:MI AP"), Err(TIMESTAMP_NOT_NUMERIC));
    }
}
