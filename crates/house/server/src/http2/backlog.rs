//! Bytes of answers between h2 and the socket. They are few, so that waiting bytes are counted
//! where they wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{Buf, Bytes};
use tokio::sync::Notify;

/// The most bytes of a connection's answers in h2. With fewer bytes there, h2 gets an answer whole.
pub(crate) const CONNECTION_BUFFER_BYTES: usize = 64 * 1024;

/// The bytes of one connection; clones share the count.
#[derive(Clone, Default)]
pub(crate) struct Backlog(Arc<Inner>);

#[derive(Default)]
struct Inner {
    bytes: AtomicUsize,
    drained: Notify,
}

/// Bytes that count until h2 has written them all, or dropped them.
pub(super) struct Counted {
    bytes: Bytes,
    count: usize,
    backlog: Backlog,
}

impl Backlog {
    pub(crate) fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn has_room(&self) -> bool {
        self.bytes() < CONNECTION_BUFFER_BYTES
    }

    /// Waits until h2 may get more.
    pub(super) async fn room(&self) {
        loop {
            // From here on it gets notices of changes.
            let drained = self.0.drained.notified();
            if self.has_room() {
                return;
            }
            drained.await;
        }
    }

    pub(super) fn count(&self, bytes: Bytes) -> Counted {
        let count = bytes.len();
        self.0.bytes.fetch_add(count, Ordering::Relaxed);
        Counted { bytes, count, backlog: self.clone() }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let before = self.backlog.0.bytes.fetch_sub(self.count, Ordering::Relaxed);
        if before >= CONNECTION_BUFFER_BYTES && before - self.count < CONNECTION_BUFFER_BYTES {
            self.backlog.0.drained.notify_waiters();
        }
    }
}

impl Buf for Counted {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}
