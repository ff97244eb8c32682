//! Log lines about refused connections. Anybody who reaches the port can cause them, so one line a second is written.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The pause between two lines.
const LINE_EVERY: Duration = Duration::from_secs(1);

/// The time of the last line, and the number of lines that were left out since then.
#[derive(Debug, Default)]
pub(super) struct Quiet(Mutex<(Option<Instant>, u64)>);

impl Quiet {
    /// Logs why a connection was refused, if it is time for a line.
    pub(super) fn warn(&self, reason: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (said, left_out) = &mut *known;
        let now = Instant::now();
        if said.is_some_and(|said| now.duration_since(said) < LINE_EVERY) {
            *left_out += 1;
            return tracing::debug!("a connection of another region: {reason}");
        }
        *said = Some(now);
        match std::mem::take(left_out) {
            0 => tracing::warn!("a connection of another region: {reason}"),
            left_out => tracing::warn!(left_out, "a connection of another region: {reason}"),
        }
    }
}
