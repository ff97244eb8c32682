//! Walks over logs, cheap removal, counters.

use std::ops::ControlFlow;

use store::{ErrorKind, Store};

use crate::opening::tamper;
use crate::setup::{Place, kind, messages, queues};

fn put(store: &Store, name: &[u8], value: &[u8]) -> u64 {
    let mut unit = store.unit().unwrap();
    let position = unit.append(&messages(store), name, value.to_vec()).unwrap();
    unit.syncpoint().unwrap();
    position
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
