//! Any bytes as the file of a store, and a store's own file with bytes changed: opened, or refused with a clear error;
//! what is opened can be read and written to.
#![no_main]

use std::io;
use std::ops::Bound;
use std::sync::{Arc, Mutex, OnceLock};

use libfuzzer_sys::fuzz_target;
use store::{
    Collation, Definition, Direction, Disk, Drive, GlobalId, Opening, Options, Organization, Positions,
    Recovery, Store,
};

/// A disk in memory that never fails.
#[derive(Debug)]
struct Memory(Mutex<Vec<u8>>);

impl Disk for Memory {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.0.lock().unwrap();
        let from = usize::try_from(offset).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let to = from.checked_add(out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes.get(from..to).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        const LEN_MAX: u64 = 64 << 20;
        if len > LEN_MAX {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.lock().unwrap().resize(len as usize, 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut bytes = self.0.lock().unwrap();
        let to = usize::try_from(offset).ok().and_then(|from| from.checked_add(data.len()));
        let to = to.filter(|to| *to <= bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes[to - data.len()..to].copy_from_slice(data);
        Ok(())
    }
}

fn definition(name: &str, organization: Organization) -> Definition {
    Definition { name: name.to_string(), organization, recovery: Recovery::Recoverable }
}

fn options() -> Options {
    Options { drive: Drive::Caller, opening: Opening::Verify, cache_bytes_max: 1 << 20, ..Options::default() }
}

/// Goes through all that there is, and adds a record.
fn visit(store: &Store) -> store::Result<()> {
    let file = store.keyed(&definition("FILE", Organization::KeySequenced(Collation::default())))?;
    let logs = store.logs(&definition("LOGS", Organization::Logs(Positions::Unique)))?;
    let mut unit = store.unit()?;
    let mut last: Option<Vec<u8>> = None;
    loop {
        let from = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let Some(record) = unit.browse(&file, from, Direction::Forward)? else { break };
        last = Some(record.key);
    }
    while let Some(_taken) = unit.take_first(&logs, b"QUEUE")? {}
    let _ = unit.insert(&file, b"FUZZ", vec![0; 5_000]);
    let _ = (store.in_doubt(), store.decisions(), store.forced());
    unit.syncpoint()
}

/// The file of a store with some of everything.
fn whole() -> &'static [u8] {
    static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let disk = Arc::new(Memory(Mutex::default()));
        let store = Store::open_on(disk.clone(), options()).expect("an empty disk");
        visit(&store).expect("a new store");
        let logs = store.logs(&definition("LOGS", Organization::Logs(Positions::Unique))).expect("logs");
        let id = |name: &[u8]| GlobalId::new(name).expect("an id");
        let mut unit = store.unit().expect("a unit");
        unit.append(&logs, b"QUEUE", b"message".to_vec()).expect("an item");
        drop(unit.prepare(&id(b"IN-DOUBT"), "REGA").expect("a vote"));
        let mut unit = store.unit().expect("a unit");
        unit.coordinate(&id(b"DECIDED")).expect("a new id");
        unit.append(&logs, b"QUEUE", b"message".to_vec()).expect("an item");
        unit.decide_commit(&["REGB"]).expect("a decision");
        drop(store);
        disk.0.lock().unwrap().clone()
    })
}

/// The whole file with bytes changed: three of the input's bytes are a place, the fourth what is put there.
fn changed(changes: &[u8]) -> Vec<u8> {
    let mut bytes = whole().to_vec();
    for change in changes.chunks_exact(4) {
        let place = u32::from_be_bytes([0, change[0], change[1], change[2]]) as usize % bytes.len();
        bytes[place] = change[3];
    }
    bytes
}

fuzz_target!(|input: &[u8]| {
    let Some((how, rest)) = input.split_first() else { return };
    let bytes = if how % 2 == 0 { rest.to_vec() } else { changed(rest) };
    if let Ok(store) = Store::open_on(Arc::new(Memory(Mutex::new(bytes))), options()) {
        let _ = visit(&store);
    }
});
