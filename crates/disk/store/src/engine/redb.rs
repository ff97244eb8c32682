//! The engine on redb: one table, one write transaction for each batch, one wait for the disk for each forced
//! batch.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use redb::backends::FileBackend;
use redb::{
    Builder, CommitError, CompactionError, Database, DatabaseError, Durability, ReadOnlyTable,
    ReadableDatabase, StorageError, TableDefinition, TableError, TransactionError, WriteTransaction,
};

use super::border::{self, within};
use super::disk::Medium;
use super::watched::{Failure, Step, Watch};
use super::{Change, Direction, Each, Edit, Engine, Force, Pairs, Span, seal};
use crate::error::{Error, ErrorKind, Result};
use crate::options::{AfterCrash, Opening, Options};

const TABLE: TableDefinition<'static, &'static [u8], &'static [u8]> = TableDefinition::new("store");

/// A file is made smaller if it is longer than this, and longer than `TIDY_FACTOR` times its content. The
/// content must be at most `TIDY_USED_BYTES_MAX`, because moving more would keep others waiting.
const TIDY_FILE_BYTES_MIN: u64 = 8 << 20;
const TIDY_FACTOR: u64 = 6;
const TIDY_USED_BYTES_MAX: u64 = 64 << 20;

type Table = ReadOnlyTable<&'static [u8], &'static [u8]>;

/// The engine. Readers share the table as of the last batch. The writer replaces it.
pub(crate) struct RedbEngine {
    medium: Medium,
    options: Options,
    writer: Mutex<Option<Writer>>,
    /// None while the file is opened again, and for ever once the disk has failed.
    table: RwLock<Option<Table>>,
    /// The length of the file after it was last made smaller.
    tidied_bytes: AtomicU64,
}

struct Writer {
    database: Database,
    watch: Watch,
}

impl RedbEngine {
    /// Opens or creates a store's file.
    ///
    /// # Errors
    /// `InUse`, `Corrupt`, `Format` if it is not a redb file, `Io`.
    pub(crate) fn open(medium: Medium, options: &Options) -> Result<Self> {
        let (writer, table) = open(&medium, options)?;
        Ok(Self {
            medium,
            options: options.clone(),
            writer: Mutex::new(Some(writer)),
            table: RwLock::new(Some(table)),
            tidied_bytes: AtomicU64::new(0),
        })
    }

    /// True if the file is not much longer than its content, or too full to be made smaller.
    pub(super) fn is_tidy(&self, used_bytes: u64) -> Result<bool> {
        let len = self.medium.len()?;
        // Data that is not counted, such as units in doubt, can take room too. So the same attempt is not
        // made twice.
        let is_new = len / 2 > self.tidied_bytes.load(Ordering::Relaxed);
        let is_long = len > TIDY_FILE_BYTES_MIN && len / TIDY_FACTOR > used_bytes;
        Ok(!(is_long && is_new) || used_bytes > TIDY_USED_BYTES_MAX)
    }

    /// Applies changes, as [`Engine::commit`] does.
    ///
    /// # Errors
    /// As [`Engine::commit`].
    pub(super) fn apply<'e>(&self, edits: impl Iterator<Item = Edit<'e>>, force: Force) -> Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let database = &writer.as_ref().ok_or_else(stopped)?.database;
        let table = match within(|| write(database, edits, (force, self.options.after_crash))) {
            Ok(table) => table,
            Err(fault) => return Err(self.recover(&mut writer, fault)),
        };
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = Some(table);
        Ok(())
    }

    /// After a failure, goes on with the file as it is on disk, if that can be known. Else it stops.
    fn recover(&self, writer: &mut Option<Writer>, fault: Error) -> Error {
        let failure = writer.as_ref().and_then(|writer| writer.watch.failure());
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        *table = None;
        // At its end, redb may meet the same page again. The fault has been reported already.
        let _ = within(|| {
            *writer = None;
            Ok(())
        });
        if fault.kind() == ErrorKind::Corrupt {
            return Error::new(ErrorKind::Unknown, format!("{fault}; the store stops")).caused(fault);
        }
        let full = matches!(failure, Some(Failure { step: Step::Write, kind }) if is_full(kind));
        if !full {
            // Even a failed write may have reached the disk with everything that matters.
            let message = format!("store: the disk failed, the store stops: {}", fault.bare());
            return Error::new(ErrorKind::Unknown, message).caused(fault);
        }
        match open(&self.medium, &self.options) {
            Ok((opened, fresh)) => {
                *writer = Some(opened);
                *table = Some(fresh);
                let message = format!("store: the disk is full: {}", fault.bare());
                Error::new(ErrorKind::NoSpace, message).caused(fault)
            }
            Err(error) => {
                let why = error.bare();
                let message = format!("store: the disk is full, and the store cannot be opened again: {why}");
                Error::new(ErrorKind::Unknown, message).caused(error)
            }
        }
    }
}

impl Engine for RedbEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let table = table.as_ref().ok_or_else(stopped)?;
        within(|| {
            let found = table.get(key).map_err(|error| storage_fault(&error))?;
            found.map(|sealed| seal::open(key, sealed.value()).map(<[u8]>::to_vec)).transpose()
        })
    }

    fn length(&self, key: &[u8]) -> Result<Option<u64>> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let table = table.as_ref().ok_or_else(stopped)?;
        within(|| {
            let found = table.get(key).map_err(|error| storage_fault(&error))?;
            Ok(found.map(|sealed| seal::content_bytes(sealed.value())))
        })
    }

    fn scan(&self, span: Span<'_>, each: &mut Each<'_>) -> Result<()> {
        let mut range = {
            let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
            let table = table.as_ref().ok_or_else(stopped)?;
            // It shows the table as of now, even if batches are committed meanwhile.
            within(|| table.range::<&[u8]>((span.from, span.to)).map_err(|error| storage_fault(&error)))?
        };
        loop {
            let pair = within(|| range.next().transpose().map_err(|error| storage_fault(&error)))?;
            let Some((key, sealed)) = pair else { return Ok(()) };
            if each(key.value(), seal::open(key.value(), sealed.value()).ok()).is_break() {
                return Ok(());
            }
        }
    }

    fn first(&self, span: Span<'_>) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let table = table.as_ref().ok_or_else(stopped)?;
        within(|| {
            let mut range =
                table.range::<&[u8]>((span.from, span.to)).map_err(|error| storage_fault(&error))?;
            let found = match span.direction {
                Direction::Forward => range.next(),
                Direction::Backward => range.next_back(),
            };
            let Some(found) = found else { return Ok(None) };
            let (key, sealed) = found.map_err(|error| storage_fault(&error))?;
            let value = seal::open(key.value(), sealed.value())?.to_vec();
            Ok(Some((key.value().to_vec(), value)))
        })
    }

    fn commit(&self, batch: Vec<Change>, force: Force) -> Result<()> {
        self.apply(batch.iter().map(Change::edit), force)
    }

    fn snapshot(&self) -> Result<Box<Pairs>> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let table = table.as_ref().ok_or_else(stopped)?;
        let mut range = within(|| table.range::<&[u8]>(..).map_err(|error| storage_fault(&error)))?;
        let mut next = move || {
            let Some(pair) = range.next() else { return Ok(None) };
            let (key, sealed) = pair.map_err(|error| storage_fault(&error))?;
            let value = seal::open(key.value(), sealed.value())?;
            Ok(Some((key.value().to_vec(), value.to_vec())))
        };
        Ok(Box::new(std::iter::from_fn(move || within(&mut next).transpose())))
    }

    fn tidy(&self, used_bytes: u64) -> Result<()> {
        if self.is_tidy(used_bytes)? {
            return Ok(());
        }
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = writer.as_mut() else { return Err(stopped()) };
        // Redb moves pages only while no reader has a table.
        *table = None;
        let compacted = within(|| match open.database.compact() {
            // A walk is under way. A later call tries again.
            Ok(_) | Err(CompactionError::TransactionInProgress) => read_table(&open.database),
            Err(CompactionError::Storage(ref cause)) => Err(storage_fault(cause)),
            Err(error) => Err(Error::new(ErrorKind::Io, format!("store: {error}"))),
        });
        match compacted {
            Ok(opened) => {
                *table = opened;
                self.tidied_bytes.store(self.medium.len()?, Ordering::Relaxed);
                Ok(())
            }
            Err(fault) => {
                drop(table);
                Err(self.recover(&mut writer, fault))
            }
        }
    }

    fn free_reserve(&self) -> bool {
        self.medium.free_reserve()
    }

    fn keep_reserve(&self) -> bool {
        self.medium.keep_reserve()
    }

    fn close(&self) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = None;
        // A later reader of a damaged page gets the error. The end is not the place to report it.
        let _ = within(|| {
            *writer = None;
            Ok(())
        });
    }
}

/// Opens the file and makes sure that the table is there.
fn open(medium: &Medium, options: &Options) -> Result<(Writer, Table)> {
    let watch = Watch::default();
    let storage = medium.open(watch.clone())?;
    let mut builder = Builder::new();
    builder.set_cache_size(options.cache_bytes_max);
    builder.set_check_integrity_on_open(options.opening == Opening::Verify);
    border::prepare();
    // redb documents that it may panic when it opens an altered file.
    let (database, table) = within(|| {
        let database = builder.create_with_backend(storage).map_err(database_fault)?;
        let table = match read_table(&database)? {
            Some(table) => table,
            None => write(&database, std::iter::empty(), (Force::Disk, options.after_crash))?,
        };
        Ok((database, table))
    })?;
    Ok((Writer { database, watch }, table))
}

/// Makes an empty database in a new file.
pub(super) fn make(file: File) -> Result<()> {
    let backend = FileBackend::new(file).map_err(database_fault)?;
    let database = Builder::new().create_with_backend(backend).map_err(database_fault)?;
    database.close().map_err(database_fault)
}

/// One transaction. Gives the table that readers see after it.
fn write<'e>(
    database: &Database,
    edits: impl Iterator<Item = Edit<'e>>,
    how: (Force, AfterCrash),
) -> Result<Table> {
    let mut transaction = database.begin_write().map_err(transaction_fault)?;
    match how {
        (Force::Disk, AfterCrash::Check) => {}
        (Force::Disk, AfterCrash::Resume) => transaction.set_quick_repair(true),
        (Force::Lazy, _) => {
            let lazy = transaction.set_durability(Durability::None);
            lazy.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?;
        }
    }
    apply(&transaction, edits)?;
    transaction.commit().map_err(commit_fault)?;
    read_table(database)?.ok_or_else(|| Error::new(ErrorKind::Corrupt, "store: the table has vanished"))
}

fn apply<'e>(transaction: &WriteTransaction, edits: impl Iterator<Item = Edit<'e>>) -> Result<()> {
    let mut table = transaction.open_table(TABLE).map_err(table_fault)?;
    for edit in edits {
        let applied = match edit {
            Edit::Put { key, value } => table.insert(key, seal::seal(key, value).as_slice()).map(|_| ()),
            Edit::Delete { key } => table.remove(key).map(|_| ()),
            Edit::Clear { from, to } => table.retain_in::<&[u8], _>(from..to, |_, _| false),
        };
        applied.map_err(|error| storage_fault(&error))?;
    }
    Ok(())
}

fn read_table(database: &Database) -> Result<Option<Table>> {
    let transaction = database.begin_read().map_err(transaction_fault)?;
    match transaction.open_table(TABLE) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(table_fault(error)),
    }
}

pub(in crate::engine) fn is_full(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}

fn stopped() -> Error {
    Error::new(ErrorKind::Stopped, "store: it is closed, or has stopped after a failure of its disk")
}

fn storage_fault(error: &StorageError) -> Error {
    let kind = match error {
        StorageError::Corrupted(_) => ErrorKind::Corrupt,
        StorageError::PreviousIo | StorageError::DatabaseClosed => ErrorKind::Stopped,
        _ => ErrorKind::Io,
    };
    match error {
        StorageError::Corrupted(what) => Error::new(kind, format!("store: the file is damaged: {what}")),
        _ => Error::new(kind, format!("store: {error}")),
    }
}

pub(super) fn database_fault(error: DatabaseError) -> Error {
    match error {
        DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => Error::new(
            ErrorKind::InUse,
            "store: another process has the file open, such as a gateway that runs",
        )
        .caused(error),
        DatabaseError::UpgradeRequired(version) => {
            let message =
                format!("store: the file has redb's format {version}, which this version does not read");
            Error::new(ErrorKind::Format, message).caused(error)
        }
        DatabaseError::Storage(StorageError::Io(ref cause)) if cause.kind() == io::ErrorKind::InvalidData => {
            let message = format!(
                "store: this file is not a store of Gantry, or its beginning is damaged; then restore a backup ({cause})"
            );
            Error::new(ErrorKind::Format, message).caused(error)
        }
        DatabaseError::Storage(ref cause) => storage_fault(cause).caused(error),
        _ => Error::new(ErrorKind::Io, format!("store: {error}")).caused(error),
    }
}

fn transaction_fault(error: TransactionError) -> Error {
    match error {
        TransactionError::Storage(ref cause) => storage_fault(cause),
        _ => Error::new(ErrorKind::Io, format!("store: {error}")),
    }
}

fn commit_fault(error: CommitError) -> Error {
    match error {
        CommitError::Storage(ref cause) => storage_fault(cause),
        _ => Error::new(ErrorKind::Io, format!("store: {error}")),
    }
}

fn table_fault(error: TableError) -> Error {
    match error {
        TableError::Storage(ref cause) => storage_fault(cause),
        _ => Error::new(ErrorKind::Format, format!("store: expected the table of a store: {error}")),
    }
}
