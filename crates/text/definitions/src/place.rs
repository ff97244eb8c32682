//! Places in files, and the messages about them: faults, and notes on definitions without a counterpart.

use std::fmt;
use std::sync::Arc;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, by the caller's name for it.
    pub file: Arc<str>,
    /// The line in it, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.file, self.line)
    }
}

/// The reason why nothing can be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// Says what was expected and what was found.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for Fault {}

/// A definition without a counterpart here, or one that waits for data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The place of the definition.
    pub place: Place,
    /// The definition: `FILE(ACCTDAT)`.
    pub subject: String,
    /// The part that is not imported, the reason, and the way to mend it.
    pub reason: String,
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.place, self.subject, self.reason)
    }
}
