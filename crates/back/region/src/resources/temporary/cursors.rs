//! Where the readers of auxiliary temporary storage queues are, and when each queue was last used.
//!
//! Both are in memory: after a restart NEXT is the first item again, and the time for expiry begins anew. Only queues that are
//! there have a cursor, so names that programs merely ask for take no memory.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::{Duration, Instant};

use store::Recovery;

/// The cursors of a region's auxiliary queues, by their names.
#[derive(Debug, Default)]
pub(crate) struct Cursors(BTreeMap<Vec<u8>, Cursor>);

#[derive(Clone, Copy, Debug)]
struct Cursor {
    /// How many items NEXT has passed.
    read: u64,
    used: Instant,
    /// Its queue is recoverable: a task may have read it that has made it and was then backed out.
    is_recoverable: bool,
}

impl Cursors {
    /// How many items NEXT has passed in a queue.
    pub(crate) fn read(&self, queue: &[u8]) -> u64 {
        self.0.get(queue).map_or(0, |cursor| cursor.read)
    }

    /// NEXT has passed that many items of a queue that is there.
    pub(crate) fn set_read(&mut self, queue: &[u8], read: u64, now: Instant, recovery: Recovery) {
        self.add(queue, now, recovery);
        if let Some(cursor) = self.0.get_mut(queue) {
            cursor.read = read;
        }
    }

    /// A queue begins anew: NEXT is its first item.
    pub(crate) fn begin(&mut self, queue: &[u8]) {
        if let Some(cursor) = self.0.get_mut(queue) {
            cursor.read = 0;
        }
    }

    /// A queue is there. If that was not known, its time for expiry begins now, and the answer is true.
    pub(crate) fn add(&mut self, queue: &[u8], now: Instant, recovery: Recovery) -> bool {
        let is_new = !self.0.contains_key(queue);
        if is_new {
            let is_recoverable = recovery == Recovery::Recoverable;
            self.0.insert(queue.to_vec(), Cursor { read: 0, used: now, is_recoverable });
        }
        is_new
    }

    /// Takes back [`Cursors::add`] of the same moment, if the queue has not been used since.
    pub(crate) fn take_back(&mut self, queue: &[u8], added: Instant) {
        if self.0.get(queue).is_some_and(|cursor| cursor.used == added && cursor.read == 0) {
            self.remove(queue);
        }
    }

    /// A command names the queue now. True if nobody had used it for as long as `expiry`: then that stays so.
    pub(crate) fn touch(&mut self, queue: &[u8], now: Instant, expiry: Option<Duration>) -> bool {
        let Some(cursor) = self.0.get_mut(queue) else { return false };
        let is_expired = expiry.is_some_and(|expiry| cursor.is_unused(now, expiry));
        if !is_expired {
            cursor.used = now;
        }
        is_expired
    }

    /// True if nobody has used the queue for as long as `expiry`.
    pub(crate) fn is_expired(&self, queue: &[u8], now: Instant, expiry: Duration) -> bool {
        self.0.get(queue).is_some_and(|cursor| cursor.is_unused(now, expiry))
    }

    /// Removes the cursor of a queue that nobody has used for as long as `expiry`. False if there is none.
    pub(crate) fn take_expired(&mut self, queue: &[u8], now: Instant, expiry: Duration) -> bool {
        let is_expired = self.is_expired(queue, now, expiry);
        if is_expired {
            self.remove(queue);
        }
        is_expired
    }

    /// The queue is gone.
    pub(crate) fn remove(&mut self, queue: &[u8]) {
        self.0.remove(queue);
    }

    /// The next recoverable queue after this name that has not been used for `expiry`, if it is among the
    /// next `most` queues; and the last name that was looked at.
    pub(super) fn next_unused(
        &self,
        after: Option<&[u8]>,
        now: Instant,
        expiry: Duration,
        most: usize,
    ) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut last = None;
        for (name, cursor) in self.0.range::<[u8], _>((from, Bound::Unbounded)).take(most) {
            if cursor.is_recoverable && cursor.is_unused(now, expiry) {
                return (Some(name.clone()), Some(name.clone()));
            }
            last = Some(name);
        }
        (None, last.cloned())
    }

    /// How many queues have a cursor.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

impl Cursor {
    fn is_unused(&self, now: Instant, expiry: Duration) -> bool {
        now.saturating_duration_since(self.used) >= expiry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Recovery = Recovery::NotRecoverable;

    #[test]
    fn a_queue_expires_when_nobody_has_used_it() {
        let (mut cursors, begun) = (Cursors::default(), Instant::now());
        let expiry = Duration::from_secs(10);
        let at = |seconds| begun + Duration::from_secs(seconds);
        assert!(!cursors.touch(b"Q", at(0), Some(expiry)));
        assert_eq!(cursors.count(), 0, "it is not there");
        assert!(cursors.add(b"Q", at(0), PLAIN));
        assert!(!cursors.add(b"Q", at(1), PLAIN));
        cursors.set_read(b"Q", 3, at(0), PLAIN);
        assert!(!cursors.touch(b"Q", at(9), Some(expiry)));
        assert_eq!(cursors.read(b"Q"), 3);
        assert!(!cursors.touch(b"Q", at(100), None));
        for _ in 0..2 {
            assert!(cursors.touch(b"Q", at(110), Some(expiry)), "until it is taken");
        }
        assert!(!cursors.take_expired(b"Q", at(109), expiry));
        assert!(cursors.take_expired(b"Q", at(110), expiry));
        assert!(!cursors.take_expired(b"Q", at(110), expiry));
        assert_eq!((cursors.read(b"Q"), cursors.count()), (0, 0));
        assert!(!cursors.touch(b"Q", at(1_000), Some(expiry)));
    }
}
