//! How long the replies of a group take. A queued call with less time left cannot get its reply in
//! time.
//!
//! TCP estimates its round trips in the same way: a moving mean plus four times the mean deviation.

use std::time::Duration;

/// The estimate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReplyTime {
    mean_us: f64,
    deviation_us: f64,
}

impl ReplyTime {
    /// Adds the time of a reply.
    pub(crate) fn see(&mut self, took: Duration) {
        let took_us = took.as_micros() as f64;
        if self.mean_us == 0.0 {
            *self = Self { mean_us: took_us, deviation_us: took_us / 2.0 };
            return;
        }
        let away = took_us - self.mean_us;
        self.deviation_us += (away.abs() - self.deviation_us) / 4.0;
        self.mean_us += away / 8.0;
    }

    /// Nearly all replies come within this time; zero before the first reply.
    pub(crate) fn most(&self) -> Duration {
        Duration::from_micros((self.mean_us + 4.0 * self.deviation_us) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_the_replies_and_their_spread() {
        let mut time = ReplyTime::default();
        assert_eq!(time.most(), Duration::ZERO);
        (0..100).for_each(|_| time.see(Duration::from_millis(2)));
        assert_eq!(time.most().as_millis(), 2);
        (0..100).for_each(|number| time.see(Duration::from_millis(1 + 4 * (number % 2))));
        assert!((8..14).contains(&time.most().as_millis()), "{:?}", time.most());
    }
}
