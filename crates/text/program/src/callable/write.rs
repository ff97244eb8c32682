//! Writes a date or a timestamp by its picture, like CEEDATE and CEEDATM.

use super::conditions::Condition;
use super::lilian::{Stamp, date_of, day_of_week};
use super::picture::{Fill, Name, Term, Zeros, terms};

/// The output of CEEDATE and CEEDATM has this many characters.
pub const OUTPUT_BYTES: usize = 80;

pub(super) const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];
pub(super) const ROMAN: [&str; 12] =
    ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
const WEEKDAYS: [&str; 7] = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];

/// The result of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The text, filled with blanks.
    pub text: [u8; OUTPUT_BYTES],
    /// True if it was cut.
    pub cut: bool,
}

/// Writes a stamp. Without a time (CEEDATE), every term of the time is zero.
///
/// # Errors
/// The picture is not valid: CEE2EM.
pub fn write(stamp: Stamp, has_time: bool, picture: &[u8]) -> Result<Written, Condition> {
    let terms = terms(picture)?;
    let date = date_of(stamp.lilian);
    let milliseconds = if has_time { stamp.milliseconds } else { 0 };
    let halved = terms.iter().any(|term| matches!(term, Term::HalfDay { .. }));
    let hour = milliseconds / 3_600_000;
    let shown_hour = if halved && has_time { (hour + 11) % 12 + 1 } else { hour };
    let mut text = String::new();
    for term in &terms {
        match term {
            Term::Year(digits) => {
                let year = date.year % 10_i64.pow(*digits as u32);
                text.push_str(&format!("{year:0digits$}"));
            }
            Term::Month(zeros) => push_number(&mut text, date.month, *zeros),
            Term::MonthName(name) => push_name(&mut text, MONTHS[date.month as usize - 1], name),
            Term::Roman(fill) => {
                let numeral = ROMAN[date.month as usize - 1];
                text.push_str(numeral);
                if *fill == Fill::Blanks {
                    text.extend(std::iter::repeat_n(' ', 4_usize.saturating_sub(numeral.len())));
                }
            }
            Term::Day(zeros) => push_number(&mut text, date.day, *zeros),
            Term::DayOfYear => text.push_str(&format!("{:03}", date.day_of_year())),
            Term::Hour(zeros) => push_number(&mut text, shown_hour, *zeros),
            Term::Minute => push_number(&mut text, milliseconds / 60_000 % 60, Zeros::Kept),
            Term::Second => push_number(&mut text, milliseconds / 1_000 % 60, Zeros::Kept),
            Term::Fraction(digits) => text.push_str(&format!("{:03}", milliseconds % 1_000)[..*digits]),
            Term::HalfDay { upper, dots } => {
                let word = match (hour >= 12, dots) {
                    (false, false) => "AM",
                    (true, false) => "PM",
                    (false, true) => "A.M.",
                    (true, true) => "P.M.",
                };
                text.push_str(&if *upper { word.to_owned() } else { word.to_ascii_lowercase() });
            }
            Term::WeekdayName(name) => {
                push_name(&mut text, WEEKDAYS[day_of_week(stamp.lilian) as usize - 1], name);
            }
            Term::Literal(byte) => text.push(char::from(*byte)),
        }
    }
    // Literals are copied: one character of the text is one byte of the picture.
    let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap_or(b' ')).collect();
    let mut filled = [b' '; OUTPUT_BYTES];
    let count = bytes.len().min(OUTPUT_BYTES);
    filled[..count].copy_from_slice(&bytes[..count]);
    Ok(Written { text: filled, cut: bytes.len() > OUTPUT_BYTES })
}

fn push_number(text: &mut String, number: i64, zeros: Zeros) {
    match zeros {
        Zeros::Kept => text.push_str(&format!("{number:02}")),
        Zeros::Dropped => text.push_str(&number.to_string()),
    }
}

fn push_name(text: &mut String, word: &str, name: &Name) {
    let mut letters = word.chars();
    for capital in &name.capitals {
        match letters.next() {
            Some(letter) if *capital => text.push(letter),
            Some(letter) => text.push(letter.to_ascii_lowercase()),
            None if name.fill == Fill::Blanks => text.push(' '),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callable::conditions::PICTURE;

    fn date(lilian: i64, picture: &str) -> String {
        let stamp = Stamp { lilian, milliseconds: 3 };
        let written = write(stamp, false, picture.as_bytes()).expect("a picture");
        assert!(!written.cut);
        String::from_utf8(written.text.to_vec()).expect("text").trim_end().to_owned()
    }

    #[test]
    fn dates_follow_their_pictures() {
        assert_eq!(date(148_138, "YYYY-MM-DD"), "1988-05-16");
        assert_eq!(date(148_138, "YYYY-ZM-ZD"), "1988-5-16");
        assert_eq!(date(148_138, "Wwwwwwwwwz, Mmmmmmmmmz ZD, YYYY"), "Monday, May 16, 1988");
        assert_eq!(date(148_142, "WWW., MMM DD, YYYY"), "FRI., MAY 20, 1988");
        assert_eq!(date(148_143, "Wwwwwwwwww Mmmmmmmmmm DD, YYYY"), "Saturday   May        21, 1988");
        assert_eq!(date(148_141, "YY.DDD"), "88.140");
        assert_eq!(date(148_138, "RRRR/YY RRRZ"), "V   /88 V");
        assert_eq!(date(148_142, "YYYY/ZM/ZD ZH:MI:SS.99 AP"), "1988/5/20 0:00:00.00 AM");
    }

    #[test]
    fn timestamps_have_times() {
        let stamp = |milliseconds| Stamp::of_seconds(milliseconds).expect("in range");
        let shown = |milliseconds, picture: &str| {
            let text = write(stamp(milliseconds), true, picture.as_bytes()).expect("a picture").text;
            String::from_utf8(text.to_vec()).expect("text").trim_end().to_owned()
        };
        assert_eq!(shown(12_799_191_601_000, "YYMMDD HH:MI:SS"), "880516 19:00:01");
        assert_eq!(shown(12_799_191_661_986, "DD MMM YY HH:MM"), "16 MAY 88 19:01");
        assert_eq!(shown(12_799_191_661_986, "ZH:MI:SS.99 AP"), "7:01:01.98 PM");
        assert_eq!(shown(12_799_191_662_009, "SS.999 a.p."), "02.009 p.m.");
        assert_eq!(shown(12_799_123_200_000, "ZH:MI AP"), "12:00 AM");
    }

    #[test]
    fn what_is_too_long_is_cut_and_told() {
        let stamp = Stamp { lilian: 1, milliseconds: 0 };
        let written = write(stamp, false, &[b'x'; OUTPUT_BYTES + 1]).expect("a picture");
        assert_eq!(written, Written { text: [b'x'; OUTPUT_BYTES], cut: true });
        assert_eq!(write(stamp, false, b"<CCCC>"), Err(PICTURE));
    }
}
