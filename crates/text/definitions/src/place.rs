//! Where something stands, and what is told of it: faults, and notes of what has no counterpart.

use std::fmt;
use std::sync::Arc;

/// A line of a file that was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, as the caller names it.
    pub file: Arc<str>,
    /// The line in it, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.file, self.line)
    }
}

/// Why nothing can be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for Fault {}

/// Something that has no counterpart here, or waits for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where it is defined.
    pub place: Place,
    /// What it is: `FILE(ACCTDAT)`.
    pub subject: String,
    /// What is not imported, why, and what to do about it.
    pub reason: String,
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.place, self.subject, self.reason)
    }
}
