//! A unit of work: the changes of one task, and the locks that keep other units away from them, until its
//! syncpoint.
//!
//! A unit never waits by itself. [`Unit::lock`] and similar functions give tickets. A change of a record that
//! another unit has locked is `Busy`. So a caller that may wait locks first, waits as long as it likes, and
//! then changes.

mod logs;
mod records;

pub use logs::{Extent, Item};
pub use records::Record;

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use crate::commit::{Outcome, Submission};
use crate::engine::{Direction, Engine, Force, Span};
use crate::error::{Error, ErrorKind, Result};
use crate::keys;
use crate::locks::{Locking, Mode, Patience, Request};
use crate::space::{Keyed, Logs, Space};
use crate::store::Held;
use crate::twophase::Coordination;
use crate::writes::{Writes, is_empty, weight};

/// A unit of work. Dropping it backs it out.
pub struct Unit {
    // This field stands before `held`, so that a missing decision becomes an abort before the locks are free.
    pub(crate) coordination: Option<Coordination>,
    pub(crate) held: Held,
    pub(crate) writes: Writes,
    /// It has a decision to wait for, whatever it has changed.
    pub(crate) awaits_decision: bool,
}

impl Unit {
    pub(crate) fn new(held: Held) -> Self {
        Self { held, writes: Writes::default(), coordination: None, awaits_decision: false }
    }

    /// True if there is nothing to commit.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.writes.is_empty()
    }

    /// Changes of the caller, which the store does not know, are to end as the unit does. So [`Unit::prepare`] waits for the
    /// decision, although the unit may have changed nothing in the store.
    pub fn await_decision(&mut self) {
        self.awaits_decision = true;
    }

    /// The number of changed records and items.
    #[must_use]
    pub fn writes(&self) -> usize {
        self.writes.count()
    }

    /// Asks for the lock on a record, which need not exist.
    ///
    /// # Errors
    /// `Locked`, `Deadlock`; `Limit` of `unit_locks_max`; `Length` and `Misuse` for keys that the file cannot have.
    pub fn lock(&mut self, file: &Keyed, key: &[u8], mode: Mode) -> Result<Locking> {
        let resource = self.record_key(file, key)?;
        self.request((&resource, mode), Patience::Wait).map_err(|error| error.at(&file.0.definition.name))
    }

    /// Asks for the lock on a whole log, which need not exist.
    ///
    /// # Errors
    /// As [`Unit::lock`].
    pub fn lock_log(&mut self, logs: &Logs, name: &[u8], mode: Mode) -> Result<Locking> {
        let resource = self.log_key(logs, name)?;
        self.request((&resource, mode), Patience::Wait).map_err(|error| error.at(&logs.0.definition.name))
    }

    /// Asks for the lock on a name alone: ENQ. Its users agree on its meaning.
    ///
    /// # Errors
    /// As [`Unit::lock`].
    pub fn enqueue(&mut self, name: &[u8]) -> Result<Locking> {
        self.check_key(name)?;
        self.request((&keys::named(name), Mode::Exclusive), Patience::Wait)
    }

    /// Gives a name up before the unit ends: DEQ.
    pub fn dequeue(&mut self, name: &[u8]) {
        self.held.core.locks.release(self.held.unit, &keys::named(name));
    }

    /// As [`Unit::enqueue`], for a second set of names. The same name in the other set is another name.
    ///
    /// # Errors
    /// As [`Unit::lock`].
    pub fn enqueue_apart(&mut self, name: &[u8]) -> Result<Locking> {
        self.check_key(name)?;
        self.request((&keys::named_apart(name), Mode::Exclusive), Patience::Wait)
    }

    /// As [`Unit::dequeue`], for the second set.
    pub fn dequeue_apart(&mut self, name: &[u8]) {
        self.held.core.locks.release(self.held.unit, &keys::named_apart(name));
    }

    /// Gives the lock on a record up: UNLOCK. A record that the unit has changed stays locked.
    ///
    /// # Errors
    /// `Length` and `Misuse` for keys that the file cannot have.
    pub fn unlock(&mut self, file: &Keyed, key: &[u8]) -> Result<()> {
        let resource = self.record_key(file, key)?;
        if self.writes.get(&resource).is_none() {
            self.held.core.locks.release(self.held.unit, &resource);
        }
        Ok(())
    }

    /// Commits: when it returns, all changes are on disk, others see them, and the locks are free.
    ///
    /// # Errors
    /// The unit is backed out, except with `Unknown`. Then only opening the store again shows the outcome.
    /// `NoSpace`, `Io`, `Stopped`.
    pub fn syncpoint(self) -> Result<()> {
        let core = Arc::clone(&self.held.core);
        let outcome = Outcome::default();
        let told = outcome.clone();
        self.syncpoint_then(move |result| told.tell(result));
        core.committer.wait(&outcome)
    }

    /// Commits, and calls `then` with the result of [`Unit::syncpoint`], on the thread that commits. `then`
    /// should only pass the result on. If there is nothing to commit, it is called here.
    pub fn syncpoint_then(self, then: impl FnOnce(Result<()>) + Send + 'static) {
        self.end_then(Force::Disk, then);
    }

    /// Commits without waiting for the disk: others see the changes when `then` is called. They are on disk
    /// with the next unit that waits for it, or about `idle_flush_ms` later. A crash before that undoes the
    /// whole unit, so use it only for changes that can be made again.
    pub fn syncpoint_lazily_then(self, then: impl FnOnce(Result<()>) + Send + 'static) {
        self.end_then(Force::Lazy, then);
    }

    fn end_then(self, force: Force, then: impl FnOnce(Result<()>) + Send + 'static) {
        let Unit { held, writes, coordination, .. } = self;
        if writes.is_empty() {
            drop((coordination, held));
            then(Ok(()));
            return;
        }
        let core = Arc::clone(&held.core);
        let submission = Submission::of_unit(writes, Vec::new(), move |result| {
            drop((coordination, held));
            then(result);
        });
        core.committer.submit(Submission { force, ..submission });
    }

    /// Drops all changes and frees the locks, as dropping the unit does.
    pub fn backout(self) {}

    fn request(&self, wish: (&[u8], Mode), patience: Patience) -> Result<Locking> {
        let request = Request { unit: self.held.unit, resource: wish.0, mode: wish.1 };
        self.held.core.locks.request(request, patience)
    }

    /// Runs `change` with a lock. A lock that was taken only for this is freed again if `change` fails, or if
    /// the space is not recoverable.
    fn locked<T>(
        &mut self,
        space: &Space,
        wish: (&[u8], Mode),
        change: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let request = Request { unit: self.held.unit, resource: wish.0, mode: Mode::Shared };
        let held = self.held.core.locks.holds(request);
        self.request(wish, Patience::Refuse).map_err(|error| error.at(&space.definition.name))?;
        let changed = change(self);
        if (changed.is_err() && !held) || !space.is_recoverable() {
            self.held.core.locks.release(self.held.unit, wish.0);
        }
        changed
    }

    /// Adds changes to the unit, or applies them at once if the space is not recoverable.
    fn change(&mut self, space: &Space, change: impl FnOnce(&mut Writes)) -> Result<()> {
        if space.is_recoverable() {
            change(&mut self.writes);
            return Ok(());
        }
        let mut writes = Writes::default();
        change(&mut writes);
        self.held.core.commit_now(writes, Force::Lazy)
    }

    fn check_key(&self, key: &[u8]) -> Result<()> {
        let limit = self.held.core.options.key_bytes_max;
        if key.is_empty() || key.len() > limit {
            let message = format!("key: expected 1 to {limit} bytes (key_bytes_max), found {}", key.len());
            return Err(Error::new(ErrorKind::Length, message));
        }
        Ok(())
    }

    /// Checks that a value, and the unit with it, are within their limits.
    fn check_value(&self, space: &Space, key: &[u8], value: &[u8]) -> Result<()> {
        let options = &self.held.core.options;
        if value.len() > options.value_bytes_max {
            let message = format!(
                "expected at most {} bytes (value_bytes_max), found {}",
                options.value_bytes_max,
                value.len()
            );
            return Err(space.fault(ErrorKind::Length, &message));
        }
        self.check_room(space, weight(key, value))
    }

    /// Checks that the unit can change one more record.
    fn check_room(&self, space: &Space, more: u64) -> Result<()> {
        let options = &self.held.core.options;
        if self.writes.count() >= options.unit_writes_max {
            let message =
                format!("the unit has {} changes, which is unit_writes_max", options.unit_writes_max);
            return Err(space.fault(ErrorKind::Limit, &message));
        }
        if self.writes.bytes() + more > options.unit_bytes_max {
            let message = format!(
                "the unit holds {} bytes and {more} more are beyond unit_bytes_max, {}",
                self.writes.bytes(),
                options.unit_bytes_max
            );
            return Err(space.fault(ErrorKind::Limit, &message));
        }
        Ok(())
    }

    fn engine(&self) -> &dyn Engine {
        &*self.held.core.engine
    }

    /// The first pair of a span as the unit sees it: the store's, with its own changes over them.
    fn first<'a>(&'a self, mut span: Span<'a>, cleared: bool) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        loop {
            if is_empty(span) {
                return Ok(None);
            }
            let committed = if cleared { None } else { self.engine().first(span)? };
            let Some((own, written)) = self.writes.first(span) else { return Ok(committed) };
            let order = committed.as_ref().map_or(Ordering::Less, |(key, _)| match span.direction {
                Direction::Forward => own.cmp(key),
                Direction::Backward => key.cmp(own),
            });
            if order == Ordering::Greater {
                return Ok(committed);
            }
            if let Some(value) = &written.value {
                return Ok(Some((own.clone(), value.clone())));
            }
            // The unit has deleted it: go on behind it.
            match span.direction {
                Direction::Forward => span.from = Bound::Excluded(own),
                Direction::Backward => span.to = Bound::Excluded(own),
            }
        }
    }
}
