//! Errors of calls: what happened, and whether a retry is safe.

use std::fmt;

/// The kinds of failure that a provider reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The provider did not take the request: it is stopped, full, or nothing listens there.
    Refused,
    /// No answer came within the service's time.
    TimedOut,
    /// The provider took the request and failed.
    Failed,
    /// The server behind the service took the request and answered with a fault of SOAP.
    Faulted,
    /// The program took the request and ended abnormally.
    Abended,
    /// The program has done its work, and nobody knows whether that was kept.
    OutcomeUnknown,
    /// The caller may not have it done.
    NotAuthorized,
    /// The program is there, but has faults that keep it from running.
    Unusable,
    /// An operator stopped what serves. Nothing was sent.
    Stopped,
    /// So many requests wait that no other may. Nothing was sent.
    QueueFull,
    /// More requests come than what serves may have. Nothing was sent.
    TooMany,
    /// No server is well. Nothing was sent.
    NobodyWell,
    /// The time ended before the request was sent.
    TimedOutUnsent,
    /// The time ended after the request was sent.
    TimedOutSent,
    /// The connection broke after the request was sent: the server may have carried it out.
    ConnectionBroken,
    /// What the server sent is not a reply.
    BadReply,
    /// The record does not fit the frames that the server takes. Nothing was sent.
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

    /// The program did its work; whether that was kept only a look at its data tells.
    #[must_use]
    pub fn outcome_unknown(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::OutcomeUnknown, message: message.into() }
    }

    /// The caller may not have it done; nothing was.
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
