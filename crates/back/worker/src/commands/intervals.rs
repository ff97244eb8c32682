//! Times at which something happens, as START and DELAY give them.
//!
//! Rules are those of CICS TS, "Interval control": a time of the day that is at most six hours ago is now, and an earlier
//! one is tomorrow's. Times are UTC.

use program::commands::names::*;
use program::conditions::INVREQ;

use crate::clock::{Moment, now};
use crate::cobol::arguments::Arguments;
use crate::task::Fault;

const RESP2_HOURS: u32 = 4;
const RESP2_MINUTES: u32 = 5;
const RESP2_SECONDS: u32 = 6;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long ago a time of the day may be that is not tomorrow's.
const PAST_MAX: i64 = 6 * HOUR;

/// When something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expiry {
    /// The time until it begins, in milliseconds.
    pub(super) milliseconds: u64,
    /// It was a time of the day, and that is over.
    pub(super) is_past: bool,
}

/// The time of INTERVAL, TIME, or HOURS and the like with one of these words. Without them, at once.
///
/// # Errors
/// INVREQ: hours, minutes or seconds that there are not.
pub(super) fn expiry(arguments: &Arguments) -> Result<Expiry, Fault> {
    if let Some(interval) = arguments.number(INTERVAL) {
        return Ok(after(clock_time(interval)?));
    }
    if let Some(time) = arguments.number(TIME) {
        return Ok(at(clock_time(time)?, &now()));
    }
    let parts = parts([HOURS, MINUTES, SECONDS, MILLISECS].map(|name| arguments.number(name)))?;
    match arguments.has(AT) || arguments.has(UNTIL) {
        true => Ok(at(parts, &now())),
        false => Ok(after(parts)),
    }
}

/// `hhmmss` in milliseconds.
fn clock_time(number: i64) -> Result<i64, Fault> {
    let (hours, minutes, seconds) = (number / 10_000, number / 100 % 100, number % 100);
    check(hours, 99, RESP2_HOURS)?;
    check(minutes, 59, RESP2_MINUTES)?;
    check(seconds, 59, RESP2_SECONDS)?;
    Ok(hours * HOUR + minutes * MINUTE + seconds * SECOND)
}

/// Hours, minutes, seconds and milliseconds: a part that stands alone may be as much as 100 hours.
fn parts(parts: [Option<i64>; 4]) -> Result<i64, Fault> {
    let alone = parts.iter().flatten().count() == 1;
    let limits = [
        (HOUR, 99, 99, RESP2_HOURS),
        (MINUTE, 59, 5_999, RESP2_MINUTES),
        (SECOND, 59, 359_999, RESP2_SECONDS),
        (1, 999, 359_999_999, RESP2_SECONDS),
    ];
    let mut sum = 0;
    for (part, (unit, most, most_alone, resp2)) in parts.into_iter().zip(limits) {
        let part = part.unwrap_or_default();
        check(part, if alone { most_alone } else { most }, resp2)?;
        sum += part * unit;
    }
    Ok(sum)
}

fn check(part: i64, most: i64, resp2: u32) -> Result<(), Fault> {
    match (0..=most).contains(&part) {
        true => Ok(()),
        false => Err(Fault::Condition(&INVREQ, resp2)),
    }
}

fn after(milliseconds: i64) -> Expiry {
    Expiry { milliseconds: milliseconds.unsigned_abs(), is_past: false }
}

fn at(time: i64, now: &Moment) -> Expiry {
    let of_day = now.hour * HOUR + now.minute * MINUTE + now.second * SECOND + now.millisecond;
    match time - of_day {
        left if left > 0 => after(left),
        left if left > -PAST_MAX => Expiry { milliseconds: 0, is_past: true },
        left => after(left + DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason<T>(result: Result<T, Fault>) -> u32 {
        match result {
            Err(Fault::Condition(condition, resp2)) if *condition == INVREQ => resp2,
            _ => panic!("expected INVREQ"),
        }
    }

    #[test]
    fn intervals_have_limits() {
        assert_eq!(clock_time(995_959).expect("an interval"), 100 * HOUR - SECOND);
        assert_eq!(reason(clock_time(1_000_000)), RESP2_HOURS);
        assert_eq!(reason(clock_time(6_000)), RESP2_MINUTES);
        assert_eq!(reason(clock_time(60)), RESP2_SECONDS);
        assert_eq!(reason(clock_time(-1)), RESP2_SECONDS);
        assert_eq!(parts([None, Some(5_999), None, None]).expect("minutes alone"), 5_999 * MINUTE);
        assert_eq!(reason(parts([Some(1), Some(60), None, None])), RESP2_MINUTES);
        assert_eq!(reason(parts([None, None, Some(-1), None])), RESP2_SECONDS);
        assert_eq!(parts([Some(1), Some(2), Some(3), Some(4)]).expect("all"), HOUR + 2 * MINUTE + 3_004);
    }

    #[test]
    fn times_of_the_day_are_now_or_later() {
        // The first of January 1900, at seven in the morning.
        let seven = Moment::of(7 * HOUR);
        assert_eq!(at(12 * HOUR, &seven), after(5 * HOUR));
        assert_eq!(at(2 * HOUR, &seven), Expiry { milliseconds: 0, is_past: true });
        assert_eq!(at(HOUR, &seven), after(18 * HOUR));
        assert_eq!(at(25 * HOUR, &seven), after(18 * HOUR));
    }
}
