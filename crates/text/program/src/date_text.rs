//! Dates of the Internet as texts: the four forms that CONVERTTIME reads. All times become UTC.
//!
//! Source: CICS TS, "CONVERTTIME".

use calendar::{Date, MONTH_NAMES};

use crate::moment::{ABSTIME_MAX, of_date};

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// Years of two digits are those from 1970 to 2069.
const FIRST_SHORT_YEAR: i64 = 70;
/// The largest offset from UTC, in minutes.
const OFFSET_MAX: i64 = 12 * 60;

/// The ABSTIME of a text; none if it does not have one of the forms. Blanks and X'00' behind it do not count.
///
/// ```
/// let first = program::date_text::abstime("1970-01-01T00:00:00Z").expect("a date");
/// assert_eq!(program::date_text::abstime("Thu, 01 Jan 1970 01:00:00 +0100"), Some(first));
/// assert_eq!(program::date_text::abstime("yesterday"), None);
/// ```
pub fn abstime(text: &str) -> Option<i64> {
    let text = text.trim_matches(['\0', ' ']);
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let (date, time, offset) = match words.as_slice() {
        [only] => rfc_3339(only)?,
        // Tue, 01 Apr 2003 10:01:02 GMT
        [day, of_month, name, year, time, zone] if is_day(day.strip_suffix(',')?) => {
            (date(digits(year, 4)?, month(name)?, digits(of_month, 2)?)?, clock(time)?, zone_offset(zone)?)
        }
        // Tuesday, 01-Apr-03 10:01:02 GMT
        [day, parts, time, zone] if is_day(day.strip_suffix(',')?) => {
            let mut parts = parts.split('-');
            let (of_month, name, year) = (parts.next()?, parts.next()?, parts.next()?);
            let short = digits(year, 2)?;
            let year = if short < FIRST_SHORT_YEAR { 2000 + short } else { 1900 + short };
            if parts.next().is_some() {
                return None;
            }
            (date(year, month(name)?, digits(of_month, 2)?)?, clock(time)?, zone_offset(zone)?)
        }
        // Tue Apr  1 10:01:02 2003
        [day, name, of_month, time, year] if is_day(day) => {
            let of_month = digits(of_month, of_month.len().clamp(1, 2))?;
            (date(digits(year, 4)?, month(name)?, of_month)?, clock(time)?, 0)
        }
        _ => return None,
    };
    let abstime = of_date(date) + time - offset * 60_000;
    (0..=ABSTIME_MAX).contains(&abstime).then_some(abstime)
}

/// `2003-04-01T10:01:02.498Z`.
fn rfc_3339(text: &str) -> Option<(Date, i64, i64)> {
    let (day, rest) = text.split_once(['T', 't'])?;
    let mut parts = day.split('-');
    let (year, month, of_month) = (parts.next()?, parts.next()?, parts.next()?);
    let zone = rest.find(['Z', 'z', '+', '-'])?;
    let (time, zone) = rest.split_at(zone);
    let offset = match zone {
        "Z" | "z" => 0,
        zone => {
            let (hours, minutes) = zone.get(1..)?.split_once(':')?;
            signed_offset(zone, digits(hours, 2)?, digits(minutes, 2)?)?
        }
    };
    let (time, fraction) = match time.split_once('.') {
        None => (time, 0),
        Some((time, fraction)) => (time, milliseconds(fraction)?),
    };
    let date = date(digits(year, 4)?, digits(month, 2)?, digits(of_month, 2)?)?;
    parts.next().is_none().then_some((date, clock(time)? + fraction, offset))
}

/// A fraction of a second, cut to milliseconds.
fn milliseconds(fraction: &str) -> Option<i64> {
    let is_number = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let three: String = fraction.chars().chain("00".chars()).take(3).collect();
    if is_number { three.parse().ok() } else { None }
}

/// GMT, UTC, or `+hhmm`, in minutes.
fn zone_offset(zone: &str) -> Option<i64> {
    if ["GMT", "UTC", "UT"].iter().any(|known| zone.eq_ignore_ascii_case(known)) {
        return Some(0);
    }
    let (hours, minutes) = (zone.get(1..3)?, zone.get(3..)?);
    signed_offset(zone, digits(hours, 2)?, digits(minutes, 2)?)
}

fn signed_offset(zone: &str, hours: i64, minutes: i64) -> Option<i64> {
    let offset = hours * 60 + minutes;
    if minutes > 59 || offset > OFFSET_MAX {
        return None;
    }
    match zone.as_bytes().first()? {
        b'+' => Some(offset),
        b'-' => Some(-offset),
        _ => None,
    }
}

/// `10:01:02`, in milliseconds.
fn clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let mut next = |most| digits(parts.next()?, 2).filter(|number| *number <= most);
    let (hour, minute, second) = (next(23)?, next(59)?, next(59)?);
    parts.next().is_none().then_some(((hour * 60 + minute) * 60 + second) * 1_000)
}

fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    Some(Date { year, month, day }).filter(|date| date.is_valid())
}

/// A day's name, or its first three letters.
fn is_day(text: &str) -> bool {
    DAYS.iter().any(|day| day.eq_ignore_ascii_case(text) || day[..3].eq_ignore_ascii_case(text))
}

fn month(text: &str) -> Option<i64> {
    (1..).zip(MONTH_NAMES).find(|(_, name)| name.eq_ignore_ascii_case(text)).map(|(number, _)| number)
}

/// A number of exactly this many digits.
fn digits(text: &str, count: usize) -> Option<i64> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment::Moment;

    fn shown(text: &str) -> Option<String> {
        let m = Moment::of(abstime(text)?);
        let (date, time) = ((m.year, m.month, m.day), (m.hour, m.minute, m.second, m.millisecond));
        Some(format!("{date:?} {time:?}"))
    }

    #[test]
    fn the_four_forms_are_read() {
        let expected = Some("(2003, 4, 1) (10, 1, 2, 0)".to_owned());
        for text in [
            "Tue, 01 Apr 2003 10:01:02 GMT",
            "Tue, 01 Apr 2003 10:01:02 +0000",
            "Tue, 01 Apr 2003 12:31:02 +0230   \0\0",
            "2003-04-01T10:01:02Z",
            "2003-04-01T08:01:02-02:00",
            "Tuesday, 01-Apr-03 10:01:02 GMT",
            "Tue Apr 1 10:01:02 2003",
            "Tue Apr  1 10:01:02 2003",
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        assert_eq!(shown("2003-04-01T10:01:02.498Z").as_deref(), Some("(2003, 4, 1) (10, 1, 2, 498)"));
        assert_eq!(shown("2003-04-01T10:01:02.5Z").as_deref(), Some("(2003, 4, 1) (10, 1, 2, 500)"));
        let old = "Friday, 13-Feb-98 15:30:00 GMT";
        assert_eq!(shown(old).as_deref(), Some("(1998, 2, 13) (15, 30, 0, 0)"));
        assert_eq!(
            shown("Thursday, 13-Feb-69 15:30:00 GMT").map(|text| text[..5].to_owned()).as_deref(),
            Some("(2069")
        );
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "",
            "2003-02-29T10:01:02Z",
            "2003-04-01T24:01:02Z",
            "2003-04-01T10:01:02",
            "2003-04-01T10:01:02.Z",
            "2003-04-01T10:01:02+13:00",
            "2003-04-01-02T10:01:02Z",
            "1899-12-31T23:59:59Z",
            "Tue 01 Apr 2003 10:01:02 GMT",
            "Tue, 1 Apr 2003 10:01:02 GMT",
            "Tue, 01 Apr 2003 10:01:02 CET",
            "Tue, 01 Apr 2003 10:01:02 +01\u{e9}",
            "Tuesday, 01-Apr-2003 10:01:02 GMT",
            "Tuesday, 01-Apr-03-04 10:01:02 GMT",
            "Day Apr 1 10:01:02 2003",
            "Tue Apr 001 10:01:02 2003",
        ] {
            assert_eq!(abstime(text), None, "{text}");
        }
    }
}
