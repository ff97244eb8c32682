//! Backouts, reservations, and operators' commands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use message::{Moment, NewMessage, Reason, Refusal, Selection};
use queue::{Attributes, DeadLetter, Definition, Definitions, Limits, Subscription};
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
    let went = session.put_dead(&mut work.scope(), (&name("Q"), message), &why, NOW).unwrap();
    assert_eq!(went, DeadLetter::Put);
    work.commit().unwrap();
    let dead = get_at(&session, "DEAD", &Selection::by_message_id(id), NOW).unwrap().unwrap();
    assert_eq!((dead.body.as_slice(), dead.descriptor.feedback), (&b"late"[..], 2033));
}

#[test]
fn what_is_published_goes_to_all_subscriptions_that_fit() {
    let all = definitions(vec![local("A", Attributes::default()), local("B", Attributes::default())]);
    let (manager, _store, _) = manager(&all, Limits::default());
    let session = manager.session();
    let subscribe = |subscription: &str, topics: &str, queue: &str| {
        let (name, topics) = (subscription.to_owned(), topics.to_owned());
        manager.subscribe(Subscription { name, topics, queue: crate::setup::name(queue) })
    };
    subscribe("one", "news/#", "A").unwrap();
    subscribe("two", "news/+/sport", "B").unwrap();
    assert_eq!(reason(subscribe("two", "x", "B")), Reason::SubscriptionExists);
    assert_eq!(reason(subscribe("three", "x", "NOWHERE")), Reason::UnknownObjectName);
    let publish = |topic: &str| {
        let mut work = session.begin().unwrap();
        let count = session.publish(&mut work.scope(), topic, &persistent(topic), NOW).unwrap();
        work.commit().unwrap();
        count
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
