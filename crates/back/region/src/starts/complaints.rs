//! Lines of the log about protected STARTs that cannot begin: each is tried again and again, and must not fill the log.
//!
//! The first failure of a START has a line, and later ones have a line after pauses that grow, with the number of tries.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The pause between the first two lines about a START. It doubles from line to line.
const LINE_FIRST: Duration = Duration::from_secs(60);

/// The longest pause.
const LINE_LONGEST: Duration = Duration::from_secs(60 * 60);

/// The most STARTs with lines of their own at a time.
const NOTED_MAX: usize = 10_000;

/// The failures of STARTs, by the keys of their records.
#[derive(Debug)]
pub(super) struct Complaints<K> {
    noted: Mutex<HashMap<K, Noted>>,
}

/// The failures of one START.
#[derive(Debug)]
struct Noted {
    tries: u32,
    last: Instant,
    pause: Duration,
}

/// Whether a failure gets a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The first failure of the START.
    First,
    /// It has failed so often.
    Again(u32),
    /// There was a line not long ago.
    None,
}

impl<K> Default for Complaints<K> {
    fn default() -> Self {
        Self { noted: Mutex::default() }
    }
}

impl<K: std::hash::Hash + Eq> Complaints<K> {
    fn noted(&self) -> MutexGuard<'_, HashMap<K, Noted>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The START could not begin. Writes a line, unless there was one not long ago.
    pub(super) fn say(&self, key: K, message: &str) {
        match self.line(key, Instant::now()) {
            Line::First => {
                tracing::error!("{message}; it is tried again, and the log says so ever less often")
            }
            Line::Again(tries) => tracing::error!("{message} (try {tries})"),
            Line::None => {}
        }
    }

    fn line(&self, key: K, now: Instant) -> Line {
        let mut noted = self.noted();
        if let Some(known) = noted.get_mut(&key) {
            known.tries = known.tries.saturating_add(1);
            if now.saturating_duration_since(known.last) < known.pause {
                return Line::None;
            }
            (known.last, known.pause) = (now, known.pause.saturating_mul(2).min(LINE_LONGEST));
            return Line::Again(known.tries);
        }
        // Those that have lines already tell of the trouble.
        if noted.len() >= NOTED_MAX {
            return Line::None;
        }
        noted.insert(key, Noted { tries: 1, last: now, pause: LINE_FIRST });
        Line::First
    }

    /// True if the START has failed before.
    pub(super) fn know(&self, key: &K) -> bool {
        self.noted().contains_key(key)
    }

    /// The START has begun, or is gone.
    pub(super) fn forget(&self, key: &K) {
        self.noted().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_fails_for_ever_has_few_lines() {
        let complaints = Complaints::default();
        let began = Instant::now();
        let mut said = Vec::new();
        // A day, with a try each minute.
        for minute in 0..24 * 60 {
            match complaints.line(1, began + Duration::from_secs(60 * minute)) {
                Line::None => {}
                line => said.push((minute, line)),
            }
        }
        assert_eq!(said[..3], [(0, Line::First), (1, Line::Again(2)), (3, Line::Again(4))]);
        // Pauses of 1 to 32 minutes, and then of an hour.
        assert_eq!(said.len(), 29, "{said:?}");
        assert!(complaints.know(&1) && !complaints.know(&2));
    }

    #[test]
    fn each_start_has_lines_of_its_own_within_the_limit() {
        let complaints = Complaints::default();
        let now = Instant::now();
        for key in 0..NOTED_MAX {
            assert_eq!(complaints.line(key, now), Line::First);
        }
        assert_eq!(complaints.line(NOTED_MAX, now), Line::None);
        complaints.forget(&3);
        assert_eq!(complaints.line(NOTED_MAX, now), Line::First);
        assert_eq!(complaints.line(4, now), Line::None);
    }
}
