//! Answers that wait for their clients: limits of their time and of their bytes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::Notify;

use crate::{Counts, Limits};

/// Waiting answers hear of a lack of room at most once in this time.
const SHORT_EVERY_MS: u64 = 250;

/// The start of this module's clock.
static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The rules for all connections, and the count of waiting bytes. Clones share the count.
#[derive(Clone)]
pub(crate) struct Waiting {
    /// In this time a client must take [`crate::RESPONSE_WRITE_MIN_BYTES`] of its answer, or all of
    /// its rest.
    pub(crate) time: Duration,
    max_bytes: i64,
    bytes: Gauge,
    not_taken: Counter,
    short: Arc<Short>,
}

/// Wakes waiting answers when there is no room for another.
#[derive(Debug, Default)]
struct Short {
    notify: Notify,
    /// When it last woke them, in milliseconds of the process's clock.
    told_ms: AtomicU64,
}

/// Waiting bytes. They count until this is dropped.
pub(crate) struct Held {
    bytes: Gauge,
    count: i64,
}

impl Waiting {
    pub(crate) fn new(limits: &Limits, counts: &Counts) -> Self {
        Self {
            time: limits.response_write_timeout,
            max_bytes: i64::try_from(limits.response_waiting_max_bytes).unwrap_or(i64::MAX),
            bytes: counts.answers_waiting.clone(),
            not_taken: counts.answers_not_taken.clone(),
            short: Arc::default(),
        }
    }

    /// Counts bytes that start to wait. None if too many wait already. Answers without progress
    /// then hear of it.
    pub(crate) fn hold(&self, count: usize) -> Option<Held> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let before = self.bytes.inc_by(count);
        let held = Held { bytes: self.bytes.clone(), count };
        if before.saturating_add(count) > self.max_bytes {
            self.short.tell();
            return None;
        }
        Some(held)
    }

    /// Ends when there is no room for another waiting answer.
    pub(crate) async fn short(&self) {
        self.short.notify.notified().await;
    }

    /// Counts an answer that ends because its client does not take it.
    pub(crate) fn given_up(&self) {
        self.not_taken.inc();
    }
}

impl Short {
    /// Wakes all waiting answers. There may be many, so it does so at most a few times a second.
    fn tell(&self) {
        let now_ms = u64::try_from(STARTED.elapsed().as_millis()).unwrap_or(u64::MAX);
        let told_ms = self.told_ms.load(Ordering::Relaxed);
        let is_due = now_ms >= told_ms.saturating_add(SHORT_EVERY_MS);
        let (after, relaxed) = (now_ms.max(1), Ordering::Relaxed);
        if (told_ms == 0 || is_due) && self.told_ms.compare_exchange(told_ms, after, relaxed, relaxed).is_ok()
        {
            self.notify.notify_waiters();
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.bytes.dec_by(self.count);
    }
}
