//! A new store that is filled pair by pair. It gets its name when it is complete.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::engine::{Change, Engine, Force, Medium, RedbEngine, is_free};
use crate::error::{Error, ErrorKind, Result};
use crate::keys;
use crate::options::Options;

/// Bytes of keys and values in one commit of the copy.
const AT_ONCE: usize = 8 << 20;

/// The ending of a copy that is not complete.
const UNFINISHED: &str = "partial";

/// The copy.
pub(crate) struct Copy<'p> {
    path: &'p Path,
    partial: PathBuf,
    pub(crate) engine: RedbEngine,
    batch: Vec<Change>,
    bytes: usize,
    finished: bool,
}

impl Drop for Copy<'_> {
    /// A copy that was not finished would fill the disk that was perhaps too full for it.
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // Until the file is gone, nobody may take it for a copy that was broken off.
        let _folder = lock_folder(self.path);
        self.engine.close();
        let _ = fs::remove_file(&self.partial);
    }
}

fn failed(error: io::Error) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).caused(error)
}

fn found() -> Error {
    Error::new(ErrorKind::Misuse, "expected a new file, found one")
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Locks the folder of a file, also against other processes, until the result is dropped.
fn lock_folder(path: &Path) -> Result<File> {
    let folder = File::open(folder_of(path)).map_err(failed)?;
    folder.lock().map_err(failed)?;
    Ok(folder)
}

impl<'p> Copy<'p> {
    /// Begins a copy under another name.
    ///
    /// # Errors
    /// `Misuse` if the file is there, or has a name that a copy in progress could have; `InUse` if a copy of this
    /// name is being made; the errors of the disk.
    pub(crate) fn begin(path: &'p Path) -> Result<Self> {
        if path.extension().is_some_and(|extension| extension == UNFINISHED) {
            let message = format!("expected a name that does not end in .{UNFINISHED}");
            return Err(Error::new(ErrorKind::Misuse, message));
        }
        let mut partial = path.as_os_str().to_os_string();
        partial.push(".");
        partial.push(UNFINISHED);
        let partial = PathBuf::from(partial);
        let folder = lock_folder(path)?;
        if path.try_exists().map_err(failed)? {
            return Err(found());
        }
        remove_broken_off(&partial)?;
        let mut options = File::options();
        options.write(true).create_new(true).mode(0o600);
        options.open(&partial).map_err(failed)?;
        let engine = RedbEngine::open(Medium::File(partial.clone()), &Options::default())
            .inspect_err(|_| drop(fs::remove_file(&partial)))?;
        drop(folder);
        let mut copy = Self { path, partial, engine, batch: Vec::new(), bytes: 0, finished: false };
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
        let folder = lock_folder(self.path)?;
        if self.path.try_exists().map_err(failed)? {
            return Err(found());
        }
        self.engine.close();
        fs::rename(&self.partial, self.path).map_err(failed)?;
        self.finished = true;
        folder.sync_all().map_err(failed)?;
        // The folder itself may be new.
        if let Ok(above) = File::open(folder_of(self.path).join("..")) {
            let _ = above.sync_all();
        }
        Ok(())
    }
}

/// Removes what a copy left that was broken off by the end of its process.
fn remove_broken_off(partial: &Path) -> Result<()> {
    let file = match File::options().read(true).write(true).open(partial) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(failed)?,
    };
    if !is_free(file)? {
        return Err(Error::new(ErrorKind::InUse, "another copy of this name is being made"));
    }
    fs::remove_file(partial).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_begun_once_and_one_that_was_broken_off_is_begun_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("monday.store");
        let change = |value: u8| Change::Put { key: vec![9], value: vec![value] };
        let begin = |value| {
            let mut copy = Copy::begin(&path)?;
            copy.take(change(value)).map(|()| copy)
        };
        let first = begin(1).unwrap();
        let error = begin(2).err().expect("one is being made");
        assert_eq!(error.kind(), ErrorKind::InUse, "{error}");
        first.finish().unwrap();
        let read = || {
            let engine = RedbEngine::open(Medium::File(path.clone()), &Options::default()).unwrap();
            engine.get(&[9]).unwrap()
        };
        assert_eq!(read(), Some(vec![1]));
        assert_eq!(begin(3).err().expect("it is there").kind(), ErrorKind::Misuse);
        fs::remove_file(&path).unwrap();
        drop(begin(4).unwrap());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::write(folder.path().join("monday.store.partial"), "as a crash left it").unwrap();
        begin(5).unwrap().finish().unwrap();
        assert_eq!(read(), Some(vec![5]));
        let partial = folder.path().join("tuesday.store.partial");
        assert_eq!(Copy::begin(&partial).err().expect("others would remove it").kind(), ErrorKind::Misuse);
    }

    #[test]
    fn a_copy_does_not_replace_a_file_that_came_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("monday.store");
        let copy = Copy::begin(&path).unwrap();
        fs::write(&path, "of another program").unwrap();
        assert_eq!(copy.finish().unwrap_err().kind(), ErrorKind::Misuse);
        assert_eq!(fs::read(&path).unwrap(), b"of another program");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}
