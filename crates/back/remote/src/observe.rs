//! The counts of outgoing calls: an observer gets them, so that the connection knows nothing of metrics.

use std::fmt;
use std::time::Duration;

use crate::error::ErrorKind;

/// Gets the events of a connection.
pub trait Observe: Send + Sync {
    /// A request was answered, after all retries.
    fn answered(&self, status: u16);
    /// A request failed, after all retries.
    fn failed(&self, kind: ErrorKind);
    /// A request is sent again.
    fn retried(&self);
    /// A request waited for a place.
    fn waited(&self, time: Duration);
    /// A token was fetched, or could not be.
    fn token(&self, fetched: bool);
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn Observe + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Observe")
    }
}

/// Counts nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl Observe for Unobserved {
    fn answered(&self, _status: u16) {}
    fn failed(&self, _kind: ErrorKind) {}
    fn retried(&self) {}
    fn waited(&self, _time: Duration) {}
    fn token(&self, _fetched: bool) {}
}
