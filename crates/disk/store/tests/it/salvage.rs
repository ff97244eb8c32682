//! Damaged stores: refusals, the copied content, and the listed losses.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use store::{Direction, Drive, EngineKind, ErrorKind, Loss, Options, Salvaged, Store, salvage};

use crate::disk::Random;
use crate::opening::tamper;
use crate::setup::{Place, accounts, items, kind, messages, queues, records};

type Content = BTreeMap<String, Vec<u8>>;

/// A store with files, TS queues and queues of messages, on several pages each.
fn filled() -> Place {
    let place = Place::new();
    let store = place.open();
    let (file, ts, mq) = (accounts(&store), queues(&store), messages(&store));
    for round in 0..30u8 {
        let mut unit = store.unit().unwrap();
        for number in 0..10u8 {
            unit.insert(&file, &[round, number], vec![round ^ number; 150]).unwrap();
            unit.append(&mq, if number % 2 == 0 { b"ONE" } else { b"TWO" }, vec![number; 300]).unwrap();
        }
        unit.append(&ts, b"TSQ", vec![round; 400]).unwrap();
        unit.syncpoint().unwrap();
    }
    drop(store);
    place
}

/// All that a store has, by its place in words.
fn content(path: &Path) -> Content {
    let options = Options { drive: Drive::Caller, engine: EngineKind::File, ..Options::default() };
    let store = Store::open(path, options).unwrap();
    let unit = store.unit().unwrap();
    let names: Vec<String> = store.definitions().into_iter().map(|space| space.name).collect();
    let mut content = Content::new();
    if names.contains(&"ACCOUNTS".to_owned()) {
        let found = records(&unit, &accounts(&store), Direction::Forward);
        content.extend(found.into_iter().map(|(key, value)| (format!("record {key:?}"), value)));
    }
    for (space, name) in [("MQ", "ONE"), ("MQ", "TWO"), ("TS", "TSQ")] {
        if names.contains(&space.to_owned()) {
            let logs = if space == "MQ" { messages(&store) } else { queues(&store) };
            let found = items(&unit, &logs, name.as_bytes());
            let extent = unit.extent(&logs, name.as_bytes()).unwrap();
            assert_eq!(extent.count, found.len() as u64, "{name}");
            assert!(found.last().is_none_or(|(last, _)| *last < extent.next), "{name}");
            if space == "TS" {
                assert!(
                    found.iter().zip(1..).all(|((position, _), dense)| *position == dense),
                    "gaps in {name}"
                );
            }
            content.extend(found.into_iter().map(|(position, value)| (format!("{name} {position}"), value)));
        }
    }
    content
}

fn salvaged(from: &Path) -> (store::Result<Salvaged>, PathBuf) {
    let to = from.with_file_name("new.store");
    let _ = fs::remove_file(&to);
    (salvage(from, &to), to)
}

/// Another copy of a store, with changed bytes.
fn damaged(place: &Place, change: impl Fn(&mut Vec<u8>)) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("damaged.store");
    for end in ["", ".log1", ".log2"] {
        let from = place.folder.path().join(format!("region.store{end}"));
        if let Ok(mut bytes) = fs::read(from) {
            if end.is_empty() {
                change(&mut bytes);
            }
            fs::write(format!("{}{end}", to.display()), bytes).unwrap();
        }
    }
    (folder, to)
}

#[test]
fn a_whole_store_comes_over_whole() {
    let place = filled();
    let (done, to) = salvaged(&place.path());
    let done = done.unwrap();
    assert_eq!((done.records, done.items, done.losses), (300, 330, Vec::new()));
    let content = content(&to);
    assert_eq!(content.len(), 630);
    assert_eq!(content, self::content(&place.path()));
    // What comes next has a position of its own.
    let store = Store::open(&to, place.options.clone()).unwrap();
    let mut unit = store.unit().unwrap();
    assert_eq!(unit.append(&messages(&store), b"ONE", Vec::new()).unwrap(), 151);
    assert_eq!(unit.append(&queues(&store), b"TSQ", Vec::new()).unwrap(), 31);
    unit.syncpoint().unwrap();
}

#[test]
fn whatever_byte_is_flipped_nothing_wrong_comes_over_and_all_that_does_not_is_told() {
    let place = filled();
    let whole = content(&place.path());
    let bytes = usize::try_from(fs::metadata(place.path()).unwrap().len()).unwrap();
    let mut random = Random(7);
    let (mut lost, mut refused) = (0, 0);
    for _ in 0..60 {
        let flips: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(bytes)).collect();
        let (_folder, path) = damaged(&place, |file| {
            flips.iter().for_each(|at| file[*at] ^= 0x41);
        });
        let (done, to) = salvaged(&path);
        let done = match done {
            Ok(done) => done,
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Format), "{error}");
                refused += 1;
                continue;
            }
        };
        let there = content(&to);
        assert!(there.iter().all(|(name, value)| whole.get(name) == Some(value)), "{flips:?}");
        assert_eq!(there.len() as u64, done.records + done.items, "{flips:?}");
        if there.len() < whole.len() {
            lost += 1;
            assert!(!done.losses.is_empty(), "{flips:?}: {} of {} are there", there.len(), whole.len());
            assert!(
                there.len() > whole.len() / 4
                    || done.losses.iter().any(|loss| !matches!(loss, Loss::Pair(_)))
            );
        }
    }
    assert!(lost > 4 && refused < 10, "{lost} lost, {refused} refused");
}

#[test]
fn a_torn_file_is_refused_and_gives_nothing_wrong() {
    let place = filled();
    let whole = content(&place.path());
    let pages = usize::try_from(fs::metadata(place.path()).unwrap().len()).unwrap() / 4096;
    for kept in (1..pages).step_by(9) {
        let (_folder, path) = damaged(&place, |file| file.truncate(kept * 4096));
        let error = Store::open(&path, place.options.clone()).err();
        assert!(error.is_some_and(|error| error.kind() == ErrorKind::Corrupt), "{kept} of {pages} pages");
        match salvaged(&path) {
            (Ok(done), to) => {
                let there = content(&to);
                assert!(there.iter().all(|(name, value)| whole.get(name) == Some(value)));
                assert!(there.len() == whole.len() || !done.losses.is_empty());
            }
            // The root is what the file has lost.
            (Err(error), to) => assert!(error.kind() == ErrorKind::Corrupt && !to.exists(), "{error}"),
        }
    }
}

#[test]
fn a_torn_log_gives_the_records_that_are_whole() {
    let (_place, _folder, path) = with_log();
    let log = format!("{}.log1", path.display());
    let bytes = fs::read(&log).unwrap();
    let at = bytes.windows(100).position(|window| window == [b'c'; 100]).unwrap();
    fs::write(&log, &bytes[..at + 50]).unwrap();
    let options = Options { engine: EngineKind::Log, drive: Drive::Caller, ..Options::default() };
    let error = Store::open(&path, options).err().unwrap();
    assert!(error.to_string().ends_with("the log is missing, or shorter than it was"), "{error}");
    let (done, to) = salvaged(&path);
    let losses = done.unwrap().losses;
    assert!(
        losses.len() == 1 && losses[0].to_string().contains(".log1 is shorter than it was"),
        "{losses:?}"
    );
    assert_eq!(content(&to).into_values().collect::<Vec<_>>(), [vec![b'a'; 100], vec![b'b'; 100]]);
}

/// A store as a process leaves it that ends at once: three messages are in its log alone.
fn with_log() -> (Place, tempfile::TempDir, PathBuf) {
    let place = Place::with(Options { engine: EngineKind::Log, drive: Drive::Caller, ..Options::default() });
    let store = place.open();
    for byte in *b"abc" {
        let mut unit = store.unit().unwrap();
        unit.append(&messages(&store), b"ONE", vec![byte; 100]).unwrap();
        unit.syncpoint().unwrap();
    }
    let (folder, path) = damaged(&place, |_| {});
    (place, folder, path)
}

#[test]
fn a_record_of_the_log_that_is_damaged_is_lost_and_those_behind_it_are_not() {
    let (place, _folder, path) = with_log();
    let log = format!("{}.log1", path.display());
    let mut bytes = fs::read(&log).unwrap();
    let at = bytes.windows(100).position(|window| window == [b'b'; 100]).unwrap();
    bytes[at] ^= 1;
    fs::write(&log, bytes).unwrap();
    let error = Store::open(&path, place.options.clone()).err().unwrap();
    assert!(error.kind() == ErrorKind::Corrupt && error.to_string().contains("part 1 at offset"), "{error}");
    let (done, to) = salvaged(&path);
    let done = done.unwrap();
    let lost = Loss::Items { queue: "'ONE' in MQ".to_owned(), count: 1 };
    assert_eq!(done.losses, [Loss::Log { records: 1 }, lost]);
    assert_eq!(content(&to).into_values().collect::<Vec<_>>(), [vec![b'a'; 100], vec![b'c'; 100]]);
    // Without its log, a store has only the content of the file, and salvage says so.
    fs::remove_file(&log).unwrap();
    let (done, to) = salvaged(&path);
    assert!(done.unwrap().losses[0].to_string().ends_with(".log1 does not exist: what was in it is lost"));
    assert!(content(&to).is_empty());
}

#[test]
fn what_nothing_is_known_of_is_left_out_and_so_is_what_stands_behind_a_gap() {
    let place = filled();
    tamper(&place, |key, value| {
        // The definition of the file, and one item of the TS queue.
        if key.starts_with(b"\x02ACCOUNTS") || (key.contains(&b'Q') && key.ends_with(&[0, 0, 0, 20])) {
            value[0] ^= 1;
        }
    });
    let (done, to) = salvaged(&place.path());
    let done = done.unwrap();
    let told: Vec<String> = done.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "the definition of 'ACCOUNTS' is damaged",
            "item 20 of 'TSQ' in TS is damaged",
            "300 records or items of space 1 are left out: its definition is lost",
            "1 items of 'TSQ' in TS are missing",
            "10 items of 'TSQ' in TS stand behind one that is missing, so they are left out",
        ]
    );
    assert_eq!((done.records, done.items), (0, 319));
    assert_eq!(content(&to).len(), 319);
}

#[test]
fn stores_that_are_open_and_what_is_no_store_are_refused() {
    let place = filled();
    let (_folder, path) = damaged(&place, |file| file[..4].copy_from_slice(b"text"));
    assert_eq!(kind(salvaged(&path).0), ErrorKind::Format);
    fs::write(&path, b"short").unwrap();
    assert_eq!(kind(salvaged(&path).0), ErrorKind::Format);
    assert_eq!(kind(salvage(place.path(), place.path())), ErrorKind::Misuse);
    let store = place.open();
    assert_eq!(kind(salvaged(&place.path()).0), ErrorKind::InUse);
    drop(store);
    assert!(salvaged(&place.path()).0.is_ok());
}
