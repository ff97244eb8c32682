//! The date services of Language Environment: Lilian dates, picture strings and condition tokens.
//!
//! The rules are those of IBM's z/OS Language Environment Programming Reference (SA38-0683): the chapter of
//! each service, and "Date and time services tables" for pictures. A Lilian date counts days from 14 October
//! 1582; Lilian seconds begin with that day too, and are milliseconds here.
//!
//! Deliberately absent: the clock, and the arguments of a CALL. Eras (`<JJJJ>`, `<CCCC>`) are refused as
//! pictures.

mod conditions;
mod lilian;
mod picture;
mod read;
mod write;

pub use conditions::*;
pub use lilian::{
    DAY_MILLISECONDS, LILIAN_1601, LILIAN_MAX, LILIAN_UNIX, SECONDS_MAX_MILLISECONDS,
    SECONDS_MIN_MILLISECONDS, Stamp, date_of, day_of_week, lilian_of, lilian_of_day,
};
pub use picture::{DEFAULT_DATE, DEFAULT_TIMESTAMP};
pub use read::{Century, Reading, read};
pub use write::{OUTPUT_BYTES, Written, write};
