//! Stores, spaces and small steps that many tests need.

use store::{
    Collation, Definition, Drive, EngineKind, ErrorKind, Keyed, Locking, Logs, Options, Organization,
    Positions, Recovery, Result, Store, Ticket, Unit,
};

/// The engine that most tests use: `STORE_ENGINE=log` runs them with the log.
pub(crate) fn engine() -> EngineKind {
    match std::env::var("STORE_ENGINE").as_deref() {
        Ok("log") => EngineKind::Log,
        _ => EngineKind::default(),
    }
}

/// A store in a folder that vanishes.
pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) options: Options,
}

impl Place {
    pub(crate) fn new() -> Self {
        let options = Options { drive: Drive::Caller, engine: engine(), ..Options::default() };
        Self { folder: tempfile::tempdir().unwrap(), options }
    }

    pub(crate) fn with(options: Options) -> Self {
        Self { options, ..Self::new() }
    }

    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("region.store")
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(self.path(), self.options.clone()).unwrap()
    }
}

pub(crate) fn definition(name: &str, organization: Organization, recovery: Recovery) -> Definition {
    Definition { name: name.to_string(), organization, recovery }
}

/// A recoverable key-sequenced file in EBCDIC order.
pub(crate) fn accounts(store: &Store) -> Keyed {
    let organization = Organization::KeySequenced(Collation::default());
    store.keyed(&definition("ACCOUNTS", organization, Recovery::Recoverable)).unwrap()
}

/// Recoverable TS queues.
pub(crate) fn queues(store: &Store) -> Logs {
    store.logs(&definition("TS", Organization::Logs(Positions::Dense), Recovery::Recoverable)).unwrap()
}

/// Recoverable queues of messages.
pub(crate) fn messages(store: &Store) -> Logs {
    store.logs(&definition("MQ", Organization::Logs(Positions::Unique), Recovery::Recoverable)).unwrap()
}

/// The kind of a failure that must be one.
#[track_caller]
pub(crate) fn kind<T>(result: Result<T>) -> ErrorKind {
    match result {
        Ok(_) => panic!("expected a failure"),
        Err(error) => error.kind(),
    }
}

/// The ticket of a request that must wait.
#[track_caller]
pub(crate) fn waiting(locking: Result<Locking>) -> Ticket {
    match locking.unwrap() {
        Locking::Waiting(ticket) => ticket,
        Locking::Granted => panic!("expected to wait"),
    }
}

/// Checks that a request is granted.
#[track_caller]
pub(crate) fn granted(locking: Result<Locking>) {
    assert!(matches!(locking, Ok(Locking::Granted)), "{locking:?}");
}

/// All items of a log, as a unit sees them.
pub(crate) fn items(unit: &Unit, logs: &Logs, name: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut items = Vec::new();
    let mut from = std::ops::Bound::Unbounded;
    while let Some(item) = unit.browse_items(logs, name, from, store::Direction::Forward).unwrap() {
        from = std::ops::Bound::Excluded(item.position);
        items.push((item.position, item.value));
    }
    items
}

/// All records of a file, as a unit sees them, in a direction.
pub(crate) fn records(unit: &Unit, file: &Keyed, direction: store::Direction) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut records: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    loop {
        let last = records.last().map(|(key, _)| key.as_slice());
        let from = last.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        let Some(record) = unit.browse(file, from, direction).unwrap() else { return records };
        records.push((record.key, record.value));
    }
}
