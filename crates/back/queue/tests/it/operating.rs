//! Backouts, reservations, and operators' commands.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use message::{
    Ccsid, Descriptor, Encoding, Format, ManagerName, Message, Moment, NewMessage, Property, PropertyValue,
    Reason, Refusal, ReplyTo, Selection,
};
use mqi::DeadLetterHeader;
use queue::{Attributes, DeadLetter, Definition, Definitions, Limits, Retried, Subscription};
use store::{Drive, Options, Store};

use crate::disk::FaultyDisk;
use crate::setup::{NOW, definitions, get, get_at, local, manager, name, one, persistent, put, reason};

fn depth(manager: &queue::Manager, queue: &str) -> usize {
    manager.inquire(&name(queue)).unwrap().depth
}

#[test]
fn a_backed_out_get_returns_to_its_place_and_goes_to_the_backout_queue_in_the_end() {
    let careful =
        Attributes { backout_threshold: 2, backout_queue: Some(name("BACK")), ..Attributes::default() };
    let all = definitions(vec![local("Q", careful), local("BACK", Attributes::default())]);
    let (manager, store, _) = manager(&all, Limits::default());
    let session = manager.session();
    for body in ["poison", "good"] {
        put(&session, "Q", persistent(body)).unwrap();
    }
    for backouts in 0..2 {
        let mut work = session.begin().unwrap();
        let message = session.get(&mut work.scope(), &name("Q"), &Selection::ANY, NOW).unwrap().unwrap();
        assert_eq!((message.body.as_slice(), message.descriptor.backout_count), (&b"poison"[..], backouts));
    }
    while store.drive() {}
    assert_eq!((depth(&manager, "Q"), depth(&manager, "BACK")), (1, 1));
    let moved = get_at(&session, "BACK", &Selection::ANY, NOW).unwrap().unwrap();
    assert_eq!((moved.body.as_slice(), moved.descriptor.backout_count), (&b"poison"[..], 2));
    assert_eq!(moved.descriptor.feedback, Reason::BackoutThresholdReached.code());
    assert_eq!(get(&session, "Q").as_deref(), Some("good"));
}

#[test]
fn a_message_that_cannot_be_moved_stays() {
    let careful =
        Attributes { backout_threshold: 1, backout_queue: Some(name("NOWHERE")), ..Attributes::default() };
    let (manager, _store) = one(careful);
    let session = manager.session();
    put(&session, "Q", NewMessage::text("poison")).unwrap();
    for _ in 0..3 {
        let mut work = session.begin().unwrap();
        session.get(&mut work.scope(), &name("Q"), &Selection::ANY, NOW).unwrap().unwrap();
    }
    assert_eq!(get(&session, "Q").as_deref(), Some("poison"));
}

#[test]
fn a_lazy_get_waits_for_the_disk_no_more_than_a_put_does() {
    for (lazy_gets, syncs) in [(false, 2), (true, 1)] {
        let all = Definitions { lazy_gets, ..definitions(vec![local("Q", Attributes::default())]) };
        let (manager, store, _) = manager(&all, Limits::default());
        let session = manager.session();
        for body in ["one", "two"] {
            let before = store.counters().syncs;
            put(&session, "Q", persistent(body)).unwrap();
            let mut work = session.begin().unwrap();
            let message = session.get(&mut work.scope(), &name("Q"), &Selection::ANY, NOW).unwrap().unwrap();
            assert_eq!(message.body, body.as_bytes());
            let answered = Arc::new(AtomicBool::new(false));
            let told = Arc::clone(&answered);
            session.commit_gets_then(work, move |result| {
                result.unwrap();
                told.store(true, Ordering::Relaxed);
            });
            assert_eq!(answered.load(Ordering::Relaxed), lazy_gets, "before the store works");
            while store.drive() {}
            assert!(answered.load(Ordering::Relaxed));
            assert_eq!(store.counters().syncs - before, syncs);
            assert_eq!(depth(&manager, "Q"), 0);
        }
    }
}

#[test]
fn a_reserved_message_is_got_when_that_is_confirmed() {
    let (manager, _store) = one(Attributes::default());
    let session = manager.session();
    let reserve = |end| {
        let mut work = session.begin().unwrap();
        session.get(&mut work.scope(), &name("Q"), &Selection::ANY, NOW).unwrap().unwrap();
        session.reserve(work, &name("Q"), end).unwrap()
    };
    put(&session, "Q", persistent("a")).unwrap();
    let id = reserve(Moment(NOW.0 + 100));
    assert_eq!(get(&session, "Q"), None);
    assert_eq!(manager.sweep(Moment(NOW.0 + 99)).unwrap().reservations, 0);
    assert_eq!(manager.sweep(Moment(NOW.0 + 100)).unwrap().reservations, 1);
    assert!(session.reserved(&name("Q"), id).is_none());
    let id = reserve(Moment(NOW.0 + 100));
    assert!(session.reserved(&name("OTHER"), id).is_none());
    session.reserved(&name("Q"), id).unwrap().commit().unwrap();
    assert!(session.reserved(&name("Q"), id).is_none());
    assert_eq!(depth(&manager, "Q"), 0);
}

#[test]
fn operators_move_purge_and_delete() {
    let (manager, _store) = one(Attributes::default());
    let session = manager.session();
    manager.define(Definition::local(name("NEW")), false).unwrap();
    assert_eq!(reason(manager.define(Definition::local(name("NEW")), false)), Reason::ObjectAlreadyExists);
    for nth in 0..1_200 {
        let body = nth.to_string();
        let message = if nth % 2 == 0 { persistent(&body) } else { NewMessage::text(body) };
        put(&session, "Q", message).unwrap();
    }
    let both = (&name("Q"), &name("NEW"));
    assert_eq!(manager.move_messages(both, &Selection::ANY, 600).unwrap(), 600);
    assert_eq!((depth(&manager, "Q"), depth(&manager, "NEW")), (600, 600));
    assert_eq!((get(&session, "NEW").as_deref(), get(&session, "Q").as_deref()), (Some("0"), Some("600")));
    assert_eq!(reason(manager.move_messages((both.0, both.0), &Selection::ANY, 1)), Reason::ObjectInUse);
    assert_eq!(reason(manager.delete(&name("NEW"), false)), Reason::QueueNotEmpty);
    assert_eq!(manager.purge(&name("Q")).unwrap(), 599);
    let mut work = session.begin().unwrap();
    session.get(&mut work.scope(), &name("NEW"), &Selection::ANY, NOW).unwrap().unwrap();
    assert_eq!(reason(manager.delete(&name("NEW"), true)), Reason::ObjectInUse);
    assert_eq!(depth(&manager, "NEW"), 599, "a queue that is not deleted keeps its messages");
    work.commit().unwrap();
    manager.delete(&name("NEW"), true).unwrap();
    assert_eq!(reason(manager.inquire(&name("NEW"))), Reason::UnknownObjectName);
    assert_eq!(manager.memory_bytes(), 0);
}

#[test]
fn dead_letters_keep_what_they_were() {
    let all = definitions(vec![local("DEAD", Attributes::default()), local("Q", Attributes::default())]);
    let all = Definitions { dead_letter_queue: Some(name("DEAD")), ..all };
    let (manager, _store, _) = manager(&all, Limits::default());
    let session = manager.session();
    let id = put(&session, "Q", persistent("late")).unwrap();
    let mut work = session.begin().unwrap();
    let message = session.get(&mut work.scope(), &name("Q"), &Selection::ANY, NOW).unwrap().unwrap();
    let why = Refusal::failed(Reason::NoMessageAvailable, "nobody waits for it");
    let went = session.put_dead(&mut work.scope(), ((&name("Q")).into(), message), &why, NOW).unwrap();
    assert_eq!(went, DeadLetter::Put);
    work.commit().unwrap();
    let dead = get_at(&session, "DEAD", &Selection::by_message_id(id), NOW).unwrap().unwrap();
    let header = DeadLetterHeader::read(&dead.body).expect("MQDLH");
    assert_eq!((header.reason, header.queue.as_str(), header.manager.as_str()), (2033, "Q", "QM1"));
    assert_eq!((header.format, header.ccsid), (Format::STRING.0, 1208));
    let descriptor = dead.descriptor;
    assert_eq!((descriptor.format, descriptor.feedback, descriptor.put), (Format::DEAD_LETTER, 0, NOW));
    assert_eq!(&dead.body[DeadLetterHeader::BYTES..], b"late");
}

/// Queues `Q`, which has poison, `BACK` for its poison, and `DEAD` for that of `R`.
fn with_poison() -> Definitions {
    let careful = Attributes { backout_threshold: 1, ..Attributes::default() };
    let named = Attributes { backout_queue: Some(name("BACK")), ..careful.clone() };
    let usual = Attributes::default;
    let queues = vec![local("Q", named), local("R", careful), local("BACK", usual()), local("DEAD", usual())];
    Definitions { dead_letter_queue: Some(name("DEAD")), ..definitions(queues) }
}

/// Retries, while another thread does the work of the store.
fn retry(
    (manager, store): (&queue::Manager, &Store),
    from: &str,
    (selection, limit): (&Selection, usize),
) -> Result<Retried, Refusal> {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !is_done.load(Ordering::Acquire) {
                if !store.drive() {
                    std::thread::yield_now();
                }
            }
        });
        let retried = manager.retry(&name(from), selection, limit, NOW);
        is_done.store(true, Ordering::Release);
        retried
    })
}

fn back_out(session: &queue::Session, store: &Store, from: &str) {
    let mut work = session.begin().unwrap();
    session.get(&mut work.scope(), &name(from), &Selection::ANY, NOW).unwrap().unwrap();
    drop(work);
    while store.drive() {}
}

#[test]
fn a_retry_moves_messages_back_as_they_were() {
    let (manager, store, _) = manager(&with_poison(), Limits::default());
    let session = manager.session();
    let full = NewMessage {
        ccsid: Ccsid(37),
        encoding: Encoding::S390,
        properties: vec![Property::new("color", PropertyValue::Text("red".to_owned())).unwrap()],
        ..persistent("poison")
    };
    for (first, second) in [("Q", "BACK"), ("R", "DEAD")] {
        put(&session, first, full.clone()).unwrap();
        let before = session.browse(&name(first), &Selection::ANY, None, NOW).unwrap().unwrap().message;
        back_out(&session, &store, first);
        assert_eq!((depth(&manager, first), depth(&manager, second)), (0, 1));
        let moved = session.browse(&name(second), &Selection::ANY, None, NOW).unwrap().unwrap().message;
        assert_ne!(moved, before);
        if second == "BACK" {
            let descriptor = &moved.descriptor;
            assert_eq!((moved.origin_queue(), descriptor.feedback), (Some("Q"), 2362));
            assert_eq!((&moved.body, descriptor.format), (&before.body, before.descriptor.format));
        }
        let retried = retry((&manager, &store), second, (&Selection::ANY, 10)).unwrap();
        assert_eq!((retried.moved, retried.stayed), (BTreeMap::from([(name(first), 1)]), 0));
        let after = session.browse(&name(first), &Selection::ANY, None, NOW).unwrap().unwrap().message;
        assert_eq!(after, before);
        // It has all its tries again.
        back_out(&session, &store, first);
        assert_eq!((depth(&manager, first), depth(&manager, second)), (0, 1));
    }
}

/// Backs out the next get of a queue, on the thread that commits its message.
fn fail_next(session: &queue::Session, from: &str) {
    let waiter = Arc::new(Mutex::new(None));
    let (own, held) = (session.clone(), Arc::clone(&waiter));
    let wake = move || {
        let waiter: queue::Waiter = held.lock().unwrap().take().unwrap();
        let mut work = own.begin().unwrap();
        waiter.get(&mut work.scope(), NOW).unwrap().unwrap();
    };
    let waits = session.wait(&name(from), &Selection::ANY, wake, NOW).unwrap();
    *waiter.lock().unwrap() = Some(waits);
}

#[test]
fn a_message_that_comes_back_is_not_retried_or_moved_again() {
    let (manager, store, _) = manager(&with_poison(), Limits::default());
    let session = manager.session();
    // Without persistent messages, all happens on this thread.
    for (first, second) in [("Q", "BACK"), ("R", "DEAD")] {
        for body in ["one", "two"] {
            put(&session, first, NewMessage::text(body)).unwrap();
            back_out(&session, &store, first);
        }
        fail_next(&session, first);
        let retried = manager.retry(&name(second), &Selection::ANY, 10, NOW).unwrap();
        assert_eq!((retried.moved, retried.stayed), (BTreeMap::from([(name(first), 2)]), 0));
        assert_eq!((depth(&manager, first), depth(&manager, second)), (1, 1));
    }
    assert_eq!((get(&session, "Q").as_deref(), get(&session, "BACK").as_deref()), (Some("two"), Some("one")));
    put(&session, "BACK", NewMessage::text("moved")).unwrap();
    fail_next(&session, "Q");
    let (from, to) = (name("BACK"), name("Q"));
    assert_eq!(manager.move_messages((&from, &to), &Selection::ANY, 10).unwrap(), 1);
    assert_eq!((depth(&manager, "Q"), depth(&manager, "BACK")), (0, 1));
}

#[test]
fn a_message_of_a_chain_of_backout_queues_goes_back_to_the_first_queue() {
    let mut all = with_poison();
    let next =
        Attributes { backout_threshold: 1, backout_queue: Some(name("BACK2")), ..Attributes::default() };
    all.queues.retain(|queue| queue.name != name("BACK"));
    all.queues.extend([local("BACK", next), local("BACK2", Attributes::default())]);
    let (manager, store, _) = manager(&all, Limits::default());
    let session = manager.session();
    put(&session, "Q", persistent("poison")).unwrap();
    let before = session.browse(&name("Q"), &Selection::ANY, None, NOW).unwrap().unwrap().message;
    back_out(&session, &store, "Q");
    // Its new count is that of the first queue plus one, which is enough.
    back_out(&session, &store, "BACK");
    let moved = session.browse(&name("BACK2"), &Selection::ANY, None, NOW).unwrap().unwrap().message;
    assert_eq!(moved.origin_queue(), Some("Q"));
    let retried = retry((&manager, &store), "BACK2", (&Selection::ANY, 10)).unwrap();
    assert_eq!((retried.moved, retried.stayed), (BTreeMap::from([(name("Q"), 1)]), 0));
    let after = session.browse(&name("Q"), &Selection::ANY, None, NOW).unwrap().unwrap().message;
    assert_eq!(after, before);
}

#[test]
fn a_retry_leaves_what_cannot_go_back() {
    let (manager, store, _) = manager(&with_poison(), Limits::default());
    let session = manager.session();
    // It does not say where it came from. A dead letter of an older version is such a message.
    let strange = put(&session, "DEAD", persistent("strange")).unwrap();
    let dead = NewMessage { format: Format::DEAD_LETTER, ..persistent("no header") };
    let headless = put(&session, "DEAD", dead).unwrap();
    put(&session, "R", persistent("poison")).unwrap();
    back_out(&session, &store, "R");
    let elsewhere = {
        let mut work = session.begin().unwrap();
        let to = ReplyTo { queue: name("R"), manager: Some(ManagerName::new("QM2").unwrap()) };
        let id = session.new_id().unwrap();
        let descriptor = Descriptor { message_id: id, ..Descriptor::default() };
        let message = Message { descriptor, ..Message::default() };
        let why = Refusal::failed(Reason::UnknownRemoteManager, "elsewhere");
        session.put_dead(&mut work.scope(), ((&to).into(), message), &why, NOW).unwrap();
        work.commit().unwrap();
        id
    };
    let full = Attributes { depth_max: 1, put_enabled: false, ..Attributes::default() };
    manager.define(Definition { attributes: full, ..Definition::local(name("SHUT")) }, false).unwrap();
    let shut = {
        let mut work = session.begin().unwrap();
        let id = session.new_id().unwrap();
        let descriptor = Descriptor { message_id: id, ..Descriptor::default() };
        let message = Message { descriptor, ..Message::default() };
        let why = Refusal::failed(Reason::PutInhibited, "shut");
        session.put_dead(&mut work.scope(), ((&name("SHUT")).into(), message), &why, NOW).unwrap();
        work.commit().unwrap();
        id
    };
    for _ in 0..2 {
        let retried = retry((&manager, &store), "DEAD", (&Selection::ANY, 10)).unwrap();
        let stays: Vec<_> = retried.stays.iter().map(|(id, why)| (*id, why.reason)).collect();
        let expected = [
            (strange, Reason::Format),
            (headless, Reason::Format),
            (elsewhere, Reason::UnknownRemoteManager),
            (shut, Reason::PutInhibited),
        ];
        assert_eq!((stays.as_slice(), retried.stayed), (&expected[..], 4));
        assert_eq!((depth(&manager, "DEAD"), depth(&manager, "R")), (4, 1));
    }
    let chosen = retry((&manager, &store), "DEAD", (&Selection::by_message_id(shut), 10)).unwrap();
    assert_eq!(chosen.stayed, 1);
    assert_eq!(retry((&manager, &store), "DEAD", (&Selection::ANY, 2)).unwrap().stayed, 2);
    assert_eq!(reason(retry((&manager, &store), "NOWHERE", (&Selection::ANY, 1))), Reason::UnknownObjectName);
    // No backout was counted.
    let first = session.browse(&name("DEAD"), &Selection::ANY, None, NOW).unwrap().unwrap().message;
    assert_eq!((first.body.as_slice(), first.descriptor.backout_count), (&b"strange"[..], 0));
}

#[test]
fn a_sender_cannot_say_where_a_message_came_from() {
    let (manager, _store) = one(Attributes::default());
    let origin = Property::new(Property::ORIGIN_QUEUE, PropertyValue::Text("SECRET".to_owned())).unwrap();
    let forged = NewMessage { properties: vec![origin], ..persistent("forged") };
    put(&manager.session(), "Q", forged).unwrap();
    let found = get_at(&manager.session(), "Q", &Selection::ANY, NOW).unwrap().unwrap();
    assert_eq!(found.origin_queue(), None);
    assert!(found.properties.is_empty());
}

#[test]
fn the_longest_message_can_be_a_dead_letter() {
    let mut all = with_poison();
    for queue in &mut all.queues {
        queue.attributes.length_bytes_max = 6;
    }
    let (manager, store, _) = manager(&all, Limits::default());
    let session = manager.session();
    put(&session, "R", persistent("poison")).unwrap();
    back_out(&session, &store, "R");
    assert_eq!((depth(&manager, "R"), depth(&manager, "DEAD")), (0, 1));
    assert_eq!(reason(put(&session, "R", persistent("poison!"))), Reason::MessageTooBigForQueue);
}

/// The body of a dead letter of the queue `R`, with `headers` times MQDLH before `text`.
fn dead_body(headers: usize, text: &str) -> Vec<u8> {
    let mut body = text.as_bytes().to_vec();
    for nth in 0..headers {
        let format = if nth == 0 { Format::STRING } else { Format::DEAD_LETTER };
        let header = DeadLetterHeader {
            reason: 2053,
            queue: "R".to_owned(),
            manager: "QM1".to_owned(),
            encoding: 785,
            ccsid: 1208,
            format: format.0,
        };
        body = [header.written("QM1", NOW.0), body].concat();
    }
    body
}

#[test]
fn a_put_counts_the_header_of_a_dead_letter() {
    let (manager, _store) = one(Attributes { length_bytes_max: 180, ..Attributes::default() });
    let session = manager.session();
    let dead = |body: Vec<u8>| NewMessage { format: Format::DEAD_LETTER, body, ..persistent("") };
    put(&session, "Q", dead(dead_body(1, "12345678"))).unwrap();
    let long = [dead_body(1, "123456789"), dead_body(2, ""), vec![b'x'; 181]];
    for body in long {
        assert_eq!(reason(put(&session, "Q", dead(body))), Reason::MessageTooBigForQueue);
    }
    assert_eq!(depth(&manager, "Q"), 1);
}

#[test]
fn the_longest_message_with_a_header_can_be_a_dead_letter_again() {
    let mut all = with_poison();
    for queue in &mut all.queues {
        queue.attributes.length_bytes_max = 180;
    }
    let (manager, store, _) = manager(&all, Limits::default());
    let session = manager.session();
    let body = dead_body(1, "12345678");
    let dead = NewMessage { format: Format::DEAD_LETTER, body: body.clone(), ..persistent("") };
    put(&session, "R", dead).unwrap();
    back_out(&session, &store, "R");
    assert_eq!((depth(&manager, "R"), depth(&manager, "DEAD")), (0, 1));
    // Its way to other queues, out of the manager and back counts no header either.
    manager
        .define(
            Definition { attributes: all.queues[0].attributes.clone(), ..Definition::local(name("NEW")) },
            false,
        )
        .unwrap();
    assert_eq!(manager.move_messages((&name("DEAD"), &name("NEW")), &Selection::ANY, 1).unwrap(), 1);
    let exported = get_at(&session, "NEW", &Selection::ANY, NOW).unwrap().unwrap();
    assert_eq!(exported.body.len(), 172 + 180);
    let import = |message: Message| {
        let mut work = session.begin().unwrap();
        manager.import(&mut work.scope(), &name("DEAD"), message, NOW)?;
        work.commit()
    };
    import(exported.clone()).unwrap();
    // Bytes that cannot be a header count.
    let unread = Message { body: vec![b'x'; 181], ..exported };
    assert_eq!(reason(import(unread)), Reason::MessageTooBigForQueue);
    let retried = retry((&manager, &store), "DEAD", (&Selection::ANY, 10)).unwrap();
    assert_eq!((retried.moved, retried.stayed), (BTreeMap::from([(name("R"), 1)]), 0));
    assert_eq!(get_at(&session, "R", &Selection::ANY, NOW).unwrap().unwrap().body, body);
}

#[test]
fn what_is_published_goes_to_all_subscriptions_that_fit() {
    let all = definitions(vec![local("A", Attributes::default()), local("B", Attributes::default())]);
    let (manager, _store, _) = manager(&all, Limits::default());
    let session = manager.session();
    let subscribe = |subscription: &str, topics: &str, queue: &str| {
        manager.subscribe(Subscription::new(subscription, topics, crate::setup::name(queue)))
    };
    subscribe("one", "news/#", "A").unwrap();
    subscribe("two", "news/+/sport", "B").unwrap();
    assert_eq!(reason(subscribe("two", "x", "B")), Reason::SubscriptionExists);
    assert_eq!(reason(subscribe("three", "x", "NOWHERE")), Reason::UnknownObjectName);
    let publish = |topic: &str| {
        let mut work = session.begin().unwrap();
        let published = session.publish(&mut work.scope(), topic, &persistent(topic), NOW).unwrap();
        work.commit().unwrap();
        published.subscriptions
    };
    assert_eq!((publish("news/x/sport"), publish("news/x"), publish("other")), (2, 1, 0));
    assert_eq!((depth(&manager, "A"), depth(&manager, "B")), (2, 1));
    manager.unsubscribe("one").unwrap();
    assert_eq!(reason(manager.unsubscribe("one")), Reason::NoSubscription);
    assert_eq!(publish("news/x"), 0);
}

#[test]
fn without_a_unit_purging_and_moving_leave_the_messages() {
    let all = definitions(["Q", "OTHER"].map(|queue| local(queue, Attributes::default())).to_vec());
    let options = Options { drive: Drive::Caller, units_open_max: 1, ..Options::default() };
    let store = Store::open_on(FaultyDisk::new(Vec::new()), options).map(Arc::new).unwrap();
    let (manager, _) = queue::Manager::open(Arc::clone(&store), &all, Limits::default(), NOW).unwrap();
    let session = manager.session();
    put(&session, "Q", persistent("kept")).unwrap();
    {
        let mut other = session.begin().unwrap();
        session.put(&mut other.scope(), &name("OTHER"), persistent("undone"), NOW).unwrap();
        manager.purge(&name("Q")).unwrap_err();
        manager.move_messages((&name("Q"), &name("OTHER")), &Selection::ANY, 1).unwrap_err();
        other.undo();
    }
    while store.drive() {}
    assert_eq!(get(&session, "Q").as_deref(), Some("kept"));
}
