//! The store behind a region: opened when something durable is defined or first used, and kept over reloads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use store::{
    Collation, Definition, ErrorKind, Keyed, Logs, Options, Organization, Positions, Recovery, Store,
};

use crate::resources::trouble::Trouble;

/// The way to a region's store.
#[derive(Debug)]
pub(crate) struct Durable {
    path: PathBuf,
    opened: OnceLock<Arc<Opened>>,
    opening: Mutex<()>,
}

/// A store that is open, with the spaces that every region has.
pub(crate) struct Opened {
    pub(crate) store: Store,
    /// Auxiliary temporary storage that is recoverable, a log for each queue.
    pub(crate) recoverable_queues: Logs,
    /// Auxiliary temporary storage that is not.
    pub(crate) auxiliary_queues: Logs,
    /// Protected STARTs that have not begun, or not ended.
    pub(crate) starts: Keyed,
    /// The named counters.
    pub(crate) counters: Keyed,
    /// The spaces of files and paths that tasks of this process may use.
    in_use: Mutex<BTreeSet<String>>,
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
        Self { path, opened: OnceLock::new(), opening: Mutex::new(()) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The store, if it is open.
    pub(crate) fn get(&self) -> Option<&Arc<Opened>> {
        self.opened.get()
    }

    /// True if there is a store, open or not: nothing durable can be in one that is not there.
    pub(crate) fn exists(&self) -> bool {
        self.opened.get().is_some() || self.path.exists()
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
        if let Some(folder) = self.path.parent() {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|error| Trouble::disk(format!("{}: {error}", folder.display())))?;
        }
        let store = open_when_free(&self.path)?;
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
            in_use: Mutex::default(),
            store,
        };
        Ok(self.opened.get_or_init(|| Arc::new(opened)))
    }
}

/// How long a store that is open elsewhere is waited for, and how often it is tried.
const IN_USE_MAX: Duration = Duration::from_secs(1);
const IN_USE_PAUSE: Duration = Duration::from_millis(10);

/// Opens a store, also if who had it is still on the way out: a gateway that is being replaced, or a worker of it that has
/// been forked and has not begun its own program.
fn open_when_free(path: &Path) -> Result<Store, store::Error> {
    let begun = Instant::now();
    loop {
        match Store::open(path, Options::default()) {
            Err(error) if error.kind() == ErrorKind::InUse && begun.elapsed() < IN_USE_MAX => {
                std::thread::sleep(IN_USE_PAUSE);
            }
            opened => return opened,
        }
    }
}
