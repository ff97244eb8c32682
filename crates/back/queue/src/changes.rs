//! Changes of queues in a unit of work, until it commits or is backed out.

use std::sync::Arc;

use message::{Moment, Refusal};
use store::{ErrorKind, GlobalId, Unit};

use crate::error::refusal;
use crate::index::Slot;
use crate::manager::{Core, Queue};
use crate::news::News;

/// An act on a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Put,
    Get,
    /// The message is discarded because it has expired.
    Expire,
}

/// A change of a queue.
pub(crate) struct Change {
    pub(crate) queue: Arc<Queue>,
    pub(crate) slot: Slot,
    pub(crate) act: Act,
}

/// A state of a unit, to which [`Changes::since`] goes back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    changes: usize,
    news: usize,
}

/// How a unit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Committed,
    /// Its owner backed it out. The gets count as backouts.
    BackedOut,
    /// The store could not write it.
    Failed,
}

/// Changes of queues that belong to a unit of the store. After the commit of the unit, the caller
/// must call [`Changes::committed`]. Dropping the changes backs them out.
#[derive(Default)]
pub struct Changes {
    core: Option<Arc<Core>>,
    list: Vec<Change>,
    /// The time of the last get.
    got: Moment,
    /// News for the operator after the commit.
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

    /// The number of messages that were put or got.
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

    /// The present state.
    pub(crate) fn mark(&self) -> Mark {
        Mark { changes: self.list.len(), news: self.news.len() }
    }

    /// Takes out all changes since a mark, and forgets the news since then.
    pub(crate) fn since(&mut self, mark: Mark) -> Vec<Change> {
        self.news.truncate(mark.news);
        self.list.split_off(mark.changes.min(self.list.len()))
    }

    /// Notes the time of a get.
    pub(crate) fn got_at(&mut self, now: Moment) {
        self.got = now;
    }

    /// Adds news for after the commit. The unit must have changes.
    pub(crate) fn tell(&mut self, news: News) {
        self.news.push(news);
    }

    /// The unit is committed: put messages can be got, and got messages are gone.
    pub fn committed(self) {
        self.end(End::Committed);
    }

    /// Ends the changes by the outcome of the unit's syncpoint.
    pub fn ended(self, outcome: &store::Result<()>) {
        match outcome {
            Ok(()) => self.end(End::Committed),
            // The store has stopped, and its content is unknown. So nothing may be got here either.
            Err(error) if error.kind() == ErrorKind::Unknown => self.forget(),
            Err(_) => self.end(End::Failed),
        }
    }

    /// The unit was backed out by no fault of a caller, so gets do not count as backouts.
    pub fn undone(self) {
        self.end(End::Failed);
    }

    /// The outcome of the unit is unknown, so none of its messages may be got here.
    pub fn forget(mut self) {
        self.list.clear();
        self.news.clear();
    }

    /// The unit is prepared, and its decision goes to the store without its owner. Until then its messages keep their
    /// places. [`Manager::settle_unit`] ends them, or a sweep finds out how the unit ended.
    ///
    /// [`Manager::settle_unit`]: crate::Manager::settle_unit
    pub fn in_doubt(mut self, unit: &GlobalId) {
        self.news.clear();
        let list = std::mem::take(&mut self.list);
        if let Some(core) = self.core.take() {
            core.doubt(unit, list);
        }
    }

    pub(crate) fn end(mut self, end: End) {
        self.settle(end);
    }

    fn settle(&mut self, end: End) {
        let (list, news) = (std::mem::take(&mut self.list), std::mem::take(&mut self.news));
        if let Some(core) = self.core.take() {
            core.settle(list, self.got, end);
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

/// The place of puts and gets: a unit of the store, and its changes of queues.
pub struct Scope<'w> {
    /// The unit.
    pub unit: &'w mut Unit,
    /// Its changes of queues.
    pub changes: &'w mut Changes,
}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("changes", &self.changes).finish_non_exhaustive()
    }
}

/// A unit of work of one session. Dropping it backs it out.
pub struct Work {
    // The unit comes first, so its locks are free before its messages can be got again.
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

    /// The scope for puts and gets in the unit.
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
    /// `QueueSpaceNotAvailable` if there is no room. The outcome is unknown if the disk has failed.
    /// After all other errors, messages that were got are back in their places.
    pub fn commit(self) -> Result<(), Refusal> {
        let Work { unit, changes } = self;
        let outcome = unit.syncpoint();
        changes.ended(&outcome);
        outcome.map_err(|error| refusal(&error))
    }

    /// Commits, and calls `then` with the result of [`Work::commit`] on the committing thread.
    /// Without persistent messages it calls `then` on this thread, and nothing touches the disk.
    pub fn commit_then(self, then: impl FnOnce(Result<(), Refusal>) + Send + 'static) {
        let Work { unit, changes } = self;
        unit.syncpoint_then(move |outcome| {
            changes.ended(&outcome);
            then(outcome.map_err(|error| refusal(&error)));
        });
    }

    /// Like [`Work::commit_then`], but does not wait for the disk: a crash soon after it undoes the
    /// unit.
    pub fn commit_lazily_then(self, then: impl FnOnce(Result<(), Refusal>) + Send + 'static) {
        let Work { unit, changes } = self;
        unit.syncpoint_lazily_then(move |outcome| {
            changes.ended(&outcome);
            then(outcome.map_err(|error| refusal(&error)));
        });
    }

    /// The unit and its changes of queues, for callers that add other work. The caller must end
    /// both.
    #[must_use]
    pub fn into_parts(self) -> (Unit, Changes) {
        (self.unit, self.changes)
    }

    /// Puts all messages back and counts no backout, because the caller has not seen the messages.
    pub fn undo(self) {
        let Work { unit, changes } = self;
        drop(unit);
        changes.end(End::Failed);
    }
}
