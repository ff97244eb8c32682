//! Dates and times as people read them, in UTC.

use std::time::SystemTime;

use interceptor::time::Time;

const MICROS_PER_SECOND: u64 = 1_000_000;

/// `2026-11-21 17:30:05`, from seconds since 1970.
pub(crate) fn utc(seconds: u64) -> String {
    let text = Time(seconds.saturating_mul(MICROS_PER_SECOND)).to_string();
    format!("{} {}", &text[..10], &text[11..19])
}

/// `2026-11-21 17:30:05:250 UTC`, as z/OS Connect has it.
pub(crate) fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}:{:03} UTC", utc(since.as_secs()), since.subsec_millis())
}

/// `Sat, 21 Nov 2026 17:30:05 GMT`, as HTTP has it, from seconds since 1970.
pub(crate) fn http(seconds: u64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = utc(seconds);
    // The first of January 1970 was a Thursday.
    let day = DAYS[(seconds / 86_400 % 7) as usize];
    let month = text[5..7].parse().ok().and_then(|month: usize| MONTHS.get(month.wrapping_sub(1)));
    format!("{day}, {} {} {} {} GMT", &text[8..10], month.unwrap_or(&"Jan"), &text[..4], &text[11..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01 00:00:00");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(utc(1_472_203_800), "2016-08-26 09:30:00");
        assert_eq!(http(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(http(951_782_400), "Tue, 29 Feb 2000 00:00:00 GMT");
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(4_102_444_799_007);
        assert_eq!(timestamp(time), "2099-12-31 23:59:59:007 UTC");
    }
}
