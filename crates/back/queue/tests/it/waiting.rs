//! Waiting for messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use message::{CorrelationId, Expiry, NewMessage, Reason, Selection};
use queue::{Attributes, Limits, Session, Waiter};

use crate::setup::{NOW, correlated, definitions, get, local, manager, name, one, persistent, put, reason};

struct Wait {
    waiter: Waiter,
    woken: Arc<AtomicUsize>,
}

fn wait(session: &Session, selection: Selection) -> Wait {
    let woken = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&woken);
    let wake = move || {
        told.fetch_add(1, Ordering::SeqCst);
    };
    Wait { waiter: session.wait(&name("Q"), &selection, wake, NOW).unwrap(), woken }
}

impl Wait {
    fn is_woken(&self) -> bool {
        self.woken.load(Ordering::SeqCst) == 1
    }

    fn take(self, session: &Session) -> Option<String> {
        let mut work = session.begin().unwrap();
        let message = self.waiter.get(&mut work.scope(), NOW).unwrap();
        work.commit().unwrap();
        message.map(|message| String::from_utf8(message.body).unwrap())
    }
}

#[test]
fn the_first_who_waits_is_served_first_and_nobody_else_gets_its_message() {
    let (manager, _store) = one(Attributes::default());
    let session = manager.session();
    let (one, two) = (wait(&session, Selection::ANY), wait(&session, Selection::ANY));
    assert_eq!(manager.inquire(&name("Q")).unwrap().waiters, 2);
    put(&session, "Q", persistent("a")).unwrap();
    assert!(one.is_woken() && !two.is_woken());
    assert_eq!(get(&session, "Q"), None);
    put(&session, "Q", NewMessage::text("b")).unwrap();
    assert_eq!((two.take(&session).as_deref(), one.take(&session).as_deref()), (Some("b"), Some("a")));
    let late = wait(&session, Selection::ANY);
    assert_eq!(late.take(&session), None);
    assert_eq!(manager.inquire(&name("Q")).unwrap().depth, 0);
}

#[test]
fn a_reply_finds_its_caller_among_many() {
    let (manager, _store) = one(Attributes::default());
    let session = manager.session();
    let by = |id: u8| Selection::by_correlation_id(CorrelationId([id; 24]));
    let waits: Vec<Wait> = (1..=200).map(|id| wait(&session, by(id))).collect();
    put(&session, "Q", correlated("reply", 77)).unwrap();
    let woken: Vec<usize> = (0..200).filter(|&nth| waits[nth].is_woken()).collect();
    assert_eq!(woken, [76]);
    let mut waits = waits;
    assert_eq!(waits.remove(76).take(&session).as_deref(), Some("reply"));
}

#[test]
fn a_message_that_is_there_is_given_at_once() {
    let (manager, _store) = one(Attributes::default());
    let session = manager.session();
    put(&session, "Q", persistent("a")).unwrap();
    let wait = wait(&session, Selection::ANY);
    assert!(wait.is_woken() && wait.waiter.is_over());
    assert_eq!(wait.take(&session).as_deref(), Some("a"));
}

#[test]
fn who_goes_takes_nothing_with_him() {
    let (manager, _store) = one(Attributes::default());
    let session = manager.session();
    let (one, two) = (wait(&session, Selection::ANY), wait(&session, Selection::ANY));
    put(&session, "Q", persistent("a")).unwrap();
    // The first client has gone. Its message goes to the second, and no backout counts.
    drop(one);
    assert!(two.is_woken());
    drop(two);
    let mut work = session.begin().unwrap();
    let message = session.get(&mut work.scope(), &name("Q"), &Selection::ANY, NOW).unwrap().unwrap();
    assert_eq!(message.descriptor.backout_count, 0);
    drop(work);
    // A get that is backed out serves a caller that waits meanwhile.
    let mut work = session.begin().unwrap();
    let _ = session.get(&mut work.scope(), &name("Q"), &Selection::ANY, NOW).unwrap().unwrap();
    let third = wait(&session, Selection::ANY);
    assert!(!third.is_woken());
    drop(work);
    assert!(third.is_woken());
}

#[test]
fn a_stop_an_inhibition_and_a_deletion_end_the_wait() {
    let (manager, _store) = one(Attributes::default());
    let session = manager.session();
    let waiting = wait(&session, Selection::ANY);
    manager.configure(&definitions(vec![local(
        "Q",
        Attributes { get_enabled: false, ..Attributes::default() },
    )]));
    let mut work = session.begin().unwrap();
    assert!(waiting.is_woken());
    assert_eq!(reason(waiting.waiter.get(&mut work.scope(), NOW)), Reason::GetInhibited);
    manager.configure(&definitions(vec![local("Q", Attributes::default())]));
    let waiting = wait(&session, Selection::ANY);
    manager.configure(&definitions(vec![]));
    assert_eq!(reason(waiting.waiter.get(&mut work.scope(), NOW)), Reason::QueueDeleted);
    manager.configure(&definitions(vec![local("Q", Attributes::default())]));
    let waiting = wait(&session, Selection::ANY);
    manager.stop();
    assert!(waiting.is_woken());
    assert_eq!(waiting.waiter.get(&mut work.scope(), NOW), Ok(None));
    assert_eq!(reason(session.wait(&name("Q"), &Selection::ANY, || (), NOW)), Reason::ManagerQuiescing);
    put(&session, "Q", persistent("still works")).unwrap();
}

#[test]
fn waits_have_a_limit() {
    let limits = Limits { waiters_max: 1, ..Limits::default() };
    let (manager, _store, _) = manager(&definitions(vec![local("Q", Attributes::default())]), limits);
    let session = manager.session();
    let first = wait(&session, Selection::ANY);
    assert_eq!(reason(session.wait(&name("Q"), &Selection::ANY, || (), NOW)), Reason::ResourceProblem);
    drop(first);
    drop(wait(&session, Selection::ANY));
}

#[test]
fn what_is_looked_out_for_goes_to_callers_first() {
    let limits = Limits { waiters_max: 1, ..Limits::default() };
    let (manager, _store, _) = manager(&definitions(vec![local("Q", Attributes::default())]), limits);
    let session = manager.session();
    let reply = Selection::by_correlation_id(CorrelationId([7; 24]));
    let look_out = || {
        let woken = Arc::new(AtomicUsize::new(0));
        let told = Arc::clone(&woken);
        let wake = move || {
            told.fetch_add(1, Ordering::SeqCst);
        };
        session.look_out(&name("Q"), &reply, wake, NOW).map(|waiter| Wait { waiter, woken })
    };
    let left = look_out().unwrap();
    assert_eq!(manager.inquire(&name("Q")).unwrap().waiters, 0);
    // They have a limit of their own, so that callers find their places.
    assert_eq!(reason(look_out().map(|_| ())), Reason::ResourceProblem);
    let caller = wait(&session, reply);
    put(&session, "Q", correlated("to the caller", 7)).unwrap();
    assert!(caller.is_woken() && !left.is_woken());
    put(&session, "Q", correlated("late", 7)).unwrap();
    assert!(left.is_woken());
    assert_eq!(left.take(&session).as_deref(), Some("late"));
    assert_eq!(caller.take(&session).as_deref(), Some("to the caller"));
    drop(look_out().unwrap());
    drop(look_out().unwrap());
}

#[test]
fn a_waiter_gets_no_message_that_has_expired_before_it_looks() {
    let (manager, _store) = one(Attributes::default());
    let session = manager.session();
    let short = NewMessage { expiry: Expiry::AfterMs(100), ..NewMessage::text("short") };
    put(&session, "Q", short.clone()).unwrap();
    // One session holds it in a unit until it has expired, and gives it back.
    let mut held = session.begin().unwrap();
    assert!(session.get(&mut held.scope(), &name("Q"), &Selection::ANY, NOW).unwrap().is_some());
    let waiting = wait(&session, Selection::ANY);
    drop(held);
    assert!(waiting.is_woken());
    let late = NOW.plus_ms(100);
    let mut work = session.begin().unwrap();
    assert_eq!(waiting.waiter.get(&mut work.scope(), late).unwrap(), None);
    work.commit().unwrap();
    assert_eq!(manager.sweep(late).unwrap().expired, 1);
    assert_eq!(manager.inquire(&name("Q")).unwrap().depth, 0);
    // In time it gets the message.
    let waiting = wait(&session, Selection::ANY);
    put(&session, "Q", short).unwrap();
    assert_eq!(waiting.take(&session).as_deref(), Some("short"));
}
