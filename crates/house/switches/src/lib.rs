//! Switches: which APIs, services and API requesters are stopped.
//!
//! A [`Switch`] is a flag that requests read. [`Switches`] keeps the stopped ones in a file of the
//! configuration's folder, so that they outlive the process.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use security::Kind;
use settings::{Readers, replace};

/// The file in the configuration's folder.
const FILE: &str = ".gantry/stopped";

/// The line of the file for a stopped object.
fn key(kind: Kind, name: &str) -> String {
    match kind {
        Kind::Api => format!("api {name}"),
        Kind::Service => format!("service {name}"),
        Kind::Requester => format!("requester {name}"),
    }
}

/// Whether one API or service is started. All copies show the same state.
#[derive(Clone, Debug)]
pub struct Switch(Arc<AtomicBool>);

impl Switch {
    /// Whether it is started.
    pub fn is_started(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// All switches of a gateway, over all configurations.
#[derive(Debug)]
pub struct Switches {
    file: Option<PathBuf>,
    /// The names of stopped objects. The configuration need not know them: a package that comes
    /// back finds its state.
    stopped: Mutex<BTreeSet<String>>,
    switches: Mutex<BTreeMap<String, Switch>>,
}

impl Switches {
    /// Reads the stopped names. Without a folder nothing is kept.
    ///
    /// # Errors
    /// The file exists but cannot be read.
    pub fn read(folder: Option<&std::path::Path>) -> io::Result<Self> {
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
    pub fn of(&self, kind: Kind, name: &str) -> Switch {
        let key = key(kind, name);
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner).contains(&key);
        let mut switches = self.switches.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Switch(Arc::new(AtomicBool::new(!stopped)));
        switches.entry(key).or_insert_with(new).clone()
    }

    /// Starts or stops an object. The file is written before requests see the change, so an
    /// operator's success outlives a crash.
    ///
    /// # Errors
    /// The file cannot be written. Then nothing has changed.
    pub fn set(&self, kind: Kind, name: &str, started: bool) -> io::Result<()> {
        let key = key(kind, name);
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

    /// Whether an own line is marked, for objects without a [`Kind`].
    #[must_use]
    pub fn is_marked(&self, line: &str) -> bool {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).contains(line)
    }

    /// Marks an own line, or removes the mark.
    ///
    /// # Errors
    /// The file cannot be written. Then nothing has changed.
    pub fn mark(&self, line: &str, marked: bool) -> io::Result<()> {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if stopped.contains(line) == marked {
            return Ok(());
        }
        let mut changed = stopped.clone();
        match marked {
            true => changed.insert(line.to_owned()),
            false => changed.remove(line),
        };
        self.write(&changed)?;
        *stopped = changed;
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
