//! Files of records: reading, changing, browsing, and what the unit adds to it.

use std::ops::Bound;

use store::{Collation, Direction, ErrorKind, Organization, Record, Recovery, relative_key};

use crate::setup::{Place, accounts, definition, kind, records};

#[test]
fn a_unit_sees_its_own_changes_and_others_do_not_until_the_syncpoint() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"0001", b"first".to_vec()).unwrap();
    assert_eq!(unit.read(&file, b"0001").unwrap().unwrap(), b"first");
    let other = store.unit().unwrap();
    assert_eq!(other.read(&file, b"0001").unwrap(), None);
    unit.syncpoint().unwrap();
    assert_eq!(other.read(&file, b"0001").unwrap().unwrap(), b"first");
}

#[test]
fn what_was_committed_is_there_after_the_store_is_opened_again() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"0001", b"first".to_vec()).unwrap();
    unit.syncpoint().unwrap();
    let mut lost = store.unit().unwrap();
    lost.insert(&file, b"0002", b"second".to_vec()).unwrap();
    drop((lost, store));
    let store = place.open();
    let file = accounts(&store);
    let unit = store.unit().unwrap();
    assert_eq!(records(&unit, &file, Direction::Forward), [(b"0001".to_vec(), b"first".to_vec())]);
    assert_eq!(store.used_bytes(), (1 + 4 + 4 + 5) as u64, "key with its space, and value");
}

#[test]
fn inserting_twice_and_changing_what_is_not_there_have_their_conditions() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"1", b"a".to_vec()).unwrap();
    assert_eq!(kind(unit.insert(&file, b"1", b"b".to_vec())), ErrorKind::Duplicate);
    assert_eq!(kind(unit.rewrite(&file, b"2", b"b".to_vec())), ErrorKind::NotFound);
    assert_eq!(kind(unit.delete(&file, b"2")), ErrorKind::NotFound);
    unit.delete(&file, b"1").unwrap();
    assert_eq!(kind(unit.delete(&file, b"1")), ErrorKind::NotFound);
    unit.insert(&file, b"1", b"c".to_vec()).unwrap();
    unit.syncpoint().unwrap();
    let mut unit = store.unit().unwrap();
    let error = unit.insert(&file, b"1", b"b".to_vec()).unwrap_err();
    assert_eq!(error.to_string(), "ACCOUNTS: a record with this key is there");
    unit.rewrite(&file, b"1", b"d".to_vec()).unwrap();
    unit.syncpoint().unwrap();
    assert_eq!(store.unit().unwrap().read(&file, b"1").unwrap().unwrap(), b"d");
}

#[test]
fn backout_leaves_nothing_and_frees_the_locks() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"1", b"a".to_vec()).unwrap();
    let mut other = store.unit().unwrap();
    assert_eq!(kind(other.insert(&file, b"1", b"b".to_vec())), ErrorKind::Busy);
    unit.backout();
    other.insert(&file, b"1", b"b".to_vec()).unwrap();
    assert_eq!(store.units_open(), 1);
}

#[test]
fn browsing_goes_both_ways_through_the_store_and_the_unit_in_ebcdic_order() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    for key in ["1", "A", "a", "B", "2"] {
        unit.insert(&file, key.as_bytes(), b"old".to_vec()).unwrap();
    }
    unit.syncpoint().unwrap();
    let mut unit = store.unit().unwrap();
    unit.delete(&file, b"A").unwrap();
    unit.delete(&file, b"2").unwrap();
    unit.insert(&file, b"b", b"new".to_vec()).unwrap();
    unit.rewrite(&file, b"B", b"new".to_vec()).unwrap();
    let keys = |direction| -> Vec<String> {
        let found = records(&unit, &file, direction);
        found.into_iter().map(|(key, _)| String::from_utf8(key).unwrap()).collect()
    };
    assert_eq!(keys(Direction::Forward), ["a", "b", "B", "1"]);
    assert_eq!(keys(Direction::Backward), ["1", "B", "b", "a"]);
    let at = |key: &'static [u8], direction| unit.browse(&file, Bound::Included(key), direction).unwrap();
    let expected = Record { key: b"B".to_vec(), value: b"new".to_vec() };
    assert_eq!(at(b"A", Direction::Forward), Some(expected));
    assert_eq!(at(b"b", Direction::Backward).unwrap().key, b"b");
    assert_eq!(at(b"9", Direction::Forward), None);
}

#[test]
fn files_do_not_see_each_other() {
    let place = Place::new();
    let store = place.open();
    let one = accounts(&store);
    let organization = Organization::KeySequenced(Collation::Binary);
    let two = store.keyed(&definition("ORDERS", organization, Recovery::Recoverable)).unwrap();
    let mut unit = store.unit().unwrap();
    unit.insert(&one, b"1", b"account".to_vec()).unwrap();
    unit.insert(&two, b"1", b"order".to_vec()).unwrap();
    assert_eq!(records(&unit, &one, Direction::Backward).len(), 1);
    assert_eq!(records(&unit, &two, Direction::Forward).len(), 1);
    unit.syncpoint().unwrap();
    let unit = store.unit().unwrap();
    assert_eq!(records(&unit, &one, Direction::Forward), [(b"1".to_vec(), b"account".to_vec())]);
    assert_eq!(records(&unit, &two, Direction::Backward), [(b"1".to_vec(), b"order".to_vec())]);
}

#[test]
fn relative_files_take_numbers_from_one() {
    let place = Place::new();
    let store = place.open();
    let file = store.keyed(&definition("SLOTS", Organization::Relative, Recovery::Recoverable)).unwrap();
    let mut unit = store.unit().unwrap();
    for number in [300, 2, 1] {
        unit.insert(&file, &relative_key(number), vec![7]).unwrap();
    }
    assert_eq!(kind(unit.insert(&file, &relative_key(0), vec![7])), ErrorKind::Misuse);
    assert_eq!(kind(unit.insert(&file, b"1", vec![7])), ErrorKind::Misuse);
    unit.syncpoint().unwrap();
    let unit = store.unit().unwrap();
    let numbers: Vec<Vec<u8>> =
        records(&unit, &file, Direction::Forward).into_iter().map(|(key, _)| key).collect();
    assert_eq!(numbers, [1, 2, 300].map(|number| relative_key(number).to_vec()));
}

#[test]
fn what_is_not_recoverable_stays_when_the_unit_is_backed_out() {
    let place = Place::new();
    let store = place.open();
    let organization = Organization::KeySequenced(Collation::default());
    let file = store.keyed(&definition("SCRATCH", organization, Recovery::NotRecoverable)).unwrap();
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"1", b"a".to_vec()).unwrap();
    unit.rewrite(&file, b"1", b"b".to_vec()).unwrap();
    assert!(unit.is_unchanged());
    let mut other = store.unit().unwrap();
    assert_eq!(other.read(&file, b"1").unwrap().unwrap(), b"b");
    other.insert(&file, b"2", b"c".to_vec()).unwrap();
    other.delete(&file, b"1").unwrap();
    unit.backout();
    other.backout();
    drop(store);
    let store = place.open();
    let file = store.keyed(&definition("SCRATCH", organization, Recovery::NotRecoverable)).unwrap();
    let unit = store.unit().unwrap();
    assert_eq!(records(&unit, &file, Direction::Forward), [(b"2".to_vec(), b"c".to_vec())]);
}

#[test]
fn definitions_are_fixed() {
    let place = Place::new();
    let store = place.open();
    let _ = accounts(&store);
    let other = definition("ACCOUNTS", Organization::Relative, Recovery::Recoverable);
    assert_eq!(kind(store.keyed(&other)), ErrorKind::Misuse);
    assert_eq!(kind(store.logs(&other)), ErrorKind::Misuse);
    let nameless = definition("", Organization::Relative, Recovery::Recoverable);
    assert_eq!(kind(store.keyed(&nameless)), ErrorKind::Misuse);
    drop(store);
    let store = place.open();
    assert_eq!(store.definitions().len(), 1);
    assert_eq!(kind(store.keyed(&other)), ErrorKind::Misuse);
    let _ = accounts(&store);
}
