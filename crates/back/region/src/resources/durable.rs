//! The store behind a region: opened when something durable is defined or first used, and kept over reloads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use storage::{Claim, Storage};
use store::{Collation, Definition, Keyed, Logs, Organization, Positions, Recovery, Store};

use crate::resources::files::FileStates;
use crate::resources::trouble::Trouble;

/// The way to a region's store.
#[derive(Debug)]
pub(crate) struct Durable {
    storage: Arc<Storage>,
    opened: OnceLock<Arc<Opened>>,
    opening: Mutex<()>,
}

/// A store that is open, with the spaces that every region has.
pub(crate) struct Opened {
    pub(crate) store: Arc<Store>,
    /// Auxiliary temporary storage that is recoverable, a log for each queue.
    pub(crate) recoverable_queues: Logs,
    /// Auxiliary temporary storage that is not.
    pub(crate) auxiliary_queues: Logs,
    /// Protected STARTs that have not begun, or not ended.
    pub(crate) starts: Keyed,
    /// The named counters.
    pub(crate) counters: Keyed,
    /// The states of files, which programs change, over all configurations.
    pub(crate) file_states: FileStates,
    /// The spaces of files and paths that tasks of this process may use.
    in_use: Mutex<BTreeSet<String>>,
    /// Dropped last: another region may have the store when this one has let it go.
    _claim: Claim,
    _storage: Arc<Storage>,
}

impl Opened {
    /// Notes that tasks may use a space from now on.
    pub(crate) fn use_space(&self, name: &str) {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }

    /// True if tasks may use a space, or may have used it since the store was opened.
    pub(crate) fn is_in_use(&self, name: &str) -> bool {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").finish_non_exhaustive()
    }
}

impl Durable {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { storage: Storage::at(&path), opened: OnceLock::new(), opening: Mutex::new(()) }
    }

    pub(crate) fn path(&self) -> &Path {
        self.storage.path()
    }

    /// The store, if it is open.
    pub(crate) fn get(&self) -> Option<&Arc<Opened>> {
        self.opened.get()
    }

    /// True if there is a store, open or not. Without one nothing is durable.
    pub(crate) fn exists(&self) -> bool {
        self.storage.exists()
    }

    /// The store, which is opened, and made if it is not there. After a crash this reads the whole file: it is not for
    /// a thread that has tasks to run.
    ///
    /// # Errors
    /// Those of [`Store::open`], with the path.
    pub(crate) fn open(&self) -> Result<&Arc<Opened>, Trouble> {
        let _one = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let claim = self.storage.claim("region").map_err(Trouble::disk)?;
        let opened = self.storage.open().map_err(|(kind, message)| Trouble { kind, message });
        let store = Arc::clone(opened?);
        let logs = |name: &str, positions, recovery| {
            let organization = Organization::Logs(positions);
            store.logs(&Definition { name: name.to_owned(), organization, recovery })
        };
        let records = |name: &str| {
            store.keyed(&Definition {
                name: name.to_owned(),
                organization: Organization::KeySequenced(Collation::Binary),
                recovery: Recovery::Recoverable,
            })
        };
        let opened = Opened {
            starts: records("starts")?,
            counters: records("counters")?,
            recoverable_queues: logs("ts.recoverable", Positions::Dense, Recovery::Recoverable)?,
            auxiliary_queues: logs("ts.auxiliary", Positions::Dense, Recovery::NotRecoverable)?,
            file_states: FileStates::default(),
            in_use: Mutex::default(),
            store,
            _claim: claim,
            _storage: Arc::clone(&self.storage),
        };
        Ok(self.opened.get_or_init(|| Arc::new(opened)))
    }
}
