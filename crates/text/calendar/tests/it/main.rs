//! The calendar as its users see it.

mod dates;
mod texts;
