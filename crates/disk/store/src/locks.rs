//! Locks of units on records, logs and names, in memory: which unit holds a lock, and which units wait for
//! it.
//!
//! It knows no clock and no thread. A unit that must wait gets a [`Ticket`]. The ticket's wake function is
//! called when the lock comes, or when it never will. The caller decides how long to wait.
//!
//! **Deadlock.** A request that would close a circle of waiting units is refused at once. So the victim is
//! always the unit whose request closes the circle, and no other unit is disturbed.

#[cfg(test)]
mod property;
mod table;
mod ticket;

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, ErrorKind, Result};
use table::{Reply, Table};

pub(crate) use table::{Request, UnitId};
pub use ticket::{Answer, Ticket};

/// The mode of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// With other readers.
    Shared,
    /// Alone.
    Exclusive,
}

/// Whether a request may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    Wait,
    Refuse,
}

/// The result of a request for a lock.
#[derive(Debug)]
pub enum Locking {
    /// The unit holds the lock.
    Granted,
    /// Others hold it; the ticket gets the answer later.
    Waiting(Ticket),
}

/// The locks of one store.
#[derive(Debug)]
pub(crate) struct Locks {
    table: Mutex<Table>,
}

impl Locks {
    /// No locks. `unit_locks_max` is the most locks of one unit.
    pub(crate) fn new(unit_locks_max: usize) -> Self {
        Self { table: Mutex::new(Table::new(unit_locks_max)) }
    }

    /// Asks for a lock. With [`Patience::Refuse`] the answer is `Granted` or an error.
    ///
    /// # Errors
    /// `Busy`, `Locked`, `Deadlock`, `Limit`.
    pub(crate) fn request(self: &Arc<Self>, request: Request<'_>, patience: Patience) -> Result<Locking> {
        let reply = self.with(|table| table.request(request, patience))?;
        Ok(match reply {
            Reply::Granted => Locking::Granted,
            Reply::Waiting(waiting) => Locking::Waiting(Ticket::new(Arc::clone(self), waiting)),
        })
    }

    /// True if the unit holds the lock in that mode or a stronger one.
    pub(crate) fn holds(&self, request: Request<'_>) -> bool {
        self.with(|table| table.holds(request))
    }

    /// Gives one lock up.
    pub(crate) fn release(&self, unit: UnitId, resource: &[u8]) {
        let woken = self.with(|table| table.release(unit, resource));
        woken.settle();
    }

    /// Gives up all locks of a unit, and its waiting.
    pub(crate) fn release_all(&self, unit: UnitId) {
        let woken = self.with(|table| table.release_all(unit));
        woken.settle();
    }

    /// The unit is in doubt. Units that wait for its locks get `Locked`, and so do later requests.
    pub(crate) fn retain(&self, unit: UnitId) {
        let woken = self.with(|table| table.retain(unit));
        woken.settle();
    }

    /// The locks of a unit, in order.
    pub(crate) fn held_by(&self, unit: UnitId) -> Vec<(Vec<u8>, Mode)> {
        self.with(|table| table.held_by(unit))
    }

    /// Calls `each` with every resource that a unit has locked. Requests for locks wait meanwhile.
    pub(crate) fn each_held(&self, each: impl FnMut(&[u8])) {
        self.with(|table| table.each_held(each));
    }

    /// True if no unit holds a lock or waits for one.
    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.with(|table| table.is_empty())
    }

    /// Takes a waiter out of its queue; false if it already has an answer.
    fn cancel(&self, waiting: &Arc<ticket::Waiting>) -> bool {
        let woken = self.with(|table| table.cancel(waiting));
        let cancelled = woken.is_some();
        if let Some(woken) = woken {
            woken.settle();
        }
        cancelled
    }

    fn with<T>(&self, run: impl FnOnce(&mut Table) -> T) -> T {
        // The table is whole between calls: its functions do not panic half way, and call no code of the
        // caller.
        run(&mut self.table.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn refusal(kind: ErrorKind, message: &str) -> Error {
    Error::new(kind, format!("lock: {message}"))
}
