//! A copy of a store that is open, as of one moment.

use std::fs::{self, File};
use std::path::Path;

use crate::engine::{Change, Engine, Force, Medium, RedbEngine};
use crate::error::{Error, ErrorKind, Result};
use crate::keys;
use crate::options::Options;
use crate::store::Store;

/// Bytes of keys and values that one commit of the copy has.
const COPIED_AT_ONCE: usize = 8 << 20;

impl Store {
    /// Copies the store into a new file: all units that were committed at one moment, and units in doubt. Units commit
    /// meanwhile. The copy is a store without a log, which any machine can open; it has its name when it is complete.
    ///
    /// # Errors
    /// `Misuse` if the file is there; `Corrupt` if the store has a damaged record or item; the errors of both disks.
    pub fn backup(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        self.copy(path).map_err(|error| error.at(path.display()))
    }

    fn copy(&self, path: &Path) -> Result<()> {
        let failed = |error: std::io::Error| Error::new(ErrorKind::Io, error.to_string()).caused(error);
        if path.try_exists().map_err(failed)? {
            return Err(Error::new(ErrorKind::Misuse, "expected a new file, found one"));
        }
        let mut partial = path.as_os_str().to_os_string();
        partial.push(".partial");
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let core = self.core();
        let pairs = core.committer.while_nothing_commits(|| core.engine.snapshot())?;
        let copy = RedbEngine::open(Medium::File(partial.clone().into()), &Options::default())?;
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for pair in pairs {
            let (key, value) = pair?;
            if key == keys::log_position() {
                continue;
            }
            bytes += key.len() + value.len();
            batch.push(Change::Put { key, value });
            if bytes > COPIED_AT_ONCE {
                copy.commit(std::mem::take(&mut batch), Force::Lazy)?;
                bytes = 0;
            }
        }
        copy.commit(batch, Force::Disk)?;
        copy.close();
        fs::rename(&partial, path).map_err(failed)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}
