//! Turns errors of the store into refusals of the queue manager.

use std::fmt;

use message::{Reason, Refusal};
use store::ErrorKind;

/// The refusal for an error of the store.
#[must_use]
pub fn refusal(error: &store::Error) -> Refusal {
    let reason = match error.kind() {
        ErrorKind::NoSpace => Reason::QueueSpaceNotAvailable,
        ErrorKind::Length => Reason::MessageTooBigForManager,
        ErrorKind::Limit => Reason::SyncpointLimitReached,
        ErrorKind::Corrupt => Reason::ObjectDamaged,
        ErrorKind::Busy | ErrorKind::Locked | ErrorKind::Deadlock | ErrorKind::TimedOut => {
            Reason::ObjectInUse
        }
        ErrorKind::Stopped => Reason::ManagerNotAvailable,
        ErrorKind::Unknown => return Refusal::unknown(error.to_string()),
        _ => Reason::ResourceProblem,
    };
    Refusal::failed(reason, error.to_string())
}

/// Why a queue manager could not be opened.
#[derive(Clone, Debug)]
pub struct OpenError {
    message: String,
    source: Option<store::Error>,
}

impl OpenError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }
}

impl From<store::Error> for OpenError {
    fn from(error: store::Error) -> Self {
        Self { message: error.to_string(), source: Some(error) }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
