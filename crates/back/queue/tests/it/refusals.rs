//! Refusals of a manager, and that they change nothing.

use message::{
    Expiry, Message, MessageId, NewMessage, Persistence, Priority, Property, PropertyValue, Reason, Selection,
};
use queue::{Attributes, Definition, Limits, Manager, Notice, Origin, QueueKind};
use store::{Options, Organization, Positions, Recovery, Store};

use crate::disk::{Fault, FaultyDisk};
use crate::setup::{
    NOW, correlated, definitions, get, get_at, local, manager, name, one, open_store, persistent, put, reason,
};

#[test]
fn full_queues_and_long_messages_are_refused_and_gets_go_on() {
    let small = Attributes { depth_max: 2, length_bytes_max: 5, ..Attributes::default() };
    let (manager, _store) = one(small);
    let session = manager.session();
    put(&session, "Q", persistent("12345")).unwrap();
    assert_eq!(reason(put(&session, "Q", persistent("123456"))), Reason::MessageTooBigForQueue);
    // Uncommitted messages count, too.
    let mut work = session.begin().unwrap();
    session.put(&mut work.scope(), &name("Q"), persistent("b"), NOW).unwrap();
    assert_eq!(reason(put(&session, "Q", persistent("c"))), Reason::QueueFull);
    drop(work);
    put(&session, "Q", persistent("c")).unwrap();
    assert_eq!((get(&session, "Q").as_deref(), get(&session, "Q").as_deref()), (Some("12345"), Some("c")));
}

#[test]
fn bytes_on_disk_and_in_memory_have_limits() {
    let attributes =
        Attributes { disk_bytes_max: Some(300), memory_bytes_max: Some(600), ..Attributes::default() };
    let limits = Limits { memory_bytes_max: 800, ..Limits::default() };
    let all = definitions(vec![local("Q", attributes), local("R", Attributes::default())]);
    let (manager, _store, _) = manager(&all, limits);
    let session = manager.session();
    put(&session, "Q", persistent(&"x".repeat(100))).unwrap();
    assert_eq!(reason(put(&session, "Q", persistent(&"x".repeat(200)))), Reason::QueueSpaceNotAvailable);
    put(&session, "Q", NewMessage::text("a")).unwrap();
    put(&session, "Q", NewMessage::text("b")).unwrap();
    assert_eq!(reason(put(&session, "Q", NewMessage::text("c"))), Reason::StorageNotAvailable);
    put(&session, "R", NewMessage::text("a")).unwrap();
    assert_eq!(reason(put(&session, "R", NewMessage::text("b"))), Reason::StorageNotAvailable);
    for _ in 0..3 {
        get(&session, "Q").unwrap();
    }
    put(&session, "R", NewMessage::text("b")).unwrap();
    get(&session, "R").unwrap();
    get(&session, "R").unwrap();
    assert_eq!(manager.memory_bytes(), 0);
}

#[test]
fn a_full_disk_refuses_puts_and_lets_gets_go_on() {
    let disk = FaultyDisk::new(Vec::new());
    let store = open_store(&disk).unwrap();
    let all = definitions(vec![local("Q", Attributes::default())]);
    let (manager, _) = Manager::open(store, &all, Limits::default(), NOW).unwrap();
    let session = manager.session();
    put(&session, "Q", persistent("kept")).unwrap();
    disk.set(Fault::Full(disk.bytes().len() as u64));
    let full = put(&session, "Q", persistent(&"x".repeat(3 << 20)));
    assert_eq!(reason(full), Reason::QueueSpaceNotAvailable);
    assert_eq!(manager.inquire(&name("Q")).unwrap().depth, 1);
    assert_eq!(get(&session, "Q").as_deref(), Some("kept"));
}

#[test]
fn a_failed_sync_is_told_as_unknown_and_the_store_stops() {
    let disk = FaultyDisk::new(Vec::new());
    let store = open_store(&disk).unwrap();
    let all = definitions(vec![local("Q", Attributes::default())]);
    let (manager, _) = Manager::open(store, &all, Limits::default(), NOW).unwrap();
    let session = manager.session();
    put(&session, "Q", persistent("kept")).unwrap();
    assert!(manager.is_working());
    disk.set(Fault::SyncAt(1));
    let refusal = put(&session, "Q", persistent("perhaps")).unwrap_err();
    assert!(refusal.outcome_unknown, "{refusal}");
    assert_eq!(reason(put(&session, "Q", persistent("later"))), Reason::ManagerNotAvailable);
    assert!(!manager.is_working());
    // Messages in memory still work.
    put(&session, "Q", NewMessage::text("memory")).unwrap();
}

#[test]
fn names_lead_to_queues_or_to_reasons() {
    let kind = |queue: &str, kind| Definition { kind, ..local(queue, Attributes::default()) };
    let closed = Attributes { put_enabled: false, get_enabled: false, ..Attributes::default() };
    let alias = |queue: &str, target: &str| kind(queue, QueueKind::Alias(name(target)));
    let all = definitions(vec![
        local("Q", Attributes::default()),
        alias("A", "Q"),
        Definition { attributes: closed.clone(), ..alias("CLOSED.ALIAS", "Q") },
        local("CLOSED", closed),
        alias("AA", "A"),
        alias("LOST", "NOWHERE"),
        kind("MODEL", QueueKind::Model { permanent: false }),
    ]);
    let (manager, _store, _) = manager(&all, Limits::default());
    let session = manager.session();
    put(&session, "A", persistent("a")).unwrap();
    assert_eq!(get(&session, "Q").as_deref(), Some("a"));
    let expected = [
        ("NOWHERE", Reason::UnknownObjectName, Reason::UnknownObjectName),
        ("LOST", Reason::UnknownAliasBaseQueue, Reason::UnknownAliasBaseQueue),
        ("AA", Reason::AliasBaseQueueType, Reason::AliasBaseQueueType),
        ("MODEL", Reason::QueueType, Reason::QueueType),
        ("CLOSED", Reason::PutInhibited, Reason::GetInhibited),
        ("CLOSED.ALIAS", Reason::PutInhibited, Reason::GetInhibited),
    ];
    for (queue, of_put, of_get) in expected {
        assert_eq!(reason(put(&session, queue, persistent("a"))), of_put, "{queue}");
        assert_eq!(reason(get_at(&session, queue, &Selection::ANY, NOW)), of_get, "{queue}");
        assert_eq!(reason(session.browse(&name(queue), &Selection::ANY, None, NOW)), of_get, "{queue}");
    }
}

#[test]
fn what_a_file_defines_only_the_file_changes() {
    let (manager, _store) = one(Attributes::default());
    let refusal = manager.define(Definition::local(name("Q")), true).unwrap_err();
    assert_eq!(refusal.text, "Q: gantry.toml:7 defines the queue; change it there");
    assert_eq!(reason(manager.delete(&name("Q"), true)), Reason::CommandFailed);
}

#[test]
fn a_queue_without_its_definition_keeps_its_messages() {
    let disk = FaultyDisk::new(Vec::new());
    let store = open_store(&disk).unwrap();
    let all = definitions(vec![local("Q", Attributes::default())]);
    let (manager, _) = Manager::open(store, &all, Limits::default(), NOW).unwrap();
    let session = manager.session();
    put(&session, "Q", persistent("a")).unwrap();
    let kept = Notice::Kept { queue: name("Q"), messages: 1 };
    assert_eq!(manager.configure(&definitions(vec![])), std::slice::from_ref(&kept));
    assert_eq!(reason(get_at(&session, "Q", &Selection::ANY, NOW)), Reason::UnknownObjectName);
    drop((session, manager));
    let store = open_store(&FaultyDisk::new(disk.bytes())).unwrap();
    let (manager, notices) = Manager::open(store, &definitions(vec![]), Limits::default(), NOW).unwrap();
    assert_eq!(notices, [kept]);
    assert_eq!(manager.configure(&all), []);
    assert_eq!(get(&manager.session(), "Q").as_deref(), Some("a"));
}

#[test]
fn expired_messages_are_not_got_and_go_with_the_sweep() {
    let (manager, store) = one(Attributes::default());
    let session = manager.session();
    let brief = |message: NewMessage| NewMessage { expiry: Expiry::AfterMs(10), ..message };
    put(&session, "Q", brief(persistent("disk"))).unwrap();
    put(&session, "Q", brief(NewMessage::text("memory"))).unwrap();
    put(&session, "Q", persistent("stays")).unwrap();
    let later = NOW.plus_ms(10);
    let got = get_at(&session, "Q", &Selection::ANY, later).unwrap().unwrap();
    assert_eq!(got.body, b"stays");
    assert_eq!(manager.inquire(&name("Q")).unwrap().depth, 2);
    assert_eq!(manager.sweep(later).unwrap().expired, 2);
    while store.drive() {}
    let inquiry = manager.inquire(&name("Q")).unwrap();
    assert_eq!((inquiry.depth, inquiry.counters.expired, inquiry.disk_bytes), (0, 2, 0));
    assert_eq!(manager.memory_bytes(), 0);
}

#[test]
fn ids_are_never_made_twice_and_survive_a_clock_that_goes_back() {
    let disk = FaultyDisk::new(Vec::new());
    let all = definitions(vec![local("Q", Attributes::default())]);
    let mut last = MessageId::NONE;
    for now in [NOW, NOW, message::Moment(5), NOW] {
        let store = open_store(&disk).unwrap();
        let (manager, _) = Manager::open(store, &all, Limits::default(), now).unwrap();
        for _ in 0..3 {
            let id = put(&manager.session(), "Q", persistent("a")).unwrap();
            assert!(id > last, "{id} after {last}");
            assert_eq!(&id.0[..16], b"AMQ QM1         ");
            last = id;
        }
    }
}

#[test]
fn a_damaged_message_fails_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let all = definitions(vec![local("Q", Attributes::default())]);
    let marks = ["first-message", "second-message", "third-message"];
    {
        let store = std::sync::Arc::new(Store::open(&path, Options::default()).unwrap());
        let (manager, _) = Manager::open(store, &all, Limits::default(), NOW).unwrap();
        for mark in marks {
            put(&manager.session(), "Q", persistent(mark)).unwrap();
        }
    }
    let mut bytes = std::fs::read(&path).unwrap();
    // Change every copy of the second message's text that the engine has left.
    let mark = marks[1].as_bytes();
    let places: Vec<usize> =
        (0..bytes.len() - mark.len()).filter(|&at| &bytes[at..at + mark.len()] == mark).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|&at| bytes[at] = b'X');
    std::fs::write(&path, bytes).unwrap();
    let store = std::sync::Arc::new(Store::open(&path, Options::default()).unwrap());
    let (manager, notices) = Manager::open(store, &all, Limits::default(), NOW).unwrap();
    assert_eq!(notices, [Notice::Damaged { queue: name("Q"), position: 2 }]);
    let session = manager.session();
    assert_eq!(get(&session, "Q").as_deref(), Some(marks[0]));
    assert_eq!(get(&session, "Q").as_deref(), Some(marks[2]));
    assert_eq!(get(&session, "Q"), None);
}

#[test]
fn a_message_that_is_damaged_later_stops_a_browse_only_once() {
    let (manager, store) = one(Attributes::default());
    let session = manager.session();
    for body in ["first", "second", "third", "fourth"] {
        put(&session, "Q", persistent(body)).unwrap();
    }
    let logs = store.logs(&store::Definition {
        name: "mq.messages".to_owned(),
        organization: Organization::Logs(Positions::Unique),
        recovery: Recovery::Recoverable,
    });
    let (logs, mut unit) = (logs.unwrap(), store.unit().unwrap());
    for position in [2, 3] {
        unit.replace(&logs, b"Q", position, b"no message".to_vec()).unwrap();
    }
    unit.syncpoint().unwrap();
    let browse = |after| session.browse(&name("Q"), &Selection::ANY, after, NOW);
    let first = browse(None).unwrap().unwrap();
    assert_eq!(first.message.body, b"first");
    for _ in 0..2 {
        assert_eq!(reason(browse(Some(first.position)).map(|_| ())), Reason::ObjectDamaged);
    }
    let fourth = browse(Some(first.position)).unwrap().unwrap();
    assert_eq!(fourth.message.body, b"fourth");
    assert_eq!(manager.inquire(&name("Q")).unwrap().counters.damaged, 2);
    assert_eq!(get(&session, "Q").as_deref(), Some("first"));
    assert_eq!(get(&session, "Q").as_deref(), Some("fourth"));
    assert_eq!(get(&session, "Q"), None);
}

#[test]
fn selections_find_the_first_that_fits_in_the_order_of_delivery() {
    let (manager, _store) = one(Attributes::default());
    let session = manager.session();
    let high = |message: NewMessage| NewMessage { priority: Some(Priority::MAX), ..message };
    put(&session, "Q", correlated("one", 1)).unwrap();
    let id = put(&session, "Q", correlated("two", 2)).unwrap();
    put(&session, "Q", high(correlated("high one", 1))).unwrap();
    let body = |selection| get_at(&session, "Q", &selection, NOW).unwrap().map(|message| message.body);
    let by = |number: u8| Selection::by_correlation_id(message::CorrelationId([number; 24]));
    assert_eq!(body(Selection::new(id, message::CorrelationId([1; 24]))), None);
    assert_eq!(body(by(1)).unwrap(), b"high one");
    assert_eq!(body(Selection::by_message_id(id)).unwrap(), b"two");
    assert_eq!(body(by(3)), None);
    assert_eq!(body(by(1)).unwrap(), b"one");
}

#[test]
fn temporary_queues_have_no_persistent_messages_and_end_with_the_manager() {
    let model = |permanent| Definition {
        kind: QueueKind::Model { permanent },
        ..local(if permanent { "PERM" } else { "TEMP" }, Attributes::default())
    };
    let disk = FaultyDisk::new(Vec::new());
    let all = definitions(vec![model(true), model(false)]);
    let open = || Manager::open(open_store(&disk).unwrap(), &all, Limits::default(), NOW).unwrap().0;
    let manager = open();
    let temporary = manager.make_of_model(&name("TEMP"), "AMQ.*").unwrap();
    let permanent = manager.make_of_model(&name("PERM"), "MINE").unwrap();
    assert_eq!(reason(manager.make_of_model(&name("PERM"), "MINE")), Reason::ObjectAlreadyExists);
    for pattern in ["no blanks", "no blanks*", "ABCDEFGHIJKLMNOPQRSTUVWXYZ01234\u{e9}*"] {
        assert_eq!(reason(manager.make_of_model(&name("PERM"), pattern)), Reason::DynamicQueueName);
    }
    let session = manager.session();
    assert_eq!(reason(put(&session, temporary.as_str(), persistent("a"))), Reason::PersistentNotAllowed);
    put(&session, temporary.as_str(), NewMessage::text("a")).unwrap();
    assert_eq!(manager.definition(&temporary).unwrap().origin, Origin::Temporary);
    drop((session, manager));
    let manager = open();
    assert!(manager.definition(&temporary).is_err());
    // A permanent one is of a program for ever, whoever alters it.
    let made = manager.definition(&permanent).unwrap();
    assert_eq!(made.origin, Origin::Permanent);
    let altered = Definition { attributes: Attributes::default(), ..Definition::local(permanent.clone()) };
    manager.define(altered, true).unwrap();
    assert_eq!(manager.definition(&permanent).unwrap().origin, Origin::Permanent);
    assert_eq!(manager.definition(&permanent).unwrap().attributes.persistence, Persistence::NonPersistent);
}

#[test]
fn operators_put_no_persistent_message_on_a_temporary_queue() {
    let kind = QueueKind::Model { permanent: false };
    let model = Definition { kind, ..local("TEMP", Attributes::default()) };
    let queues = vec![local("Q", Attributes::default()), model];
    let (manager, _store, _) = manager(&definitions(queues), Limits::default());
    let session = manager.session();
    let temporary = manager.make_of_model(&name("TEMP"), "AMQ.*").unwrap();
    let depths = || [name("Q"), temporary.clone()].map(|queue| manager.inquire(&queue).unwrap().depth);

    // Moved: the messages before the persistent one stay too, as their unit ends with it.
    put(&session, "Q", NewMessage::text("a")).unwrap();
    put(&session, "Q", persistent("b")).unwrap();
    let moved = manager.move_messages((&name("Q"), &temporary), &Selection::ANY, 10);
    assert_eq!((reason(moved), depths()), (Reason::PersistentNotAllowed, [2, 0]));
    assert_eq!(manager.move_messages((&name("Q"), &temporary), &Selection::ANY, 1).unwrap(), 1);
    assert_eq!(depths(), [1, 1]);

    // Imported.
    let exported = session.browse(&name("Q"), &Selection::ANY, None, NOW).unwrap().unwrap().message;
    let mut work = session.begin().unwrap();
    let imported = manager.import(&mut work.scope(), &temporary, exported, NOW);
    assert_eq!((reason(imported), depths()), (Reason::PersistentNotAllowed, [1, 1]));
    work.commit().unwrap();

    // Retried.
    let mut work = session.begin().unwrap();
    let message = session.get(&mut work.scope(), &name("Q"), &Selection::ANY, NOW).unwrap().unwrap();
    let origin = PropertyValue::Text(temporary.as_str().to_owned());
    let origin = Property::new(Property::ORIGIN_QUEUE, origin).unwrap();
    let message = Message { properties: vec![origin], ..message };
    let id = message.descriptor.message_id;
    manager.import(&mut work.scope(), &name("Q"), message, NOW).unwrap();
    work.commit().unwrap();
    let retried = manager.retry(&name("Q"), &Selection::ANY, 10, NOW).unwrap();
    let stays: Vec<_> = retried.stays.iter().map(|(id, why)| (*id, why.reason)).collect();
    assert_eq!((stays, depths()), (vec![(id, Reason::PersistentNotAllowed)], [1, 1]));
}
