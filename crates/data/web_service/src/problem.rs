//! A fault of a bind file or a copybook, with its place.

use std::fmt;

/// The severity of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// A hint that does not prevent the use.
    Warning,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its severity.
    pub severity: Severity,
    /// Its place: a key of the bind file, or a copybook with its line.
    pub place: String,
    /// The expected and the found text or value.
    pub message: String,
}

impl Problem {
    /// An error.
    #[must_use]
    pub fn error(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, place: place.into(), message: message.into() }
    }

    /// A warning.
    #[must_use]
    pub fn warning(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, place: place.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.place, self.message)
        }
    }
}
