//! A storage that remembers its first failure, because this decides the outcome of the units in progress.

use std::io;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};

use redb::{BackendError, StorageBackend};

/// The first failure of a storage since it was opened.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch(Arc<Mutex<Option<Failure>>>);

/// The step that failed, and its error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    pub(super) step: Step,
    pub(super) kind: io::ErrorKind,
}

/// The steps of a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Read,
    Write,
    /// Earlier writes may or may not be on disk; the operating system may have dropped them.
    Sync,
}

impl Watch {
    pub(super) fn failure(&self) -> Option<Failure> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note<T>(&self, step: Step, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(Failure { step, kind: error.kind() });
        })
    }
}

/// A storage under watch.
#[derive(Debug)]
pub(super) struct Watched {
    inner: Box<dyn StorageBackend>,
    watch: Watch,
}

impl Watched {
    pub(super) fn new(inner: Box<dyn StorageBackend>, watch: Watch) -> Self {
        Self { inner, watch }
    }
}

type Locked<T> = std::result::Result<T, BackendError>;

impl StorageBackend for Watched {
    fn len(&self) -> io::Result<u64> {
        self.watch.note(Step::Read, self.inner.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.watch.note(Step::Read, self.inner.read(offset, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.watch.note(Step::Write, self.inner.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.watch.note(Step::Sync, self.inner.sync_data())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.watch.note(Step::Write, self.inner.write(offset, data))
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<bool> {
        self.inner.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<bool> {
        self.inner.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<()> {
        self.inner.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<()> {
        self.inner.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<()> {
        self.inner.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Locked<bool> {
        self.inner.query_lock_range(start, end)
    }
}
