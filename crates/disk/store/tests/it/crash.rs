//! Simulated crashes, each a seed: power lost at any write, writes lost or torn, syncs that fail, disks that are full.
//!
//! `STORE_CRASH_SEEDS=from..to` runs others than the usual ones.

use std::sync::Arc;

use store::{Disk, Drive, EngineKind, ErrorKind, Opening, Options, Store};

use crate::disk::{Fault, FaultyDisk, Random};
use crate::setup::{accounts, kind};
use crate::world::{Model, World};

const SEEDS: std::ops::Range<u64> = 0..300;
const STEPS: usize = 60;
const GENERATIONS: usize = 3;

fn seeds() -> std::ops::Range<u64> {
    let Ok(given) = std::env::var("STORE_CRASH_SEEDS") else { return SEEDS };
    let (from, to) = given.split_once("..").expect("STORE_CRASH_SEEDS=from..to");
    from.parse().unwrap()..to.parse().unwrap()
}

fn options(random: &mut Random) -> Options {
    let after_crash = [store::AfterCrash::Check, store::AfterCrash::Resume][random.below(2)];
    let cache_bytes_max = [1 << 20, 16 << 20][random.below(2)];
    let engine = [EngineKind::File, EngineKind::Log][random.below(2)];
    // Small, so that the parts of a log take turns often; sometimes never.
    let log_bytes_max = [1 << 10, 1 << 13, 1 << 16, 1 << 20][random.below(4)];
    let drive = Drive::Caller;
    Options { drive, after_crash, cache_bytes_max, engine, log_bytes_max, ..Options::default() }
}

fn open(disk: &Arc<FaultyDisk>, options: Options) -> store::Result<Store> {
    Store::open_on_disks(Arc::clone(disk) as Arc<dyn Disk>, disk.log(), options)
}

/// One life of a store, which ends in a crash; what the disk holds then, and what the store may be.
fn life(store: Store, disk: &FaultyDisk, base: Model, random: &mut Random) -> Vec<Model> {
    let mut world = World::new(store, base);
    match random.below(3) {
        0 => disk.set(Fault::SyncAt(1 + random.below(20) as u64)),
        1 => disk.set(Fault::PowerAt(1 + random.below(250) as u64)),
        // The log writes little.
        _ => disk.set(Fault::PowerAt(1 + random.below(60) as u64)),
    }
    for _ in 0..STEPS {
        world.step(&mut |end| random.below(end));
    }
    world.crash()
}

fn run(seed: u64) {
    let mut random = Random(seed);
    let options = options(&mut random);
    let mut disk = FaultyDisk::new(Vec::new());
    let mut base = Model::default();
    // The first opening is not under test here: it makes the file.
    let mut store = open(&disk, options.clone()).unwrap();
    for generation in 0..GENERATIONS {
        let models = life(store, &disk, base, &mut random);
        disk = disk.survivor(&mut random);
        // Opening may be cut short too, any number of times.
        for _ in 0..random.below(3) {
            disk.set(Fault::PowerAt(1 + random.below(24) as u64));
            // Another engine may be chosen at any time.
            let engine = [EngineKind::File, EngineKind::Log][random.below(2)];
            let options = Options { engine, ..options.clone() };
            let opened = open(&disk, options.clone());
            std::mem::forget(opened.ok());
            disk = disk.survivor(&mut random);
        }
        let opened = open(&disk, options.clone());
        store = opened.unwrap_or_else(|error| panic!("seed {seed}, generation {generation}: {error}"));
        let found = Model::of(&store);
        let Some(model) = models.iter().find(|model| model.is(&found)) else {
            panic!(
                "seed {seed}, generation {generation}: lost, or half done\n{found:?}\nexpected one of {models:#?}"
            );
        };
        base = model.clone();
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_half_done() {
    for seed in seeds() {
        run(seed);
    }
}

#[test]
fn a_disk_on_which_a_store_was_not_made_whole_holds_no_store() {
    let mut refused = 0;
    for seed in 0..200 {
        let mut random = Random(seed);
        let options = options(&mut random);
        let disk = FaultyDisk::new(Vec::new());
        disk.set(Fault::PowerAt(1 + seed % 40));
        let opened = open(&disk, options.clone());
        let made = opened.is_ok();
        std::mem::forget(opened.ok());
        let disk = disk.survivor(&mut random);
        match open(&disk, options) {
            Ok(store) => drop(accounts(&store)),
            Err(error) => {
                assert!(!made && error.kind() == ErrorKind::Format, "seed {seed}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_sync_that_fails_stops_the_store_and_opening_it_again_tells() {
    let disk = FaultyDisk::new(Vec::new());
    let options = Options { drive: Drive::Caller, ..Options::default() };
    let store = open(&disk, options.clone()).unwrap();
    let file = accounts(&store);
    disk.set(Fault::SyncAt(1));
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"1", b"a".to_vec()).unwrap();
    assert_eq!(kind(unit.syncpoint()), ErrorKind::Unknown);
    let mut unit = store.unit().unwrap();
    assert_eq!(kind(unit.insert(&file, b"2", b"a".to_vec())), ErrorKind::Stopped);
    assert_eq!(kind(store.unit().unwrap().read(&file, b"1")), ErrorKind::Stopped);
    drop((unit, store));
    let store = open(&disk.after_process_end(), options).unwrap();
    assert!(store.unit().unwrap().read(&accounts(&store), b"1").is_ok());
}

#[test]
fn a_full_disk_fails_the_unit_and_the_store_goes_on() {
    for seed in 0..12 {
        let mut random = Random(seed);
        let disk = FaultyDisk::new(Vec::new());
        let store = open(&disk, options(&mut random)).unwrap();
        let file = accounts(&store);
        let mut unit = store.unit().unwrap();
        unit.insert(&file, b"kept", vec![1; 1_000]).unwrap();
        unit.syncpoint().unwrap();
        let all: usize = disk.all().iter().map(Vec::len).sum();
        disk.set(Fault::Full(all as u64));
        let mut refused = 0;
        for number in 0..30u8 {
            let mut unit = store.unit().unwrap();
            let length = random.below(300_000);
            unit.insert(&file, &[number], vec![number; length]).unwrap();
            match unit.syncpoint() {
                Ok(()) => {}
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::NoSpace, "seed {seed}: {error}");
                    refused += 1;
                    assert_eq!(store.unit().unwrap().read(&file, &[number]).unwrap(), None);
                }
            }
        }
        assert!(refused > 0, "seed {seed}: 4 MB on a full disk");
        assert_eq!(store.unit().unwrap().read(&file, b"kept").unwrap().unwrap(), vec![1; 1_000]);
        disk.set(Fault::Nothing);
        let mut unit = store.unit().unwrap();
        unit.insert(&file, b"later", vec![2; 500_000]).unwrap();
        unit.syncpoint().unwrap();
    }
}

#[test]
fn flipped_bits_are_found_or_harmless() {
    let disk = FaultyDisk::new(Vec::new());
    let store = open(&disk, Options { drive: Drive::Caller, ..Options::default() }).unwrap();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    for number in 0..200u8 {
        unit.insert(&file, &[number], vec![number; 100]).unwrap();
    }
    unit.syncpoint().unwrap();
    drop(store);
    let whole = disk.bytes();
    let mut random = Random(4711);
    let mut found = 0;
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.below(40) {
            let place = random.below(bytes.len());
            bytes[place] ^= 1 << random.below(8);
        }
        let opening = Opening::Verify;
        match open(&FaultyDisk::new(bytes), Options { drive: Drive::Caller, opening, ..Options::default() }) {
            Ok(store) => {
                let unit = store.unit().unwrap();
                let file = accounts(&store);
                for number in 0..200u8 {
                    assert_eq!(unit.read(&file, &[number]).unwrap().unwrap(), vec![number; 100]);
                }
            }
            Err(error) => {
                use ErrorKind::{Corrupt, Format, Io};
                assert!(matches!(error.kind(), Corrupt | Format | Io), "{:?}: {error}", error.kind());
                found += 1;
            }
        }
    }
    assert!(found > 100, "{found}");
}

#[test]
fn units_that_wait_together_share_one_sync() {
    let disk = FaultyDisk::new(Vec::new());
    let store = open(&disk, Options { drive: Drive::Caller, ..Options::default() }).unwrap();
    let file = accounts(&store);
    disk.set(Fault::Nothing);
    let acknowledged = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    for number in 0..64u8 {
        let mut unit = store.unit().unwrap();
        unit.insert(&file, &[number], vec![number]).unwrap();
        let acknowledged = Arc::clone(&acknowledged);
        unit.syncpoint_then(move |result| {
            result.unwrap();
            acknowledged.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
    }
    assert_eq!((disk.syncs(), acknowledged.load(std::sync::atomic::Ordering::Relaxed)), (0, 0));
    assert!(store.drive());
    assert_eq!((disk.syncs(), acknowledged.load(std::sync::atomic::Ordering::Relaxed)), (1, 64));
    assert!(!store.drive());
}

/// A disk whose driver has a fault of its own.
#[derive(Debug)]
struct Broken(Arc<FaultyDisk>, std::sync::atomic::AtomicBool);

impl Disk for Broken {
    fn len(&self) -> std::io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> std::io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&self) -> std::io::Result<()> {
        assert!(
            !self.1.load(std::sync::atomic::Ordering::Relaxed),
            "a fault of the driver, which this test wants"
        );
        self.0.sync()
    }

    fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.0.write(offset, data)
    }
}

#[test]
fn nobody_waits_for_a_committer_that_has_panicked() {
    let disk = Arc::new(Broken(FaultyDisk::new(Vec::new()), false.into()));
    let store = Store::open_on(disk.clone(), Options::default()).unwrap();
    let file = accounts(&store);
    disk.1.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"1", vec![1]).unwrap();
    assert_eq!(kind(unit.syncpoint()), ErrorKind::Unknown);
    for _ in 0..2 {
        let mut unit = store.unit().unwrap();
        assert_eq!(kind(unit.insert(&file, b"1", vec![1])), ErrorKind::Stopped);
    }
    assert_eq!(store.units_open(), 0);
    disk.1.store(false, std::sync::atomic::Ordering::Relaxed);
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_store_or_refused(magic: bool, rest in proptest::collection::vec(proptest::num::u8::ANY, 0..9_000)) {
        let mut bytes = rest;
        if magic {
            bytes.splice(..0, *b"redb\x1a\x0a\xa9\x0d\x0a");
        }
        let empty = bytes.is_empty();
        let options = Options { drive: Drive::Caller, opening: Opening::Verify, ..Options::default() };
        match open(&FaultyDisk::new(bytes), options) {
            Ok(_) => proptest::prop_assert!(empty),
            Err(error) => {
                use ErrorKind::{Corrupt, Format, Io};
                proptest::prop_assert!(matches!(error.kind(), Corrupt | Format | Io), "{:?}: {}", error.kind(), error);
            }
        }
    }
}
