//! Texts that are the same value of a type: XML Schema, part 2, compares values, not texts.
//!
//! Times with a zone are points of the timeline. Those without one differ from all with one.

use calendar::Date;

use crate::TextType;
use crate::lexical::holds;

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// Years up to this count as numbers. Texts with greater ones are compared as they are written.
const YEAR_MAX: i64 = 1_000_000_000;

/// A leap year whose days stand for those of types without a year.
const SOME_YEAR: i64 = 2000;

/// True if two texts, without needless white space, are one value of a type.
pub(crate) fn is_same(kind: TextType, left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    if !holds(kind, left) || !holds(kind, right) {
        return false;
    }
    match kind {
        TextType::DateTime
        | TextType::Date
        | TextType::Time
        | TextType::Year
        | TextType::YearMonth
        | TextType::Month
        | TextType::MonthDay
        | TextType::Day => {
            let left = Moment::of(kind, left);
            left.is_some() && left == Moment::of(kind, right)
        }
        TextType::Duration => {
            let left = Duration::of(left);
            left.is_some() && left == Duration::of(right)
        }
        TextType::HexBinary => left.eq_ignore_ascii_case(right),
        _ => false,
    }
}

/// The start of a time.
#[derive(PartialEq, Eq)]
struct Moment<'t> {
    /// Seconds since 1970, in UTC if there is a zone.
    seconds: i64,
    /// Decimal places of the seconds, without zeros at the end.
    fraction: &'t str,
    has_zone: bool,
}

impl<'t> Moment<'t> {
    /// The start of what a value of the type is; none if its year is too great.
    fn of(kind: TextType, text: &'t str) -> Option<Self> {
        let (text, offset_minutes) = without_zone(text);
        let (date, clock) = match kind {
            TextType::DateTime => text.split_once('T')?,
            TextType::Time => ("", text),
            _ => (text, "00:00:00"),
        };
        let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
        let mut clock = numbers(clock);
        let (hour, minute, second) = (clock.next()?, clock.next()?, clock.next()?);
        let of_day = (hour * 60 + minute - offset_minutes.unwrap_or(0)) * 60 + second;
        let seconds = match kind {
            // A time comes back every day, and 24:00:00 is 00:00:00.
            TextType::Time => of_day.rem_euclid(DAY_SECONDS),
            _ => day(kind, date)?.days() * DAY_SECONDS + of_day,
        };
        Some(Self { seconds, fraction: fraction.trim_end_matches('0'), has_zone: offset_minutes.is_some() })
    }
}

/// The first day of a value, or that of some year or month if the type has none.
fn day(kind: TextType, text: &str) -> Option<Date> {
    let mut numbers = numbers(text);
    let has_year = matches!(kind, TextType::DateTime | TextType::Date | TextType::YearMonth | TextType::Year);
    let year = if has_year { numbers.next().filter(|year| *year <= YEAR_MAX)? } else { SOME_YEAR };
    let year = if has_year && text.starts_with('-') { -year } else { year };
    let month = match kind {
        TextType::Year | TextType::Day => 1,
        _ => numbers.next()?,
    };
    Some(Date { year, month, day: numbers.next().unwrap_or(1) })
}

/// The runs of digits in a text, as numbers. One that is too great is the greatest of all.
fn numbers(text: &str) -> impl Iterator<Item = i64> {
    let runs = text.split(|character: char| !character.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.map(|run| run.parse().unwrap_or(i64::MAX))
}

/// A value without its time zone, and the minutes of the zone.
fn without_zone(text: &str) -> (&str, Option<i64>) {
    if let Some(rest) = text.strip_suffix('Z') {
        return (rest, Some(0));
    }
    let zone = text.len().checked_sub("+00:00".len()).and_then(|at| text.split_at_checked(at));
    let Some((rest, zone)) = zone.filter(|(_, zone)| zone.starts_with(['+', '-']) && zone.contains(':'))
    else {
        return (text, None);
    };
    let mut parts = numbers(zone);
    let minutes = parts.next().unwrap_or(0) * 60 + parts.next().unwrap_or(0);
    (rest, Some(if zone.starts_with('-') { -minutes } else { minutes }))
}

/// A length of time. Months have no number of seconds.
#[derive(PartialEq, Eq)]
struct Duration<'t> {
    is_negative: bool,
    months: u64,
    seconds: u64,
    /// Decimal places of the seconds, without zeros at the end.
    fraction: &'t str,
}

impl<'t> Duration<'t> {
    /// None if a number is too great.
    fn of(text: &'t str) -> Option<Self> {
        let (sign, text) = text.split_once('P')?;
        let (days, time) = text.split_once('T').unwrap_or((text, ""));
        let mut found = Self { is_negative: false, months: 0, seconds: 0, fraction: "" };
        for (parts, units) in [
            (days, [('Y', 12, 0), ('M', 1, 0), ('D', 0, 86_400)]),
            (time, [('H', 0, 3_600), ('M', 0, 60), ('S', 0, 1)]),
        ] {
            for part in parts.split_inclusive(|character: char| character.is_ascii_alphabetic()) {
                let (number, letter) = part.split_at(part.len() - 1);
                let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
                let whole: u64 = whole.parse().ok()?;
                let (_, months, seconds) = units.into_iter().find(|(unit, ..)| letter.starts_with(*unit))?;
                found.months = found.months.checked_add(whole.checked_mul(months)?)?;
                found.seconds = found.seconds.checked_add(whole.checked_mul(seconds)?)?;
                found.fraction = fraction.trim_end_matches('0');
            }
        }
        let is_nothing = found.months == 0 && found.seconds == 0 && found.fraction.is_empty();
        found.is_negative = sign == "-" && !is_nothing;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::is_same;
    use crate::TextType::{
        self, Base64Binary, Date, DateTime, Day, Duration, HexBinary, Language, Month, MonthDay, Time, Token,
        Year, YearMonth,
    };

    fn check(kind: TextType, same: &[(&str, &str)], others: &[(&str, &str)]) {
        for (left, right) in same {
            assert!(is_same(kind, left, right) && is_same(kind, right, left), "{left} {right}");
        }
        for (left, right) in others {
            assert!(!is_same(kind, left, right) && !is_same(kind, right, left), "{left} {right}");
        }
    }

    #[test]
    fn times_are_points_of_the_timeline() {
        check(
            DateTime,
            &[
                ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00+00:00"),
                ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000-00:00"),
                ("2026-01-31T12:00:00.5", "2026-01-31T12:00:00.500"),
                ("2026-01-31T23:30:00-01:00", "2026-02-01T00:30:00Z"),
                ("2026-12-31T24:00:00", "2027-01-01T00:00:00"),
                ("-0001-12-31T24:00:00Z", "0000-01-01T00:00:00Z"),
            ],
            &[
                ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00"),
                ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00+01:00"),
                ("2026-01-31T12:00:00.5", "2026-01-31T12:00:00.05"),
                ("2026-01-31T12:00:00", "2026-01-31T12:00:01"),
                ("0001-01-01T00:00:00", "-0001-01-01T00:00:00"),
                ("99999999999999999999-01-01T00:00:00Z", "99999999999999999999-01-01T00:00:00+00:00"),
                ("2026-01-31T12:00:00Z", "nonsense"),
            ],
        );
        check(
            Date,
            &[("2026-01-31Z", "2026-01-31-00:00"), ("2026-01-31+13:00", "2026-01-30-11:00")],
            &[
                ("2026-01-31", "2026-01-31Z"),
                ("2026-01-31", "2026-02-01"),
                ("2026-01-31Z", "2026-01-31+01:00"),
            ],
        );
        check(
            Time,
            &[("12:00:00Z", "13:00:00+01:00"), ("24:00:00", "00:00:00.0"), ("23:00:00-02:00", "01:00:00Z")],
            &[("12:00:00", "12:00:00Z"), ("12:00:00", "12:00:00.1")],
        );
    }

    #[test]
    fn parts_of_dates_and_other_types() {
        check(
            Year,
            &[("2026Z", "2026+00:00"), ("-0001Z", "-0001-00:00")],
            &[("2026", "-2026"), ("2026", "2026Z")],
        );
        check(
            YearMonth,
            &[("2026-05Z", "2026-05+00:00")],
            &[("2026-05", "2026-06"), ("2026-05", "2026-05-05:00")],
        );
        check(
            Month,
            &[("--05", "--05--"), ("--05Z", "--05--+00:00")],
            &[("--05", "--06"), ("--05", "--05Z")],
        );
        check(MonthDay, &[("--02-29Z", "--02-29+00:00")], &[("--02-29", "--03-01"), ("--02-01", "--01-02")]);
        check(Day, &[("---31Z", "---31-00:00")], &[("---31", "---30")]);
        check(
            Duration,
            &[
                ("P1Y", "P12M"),
                ("P1D", "PT24H"),
                ("PT1M", "PT60S"),
                ("PT1.50S", "PT1.5S"),
                ("-P0D", "PT0S"),
                ("-P1DT1S", "-PT86401.0S"),
                ("PT0.0S", "P0Y"),
            ],
            &[
                ("P1M", "P30D"),
                ("P1D", "-P1D"),
                ("P1M", "PT1M"),
                ("PT0.5S", "-PT0.5S"),
                ("PT1.5S", "PT1.05S"),
                ("P99999999999999999999Y", "P099999999999999999999Y"),
            ],
        );
        check(HexBinary, &[("0aFF", "0Aff")], &[("0aFF", "0aFE")]);
        check(Base64Binary, &[("AAAA", "AAAA")], &[("AAAA", "AAAa")]);
        check(Language, &[("en", "en")], &[("en", "EN")]);
        check(Token, &[("a", "a")], &[("a", "A"), ("1", "01")]);
    }

    proptest! {
        /// The same point of time in two zones is one value, and a second later is another.
        #[test]
        fn zones_do_not_change_a_point_of_time(
            seconds in -60_000_000_000_i64..200_000_000_000,
            zones in (-840_i64..=840, -840_i64..=840),
        ) {
            let shown = |seconds: i64, zone: i64| {
                let local = seconds + zone * 60;
                let calendar::Date { year, month, day } = calendar::Date::of(local.div_euclid(86_400));
                let of_day = local.rem_euclid(86_400);
                let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
                let (sign, zone) = (if zone < 0 { '-' } else { '+' }, zone.abs());
                format!(
                    "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{:02}:{:02}",
                    zone / 60,
                    zone % 60
                )
            };
            let (left, right) = (shown(seconds, zones.0), shown(seconds, zones.1));
            prop_assert!(is_same(DateTime, &left, &right), "{left} {right}");
            prop_assert!(!is_same(DateTime, &left, &shown(seconds + 1, zones.1)));
        }

        /// No texts make it fail, and a value is the same as itself only.
        #[test]
        fn any_texts_can_be_compared(left in "\\PC{0,12}|[-+0-9PTZ:.YMDHS]{0,24}", right in "[-+0-9PTZ:.YMDHS]{0,24}") {
            for name in TextType::names() {
                let kind = TextType::by_name(name).expect(name);
                prop_assert!(is_same(kind, &left, &left));
                prop_assert_eq!(is_same(kind, &left, &right), is_same(kind, &right, &left));
            }
        }
    }
}
