//! A copy of an open store, as of one moment.

use std::path::Path;

use crate::copy::Copy;
use crate::engine::Change;
use crate::error::Result;
use crate::keys;
use crate::store::Store;

impl Store {
    /// Copies the store into a new file: all units that were committed at one moment, and units in doubt.
    /// Units commit meanwhile. The copy is a store without a log, which any machine can open. It gets its
    /// name when it is complete.
    ///
    /// # Errors
    /// `Misuse` if the file is there; `Corrupt` if the store has a damaged record or item; the errors of both
    /// disks.
    pub fn backup(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        self.copy(path).map_err(|error| error.at(path.display()))
    }

    fn copy(&self, path: &Path) -> Result<()> {
        let mut copy = Copy::begin(path)?;
        let core = self.core();
        let pairs = core.committer.while_nothing_commits(|| core.engine.snapshot())?;
        for pair in pairs {
            let (key, value) = pair?;
            if !keys::is_of_log(&key) {
                copy.take(Change::Put { key, value })?;
            }
        }
        copy.finish()
    }
}
