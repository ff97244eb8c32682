//! A new store that is filled pair by pair. It gets its name when it is complete.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::engine::{Change, Engine, Force, Medium, RedbEngine};
use crate::error::{Error, ErrorKind, Result};
use crate::keys;
use crate::options::Options;

/// Bytes of keys and values in one commit of the copy.
const AT_ONCE: usize = 8 << 20;

/// The copy.
pub(crate) struct Copy<'p> {
    path: &'p Path,
    partial: PathBuf,
    pub(crate) engine: RedbEngine,
    batch: Vec<Change>,
    bytes: usize,
}

impl Drop for Copy<'_> {
    /// A copy that was not finished would fill the disk that was perhaps too full for it. One that was finished has its
    /// own name.
    fn drop(&mut self) {
        self.engine.close();
        let _ = fs::remove_file(&self.partial);
    }
}

fn failed(error: io::Error) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).caused(error)
}

impl<'p> Copy<'p> {
    /// Begins a copy under another name.
    ///
    /// # Errors
    /// `Misuse` if the file is there; the errors of the disk.
    pub(crate) fn begin(path: &'p Path) -> Result<Self> {
        if path.try_exists().map_err(failed)? {
            return Err(Error::new(ErrorKind::Misuse, "expected a new file, found one"));
        }
        let mut partial = path.as_os_str().to_os_string();
        partial.push(".partial");
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let partial = PathBuf::from(partial);
        let engine = RedbEngine::open(Medium::File(partial.clone()), &Options::default())
            .inspect_err(|_| drop(fs::remove_file(&partial)))?;
        let mut copy = Self { path, partial, engine, batch: Vec::new(), bytes: 0 };
        copy.take(Change::Put { key: keys::copied(), value: Vec::new() })?;
        Ok(copy)
    }

    /// Takes a change.
    ///
    /// # Errors
    /// Those of the disk.
    pub(crate) fn take(&mut self, change: Change) -> Result<()> {
        self.bytes += change.bytes();
        self.batch.push(change);
        if self.bytes > AT_ONCE { self.write(Force::Lazy) } else { Ok(()) }
    }

    /// Writes the changes that it has taken.
    ///
    /// # Errors
    /// Those of the disk.
    pub(crate) fn write(&mut self, force: Force) -> Result<()> {
        self.bytes = 0;
        self.engine.commit(std::mem::take(&mut self.batch), force)
    }

    /// Brings the copy to disk, and gives it its name.
    ///
    /// # Errors
    /// Those of the disk.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.write(Force::Disk)?;
        self.engine.close();
        fs::rename(&self.partial, self.path).map_err(failed)?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}
