//! Lines of the log that each request would repeat: one a second is written, with the number of those that were left out.

use std::sync::atomic::{AtomicU64, Ordering};

/// Lines that tell the same.
#[derive(Debug, Default)]
pub(super) struct LogLimit {
    /// The second of the last line.
    last_s: AtomicU64,
    /// The lines that were left out since.
    left_out: AtomicU64,
}

impl LogLimit {
    pub(super) const fn new() -> Self {
        Self { last_s: AtomicU64::new(0), left_out: AtomicU64::new(0) }
    }

    /// A line that would be written in a second since 1970. If it is written, gives how many were left out since the last
    /// one; none if it is left out, too.
    pub(super) fn line(&self, now_s: u64) -> Option<u64> {
        if self.last_s.swap(now_s, Ordering::Relaxed) == now_s {
            self.left_out.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        Some(self.left_out.swap(0, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_second_has_the_number_of_the_others() {
        let limit = LogLimit::new();
        let lines: Vec<Option<u64>> = [7, 7, 7, 8, 9, 9, 12].map(|now| limit.line(now)).into();
        assert_eq!(lines, [Some(0), None, None, Some(2), Some(0), None, Some(1)]);
    }
}
