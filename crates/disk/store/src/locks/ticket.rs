//! The place of a unit in the queue for a lock, and the outcome of its wait.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Locks, UnitId, refusal};
use crate::error::{Error, ErrorKind, Result};

/// The outcome of a request that had to wait.
#[derive(Clone, Debug)]
pub enum Answer {
    /// There is no answer yet.
    Waiting,
    /// The unit holds the lock.
    Granted,
    /// The unit will never get the lock.
    Refused(Error),
}

type Wake = Box<dyn FnOnce() + Send>;

/// One request in a queue, shared by the queue and the ticket.
pub(super) struct Waiting {
    pub(super) unit: UnitId,
    state: Mutex<State>,
    answered: Condvar,
}

struct State {
    answer: Answer,
    wake: Option<Wake>,
}

impl Waiting {
    pub(super) fn new(unit: UnitId) -> Arc<Self> {
        let state = State { answer: Answer::Waiting, wake: None };
        Arc::new(Self { unit, state: Mutex::new(state), answered: Condvar::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the answer, once.
    fn settle(&self, answer: Answer) {
        let mut state = self.state();
        if !matches!(state.answer, Answer::Waiting) {
            return;
        }
        state.answer = answer;
        let wake = state.wake.take();
        drop(state);
        self.answered.notify_all();
        if let Some(wake) = wake {
            wake();
        }
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").field("answer", &self.state().answer).finish_non_exhaustive()
    }
}

/// The waiters that get their answers once the table of locks is free again.
#[derive(Debug, Default)]
#[must_use]
pub(super) struct Woken(Vec<(Arc<Waiting>, Answer)>);

impl Woken {
    pub(super) fn add(&mut self, waiting: Arc<Waiting>, answer: Answer) {
        self.0.push((waiting, answer));
    }

    pub(super) fn settle(self) {
        self.0.into_iter().for_each(|(waiting, answer)| waiting.settle(answer));
    }
}

/// A request that waits. If it is dropped before the answer, it leaves its queue. A lock that has come stays
/// with the unit.
#[derive(Debug)]
pub struct Ticket {
    locks: Arc<Locks>,
    waiting: Arc<Waiting>,
}

impl Ticket {
    pub(super) fn new(locks: Arc<Locks>, waiting: Arc<Waiting>) -> Self {
        Self { locks, waiting }
    }

    /// The outcome, as far as it is known.
    #[must_use]
    pub fn answer(&self) -> Answer {
        self.waiting.state().answer.clone()
    }

    /// Calls `wake` when there is an answer: on the thread that causes it, or here if the answer exists
    /// already. A second function replaces the first. It must not use the store, only notify others, as a
    /// waker does.
    pub fn on_answer(&self, wake: impl FnOnce() + Send + 'static) {
        let mut state = self.waiting.state();
        if matches!(state.answer, Answer::Waiting) {
            state.wake = Some(Box::new(wake));
            return;
        }
        drop(state);
        wake();
    }

    /// Leaves the queue. True if the lock had not come; false if there was an answer before, which stays
    /// valid.
    #[must_use]
    pub fn cancel(&self) -> bool {
        self.locks.cancel(&self.waiting)
    }

    /// Blocks this thread until there is an answer, for `wait_max` at most.
    ///
    /// # Errors
    /// `TimedOut`; `Locked` if the holder went into doubt; `Stopped` if the unit has ended.
    pub fn wait(self, wait_max: Duration) -> Result<()> {
        let state = self.waiting.state();
        let waits = |state: &mut State| matches!(state.answer, Answer::Waiting);
        let (state, _) = self
            .waiting
            .answered
            .wait_timeout_while(state, wait_max, waits)
            .unwrap_or_else(PoisonError::into_inner);
        let answer = state.answer.clone();
        drop(state);
        match answer {
            Answer::Granted => Ok(()),
            Answer::Refused(error) => Err(error),
            // The lock may come between the end of the wait and the cancelling. Then the unit has it.
            Answer::Waiting if self.cancel() => {
                let message = format!("not granted within {} ms", wait_max.as_millis());
                Err(refusal(ErrorKind::TimedOut, &message))
            }
            Answer::Waiting => match self.answer() {
                Answer::Refused(error) => Err(error),
                _ => Ok(()),
            },
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let _ = self.cancel();
    }
}
