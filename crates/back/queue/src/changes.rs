//! What a unit of work has done to queues, until it commits or is backed out.

use std::sync::Arc;

use message::{Moment, Refusal};
use store::{ErrorKind, Unit};

use crate::error::refusal;
use crate::index::Slot;
use crate::manager::{Core, Queue};
use crate::news::News;

/// What was done with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Put,
    Get,
    /// It is discarded because its time is over.
    Expire,
}

/// A change of a queue.
pub(crate) struct Change {
    pub(crate) queue: Arc<Queue>,
    pub(crate) slot: Slot,
    pub(crate) act: Act,
}

/// How a unit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Committed,
    /// Its owner did not want it: gets are counted.
    BackedOut,
    /// It could not be written.
    Failed,
}

/// The changes of queues that belong to a unit of the store. Whoever commits the unit calls [`Changes::committed`] after
/// that; dropped, they are backed out.
#[derive(Default)]
pub struct Changes {
    core: Option<Arc<Core>>,
    list: Vec<Change>,
    /// When the last message was got.
    got: Moment,
    /// What is told when the unit has committed.
    news: Vec<News>,
}

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Changes").field("messages", &self.list.len()).finish_non_exhaustive()
    }
}

impl Changes {
    /// True if no message was put or got.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Messages that were put or got.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn add(&mut self, core: &Arc<Core>, change: Change) {
        if self.core.is_none() {
            self.core = Some(Arc::clone(core));
        }
        self.list.push(change);
    }

    /// Notes when a message was got.
    pub(crate) fn got_at(&mut self, now: Moment) {
        self.got = now;
    }

    /// Tells something when the unit has committed. The unit has changes.
    pub(crate) fn tell(&mut self, news: News) {
        self.news.push(news);
    }

    /// The unit is committed: what was put can be got, what was got is gone.
    pub fn committed(self) {
        self.end(End::Committed);
    }

    /// The outcome of the unit's syncpoint, whatever it is.
    pub fn ended(self, outcome: &store::Result<()>) {
        match outcome {
            Ok(()) => self.end(End::Committed),
            // The store has stopped. Nobody knows what is in it, so nothing may be got here either.
            Err(error) if error.kind() == ErrorKind::Unknown => self.forget(),
            Err(_) => self.end(End::Failed),
        }
    }

    /// The unit was backed out, and nobody is to blame: gets are not counted.
    pub fn undone(self) {
        self.end(End::Failed);
    }

    /// Nobody knows how the unit ended: nothing of it may be got here.
    pub fn forget(mut self) {
        self.list.clear();
        self.news.clear();
    }

    pub(crate) fn end(mut self, end: End) {
        self.settle(end);
    }

    fn settle(&mut self, end: End) {
        let (list, news) = (std::mem::take(&mut self.list), std::mem::take(&mut self.news));
        if let Some(core) = self.core.take() {
            core.settle((list, self.got), end);
            if end == End::Committed {
                core.tell(&news);
            }
        }
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.settle(End::BackedOut);
    }
}

/// Where puts and gets belong: a unit of the store, and the changes of queues that go with it.
pub struct Scope<'w> {
    /// The unit.
    pub unit: &'w mut Unit,
    /// What it does to queues.
    pub changes: &'w mut Changes,
}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("changes", &self.changes).finish_non_exhaustive()
    }
}

/// A unit of work of a session's own. Dropped, it is backed out.
pub struct Work {
    // The unit's locks are free before its messages can be got again.
    unit: Unit,
    changes: Changes,
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work").field("changes", &self.changes).finish_non_exhaustive()
    }
}

impl Work {
    pub(crate) fn new(unit: Unit) -> Self {
        Self { unit, changes: Changes::default() }
    }

    /// The unit, to put and get in it.
    pub fn scope(&mut self) -> Scope<'_> {
        Scope { unit: &mut self.unit, changes: &mut self.changes }
    }

    /// True if nothing was put or got.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.unit.is_unchanged()
    }

    /// Commits, and waits for the disk.
    ///
    /// # Errors
    /// `QueueSpaceNotAvailable` if there is no room; the outcome is unknown if the disk has failed. What was got is back
    /// in its place in all other cases.
    pub fn commit(self) -> Result<(), Refusal> {
        let Work { unit, changes } = self;
        let outcome = unit.syncpoint();
        changes.ended(&outcome);
        outcome.map_err(|error| refusal(&error))
    }

    /// Commits, and calls `then` with what [`Work::commit`] would return, on the thread that commits. Without persistent
    /// messages it is called here, and nothing touches the disk.
    pub fn commit_then(self, then: impl FnOnce(Result<(), Refusal>) + Send + 'static) {
        let Work { unit, changes } = self;
        unit.syncpoint_then(move |outcome| {
            changes.ended(&outcome);
            then(outcome.map_err(|error| refusal(&error)));
        });
    }

    /// As [`Work::commit_then`], but nobody waits for the disk: a crash soon after it undoes the unit.
    pub fn commit_lazily_then(self, then: impl FnOnce(Result<(), Refusal>) + Send + 'static) {
        let Work { unit, changes } = self;
        unit.syncpoint_lazily_then(move |outcome| {
            changes.ended(&outcome);
            then(outcome.map_err(|error| refusal(&error)));
        });
    }

    /// The unit and what it does to queues, for somebody who does more in it. Whoever ends the unit ends the changes.
    #[must_use]
    pub fn into_parts(self) -> (Unit, Changes) {
        (self.unit, self.changes)
    }

    /// Puts all back, without counting a backout: the caller has not seen the messages.
    pub fn undo(self) {
        let Work { unit, changes } = self;
        drop(unit);
        changes.end(End::Failed);
    }
}
