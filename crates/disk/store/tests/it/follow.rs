//! Followers, walks over logs, cheap removal, counters.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, Weak};

use store::{
    Applied, Authority, Decision, ErrorKind, Follower, GlobalId, LogChange, Mode, Resolution, Seen, Store,
    Vote,
};

use crate::opening::tamper;
use crate::setup::{Place, accounts, kind, messages, queues, waiting};

/// Items by log and position.
type Items = BTreeMap<(Vec<u8>, u64), Vec<u8>>;

/// The items as a follower hears of them.
#[derive(Debug, Default)]
pub(crate) struct Mirror(Mutex<Items>);

impl Mirror {
    pub(crate) fn of(&self, log: &[u8]) -> BTreeMap<u64, Vec<u8>> {
        let items = self.0.lock().unwrap();
        let of_log = items.iter().filter(|((name, _), _)| name == log);
        of_log.map(|((_, position), value)| (*position, value.clone())).collect()
    }
}

impl Follower for Mirror {
    fn found(&self, item: Seen<'_>) {
        let value = item.value.expect("no item is damaged").to_vec();
        assert!(self.0.lock().unwrap().insert((item.log.to_vec(), item.position), value).is_none());
    }

    fn applied(&self, unit: &Applied<'_>) {
        let mut items = self.0.lock().unwrap();
        for change in unit.changes() {
            match change {
                LogChange::Cleared { log } => items.retain(|(name, _), _| name != log),
                LogChange::Put { log, position, value, added } => {
                    let before = items.insert((log.to_vec(), position), value.to_vec());
                    assert_eq!(before.is_none(), added);
                }
                LogChange::Removed { log, position } => {
                    items.remove(&(log.to_vec(), position)).expect("it was there");
                }
            }
        }
    }
}

fn put(store: &Store, name: &[u8], value: &[u8]) -> u64 {
    let mut unit = store.unit().unwrap();
    let position = unit.append(&messages(store), name, value.to_vec()).unwrap();
    unit.syncpoint().unwrap();
    position
}

#[test]
fn a_follower_hears_what_is_there_and_then_each_change() {
    let place = Place::new();
    let store = place.open();
    let logs = messages(&store);
    let first = put(&store, b"QUEUE", b"first");
    put(&store, b"Q", b"other");
    let mirror = Arc::new(Mirror::default());
    store.follow(&logs, &mirror).unwrap();
    assert_eq!(mirror.of(b"QUEUE"), [(first, b"first".to_vec())].into());
    let second = put(&store, b"QUEUE", b"second");
    let mut unit = store.unit().unwrap();
    unit.append(&queues(&store), b"QUEUE", b"another space".to_vec()).unwrap();
    unit.insert(&accounts(&store), b"1", b"a record".to_vec()).unwrap();
    unit.replace(&logs, b"QUEUE", second, b"changed".to_vec()).unwrap();
    unit.remove(&logs, b"QUEUE", first).unwrap();
    unit.clear(&logs, b"Q").unwrap();
    assert_eq!(mirror.of(b"QUEUE").len(), 2, "nothing before the syncpoint");
    unit.syncpoint().unwrap();
    assert_eq!(mirror.of(b"QUEUE"), [(second, b"changed".to_vec())].into());
    assert_eq!(mirror.of(b"Q"), BTreeMap::new());
    let mut unit = store.unit().unwrap();
    unit.remove(&logs, b"QUEUE", second).unwrap();
    unit.backout();
    assert_eq!(mirror.of(b"QUEUE").len(), 1, "a backout changes nothing");
}

/// Looks, when it hears of a unit, whether the change can be read and the lock is still held.
struct Looking {
    store: Weak<Store>,
    heard: Mutex<usize>,
}

impl Follower for Looking {
    fn found(&self, _: Seen<'_>) {}

    fn applied(&self, unit: &Applied<'_>) {
        let store = self.store.upgrade().unwrap();
        let Some(LogChange::Put { log, position, value, .. }) = unit.changes().next() else {
            panic!("expected an item");
        };
        let mut other = store.unit().unwrap();
        // Defined already, so nothing is committed.
        let logs = messages(&store);
        assert_eq!(other.item(&logs, log, position).unwrap().unwrap(), value);
        drop(waiting(other.lock_log(&logs, log, Mode::Exclusive)));
        assert!(store.used_bytes() > 0);
        *self.heard.lock().unwrap() += 1;
    }
}

#[test]
fn a_follower_hears_of_a_change_when_it_can_be_read_and_before_locks_are_free() {
    let place = Place::new();
    let store = Arc::new(place.open());
    let looking = Arc::new(Looking { store: Arc::downgrade(&store), heard: Mutex::default() });
    store.follow(&messages(&store), &looking).unwrap();
    put(&store, b"Q", b"value");
    assert_eq!(*looking.heard.lock().unwrap(), 1);
    let heard = Arc::downgrade(&looking);
    drop(looking);
    put(&store, b"Q", b"value");
    assert!(heard.upgrade().is_none(), "the store does not keep a follower");
}

#[test]
fn a_follower_hears_of_prepared_units_when_they_are_resolved() {
    for (decision, authority) in [
        (Decision::Commit, Authority::Coordinator),
        (Decision::Commit, Authority::Operator),
        (Decision::Abort, Authority::Operator),
    ] {
        let place = Place::new();
        let store = place.open();
        let taken = put(&store, b"Q", b"taken");
        let mut unit = store.unit().unwrap();
        let added = unit.append(&messages(&store), b"Q", b"added".to_vec()).unwrap();
        assert_eq!(unit.take(&messages(&store), b"Q", taken).unwrap(), b"taken");
        let id = GlobalId::new(b"U1").unwrap();
        assert!(matches!(unit.prepare(&id, "REGA").unwrap(), Vote::Prepared(_)));
        drop(store);
        let store = place.open();
        let mirror = Arc::new(Mirror::default());
        store.follow(&messages(&store), &mirror).unwrap();
        let before: BTreeMap<_, _> = [(taken, b"taken".to_vec())].into();
        assert_eq!(mirror.of(b"Q"), before);
        assert_eq!(store.resolve(&id, decision, authority).unwrap(), Resolution::Done);
        let after = if decision == Decision::Commit { [(added, b"added".to_vec())].into() } else { before };
        assert_eq!(mirror.of(b"Q"), after);
    }
}

#[test]
fn a_walk_sees_all_logs_in_order_and_can_be_ended() {
    let place = Place::new();
    let store = place.open();
    let mut unit = store.unit().unwrap();
    // More than the store asks its engine for at once.
    for number in 0..10_000u64 {
        let name = [&b"B"[..], b"A", b"AB"][(number % 3) as usize];
        unit.append(&messages(&store), name, number.to_be_bytes().to_vec()).unwrap();
    }
    unit.append(&queues(&store), b"A", b"another space".to_vec()).unwrap();
    unit.syncpoint().unwrap();
    let mut seen = Vec::new();
    let walked = store.walk(&messages(&store), |item| {
        let number = u64::from_be_bytes(item.value.unwrap().try_into().unwrap());
        seen.push((item.log.len(), item.log.to_vec(), item.position, number));
        ControlFlow::Continue(())
    });
    walked.unwrap();
    assert_eq!(seen.len(), 10_000);
    assert!(seen.is_sorted());
    for (_, name, position, number) in seen {
        assert_eq!(
            (name.as_slice(), position),
            ([&b"B"[..], b"A", b"AB"][(number % 3) as usize], number / 3 + 1)
        );
    }
    let mut count = 0;
    let walked = store.walk(&messages(&store), |_| {
        count += 1;
        if count == 5_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    walked.unwrap();
    assert_eq!(count, 5_000);
}

#[test]
fn a_damaged_item_fails_alone_and_can_be_removed() {
    let place = Place::new();
    let store = place.open();
    let (bad, good) = (put(&store, b"Q", b"bad"), put(&store, b"Q", b"good"));
    drop(store);
    tamper(&place, |_, value| {
        if value.starts_with(b"bad") {
            value[0] ^= 1;
        }
    });
    let store = place.open();
    let logs = messages(&store);
    let mut seen = Vec::new();
    let walked = store.walk(&logs, |item| {
        seen.push((item.position, item.value.map(<[u8]>::to_vec)));
        ControlFlow::Continue(())
    });
    walked.unwrap();
    assert_eq!(seen, [(bad, None), (good, Some(b"good".to_vec()))]);
    let mut unit = store.unit().unwrap();
    assert_eq!(kind(unit.take(&logs, b"Q", bad)), ErrorKind::Corrupt);
    assert_eq!(unit.take(&logs, b"Q", good).unwrap(), b"good");
    assert_eq!(kind(unit.take(&logs, b"Q", good)), ErrorKind::NotFound);
    unit.remove(&logs, b"Q", bad).unwrap();
    assert_eq!(kind(unit.remove(&logs, b"Q", bad)), ErrorKind::NotFound);
    unit.syncpoint().unwrap();
    assert_eq!(store.used_bytes(), 0);
    assert_eq!(store.unit().unwrap().extent(&logs, b"Q").unwrap().count, 0);
}

#[test]
fn counters_count_units_batches_and_syncs() {
    let place = Place::new();
    let store = place.open();
    let logs = messages(&store);
    let before = store.counters();
    for _ in 0..3 {
        let mut unit = store.unit().unwrap();
        unit.append(&logs, b"Q", vec![7; 100]).unwrap();
        unit.syncpoint_then(|result| result.unwrap());
    }
    assert!(store.drive());
    let after = store.counters();
    assert_eq!((after.units - before.units, after.batches - before.batches), (3, 1));
    assert_eq!(after.syncs - before.syncs, 1);
    assert!((300..1_000).contains(&(after.bytes - before.bytes)), "{after:?}");
}
