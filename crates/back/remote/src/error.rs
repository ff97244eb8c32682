//! Why an exchange failed, and whether the request was certainly not carried out.

use std::fmt;

/// The kinds of failure on the way out. A status of the remote API, whichever it is, is an answer and no failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// As many requests as the connection allows are under way, and none ended in time, or too many wait.
    Full,
    /// No connection could be made: nothing listens, the name is unknown, TLS failed.
    Unreachable,
    /// No answer came in time.
    TimedOut,
    /// The connection broke, or the bytes are not HTTP.
    Broken,
    /// The answer is longer than the connection allows.
    TooLarge,
    /// No token could be got for the request.
    NoToken,
    /// The request cannot be sent as it is.
    Unsendable,
}

impl ErrorKind {
    /// The word for logs and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::Full => "full",
            ErrorKind::Unreachable => "unreachable",
            ErrorKind::TimedOut => "timed_out",
            ErrorKind::Broken => "broken",
            ErrorKind::TooLarge => "too_large",
            ErrorKind::NoToken => "no_token",
            ErrorKind::Unsendable => "unsendable",
        }
    }
}

/// A failed exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What happened.
    pub kind: ErrorKind,
    /// True if the remote API has certainly not carried out the request.
    pub retry_is_safe: bool,
    /// For the log: never a secret, never a query.
    pub message: String,
}

impl Error {
    /// A failure before anything was sent.
    pub(crate) fn unsent(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, retry_is_safe: true, message: message.into() }
    }

    /// A failure after the request was, or may have been, sent.
    pub(crate) fn sent(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, retry_is_safe: false, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<Error> for service::Error {
    fn from(error: Error) -> Self {
        let kind = match error.kind {
            ErrorKind::Full | ErrorKind::Unreachable | ErrorKind::NoToken => service::ErrorKind::Refused,
            ErrorKind::TimedOut => service::ErrorKind::TimedOut,
            _ => service::ErrorKind::Failed,
        };
        Self { kind, message: error.message }
    }
}
