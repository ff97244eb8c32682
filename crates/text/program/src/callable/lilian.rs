//! Lilian dates as dates of the Gregorian calendar, and back.

use calendar::{Date, is_leap, weekday};

use super::conditions::{Condition, DATE_RANGE, DATE_VALUE, MONTH};

/// The last Lilian date, 31 December 9999.
pub const LILIAN_MAX: i64 = 3_074_324;

/// The Lilian date of 1 January 1970.
pub const LILIAN_UNIX: i64 = 141_428;

/// The Lilian date of 1 January 1601, which is day 1 of COBOL's integer dates.
pub const LILIAN_1601: i64 = 6_654;

/// Milliseconds of a day.
pub const DAY_MILLISECONDS: i64 = 86_400_000;

/// The first moment in Lilian seconds: the beginning of Lilian day 1.
pub const SECONDS_MIN_MILLISECONDS: i64 = DAY_MILLISECONDS;

/// The last moment: the end of the year 9999.
pub const SECONDS_MAX_MILLISECONDS: i64 = (LILIAN_MAX + 1) * DAY_MILLISECONDS - 1;

/// A Lilian date, and milliseconds from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// From 1 to [`LILIAN_MAX`].
    pub lilian: i64,
    /// From 0, less than [`DAY_MILLISECONDS`].
    pub milliseconds: i64,
}

impl Stamp {
    /// The stamp of Lilian seconds, in milliseconds; none outside of the supported range.
    pub fn of_seconds(milliseconds: i64) -> Option<Self> {
        let in_range = (SECONDS_MIN_MILLISECONDS..=SECONDS_MAX_MILLISECONDS).contains(&milliseconds);
        in_range.then_some(Self {
            lilian: milliseconds / DAY_MILLISECONDS,
            milliseconds: milliseconds % DAY_MILLISECONDS,
        })
    }

    /// Lilian seconds, in milliseconds.
    pub fn seconds_milliseconds(self) -> i64 {
        self.lilian * DAY_MILLISECONDS + self.milliseconds
    }
}

/// The date of a Lilian date from 1 to [`LILIAN_MAX`].
pub fn date_of(lilian: i64) -> Date {
    Date::of(lilian - LILIAN_UNIX)
}

/// The Lilian date of a date.
///
/// # Errors
/// The month does not exist, or does not have the day, or the date is outside of the supported range.
pub fn lilian_of(date: Date) -> Result<i64, Condition> {
    if !(1..=12).contains(&date.month) {
        return Err(MONTH);
    }
    if !date.is_valid() {
        return Err(DATE_VALUE);
    }
    in_range(date.days() + LILIAN_UNIX)
}

/// The Lilian date of a day of a year, from 1.
///
/// # Errors
/// The year does not have the day, or the date is outside of the supported range.
pub fn lilian_of_day(year: i64, day_of_year: i64) -> Result<i64, Condition> {
    if !(1..=365 + i64::from(is_leap(year))).contains(&day_of_year) {
        return Err(DATE_VALUE);
    }
    in_range(Date { year, month: 1, day: day_of_year }.days() + LILIAN_UNIX)
}

/// The day of the week of a Lilian date: 1 for Sunday.
pub fn day_of_week(lilian: i64) -> i64 {
    weekday(lilian - LILIAN_UNIX) % 7 + 1
}

fn in_range(lilian: i64) -> Result<i64, Condition> {
    if (1..=LILIAN_MAX).contains(&lilian) { Ok(lilian) } else { Err(DATE_RANGE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_dates() {
        let lilian = |year, month, day| lilian_of(Date { year, month, day });
        assert_eq!(lilian(1582, 10, 15), Ok(1));
        assert_eq!(lilian(1988, 5, 16), Ok(148_138));
        assert_eq!(lilian(1601, 1, 1), Ok(LILIAN_1601));
        assert_eq!(lilian(1970, 1, 1), Ok(LILIAN_UNIX));
        assert_eq!(lilian(9999, 12, 31), Ok(LILIAN_MAX));
        assert_eq!(lilian(1582, 10, 14), Err(DATE_RANGE));
        assert_eq!(lilian(2023, 2, 29), Err(DATE_VALUE));
        assert_eq!(lilian(2024, 13, 1), Err(MONTH));
        assert_eq!(lilian_of_day(1988, 154), lilian(1988, 6, 2));
        assert_eq!(lilian_of_day(2023, 366), Err(DATE_VALUE));
        assert_eq!((day_of_week(1), day_of_week(148_138)), (6, 2));
    }

    #[test]
    fn every_day_comes_back() {
        for lilian in 1..=LILIAN_MAX {
            let date = date_of(lilian);
            assert_eq!(lilian_of(date), Ok(lilian), "{date:?}");
            assert_eq!(lilian_of_day(date.year, date.day_of_year()), Ok(lilian), "{date:?}");
        }
    }

    #[test]
    fn seconds_have_their_documented_range() {
        assert_eq!(Stamp::of_seconds(86_400_000), Some(Stamp { lilian: 1, milliseconds: 0 }));
        assert_eq!(SECONDS_MAX_MILLISECONDS, 265_621_679_999_999);
        assert_eq!((Stamp::of_seconds(86_399_999), Stamp::of_seconds(265_621_680_000_000)), (None, None));
    }
}
