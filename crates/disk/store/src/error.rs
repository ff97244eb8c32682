//! Errors of the store: a small set of kinds, which a region maps to the conditions of its programs.

use std::fmt;
use std::sync::Arc;

/// The kinds of failure. The CICS condition stands behind each. The mapping itself is the region's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No such record, item, log or unit: NOTFND, ITEMERR, QIDERR.
    NotFound,
    /// A record with this key is there: DUPREC.
    Duplicate,
    /// The store or its disk has no room for what the unit writes: NOSPACE. The unit is backed out.
    NoSpace,
    /// Another unit holds the lock, and the caller did not ask to wait: RECORDBUSY, ENQBUSY.
    Busy,
    /// A unit that is in doubt holds the lock, for as long as it takes to resolve it: LOCKED.
    Locked,
    /// Waiting would close a circle of units that wait for each other: the deadlock abends (AFCW and similar
    /// ones).
    Deadlock,
    /// The caller's wait ended before the lock was granted.
    TimedOut,
    /// A key, name or value is longer than its limit, or its length must not change: LENGERR.
    Length,
    /// A limit of [`Options`](crate::Options), except those on the bytes of one key or value.
    Limit,
    /// The space or the state of the unit does not allow the request: INVREQ.
    Misuse,
    /// Bytes on disk that the store did not write.
    Corrupt,
    /// The file was written by another version of the store, is not a store, or lies beside the log of
    /// another store.
    Format,
    /// Another process has the file open.
    InUse,
    /// The disk refused; nothing of the unit was kept: IOERR.
    Io,
    /// The disk failed while units were forced to it. Only opening the store again shows whether they are
    /// there.
    Unknown,
    /// The store has been closed, or stopped after a failure of the disk.
    Stopped,
}

/// A failure: its kind, and a message that says what was expected and what was found.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The result type of the store's functions.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    pub(crate) fn caused(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// The same failure, with its place in front instead of `store: `.
    pub(crate) fn at(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.bare());
        self
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message without `store: ` in front.
    pub(crate) fn bare(&self) -> &str {
        without_name(&self.message)
    }

    /// True if the same unit may succeed when it is run again. Others stood in its way, and none of its
    /// changes were kept.
    #[must_use]
    pub fn may_retry(&self) -> bool {
        matches!(self.kind, ErrorKind::Busy | ErrorKind::Deadlock | ErrorKind::TimedOut)
    }
}

/// The message of an error without `store: ` in front, for a text that says already what failed.
#[must_use]
pub fn without_name(message: &str) -> &str {
    message.strip_prefix("store: ").unwrap_or(message)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}
