//! The one store of a process: its section `[store]`. It is opened at the first use, and shared by all its
//! users.
//!
//! A [`Storage`] is the way to the store in a file. The same path always gives the same one, because a file
//! can be open only once. A region and a queue manager have their files, queues and messages in one store,
//! and one unit of work commits them together. Each user makes a [`Claim`], so that two regions do not take
//! each other's records.
//!
//! Deliberately absent: the content of the store.

mod section;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use store::{ErrorKind, Options, Store};

pub use section::{AfterCrashWord, StoreSection};

/// The stores of this process, by their paths.
static STORAGES: Mutex<BTreeMap<PathBuf, Weak<Storage>>> = Mutex::new(BTreeMap::new());

/// The way to a store. The store is closed when nobody uses it any more.
#[derive(Debug)]
pub struct Storage {
    path: PathBuf,
    options: Mutex<Options>,
    opened: OnceLock<Opened>,
    opening: Mutex<()>,
    claimed: Mutex<BTreeSet<&'static str>>,
}

/// A store whose content debug output does not show.
struct Opened(Arc<Store>);

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opened")
    }
}

/// The claim of a user of the store, until it is dropped.
#[derive(Debug)]
pub struct Claim {
    storage: Arc<Storage>,
    who: &'static str,
}

impl Drop for Claim {
    fn drop(&mut self) {
        locked(&self.storage.claimed).remove(self.who);
    }
}

/// How long to wait for a store that is open elsewhere, and how often to try.
const IN_USE_MAX: Duration = Duration::from_secs(1);
const IN_USE_PAUSE: Duration = Duration::from_millis(10);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Storage {
    /// The way to the store in a file, which need not exist.
    #[must_use]
    pub fn at(path: &Path) -> Arc<Self> {
        let mut storages = locked(&STORAGES);
        if let Some(storage) = storages.get(path).and_then(Weak::upgrade) {
            return storage;
        }
        let storage = Arc::new(Self {
            path: path.to_owned(),
            options: Mutex::default(),
            opened: OnceLock::new(),
            opening: Mutex::default(),
            claimed: Mutex::default(),
        });
        storages.retain(|_, storage| storage.strong_count() > 0);
        storages.insert(path.to_owned(), Arc::downgrade(&storage));
        storage
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets the limits for opening the store. They do not change once it is open.
    pub fn set_options(&self, options: Options) {
        *locked(&self.options) = options;
    }

    /// The store, if it is open.
    #[must_use]
    pub fn get(&self) -> Option<&Arc<Store>> {
        self.opened.get().map(|opened| &opened.0)
    }

    /// True if the store exists, open or not. If it does not exist, nothing can be in it.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.opened.get().is_some() || self.path.exists()
    }

    /// Claims the store for a user. Waits a moment for an earlier user that is about to end.
    ///
    /// # Errors
    /// The store already has such a user. The error is a sentence for people.
    pub fn claim(self: &Arc<Self>, who: &'static str) -> Result<Claim, String> {
        let begun = Instant::now();
        while begun.elapsed() < IN_USE_MAX {
            if locked(&self.claimed).insert(who) {
                return Ok(Claim { storage: Arc::clone(self), who });
            }
            std::thread::sleep(IN_USE_PAUSE);
        }
        Err(format!("{}: another {who} of this process has the store open", self.path.display()))
    }

    /// Opens the store, and makes it if it does not exist. After a crash this reads the whole file, so do not
    /// call it on a thread that runs tasks.
    ///
    /// # Errors
    /// Those of [`Store::open`], or of making the folder: a sentence with the path, and the kind.
    pub fn open(&self) -> Result<&Arc<Store>, (ErrorKind, String)> {
        let _one = locked(&self.opening);
        if let Some(opened) = self.opened.get() {
            return Ok(&opened.0);
        }
        if let Some(folder) = self.path.parent() {
            let made = make_folder(folder);
            made.map_err(|error| (ErrorKind::Io, format!("{}: {error}", folder.display())))?;
        }
        let options = locked(&self.options).clone();
        let store = open_when_free(&self.path, &options).map_err(|error| {
            let path = self.path.display();
            let help = match error.kind() {
                ErrorKind::Corrupt => format!(
                    ". Restore a backup, or copy what can be read with `gantry store salvage {path} NEW` \
                     (docs/reference/store.md)"
                ),
                _ => String::new(),
            };
            (error.kind(), format!("{error}{help}"))
        })?;
        Ok(&self.opened.get_or_init(|| Opened(Arc::new(store))).0)
    }
}

/// Makes a folder, and those above it, so that they survive a loss of power.
fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let above = folder.parent().unwrap_or(Path::new("/"));
    make_folder(above)?;
    match std::fs::create_dir(folder) {
        // Another process has made it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => return Ok(()),
        made => made?,
    }
    let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    match File::open(above) {
        // It can be written, but not read.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        opened => opened?.sync_all(),
    }
}

/// Opens a store, also if its last user is about to end. This may be a gateway that is being replaced, or its
/// forked worker that has not begun its own program.
fn open_when_free(path: &Path, options: &Options) -> Result<Store, store::Error> {
    let begun = Instant::now();
    loop {
        match Store::open(path, options.clone()) {
            Err(error) if error.kind() == ErrorKind::InUse && begun.elapsed() < IN_USE_MAX => {
                std::thread::sleep(IN_USE_PAUSE);
            }
            opened => return opened,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_with_those_above_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = folder.path().join("a/b/c");
        make_folder(&deep).expect("it is made");
        make_folder(&deep).expect("it is there");
        assert!(deep.is_dir());
        std::fs::write(folder.path().join("file"), "").expect("a file");
        make_folder(&folder.path().join("file")).expect_err("it is a file");
        make_folder(&folder.path().join("file/d")).expect_err("it is below a file");
    }

    #[test]
    fn all_who_ask_for_a_path_share_a_store_until_nobody_has_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made/when/needed.store");
        let (one, two) = (Storage::at(&path), Storage::at(&path));
        assert!(!one.exists());
        assert!(Arc::ptr_eq(one.open().expect("a store"), two.open().expect("the same")));
        let claim = one.claim("region").expect("the first");
        two.claim("queue manager").expect("another").storage.get().expect("open");
        assert!(two.claim("region").expect_err("the second").contains("another region of this process"));
        drop(claim);
        two.claim("region").expect("free again");
        drop((one, two));
        // The file is free: another process could have it.
        Store::open(&path, Options::default()).expect("nobody has it");
    }
}
