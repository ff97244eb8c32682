//! Locks as units use them: waiting, waking, deadlocks, threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use store::{Answer, ErrorKind, Locking, Mode, Options};

use crate::setup::{Place, accounts, granted, kind, waiting};

const NO_TIME: Duration = Duration::ZERO;
const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_ticket_is_woken_when_the_holder_ends_and_the_waiter_reads_what_it_wrote() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    let mut holder = store.unit().unwrap();
    holder.insert(&file, b"1", b"a".to_vec()).unwrap();
    let mut unit = store.unit().unwrap();
    let ticket = waiting(unit.lock(&file, b"1", Mode::Exclusive));
    let woken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&woken);
    ticket.on_answer(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    assert!(matches!(ticket.answer(), Answer::Waiting));
    holder.syncpoint().unwrap();
    assert_eq!(woken.load(Ordering::Relaxed), 1);
    assert!(matches!(ticket.answer(), Answer::Granted));
    ticket.wait(NO_TIME).unwrap();
    assert_eq!(unit.read(&file, b"1").unwrap().unwrap(), b"a");
    unit.rewrite(&file, b"1", b"b".to_vec()).unwrap();
}

#[test]
fn a_wait_that_ends_leaves_the_queue() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    let mut holder = store.unit().unwrap();
    granted(holder.lock(&file, b"1", Mode::Shared));
    let mut first = store.unit().unwrap();
    let ticket = waiting(first.lock(&file, b"1", Mode::Exclusive));
    let mut second = store.unit().unwrap();
    let behind = waiting(second.lock(&file, b"1", Mode::Shared));
    let error = ticket.wait(NO_TIME).unwrap_err();
    assert_eq!((error.kind(), error.may_retry()), (ErrorKind::TimedOut, true));
    behind.wait(NO_TIME).expect("nobody is before it any more");
    granted(first.lock(&file, b"2", Mode::Exclusive));
}

#[test]
fn circles_of_any_length_are_refused_to_who_closes_them() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    for length in 2..6u8 {
        let mut units: Vec<_> = (0..length).map(|_| store.unit().unwrap()).collect();
        for (number, unit) in (0..).zip(&mut units) {
            granted(unit.lock(&file, &[number], Mode::Exclusive));
        }
        let tickets: Vec<_> = (0..length - 1)
            .map(|n| waiting(units[usize::from(n)].lock(&file, &[n + 1], Mode::Exclusive)))
            .collect();
        let mut last = units.pop().unwrap();
        let error = last.lock(&file, &[0], Mode::Exclusive).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Deadlock);
        assert!(error.to_string().ends_with(&format!("in a circle of {length} units")), "{error}");
        last.backout();
        for ticket in tickets.into_iter().rev() {
            ticket.wait(NO_TIME).expect("the unit behind has ended");
            units.pop().unwrap().backout();
        }
    }
}

#[test]
fn two_readers_that_both_want_to_write_are_a_deadlock() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    let (mut one, mut two) = (store.unit().unwrap(), store.unit().unwrap());
    granted(one.lock(&file, b"1", Mode::Shared));
    granted(two.lock(&file, b"1", Mode::Shared));
    let ticket = waiting(one.lock(&file, b"1", Mode::Exclusive));
    assert_eq!(kind(two.lock(&file, b"1", Mode::Exclusive)), ErrorKind::Deadlock);
    two.backout();
    ticket.wait(NO_TIME).unwrap();
    one.insert(&file, b"1", vec![]).unwrap();
}

#[test]
fn a_reader_that_wants_to_write_goes_before_those_who_hold_nothing() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    let mut units: Vec<_> = (0..3).map(|_| store.unit().unwrap()).collect();
    granted(units[0].lock(&file, b"1", Mode::Shared));
    granted(units[1].lock(&file, b"1", Mode::Shared));
    let stranger = waiting(units[2].lock(&file, b"1", Mode::Exclusive));
    let upgrade = waiting(units[0].lock(&file, b"1", Mode::Exclusive));
    units.remove(1).backout();
    upgrade.wait(NO_TIME).unwrap();
    assert!(matches!(stranger.answer(), Answer::Waiting));
    units.remove(0).backout();
    stranger.wait(NO_TIME).unwrap();
}

#[test]
fn names_are_locked_and_given_up() {
    let place = Place::new();
    let store = place.open();
    let file = accounts(&store);
    let (mut one, mut two) = (store.unit().unwrap(), store.unit().unwrap());
    granted(one.enqueue(b"PRINTER"));
    granted(one.enqueue(b"PRINTER"));
    let ticket = waiting(two.enqueue(b"PRINTER"));
    one.dequeue(b"PRINTER");
    ticket.wait(NO_TIME).unwrap();
    granted(one.lock(&file, b"PRINTER", Mode::Exclusive));
    one.unlock(&file, b"PRINTER").unwrap();
    granted(two.lock(&file, b"PRINTER", Mode::Exclusive));
    two.insert(&file, b"PRINTER", vec![]).unwrap();
    two.unlock(&file, b"PRINTER").unwrap();
    assert_eq!(kind(one.insert(&file, b"PRINTER", vec![])), ErrorKind::Busy, "a changed record stays locked");
}

#[test]
fn a_unit_that_ends_while_it_waits_is_told() {
    let place = Place::new();
    let store = place.open();
    let mut holder = store.unit().unwrap();
    granted(holder.enqueue(b"N"));
    let mut unit = store.unit().unwrap();
    let ticket = waiting(unit.enqueue(b"N"));
    assert_eq!(kind(unit.enqueue(b"M")), ErrorKind::Misuse, "one wait at a time");
    unit.backout();
    assert_eq!(kind(ticket.wait(LONG)), ErrorKind::Stopped);
}

#[test]
fn threads_that_add_to_one_record_lose_no_addition() {
    let place = Place::with(Options { batch_delay_us: 50, batch_units_max: 4, ..Options::default() });
    let store = place.open();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    for key in [b"1", b"2"] {
        unit.insert(&file, key, b"0".to_vec()).unwrap();
    }
    unit.syncpoint().unwrap();
    let add = |first: &[u8], second: &[u8]| -> store::Result<()> {
        let mut unit = store.unit()?;
        for key in [first, second] {
            if let Locking::Waiting(ticket) = unit.lock(&file, key, Mode::Exclusive)? {
                ticket.wait(LONG)?;
            }
            let value: u64 = String::from_utf8(unit.read(&file, key)?.unwrap()).unwrap().parse().unwrap();
            unit.rewrite(&file, key, (value + 1).to_string().into_bytes())?;
        }
        unit.syncpoint()
    };
    let deadlocks = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (add, deadlocks) = (&add, &deadlocks);
            scope.spawn(move || {
                for _ in 0..25 {
                    let keys: [&[u8]; 2] = if thread % 2 == 0 { [b"1", b"2"] } else { [b"2", b"1"] };
                    while let Err(error) = add(keys[0], keys[1]) {
                        assert_eq!(error.kind(), ErrorKind::Deadlock, "{error}");
                        deadlocks.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let unit = store.unit().unwrap();
    for key in [b"1", b"2"] {
        assert_eq!(unit.read(&file, key).unwrap().unwrap(), b"200");
    }
    assert_eq!(store.units_open(), 1);
}
