//! Pauses between tries: they grow, and they differ from caller to caller.

use std::time::Duration;

/// How long to pause before a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pauses {
    /// The longest pause before the first try. It doubles for each further try.
    pub first: Duration,
    /// The longest pause of all.
    pub longest: Duration,
}

impl Pauses {
    /// The pause before try `number`, counted from 0. It lies between half of its longest value and
    /// this value, by `random`. So callers that failed together do not come back together.
    #[must_use]
    pub fn pause(&self, number: u32, random: u32) -> Duration {
        let most = self.first.saturating_mul(1_u32.checked_shl(number).unwrap_or(u32::MAX));
        let most = most.min(self.longest);
        let half = most / 2;
        half + half.mul_f64(f64::from(random) / f64::from(u32::MAX))
    }
}

/// Some bits that differ from call to call.
#[must_use]
pub fn random() -> u32 {
    let mut bytes = [0; 4];
    // Without random bytes, tries may come together. That is the only harm.
    let _ = aws_lc_rs::rand::fill(&mut bytes);
    u32::from_ne_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let pauses = Pauses { first: Duration::from_millis(50), longest: Duration::from_secs(2) };
        assert_eq!(pauses.pause(0, 0), Duration::from_millis(25));
        assert_eq!(pauses.pause(0, u32::MAX), Duration::from_millis(50));
        assert_eq!(pauses.pause(2, u32::MAX), Duration::from_millis(200));
        assert_eq!(pauses.pause(90, u32::MAX), Duration::from_secs(2));
    }
}
