//! Counts of an endpoint, and its highest values with their times.

use std::time::{Duration, Instant, SystemTime};

/// The rate is an average over this many seconds.
const RATE_SECONDS: usize = 10;

/// The highest value, and when it was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Highest {
    pub(crate) value: f64,
    pub(crate) at: Option<SystemTime>,
}

impl Highest {
    pub(crate) const NONE: Self = Self { value: 0.0, at: None };

    pub(crate) fn see(&mut self, value: f64) {
        if value > self.value {
            *self = Self { value, at: Some(SystemTime::now()) };
        }
    }
}

/// Counts of an endpoint since they were cleared.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    /// Replies.
    pub(crate) replies: u64,
    /// How long they took, in microseconds.
    pub(crate) took_us: u64,
    pub(crate) timeouts: u64,
    pub(crate) errors: u64,
    pub(crate) sessions_highest: Highest,
    pub(crate) in_use_highest: Highest,
    pub(crate) rate_highest: Highest,
    pub(crate) took_ms_highest: Highest,
    /// Replies of each of the last seconds.
    seconds: [u32; RATE_SECONDS],
    /// The second of the last reply, counted from `begun`.
    second: u64,
    begun: Instant,
}

impl Figures {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            replies: 0,
            took_us: 0,
            timeouts: 0,
            errors: 0,
            sessions_highest: Highest::NONE,
            in_use_highest: Highest::NONE,
            rate_highest: Highest::NONE,
            took_ms_highest: Highest::NONE,
            seconds: [0; RATE_SECONDS],
            second: 0,
            begun: now,
        }
    }

    /// Counts a reply with its time.
    pub(crate) fn replied(&mut self, now: Instant, took: Duration) {
        self.advance(now);
        self.seconds[self.second as usize % RATE_SECONDS] += 1;
        self.replies += 1;
        self.took_us += took.as_micros() as u64;
        self.took_ms_highest.see(took.as_secs_f64() * 1_000.0);
    }

    /// Notes the numbers of open connections and of used ones.
    pub(crate) fn sessions(&mut self, open: usize, in_use: usize) {
        self.sessions_highest.see(open as f64);
        self.in_use_highest.see(in_use as f64);
    }

    /// Replies per second, over the last whole seconds.
    pub(crate) fn rate(&mut self, now: Instant) -> f64 {
        self.advance(now);
        let current = self.second as usize % RATE_SECONDS;
        let whole = self.seconds.iter().enumerate().filter(|(at, _)| *at != current);
        let count: u32 = whole.map(|(_, count)| count).sum();
        let seconds = self.second.clamp(1, RATE_SECONDS as u64 - 1);
        f64::from(count) / seconds as f64
    }

    /// The mean time of a reply, in milliseconds.
    pub(crate) fn mean_ms(&self) -> f64 {
        if self.replies == 0 { 0.0 } else { self.took_us as f64 / 1_000.0 / self.replies as f64 }
    }

    /// Empties the seconds that have passed without a reply.
    fn advance(&mut self, now: Instant) {
        let second = now.saturating_duration_since(self.begun).as_secs();
        if second == self.second {
            return;
        }
        let ended = self.seconds[self.second as usize % RATE_SECONDS];
        self.rate_highest.see(f64::from(ended));
        for passed in (self.second + 1..=second).rev().take(RATE_SECONDS) {
            self.seconds[passed as usize % RATE_SECONDS] = 0;
        }
        self.second = second;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_over_whole_seconds_and_falls_to_nothing() {
        let begun = Instant::now();
        let mut figures = Figures::new(begun);
        let at = |ms: u64| begun + Duration::from_millis(ms);
        for ms in (0..2_000).step_by(10) {
            figures.replied(at(ms), Duration::from_micros(1_500));
        }
        assert_eq!(figures.rate(at(2_000)), 100.0);
        assert_eq!((figures.replies, figures.mean_ms()), (200, 1.5));
        assert_eq!(figures.rate_highest.value, 100.0);
        assert_eq!(figures.rate(at(60_000)), 0.0);
    }
}
