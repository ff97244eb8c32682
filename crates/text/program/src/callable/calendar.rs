//! Lilian dates as dates of the Gregorian calendar, and back.

use super::conditions::{Condition, DATE_RANGE, DATE_VALUE, MONTH};

/// The last Lilian date, 31 December 9999.
pub const LILIAN_MAX: i64 = 3_074_324;

/// The Lilian date of 1 January 1970.
pub const LILIAN_UNIX: i64 = 141_428;

/// The Lilian date of 1 January 1601, which is day 1 of COBOL's integer dates.
pub const LILIAN_1601: i64 = 6_654;

/// Milliseconds of a day.
pub const DAY_MILLISECONDS: i64 = 86_400_000;

/// The first moment that Lilian seconds can say: the beginning of Lilian day 1.
pub const SECONDS_MIN_MILLISECONDS: i64 = DAY_MILLISECONDS;

/// The last one: the end of the year 9999.
pub const SECONDS_MAX_MILLISECONDS: i64 = (LILIAN_MAX + 1) * DAY_MILLISECONDS - 1;

const MONTH_DAYS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// A date of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// From 1582 to 9999.
    pub year: i64,
    /// From 1.
    pub month: i64,
    /// From 1.
    pub day: i64,
}

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

impl Civil {
    /// The date of a Lilian date from 1 to [`LILIAN_MAX`].
    pub fn of(lilian: i64) -> Self {
        // Days from 1 March of the year 0, as the calendar repeats every 400 years.
        let days = lilian - LILIAN_UNIX + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let day = day_of_year - (153 * from_march + 2) / 5 + 1;
        Self { year: era * 400 + year_of_era + i64::from(month <= 2), month, day }
    }

    /// The Lilian date.
    ///
    /// # Errors
    /// There is no such month, or no such day in it, or the date lies outside of the supported range.
    pub fn lilian(self) -> Result<i64, Condition> {
        if !(1..=12).contains(&self.month) {
            return Err(MONTH);
        }
        let february = self.month == 2 && is_leap(self.year);
        let days = MONTH_DAYS[self.month as usize - 1] + i64::from(february);
        if !(1..=days).contains(&self.day) {
            return Err(DATE_VALUE);
        }
        in_range(first_of(self.year, self.month) + self.day - 1)
    }

    /// The Lilian date of a day of a year, from 1.
    ///
    /// # Errors
    /// The year has no such day, or the date lies outside of the supported range.
    pub fn lilian_of_day(year: i64, day_of_year: i64) -> Result<i64, Condition> {
        if !(1..=365 + i64::from(is_leap(year))).contains(&day_of_year) {
            return Err(DATE_VALUE);
        }
        in_range(first_of(year, 1) + day_of_year - 1)
    }

    /// The day of the year, from 1.
    pub fn day_of_year(self) -> i64 {
        first_of(self.year, self.month) + self.day - first_of(self.year, 1)
    }
}

/// The day of the week of a Lilian date: 1 for Sunday.
pub fn day_of_week(lilian: i64) -> i64 {
    (lilian + 4).rem_euclid(7) + 1
}

fn in_range(lilian: i64) -> Result<i64, Condition> {
    if (1..=LILIAN_MAX).contains(&lilian) { Ok(lilian) } else { Err(DATE_RANGE) }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The first day of a month, as a Lilian date that may lie outside of the range.
fn first_of(year: i64, month: i64) -> i64 {
    let before = year - 1;
    let to_year = before * 365 + before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400);
    let in_year: i64 = MONTH_DAYS[..month as usize - 1].iter().sum();
    // 719,162 days lie between 1 January of the year 1 and of 1970.
    to_year + in_year + i64::from(month > 2 && is_leap(year)) - 719_162 + LILIAN_UNIX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_dates() {
        let lilian = |year, month, day| Civil { year, month, day }.lilian();
        assert_eq!(lilian(1582, 10, 15), Ok(1));
        assert_eq!(lilian(1988, 5, 16), Ok(148_138));
        assert_eq!(lilian(1601, 1, 1), Ok(LILIAN_1601));
        assert_eq!(lilian(1970, 1, 1), Ok(LILIAN_UNIX));
        assert_eq!(lilian(9999, 12, 31), Ok(LILIAN_MAX));
        assert_eq!(lilian(1582, 10, 14), Err(DATE_RANGE));
        assert_eq!(lilian(2023, 2, 29), Err(DATE_VALUE));
        assert_eq!(lilian(2024, 13, 1), Err(MONTH));
        assert_eq!(Civil::lilian_of_day(1988, 154), lilian(1988, 6, 2));
        assert_eq!(Civil::lilian_of_day(2023, 366), Err(DATE_VALUE));
        assert_eq!((day_of_week(1), day_of_week(148_138)), (6, 2));
    }

    #[test]
    fn every_day_comes_back() {
        for lilian in 1..=LILIAN_MAX {
            let date = Civil::of(lilian);
            assert_eq!(date.lilian(), Ok(lilian), "{date:?}");
            assert_eq!(Civil::lilian_of_day(date.year, date.day_of_year()), Ok(lilian), "{date:?}");
        }
    }

    #[test]
    fn seconds_have_their_documented_range() {
        assert_eq!(Stamp::of_seconds(86_400_000), Some(Stamp { lilian: 1, milliseconds: 0 }));
        assert_eq!(SECONDS_MAX_MILLISECONDS, 265_621_679_999_999);
        assert_eq!((Stamp::of_seconds(86_399_999), Stamp::of_seconds(265_621_680_000_000)), (None, None));
    }
}
