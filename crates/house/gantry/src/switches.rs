//! Which APIs, services and API requesters are stopped: flags that requests look at, kept in a file so that they outlive the process.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use settings::{Readers, replace};

/// The file, below the configuration's folder.
const FILE: &str = ".gantry/stopped";

/// What can be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An API: its operations answer that it is stopped, its documents stay.
    Api,
    /// A service: every operation that calls it answers so.
    Service,
    /// An API requester: calls of programs fail.
    Requester,
}

impl Kind {
    fn key(self, name: &str) -> String {
        match self {
            Kind::Api => format!("api {name}"),
            Kind::Service => format!("service {name}"),
            Kind::Requester => format!("requester {name}"),
        }
    }
}

/// Whether one API or service is started. All who hold it see the same.
#[derive(Clone, Debug)]
pub(crate) struct Switch(Arc<AtomicBool>);

impl Switch {
    pub(crate) fn is_started(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// All switches of a gateway, whichever configuration it runs.
#[derive(Debug)]
pub(crate) struct Switches {
    file: Option<PathBuf>,
    /// Names that are stopped, known to the configuration or not: a package that comes back finds its state.
    stopped: Mutex<BTreeSet<String>>,
    switches: Mutex<BTreeMap<String, Switch>>,
}

impl Switches {
    /// Reads what was stopped before; without a folder nothing is kept.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub(crate) fn read(folder: Option<&std::path::Path>) -> io::Result<Self> {
        let file = folder.map(|folder| folder.join(FILE));
        let text = match file.as_ref().map(std::fs::read_to_string) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Some(Ok(text)) => text,
            _ => String::new(),
        };
        let stopped = text.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect();
        Ok(Self { file, stopped: Mutex::new(stopped), switches: Mutex::default() })
    }

    /// The switch of an API or service.
    pub(crate) fn of(&self, kind: Kind, name: &str) -> Switch {
        let key = kind.key(name);
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner).contains(&key);
        let mut switches = self.switches.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Switch(Arc::new(AtomicBool::new(!stopped)));
        switches.entry(key).or_insert_with(new).clone()
    }

    /// Starts or stops. The file is written before requests see it, so that what an operator was told outlives a crash.
    ///
    /// # Errors
    /// The file cannot be written; nothing has changed then.
    pub(crate) fn set(&self, kind: Kind, name: &str, started: bool) -> io::Result<()> {
        let key = kind.key(name);
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = stopped.clone();
        if started {
            changed.remove(&key);
        } else {
            changed.insert(key);
        }
        self.write(&changed)?;
        *stopped = changed;
        drop(stopped);
        self.of(kind, name).0.store(started, Ordering::Relaxed);
        Ok(())
    }

    fn write(&self, stopped: &BTreeSet<String>) -> io::Result<()> {
        let Some(path) = &self.file else { return Ok(()) };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let text: String = stopped.iter().map(|line| format!("{line}\n")).collect();
        replace(path, text.as_bytes(), Readers::Usual)
    }
}
