//! The one error of this crate: a kind for the exit code and a message of one line for the user.

use std::fmt;

/// Kinds of errors that a caller may handle differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The arguments cannot be used.
    Usage,
    /// No server answered, or it answered something that cannot be measured.
    Server,
    /// A file could not be written, or the system refused a call.
    System,
    /// The run is complete, but requests failed.
    Failures,
    /// The user stopped the run before its end.
    Interrupted,
}

/// An error of the workload driver.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<std::io::Error>,
}

impl Error {
    /// An error of this kind with the message that the user sees.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), source: None }
    }

    /// An error of the system: what was tried, and what the system said.
    pub fn system(what: impl Into<String>, source: impl Into<std::io::Error>) -> Error {
        Error { kind: ErrorKind::System, message: what.into(), source: Some(source.into()) }
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The exit code of the command: 2 for wrong use, 130 after an interrupt as shells do, 1 otherwise.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            ErrorKind::Usage => 2,
            ErrorKind::Interrupted => 130,
            ErrorKind::Server | ErrorKind::System | ErrorKind::Failures => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(f, "{}: {source}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
