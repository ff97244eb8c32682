//! The log in front of the store's file: the faults that it survives, the faults that it refuses, and its
//! start and end.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use store::{Disk, Drive, EngineKind, ErrorKind, FORMAT_VERSION, GlobalId, Options, Store, Vote};

use crate::disk::{Fault, FaultyDisk, Random};
use crate::opening::tamper;
use crate::setup::{Place, accounts, items, kind, messages};

const LOG: EngineKind = EngineKind::Log;

fn options() -> Options {
    Options { drive: Drive::Caller, engine: LOG, ..Options::default() }
}

fn open(disk: &Arc<FaultyDisk>, options: Options) -> store::Result<Store> {
    Store::open_on_disks(Arc::clone(disk) as Arc<dyn Disk>, disk.log(), options)
}

fn put(store: &Store, value: Vec<u8>) -> u64 {
    let mut unit = store.unit().unwrap();
    let position = unit.append(&messages(store), b"Q", value).unwrap();
    unit.syncpoint().unwrap();
    position
}

fn count(store: &Store) -> usize {
    items(&store.unit().unwrap(), &messages(store), b"Q").len()
}

#[test]
fn a_commit_is_one_sync_and_the_file_stays_as_it_is() {
    let disk = FaultyDisk::new(Vec::new());
    let store = open(&disk, options()).unwrap();
    messages(&store);
    let before = disk.bytes();
    disk.set(Fault::Nothing);
    for number in 0..20 {
        let position = put(&store, vec![number; 100]);
        let mut unit = store.unit().unwrap();
        unit.remove(&messages(&store), b"Q", position).unwrap();
        unit.syncpoint().unwrap();
    }
    assert_eq!(disk.syncs(), 40);
    assert!(disk.bytes() == before, "what is put and deleted soon after never reaches the file");
    drop(store);
    assert_eq!(count(&open(&disk, options()).unwrap()), 0);
}

#[test]
fn a_damaged_record_in_the_middle_is_refused_with_its_place_and_a_torn_end_is_cut() {
    let disk = FaultyDisk::new(Vec::new());
    let store = open(&disk, options()).unwrap();
    put(&store, vec![b'a'; 100]);
    put(&store, vec![b'b'; 100]);
    put(&store, vec![b'c'; 100]);
    std::mem::forget(store);
    let log = &disk.all()[1];
    let place = |byte: u8| log.windows(100).position(|window| window == [byte; 100]).unwrap();
    for (byte, left) in [(b'a', None), (b'b', None), (b'c', Some(2))] {
        let damaged = disk.with(1, |log| log[place(byte) + 50] ^= 4);
        match (open(&damaged, options()), left) {
            (Ok(store), Some(left)) => assert_eq!(count(&store), left),
            (Err(error), None) => {
                assert_eq!(error.kind(), ErrorKind::Corrupt);
                assert!(error.to_string().contains("the log is damaged: record"), "{error}");
                assert!(error.to_string().contains("part 1 at offset"), "{error}");
            }
            (opened, _) => panic!("{}: {:?}", char::from(byte), opened.map(|_| ())),
        }
        // The other engine needs the content of the log too.
        let other = Options { engine: EngineKind::File, ..options() };
        let damaged = disk.with(1, |log| log[place(byte) + 50] ^= 4);
        assert_eq!(open(&damaged, other).is_ok(), left.is_some());
    }
    for file in [1, 2] {
        let missing = disk.with(file, Vec::clear);
        let error = open(&missing, options()).err().unwrap();
        assert!(error.to_string().contains("the log is missing, or shorter than it was"), "{error}");
    }
    assert_eq!(count(&open(&disk.after_process_end(), options()).unwrap()), 3);
}

#[test]
fn bytes_of_a_message_are_no_record() {
    let disk = FaultyDisk::new(Vec::new());
    let store = open(&disk, options()).unwrap();
    put(&store, vec![1; 50]);
    std::mem::forget(store);
    // A message holds a whole copy of a record of an earlier life.
    let copy = disk.all()[1][..4_096].to_vec();
    let store = open(&disk.after_process_end(), options()).unwrap();
    assert_eq!(count(&store), 1);
    drop(store);
    let disk = disk.after_process_end();
    let store = open(&disk, options()).unwrap();
    put(&store, copy.clone());
    put(&store, copy);
    std::mem::forget(store);
    assert_eq!(count(&open(&disk.after_process_end(), options()).unwrap()), 3);
}

#[test]
fn a_store_gets_a_log_and_gives_it_up() {
    let mut place = Place::with(Options { drive: Drive::Caller, ..Options::default() });
    place.options.engine = EngineKind::File;
    let store = place.open();
    put(&store, b"file".to_vec());
    drop(store);
    let log = |number: u8| place.folder.path().join(format!("region.store.log{number}"));
    assert!(!log(1).exists());
    for engine in [LOG, EngineKind::File, LOG, LOG, EngineKind::File] {
        let options = Options { engine, ..place.options.clone() };
        let store = Store::open(place.path(), options).unwrap();
        let before = count(&store);
        put(&store, b"more".to_vec());
        assert_eq!(count(&store), before + 1);
    }
    use std::os::unix::fs::PermissionsExt;
    for number in [1, 2] {
        let mode = std::fs::metadata(log(number)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::remove_file(log(number)).unwrap();
    }
    // A store that was closed has nothing in its log.
    assert_eq!(count(&place.open()), 6);
    assert_eq!(FORMAT_VERSION, 2);
}

#[test]
fn a_newer_version_is_refused_before_the_log_is_touched() {
    let mut place = Place::new();
    place.options.engine = EngineKind::File;
    drop(place.open());
    tamper(&place, |key, value| {
        if key == [0] {
            let content = value.len() - 4;
            value[content - 1] = 9;
            let mut hasher = crc32fast::Hasher::new();
            hasher.update(key);
            hasher.update(&value[..content]);
            value.splice(content.., hasher.finalize().to_be_bytes());
        }
    });
    place.options.engine = LOG;
    let error = Store::open(place.path(), place.options.clone()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.to_string().contains("its format is 9"), "{error}");
    assert!(!place.folder.path().join("region.store.log1").exists());
}

#[test]
fn a_unit_larger_than_the_log_goes_through() {
    let disk = FaultyDisk::new(Vec::new());
    let options = Options { log_bytes_max: 1 << 16, ..options() };
    let store = open(&disk, options.clone()).unwrap();
    for _ in 0..4 {
        put(&store, vec![1; 1_000_000]);
        put(&store, vec![2; 10]);
    }
    std::mem::forget(store);
    assert_eq!(count(&open(&disk.after_process_end(), options.clone()).unwrap()), 8);
    let store = open(&disk.after_process_end(), options.clone()).unwrap();
    for _ in 0..40 {
        put(&store, vec![3; 10_000]);
    }
    assert_eq!(count(&store), 48);
}

#[test]
fn readers_see_file_and_log_as_one() {
    let disk = FaultyDisk::new(Vec::new());
    let options = Options { log_bytes_max: 1 << 20, ..options() };
    let store = open(&disk, options.clone()).unwrap();
    let old: Vec<u64> = (0..30).map(|number| put(&store, vec![number; 20])).collect();
    drop(store);
    let store = open(&disk, options).unwrap();
    let logs = messages(&store);
    let mut unit = store.unit().unwrap();
    for position in old.iter().step_by(3) {
        unit.remove(&logs, b"Q", *position).unwrap();
    }
    unit.replace(&logs, b"Q", old[1], b"changed".to_vec()).unwrap();
    unit.insert(&accounts(&store), b"1", b"record".to_vec()).unwrap();
    unit.syncpoint().unwrap();
    put(&store, b"new".to_vec());
    let mut walked = Vec::new();
    let walk = store.walk(&logs, |item| {
        walked.push((item.position, item.value.unwrap().to_vec()));
        ControlFlow::Continue(())
    });
    walk.unwrap();
    assert_eq!(walked, items(&store.unit().unwrap(), &logs, b"Q"));
    assert_eq!(walked.len(), 21);
    assert_eq!(walked[0], (old[1], b"changed".to_vec()));
    assert_eq!(walked[20].1, b"new");
    let first = store.unit().unwrap().take_first(&logs, b"Q").unwrap().unwrap();
    assert_eq!(first.position, old[1]);
}

#[test]
fn a_process_that_ends_at_any_time_leaves_all_that_was_acknowledged() {
    let disk = FaultyDisk::new(Vec::new());
    // The parts take turns all the time, and the thread that follows is busy.
    let options = Options { engine: LOG, log_bytes_max: 20_000, ..Options::default() };
    let store = open(&disk, options.clone()).unwrap();
    messages(&store);
    let (ended, acknowledged) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Ten stay, the oldest goes.
            for number in 0..600u64 {
                let mut unit = store.unit().unwrap();
                unit.append(&messages(&store), b"Q", number.to_be_bytes().repeat(40)).unwrap();
                if number >= 10 {
                    assert!(unit.take_first(&messages(&store), b"Q").unwrap().is_some());
                }
                unit.syncpoint().unwrap();
                acknowledged.store(number + 1, Ordering::SeqCst);
            }
            ended.store(true, Ordering::SeqCst);
        });
        while !ended.load(Ordering::SeqCst) {
            let least = acknowledged.load(Ordering::SeqCst);
            let then = disk.after_process_end();
            let most = acknowledged.load(Ordering::SeqCst) + 1;
            let found = open(&then, Options { drive: Drive::Caller, ..options.clone() }).unwrap();
            let found = items(&found.unit().unwrap(), &messages(&found), b"Q");
            let numbers: Vec<u64> =
                found.iter().map(|(_, value)| u64::from_be_bytes(value[..8].try_into().unwrap())).collect();
            let end = numbers.last().map_or(0, |last| last + 1);
            assert!((least..=most).contains(&end), "{least} to {most} were acknowledged, {end} are there");
            assert_eq!(numbers, (end.saturating_sub(10)..end).collect::<Vec<_>>());
        }
    });
    drop(store);
    assert_eq!(count(&open(&disk, options).unwrap()), 10);
}

#[test]
fn a_failed_sync_of_the_log_or_of_the_file_stops_the_store() {
    let mut unknown = 0;
    for sync in 1..30 {
        let disk = FaultyDisk::new(Vec::new());
        let options = Options { log_bytes_max: 4_000, ..options() };
        let store = open(&disk, options.clone()).unwrap();
        let logs = messages(&store);
        disk.set(Fault::SyncAt(sync));
        let (mut acknowledged, mut failed) = (0, None);
        for _ in 0..40 {
            let mut unit = store.unit().unwrap();
            if let Err(error) = unit.append(&logs, b"Q", vec![1; 100]) {
                assert_eq!(error.kind(), ErrorKind::Stopped);
                break;
            }
            match unit.syncpoint() {
                Ok(()) => acknowledged += 1,
                Err(error) => {
                    unknown += usize::from(error.kind() == ErrorKind::Unknown);
                    assert!(matches!(error.kind(), ErrorKind::Unknown | ErrorKind::Stopped), "{error}");
                    failed = Some(error);
                    break;
                }
            }
        }
        assert!(acknowledged < 40, "sync {sync}");
        assert_eq!(kind(store.unit().unwrap().item(&logs, b"Q", 1)), ErrorKind::Stopped);
        std::mem::forget(store);
        let there = count(&open(&disk.after_process_end(), options).unwrap());
        assert!((acknowledged..=acknowledged + usize::from(failed.is_some())).contains(&there));
    }
    assert!(unknown > 0);
}

/// Fills a store, and empties it again.
fn drained(disk: &Arc<FaultyDisk>, options: Options) -> Store {
    let store = open(disk, options).unwrap();
    let logs = messages(&store);
    for _ in 0..2 {
        put(&store, b"stays".to_vec());
        let mut unit = store.unit().unwrap();
        let filled: Vec<u64> = (0..60).map(|_| unit.append(&logs, b"Q", vec![7; 100_000]).unwrap()).collect();
        unit.syncpoint().unwrap();
        let mut unit = store.unit().unwrap();
        filled.iter().for_each(|position| unit.remove(&logs, b"Q", *position).unwrap());
        unit.syncpoint().unwrap();
    }
    store
}

#[test]
fn a_drained_store_gives_its_room_back_and_survives_a_loss_of_power_meanwhile() {
    for (engine, log_bytes_max) in [(EngineKind::File, 0), (LOG, 1 << 20)] {
        let options = Options { engine, log_bytes_max, ..options() };
        let disk = FaultyDisk::new(Vec::new());
        let store = drained(&disk, options.clone());
        let full = disk.bytes().len();
        assert!(full > 8 << 20, "{full}");
        store.tidy();
        assert!(disk.bytes().len() < full / 6, "{} of {full}", disk.bytes().len());
        assert_eq!(count(&store), 2);
        put(&store, b"more".to_vec());
        drop(store);
        assert_eq!(count(&open(&disk, options.clone()).unwrap()), 3);
        let mut random = Random(1);
        for step in [1, 2, 3, 5, 8, 13, 21, 34] {
            let disk = FaultyDisk::new(Vec::new());
            let store = drained(&disk, options.clone());
            disk.set(Fault::PowerAt(step));
            store.tidy();
            std::mem::forget(store);
            let store = open(&disk.survivor(&mut random), options.clone()).unwrap();
            assert_eq!(count(&store), 2, "step {step}");
        }
    }
}

#[test]
fn a_get_that_waits_for_the_disk_is_flushed_after_the_disk_was_full() {
    let options = Options { engine: LOG, log_bytes_max: 64 << 20, ..options() };
    let disk = FaultyDisk::new(Vec::new());
    let store = open(&disk, options.clone()).unwrap();
    let logs = messages(&store);
    let position = put(&store, vec![1; 100]);
    let mut unit = store.unit().unwrap();
    unit.take(&logs, b"Q", position).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    unit.syncpoint_lazily_then(move |outcome| tell.send(outcome).unwrap());
    store.drive();
    told.recv().unwrap().unwrap();
    let all: usize = disk.all().iter().map(Vec::len).sum();
    disk.set(Fault::Full(all as u64));
    let mut unit = store.unit().unwrap();
    unit.append(&logs, b"Q", vec![2; 10 << 20]).unwrap();
    assert_eq!(unit.syncpoint().unwrap_err().kind(), ErrorKind::NoSpace);
    disk.set(Fault::Nothing);
    store.flush().unwrap();
    let image = disk.after_process_end();
    assert_eq!(count(&open(&image, options).unwrap()), 0);
}

#[test]
fn a_full_disk_refuses_puts_and_takes_gets_until_it_has_room() {
    for (engine, log_bytes_max) in [(EngineKind::File, 0), (LOG, 64 << 20)] {
        let options = Options { engine, log_bytes_max, ..options() };
        let disk = FaultyDisk::new(Vec::new());
        let store = open(&disk, options.clone()).unwrap();
        let logs = messages(&store);
        let mut positions: Vec<u64> = (0..400).map(|_| put(&store, vec![1; 5_000])).collect();
        if log_bytes_max > 0 {
            // The log now grows by more than the reserve at a time.
            positions.extend((0..150).map(|_| put(&store, vec![1; 60_000])));
        }
        store.tidy();
        let all: usize = disk.all().iter().map(Vec::len).sum();
        // The reserve, and no byte more.
        disk.set(Fault::Full(all as u64 + (2 << 20)));
        let error = loop {
            let mut unit = store.unit().unwrap();
            let position = unit.append(&logs, b"Q", vec![2; 50_000]).unwrap();
            match unit.syncpoint() {
                Ok(()) => positions.push(position),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::NoSpace);
        assert!(error.to_string().contains("kept for units that add nothing"), "{error}");
        let id = GlobalId::new(b"U1").unwrap();
        let mut unit = store.unit().unwrap();
        unit.append(&logs, b"Q", vec![2; 100]).unwrap();
        assert_eq!(kind(unit.prepare(&id, "REGA")), ErrorKind::NoSpace, "a commit later would need room");
        let mut unit = store.unit().unwrap();
        unit.take(&logs, b"Q", positions.pop().unwrap()).unwrap();
        let Vote::Prepared(prepared) = unit.prepare(&id, "REGA").unwrap() else { panic!("it takes an item") };
        prepared.commit().unwrap();
        for position in positions.drain(..300) {
            let mut unit = store.unit().unwrap();
            unit.take(&logs, b"Q", position).unwrap();
            unit.syncpoint().unwrap();
        }
        assert_eq!(count(&store), positions.len());
        store.tidy();
        disk.set(Fault::Nothing);
        store.tidy();
        put(&store, vec![3; 100_000]);
        drop(store);
        assert_eq!(count(&open(&disk, options).unwrap()), positions.len() + 1);
    }
}

#[test]
fn a_backup_of_a_store_in_use_is_one_moment_of_it() {
    for engine in [EngineKind::File, LOG] {
        let place = Place::with(Options { engine, log_bytes_max: 40_000, ..Options::default() });
        let store = place.open();
        messages(&store);
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::SeqCst) {
                    // One comes, one goes, and a file counts both.
                    let mut unit = store.unit().unwrap();
                    let position = unit.append(&messages(&store), b"Q", vec![1; 500]).unwrap();
                    if position > 5 {
                        unit.remove(&messages(&store), b"Q", position - 5).unwrap();
                    }
                    let counted = position.to_be_bytes().to_vec();
                    match position {
                        1 => unit.insert(&accounts(&store), b"last", counted).unwrap(),
                        _ => unit.rewrite(&accounts(&store), b"last", counted).unwrap(),
                    }
                    unit.syncpoint().unwrap();
                }
            });
            for number in 0..5 {
                let path = place.folder.path().join(format!("copy{number}"));
                while store.used_bytes() == 0 {
                    std::thread::yield_now();
                }
                store.backup(&path).unwrap();
                assert_eq!(kind(store.backup(&path)), ErrorKind::Misuse);
                let copy =
                    Store::open(&path, Options { drive: Drive::Caller, ..Options::default() }).unwrap();
                let unit = copy.unit().unwrap();
                let last = unit.read(&accounts(&copy), b"last").unwrap().unwrap();
                let last = u64::from_be_bytes(last.try_into().unwrap());
                let found = items(&unit, &messages(&copy), b"Q");
                let positions: Vec<u64> = found.into_iter().map(|(position, _)| position).collect();
                assert_eq!(positions, (last.saturating_sub(4).max(1)..=last).collect::<Vec<_>>());
            }
            ended.store(true, Ordering::SeqCst);
        });
    }
}

/// The files of a store whose process has died, without some of them.
fn died(place: &Place, without: &[&str]) -> Place {
    let store = place.open();
    put(&store, vec![b'a'; 100]);
    // It keeps the lock, so the files are copied.
    std::mem::forget(store);
    let after = Place::with(options());
    for name in ["region.store", "region.store.log1", "region.store.log2"] {
        if !without.contains(&name) {
            std::fs::copy(place.folder.path().join(name), after.folder.path().join(name)).unwrap();
        }
    }
    after
}

#[track_caller]
fn refused_beside_a_log(place: &Place) {
    for engine in [LOG, EngineKind::File] {
        let options = Options { engine, ..options() };
        for _ in 0..2 {
            let error = Store::open(place.path(), options.clone()).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Format);
            assert!(error.to_string().contains("has changes of another file"), "{error}");
        }
    }
}

fn without_log(place: &Place) {
    for log in ["region.store.log1", "region.store.log2"] {
        let _ = std::fs::remove_file(place.folder.path().join(log));
    }
}

#[test]
fn a_log_without_its_store_is_not_overwritten() {
    for part in ["region.store.log1", "region.store.log2"] {
        let place = Place::with(options());
        let after = died(&place, &["region.store", part]);
        // The only record is in the first part.
        if part == "region.store.log2" {
            refused_beside_a_log(&after);
        }
    }
    let place = Place::with(options());
    let after = died(&place, &["region.store"]);
    refused_beside_a_log(&after);
    std::fs::copy(place.path(), after.path()).unwrap();
    assert_eq!(count(&after.open()), 1);
}

#[test]
fn a_copy_is_not_opened_beside_the_log_of_another_store() {
    let place = Place::with(options());
    let copy = place.folder.path().join("copy.store");
    {
        let store = place.open();
        put(&store, vec![b'a'; 100]);
        store.backup(&copy).unwrap();
    }
    let after = died(&place, &["region.store"]);
    std::fs::copy(&copy, after.path()).unwrap();
    refused_beside_a_log(&after);
    without_log(&after);
    assert_eq!(count(&after.open()), 1);
    // It is a store as any other from now on.
    put(&after.open(), vec![b'c'; 100]);
    assert_eq!(count(&after.open()), 2);
}

#[test]
fn a_store_that_was_closed_does_not_take_the_log_of_another() {
    let other = Place::with(options());
    put(&other.open(), vec![b'o'; 100]);
    let place = Place::with(options());
    let after = died(&place, &["region.store"]);
    std::fs::copy(other.path(), after.path()).unwrap();
    refused_beside_a_log(&after);
}

#[test]
fn a_store_that_was_closed_leaves_no_log_behind() {
    for engine in [LOG, EngineKind::File] {
        let place = Place::with(options());
        put(&place.open(), vec![b'a'; 100]);
        put(&place.open(), vec![b'b'; 100]);
        // Another engine closes it, or the same.
        drop(Store::open(place.path(), Options { engine, ..options() }).unwrap());
        assert_eq!(count(&place.open()), 2);
        // Somebody begins anew.
        std::fs::remove_file(place.path()).unwrap();
        assert_eq!(count(&place.open()), 0);
    }
}

#[test]
fn a_log_that_could_not_be_erased_is_known_as_ones_own() {
    let place = Place::with(options());
    let store = place.open();
    put(&store, vec![b'a'; 100]);
    let log = place.folder.path().join("region.store.log1");
    let records = std::fs::read(&log).unwrap();
    drop(store);
    // The process died between the last checkpoint and the end of the log.
    std::fs::write(&log, records).unwrap();
    assert_eq!(count(&place.open()), 1);
}

#[test]
fn a_backup_of_a_damaged_store_is_refused() {
    let mut place = Place::new();
    place.options.engine = EngineKind::File;
    let store = place.open();
    put(&store, b"bad".to_vec());
    drop(store);
    tamper(&place, |_, value| {
        if value.starts_with(b"bad") {
            value[0] ^= 1;
        }
    });
    let folder = place.folder.path().join("backups");
    std::fs::create_dir(&folder).unwrap();
    assert_eq!(kind(place.open().backup(folder.join("copy"))), ErrorKind::Corrupt);
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "a backup that fails leaves nothing that fills the disk: {left:?}");
}
