//! The Gregorian calendar, and points in time as UTC text.
//!
//! A day is a number: days since 1970-01-01, negative before. [`Date`] is a day by year, month and day of the
//! month. The calendar goes back without end (proleptic), as in ISO 8601. [`Utc`] is a point in time since
//! 1970, and has the text forms of RFC 3339 and HTTP. Other counts of days (Lilian dates, ABSTIME, COBOL's
//! integer dates) are days since 1970 plus a constant; the crates that use them know the constant.
//!
//! Deliberately absent: clocks, time zones, leap seconds, locales.

mod date;
mod utc;

pub use date::{Date, MONTH_NAMES, days_in, is_leap, thursday, weekday};
pub use utc::Utc;
