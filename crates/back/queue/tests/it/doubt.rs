//! Units in doubt when a manager opens. Their puts and gets keep their places until the units end,
//! over crashes.
//!
//! `QUEUE_CRASH_SEEDS=from..to` runs other seeds than the usual ones.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use message::Selection;
use queue::{Attributes, Changes, Definitions, Limits, Manager, Scope, Session};
use store::{Authority, Decision, Disk, Drive, EngineKind, GlobalId, Options, Resolution, Store, Vote};

use crate::disk::{Fault, FaultyDisk, Random};
use crate::setup::{NOW, definitions, get, get_at, local, name, persistent, put};

const SEEDS: std::ops::Range<u64> = 0..60;
const QUEUES: [&str; 2] = ["ONE", "TWO"];
const UNITS: usize = 3;

fn queues() -> Definitions {
    definitions(QUEUES.map(|queue| local(queue, Attributes::default())).to_vec())
}

fn open(disk: &Arc<FaultyDisk>, engine: EngineKind) -> store::Result<(Manager, Arc<Store>)> {
    let options = Options { drive: Drive::Caller, engine, ..Options::default() };
    let store = Arc::new(Store::open_on_disks(Arc::clone(disk) as Arc<dyn Disk>, disk.log(), options)?);
    let (manager, notices) = Manager::open(Arc::clone(&store), &queues(), Limits::default(), NOW).unwrap();
    assert_eq!(notices, []);
    Ok((manager, store))
}

fn id(unit: usize) -> GlobalId {
    GlobalId::new(format!("U{unit}").as_bytes()).unwrap()
}

/// A message of the model. They stand in the order of their puts.
struct Made {
    queue: usize,
    body: String,
    put_by: Option<usize>,
    got_by: Option<usize>,
}

struct Model {
    made: Vec<Made>,
    decisions: [Decision; UNITS],
}

impl Model {
    /// The messages that can be got from a queue, and its depth.
    fn of(&self, queue: usize, in_doubt: &HashSet<usize>) -> (Vec<String>, usize) {
        let committed = |unit: usize| self.decisions[unit] == Decision::Commit;
        let (mut ready, mut depth) = (Vec::new(), 0);
        for made in self.made.iter().filter(|made| made.queue == queue) {
            let doubtful =
                [made.put_by, made.got_by].into_iter().flatten().any(|unit| in_doubt.contains(&unit));
            let there =
                doubtful || (made.put_by.is_none_or(committed) && !made.got_by.is_some_and(committed));
            depth += usize::from(there);
            if there && !doubtful {
                ready.push(made.body.clone());
            }
        }
        (ready, depth)
    }

    fn check(&self, manager: &Manager, in_doubt: &HashSet<usize>, told: &str) {
        for (queue, shown) in QUEUES.iter().enumerate() {
            let (ready, depth) = self.of(queue, in_doubt);
            assert_eq!(browse(&manager.session(), shown), ready, "{told}: {shown}");
            assert_eq!(manager.inquire(&name(shown)).unwrap().depth, depth, "{told}: {shown}");
        }
    }
}

fn browse(session: &Session, queue: &str) -> Vec<String> {
    let (mut found, mut after) = (Vec::new(), None);
    while let Some(browsed) = session.browse(&name(queue), &Selection::ANY, after, NOW).unwrap() {
        found.push(String::from_utf8(browsed.message.body).unwrap());
        after = Some(browsed.position);
    }
    found
}

fn in_doubt(store: &Store) -> HashSet<usize> {
    let listed: HashSet<GlobalId> = store.in_doubt().into_iter().map(|unit| unit.id).collect();
    (0..UNITS).filter(|unit| listed.contains(&id(*unit))).collect()
}

/// Units put and get side by side, with single puts between them. Then they prepare.
fn prepare(manager: &Manager, store: &Store, random: &mut Random) -> Model {
    let session = manager.session();
    let decisions = [0; UNITS].map(|_| [Decision::Commit, Decision::Abort][random.below(2)]);
    let mut model = Model { made: Vec::new(), decisions };
    let mut units: Vec<_> = (0..UNITS).map(|_| (store.unit().unwrap(), Changes::default())).collect();
    for number in 0..30 {
        let (queue, unit) = (random.below(2), random.below(UNITS));
        let body = format!("message {number}");
        let (of_unit, changes) = &mut units[unit];
        let mut scope = Scope { unit: of_unit, changes };
        match random.below(3) {
            0 => {
                put(&session, QUEUES[queue], persistent(&body)).unwrap();
                model.made.push(Made { queue, body, put_by: None, got_by: None });
            }
            1 => {
                session.put(&mut scope, &name(QUEUES[queue]), persistent(&body), NOW).unwrap();
                model.made.push(Made { queue, body, put_by: Some(unit), got_by: None });
            }
            _ => {
                let got = session.get(&mut scope, &name(QUEUES[queue]), &Selection::ANY, NOW).unwrap();
                let Some(got) = got else { continue };
                let body = String::from_utf8(got.body).unwrap();
                let made = model.made.iter_mut().find(|made| made.queue == queue && made.body == body);
                made.unwrap().got_by = Some(unit);
            }
        }
    }
    for (number, (unit, changes)) in units.into_iter().enumerate() {
        if let Vote::Prepared(prepared) = unit.prepare(&id(number), "REGA").unwrap() {
            drop(prepared);
        }
        changes.forget();
    }
    model
}

fn run(seed: u64) {
    let mut random = Random(seed);
    let engine = |random: &mut Random| [EngineKind::File, EngineKind::Log][random.below(2)];
    let mut disk = FaultyDisk::new(Vec::new());
    let (manager, store) = open(&disk, engine(&mut random)).unwrap();
    let model = prepare(&manager, &store, &mut random);
    let prepared = in_doubt(&store);
    std::mem::forget((manager, store));
    disk = disk.survivor(&mut random);
    for life in 0.. {
        let told = format!("seed {seed}, life {life}");
        let (manager, store) = open(&disk, engine(&mut random)).unwrap();
        let mut doubtful = in_doubt(&store);
        assert!(life > 0 || doubtful == prepared, "{told}: a prepared unit is in doubt");
        model.check(&manager, &doubtful, &told);
        if random.below(2) == 0 {
            disk.set(Fault::PowerAt(1 + random.below(40) as u64));
        }
        let whole = loop {
            let Some(unit) = (0..UNITS).find(|unit| doubtful.contains(unit)) else { break true };
            match store.resolve(&id(unit), model.decisions[unit], Authority::Coordinator) {
                Ok(resolution) => assert_eq!(resolution, Resolution::Done),
                Err(_) => break false,
            }
            doubtful.remove(&unit);
            if manager.sweep(NOW).is_err() {
                break false;
            }
            model.check(&manager, &doubtful, &told);
        };
        if whole {
            return;
        }
        std::mem::forget((manager, store));
        disk = disk.survivor(&mut random);
    }
}

#[test]
fn units_in_doubt_keep_their_messages_until_they_are_told() {
    let seeds = match std::env::var("QUEUE_CRASH_SEEDS") {
        Ok(given) => {
            let (from, to) = given.split_once("..").expect("QUEUE_CRASH_SEEDS=from..to");
            from.parse().unwrap()..to.parse().unwrap()
        }
        Err(_) => SEEDS,
    };
    seeds.for_each(run);
}

#[test]
fn who_waits_gets_what_a_unit_in_doubt_has_put() {
    let disk = FaultyDisk::new(Vec::new());
    let (manager, store) = open(&disk, EngineKind::Log).unwrap();
    let session = manager.session();
    put(&session, "ONE", persistent("taken")).unwrap();
    let (mut unit, mut changes) = (store.unit().unwrap(), Changes::default());
    let mut scope = Scope { unit: &mut unit, changes: &mut changes };
    assert!(session.get(&mut scope, &name("ONE"), &Selection::ANY, NOW).unwrap().is_some());
    let put = session.put(&mut scope, &name("ONE"), persistent("in doubt"), NOW).unwrap();
    assert!(matches!(unit.prepare(&id(0), "REGA").unwrap(), Vote::Prepared(_)));
    changes.forget();
    std::mem::forget((manager, store));
    let (manager, store) = open(&disk.after_process_end(), EngineKind::Log).unwrap();
    let session = manager.session();
    assert_eq!(get(&session, "ONE"), None, "nobody gets what a unit in doubt holds");
    let woken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&woken);
    let by_id = Selection::by_message_id(put.message_id);
    let wake = move || {
        count.fetch_add(1, Ordering::SeqCst);
    };
    let waiter = session.wait(&name("ONE"), &by_id, wake, NOW).unwrap();
    manager.sweep(NOW).unwrap();
    assert_eq!(woken.load(Ordering::SeqCst), 0);
    assert_eq!(store.resolve(&id(0), Decision::Commit, Authority::Operator).unwrap(), Resolution::Done);
    manager.sweep(NOW).unwrap();
    assert_eq!(woken.load(Ordering::SeqCst), 1);
    drop(waiter);
    assert_eq!(get_at(&session, "ONE", &by_id, NOW).unwrap().unwrap().body, b"in doubt");
    let inquiry = manager.inquire(&name("ONE")).unwrap();
    assert_eq!((inquiry.depth, inquiry.counters.puts, inquiry.counters.gets), (0, 1, 2));
}

#[test]
fn messages_of_a_unit_that_goes_into_doubt_keep_their_places_until_it_ends() {
    for decision in [Decision::Commit, Decision::Abort] {
        for is_told in [true, false] {
            let (manager, store) = open(&FaultyDisk::new(Vec::new()), EngineKind::Log).unwrap();
            let session = manager.session();
            put(&session, "ONE", persistent("first")).unwrap();
            let (mut unit, mut changes) = (store.unit().unwrap(), Changes::default());
            let mut scope = Scope { unit: &mut unit, changes: &mut changes };
            assert!(session.get(&mut scope, &name("ONE"), &Selection::ANY, NOW).unwrap().is_some());
            session.put(&mut scope, &name("ONE"), persistent("second"), NOW).unwrap();
            session.put(&mut scope, &name("TWO"), persistent("third"), NOW).unwrap();
            assert!(matches!(unit.prepare(&id(0), "REGA").unwrap(), Vote::Prepared(_)));
            changes.in_doubt(&id(0));
            manager.sweep(NOW).unwrap();
            assert_eq!((get(&session, "ONE"), get(&session, "TWO")), (None, None));
            store.resolve(&id(0), decision, Authority::Coordinator).unwrap();
            match is_told {
                true => manager.settle_unit(&id(0), decision),
                false => drop(manager.sweep(NOW).unwrap()),
            }
            let text = |text: &str| Some(text.to_owned());
            let (one, two) = match decision {
                Decision::Commit => (text("second"), text("third")),
                Decision::Abort => (text("first"), None),
            };
            assert_eq!((get(&session, "ONE"), get(&session, "TWO")), (one, two), "{decision:?} {is_told}");
            assert_eq!((get(&session, "ONE"), manager.inquire(&name("ONE")).unwrap().depth), (None, 0));
            assert_eq!(manager.inquire(&name("TWO")).unwrap().depth, 0);
        }
    }
}
