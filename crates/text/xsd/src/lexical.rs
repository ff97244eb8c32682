//! The texts that are values of a type: the lexical spaces of XML Schema, part 2.
//!
//! Nothing is allocated. Where editions differ, both count: a year 0000, and `--05--` for a month.

use ::xml::{is_name, is_name_character};
use calendar::days_in;

use crate::TextType;

/// The greatest offset, in both directions: -14:00 to +14:00.
pub(crate) const OFFSET_HOURS_MAX: u32 = 14;

/// A year with a 29 February, for days of every year.
const LEAP_YEAR: i64 = 2000;

/// True if a text is a value of a type.
pub(crate) fn holds(kind: TextType, text: &str) -> bool {
    match kind {
        TextType::DateTime => whole(text, |rest| {
            date(rest)?;
            rest.literal(b'T')?;
            time(rest)
        }),
        TextType::Date => whole(text, date),
        TextType::Time => whole(text, time),
        TextType::Year => whole(text, |rest| year(rest).map(drop)),
        TextType::YearMonth => whole(text, |rest| {
            year(rest)?;
            rest.literal(b'-')?;
            month(rest).map(drop)
        }),
        TextType::Month => whole(text, |rest| {
            rest.literal(b'-')?;
            rest.literal(b'-')?;
            month(rest)?;
            if rest.0.starts_with(b"--") {
                rest.0 = &rest.0[2..];
            }
            Some(())
        }),
        TextType::MonthDay => whole(text, |rest| {
            rest.literal(b'-')?;
            rest.literal(b'-')?;
            let month = month(rest)?;
            rest.literal(b'-')?;
            day(rest, days_in(LEAP_YEAR, month))
        }),
        TextType::Day => whole(text, |rest| {
            (0..3).try_for_each(|_| rest.literal(b'-'))?;
            day(rest, 31)
        }),
        TextType::Duration => is_duration(text),
        TextType::Language => is_language(text),
        TextType::Name => is_name_token(text) && text.chars().next().is_some_and(is_name_start),
        TextType::NcName => is_name(text),
        TextType::QName => match text.split_once(':') {
            Some((prefix, name)) => is_name(prefix) && is_name(name),
            None => is_name(text),
        },
        TextType::NmToken => is_name_token(text),
        TextType::HexBinary => {
            text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        }
        TextType::Base64Binary => is_base64(text.as_bytes()),
        TextType::Token | TextType::Normalized => true,
    }
}

/// The remaining part of a text.
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    fn literal(&mut self, byte: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        (*first == byte).then_some(())
    }

    /// The number of two digits.
    fn two_digits(&mut self) -> Option<u32> {
        let ([tens, ones], rest) = self.0.split_first_chunk::<2>()?;
        self.0 = rest;
        let both = tens.is_ascii_digit() && ones.is_ascii_digit();
        both.then(|| u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
    }

    /// Takes the digits in front, and returns their number.
    fn digits(&mut self) -> usize {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.0 = &self.0[count..];
        count
    }
}

/// True if a reader takes a text, and only a time zone may follow.
fn whole(text: &str, read: impl FnOnce(&mut Rest<'_>) -> Option<()>) -> bool {
    let mut rest = Rest(text.as_bytes());
    read(&mut rest).and_then(|()| zone(&mut rest)).is_some() && rest.0.is_empty()
}

fn zone(rest: &mut Rest<'_>) -> Option<()> {
    match rest.0.first() {
        None => Some(()),
        Some(b'Z') => rest.literal(b'Z'),
        Some(b'+' | b'-') => {
            rest.0 = &rest.0[1..];
            let hours = rest.two_digits()?;
            rest.literal(b':')?;
            let minutes = rest.two_digits()?;
            (minutes < 60 && (hours < OFFSET_HOURS_MAX || (hours, minutes) == (OFFSET_HOURS_MAX, 0)))
                .then_some(())
        }
        Some(_) => None,
    }
}

/// The year, as an equivalent one with at most four digits: leap years repeat after 400 years.
fn year(rest: &mut Rest<'_>) -> Option<i64> {
    if rest.0.first() == Some(&b'-') {
        rest.0 = &rest.0[1..];
    }
    let text = rest.0;
    let count = rest.digits();
    let digits = &text[..count];
    if count < 4 || (count > 4 && digits[0] == b'0') {
        return None;
    }
    // 10,000 is a multiple of 400, so the last four digits are enough.
    Some(digits[count - 4..].iter().fold(0, |year, digit| year * 10 + i64::from(digit - b'0')))
}

fn month(rest: &mut Rest<'_>) -> Option<i64> {
    rest.two_digits().filter(|month| (1..=12).contains(month)).map(i64::from)
}

fn day(rest: &mut Rest<'_>, last: i64) -> Option<()> {
    rest.two_digits().filter(|day| (1..=last).contains(&i64::from(*day))).map(drop)
}

fn date(rest: &mut Rest<'_>) -> Option<()> {
    let year = year(rest)?;
    rest.literal(b'-')?;
    let month = month(rest)?;
    rest.literal(b'-')?;
    day(rest, days_in(year, month))
}

fn time(rest: &mut Rest<'_>) -> Option<()> {
    let hours = rest.two_digits()?;
    rest.literal(b':')?;
    let minutes = rest.two_digits()?;
    rest.literal(b':')?;
    let seconds = rest.two_digits()?;
    let mut is_whole = true;
    if rest.0.first() == Some(&b'.') {
        rest.0 = &rest.0[1..];
        let text = rest.0;
        let count = rest.digits();
        if count == 0 {
            return None;
        }
        is_whole = text[..count].iter().all(|digit| *digit == b'0');
    }
    let is_midnight = (hours, minutes, seconds, is_whole) == (24, 0, 0, true);
    (is_midnight || (hours < 24 && minutes < 60 && seconds < 60)).then_some(())
}

fn is_duration(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let Some(text) = text.strip_prefix('P') else { return false };
    let (days, time) = match text.split_once('T') {
        Some((days, time)) => (days, Some(time)),
        None => (text, None),
    };
    let some = !days.is_empty() || time.is_some();
    some && are_parts(days, b"YMD", false)
        && time.is_none_or(|time| !time.is_empty() && are_parts(time, b"HMS", true))
}

/// True for numbers with letters behind them, in the order of the letters. The last letter's number may have a fraction.
fn are_parts(text: &str, letters: &[u8], fraction: bool) -> bool {
    let (mut rest, mut letters) = (Rest(text.as_bytes()), letters.iter());
    while !rest.0.is_empty() {
        if rest.digits() == 0 {
            return false;
        }
        let has_fraction = fraction && rest.0.first() == Some(&b'.');
        if has_fraction {
            rest.0 = &rest.0[1..];
            if rest.digits() == 0 {
                return false;
            }
        }
        let Some((letter, after)) = rest.0.split_first() else { return false };
        rest.0 = after;
        if letters.all(|known| known != letter) || (has_fraction && *letter != b'S') {
            return false;
        }
    }
    true
}

fn is_language(text: &str) -> bool {
    text.split('-').enumerate().all(|(index, part)| {
        let is_allowed = |byte: u8| byte.is_ascii_alphabetic() || (index > 0 && byte.is_ascii_digit());
        (1..=8).contains(&part.len()) && part.bytes().all(is_allowed)
    })
}

fn is_name_token(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| character == ':' || is_name_character(character))
}

fn is_name_start(first: char) -> bool {
    first == ':' || is_name(first.encode_utf8(&mut [0; 4]))
}

/// Groups of four characters. The last one may have padding, whose unused bits are 0.
fn is_base64(text: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let digits = match text {
        [digits @ .., last, b'=', b'='] if b"AQgw".contains(last) => digits,
        [digits @ .., last, b'='] if b"AEIMQUYcgkosw048".contains(last) => digits,
        digits => digits,
    };
    text.len().is_multiple_of(4) && digits.iter().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::holds;
    use crate::TextType::{
        self, Base64Binary, Date, DateTime, Day, Duration, HexBinary, Language, Month, MonthDay, Name,
        NcName, NmToken, QName, Time, Token, Year, YearMonth,
    };

    fn check(kind: TextType, values: &[&str], others: &[&str]) {
        for text in values {
            assert!(holds(kind, text), "{} {text:?}", kind.name());
        }
        for text in others {
            assert!(!holds(kind, text), "{} {text:?}", kind.name());
        }
    }

    #[test]
    fn dates() {
        check(
            Date,
            &[
                "2026-01-31",
                "2026-01-31Z",
                "2026-01-31+14:00",
                "2026-01-31-00:30",
                "-0044-03-15",
                "2024-02-29",
                "12024-02-29",
                "0000-01-01",
            ],
            &[
                "",
                "not a date",
                "2026-1-31",
                "20260131",
                "2026-02-29",
                "1900-02-29",
                "2026-13-01",
                "2026-00-01",
                "2026-01-00",
                "2026-04-31",
                "26-01-31",
                "012026-01-31",
                "+2026-01-31",
                "2026-01-31T00:00:00",
                "2026-01-31+14:01",
                "2026-01-31+1:00",
                "2026-01-31z",
                "2026-01-31 ",
                "２026-01-31",
                "2026-01-31+00:60",
            ],
        );
    }

    #[test]
    fn times() {
        check(
            Time,
            &["00:00:00", "23:59:59.123456789Z", "24:00:00", "24:00:00.000", "12:00:00-14:00"],
            &[
                "",
                "12:00",
                "24:00:01",
                "24:00:00.1",
                "12:60:00",
                "12:00:60",
                "12:00:00.",
                "12:00:00,5",
                "1:00:00",
                "T12:00:00",
            ],
        );
        check(
            DateTime,
            &[
                "2026-01-31T12:00:00",
                "2026-01-31T12:00:00.1234567+01:00",
                "2026-01-31T24:00:00Z",
                "-12026-01-31T00:00:00Z",
            ],
            &[
                "2026-01-31",
                "2026-01-31 12:00:00",
                "2026-01-31t12:00:00",
                "2026-01-31T12:00",
                "2026-01-31T",
                "T12:00:00",
                "2026-02-30T12:00:00",
            ],
        );
    }

    #[test]
    fn parts_of_dates() {
        check(
            Year,
            &["2026", "-0001", "12026", "2026Z", "2026-05:00"],
            &["", "26", "02026", "2026-01", "+2026", "year"],
        );
        check(YearMonth, &["2026-01", "2026-12+01:00"], &["2026", "2026-1", "2026-13", "2026-01-01"]);
        check(
            Month,
            &["--01", "--12Z", "--05--", "--05--+01:00"],
            &["-01", "--13", "--1", "01", "--05-", "--05--5"],
        );
        check(MonthDay, &["--02-29", "--12-31Z"], &["--02-30", "--04-31", "--1-1", "-02-28", "02-28"]);
        check(Day, &["---01", "---31+01:00"], &["---32", "---00", "--01", "31"]);
    }

    #[test]
    fn durations() {
        check(
            Duration,
            &["P1Y2M3DT4H5M6.789S", "-P1D", "PT0S", "P0Y", "PT36H", "P1M", "PT1M", "P1YT1S"],
            &[
                "", "P", "PT", "P1", "1D", "P1DT", "P1H", "PT1D", "P1M1Y", "P1.5D", "PT1.S", "PT.5S", "+P1D",
                "P-1D", "P1D1D", "PT1S1M", "P1S", "PT1.5M",
            ],
        );
    }

    #[test]
    fn names_and_languages() {
        check(
            Language,
            &["en", "en-GB", "x-klingon", "de-1996"],
            &["", "en_GB", "e1", "toolonglanguage", "en-", "-en", "é"],
        );
        check(Name, &["a", "a:b", ":a", "_1", "é.b-c"], &["", "1a", "-a", "a b", "a,b"]);
        check(NcName, &["a", "_1"], &["", "a:b", "1"]);
        check(QName, &["a", "p:a"], &["", ":a", "p:", "p:a:b", "p:1"]);
        check(NmToken, &["a", "1a", "-.:", "2026-01-31"], &["a b", "a,b", "a#"]);
        check(Token, &["anything at all", "é"], &[]);
    }

    #[test]
    fn octets() {
        check(HexBinary, &["00", "fF09"], &["0", "0g", "00 00", "é"]);
        check(
            Base64Binary,
            &["AAAA", "AA==", "AAA=", "+/8Q"],
            &["A", "AA=", "A===", "====", "AB==", "AAB=", "AA=A", "AA-_", "AAAA=", "A A="],
        );
    }

    proptest::proptest! {
        /// No text makes a reader fail, and values start and end without white space.
        #[test]
        fn any_text_is_a_value_or_none(text in "\\PC{0,12}|[-+0-9PTZ:.YMDHS]{0,24}") {
            for name in TextType::names() {
                let kind = TextType::by_name(name).expect(name);
                let is_one = holds(kind, &text);
                if is_one && !matches!(kind, Token | TextType::Normalized) {
                    assert_eq!(text.trim(), text, "{name}");
                }
            }
        }

        /// Every day of the calendar is a date, with every time of the day.
        #[test]
        fn every_day_is_a_date(days in -700_000_i64..2_900_000, seconds in 0_u32..86_400) {
            let calendar::Date { year, month, day } = calendar::Date::of(days);
            let date = format!("{}{:04}-{month:02}-{day:02}", if year < 0 { "-" } else { "" }, year.abs());
            assert!(holds(Date, &date), "{date}");
            let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            let text = format!("{date}T{hour:02}:{minute:02}:{second:02}");
            assert!(holds(DateTime, &text), "{text}");
        }
    }
}
