//! Dates and times of EXEC CICS: ABSTIME counts milliseconds since 1900, and everything is UTC.

use std::time::Duration;

use calendar::Date;

/// From 1900 to 1970.
const DAYS_TO_1970: i64 = 25_567;
const MILLISECONDS_TO_1970: i64 = DAYS_TO_1970 * MILLISECONDS_OF_DAY;
const MILLISECONDS_OF_DAY: i64 = 86_400_000;

/// The largest ABSTIME: the end of the year 9999.
pub const ABSTIME_MAX: i64 = 255_611_289_599_999;

/// The ABSTIME at which a day begins.
pub(crate) fn of_date(date: Date) -> i64 {
    (date.days() + DAYS_TO_1970) * MILLISECONDS_OF_DAY
}

/// A moment, split into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Milliseconds since 1900.
    pub abstime: i64,
    /// From 1900.
    pub year: i64,
    /// From 1.
    pub month: i64,
    /// From 1.
    pub day: i64,
    /// From 1.
    pub day_of_year: i64,
    /// 0 for Sunday.
    pub day_of_week: i64,
    /// Days since 1900, from 0.
    pub day_count: i64,
    /// From 0.
    pub hour: i64,
    /// From 0.
    pub minute: i64,
    /// From 0.
    pub second: i64,
    /// From 0.
    pub millisecond: i64,
}

impl Moment {
    /// A time since the beginning of 1970, or the end of the year 9999 if it is later.
    pub fn at(since: Duration) -> Self {
        let milliseconds = i64::try_from(since.as_millis()).unwrap_or(i64::MAX / 2);
        Self::of((milliseconds + MILLISECONDS_TO_1970).min(ABSTIME_MAX))
    }

    /// The moment of an ABSTIME from 0 to [`ABSTIME_MAX`].
    pub fn of(abstime: i64) -> Self {
        let day_count = abstime.div_euclid(MILLISECONDS_OF_DAY);
        let rest = abstime.rem_euclid(MILLISECONDS_OF_DAY);
        let date = Date::of(day_count - DAYS_TO_1970);
        let Date { year, month, day } = date;
        Self {
            abstime,
            year,
            month,
            day,
            day_of_year: date.day_of_year(),
            // The 1st of January 1900 was a Monday.
            day_of_week: (day_count + 1).rem_euclid(7),
            day_count,
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1_000 % 60,
            millisecond: rest % 1_000,
        }
    }

    /// EIBTIME: `0HHMMSS`.
    pub fn eib_time(&self) -> u32 {
        (self.hour * 10_000 + self.minute * 100 + self.second) as u32
    }

    /// EIBDATE: `0CYYDDD`, where C is 0 for 19 and 1 for 20.
    pub fn eib_date(&self) -> u32 {
        ((self.year - 1900) * 1_000 + self.day_of_year) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_taken_apart() {
        let parts = |abstime| {
            let m = Moment::of(abstime);
            (m.year, m.month, m.day, m.day_of_year, m.day_of_week)
        };
        assert_eq!(parts(0), (1900, 1, 1, 1, 1));
        assert_eq!(parts(MILLISECONDS_TO_1970), (1970, 1, 1, 1, 4));
        // The 29th of February 2024 was a Thursday; 1,709,208,000 seconds since 1970 is its noon.
        let noon = Moment::of(MILLISECONDS_TO_1970 + 1_709_208_000_123);
        assert_eq!(
            (noon.year, noon.month, noon.day, noon.day_of_year, noon.day_of_week),
            (2024, 2, 29, 60, 4)
        );
        assert_eq!((noon.eib_time(), noon.eib_date(), noon.millisecond), (120_000, 124_060, 123));
        assert_eq!(parts(ABSTIME_MAX), (9999, 12, 31, 365, 5));
    }
}
