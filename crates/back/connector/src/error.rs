//! Why a group gives no reply, and whether the request was sent.

use std::fmt;

/// A call without a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The kind of trouble.
    pub kind: TroubleKind,
    /// For the log: the group, the endpoint and the reason.
    pub message: String,
}

/// The kind of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TroubleKind {
    /// An operator stopped the group, or the endpoint that was asked for. Nothing was sent.
    Stopped,
    /// The queue is full. Nothing was sent.
    QueueFull,
    /// The requests exceed the group's rate. Nothing was sent.
    TooMany,
    /// No endpoint is well. Nothing was sent.
    NobodyWell,
    /// The time ended before anything was sent.
    TimedOutUnsent,
    /// The time ended after at least a part of the request was sent.
    TimedOutSent,
    /// The connection broke after at least a part of the request was sent: the outcome is unknown.
    Broken,
    /// The bytes that came are not a reply.
    BadReply,
    /// The frame cannot hold the message. Nothing was sent.
    Unframeable,
}

impl Trouble {
    pub(crate) fn new(kind: TroubleKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl From<Trouble> for service::Error {
    fn from(trouble: Trouble) -> Self {
        use service::ErrorKind;
        let kind = match trouble.kind {
            TroubleKind::Stopped => ErrorKind::Stopped,
            TroubleKind::QueueFull => ErrorKind::QueueFull,
            TroubleKind::TooMany => ErrorKind::TooMany,
            TroubleKind::NobodyWell => ErrorKind::NobodyWell,
            TroubleKind::TimedOutUnsent => ErrorKind::TimedOutUnsent,
            TroubleKind::TimedOutSent => ErrorKind::TimedOutSent,
            TroubleKind::Broken => ErrorKind::ConnectionBroken,
            TroubleKind::BadReply => ErrorKind::BadReply,
            TroubleKind::Unframeable => ErrorKind::Unframeable,
        };
        service::Error { kind, message: trouble.message }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Trouble {}
