//! Spaces that exchange names, change their recovery, and go.

use std::sync::Arc;

use store::{Collation, Definition, Disk, Drive, Keyed, Logs, Options, Organization, Recovery, Store};

use crate::disk::{Fault, FaultyDisk, Random};
use crate::setup::{Place, accounts, definition, kind};

fn other(store: &Store) -> Keyed {
    let organization = Organization::KeySequenced(Collation::Binary);
    store.keyed(&definition("OTHER", organization, Recovery::Recoverable)).unwrap()
}

fn entries(store: &Store) -> Logs {
    store.logs(&definition("ENTRIES", Organization::EntrySequenced, Recovery::Recoverable)).unwrap()
}

/// The records of a name in the store.
fn all(store: &Store, name: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let known = store.definitions().into_iter().find(|definition| definition.name == name);
    let file = store.keyed(&known.unwrap()).unwrap();
    let unit = store.unit().unwrap();
    let mut all = Vec::new();
    let mut from = std::ops::Bound::Unbounded;
    while let Some(found) =
        unit.browse(&file, from.as_ref().map(Vec::as_slice), store::Direction::Forward).unwrap()
    {
        all.push((found.key.clone(), found.value));
        from = std::ops::Bound::Excluded(found.key);
    }
    all
}

fn pair(key: &str, value: &str) -> (Vec<u8>, Vec<u8>) {
    (key.into(), value.into())
}

/// ACCOUNTS with `A1` and `1A` in EBCDIC order, OTHER with them by their values.
fn fill(store: &Store) {
    let mut unit = store.unit().unwrap();
    for (key, value) in [("A1", "two"), ("1A", "one")] {
        unit.insert(&accounts(store), key.as_bytes(), value.into()).unwrap();
        unit.insert(&other(store), value.as_bytes(), key.into()).unwrap();
    }
    unit.syncpoint().unwrap();
}

fn notes(store: &Store) -> Keyed {
    let organization = Organization::KeySequenced(Collation::Binary);
    store.keyed(&definition("NOTES", organization, Recovery::Recoverable)).unwrap()
}

fn exchange(store: &Store) -> store::Result<()> {
    let mut unit = store.unit()?;
    unit.insert(&notes(store), b"done", b"yes".to_vec())?;
    store.exchange(unit, "ACCOUNTS", Recovery::NotRecoverable, "OTHER")
}

#[test]
fn names_are_exchanged_with_the_changes_of_a_unit_or_not_at_all() {
    let options = Options { drive: Drive::Caller, ..Options::default() };
    let (before, after) = ([pair("A1", "two"), pair("1A", "one")], [pair("one", "1A"), pair("two", "A1")]);
    let (mut done, mut undone) = (0, 0);
    for step in 1.. {
        let disk = FaultyDisk::new(Vec::new());
        let store = Store::open_on(Arc::clone(&disk) as Arc<dyn Disk>, options.clone()).unwrap();
        fill(&store);
        notes(&store);
        disk.set(Fault::PowerAt(step));
        let exchanged = exchange(&store);
        std::mem::forget(store);
        let disk = disk.survivor(&mut Random(step));
        let store = Store::open_on(disk as Arc<dyn Disk>, options.clone()).unwrap();
        match all(&store, "NOTES").as_slice() {
            [] => {
                assert!(exchanged.is_err(), "step {step}: it was acknowledged");
                undone += 1;
                assert_eq!(
                    (all(&store, "ACCOUNTS"), all(&store, "OTHER")),
                    (before.to_vec(), after.to_vec())
                );
            }
            _ => {
                done += 1;
                assert_eq!(
                    (all(&store, "ACCOUNTS"), all(&store, "OTHER")),
                    (after.to_vec(), before.to_vec())
                );
                let of =
                    |name: &str| store.definitions().into_iter().find(|known| known.name == name).unwrap();
                assert_eq!(of("ACCOUNTS").recovery, Recovery::NotRecoverable);
                assert_eq!(of("OTHER").recovery, Recovery::Recoverable);
            }
        }
        if exchanged.is_ok() {
            break;
        }
    }
    assert!(done > 0 && undone > 0, "{done} done, {undone} undone");
}

#[test]
fn what_is_discarded_frees_its_room_and_its_name() {
    let place = Place::new();
    let store = place.open();
    let nothing = store.used_bytes();
    fill(&store);
    let mut unit = store.unit().unwrap();
    unit.append(&entries(&store), b"", b"an entry".to_vec()).unwrap();
    unit.append(&entries(&store), b"", b"another".to_vec()).unwrap();
    unit.syncpoint().unwrap();
    assert!(store.used_bytes() > nothing);
    for name in ["ACCOUNTS", "OTHER", "ENTRIES", "NEVER"] {
        store.discard(name).unwrap();
    }
    assert_eq!((store.used_bytes(), store.definitions().len()), (nothing, 0));
    drop(store);
    let store = place.open();
    // The names are free for something else, and nothing of before is in it.
    let organization = Organization::KeySequenced(Collation::Binary);
    for name in ["ENTRIES", "ACCOUNTS"] {
        let file = Definition { name: name.to_owned(), organization, recovery: Recovery::Recoverable };
        store.keyed(&file).unwrap();
        assert_eq!(all(&store, name), []);
    }
    let mut unit = store.unit().unwrap();
    assert_eq!(unit.append(&store_log(&store), b"", b"first".to_vec()).unwrap(), 0);
    unit.syncpoint().unwrap();
}

fn store_log(store: &Store) -> Logs {
    store.logs(&definition("LOG", Organization::EntrySequenced, Recovery::Recoverable)).unwrap()
}

#[test]
fn recovery_changes_with_the_records_there() {
    let place = Place::new();
    let store = place.open();
    let organization = Organization::KeySequenced(Collation::Binary);
    let loose = definition("LOOSE", organization, Recovery::NotRecoverable);
    let file = store.keyed(&loose).unwrap();
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"key", b"value".to_vec()).unwrap();
    drop(unit);
    store.set_recovery("LOOSE", Recovery::Recoverable).unwrap();
    let file = store.keyed(&Definition { recovery: Recovery::Recoverable, ..loose }).unwrap();
    let mut unit = store.unit().unwrap();
    unit.rewrite(&file, b"key", b"other".to_vec()).unwrap();
    drop(unit);
    drop(store);
    assert_eq!(all(&place.open(), "LOOSE"), [pair("key", "value")]);
    let store = place.open();
    assert_eq!(kind(store.set_recovery("NEVER", Recovery::Recoverable)), store::ErrorKind::Misuse);
    let unit = store.unit().unwrap();
    assert_eq!(kind(store.exchange(unit, "LOOSE", Recovery::Recoverable, "NEVER")), store::ErrorKind::Misuse);
}
