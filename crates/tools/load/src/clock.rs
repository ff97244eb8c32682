//! The clock of the driver: nanoseconds of the monotonic clock as one integer, the same clock that timerfd sleeps on.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use calendar::Utc;
use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of the monotonic clock.
pub(crate) fn now_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

/// CPU time of this process in nanoseconds, user and system, all threads.
pub(crate) fn own_cpu_ns() -> u64 {
    nanoseconds(ClockId::ProcessCPUTime)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    // Both clocks count from zero upwards: neither part is ever negative.
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// A duration in whole nanoseconds; durations of this crate are at most days, so they always fit.
pub(crate) fn as_ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The time of day now, as `2016-08-26T09:30:00Z`.
pub(crate) fn utc_now() -> String {
    Utc::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()).in_seconds()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_does_not_go_back() {
        let before = now_ns();
        assert!(now_ns() >= before);
    }
}
