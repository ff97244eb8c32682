//! The place of the store's bytes: a file that only its owner may read, or a disk from the caller.

use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::ops::Bound;
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redb::StorageBackend;
use redb::backends::FileBackend;

use super::watched::{Watch, Watched};
use crate::error::{Error, ErrorKind, Result};

const OWNER_ONLY: u32 = 0o600;

/// Bytes at offsets, as a file has them. Tests bring disks that fail.
pub trait Disk: fmt::Debug + Send + Sync + 'static {
    /// How many bytes there are.
    ///
    /// # Errors
    /// Those of the disk, as for all functions.
    fn len(&self) -> io::Result<u64>;
    /// True if there are none.
    ///
    /// # Errors
    /// As [`Disk::len`].
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|len| len == 0)
    }
    /// Fills `out` with the bytes from `offset` on.
    ///
    /// # Errors
    /// As [`Disk::len`]. It is also an error if the disk ends before them.
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;
    /// Cuts, or appends zeros.
    ///
    /// # Errors
    /// As [`Disk::len`].
    fn set_len(&self, len: u64) -> io::Result<()>;
    /// Returns when all that was written survives a loss of power.
    ///
    /// # Errors
    /// As [`Disk::len`]. It is then unknown which bytes survive.
    fn sync(&self) -> io::Result<()>;
    /// Writes bytes.
    ///
    /// # Errors
    /// As [`Disk::len`]. After `StorageFull`, other units may still succeed.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()>;
    /// Frees room that was kept for changes that only delete; false if none was kept.
    fn free_reserve(&self) -> bool {
        false
    }
    /// Keeps such room; false if the disk does not have it.
    fn keep_reserve(&self) -> bool {
        true
    }
}

/// The caller's disk in the form that redb needs. Nobody else uses it, so it needs no lock.
#[derive(Debug)]
struct Brought(Arc<dyn Disk>);

impl StorageBackend for Brought {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }
}

/// The place of a store, so that it can be opened again.
#[derive(Clone, Debug)]
pub(crate) enum Medium {
    File(PathBuf),
    /// Disks of the caller, with the two disks of the log, if there is a log.
    Brought(Arc<dyn Disk>, Option<[Arc<dyn Disk>; 2]>),
}

/// The two parts of a log.
#[derive(Debug)]
pub(super) struct Parts {
    disks: [Arc<dyn Disk>; 2],
    folder: Option<File>,
}

impl Parts {
    pub(super) fn disks(&self) -> [Arc<dyn Disk>; 2] {
        self.disks.clone()
    }

    /// Makes sure that the files keep their names.
    pub(super) fn settle(&self) -> Result<()> {
        self.folder.as_ref().map_or(Ok(()), |folder| folder.sync_all().map_err(failed))
    }
}

/// A file as a disk.
#[derive(Debug)]
struct Whole(File);

impl Disk for Whole {
    fn len(&self) -> io::Result<u64> {
        self.0.metadata().map(|found| found.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(out, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write_all_at(data, offset)
    }
}

impl Medium {
    /// The medium as the storage of an engine.
    pub(super) fn open(&self, watch: Watch) -> Result<Watched> {
        match self {
            Medium::File(path) => {
                let backend = FileBackend::new(open_file(path)?);
                let backend = backend.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?;
                Ok(Watched::new(Box::new(backend), watch))
            }
            Medium::Brought(disk, _) => Ok(Watched::new(Box::new(Brought(Arc::clone(disk))), watch)),
        }
    }
}

/// The room that is kept free for batches that free room.
const RESERVE_BYTES: usize = 4 << 20;

impl Medium {
    /// The length of the store's file.
    pub(super) fn len(&self) -> Result<u64> {
        match self {
            Medium::File(path) => fs::metadata(path).map(|found| found.len()),
            Medium::Brought(disk, _) => disk.len(),
        }
        .map_err(failed)
    }

    /// Deletes the file that keeps room; false if there is none.
    pub(super) fn free_reserve(&self) -> bool {
        match self {
            Medium::File(path) => fs::remove_file(reserve(path)).is_ok(),
            Medium::Brought(disk, _) => disk.free_reserve(),
        }
    }

    /// Makes the file that keeps room; false if the disk does not have the room.
    pub(super) fn keep_reserve(&self) -> bool {
        let path = match self {
            Medium::File(path) => reserve(path),
            Medium::Brought(disk, _) => return disk.keep_reserve(),
        };
        if fs::metadata(&path).is_ok_and(|found| found.len() >= RESERVE_BYTES as u64) {
            return true;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(OWNER_ONLY);
        let made = options.open(&path).and_then(|file| {
            // Zeros that are on disk take room; a length alone does not.
            file.write_all_at(&vec![0; RESERVE_BYTES], 0)?;
            file.sync_all()
        });
        let Err(error) = made else { return true };
        let _ = fs::remove_file(&path);
        // If the file cannot be made for another reason, there is no reserve, and nothing is refused because
        // of it.
        !super::redb::is_full(error.kind())
    }

    /// The parts of the log; none if there is no place for them. If `make` is true, missing parts are made.
    pub(super) fn log_parts(&self, make: bool) -> Result<Option<Parts>> {
        let path = match self {
            Medium::Brought(_, parts) => {
                return Ok(parts.clone().map(|disks| Parts { disks, folder: None }));
            }
            Medium::File(path) => path,
        };
        let [first, second] = PARTS.map(|name| part(path, name, make));
        let (Some(first), Some(second)) = (first?, second?) else { return Ok(None) };
        let folder = File::open(folder_of(path)).map_err(failed)?;
        Ok(Some(Parts { disks: [first, second], folder: Some(folder) }))
    }

    /// The existing parts of a log, even if the other one is missing.
    pub(super) fn log_parts_there(&self) -> Result<Vec<Arc<dyn Disk>>> {
        match self {
            Medium::Brought(_, parts) => Ok(parts.iter().flatten().cloned().collect()),
            Medium::File(path) => {
                PARTS.iter().filter_map(|name| part(path, name, false).transpose()).collect()
            }
        }
    }
}

/// The endings of the parts of a log, behind the name of the store.
const PARTS: [&str; 2] = [".log1", ".log2"];

/// A part of a log. If `make` is true, a missing part is made.
fn part(path: &Path, name: &str, make: bool) -> Result<Option<Arc<dyn Disk>>> {
    let mut path = path.as_os_str().to_os_string();
    path.push(name);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(make).mode(OWNER_ONLY);
    match options.open(path) {
        Ok(file) => Ok(Some(Arc::new(Whole(file)))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// True if no store has this file open, in any process.
///
/// # Errors
/// `Io` if it cannot be locked.
pub(crate) fn is_free(file: File) -> Result<bool> {
    let backend = FileBackend::new(file).map_err(super::redb::database_fault)?;
    let locked = backend.try_lock_range(Bound::Unbounded, Bound::Unbounded);
    locked.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))
}

fn failed(error: io::Error) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).caused(error)
}

/// The name of the file that keeps room for a store.
fn reserve(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_os_string();
    path.push(".reserve");
    PathBuf::from(path)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Opens the file. A missing file is made first, with rights for its owner alone.
fn open_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    let file = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_file(path)?;
            options.open(path).map_err(failed)?
        }
        opened => opened.map_err(failed)?,
    };
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() {
        return Err(Error::new(ErrorKind::Io, "expected a file, found something else"));
    }
    // A file that was left readable for others, or copied so, is closed to them again.
    if found.permissions().mode() & 0o777 != OWNER_ONLY {
        file.set_permissions(Permissions::from_mode(OWNER_ONLY)).map_err(failed)?;
    }
    Ok(file)
}

/// Makes a file that is whole before it gets its name, so a crash leaves no half of a file. The folder is
/// locked, so that two processes do not make the same.
fn make_file(path: &Path) -> Result<()> {
    let folder = File::open(folder_of(path)).map_err(failed)?;
    folder.lock().map_err(failed)?;
    if path.try_exists().map_err(failed)? {
        return Ok(());
    }
    let mut unfinished = path.as_os_str().to_os_string();
    unfinished.push(".unfinished");
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(OWNER_ONLY);
    let file = options.open(&unfinished).map_err(failed)?;
    super::redb::make(file)
        .and_then(|()| fs::rename(&unfinished, path).map_err(failed))
        .inspect_err(|_| drop(fs::remove_file(&unfinished)))?;
    folder.sync_all().map_err(failed)
}
