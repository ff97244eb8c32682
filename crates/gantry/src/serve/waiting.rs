//! Answers that wait for their clients: how long each may wait, and how many bytes all of them may be.

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::Notify;

use crate::live::Live;

/// The rules for all connections, and the count of what waits now; clones share the count.
#[derive(Clone)]
pub(super) struct Waiting {
    /// Within this time a client takes `min_bytes` of its answer, or all that is left.
    pub(super) time: Duration,
    pub(super) min_bytes: usize,
    max_bytes: i64,
    bytes: Gauge,
    not_taken: Counter,
    short: Arc<Notify>,
}

/// Bytes that count until this is dropped.
pub(super) struct Held {
    bytes: Gauge,
    count: i64,
}

impl Waiting {
    pub(super) fn new(live: &Live) -> Self {
        let limits = live.gateway().limits;
        Self {
            time: Duration::from_millis(limits.response_write_timeout_ms),
            min_bytes: limits.response_write_min_bytes,
            max_bytes: i64::try_from(limits.response_waiting_max_bytes).unwrap_or(i64::MAX),
            bytes: live.metrics.answers_waiting.clone(),
            not_taken: live.metrics.answers_not_taken.clone(),
            short: Arc::new(Notify::new()),
        }
    }

    /// Counts bytes that begin to wait; None if too many wait already, which answers without progress hear of.
    pub(super) fn hold(&self, count: usize) -> Option<Held> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let before = self.bytes.inc_by(count);
        let held = Held { bytes: self.bytes.clone(), count };
        if before.saturating_add(count) > self.max_bytes {
            self.short.notify_waiters();
            return None;
        }
        Some(held)
    }

    /// Ends when there is no room for another answer that waits.
    pub(super) async fn short(&self) {
        self.short.notified().await;
    }

    /// An answer ends because nobody takes it.
    pub(super) fn given_up(&self) {
        self.not_taken.inc();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.bytes.dec_by(self.count);
    }
}
