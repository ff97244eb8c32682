//! Days of the Gregorian calendar as numbers and by year, month and day (Howard Hinnant, "chrono-compatible low-level date
//! algorithms").

/// The days of 400 years. The calendar repeats after them.
const DAYS_OF_ERA: i64 = 146_097;
/// Days from 1 March of the year 0 to 1 January 1970.
const DAYS_FROM_YEAR_0: i64 = 719_468;

/// The months in three letters, from January on, as in HTTP and mail (RFC 5322, section 3.3).
pub const MONTH_NAMES: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A day by year, month and day of the month.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Date {
    /// The year; 0 is the year before 1.
    pub year: i64,
    /// The month, from 1 to 12 in dates that [`Date::of`] makes.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
}

impl Date {
    /// The date of a day since 1970-01-01.
    #[must_use]
    pub const fn of(days: i64) -> Self {
        // Years begin in March here, so the leap day is the last day.
        let shifted = days + DAYS_FROM_YEAR_0;
        let era = shifted.div_euclid(DAYS_OF_ERA);
        let of_era = shifted.rem_euclid(DAYS_OF_ERA);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Self { year: era * 400 + year_of_era + (month <= 2) as i64, month, day }
    }

    /// The day since 1970-01-01. Months and days beyond their ends count into the next ones.
    #[must_use]
    pub const fn days(self) -> i64 {
        let months = self.month - 1;
        let (year, month) = (self.year + months.div_euclid(12), months.rem_euclid(12) + 1);
        let year = year - (month <= 2) as i64;
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let from_march = month + if month > 2 { -3 } else { 9 };
        let of_year = (153 * from_march + 2) / 5 + self.day - 1;
        era * DAYS_OF_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year
            - DAYS_FROM_YEAR_0
    }

    /// The day of the year, from 1.
    #[must_use]
    pub const fn day_of_year(self) -> i64 {
        self.days() - Self { year: self.year, month: 1, day: 1 }.days() + 1
    }

    /// Whether the calendar has this month, and this day of it.
    #[must_use]
    pub const fn is_valid(self) -> bool {
        matches!(self.month, 1..=12) && self.day >= 1 && self.day <= days_in(self.year, self.month)
    }
}

/// Whether the year has a 29th of February.
#[must_use]
pub const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The number of days of a month from 1 to 12.
#[must_use]
pub const fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + is_leap(year) as i64,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The day of the week of a day since 1970-01-01: Monday is 1, Sunday 7 (ISO 8601).
#[must_use]
pub const fn weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// The Thursday in the week of a day since 1970-01-01: the week belongs to this Thursday's year and month (ISO 8601).
#[must_use]
pub const fn thursday(days: i64) -> Date {
    Date::of(days - weekday(days) + 4)
}
