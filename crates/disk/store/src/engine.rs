//! The interface of the engine under the store: one ordered map of bytes to bytes, changed by whole batches.
//!
//! Everything else (units, locks, logs and decisions) is above this line, so another engine needs only these
//! functions.

mod border;
mod disk;
mod log;
mod pages;
mod redb;
mod seal;
mod watched;

use std::ops::{Bound, ControlFlow};

use crate::error::Result;

pub use self::disk::Disk;
pub(crate) use self::disk::{Medium, is_free};
pub(crate) use self::log::{LogEngine, PART_BYTES_MIN, Rest, options_beneath};
pub(crate) use self::pages::{Met, Pages, Place};
pub(crate) use self::redb::RedbEngine;

/// A value from the file without its seal; none if the value was not written under this key.
pub(crate) fn unsealed<'a>(key: &[u8], sealed: &'a [u8]) -> Option<&'a [u8]> {
    seal::open(key, sealed).ok()
}

/// An engine. A batch is applied whole or not at all, and readers see either all of it or nothing.
pub(crate) trait Engine: Send + Sync {
    /// The value of a key.
    ///
    /// # Errors
    /// `Corrupt` if it is not the written value, `Stopped` if the disk has failed.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// The length of the value of a key; the value is not copied and not checked.
    ///
    /// # Errors
    /// `Stopped` if the disk has failed; `Io`.
    fn length(&self, key: &[u8]) -> Result<Option<u64>>;

    /// Goes through the pairs of a span from small to large keys until `each` breaks off. A damaged value
    /// comes as none. All pairs are of one moment.
    ///
    /// # Errors
    /// As [`Engine::length`]; `Corrupt` if the structure around the pairs is damaged.
    fn scan(&self, span: Span<'_>, each: &mut Each<'_>) -> Result<()>;

    /// The first pair in a span, seen in the span's direction.
    ///
    /// # Errors
    /// As [`Engine::get`].
    fn first(&self, span: Span<'_>) -> Result<Option<(Vec<u8>, Vec<u8>)>>;

    /// Applies a batch. With [`Force::Disk`] it returns when the batch, and all before it, survive a loss of
    /// power.
    ///
    /// # Errors
    /// `NoSpace`: the engine goes on, with or without the batch. `Unknown`: it has stopped, and only opening
    /// it again shows whether it has the batch. `Stopped`: nothing was applied, and nothing will be.
    fn commit(&self, batch: Vec<Change>, force: Force) -> Result<()>;

    /// All pairs of this moment, whatever is committed while they are read.
    ///
    /// # Errors
    /// As [`Engine::commit`].
    fn snapshot(&self) -> Result<Box<Pairs>>;

    /// Gives room of the file back that `used_bytes` do not need. Called when the store is idle.
    ///
    /// # Errors
    /// As [`Engine::commit`].
    fn tidy(&self, used_bytes: u64) -> Result<()>;

    /// Frees the reserve, so that batches that only free room can be committed on a full disk; false if there
    /// is no reserve.
    fn free_reserve(&self) -> bool;

    /// Keeps a reserve again; false if the disk has no room for it.
    fn keep_reserve(&self) -> bool;

    /// Ends the engine's use of its file.
    fn close(&self);
}

/// Pairs from small to large keys; `Corrupt` for one that is damaged.
pub(crate) type Pairs = dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>;

/// Takes a key and its value; none if the value is damaged.
pub(crate) type Each<'a> = dyn FnMut(&[u8], Option<&[u8]>) -> ControlFlow<()> + 'a;

/// One change of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Put {
        key: Vec<u8>,
        value: Vec<u8>,
    },
    /// As `Put`, for a key that does not exist.
    Add {
        key: Vec<u8>,
        value: Vec<u8>,
    },
    Delete {
        key: Vec<u8>,
    },
    /// Deletes all keys from `from` to before `to`.
    Clear {
        from: Vec<u8>,
        to: Vec<u8>,
    },
}

impl Change {
    /// Bytes of keys and values.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Change::Put { key, value } | Change::Add { key, value } => key.len() + value.len(),
            Change::Delete { key } => key.len(),
            Change::Clear { from, to } => from.len() + to.len(),
        }
    }

    /// The same change, borrowed.
    pub(crate) fn edit(&self) -> Edit<'_> {
        match self {
            Change::Put { key, value } | Change::Add { key, value } => Edit::Put { key, value },
            Change::Delete { key } => Edit::Delete { key },
            Change::Clear { from, to } => Edit::Clear { from, to },
        }
    }
}

/// A change that belongs to another owner.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Edit<'a> {
    Put { key: &'a [u8], value: &'a [u8] },
    Delete { key: &'a [u8] },
    Clear { from: &'a [u8], to: &'a [u8] },
}

/// The event that a batch waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Force {
    /// Others see it. The disk gets it with the next forced batch.
    Lazy,
    /// The disk has it.
    Disk,
}

/// A range of keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span<'a> {
    pub(crate) from: Bound<&'a [u8]>,
    pub(crate) to: Bound<&'a [u8]>,
    pub(crate) direction: Direction,
}

/// The direction through keys or positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From small to large: READNEXT.
    Forward,
    /// From large to small: READPREV.
    Backward,
}
