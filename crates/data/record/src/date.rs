//! Dates and times that a field keeps by a picture, and their form in JSON and XML (RFC 3339, ISO 8601).

use std::fmt::Write as _;

use calendar::Date;

/// The picture of a date, a time or both in a field: letters that stand for digits, and text between them.
///
/// `YYYY` year, `YY` year without its century, `MM` month or, after `HH`, minute, `DD` day, `DDD` day of the
/// year, `HH` hour, `MI` minute, `SS` second, `FFF` parts of a second (one to nine letters); all other
/// characters stand for themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateFormat {
    parts: Vec<Part>,
    /// For `YY`: the first of the hundred years that it can mean.
    window: u16,
    shows: Shows,
}

/// The first of the hundred years that `YY` means, by default.
pub const CENTURY_WINDOW_DEFAULT: u16 = 1950;

/// The most characters of a picture.
const PICTURE_MAX: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Year,
    ShortYear,
    Month,
    Day,
    DayOfYear,
    Hour,
    Minute,
    Second,
    Fraction(u8),
    Mark(char),
    /// The milliseconds since the start of 1900, as ASKTIME gives them.
    Absolute,
}

/// The picture of a number of milliseconds since the start of 1900.
const ABSOLUTE: &str = "ABSTIME";
/// The digits of such a number.
const ABSOLUTE_DIGITS: usize = 15;
const DAY_MS: i64 = 86_400_000;

/// The form of the value in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shows {
    Date,
    Time,
    DateTime,
}

/// A date and a time. A part that the picture lacks has its least value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    year: u16,
    month: u8,
    day: u8,
    hour: u8,
    minute: u8,
    second: u8,
    nanosecond: u32,
}

impl DateFormat {
    /// Reads a picture such as `YYYYMMDD`, `DD.MM.YY` or `YYYY-MM-DD-HH.MI.SS.FFFFFF`. `ABSTIME` is a number of 15 digits: the
    /// milliseconds since the start of 1900.
    ///
    /// # Errors
    /// The picture has no date and no time, or half of one.
    pub fn parse(picture: &str, window: u16) -> Result<Self, String> {
        if picture.chars().count() > PICTURE_MAX {
            return Err(format!("the date picture has more than {PICTURE_MAX} characters"));
        }
        if picture.eq_ignore_ascii_case(ABSOLUTE) {
            return Ok(Self { parts: vec![Part::Absolute], window, shows: Shows::DateTime });
        }
        let parts = parts(picture);
        let has = |part: Part| parts.contains(&part);
        let year = has(Part::Year) || has(Part::ShortYear);
        let date = year && (has(Part::DayOfYear) || has(Part::Month) && has(Part::Day));
        let any_date = year || has(Part::Month) || has(Part::Day) || has(Part::DayOfYear);
        let time = has(Part::Hour) && has(Part::Minute);
        let any_time = has(Part::Hour) || has(Part::Minute) || has(Part::Second);
        let twice = parts
            .iter()
            .enumerate()
            .any(|(at, part)| !matches!(part, Part::Mark(_)) && parts[..at].contains(part));
        let shows = match (date, time) {
            (true, false) if !any_time => Shows::Date,
            (false, true) if !any_date => Shows::Time,
            (true, true) => Shows::DateTime,
            _ => {
                return Err(format!(
                    "the date picture '{picture}' needs a year, month and day (YYYY MM DD, or YYYY DDD), or an hour and minute (HH MI)"
                ));
            }
        };
        if twice {
            return Err(format!("the date picture '{picture}' has a part twice"));
        }
        Ok(Self { parts, window, shows })
    }

    /// The characters that the field keeps.
    #[must_use]
    pub fn length(&self) -> usize {
        self.parts.iter().map(|part| part.width()).sum()
    }

    /// True if every character is a digit, so that a number can keep it.
    #[must_use]
    pub fn is_digits(&self) -> bool {
        !self.parts.iter().any(|part| matches!(part, Part::Mark(_)))
    }

    /// The format's name in JSON Schema. Only dates have one: times of JSON Schema have a zone, and records
    /// keep none.
    #[must_use]
    pub fn schema_format(&self) -> Option<&'static str> {
        (self.shows == Shows::Date).then_some("date")
    }

    /// The regular expression for a value in JSON.
    #[must_use]
    pub fn schema_pattern(&self) -> &'static str {
        match self.shows {
            Shows::Date => r"^\d{4}-\d{2}-\d{2}$",
            Shows::Time => r"^\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$",
            Shows::DateTime => r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$",
        }
    }

    /// The type of XML Schema, without a prefix, and a pattern that leaves time zones out of it.
    pub(crate) fn xsd_type(&self) -> (&'static str, &'static str) {
        match self.shows {
            Shows::Date => ("date", "[0-9]{4}-[0-9]{2}-[0-9]{2}"),
            Shows::Time => ("time", "[0-9:.]+"),
            Shows::DateTime => ("dateTime", "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+"),
        }
    }

    /// Appends the date as JSON and XML have it; false if the text is not such a date.
    pub(crate) fn show(&self, kept: &str, out: &mut String) -> bool {
        let Some(moment) = self.read(kept) else { return false };
        let mut date = || write!(out, "{:04}-{:02}-{:02}", moment.year, moment.month, moment.day);
        let written = match self.shows {
            Shows::Date => date(),
            Shows::Time => write_time(moment, self.fraction(), out),
            Shows::DateTime => date().and_then(|()| {
                out.push('T');
                write_time(moment, self.fraction(), out)
            }),
        };
        written.is_ok()
    }

    fn fraction(&self) -> u8 {
        self.parts
            .iter()
            .find_map(|part| match part {
                Part::Fraction(digits) => Some(*digits),
                Part::Absolute => Some(3),
                _ => None,
            })
            .unwrap_or(0)
    }

    fn read(&self, kept: &str) -> Option<Moment> {
        if self.parts == [Part::Absolute] {
            return Moment::of_absolute(kept.parse().ok()?);
        }
        let mut moment = Moment { year: 1, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0 };
        let mut day_of_year = None;
        let mut rest = kept;
        for part in &self.parts {
            let end = rest.char_indices().nth(part.width()).map_or(rest.len(), |(at, _)| at);
            let (text, after) = rest.split_at(end);
            rest = after;
            if let Part::Mark(mark) = part {
                (text.starts_with(*mark)).then_some(())?;
                continue;
            }
            if text.len() != part.width() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let number: u32 = text.parse().ok()?;
            match part {
                Part::Year => moment.year = number as u16,
                Part::ShortYear => moment.year = self.full_year(number as u16),
                Part::Month => moment.month = number as u8,
                Part::Day => moment.day = number as u8,
                Part::DayOfYear => day_of_year = Some(number as u16),
                Part::Hour => moment.hour = number as u8,
                Part::Minute => moment.minute = number as u8,
                Part::Second => moment.second = number as u8,
                Part::Fraction(digits) => moment.nanosecond = number * 10u32.pow(9 - u32::from(*digits)),
                Part::Mark(_) | Part::Absolute => {}
            }
        }
        if let Some(day) = day_of_year {
            (moment.month, moment.day) = month_and_day(moment.year, day)?;
        }
        (rest.is_empty() && moment.is_valid()).then_some(moment)
    }

    fn full_year(&self, short: u16) -> u16 {
        let century = self.window / 100 * 100;
        let year = century + short;
        if year < self.window { year + 100 } else { year }
    }

    /// Appends the field's text for a date in JSON's form. The error says why the field cannot keep it.
    pub(crate) fn keep(&self, shown: &str, out: &mut String) -> Result<(), String> {
        let moment = self.parse_shown(shown).ok_or_else(|| {
            let form = match self.shows {
                Shows::Date => "a date of the calendar, as 2026-11-21",
                Shows::Time => "a time, as 17:30:00",
                Shows::DateTime => "a date and time, as 2026-11-21T17:30:00",
            };
            format!("expected {form}")
        })?;
        if self.parts == [Part::Absolute] {
            let _ = write!(out, "{:0ABSOLUTE_DIGITS$}", moment.absolute()?);
            return Ok(());
        }
        for part in &self.parts {
            let width = part.width();
            let number = match part {
                Part::Year => u32::from(moment.year),
                Part::ShortYear => {
                    let short = moment.year % 100;
                    if self.full_year(short) != moment.year {
                        let last = self.window + 99;
                        return Err(format!(
                            "the year is not between {} and {last}, which the field can hold",
                            self.window
                        ));
                    }
                    short.into()
                }
                Part::Month => moment.month.into(),
                Part::Day => moment.day.into(),
                Part::DayOfYear => moment.date().day_of_year() as u32,
                Part::Hour => moment.hour.into(),
                Part::Minute => moment.minute.into(),
                Part::Second => moment.second.into(),
                Part::Fraction(digits) => {
                    let unit = 10u32.pow(9 - u32::from(*digits));
                    if moment.nanosecond % unit != 0 {
                        return Err(format!("the field keeps only {digits} digits of a second"));
                    }
                    moment.nanosecond / unit
                }
                Part::Mark(mark) => {
                    out.push(*mark);
                    continue;
                }
                Part::Absolute => continue,
            };
            let _ = write!(out, "{number:0width$}");
        }
        let has = |part: Part| self.parts.contains(&part);
        if moment.second != 0 && !has(Part::Second) || moment.nanosecond != 0 && self.fraction() == 0 {
            return Err("the field does not keep seconds, or parts of them".to_owned());
        }
        Ok(())
    }

    fn parse_shown(&self, shown: &str) -> Option<Moment> {
        let midnight = Moment { year: 1, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0 };
        let moment = match self.shows {
            Shows::Date => parse_date(shown, midnight)?,
            Shows::Time => parse_time(shown, midnight)?,
            Shows::DateTime => {
                let (date, time) = shown.split_once(['T', 't', ' '])?;
                parse_time(time, parse_date(date, midnight)?)?
            }
        };
        moment.is_valid().then_some(moment)
    }
}

/// Reads a picture for a field of `room` characters or digits.
pub(crate) fn check_length(format: &DateFormat, room: usize, number: bool) -> Result<(), String> {
    if number && !format.is_digits() {
        return Err("the date picture of a number can only have digits".to_owned());
    }
    let fits = if number { format.length() <= room } else { format.length() == room };
    if fits {
        return Ok(());
    }
    Err(format!("the date picture has {} characters, the field {room}", format.length()))
}

impl Part {
    fn width(self) -> usize {
        match self {
            Part::Year => 4,
            Part::DayOfYear => 3,
            Part::Fraction(digits) => digits.into(),
            Part::Mark(_) => 1,
            Part::Absolute => ABSOLUTE_DIGITS,
            _ => 2,
        }
    }
}

/// Splits a picture. Letters may be in either case.
fn parts(picture: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = picture;
    while let Some(first) = rest.chars().next() {
        let upper = first.to_ascii_uppercase();
        let run = rest.chars().take_while(|c| c.to_ascii_uppercase() == upper).count();
        let minute = rest.len() >= 2 && rest.is_char_boundary(2) && rest[..2].eq_ignore_ascii_case("MI");
        let part = match (upper, run) {
            ('Y' | 'C', _) if rest.len() >= 4 && rest.is_char_boundary(4) && is_year(&rest[..4]) => {
                Part::Year
            }
            ('Y', 2) => Part::ShortYear,
            ('M', _) if minute => Part::Minute,
            // After hours without minutes yet, MM are minutes.
            ('M', 2)
                if parts.last().is_some_and(|_| parts.contains(&Part::Hour))
                    && !parts.contains(&Part::Minute) =>
            {
                Part::Minute
            }
            ('M', 2) => Part::Month,
            ('D', 3) => Part::DayOfYear,
            ('D', 2) => Part::Day,
            ('H', 2) => Part::Hour,
            ('S', 2) => Part::Second,
            ('F', 1..=9) => Part::Fraction(run as u8),
            _ => Part::Mark(first),
        };
        let width = match part {
            Part::Mark(mark) => mark.len_utf8(),
            part => part.width(),
        };
        parts.push(part);
        rest = &rest[width..];
    }
    parts
}

fn is_year(text: &str) -> bool {
    text.eq_ignore_ascii_case("YYYY") || text.eq_ignore_ascii_case("CCYY")
}

impl Moment {
    fn date(self) -> Date {
        Date { year: self.year.into(), month: self.month.into(), day: self.day.into() }
    }

    /// The moment of a number of milliseconds since the start of 1900; none after the year 9999.
    fn of_absolute(milliseconds: i64) -> Option<Self> {
        if milliseconds < 0 {
            return None;
        }
        let date = Date::of(start_of_1900() + milliseconds / DAY_MS);
        let of_day = milliseconds % DAY_MS;
        let moment = Self {
            year: u16::try_from(date.year).ok()?,
            month: u8::try_from(date.month).ok()?,
            day: u8::try_from(date.day).ok()?,
            hour: u8::try_from(of_day / 3_600_000).ok()?,
            minute: u8::try_from(of_day / 60_000 % 60).ok()?,
            second: u8::try_from(of_day / 1_000 % 60).ok()?,
            nanosecond: u32::try_from(of_day % 1_000).ok()? * 1_000_000,
        };
        moment.is_valid().then_some(moment)
    }

    /// The milliseconds since the start of 1900. The error says why the number does not exist.
    fn absolute(self) -> Result<i64, String> {
        let days = self.date().days() - start_of_1900();
        if days < 0 {
            return Err("the field keeps only times since 1900".to_owned());
        }
        if !self.nanosecond.is_multiple_of(1_000_000) {
            return Err("the field keeps only 3 digits of a second".to_owned());
        }
        let seconds = i64::from(self.hour) * 3_600 + i64::from(self.minute) * 60 + i64::from(self.second);
        Ok(days * DAY_MS + seconds * 1_000 + i64::from(self.nanosecond / 1_000_000))
    }

    fn is_valid(self) -> bool {
        self.year >= 1
            && self.year <= 9999
            && self.date().is_valid()
            && self.hour < 24
            && self.minute < 60
            && self.second < 60
    }
}

fn start_of_1900() -> i64 {
    Date { year: 1900, month: 1, day: 1 }.days()
}

/// The month and the day of a day of the year, from 1; none if the year does not have this day.
fn month_and_day(year: u16, day_of_year: u16) -> Option<(u8, u8)> {
    let (year, day) = (i64::from(year), i64::from(day_of_year));
    let date = Date::of(Date { year, month: 1, day }.days());
    // A day beyond the end of the year leads into the next year.
    (date.year == year).then_some((date.month as u8, date.day as u8))
}

fn write_time(moment: Moment, fraction: u8, out: &mut String) -> std::fmt::Result {
    write!(out, "{:02}:{:02}:{:02}", moment.hour, moment.minute, moment.second)?;
    if fraction > 0 {
        let digits = moment.nanosecond / 10u32.pow(9 - u32::from(fraction));
        write!(out, ".{digits:0width$}", width = usize::from(fraction))?;
    }
    Ok(())
}

fn number(text: &str, digits: usize) -> Option<u32> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn parse_date(text: &str, moment: Moment) -> Option<Moment> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    parts.next().is_none().then_some(Moment {
        year: number(year, 4)? as u16,
        month: number(month, 2)? as u8,
        day: number(day, 2)? as u8,
        ..moment
    })
}

/// Reads `HH:MM`, `HH:MM:SS` and `HH:MM:SS.fff`. A zone is an error: records keep none, so a time in another
/// zone would change silently.
fn parse_time(text: &str, moment: Moment) -> Option<Moment> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() || (!fraction.is_empty() && second.is_none()) || fraction.len() > 9 {
        return None;
    }
    let nanosecond = match fraction.len() {
        0 => 0,
        digits => number(fraction, digits)? * 10u32.pow(9 - digits as u32),
    };
    Some(Moment {
        hour: number(hour, 2)? as u8,
        minute: number(minute, 2)? as u8,
        second: second.map_or(Some(0), |second| number(second, 2))? as u8,
        nanosecond,
        ..moment
    })
}

impl From<DateFormat> for crate::options::Format {
    fn from(format: DateFormat) -> Self {
        crate::options::Format::Date(format)
    }
}

#[cfg(test)]
mod tests {
    use super::DateFormat;

    fn trip(picture: &str, kept: &str, shown: &str) {
        let format = DateFormat::parse(picture, 1950).unwrap();
        let mut out = String::new();
        assert!(format.show(kept, &mut out), "{picture} {kept}");
        assert_eq!(out, shown, "{picture} {kept}");
        out.clear();
        format.keep(shown, &mut out).unwrap();
        assert_eq!(out, kept, "{picture} {shown}");
    }

    #[test]
    fn pictures() {
        trip("YYYYMMDD", "20261121", "2026-11-21");
        trip("CCYY-MM-DD", "2026-11-21", "2026-11-21");
        trip("DD.MM.YY", "21.11.49", "2049-11-21");
        trip("ABSTIME", "000000000000000", "1900-01-01T00:00:00.000");
        trip("abstime", "003218572800001", "2001-12-29T00:00:00.001");
        trip("YYMMDD", "500101", "1950-01-01");
        trip("YYYYDDD", "2024366", "2024-12-31");
        trip("HHMMSS", "173005", "17:30:05");
        trip("HH:MI", "17:30", "17:30:00");
        trip("YYYY-MM-DD-HH.MI.SS.FFFFFF", "2026-11-21-17.30.05.000120", "2026-11-21T17:30:05.000120");
        trip("YYYYMMDDHHMMSS", "20261121173005", "2026-11-21T17:30:05");
    }

    #[test]
    fn what_is_no_date() {
        let format = DateFormat::parse("YYYYMMDD", 1950).unwrap();
        for kept in ["20260229", "00000000", "        ", "2026112", "20261321", "2026 1 1"] {
            assert!(!format.show(kept, &mut String::new()), "{kept}");
        }
        for shown in ["2026-02-29", "2026-1-1", "20260101", "2026-01-01T00:00:00", "", "２０２６-01-01"] {
            assert!(format.keep(shown, &mut String::new()).is_err(), "{shown}");
        }
        let short = DateFormat::parse("YYMMDD", 1950).unwrap();
        assert!(short.keep("2050-01-01", &mut String::new()).is_err());
        let minutes = DateFormat::parse("HHMM", 1950).unwrap();
        assert!(minutes.keep("10:00:01", &mut String::new()).is_err());
    }

    #[test]
    fn bad_pictures() {
        for picture in ["", "YYYY", "MMDD", "HH", "YYYYMMDDHH", "YYYYMMDDYYYY", "XX"] {
            assert!(DateFormat::parse(picture, 1950).is_err(), "{picture}");
        }
    }
}
