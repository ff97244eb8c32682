//! Errors of calls: what happened, and whether a retry is safe.

use std::fmt;

/// The kinds of failure that a provider reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The provider did not take the request: it is stopped or full, or no server listens there.
    Refused,
    /// No answer came within the service's time.
    TimedOut,
    /// The provider took the request and failed.
    Failed,
    /// The server behind the service took the request and answered with a fault of SOAP.
    Faulted,
    /// The program took the request and ended abnormally.
    Abended,
    /// The program has done its work, and nobody knows whether its changes were kept.
    OutcomeUnknown,
    /// The caller has no right to this.
    NotAuthorized,
    /// The program exists, but its faults keep it from running.
    Unusable,
    /// An operator stopped the server. Nothing was sent.
    Stopped,
    /// The queue of waiting requests is full. Nothing was sent.
    QueueFull,
    /// There are more requests than the server may have. Nothing was sent.
    TooMany,
    /// All servers are unwell. Nothing was sent.
    NobodyWell,
    /// The time ended before the request was sent.
    TimedOutUnsent,
    /// The time ended after the request was sent.
    TimedOutSent,
    /// The connection broke after the request was sent. The server may have carried it out.
    ConnectionBroken,
    /// The server's data is not a reply.
    BadReply,
    /// The record does not fit the server's frames. Nothing was sent.
    Unframeable,
}

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What happened.
    pub kind: ErrorKind,
    /// For the log, not for the caller.
    pub message: String,
}

impl Error {
    /// The provider did not take the request.
    #[must_use]
    pub fn refused(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Refused, message: message.into() }
    }

    /// The provider took the request and failed.
    #[must_use]
    pub fn failed(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Failed, message: message.into() }
    }

    /// The server took the request and answered with a fault; the message has it.
    #[must_use]
    pub fn faulted(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Faulted, message: message.into() }
    }

    /// The program ended abnormally; the message names the abend code.
    #[must_use]
    pub fn abended(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Abended, message: message.into() }
    }

    /// The program did its work. Only its data shows whether its changes were kept.
    #[must_use]
    pub fn outcome_unknown(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::OutcomeUnknown, message: message.into() }
    }

    /// The caller has no right to this; nothing was done.
    #[must_use]
    pub fn not_authorized(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotAuthorized, message: message.into() }
    }

    /// The program has faults; nothing was done.
    #[must_use]
    pub fn unusable(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Unusable, message: message.into() }
    }

    /// No answer came in time; the request may or may not have been carried out.
    #[must_use]
    pub fn timed_out() -> Self {
        Self { kind: ErrorKind::TimedOut, message: "no answer in time".to_owned() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
