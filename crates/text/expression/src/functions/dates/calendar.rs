//! The Gregorian calendar, in days since 1970.

/// A day by year, month and day of the month.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Date {
    pub(super) year: i64,
    /// From 1 on.
    pub(super) month: i64,
    /// From 1 on.
    pub(super) day: i64,
}

impl Date {
    /// Works in years that begin in March, so that the leap day is the last (Hinnant, chrono-compatible algorithms).
    pub(super) fn of(days: i64) -> Date {
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Date { year: year_of_era + era * 400 + i64::from(month <= 2), month, day }
    }

    /// Months and days beyond their ends count on into the next.
    pub(super) fn days(self) -> i64 {
        let months = self.month - 1;
        let (year, month) = (self.year + months.div_euclid(12), months.rem_euclid(12) + 1);
        let year = year - i64::from(month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + self.day - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719_468
    }

    /// From 1 on.
    pub(super) fn day_of_year(self) -> i64 {
        self.days() - Date { year: self.year, month: 1, day: 1 }.days() + 1
    }
}

/// Monday is 1, Sunday 7.
pub(super) fn weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// The Thursday of the day's week: the week belongs to its year and its month (ISO 8601).
pub(super) fn thursday(days: i64) -> Date {
    Date::of(days - weekday(days) + 4)
}
