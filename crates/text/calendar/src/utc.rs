//! Points in time as text, in UTC: RFC 3339, HTTP's dates, and the forms of logs and tables.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::date::{Date, MONTH_NAMES, weekday};

const MICROS_PER_SECOND: u64 = 1_000_000;
const SECONDS_PER_DAY: u64 = 86_400;

/// Bytes of a point in time in the form of RFC 3339, with microseconds.
const TEXT_BYTES: usize = 27;

/// A point in time: microseconds since 1970-01-01T00:00:00Z, without leap seconds. Years beyond 9999 are shown as 9999.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Utc(
    /// Microseconds since 1970.
    pub u64,
);

impl Utc {
    /// The point in time this number of seconds after the start of 1970.
    #[must_use]
    pub const fn of_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// `2026-11-21T17:30:05.250000Z`, in digits and signs of ASCII.
    fn text(self) -> [u8; TEXT_BYTES] {
        let seconds = self.0 / MICROS_PER_SECOND;
        let date = Date::of((seconds / SECONDS_PER_DAY) as i64);
        let of_day = seconds % SECONDS_PER_DAY;
        let mut text = *b"0000-00-00T00:00:00.000000Z";
        let parts = [
            (0..4, date.year.min(9999) as u64),
            (5..7, date.month as u64),
            (8..10, date.day as u64),
            (11..13, of_day / 3600),
            (14..16, of_day / 60 % 60),
            (17..19, of_day % 60),
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

    /// Calls `then` with the text of RFC 3339: `2026-11-21T17:30:05.250000Z`. Nothing is allocated.
    pub fn with_text<T>(self, then: impl FnOnce(&str) -> T) -> T {
        // These are digits and signs, so they are always text.
        then(std::str::from_utf8(&self.text()).unwrap_or_default())
    }

    /// RFC 3339 without parts of a second: `2026-11-21T17:30:05Z`.
    #[must_use]
    pub fn in_seconds(self) -> String {
        self.with_text(|text| format!("{}Z", &text[..19]))
    }

    /// The form for people: `2026-11-21 17:30:05`.
    #[must_use]
    pub fn plain(self) -> String {
        self.with_text(|text| format!("{} {}", &text[..10], &text[11..19]))
    }

    /// The form of HTTP: `Sat, 21 Nov 2026 17:30:05 GMT`.
    ///
    /// Source: RFC 9110, section 5.6.7 (IMF-fixdate).
    #[must_use]
    pub fn http(self) -> String {
        const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
        let days = (self.0 / MICROS_PER_SECOND / SECONDS_PER_DAY) as i64;
        let month = MONTH_NAMES[Date::of(days).month as usize - 1];
        let day = DAYS[weekday(days) as usize - 1];
        self.with_text(|text| format!("{day}, {} {month} {} {} GMT", &text[8..10], &text[..4], &text[11..19]))
    }
}

impl From<Duration> for Utc {
    /// The point in time this long after the start of 1970.
    fn from(since_1970: Duration) -> Self {
        Self(u64::try_from(since_1970.as_micros()).unwrap_or(u64::MAX))
    }
}

impl Serialize for Utc {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl fmt::Display for Utc {
    /// `2026-11-21T17:30:05.250000Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}
