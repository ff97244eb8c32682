//! Counters of what a store has done since it was opened, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Submission;
use crate::engine::{Change, Force};

/// The work of a store since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Applied units with changes. A change of a space that is not recoverable counts as a unit.
    pub units: u64,
    /// Batches that the engine got.
    pub batches: u64,
    /// Batches for which the store waited for the disk.
    pub syncs: u64,
    /// Bytes of keys and values in these batches.
    pub bytes: u64,
}

/// The counters while they count.
#[derive(Debug, Default)]
pub(crate) struct Counting {
    units: AtomicU64,
    batches: AtomicU64,
    syncs: AtomicU64,
    bytes: AtomicU64,
    used_bytes: AtomicU64,
}

impl Counting {
    pub(super) fn new(used_bytes: u64) -> Self {
        Self { used_bytes: AtomicU64::new(used_bytes), ..Self::default() }
    }

    pub(super) fn unit(&self, submission: &Submission) {
        if !submission.writes.is_empty() {
            self.units.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn batch(&self, changes: &[Change], force: Force) {
        let bytes: usize = changes.iter().map(Change::bytes).sum();
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.syncs.fetch_add(u64::from(force == Force::Disk), Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn set_used_bytes(&self, bytes: u64) {
        self.used_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Bytes of keys and values in the store.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn read(&self) -> Counters {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counters {
            units: of(&self.units),
            batches: of(&self.batches),
            syncs: of(&self.syncs),
            bytes: of(&self.bytes),
        }
    }
}
