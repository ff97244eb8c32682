//! Dates and times as people read them, in UTC.

use std::time::SystemTime;

const SECONDS_OF_DAY: u64 = 86_400;

/// `2026-11-21 17:30:05`, from seconds since 1970.
pub(crate) fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / SECONDS_OF_DAY, seconds % SECONDS_OF_DAY);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// `2026-11-21 17:30:05:250 UTC`, as z/OS Connect has it.
pub(crate) fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}:{:03} UTC", utc(since.as_secs()), since.subsec_millis())
}

/// The date of a day after 1970-01-01, by counting years and months.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01 00:00:00");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(utc(1_472_203_800), "2016-08-26 09:30:00");
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(4_102_444_799_007);
        assert_eq!(timestamp(time), "2099-12-31 23:59:59:007 UTC");
    }
}
