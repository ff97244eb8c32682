//! Why a group gives no reply, and whether the request was sent.

use std::fmt;

/// A call without a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What happened.
    pub kind: TroubleKind,
    /// For the log: the group, the endpoint and the reason.
    pub message: String,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TroubleKind {
    /// An operator stopped the group, or the endpoint that was asked for. Nothing was sent.
    Stopped,
    /// So many wait that nobody else may. Nothing was sent.
    QueueFull,
    /// More requests come than the group may have. Nothing was sent.
    TooMany,
    /// No endpoint is well. Nothing was sent.
    NobodyWell,
    /// The time ended before anything was sent.
    TimedOutUnsent,
    /// The time ended after the request had been sent, at least a part of it.
    TimedOutSent,
    /// The connection broke after the request had been sent, at least a part of it: the outcome is unknown.
    Broken,
    /// What came is not a reply.
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
