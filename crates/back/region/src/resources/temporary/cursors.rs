//! Where the readers of auxiliary temporary storage queues are, and when each queue was last used.
//!
//! Both are in memory: after a restart NEXT is the first item again, and the time for expiry begins anew.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The cursors of a region's auxiliary queues.
#[derive(Debug, Default)]
pub(crate) struct Cursors(HashMap<Vec<u8>, Cursor>);

#[derive(Clone, Copy, Debug)]
struct Cursor {
    /// How many items NEXT has passed.
    read: u64,
    used: Instant,
}

impl Cursors {
    /// How many items NEXT has passed in a queue.
    pub(crate) fn read(&self, queue: &[u8]) -> u64 {
        self.0.get(queue).map_or(0, |cursor| cursor.read)
    }

    /// NEXT has passed that many items.
    pub(crate) fn set_read(&mut self, queue: &[u8], read: u64) {
        if let Some(cursor) = self.0.get_mut(queue) {
            cursor.read = read;
        }
    }

    /// The queue is used now. True if it had not been for longer than `expiry`; then it is as new.
    pub(crate) fn touch(&mut self, queue: &[u8], now: Instant, expiry: Option<Duration>) -> bool {
        let Some(cursor) = self.0.get_mut(queue) else {
            self.0.insert(queue.to_vec(), Cursor { read: 0, used: now });
            return false;
        };
        let expired = expiry.is_some_and(|expiry| now.duration_since(cursor.used) >= expiry);
        cursor.used = now;
        if expired {
            cursor.read = 0;
        }
        expired
    }

    /// The queue is gone.
    pub(crate) fn remove(&mut self, queue: &[u8]) {
        self.0.remove(queue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_expires_when_nobody_has_used_it() {
        let (mut cursors, begun) = (Cursors::default(), Instant::now());
        let expiry = Duration::from_secs(10);
        let at = |seconds| begun + Duration::from_secs(seconds);
        assert!(!cursors.touch(b"Q", at(0), Some(expiry)));
        cursors.set_read(b"Q", 3);
        assert!(!cursors.touch(b"Q", at(9), Some(expiry)));
        assert_eq!(cursors.read(b"Q"), 3);
        assert!(!cursors.touch(b"Q", at(100), None));
        assert!(cursors.touch(b"Q", at(110), Some(expiry)));
        assert_eq!(cursors.read(b"Q"), 0);
        cursors.remove(b"Q");
        assert!(!cursors.touch(b"Q", at(1_000), Some(expiry)));
    }
}
