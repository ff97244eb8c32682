//! The outcome of a submission: the committer sets it, and the unit waits for it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::error::Result;

/// The outcome of one submission, shared by the waiting unit and the committer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome(Arc<(Mutex<Option<Result<()>>>, Condvar)>);

impl Outcome {
    pub(crate) fn tell(&self, result: Result<()>) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        self.0.1.notify_all();
    }

    pub(crate) fn is_known(&self) -> bool {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn wait(&self) -> Result<()> {
        let mut known = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*known {
                Some(result) => return result.clone(),
                None => known = self.0.1.wait(known).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}
