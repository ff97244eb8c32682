//! What a region does for one task: it answers what the task's worker asks, and ends what the task has begun there.

use std::sync::{Arc, PoisonError};

use crate::region::Failure;
use crate::resources::Resources;
use crate::wire::{Answer, Ask};

/// The work of one task in its region.
#[derive(Debug)]
pub(crate) struct Work {
    resources: Arc<Resources>,
}

/// How a task has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskEnd {
    /// Its first program has returned.
    Normal,
    /// By an abend, or its worker is gone.
    Abnormal,
}

impl Work {
    pub(crate) fn new(resources: Arc<Resources>) -> Self {
        Self { resources }
    }

    /// Carries out what the worker asks.
    pub(crate) async fn carry_out(&mut self, ask: Ask) -> Answer {
        match ask {
            Ask::Queue(ask) => {
                self.resources.queues.lock().unwrap_or_else(PoisonError::into_inner).carry_out(ask)
            }
        }
    }

    /// Ends the task's work before its caller gets an answer.
    ///
    /// # Errors
    /// The task fails though its program has returned.
    pub(crate) async fn end(self, _end: TaskEnd) -> Result<(), Failure> {
        Ok(())
    }
}
