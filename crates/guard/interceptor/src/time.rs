//! Points in time as RFC 3339 shows them, in UTC with microseconds.

use std::fmt;

const MICROS_PER_SECOND: u64 = 1_000_000;
const SECONDS_PER_DAY: u64 = 86_400;

/// A point in time: microseconds since 1970-01-01T00:00:00Z, without leap seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub u64);

/// Bytes of a point in time as text, until the year 9999.
const TEXT_BYTES: usize = 27;

impl Time {
    /// `2026-11-21T17:30:05.250000Z`; years beyond 9999 are shown as 9999.
    fn text(self) -> [u8; TEXT_BYTES] {
        let seconds = self.0 / MICROS_PER_SECOND;
        let (year, month, day) = civil(seconds / SECONDS_PER_DAY);
        let second_of_day = seconds % SECONDS_PER_DAY;
        let mut text = *b"0000-00-00T00:00:00.000000Z";
        let parts = [
            (0..4, year.min(9999)),
            (5..7, month),
            (8..10, day),
            (11..13, second_of_day / 3600),
            (14..16, second_of_day / 60 % 60),
            (17..19, second_of_day % 60),
            (20..26, self.0 % MICROS_PER_SECOND),
        ];
        for (place, mut number) in parts {
            for digit in text[place].iter_mut().rev() {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
        }
        text
    }

    /// Calls with the text.
    pub(crate) fn with_text<T>(self, then: impl FnOnce(&str) -> T) -> T {
        // Digits and signs: always text.
        then(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

impl fmt::Display for Time {
    /// `2026-11-21T17:30:05.250000Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl serde::Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

/// The date of a day after 1970-01-01 (Howard Hinnant's algorithm: eras of 400 years that begin in March).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}
