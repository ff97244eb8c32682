//! The Gregorian calendar, and points in time as UTC text.
//!
//! A day is a number: days since 1970-01-01, negative before. [`Date`] is a day by year, month and day of the month. The
//! calendar is carried back without end (proleptic), as ISO 8601 does it. [`Utc`] is a point in time since 1970, and writes
//! itself as RFC 3339 and HTTP show it. Other counts of days (Lilian dates, ABSTIME, COBOL's integer dates) are days since
//! 1970 plus a constant; the crates that use them know it.
//!
//! Deliberately absent: clocks, time zones, leap seconds, locales.

mod date;
mod utc;

pub use date::{Date, MONTH_NAMES, days_in, is_leap, thursday, weekday};
pub use utc::Utc;
