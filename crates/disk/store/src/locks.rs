//! Locks of units on records, logs and names, in memory: which unit holds a lock, and which units wait for it.
//!
//! It knows no clock and no thread. Whoever has to wait gets a [`Ticket`]; when the lock comes, or never will, the
//! ticket's wake function is called. How long to wait is the caller's affair.
//!
//! **Deadlock.** A request that would close a circle of waiting units is refused at once, so that the victim is always
//! the unit whose request closes the circle, and nobody else is disturbed.

#[cfg(test)]
mod property;
mod table;
mod ticket;

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, ErrorKind, Result};
use table::{Reply, Table};

pub(crate) use table::{Request, UnitId};
pub use ticket::{Answer, Ticket};

/// How a lock is held.
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
    /// Others hold it; the ticket tells when that ends.
    Waiting(Ticket),
}

/// The locks of one store.
#[derive(Debug)]
pub(crate) struct Locks {
    table: Mutex<Table>,
}

impl Locks {
    /// No locks; `unit_locks_max` is how many one unit may hold.
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

    /// Gives up all that a unit holds or waits for.
    pub(crate) fn release_all(&self, unit: UnitId) {
        let woken = self.with(|table| table.release_all(unit));
        woken.settle();
    }

    /// The unit is in doubt: whoever waits for its locks, and whoever asks for them from now on, gets `Locked`.
    pub(crate) fn retain(&self, unit: UnitId) {
        let woken = self.with(|table| table.retain(unit));
        woken.settle();
    }

    /// The locks of a unit, in order.
    pub(crate) fn held_by(&self, unit: UnitId) -> Vec<(Vec<u8>, Mode)> {
        self.with(|table| table.held_by(unit))
    }

    /// Calls `each` with every resource that a unit holds. Requests for locks wait meanwhile.
    pub(crate) fn each_held(&self, each: impl FnMut(&[u8])) {
        self.with(|table| table.each_held(each));
    }

    /// True if no unit holds a lock or waits for one.
    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.with(|table| table.is_empty())
    }

    /// Takes a waiter out of its queue; false if it has been answered.
    fn cancel(&self, waiting: &Arc<ticket::Waiting>) -> bool {
        let woken = self.with(|table| table.cancel(waiting));
        let cancelled = woken.is_some();
        if let Some(woken) = woken {
            woken.settle();
        }
        cancelled
    }

    fn with<T>(&self, run: impl FnOnce(&mut Table) -> T) -> T {
        // The table is whole between calls: its functions do not panic half way, and call nothing of the caller's.
        run(&mut self.table.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn refusal(kind: ErrorKind, message: &str) -> Error {
    Error::new(kind, format!("lock: {message}"))
}
