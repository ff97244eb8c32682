//! A store: one file, its spaces, its open units, and its recovery after it was closed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::collation::Order;
use crate::commit::{Committer, Counters, Finish, Outcome, Room, State, Submission};
use crate::engine::{
    Change, Direction, Disk, Engine, Force, LogEngine, Medium, RedbEngine, Span, options_beneath,
};
use crate::error::{Error, ErrorKind, Result};
use crate::fields::{Reader, Writer};
use crate::keys::{self, Kind, SpaceId};
use crate::locks::{Locks, UnitId};
use crate::options::{Drive, EngineKind, KEY_BYTES_MAX, Options};
use crate::space::{Definition, Keyed, Logs, Organization, Space};
use crate::tails::Tails;
use crate::twophase::TwoPhase;
use crate::unit::Unit;
use crate::writes::Writes;

/// The highest version that this code writes. It also reads the versions before it, and refuses later ones. A
/// store that has had a log has version 2, others have version 1.
pub const FORMAT_VERSION: u32 = 2;

const FORMAT_WITHOUT_LOG: u32 = 1;

const MAGIC: &[u8] = b"gantry store";

/// The state that all units of a store share.
pub(crate) struct Core {
    pub(crate) options: Options,
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) committer: Committer,
    pub(crate) locks: Arc<Locks>,
    pub(crate) tails: Mutex<Tails>,
    pub(crate) twophase: Mutex<TwoPhase>,
    spaces: Mutex<BTreeMap<String, Arc<Space>>>,
    units_open: AtomicUsize,
    next_unit: AtomicU64,
}

/// An open store. Units keep working while it lives; dropping it writes what is not yet on disk.
pub struct Store {
    core: Arc<Core>,
    thread: Option<JoinHandle<()>>,
}

impl Store {
    /// Opens the store in a file, or creates it, with rights for its owner alone. Units that were prepared
    /// are in doubt again, with their locks.
    ///
    /// # Errors
    /// `InUse`, `Io`, `Corrupt`; `Format` if the file is not a store of this version; `Misuse` for options
    /// that contradict each other.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Store> {
        let path = path.as_ref();
        let store = Self::open_medium(Medium::File(path.to_path_buf()), options);
        store.map_err(|error| error.at(path.display()))
    }

    /// Opens the store on a disk that the caller brings. It has no place for a log: the engine is the file itself.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_on(disk: Arc<dyn Disk>, options: Options) -> Result<Store> {
        let options = Options { engine: EngineKind::File, ..options };
        Self::open_medium(Medium::Brought(disk, None), options)
    }

    /// Opens the store on disks that the caller brings: one for the file, two for the log.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_on_disks(disk: Arc<dyn Disk>, log: [Arc<dyn Disk>; 2], options: Options) -> Result<Store> {
        Self::open_medium(Medium::Brought(disk, Some(log)), options)
    }

    fn open_medium(medium: Medium, options: Options) -> Result<Store> {
        if options.key_bytes_max > KEY_BYTES_MAX {
            let message = format!("key_bytes_max is {}, {KEY_BYTES_MAX} is the most", options.key_bytes_max);
            return Err(Error::new(ErrorKind::Misuse, message));
        }
        let engine = open_engine(medium, &options)?;
        // A thread of the engine would keep the file locked, for the next try too.
        Self::over(Arc::clone(&engine), options).inspect_err(|_| engine.close())
    }

    /// Opens the store in the files of an engine.
    fn over(engine: Arc<dyn Engine>, options: Options) -> Result<Store> {
        let state = State::read(&*engine)?;
        let core = Arc::new(Core {
            committer: Committer::new(Arc::clone(&engine), options.clone(), state),
            locks: Arc::new(Locks::new(options.unit_locks_max)),
            tails: Mutex::default(),
            twophase: Mutex::default(),
            spaces: Mutex::new(read_spaces(&*engine)?),
            units_open: AtomicUsize::new(0),
            next_unit: AtomicU64::new(1),
            engine,
            options,
        });
        crate::twophase::recover(&core)?;
        let thread = (core.options.drive == Drive::Thread).then(|| start(&core)).transpose()?;
        Ok(Store { core, thread })
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Begins a unit of work.
    ///
    /// # Errors
    /// `Limit` if `units_open_max` units are open.
    pub fn unit(&self) -> Result<Unit> {
        self.core.open_unit().map(Unit::new)
    }

    /// A file with keys. A new one is defined.
    ///
    /// # Errors
    /// `Misuse` if it exists with another definition, or is not a file with keys; the errors of a commit.
    pub fn keyed(&self, definition: &Definition) -> Result<Keyed> {
        match definition.organization {
            Organization::KeySequenced(_) | Organization::Relative => self.space(definition).map(Keyed),
            _ => Err(misuse(definition, "expected a key-sequenced or relative file")),
        }
    }

    /// Logs. New ones are defined.
    ///
    /// # Errors
    /// As [`Store::keyed`].
    pub fn logs(&self, definition: &Definition) -> Result<Logs> {
        match definition.organization {
            Organization::Logs(_) | Organization::EntrySequenced => self.space(definition).map(Logs),
            _ => Err(misuse(definition, "expected logs or an entry-sequenced file")),
        }
    }

    /// The defined spaces by name.
    #[must_use]
    pub fn definitions(&self) -> Vec<Definition> {
        self.core.spaces().values().map(|space| space.definition.clone()).collect()
    }

    /// Bytes of keys and values in the store, as `store_bytes_max` counts them.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.core.committer.counting.used_bytes()
    }

    /// The work of the store since it was opened.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.core.committer.counting.read()
    }

    /// Units that are open, prepared or in doubt.
    #[must_use]
    pub fn units_open(&self) -> usize {
        self.core.units_open.load(Ordering::Relaxed)
    }

    /// The number of records and items that units have locked, by the names of the spaces. Spaces without
    /// locks are left out. Goes through all locks, so it is for people who look.
    #[must_use]
    pub fn locked_records(&self) -> BTreeMap<String, usize> {
        let mut by_id: BTreeMap<SpaceId, usize> = BTreeMap::new();
        self.core.locks.each_held(|resource| {
            if let Some(id) = keys::space_of(resource).filter(|_| keys::is_data(resource)) {
                *by_id.entry(id).or_default() += 1;
            }
        });
        let spaces = self.core.spaces();
        let counted = spaces.iter().filter_map(|(name, space)| Some((name.clone(), *by_id.get(&space.id)?)));
        counted.collect()
    }

    /// Applies one batch of waiting units on this thread; false if no unit waits. For [`Drive::Caller`].
    pub fn drive(&self) -> bool {
        self.core.committer.drive()
    }

    /// Puts all changes so far on disk, also those of spaces that are not recoverable.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn flush(&self) -> Result<()> {
        self.core.committer.flush()
    }

    /// Makes the file smaller if most of it is not needed, and keeps room for units that add nothing. The store does this
    /// itself when it is idle; for [`Drive::Caller`].
    pub fn tidy(&self) {
        self.core.committer.tidy();
    }

    fn space(&self, definition: &Definition) -> Result<Arc<Space>> {
        let limit = self.core.options.key_bytes_max;
        if definition.name.is_empty() || definition.name.len() > limit {
            return Err(misuse(definition, &format!("expected a name of 1 to {limit} bytes")));
        }
        // The lock is held over the commit, so that two callers do not define the same space.
        let mut spaces = self.core.spaces();
        if let Some(space) = spaces.get(&definition.name) {
            if space.definition == *definition {
                return Ok(Arc::clone(space));
            }
            let message = format!("it is there as {:?}, not as {definition:?}", space.definition);
            return Err(misuse(definition, &message));
        }
        let order = match definition.organization {
            Organization::KeySequenced(collation) => Order::of(collation)?,
            _ => None,
        };
        let last: SpaceId = spaces.values().map(|space| space.id).max().unwrap_or(0);
        let space = Arc::new(Space { id: last + 1, definition: definition.clone(), order });
        let put = Change::Put { key: keys::definition(&definition.name), value: space.encode() };
        self.core.commit_system(vec![put], Force::Disk)?;
        spaces.insert(definition.name.clone(), Arc::clone(&space));
        Ok(space)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.core.committer.close();
        match self.thread.take() {
            // A panic of the thread does not matter any more: changes that it did not apply were not
            // acknowledged.
            Some(thread) => drop(thread.join()),
            None => {
                while self.core.committer.drive() {}
                let _ = self.core.committer.flush();
            }
        }
        // Units in doubt hold the store. They come back from its file.
        let in_doubt = self.core.twophase().close();
        drop(in_doubt);
        self.core.engine.close();
    }
}

impl Core {
    pub(crate) fn open_unit(self: &Arc<Self>) -> Result<Held> {
        let limit = self.options.units_open_max;
        let count = |open: usize| (open < limit).then_some(open + 1);
        if self.units_open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).is_err() {
            let message = format!("store: {limit} units are open, which is units_open_max");
            return Err(Error::new(ErrorKind::Limit, message));
        }
        Ok(self.new_held())
    }

    /// A unit that was prepared before the store was opened. The limit does not refuse it.
    pub(crate) fn reopen_unit(self: &Arc<Self>) -> Held {
        self.units_open.fetch_add(1, Ordering::Relaxed);
        self.new_held()
    }

    fn new_held(self: &Arc<Self>) -> Held {
        let unit = self.next_unit.fetch_add(1, Ordering::Relaxed);
        Held { core: Arc::clone(self), unit, tails: BTreeSet::new() }
    }

    pub(crate) fn spaces(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Space>>> {
        self.spaces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tails(&self) -> MutexGuard<'_, Tails> {
        self.tails.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn twophase(&self) -> MutexGuard<'_, TwoPhase> {
        self.twophase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies changes that belong to no unit, and waits for the result.
    pub(crate) fn commit_now(&self, writes: Writes, force: Force) -> Result<()> {
        let outcome = Outcome::default();
        let told = outcome.clone();
        self.committer.submit(Submission {
            writes: Arc::new(writes),
            system: Vec::new(),
            force,
            room: Room::Limited,
            finish: Finish::new(move |result| told.tell(result)),
        });
        self.committer.wait(&outcome)
    }

    pub(crate) fn commit_system(&self, system: Vec<Change>, force: Force) -> Result<()> {
        let outcome = Outcome::default();
        let told = outcome.clone();
        self.committer.submit(Submission {
            writes: Arc::default(),
            system,
            force,
            room: Room::Uncounted,
            finish: Finish::new(move |result| told.tell(result)),
        });
        self.committer.wait(&outcome)
    }
}

/// The resources of a unit besides its writes. Dropping them gives all up, and waiting units go on.
pub(crate) struct Held {
    pub(crate) core: Arc<Core>,
    pub(crate) unit: UnitId,
    /// Logs in which the unit has positions.
    pub(crate) tails: BTreeSet<Vec<u8>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut tails = self.core.tails();
        self.tails.iter().for_each(|log| tails.release(log));
        drop(tails);
        self.core.locks.release_all(self.unit);
        self.core.units_open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn start(core: &Arc<Core>) -> Result<JoinHandle<()>> {
    let core = Arc::clone(core);
    let thread = std::thread::Builder::new().name("store".to_string()).spawn(move || core.committer.run());
    thread.map_err(|error| Error::new(ErrorKind::Io, format!("store: no thread: {error}")).caused(error))
}

fn misuse(definition: &Definition, message: &str) -> Error {
    Error::new(ErrorKind::Misuse, format!("{}: {message}", definition.name))
}

/// Opens the engine that the options choose. The file first gets the changes that another engine has left in
/// a log.
fn open_engine(medium: Medium, options: &Options) -> Result<Arc<dyn Engine>> {
    if options.engine == EngineKind::Log {
        let base = RedbEngine::open(medium.clone(), &options_beneath(options))?;
        check_stray_log(&base, &medium)?;
        check_format(&base)?;
        return Ok(Arc::new(LogEngine::open(base, &medium, options, format(FORMAT_VERSION))?));
    }
    let base = RedbEngine::open(medium.clone(), options)?;
    check_stray_log(&base, &medium)?;
    check_format(&base)?;
    LogEngine::retire(&base, &medium)?;
    Ok(Arc::new(base))
}

/// The record of a version.
pub(crate) fn format(version: u32) -> Change {
    let mut writer = Writer::default();
    writer.raw(MAGIC);
    writer.u32(version);
    Change::Put { key: keys::format(), value: writer.finish() }
}

/// A file may be opened only beside its own log. Going on beside another log would overwrite that log's
/// changes.
fn check_stray_log(base: &RedbEngine, medium: &Medium) -> Result<()> {
    let is_copy = base.get(&keys::copied())?.is_some();
    let is_new = base.get(&keys::format())?.is_none();
    if LogEngine::is_stray(base, medium, is_new || is_copy)? {
        let message = "store: the log beside it (.log1, .log2) has changes of another file. If that file was moved away, put it back. \
                       If this file takes its place, move the log away";
        return Err(Error::new(ErrorKind::Format, message));
    }
    if is_copy {
        base.commit(vec![Change::Delete { key: keys::copied() }], Force::Disk)?;
    }
    Ok(())
}

/// A new store gets its version. An old store must have a known one.
fn check_format(engine: &dyn Engine) -> Result<()> {
    let Some(found) = engine.get(&keys::format())? else {
        let whole = Span {
            from: std::ops::Bound::Unbounded,
            to: std::ops::Bound::Unbounded,
            direction: Direction::Forward,
        };
        if engine.first(whole)?.is_some() {
            return Err(Error::new(ErrorKind::Corrupt, "store: the record of its version is missing"));
        }
        return engine.commit(vec![format(FORMAT_WITHOUT_LOG)], Force::Disk);
    };
    let mut reader = Reader::new("version of the store", &found);
    if reader.raw(MAGIC.len())? != MAGIC {
        return Err(reader.fault("the name of the format before it"));
    }
    let version = reader.u32()?;
    if !(FORMAT_WITHOUT_LOG..=FORMAT_VERSION).contains(&version) {
        let message = format!("store: its format is {version}, this version reads 1 to {FORMAT_VERSION}");
        return Err(Error::new(ErrorKind::Format, message));
    }
    reader.end()
}

fn read_spaces(engine: &dyn Engine) -> Result<BTreeMap<String, Arc<Space>>> {
    let mut spaces = BTreeMap::new();
    read_all(engine, Kind::Definition, |name, value| {
        let space = Space::decode(name, value)?;
        spaces.insert(space.definition.name.clone(), Arc::new(space));
        Ok(())
    })?;
    Ok(spaces)
}

/// Reads the store's own records of one kind: the key behind the kind, and the value.
pub(crate) fn read_all(
    engine: &dyn Engine,
    kind: Kind,
    mut each: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    use std::ops::Bound::{Excluded, Included};
    let (mut from, to) = keys::all(kind);
    let mut first = true;
    loop {
        let after = if first { Included(from.as_slice()) } else { Excluded(from.as_slice()) };
        let span = Span { from: after, to: Excluded(&to), direction: Direction::Forward };
        let Some((key, value)) = engine.first(span)? else { return Ok(()) };
        each(keys::rest(&key), &value)?;
        (from, first) = (key, false);
    }
}
