//! Logs: TS queues without gaps, queues of messages that many units share, entry-sequenced files.

use std::ops::Bound;

use store::{Direction, ErrorKind, Extent, Organization, Positions, Recovery};

use crate::setup::{Place, definition, items, kind, messages, queues};

#[test]
fn items_of_a_dense_log_count_from_one_and_positions_are_used_again_after_backout() {
    let place = Place::new();
    let store = place.open();
    let queues = queues(&store);
    let mut unit = store.unit().unwrap();
    assert_eq!(unit.append(&queues, b"Q", b"a".to_vec()).unwrap(), 1);
    assert_eq!(unit.append(&queues, b"Q", b"b".to_vec()).unwrap(), 2);
    unit.backout();
    let mut unit = store.unit().unwrap();
    assert_eq!(unit.append(&queues, b"Q", b"c".to_vec()).unwrap(), 1);
    unit.syncpoint().unwrap();
    let mut unit = store.unit().unwrap();
    assert_eq!(unit.append(&queues, b"Q", b"d".to_vec()).unwrap(), 2);
    unit.replace(&queues, b"Q", 1, b"C".to_vec()).unwrap();
    assert_eq!(unit.extent(&queues, b"Q").unwrap(), Extent { count: 2, next: 3 });
    assert_eq!(kind(unit.replace(&queues, b"Q", 3, vec![])), ErrorKind::NotFound);
    assert_eq!(kind(unit.remove(&queues, b"Q", 1)), ErrorKind::Misuse);
    assert_eq!(kind(unit.take_first(&queues, b"Q")), ErrorKind::Misuse);
    unit.syncpoint().unwrap();
    let unit = store.unit().unwrap();
    assert_eq!(items(&unit, &queues, b"Q"), [(1, b"C".to_vec()), (2, b"d".to_vec())]);
    assert_eq!(unit.item(&queues, b"Q", 2).unwrap().unwrap(), b"d");
    assert_eq!(unit.item(&queues, b"Q", 3).unwrap(), None);
}

#[test]
fn a_dense_log_belongs_to_one_unit_at_a_time() {
    let place = Place::new();
    let store = place.open();
    let queues = queues(&store);
    let mut unit = store.unit().unwrap();
    unit.append(&queues, b"Q", b"a".to_vec()).unwrap();
    let mut other = store.unit().unwrap();
    assert_eq!(kind(other.append(&queues, b"Q", b"b".to_vec())), ErrorKind::Busy);
    assert_eq!(other.append(&queues, b"R", b"b".to_vec()).unwrap(), 1);
    unit.syncpoint().unwrap();
    assert_eq!(other.append(&queues, b"Q", b"b".to_vec()).unwrap(), 2);
}

#[test]
fn a_cleared_log_is_gone_and_may_be_filled_in_the_same_unit() {
    let place = Place::new();
    let store = place.open();
    let queues = queues(&store);
    let mut unit = store.unit().unwrap();
    assert_eq!(kind(unit.clear(&queues, b"Q")), ErrorKind::NotFound);
    for value in [b"a", b"b", b"c"] {
        unit.append(&queues, b"Q", value.to_vec()).unwrap();
    }
    unit.append(&queues, b"QQ", b"other".to_vec()).unwrap();
    unit.syncpoint().unwrap();
    let used = store.used_bytes();
    let mut unit = store.unit().unwrap();
    unit.append(&queues, b"Q", b"d".to_vec()).unwrap();
    unit.clear(&queues, b"Q").unwrap();
    assert_eq!(unit.extent(&queues, b"Q").unwrap(), Extent { count: 0, next: 1 });
    assert_eq!(unit.item(&queues, b"Q", 1).unwrap(), None);
    assert_eq!(unit.append(&queues, b"Q", b"x".to_vec()).unwrap(), 1);
    assert_eq!(items(&unit, &queues, b"Q"), [(1, b"x".to_vec())]);
    unit.syncpoint().unwrap();
    let mut unit = store.unit().unwrap();
    assert_eq!(items(&unit, &queues, b"Q"), [(1, b"x".to_vec())]);
    assert_eq!(items(&unit, &queues, b"QQ"), [(1, b"other".to_vec())]);
    assert!(store.used_bytes() < used);
    assert_eq!(unit.next_log(&queues, None).unwrap().unwrap(), b"Q");
    unit.clear(&queues, b"Q").unwrap();
    unit.syncpoint().unwrap();
    let unit = store.unit().unwrap();
    assert_eq!(unit.next_log(&queues, None).unwrap().unwrap(), b"QQ");
    assert_eq!(unit.next_log(&queues, Some(b"QQ")).unwrap(), None);
}

#[test]
fn many_units_put_and_take_messages_side_by_side() {
    let place = Place::new();
    let store = place.open();
    let queues = messages(&store);
    let mut first = store.unit().unwrap();
    let mut second = store.unit().unwrap();
    assert_eq!(first.append(&queues, b"Q", b"1".to_vec()).unwrap(), 1);
    assert_eq!(second.append(&queues, b"Q", b"2".to_vec()).unwrap(), 2);
    assert_eq!(first.append(&queues, b"Q", b"3".to_vec()).unwrap(), 3);
    second.backout();
    first.syncpoint().unwrap();
    let mut third = store.unit().unwrap();
    let position = third.append(&queues, b"Q", b"4".to_vec()).unwrap();
    assert_eq!(position, 4, "what was backed out leaves a gap");
    third.syncpoint().unwrap();

    let mut one = store.unit().unwrap();
    let mut two = store.unit().unwrap();
    assert_eq!(one.take_first(&queues, b"Q").unwrap().unwrap().value, b"1");
    assert_eq!(two.take_first(&queues, b"Q").unwrap().unwrap().value, b"3");
    assert_eq!(kind(two.remove(&queues, b"Q", 1)), ErrorKind::Busy);
    assert_eq!(kind(two.clear(&queues, b"Q")), ErrorKind::Busy);
    one.backout();
    assert_eq!(two.take_first(&queues, b"Q").unwrap().unwrap().value, b"1");
    assert_eq!(two.extent(&queues, b"Q").unwrap().count, 1);
    two.syncpoint().unwrap();
    let mut last = store.unit().unwrap();
    assert_eq!(items(&last, &queues, b"Q"), [(4, b"4".to_vec())]);
    assert_eq!(last.take_first(&queues, b"Q").unwrap().unwrap().position, 4);
    assert_eq!(last.take_first(&queues, b"Q").unwrap(), None);
    last.syncpoint().unwrap();
    let mut later = store.unit().unwrap();
    let next = later.append(&queues, b"Q", b"5".to_vec()).unwrap();
    assert_eq!(next, 5, "positions are not used again when the log is empty");
}

#[test]
fn browsing_items_goes_both_ways() {
    let place = Place::new();
    let store = place.open();
    let queues = messages(&store);
    let mut unit = store.unit().unwrap();
    for value in 1..=5u8 {
        unit.append(&queues, b"Q", vec![value]).unwrap();
    }
    unit.syncpoint().unwrap();
    let mut unit = store.unit().unwrap();
    unit.remove(&queues, b"Q", 3).unwrap();
    let step = |from, direction| {
        let found = unit.browse_items(&queues, b"Q", from, direction).unwrap();
        found.map(|item| item.position)
    };
    assert_eq!(step(Bound::Unbounded, Direction::Backward), Some(5));
    assert_eq!(step(Bound::Excluded(4), Direction::Backward), Some(2));
    assert_eq!(step(Bound::Included(3), Direction::Forward), Some(4));
    assert_eq!(step(Bound::Excluded(5), Direction::Forward), None);
    assert_eq!(step(Bound::Excluded(1), Direction::Backward), None);
}

#[test]
fn an_entry_sequenced_file_is_read_by_the_bytes_before_a_record() {
    let place = Place::new();
    let store = place.open();
    let file =
        store.logs(&definition("JOURNAL", Organization::EntrySequenced, Recovery::Recoverable)).unwrap();
    let mut unit = store.unit().unwrap();
    assert_eq!(unit.append(&file, b"", b"12345".to_vec()).unwrap(), 0);
    assert_eq!(unit.append(&file, b"", b"678".to_vec()).unwrap(), 5);
    unit.syncpoint().unwrap();
    let mut unit = store.unit().unwrap();
    assert_eq!(unit.append(&file, b"", b"9".to_vec()).unwrap(), 8);
    unit.replace(&file, b"", 5, b"abc".to_vec()).unwrap();
    let error = unit.replace(&file, b"", 5, b"ab".to_vec()).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Length, "JOURNAL: expected 3 bytes, as the record has, found 2")
    );
    assert_eq!(kind(unit.append(&file, b"NAME", vec![])), ErrorKind::Misuse);
    assert_eq!(kind(unit.clear(&file, b"")), ErrorKind::Misuse);
    unit.syncpoint().unwrap();
    let unit = store.unit().unwrap();
    let expected = [(0, b"12345".to_vec()), (5, b"abc".to_vec()), (8, b"9".to_vec())];
    assert_eq!(items(&unit, &file, b""), expected);
}

#[test]
fn logs_that_are_not_recoverable_take_items_at_once() {
    let place = Place::new();
    let store = place.open();
    for (name, positions) in [("TSN", Positions::Dense), ("MQN", Positions::Unique)] {
        let logs =
            store.logs(&definition(name, Organization::Logs(positions), Recovery::NotRecoverable)).unwrap();
        let mut unit = store.unit().unwrap();
        let mut other = store.unit().unwrap();
        assert_eq!(unit.append(&logs, b"Q", b"a".to_vec()).unwrap(), 1);
        assert_eq!(other.append(&logs, b"Q", b"b".to_vec()).unwrap(), 2);
        unit.backout();
        assert_eq!(items(&other, &logs, b"Q").len(), 2);
        other.clear(&logs, b"Q").unwrap();
        assert_eq!(items(&other, &logs, b"Q").len(), 0);
    }
}
