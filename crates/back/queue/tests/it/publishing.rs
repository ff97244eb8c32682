//! A publication reaches all subscriptions or none.

use message::{MessageId, NewMessage, Persistence, Priority, Reason, ReplyTo, Report, Selection};
use queue::{
    Attributes, Definitions, Limits, Manager, Registration, Subscription, SubscriptionPriority, Topic,
};
use store::{Drive, Options, Store};

use crate::disk::FaultyDisk;
use crate::setup::{
    NOW, definitions, get, get_at, local, manager, name, open_store, persistent, put, reason,
};

fn depth(manager: &Manager, queue: &str) -> usize {
    manager.inquire(&name(queue)).unwrap().depth
}

/// Subscriptions of ROOMY, SMALL (one message) and LAST to all news, in this order.
fn news(dead: Option<&str>) -> Definitions {
    let small = Attributes { depth_max: 1, ..Attributes::default() };
    let queues = [
        ("ROOMY", Attributes::default()),
        ("SMALL", small),
        ("LAST", Attributes::default()),
        ("DEAD", Attributes::default()),
        ("REPLIES", Attributes::default()),
    ];
    let subscription = |queue: &str| Subscription::new(queue, "news/#", name(queue));
    Definitions {
        dead_letter_queue: dead.map(name),
        subscriptions: ["ROOMY", "SMALL", "LAST"].map(subscription).to_vec(),
        ..definitions(queues.map(|(queue, attributes)| local(queue, attributes)).to_vec())
    }
}

#[test]
fn a_publication_that_one_subscription_cannot_take_leaves_nothing_in_its_unit() {
    let all = news(None);
    let (manager, store, disk) = manager(&all, Limits::default());
    let session = manager.session();
    put(&session, "SMALL", persistent("first")).unwrap();
    let memory = manager.memory_bytes();
    let mut work = session.begin().unwrap();
    session.put(&mut work.scope(), &name("LAST"), persistent("of the unit"), NOW).unwrap();
    // It wants a report of each arrival. These go, too.
    let reports = NewMessage {
        report: Report(0x100),
        reply_to: Some(ReplyTo { queue: name("REPLIES"), manager: None }),
        ..persistent("news")
    };
    for message in [persistent("news"), NewMessage::text("news"), reports] {
        let refused = session.publish(&mut work.scope(), "news/today", &message, NOW).unwrap_err();
        assert_eq!(refused.reason, Reason::PublicationFailure);
        assert!(refused.text.contains("SMALL: it has 1 messages, 1 is the most"), "{refused}");
    }
    assert_eq!((depth(&manager, "ROOMY"), depth(&manager, "LAST"), depth(&manager, "REPLIES")), (0, 1, 0));
    assert_eq!(manager.memory_bytes(), memory);
    work.commit().unwrap();
    drop((session, manager, store));
    let store = open_store(&disk).unwrap();
    let (manager, _) = Manager::open(store, &all, Limits::default(), NOW).unwrap();
    let session = manager.session();
    assert_eq!((depth(&manager, "ROOMY"), depth(&manager, "REPLIES")), (0, 0));
    assert_eq!(get(&session, "LAST").as_deref(), Some("of the unit"));
    // With room again, all get it.
    assert_eq!(get(&session, "SMALL").as_deref(), Some("first"));
    let mut work = session.begin().unwrap();
    let published = session.publish(&mut work.scope(), "news", &persistent("news"), NOW).unwrap();
    work.commit().unwrap();
    for queue in ["ROOMY", "SMALL", "LAST"] {
        let message = get_at(&session, queue, &Selection::ANY, NOW).unwrap().expect(queue);
        assert_eq!(
            (message.body.as_slice(), message.descriptor.message_id),
            (&b"news"[..], published.message_id)
        );
    }
    assert_eq!(published.subscriptions, 3);
}

#[test]
fn the_dead_letter_queue_takes_the_copy_that_a_subscription_cannot() {
    let (manager, _store, _) = manager(&news(Some("DEAD")), Limits::default());
    let session = manager.session();
    put(&session, "SMALL", persistent("first")).unwrap();
    let mut work = session.begin().unwrap();
    let published = session.publish(&mut work.scope(), "news", &persistent("news"), NOW).unwrap();
    work.commit().unwrap();
    assert_eq!(published.subscriptions, 3);
    let depths = ["ROOMY", "SMALL", "LAST", "DEAD"].map(|queue| depth(&manager, queue));
    assert_eq!(depths, [1, 1, 1, 1]);
    let dead = get_at(&session, "DEAD", &Selection::ANY, NOW).unwrap().unwrap();
    let header = mqi::DeadLetterHeader::read(&dead.body).unwrap();
    assert_eq!((header.queue.as_str(), header.reason), ("SMALL", 2053));
}

#[test]
fn a_unit_without_room_says_so_and_keeps_what_it_had() {
    let options = Options { drive: Drive::Caller, unit_writes_max: 2, ..Options::default() };
    let store = Store::open_on(FaultyDisk::new(Vec::new()), options).map(std::sync::Arc::new).unwrap();
    let (manager, _) =
        Manager::open(std::sync::Arc::clone(&store), &news(Some("DEAD")), Limits::default(), NOW).unwrap();
    let session = manager.session();
    let mut work = session.begin().unwrap();
    session.put(&mut work.scope(), &name("DEAD"), persistent("of the unit"), NOW).unwrap();
    let refused = session.publish(&mut work.scope(), "news", &persistent("news"), NOW);
    assert_eq!(reason(refused), Reason::SyncpointLimitReached);
    work.commit().unwrap();
    let depths = ["ROOMY", "SMALL", "LAST", "DEAD"].map(|queue| depth(&manager, queue));
    assert_eq!(depths, [0, 0, 0, 1]);
}

#[test]
fn the_topic_object_says_what_a_message_leaves_open() {
    let mut all = news(None);
    all.topics = vec![
        Topic {
            name: "NEWS".to_owned(),
            topic: "news".to_owned(),
            persistence: Some(Persistence::Persistent),
            priority: Priority::new(4),
            ..Topic::default()
        },
        Topic {
            name: "OLD".to_owned(),
            topic: "news/old".to_owned(),
            publish_enabled: Some(false),
            ..Topic::default()
        },
    ];
    let (manager, _store, _) = manager(&all, Limits::default());
    let session = manager.session();
    let publish = |topic: &str, message: &NewMessage| {
        let mut work = session.begin().unwrap();
        let published = session.publish(&mut work.scope(), topic, message, NOW)?;
        work.commit().map(|()| published)
    };
    assert_eq!(reason(publish("news/old/1", &persistent("x"))), Reason::PutInhibited);
    assert_eq!(reason(publish("", &persistent("x"))), Reason::TopicString);
    let id = MessageId([7; 24]);
    let open = NewMessage { persistence: None, priority: None, ..NewMessage::text("x") };
    let published = publish("news", &NewMessage { message_id: Some(id), ..open }).unwrap();
    assert_eq!(published.message_id, id);
    let message = get_at(&session, "ROOMY", &Selection::ANY, NOW).unwrap().unwrap();
    let descriptor = message.descriptor;
    assert_eq!((descriptor.persistence, descriptor.priority.number()), (Persistence::Persistent, 4));
}

#[test]
fn a_subscription_that_is_not_durable_keeps_nobody_from_a_message() {
    let all = Definitions { subscriptions: Vec::new(), ..news(None) };
    let (manager, _store, _) = manager(&all, Limits::default());
    let session = manager.session();
    manager.subscribe(Subscription::new("last", "news", name("LAST"))).unwrap();
    let small = Subscription {
        registration: Some(Registration::default()),
        ..Subscription::new("", "news", name("SMALL"))
    };
    let (_, held) = manager.subscribe_while_held(small).unwrap();
    let managed = Registration {
        managed: true,
        priority: SubscriptionPriority::Fixed(Priority::MAX),
        ..Registration::default()
    };
    let managed = Subscription { registration: Some(managed), ..Subscription::new("", "news", name("X")) };
    let (managed, _managed_held) = manager.subscribe_while_held(managed).unwrap();
    put(&session, "SMALL", persistent("first")).unwrap();
    let publish = || {
        let mut work = session.begin().unwrap();
        let reports =
            NewMessage { report: Report(0x0100_0000), reply_to: Some(reply_to()), ..persistent("news") };
        let published = session.publish(&mut work.scope(), "news", &reports, NOW).unwrap();
        work.commit().unwrap();
        published.subscriptions
    };
    assert_eq!(publish(), 3);
    let depths = ["SMALL", "LAST", "REPLIES"].map(|queue| depth(&manager, queue));
    assert_eq!(depths, [1, 1, 0], "the unit has no exception report of what was not put");
    // A temporary queue has no persistent messages.
    let copy = get_at(&session, managed.queue.as_str(), &Selection::ANY, NOW).unwrap().unwrap();
    let descriptor = copy.descriptor;
    assert_eq!((descriptor.persistence, descriptor.priority), (Persistence::NonPersistent, Priority::MAX));
    drop(held);
    assert_eq!(publish(), 2);
}

fn reply_to() -> ReplyTo {
    ReplyTo { queue: name("REPLIES"), manager: None }
}

#[test]
fn a_managed_queue_outlives_a_restart_with_its_subscription_and_goes_without_it() {
    let all = definitions(Vec::new());
    let disk = FaultyDisk::new(Vec::new());
    let managed = |name: &str| {
        let registration = Registration { durable: true, managed: true, ..Registration::default() };
        let queue = crate::setup::name("X");
        Subscription { registration: Some(registration), ..Subscription::new(name, "news", queue) }
    };
    let made = {
        let (manager, _) = Manager::open(open_store(&disk).unwrap(), &all, Limits::default(), NOW).unwrap();
        let made = manager.subscribe(managed("ONE")).unwrap();
        assert_eq!(reason(manager.subscribe(managed("ONE"))), Reason::SubscriptionExists);
        assert_eq!(reason(manager.alter_subscription(managed("TWO"))), Reason::NoSubscription);
        let session = manager.session();
        let mut work = session.begin().unwrap();
        session.publish(&mut work.scope(), "news", &persistent("news"), NOW).unwrap();
        work.commit().unwrap();
        made
    };
    let limits = Limits { subscriptions_max: 1, ..Limits::default() };
    let (manager, _) = Manager::open(open_store(&disk).unwrap(), &all, limits, NOW).unwrap();
    assert_eq!(manager.subscription("ONE").as_ref(), Some(&made));
    assert_eq!(reason(manager.subscribe(managed("TWO"))), Reason::ResourceProblem);
    manager.sweep(NOW).unwrap();
    assert_eq!(get(&manager.session(), made.queue.as_str()).as_deref(), Some("news"));
    let held = manager.hold_subscription("ONE").unwrap();
    assert_eq!(reason(manager.hold_subscription("ONE").map(drop)), Reason::SubscriptionInUse);
    drop(held);
    let open = manager.hold_queue(&made.queue);
    manager.unsubscribe("ONE").unwrap();
    manager.sweep(NOW).unwrap();
    assert_eq!(depth(&manager, made.queue.as_str()), 0, "it is open");
    drop(open);
    manager.sweep(NOW).unwrap();
    assert!(manager.inquire(&made.queue).is_err());
}

#[test]
fn a_queue_that_was_closed_before_its_subscription_goes_too() {
    let all = definitions(Vec::new());
    let (manager, _store, _) = manager(&all, Limits::default());
    let registration = Registration { managed: true, ..Registration::default() };
    let subscription =
        Subscription { registration: Some(registration), ..Subscription::new("", "news", name("X")) };
    let (made, held) = manager.subscribe_while_held(subscription).unwrap();
    drop(manager.hold_queue(&made.queue));
    manager.sweep(NOW).unwrap();
    assert_eq!(depth(&manager, made.queue.as_str()), 0, "it is still subscribed");
    drop(held);
    manager.sweep(NOW).unwrap();
    assert!(manager.inquire(&made.queue).is_err());
}
