//! Units over several stores: prepare, decide, doubt, operators.

use std::sync::{Arc, Mutex};

use store::{
    Authority, Decision, Disk, Drive, ErrorKind, GlobalId, Mode, Options, Preparation, Prepared, Resolution,
    Store, Unit, Verdict, Vote,
};

use crate::disk::{Fault, FaultyDisk};
use crate::setup::{Place, accounts, granted, items, kind, messages, queues, waiting};

fn id(name: &str) -> GlobalId {
    GlobalId::new(name.as_bytes()).unwrap()
}

#[track_caller]
fn prepare(unit: Unit, name: &str) -> Prepared {
    match unit.prepare(&id(name), "REGA").unwrap() {
        Vote::Prepared(prepared) => prepared,
        Vote::ReadOnly => panic!("the unit has changes"),
    }
}

fn changed(store: &Store, key: &[u8]) -> Unit {
    let mut unit = store.unit().unwrap();
    unit.insert(&accounts(store), key, b"new".to_vec()).unwrap();
    unit
}

fn read(store: &Store, key: &[u8]) -> Option<Vec<u8>> {
    store.unit().unwrap().read(&accounts(store), key).unwrap()
}

#[test]
fn a_unit_over_two_stores_commits_in_both() {
    let (here, there) = (Place::new(), Place::new());
    let (coordinator, participant) = (here.open(), there.open());
    let mut unit = changed(&coordinator, b"1");
    unit.coordinate(&id("U1")).unwrap();
    let prepared = prepare(changed(&participant, b"1"), "U1");
    assert_eq!(coordinator.verdict(&id("U1")), Verdict::Undecided);
    assert_eq!(read(&participant, b"1"), None);
    unit.decide_commit(&["REGB"]).unwrap();
    assert_eq!(coordinator.verdict(&id("U1")), Verdict::Committed);
    assert_eq!(prepared.commit().unwrap(), Resolution::Done);
    for store in [&coordinator, &participant] {
        assert_eq!(read(store, b"1").unwrap(), b"new");
    }
    assert_eq!(coordinator.decisions()[0].participants, ["REGB"]);
    coordinator.acknowledge(&id("U1"), "REGB").unwrap();
    assert!(coordinator.decisions().is_empty());
    drop(coordinator);
    assert!(here.open().decisions().is_empty());
}

#[test]
fn without_a_decision_a_unit_is_aborted_in_both() {
    let (here, there) = (Place::new(), Place::new());
    let (coordinator, participant) = (here.open(), there.open());
    let mut unit = changed(&coordinator, b"1");
    unit.coordinate(&id("U1")).unwrap();
    let prepared = prepare(changed(&participant, b"1"), "U1");
    unit.backout();
    assert_eq!(coordinator.verdict(&id("U1")), Verdict::Aborted);
    assert_eq!(prepared.abort().unwrap(), Resolution::Done);
    for store in [&coordinator, &participant] {
        assert_eq!(read(store, b"1"), None);
    }
    assert!(participant.in_doubt().is_empty());
    assert_eq!(participant.units_open(), 0);
}

#[test]
fn a_prepared_unit_survives_a_restart_with_its_locks_and_positions() {
    let place = Place::new();
    let store = place.open();
    let (file, ts, mq) = (accounts(&store), queues(&store), messages(&store));
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"1", b"new".to_vec()).unwrap();
    unit.append(&ts, b"Q", b"item".to_vec()).unwrap();
    assert_eq!(unit.append(&mq, b"Q", b"message".to_vec()).unwrap(), 1);
    granted(unit.enqueue(b"NAME"));
    drop(prepare(unit, "U1"));
    let mut other = store.unit().unwrap();
    assert_eq!(other.append(&mq, b"Q", b"second".to_vec()).unwrap(), 2);
    other.syncpoint().unwrap();
    drop(store);

    let store = place.open();
    let (file, ts, mq) = (accounts(&store), queues(&store), messages(&store));
    let doubt = store.in_doubt();
    assert_eq!((doubt[0].coordinator.as_str(), doubt[0].writes, doubt[0].alone), ("REGA", 3, true));
    let mut other = store.unit().unwrap();
    assert_eq!(kind(other.insert(&file, b"1", vec![])), ErrorKind::Locked);
    assert_eq!(kind(other.lock(&file, b"1", Mode::Shared)), ErrorKind::Locked);
    assert_eq!(kind(other.append(&ts, b"Q", vec![])), ErrorKind::Locked);
    assert_eq!(kind(other.enqueue(b"NAME")), ErrorKind::Locked);
    assert_eq!(other.append(&mq, b"Q", b"third".to_vec()).unwrap(), 3);
    other.syncpoint().unwrap();
    let resolved = store.resolve(&id("U1"), Decision::Commit, Authority::Coordinator).unwrap();
    assert_eq!(resolved, Resolution::Done);
    let unit = store.unit().unwrap();
    assert_eq!(unit.read(&file, b"1").unwrap().unwrap(), b"new");
    assert_eq!(items(&unit, &ts, b"Q"), [(1, b"item".to_vec())]);
    let expected = [(1, b"message".to_vec()), (2, b"second".to_vec()), (3, b"third".to_vec())];
    assert_eq!(items(&unit, &mq, b"Q"), expected);
    assert_eq!(unit.extent(&mq, b"Q").unwrap().count, 3);
    drop(unit);
    let again = store.resolve(&id("U1"), Decision::Commit, Authority::Coordinator).unwrap();
    assert_eq!(again, Resolution::NothingInDoubt);
    drop(store);
    assert!(place.open().in_doubt().is_empty());
}

#[test]
fn waiters_of_a_unit_that_goes_into_doubt_are_told() {
    let place = Place::new();
    let store = place.open();
    let prepared = prepare(changed(&store, b"1"), "U1");
    let mut unit = store.unit().unwrap();
    let ticket = waiting(unit.lock(&accounts(&store), b"1", Mode::Exclusive));
    drop(prepared);
    assert_eq!(kind(ticket.wait(std::time::Duration::ZERO)), ErrorKind::Locked);
    assert!(store.in_doubt()[0].alone);
}

#[test]
fn a_unit_that_outlives_its_store_is_not_resolved() {
    let place = Place::new();
    let store = place.open();
    let units = ["U1", "U2"].map(|name| prepare(changed(&store, name.as_bytes()), name));
    let late = changed(&store, b"3");
    drop(store);
    let [first, second] = units;
    assert_eq!(kind(first.commit()), ErrorKind::Stopped);
    assert_eq!(kind(second.abort()), ErrorKind::Stopped);
    assert_eq!(kind(late.prepare(&id("U3"), "REGA")), ErrorKind::Stopped);
    assert_eq!(place.open().in_doubt().len(), 2);
}

#[test]
fn a_unit_whose_handle_goes_while_its_decision_fails_is_in_doubt() {
    let disk = FaultyDisk::new(Vec::new());
    let options = Options { drive: Drive::Caller, ..Options::default() };
    let store = Store::open_on_disks(Arc::clone(&disk) as Arc<dyn Disk>, disk.log(), options).unwrap();
    let file = accounts(&store);
    let mut unit = store.unit().unwrap();
    unit.insert(&file, b"1", vec![1; 10 << 20]).unwrap();
    let prepared = prepare(unit, "U1");
    let all: usize = disk.all().iter().map(Vec::len).sum();
    disk.set(Fault::Full(all as u64));
    let (tell, told) = std::sync::mpsc::channel();
    let then = move |end| tell.send(end).unwrap();
    store.resolve_then(&id("U1"), Decision::Commit, Authority::Coordinator, then);
    drop(prepared);
    let mut other = store.unit().unwrap();
    let ticket = waiting(other.lock(&file, b"1", Mode::Exclusive));
    assert!(store.drive());
    assert_eq!(kind(told.recv().unwrap()), ErrorKind::NoSpace);
    assert!(store.in_doubt()[0].alone, "no coordinator is connected");
    assert_eq!(kind(ticket.wait(std::time::Duration::ZERO)), ErrorKind::Locked);
    disk.set(Fault::Nothing);
    store.resolve(&id("U1"), Decision::Commit, Authority::Coordinator).unwrap();
    assert!(read(&store, b"1").is_some());
}

#[test]
fn an_operator_can_force_and_a_coordinator_that_says_otherwise_finds_out() {
    let place = Place::new();
    let store = place.open();
    for (name, key) in [("U1", b"1"), ("U2", b"2")] {
        drop(prepare(changed(&store, key), name));
    }
    let force = |name, decision| store.resolve(&id(name), decision, Authority::Operator);
    assert_eq!(force("U1", Decision::Commit).unwrap(), Resolution::Done);
    assert_eq!(force("U2", Decision::Abort).unwrap(), Resolution::Done);
    assert_eq!(kind(force("U3", Decision::Abort)), ErrorKind::NotFound);
    assert_eq!((read(&store, b"1").is_some(), read(&store, b"2").is_some()), (true, false));
    drop(store);
    let store = place.open();
    assert_eq!(store.forced(), [(id("U1"), Decision::Commit), (id("U2"), Decision::Abort)]);
    let told = |name, decision| store.resolve(&id(name), decision, Authority::Coordinator).unwrap();
    assert_eq!(told("U1", Decision::Commit), Resolution::AsForced);
    assert_eq!(told("U1", Decision::Commit), Resolution::NothingInDoubt);
    assert_eq!(told("U2", Decision::Commit), Resolution::Contradicts);
    assert_eq!(told("U2", Decision::Commit), Resolution::Contradicts, "until people have looked");
    store.forget_forced(&id("U2")).unwrap();
    assert_eq!(kind(store.forget_forced(&id("U2"))), ErrorKind::NotFound);
    assert_eq!(told("U2", Decision::Commit), Resolution::NothingInDoubt);
}

#[test]
fn a_decision_survives_a_restart_until_all_have_confirmed() {
    let place = Place::new();
    let store = place.open();
    let mut unit = store.unit().unwrap();
    unit.coordinate(&id("U1")).unwrap();
    assert_eq!(kind(unit.coordinate(&id("U2"))), ErrorKind::Misuse);
    assert_eq!(kind(store.unit().unwrap().coordinate(&id("U1"))), ErrorKind::Duplicate);
    unit.decide_commit(&["REGC", "REGB"]).unwrap();
    store.acknowledge(&id("U1"), "REGC").unwrap();
    drop(store);
    let store = place.open();
    assert_eq!(store.verdict(&id("U1")), Verdict::Committed);
    assert_eq!(kind(store.unit().unwrap().coordinate(&id("U1"))), ErrorKind::Duplicate);
    assert_eq!(store.decisions()[0].participants, ["REGB", "REGC"]);
    for participant in ["REGB", "REGC", "REGC"] {
        store.acknowledge(&id("U1"), participant).unwrap();
    }
    assert_eq!(store.verdict(&id("U1")), Verdict::Aborted, "all know it, nobody asks");
}

#[test]
fn units_without_changes_and_wrong_ids_are_answered_at_once() {
    let place = Place::new();
    let store = place.open();
    let unit = store.unit().unwrap();
    assert!(matches!(unit.prepare(&id("U1"), "REGA").unwrap(), Vote::ReadOnly));
    let prepared = prepare(changed(&store, b"1"), "U1");
    assert_eq!(kind(changed(&store, b"2").prepare(&id("U1"), "REGA")), ErrorKind::Duplicate);
    assert_eq!(read(&store, b"2"), None);
    let mut both = changed(&store, b"3");
    both.coordinate(&id("U2")).unwrap();
    assert_eq!(kind(both.prepare(&id("U3"), "REGA")), ErrorKind::Misuse);
    assert_eq!(kind(store.unit().unwrap().decide_commit(&[])), ErrorKind::Misuse);
    assert_eq!(kind(GlobalId::new(b"")), ErrorKind::Length);
    assert_eq!(kind(GlobalId::new(&[0; 129])), ErrorKind::Length);
    assert_eq!(GlobalId::new(&[0, 255]).unwrap().to_string(), "00FF");
    assert_eq!(prepared.id().to_string(), "U1");
}

#[test]
fn both_phases_call_back_and_nothing_happens_before_the_batch() {
    let place = Place::new();
    let store = place.open();
    let (votes, ends) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    for number in 0..3u8 {
        let votes = Arc::clone(&votes);
        let id = id(&format!("U{number}"));
        let preparation = Preparation { id: &id, coordinator: "REGA", participants: &[] };
        changed(&store, &[number]).prepare_then(preparation, move |vote| votes.lock().unwrap().push(vote));
    }
    assert!(votes.lock().unwrap().is_empty() && store.in_doubt().is_empty());
    let early = store.resolve(&id("U0"), Decision::Commit, Authority::Coordinator);
    assert_eq!(kind(early), ErrorKind::Busy);
    assert!(store.drive());
    let prepared: Vec<Prepared> = votes
        .lock()
        .unwrap()
        .drain(..)
        .map(|vote| match vote.unwrap() {
            Vote::Prepared(prepared) => prepared,
            Vote::ReadOnly => panic!("the unit has changes"),
        })
        .collect();
    for prepared in &prepared {
        let ends = Arc::clone(&ends);
        store.resolve_then(prepared.id(), Decision::Commit, Authority::Coordinator, move |end| {
            ends.lock().unwrap().push(end.unwrap());
        });
    }
    assert_eq!(read(&store, &[0]), None);
    assert!(store.drive() && !store.drive());
    assert_eq!(*ends.lock().unwrap(), [Resolution::Done; 3]);
    drop(prepared);
    assert_eq!(read(&store, &[2]).unwrap(), b"new");
    assert!(store.in_doubt().is_empty());
}

/// Prepares a unit in the middle: REGC has prepared below it.
fn prepare_above(mut unit: Unit, name: &str) -> store::Result<Vote> {
    unit.coordinate(&id(name))?;
    let (tell, told) = std::sync::mpsc::channel();
    let (id, participants) = (id(name), ["REGC".to_owned()]);
    let preparation = Preparation { id: &id, coordinator: "REGA", participants: &participants };
    unit.prepare_then(preparation, move |vote| tell.send(vote).unwrap());
    told.recv().unwrap()
}

#[test]
fn a_store_in_the_middle_decides_what_it_is_told() {
    let place = Place::with(Options::default());
    let store = place.open();
    for (name, decision, verdict) in
        [("U1", Decision::Commit, Verdict::Committed), ("U2", Decision::Abort, Verdict::Aborted)]
    {
        // One with changes of its own, one without: those below must be told all the same.
        let unit = if name == "U1" { changed(&store, b"1") } else { store.unit().unwrap() };
        let Vote::Prepared(prepared) = prepare_above(unit, name).unwrap() else {
            panic!("it has participants")
        };
        assert_eq!(store.verdict(&id(name)), Verdict::Undecided);
        assert_eq!(store.in_doubt()[0].participants, ["REGC"]);
        assert!(store.decisions().is_empty());
        let told = if decision == Decision::Commit { prepared.commit() } else { prepared.abort() };
        assert_eq!(told.unwrap(), Resolution::Done);
        assert_eq!(store.verdict(&id(name)), verdict);
        let decisions = store.decisions();
        assert_eq!(decisions.len(), usize::from(decision == Decision::Commit));
        if let [decision] = &decisions[..] {
            assert_eq!(decision.participants, ["REGC"]);
            store.acknowledge(&id(name), "REGC").unwrap();
        }
    }
    assert!(store.decisions().is_empty() && store.in_doubt().is_empty());
}

#[test]
fn a_store_in_the_middle_remembers_whom_it_tells() {
    for decision in [Decision::Commit, Decision::Abort] {
        for authority in [Authority::Coordinator, Authority::Operator] {
            let place = Place::with(Options::default());
            let store = place.open();
            drop(prepare_above(changed(&store, b"1"), "U1").unwrap());
            drop(store);
            let store = place.open();
            assert_eq!(store.verdict(&id("U1")), Verdict::Undecided, "nobody below may presume an abort");
            assert_eq!(store.in_doubt()[0].participants, ["REGC"]);
            // A second unit of this id would decide for those below, too.
            assert_eq!(kind(store.unit().unwrap().coordinate(&id("U1"))), ErrorKind::Duplicate);
            assert_eq!(store.resolve(&id("U1"), decision, authority).unwrap(), Resolution::Done);
            drop(store);
            let store = place.open();
            let commits = decision == Decision::Commit;
            let verdict = if commits { Verdict::Committed } else { Verdict::Aborted };
            assert_eq!(store.verdict(&id("U1")), verdict, "{decision:?} {authority:?}");
            assert_eq!(store.decisions().len(), usize::from(commits));
            assert_eq!(read(&store, b"1").is_some(), commits);
            assert!(store.in_doubt().is_empty());
        }
    }
}

#[test]
fn a_unit_without_changes_waits_for_its_decision_if_its_caller_does() {
    let place = Place::with(Options::default());
    for decision in [Decision::Commit, Decision::Abort] {
        let store = place.open();
        let mut unit = store.unit().unwrap();
        unit.await_decision();
        drop(prepare(unit, "U1"));
        drop(store);
        let store = place.open();
        assert_eq!(store.in_doubt()[0].writes, 0);
        assert_eq!(store.resolve(&id("U1"), decision, Authority::Coordinator).unwrap(), Resolution::Done);
        assert!(store.in_doubt().is_empty());
    }
    assert!(place.open().in_doubt().is_empty());
}

#[test]
fn who_has_participants_coordinates_them_under_the_same_id() {
    let place = Place::with(Options::default());
    let store = place.open();
    let participants = ["REGC".to_owned()];
    let (tell, told) = std::sync::mpsc::channel();
    let preparation = Preparation { id: &id("U1"), coordinator: "REGA", participants: &participants };
    changed(&store, b"1").prepare_then(preparation, move |vote| tell.send(vote).unwrap());
    assert_eq!(kind(told.recv().unwrap()), ErrorKind::Misuse);
    assert_eq!(read(&store, b"1"), None);
    // Nobody below has changed anything, nor has this store.
    let mut unit = store.unit().unwrap();
    unit.coordinate(&id("U1")).unwrap();
    assert!(matches!(unit.prepare(&id("U1"), "REGA").unwrap(), Vote::ReadOnly));
    assert_eq!(store.verdict(&id("U1")), Verdict::Aborted);
}
