//! Lines of the log that many connections would repeat: one a second is written.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The pause between two lines about the same trouble.
const LINE_EVERY: Duration = Duration::from_secs(1);

/// When the last line about a trouble was written; none if there was none.
#[derive(Debug, Default)]
pub(crate) struct LineLimit(Mutex<Option<Instant>>);

impl LineLimit {
    /// Whether a line may be written now. If so, it counts as written.
    pub(crate) fn may_say(&self) -> bool {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if said.is_some_and(|said| now.duration_since(said) < LINE_EVERY) {
            return false;
        }
        *said = Some(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_a_second_is_said() {
        let limit = LineLimit::default();
        assert!(limit.may_say() && !limit.may_say() && !limit.may_say());
        let mut said = limit.0.lock().expect("no panic");
        *said = said.and_then(|said| said.checked_sub(LINE_EVERY));
        drop(said);
        assert!(limit.may_say() && !limit.may_say());
    }
}
