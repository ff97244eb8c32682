//! Opening: rights, other processes, files that are none of ours, damage, versions.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use redb::{Database, TableDefinition};
use store::{Drive, EngineKind, ErrorKind, Options, Store};

use crate::setup::{Place, accounts, kind};

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("store");

fn mode(place: &Place) -> u32 {
    fs::metadata(place.path()).unwrap().permissions().mode() & 0o777
}

/// Changes a value of the store behind its back.
pub(crate) fn tamper(place: &Place, change: impl Fn(&[u8], &mut Vec<u8>)) {
    let database = Database::open(place.path()).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let mut table = transaction.open_table(TABLE).unwrap();
        let all: Vec<(Vec<u8>, Vec<u8>)> = {
            use redb::ReadableTable;
            let pairs = table.range::<&[u8]>(..).unwrap();
            pairs
                .map(|pair| pair.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())).unwrap())
                .collect()
        };
        for (key, mut value) in all {
            change(&key, &mut value);
            table.insert(key.as_slice(), value.as_slice()).unwrap();
        }
    }
    transaction.commit().unwrap();
}

fn filled() -> Place {
    let place = Place::new();
    let store = place.open();
    let mut unit = store.unit().unwrap();
    unit.insert(&accounts(&store), b"1", b"value".to_vec()).unwrap();
    unit.syncpoint().unwrap();
    place
}

#[test]
fn only_the_owner_may_read_a_store() {
    let place = filled();
    assert_eq!(mode(&place), 0o600);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o644)).unwrap();
    drop(place.open());
    assert_eq!(mode(&place), 0o600);
}

#[test]
fn a_store_is_open_once() {
    let place = filled();
    let store = place.open();
    let error = Store::open(place.path(), place.options.clone()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InUse);
    let expected =
        format!("{}: another process has the file open, such as a gateway that runs", place.path().display());
    assert_eq!(error.to_string(), expected);
    drop(store);
    drop(place.open());
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let place = Place::new();
    let text = b"This is a text that somebody keeps, and no store at all.".repeat(200);
    fs::write(place.path(), &text).unwrap();
    let error = Store::open(place.path(), place.options.clone()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Format, "{error}");
    assert!(error.to_string().contains("region.store"), "{error}");
    assert_eq!(fs::read(place.path()).unwrap(), text);
    assert_eq!(kind(Store::open(place.folder.path(), Options::default())), ErrorKind::Io);
    let nowhere = place.folder.path().join("nowhere").join("region.store");
    assert_eq!(kind(Store::open(nowhere, Options::default())), ErrorKind::Io);
}

#[test]
fn another_version_is_refused() {
    let place = filled();
    tamper(&place, |key, value| {
        if key == [0] {
            let last = value.len() - 5;
            value[last] = 3;
            let content = value.len() - 4;
            let mut hasher = crc32fast::Hasher::new();
            hasher.update(key);
            hasher.update(&value[..content]);
            value.splice(content.., hasher.finalize().to_be_bytes());
        }
    });
    let error = Store::open(place.path(), place.options.clone()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.to_string().ends_with("its format is 3, this version reads 1 to 2"), "{error}");
}

#[test]
fn a_store_that_cannot_be_opened_does_not_keep_its_file() {
    for engine in [EngineKind::File, EngineKind::Log] {
        let mut place = filled();
        tamper(&place, |key, value| {
            // A definition.
            if key[0] == 0x02 {
                value[0] ^= 1;
            }
        });
        place.options = Options { engine, drive: Drive::Thread, ..place.options };
        for _ in 0..3 {
            let error = Store::open(place.path(), place.options.clone()).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        }
    }
}

#[test]
fn a_changed_value_is_found_when_it_is_read() {
    let place = filled();
    tamper(&place, |key, value| {
        if key[0] == 0x10 {
            value[0] ^= 1;
        }
    });
    let store = place.open();
    let error = store.unit().unwrap().read(&accounts(&store), b"1").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(error.to_string(), "ACCOUNTS: 9 bytes do not have the checksum they were written with");
}

#[test]
fn units_that_outlive_their_store_are_backed_out() {
    let place = filled();
    let store = place.open();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    unit.rewrite(&file, b"1", b"other".to_vec()).unwrap();
    drop(store);
    assert_eq!(kind(unit.syncpoint()), ErrorKind::Stopped);
    let store = place.open();
    assert_eq!(store.unit().unwrap().read(&accounts(&store), b"1").unwrap().unwrap(), b"value");
}

#[test]
fn what_a_crash_left_while_a_store_was_made_is_made_again() {
    let place = Place::new();
    let unfinished = place.folder.path().join("region.store.unfinished");
    fs::write(&unfinished, [0; 5_000]).unwrap();
    drop(accounts(&place.open()));
    assert!(!unfinished.exists());
    drop(accounts(&place.open()));
}
