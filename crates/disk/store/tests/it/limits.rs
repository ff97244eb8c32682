//! Each limit, at its edge and beyond.

use store::{Authority, Decision, Drive, ErrorKind, GlobalId, Options, Store, Unit, Vote};

use crate::setup::{Place, accounts, granted, kind, messages, queues};

fn place(change: impl FnOnce(&mut Options)) -> Place {
    let mut options = Options { drive: Drive::Caller, ..Options::default() };
    change(&mut options);
    Place::with(options)
}

#[test]
fn units_open_max() {
    let place = place(|options| options.units_open_max = 2);
    let store = place.open();
    let first = store.unit().unwrap();
    let _second = store.unit().unwrap();
    assert_eq!(kind(store.unit()), ErrorKind::Limit);
    drop(first);
    let _third = store.unit().unwrap();
}

#[test]
fn unit_writes_max() {
    let place = place(|options| options.unit_writes_max = 2);
    let store = place.open();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"1", vec![]).unwrap();
    unit.append(&queues(&store), b"Q", vec![]).unwrap();
    let error = unit.insert(&file, b"3", vec![]).unwrap_err();
    assert_eq!(error.to_string(), "ACCOUNTS: the unit has 2 changes, which is unit_writes_max");
    unit.syncpoint().unwrap();
}

#[test]
fn an_item_that_a_full_unit_has_added_can_be_taken_back() {
    let place = place(|options| (options.unit_writes_max, options.unit_locks_max) = (2, 1));
    let store = place.open();
    let messages = messages(&store);
    let mut unit = store.unit().unwrap();
    let first = unit.append(&messages, b"Q", b"one".to_vec()).unwrap();
    let second = unit.append(&messages, b"Q", b"two".to_vec()).unwrap();
    assert_eq!(kind(unit.append(&messages, b"Q", b"three".to_vec())), ErrorKind::Limit);
    assert!(unit.take_back(&messages, b"Q", second).unwrap());
    assert!(!unit.take_back(&messages, b"Q", second).unwrap(), "it is not there any more");
    unit.syncpoint().unwrap();
    let mut unit = store.unit().unwrap();
    assert!(!unit.take_back(&messages, b"Q", first).unwrap(), "another unit has added it");
    assert_eq!(unit.item(&messages, b"Q", first).unwrap().as_deref(), Some(&b"one"[..]));
    assert_eq!(unit.item(&messages, b"Q", second).unwrap(), None);
    assert_eq!(kind(unit.take_back(&queues(&store), b"Q", 1)), ErrorKind::Misuse);
}

#[test]
fn unit_bytes_max() {
    let place = place(|options| options.unit_bytes_max = 100);
    let store = place.open();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"1", vec![0; 80]).unwrap();
    assert_eq!(kind(unit.insert(&file, b"2", vec![0; 20])), ErrorKind::Limit);
    unit.delete(&file, b"1").unwrap();
    unit.insert(&file, b"2", vec![0; 20]).unwrap();
}

#[test]
fn unit_locks_max() {
    let place = place(|options| options.unit_locks_max = 2);
    let store = place.open();
    let mut unit = store.unit().unwrap();
    granted(unit.enqueue(b"1"));
    granted(unit.enqueue(b"2"));
    granted(unit.enqueue(b"1"));
    assert_eq!(kind(unit.enqueue(b"3")), ErrorKind::Limit);
    unit.dequeue(b"1");
    granted(unit.enqueue(b"3"));
}

#[test]
fn key_and_value_bytes_max() {
    let place = place(|options| (options.key_bytes_max, options.value_bytes_max) = (10, 20));
    let store = place.open();
    let (file, queues) = (accounts(&store), queues(&store));
    let mut unit = store.unit().unwrap();
    unit.insert(&file, &[0; 10], vec![0; 20]).unwrap();
    for key in [&[0; 11][..], b""] {
        assert_eq!(kind(unit.insert(&file, key, vec![])), ErrorKind::Length);
        assert_eq!(kind(unit.read(&file, key)), ErrorKind::Length);
        assert_eq!(kind(unit.append(&queues, key, vec![])), ErrorKind::Length);
    }
    let error = unit.insert(&file, b"1", vec![0; 21]).unwrap_err();
    assert_eq!(error.to_string(), "ACCOUNTS: expected at most 20 bytes (value_bytes_max), found 21");
    assert_eq!(kind(unit.append(&queues, b"Q", vec![0; 21])), ErrorKind::Length);
    drop((unit, store));
    let too_long = Options { key_bytes_max: 256, ..Options::default() };
    assert_eq!(kind(store::Store::open(place.path(), too_long)), ErrorKind::Misuse);
}

#[test]
fn store_bytes_max_refuses_growth_and_nothing_else() {
    let place = place(|options| options.store_bytes_max = 100);
    let store = place.open();
    let (file, queues) = (accounts(&store), messages(&store));
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"1", vec![0; 40]).unwrap();
    unit.append(&queues, b"Q", vec![0; 20]).unwrap();
    unit.syncpoint().unwrap();
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"2", vec![0; 40]).unwrap();
    let full = unit.syncpoint().unwrap_err();
    assert_eq!(full.kind(), ErrorKind::NoSpace);
    assert_eq!(full.to_string(), "store: it holds 81 bytes and the unit adds 46, store_bytes_max is 100");
    let mut unit = store.unit().unwrap();
    assert_eq!(unit.read(&file, b"2").unwrap(), None);
    unit.rewrite(&file, b"1", vec![1; 30]).unwrap();
    unit.take_first(&queues, b"Q").unwrap().unwrap();
    unit.syncpoint().unwrap();
    assert_eq!(store.used_bytes(), 36);
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"2", vec![0; 40]).unwrap();
    unit.syncpoint().unwrap();
}

fn adds(store: &Store, key: &[u8], bytes: usize) -> Unit {
    let mut unit = store.unit().unwrap();
    unit.insert(&accounts(store), key, vec![0; bytes]).unwrap();
    unit
}

#[test]
fn store_bytes_max_counts_what_prepared_units_will_add() {
    let place = place(|options| options.store_bytes_max = 100);
    let id = |name: &str| GlobalId::new(name.as_bytes()).unwrap();
    for decision in [Decision::Commit, Decision::Abort] {
        let store = place.open();
        let refused = adds(&store, b"1", 100).prepare(&id("U1"), "REGA").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::NoSpace);
        assert!(store.in_doubt().is_empty());
        drop(adds(&store, b"1", 50).prepare(&id("U1"), "REGA").unwrap());
        let message = "store: it holds 0 bytes, 56 are promised to prepared units, and the unit adds 46, store_bytes_max is 100";
        assert_eq!(adds(&store, b"2", 40).syncpoint().unwrap_err().to_string(), message);
        drop(store);
        let store = place.open();
        assert_eq!(adds(&store, b"2", 40).prepare(&id("U2"), "REGA").unwrap_err().to_string(), message);
        let mut unit = store.unit().unwrap();
        unit.lock(&accounts(&store), b"3", store::Mode::Exclusive).unwrap();
        unit.insert(&accounts(&store), b"3", Vec::new()).unwrap();
        unit.delete(&accounts(&store), b"3").unwrap();
        assert!(matches!(unit.prepare(&id("U3"), "REGA").unwrap(), Vote::ReadOnly));
        store.resolve(&id("U1"), decision, Authority::Coordinator).unwrap();
        let outcome = adds(&store, b"2", 40).syncpoint();
        if decision == Decision::Commit {
            assert_eq!(kind(outcome), ErrorKind::NoSpace);
            let mut unit = store.unit().unwrap();
            unit.delete(&accounts(&store), b"1").unwrap();
            let Vote::Prepared(prepared) = unit.prepare(&id("U4"), "REGA").unwrap() else {
                panic!("it has changes")
            };
            assert_eq!(
                kind(adds(&store, b"2", 50).syncpoint()),
                ErrorKind::NoSpace,
                "not before it is deleted"
            );
            prepared.commit().unwrap();
        } else {
            outcome.unwrap();
        }
    }
}
