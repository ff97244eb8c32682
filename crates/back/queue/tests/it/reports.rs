//! Reports about messages: their queues, their content, and their units of work.

use std::sync::{Arc, Mutex};

use message::{
    CorrelationId, Expiry, Kind, ManagerName, Message, NewMessage, Persistence, Priority, Reason, Refusal,
    ReplyTo, Report, Selection, feedback,
};
use queue::{Attributes, DeadLetter, Definitions, Limits, Manager, News, Session};
use store::Store;

use crate::disk::{Fault, FaultyDisk};
use crate::setup::{NOW, definitions, get_at, local, manager, name, open_store, persistent, put, reason};

const COA: u32 = 0x100;
const COD: u32 = 0x800;
const EXPIRATION: u32 = 0x0020_0000;
const EXCEPTION: u32 = 0x0100_0000;
const DISCARD: u32 = 0x0800_0000;

/// A manager, with the news that it has reported.
struct World {
    manager: Manager,
    session: Session,
    store: Arc<Store>,
    told: Arc<Mutex<Vec<News>>>,
}

fn queues(dead: Option<&str>) -> Definitions {
    let q = Attributes { backout_threshold: 1, ..Attributes::default() };
    let all = vec![
        local("Q", q),
        local("REPORTS", Attributes::default()),
        local("DEAD", Attributes::default()),
        local("SHUT", Attributes { put_enabled: false, ..Attributes::default() }),
    ];
    Definitions { dead_letter_queue: dead.map(name), ..definitions(all) }
}

fn world(all: &Definitions) -> World {
    let (manager, store, _) = manager(all, Limits::default());
    let told = Arc::<Mutex<Vec<News>>>::default();
    let heard = Arc::clone(&told);
    manager.set_hearing(move |news| heard.lock().unwrap().push(news.clone()));
    World { session: manager.session(), manager, store, told }
}

fn asking(report: u32, reply_to: &str, message: NewMessage) -> NewMessage {
    let reply_to = Some(ReplyTo { queue: name(reply_to), manager: None });
    NewMessage { report: Report(report), reply_to, ..message }
}

impl World {
    fn depth(&self, queue: &str) -> usize {
        self.manager.inquire(&name(queue)).unwrap().depth
    }

    fn first(&self, queue: &str) -> Option<Message> {
        get_at(&self.session, queue, &Selection::ANY, NOW).unwrap()
    }

    fn told(&self) -> Vec<News> {
        std::mem::take(&mut *self.told.lock().unwrap())
    }

    fn reports_lost(&self) -> u64 {
        self.manager.inquire(&name("Q")).unwrap().counters.reports_lost
    }
}

#[test]
fn arrival_is_reported_when_the_put_commits() {
    let world = world(&queues(None));
    let new = NewMessage {
        priority: Some(Priority::MAX),
        correlation_id: CorrelationId([9; 24]),
        ..asking(COA | 0x200, "REPORTS", persistent(&"x".repeat(150)))
    };
    let mut work = world.session.begin().unwrap();
    world.session.put(&mut work.scope(), &name("Q"), new.clone(), NOW).unwrap();
    assert_eq!(world.first("REPORTS"), None, "the unit has not committed");
    drop(work);
    assert_eq!((world.depth("Q"), world.depth("REPORTS")), (0, 0), "the unit was backed out");
    let id = put(&world.session, "Q", new).unwrap();
    let report = world.first("REPORTS").expect("a report");
    let descriptor = &report.descriptor;
    assert_eq!((descriptor.kind, descriptor.feedback), (Kind::Report, feedback::ARRIVAL));
    assert_eq!((descriptor.correlation_id, descriptor.report), (id.into(), Report::NONE));
    assert_ne!(descriptor.message_id, id);
    assert_eq!((descriptor.persistence, descriptor.priority), (Persistence::Persistent, Priority::MAX));
    assert_eq!((descriptor.put, report.body), (NOW, vec![b'x'; 100]));
    assert_eq!(world.depth("Q"), 1);
    let kept = world.first("Q").expect("the message").descriptor.report;
    assert_eq!(kept, Report(COA | 0x200), "whoever gets the message sees its options");
    assert_eq!(world.told(), []);
}

#[test]
fn delivery_is_reported_when_the_get_commits() {
    let world = world(&queues(None));
    let (later, options) = (NOW.plus_ms(5), COD | 0x1000 | 0x2000 | 0x80 | 0x40);
    let new = NewMessage { correlation_id: CorrelationId([9; 24]), ..persistent("all of it") };
    let id = put(&world.session, "Q", asking(options, "REPORTS", new)).unwrap();
    assert_eq!(world.depth("REPORTS"), 0);
    let browsed = world.session.browse(&name("Q"), &Selection::ANY, None, later).unwrap().unwrap();
    assert_eq!(world.depth("REPORTS"), 0, "a browse delivers nothing");
    let mut work = world.session.begin().unwrap();
    world.session.get_at(&mut work.scope(), &name("Q"), browsed.position, later).unwrap().unwrap();
    work.undo();
    assert_eq!((world.depth("Q"), world.depth("REPORTS")), (1, 0));
    let waiter = world.session.wait(&name("Q"), &Selection::ANY, || (), later).unwrap();
    let mut work = world.session.begin().unwrap();
    waiter.get(&mut work.scope(), later).unwrap().unwrap();
    assert_eq!(world.first("REPORTS"), None);
    work.commit().unwrap();
    let report = world.first("REPORTS").expect("a report");
    assert_eq!(
        (report.descriptor.message_id, report.descriptor.correlation_id),
        (id, CorrelationId([9; 24]))
    );
    assert_eq!((report.descriptor.feedback, report.descriptor.put), (feedback::DELIVERY, later));
    assert_eq!(report.body, b"all of it");
}

#[test]
fn what_is_moved_or_purged_was_not_delivered() {
    let world = world(&queues(None));
    for _ in 0..2 {
        put(&world.session, "Q", asking(COD | COA, "REPORTS", persistent("a"))).unwrap();
    }
    world.manager.move_messages((&name("Q"), &name("DEAD")), &Selection::ANY, 1).unwrap();
    world.manager.purge(&name("Q")).unwrap();
    assert_eq!((world.depth("DEAD"), world.depth("Q"), world.depth("REPORTS")), (1, 0, 2));
}

#[test]
fn expiry_is_reported_by_the_sweep_also_after_a_restart() {
    let disk = FaultyDisk::new(Vec::new());
    let all = queues(None);
    let open = || {
        let store = open_store(&disk).unwrap();
        (Manager::open(Arc::clone(&store), &all, Limits::default(), NOW).unwrap().0, store)
    };
    let (manager, store) = open();
    let brief = |body: &str| NewMessage { expiry: Expiry::AfterMs(10), ..persistent(body) };
    let id = put(&manager.session(), "Q", asking(EXPIRATION, "REPORTS", brief("told"))).unwrap();
    put(&manager.session(), "Q", asking(COA, "REPORTS", brief("silent"))).unwrap();
    drop((manager, store));
    let (manager, store) = open();
    let session = manager.session();
    let later = NOW.plus_ms(10);
    assert_eq!(get_at(&session, "Q", &Selection::ANY, later).unwrap(), None);
    assert_eq!(manager.sweep(later).unwrap().expired, 2);
    while store.drive() {}
    assert_eq!(manager.inquire(&name("Q")).unwrap().depth, 0);
    let by = Selection::by_correlation_id(id.into());
    let report = get_at(&session, "REPORTS", &by, later).unwrap().expect("a report");
    assert_eq!((report.descriptor.feedback, report.descriptor.put), (feedback::EXPIRATION, later));
    assert_eq!((report.descriptor.expires, report.body.len()), (None, 0));
    assert_eq!(manager.inquire(&name("REPORTS")).unwrap().depth, 1, "the arrival of the other one");
}

#[test]
fn a_report_that_cannot_go_to_its_queue_goes_to_the_dead_letter_queue() {
    let world = world(&queues(Some("DEAD")));
    let elsewhere = ReplyTo { queue: name("REPORTS"), manager: Some(ManagerName::new("QM2").unwrap()) };
    let cases = [
        (asking(COA, "NOWHERE", persistent("a")), Reason::UnknownObjectName),
        (asking(COA, "SHUT", NewMessage::text("a")), Reason::PutInhibited),
        (
            NewMessage { reply_to: Some(elsewhere), ..asking(COA, "REPORTS", persistent("a")) },
            Reason::UnknownRemoteManager,
        ),
    ];
    for (new, expected) in cases {
        let id = put(&world.session, "Q", new).unwrap();
        let dead = world.first("DEAD").expect("the report");
        assert_eq!((dead.descriptor.kind, dead.descriptor.feedback), (Kind::Report, feedback::ARRIVAL));
        assert_eq!(dead.descriptor.correlation_id, id.into());
        let told = world.told();
        let [News::Dead { message, queue, why }] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!((*message, queue, why.reason), (dead.descriptor.message_id, &name("DEAD"), expected));
    }
    assert_eq!((world.depth("Q"), world.reports_lost()), (3, 0));
}

#[test]
fn a_report_that_can_go_nowhere_is_told_and_counted_when_its_unit_commits() {
    for dead in [None, Some("SHUT")] {
        let world = world(&queues(dead));
        let new = asking(COA | COD, "NOWHERE", persistent("a"));
        let mut work = world.session.begin().unwrap();
        world.session.put(&mut work.scope(), &name("Q"), new.clone(), NOW).unwrap();
        drop(work);
        assert_eq!((world.told(), world.reports_lost()), (Vec::new(), 0));
        let id = put(&world.session, "Q", new).unwrap();
        assert_eq!(world.first("Q").expect("the message comes through").body, b"a");
        assert_eq!(world.reports_lost(), 2);
        let told = world.told();
        let feedbacks: Vec<u32> = told
            .iter()
            .map(|news| match news {
                News::ReportLost { message, queue, feedback, why } => {
                    assert_eq!((*message, queue), (id, &name("Q")));
                    assert_eq!(why.reason, Reason::UnknownObjectName);
                    *feedback
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(feedbacks, [feedback::ARRIVAL, feedback::DELIVERY]);
    }
}

#[test]
fn a_dead_letter_is_an_exception_and_may_be_discarded() {
    let late = || Refusal::failed(Reason::NoMessageAvailable, "nobody waits for it");
    for (options, dead, expected) in [
        (EXCEPTION, Some("DEAD"), DeadLetter::Put),
        (EXCEPTION | DISCARD, Some("DEAD"), DeadLetter::Discarded),
        (EXCEPTION, None, DeadLetter::NoQueue),
    ] {
        let world = world(&queues(dead));
        let id = put(&world.session, "Q", asking(options, "REPORTS", persistent("late"))).unwrap();
        let waiter = world.session.wait(&name("Q"), &Selection::ANY, || (), NOW).unwrap();
        let mut work = world.session.begin().unwrap();
        let message = waiter.take(&mut work.scope()).unwrap().unwrap();
        let went =
            world.session.put_dead(&mut work.scope(), ((&name("Q")).into(), message), &late(), NOW).unwrap();
        work.commit().unwrap();
        assert_eq!(went, expected);
        assert_eq!((world.depth("DEAD"), world.depth("Q")), (usize::from(expected == DeadLetter::Put), 0));
        let report = world.first("REPORTS").expect("a report");
        assert_eq!((report.descriptor.feedback, report.descriptor.correlation_id), (2033, id.into()));
        let told = world.told();
        match (expected, told.as_slice()) {
            (DeadLetter::Put, [News::Dead { message, .. }])
            | (DeadLetter::Discarded, [News::Discarded { message, .. }]) => assert_eq!(*message, id),
            (DeadLetter::NoQueue, []) => {}
            (_, told) => panic!("{told:?}"),
        }
    }
}

/// Gets the first message and backs it out at once.
fn back_out(world: &World) {
    let mut work = world.session.begin().unwrap();
    world.session.get(&mut work.scope(), &name("Q"), &Selection::ANY, NOW.plus_ms(7)).unwrap().unwrap();
    drop(work);
    while world.store.drive() {}
}

#[test]
fn a_message_that_is_backed_out_too_often_is_an_exception_without_a_backout_queue() {
    for (options, dead, left) in [
        (EXCEPTION | COD, Some("DEAD"), (0, 1, 1)),
        (EXCEPTION | DISCARD, Some("DEAD"), (0, 0, 1)),
        (EXCEPTION | DISCARD, None, (0, 0, 1)),
        (EXCEPTION, None, (1, 0, 0)),
        (EXCEPTION, Some("Q"), (1, 0, 0)),
    ] {
        let world = world(&queues(dead));
        put(&world.session, "Q", asking(options, "REPORTS", persistent("poison"))).unwrap();
        back_out(&world);
        let depths = (world.depth("Q"), world.depth("DEAD"), world.depth("REPORTS"));
        assert_eq!(depths, left, "{options:x} {dead:?}");
        if let Some(report) = world.first("REPORTS") {
            let descriptor = report.descriptor;
            assert_eq!((descriptor.feedback, descriptor.put), (2362, NOW.plus_ms(7)));
        }
        assert_eq!(world.told().len(), usize::from(left.0 == 0));
    }
}

#[test]
fn a_backout_queue_takes_messages_and_that_is_told() {
    let mut all = queues(Some("DEAD"));
    all.queues[0].attributes.backout_queue = Some(name("REPORTS"));
    let world = world(&all);
    let id = put(&world.session, "Q", asking(EXCEPTION | DISCARD, "DEAD", persistent("poison"))).unwrap();
    back_out(&world);
    assert_eq!((world.depth("REPORTS"), world.depth("DEAD")), (1, 0));
    let told = world.told();
    let (from, queue) = (name("Q"), name("REPORTS"));
    assert_eq!(told, [News::BackedOut { message: id, from, queue, count: 1 }]);
    assert!(told[0].to_string().ends_with("was backed out too often (1), and went from Q to REPORTS"));
}

#[test]
fn a_persistent_report_does_not_go_to_a_temporary_queue() {
    let mut all = queues(Some("DEAD"));
    let mut model = local("MODEL", Attributes::default());
    model.kind = queue::QueueKind::Model { permanent: false };
    all.queues.push(model);
    let world = world(&all);
    let made = world.manager.make_of_model(&name("MODEL"), "AMQ.*").unwrap();
    put(&world.session, "Q", asking(COA, made.as_str(), persistent("a"))).unwrap();
    assert_eq!((world.depth(made.as_str()), world.depth("DEAD")), (0, 1));
    put(&world.session, "Q", asking(COA, made.as_str(), NewMessage::text("a"))).unwrap();
    assert_eq!((world.depth(made.as_str()), world.depth("DEAD")), (1, 1));
}

#[test]
fn a_put_that_is_refused_reports_nothing() {
    let world = world(&queues(None));
    let refused = put(&world.session, "SHUT", asking(COA, "REPORTS", persistent("a")));
    assert_eq!(reason(refused), Reason::PutInhibited);
    assert_eq!(world.depth("REPORTS"), 0);
}

#[test]
fn a_full_disk_keeps_what_must_be_reported_and_lets_the_rest_go() {
    let disk = FaultyDisk::new(Vec::new());
    let store = open_store(&disk).unwrap();
    let mut all = queues(None);
    all.queues.push(local("FILL", Attributes::default()));
    let (manager, _) = Manager::open(Arc::clone(&store), &all, Limits::default(), NOW).unwrap();
    let session = manager.session();
    let long = "x".repeat(2 << 20);
    let brief = |body: &str| NewMessage { expiry: Expiry::AfterMs(10), ..persistent(body) };
    let (cod, expiration) = (COD | 0x1000 | 0x2000, EXPIRATION | 0x00C0_0000);
    put(&session, "Q", asking(cod, "REPORTS", persistent(&long))).unwrap();
    put(&session, "Q", persistent("silent")).unwrap();
    put(&session, "DEAD", asking(expiration, "REPORTS", brief(&long))).unwrap();
    put(&session, "DEAD", brief("silent")).unwrap();
    disk.set(Fault::Full(disk.bytes().len() as u64));
    let full = (0..100).find_map(|_| put(&session, "FILL", persistent(&long)).err());
    assert_eq!(full.expect("the disk is full").reason, Reason::QueueSpaceNotAvailable);
    let refused = get_at(&session, "Q", &Selection::ANY, NOW);
    assert_eq!(reason(refused), Reason::QueueSpaceNotAvailable, "its report has no room");
    let later = NOW.plus_ms(10);
    let _ = manager.sweep(later);
    while store.drive() {}
    let depth = |queue: &str| manager.inquire(&name(queue)).unwrap().depth;
    assert_eq!((depth("Q"), depth("DEAD"), depth("REPORTS")), (2, 1, 0));
    disk.set(Fault::Nothing);
    // After a while, the store checks again for room.
    let told = (0..2_000).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        while store.drive() {}
        get_at(&session, "Q", &Selection::ANY, later).ok().flatten()
    });
    assert_eq!(told.expect("there is room again").body, long.as_bytes());
    manager.sweep(later).unwrap();
    while store.drive() {}
    assert_eq!((depth("Q"), depth("DEAD"), depth("REPORTS")), (1, 0, 2));
}
