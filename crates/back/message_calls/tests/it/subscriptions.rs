//! What programs hear that subscribe.

use message_calls::{QueueGrant, QueueRight, QueueRights, Step};
use mqi::{Fields, MESSAGE, SUBSCRIPTION, SUBSCRIPTION_REQUEST};
use proptest::prelude::*;
use wire::{MessageAnswer, MessageAsk, SubscribeAsk};

use crate::setup::{DONE, Region, Task, codes, done, initial, object, outgoing, reason, sum};

/// A subscription of a name to topics.
fn subscription(options: &[&str], name: &str, topics: &str) -> SubscribeAsk {
    let mut fields = initial(&SUBSCRIPTION, 1);
    fields.set_number("OPTIONS", sum(options));
    for (field, text) in [("OBJECTSTRING", topics), ("SUBNAME", name)] {
        fields.set_varying(field, i32::try_from(text.len()).expect("a length"), -3);
    }
    SubscribeAsk {
        descriptor: fields.into_bytes(),
        string: topics.as_bytes().to_vec(),
        name: name.as_bytes().to_vec(),
        user_data: Vec::new(),
    }
}

fn subscribe(task: &mut Task<'_>, ask: SubscribeAsk, queue: i32) -> MessageAnswer {
    task.call(MessageAsk::Subscribe { subscription: Box::new(ask), queue })
}

/// The same with another field of MQSD.
fn with(mut ask: SubscribeAsk, change: impl FnOnce(&mut Fields)) -> SubscribeAsk {
    let mut fields = Fields::read(&SUBSCRIPTION, &ask.descriptor).expect("a descriptor");
    change(&mut fields);
    ask.descriptor = fields.into_bytes();
    ask
}

fn publish(task: &mut Task<'_>, topic: &str, text: &str, options: &[&str]) {
    let mut descriptor = initial(&mqi::OBJECT, 4);
    descriptor.set_number("OBJECTTYPE", 8);
    let object = wire::ObjectAsk { descriptor: descriptor.into_bytes(), string: topic.as_bytes().to_vec() };
    let message = outgoing(options, text, |_| {});
    assert_eq!(codes(&task.call(MessageAsk::PutOne { object, message })), DONE);
}

fn close(task: &mut Task<'_>, handle: i32, options: &[&str]) -> crate::setup::Codes {
    codes(&task.call(MessageAsk::Close { handle, options: sum(options) }))
}

const NOW: &[&str] = &["MQPMO-NO-SYNCPOINT"];
const TAKE: &[&str] = &["MQGMO-NO-SYNCPOINT"];
const LIVE: &[&str] = &["MQSO-CREATE", "MQSO-MANAGED", "MQSO-NON-DURABLE"];
const DURABLE: &[&str] = &["MQSO-CREATE", "MQSO-MANAGED", "MQSO-DURABLE"];
const RESUMED: &[&str] = &["MQSO-RESUME", "MQSO-DURABLE"];

fn queues(region: &Region) -> usize {
    let all = region.manager.inquire_all();
    all.iter().filter(|queue| queue.name.as_str().starts_with("SYSTEM.MANAGED.")).count()
}

#[test]
fn a_subscription_that_is_not_durable_ends_with_its_handle_or_its_task() {
    let region = Region::new();
    let (mut task, mut other) = (region.task(), region.task());
    let made = subscribe(&mut task, subscription(LIVE, "", "weather/#"), 0);
    assert_eq!((codes(&made), made.string.as_slice()), (DONE, &b"weather/#"[..]));
    publish(&mut other, "weather/today", "rain", NOW);
    publish(&mut other, "news", "x", NOW);
    assert_eq!(task.get(made.queue, TAKE, 100), (DONE, "rain".to_owned()));
    assert_eq!(task.get(made.queue, TAKE, 100).0, reason("NO-MSG-AVAILABLE"));
    assert_eq!(codes(&task.put(made.queue, &[], "x")), reason("NOT-OPEN-FOR-OUTPUT"));
    assert_eq!(close(&mut task, made.handle, &["MQCO-KEEP-SUB"]), reason("OPTION-NOT-VALID-FOR-TYPE"));
    assert_eq!(close(&mut task, made.handle, &["MQCO-DELETE"]), reason("OPTION-NOT-VALID-FOR-TYPE"));
    assert_eq!(close(&mut task, made.queue, &["MQCO-REMOVE-SUB"]), reason("OPTION-NOT-VALID-FOR-TYPE"));
    assert_eq!(close(&mut task, made.handle, &["MQCO-REMOVE-SUB"]), DONE);
    publish(&mut other, "weather/today", "sun", NOW);
    assert_eq!(task.get(made.queue, TAKE, 100).0, reason("NO-MSG-AVAILABLE"));
    assert_eq!(close(&mut task, made.queue, &[]), DONE);
    assert_eq!(queues(&region), 0);

    let name = || subscription(LIVE, "MINE", "weather/#");
    assert_eq!(codes(&subscribe(&mut task, name(), 0)), DONE);
    assert_eq!(codes(&subscribe(&mut other, name(), 0)), reason("SUB-ALREADY-EXISTS"));
    assert_eq!(codes(&task.call(MessageAsk::Disconnect)), DONE);
    assert_eq!((region.manager.subscription("MINE"), queues(&region)), (None, 0));
    assert_eq!(codes(&subscribe(&mut other, name(), 0)), DONE);
}

#[test]
fn a_durable_subscription_waits_for_those_who_resume_it() {
    let region = Region::new();
    let mut task = region.task();
    let ask = MessageAsk::Subscribe {
        subscription: Box::new(subscription(DURABLE, "KEPT", "weather/+")),
        queue: 0,
    };
    let Step::Apart(apart) = task.step(ask) else { panic!("nothing waits for the disk") };
    assert!(region.manager.subscription("KEPT").is_none(), "the call itself changes nothing");
    let made = done(task.changed(*apart));
    assert_eq!(codes(&made), DONE);
    let mut other = region.task();
    let resume = || subscription(RESUMED, "KEPT", "");
    assert_eq!(codes(&subscribe(&mut other, resume(), 0)), reason("SUBSCRIPTION-IN-USE"));
    let again = subscribe(&mut other, subscription(DURABLE, "KEPT", "weather/+"), 0);
    assert_eq!(codes(&again), reason("SUB-ALREADY-EXISTS"));
    assert_eq!(codes(&task.call(MessageAsk::Disconnect)), DONE);

    publish(&mut other, "weather/today", "rain", NOW);
    publish(&mut other, "weather/today/here", "x", NOW);
    let resumed = subscribe(&mut other, resume(), 0);
    assert_eq!((codes(&resumed), resumed.string.as_slice()), (DONE, &b"weather/+"[..]));
    let id = |answer: &MessageAnswer| {
        let fields = Fields::read(&SUBSCRIPTION, &answer.object).expect("a descriptor");
        fields.bytes("SUBCORRELID").expect("an id").to_vec()
    };
    assert_eq!(id(&resumed), id(&made));
    // Its messages have its id.
    let got = other.call(Task::get_ask(resumed.queue, &[], 100));
    let descriptor = Fields::read(&MESSAGE, &got.descriptor).expect("a descriptor");
    assert_eq!((got.data.as_slice(), descriptor.bytes("CORRELID")), (&b"rain"[..], Some(&*id(&made))));
    assert_eq!(other.get(resumed.queue, TAKE, 100).0, reason("NO-MSG-AVAILABLE"));

    // The subscription goes, and its queue when nobody has it open and no unit holds a message of it.
    assert_eq!(close(&mut other, resumed.handle, &["MQCO-REMOVE-SUB"]), DONE);
    let sweep = || region.manager.sweep(other_now()).map(drop);
    assert_eq!((sweep(), queues(&region)), (Ok(()), 1));
    assert_eq!(close(&mut other, resumed.queue, &[]), DONE);
    assert_eq!((sweep(), queues(&region)), (Ok(()), 1), "the unit still has its message");
    other.commit();
    assert_eq!((sweep(), queues(&region)), (Ok(()), 0));
    assert_eq!(codes(&subscribe(&mut other, resume(), 0)), reason("NO-SUBSCRIPTION"));
}

fn other_now() -> message::Moment {
    crate::setup::NOW
}

#[test]
fn a_queue_of_the_program_gets_the_messages_with_the_id_that_it_sets() {
    let region = Region::new();
    let mut task = region.task();
    let queue = task.open("FILED", &["MQOO-INPUT-SHARED"]);
    let own = |options: &[&str], name: &str| {
        let options = [options, &["MQSO-SET-CORREL-ID"]].concat();
        with(subscription(&options, name, "weather"), |fields| {
            fields.set_bytes("SUBCORRELID", &[7; 24]);
            fields.set_number("PUBPRIORITY", 9);
        })
    };
    let made = subscribe(&mut task, own(&["MQSO-CREATE", "MQSO-DURABLE"], "OWN"), queue);
    assert_eq!((codes(&made), made.queue), (DONE, queue));
    publish(&mut task, "weather", "rain", NOW);
    let got = task.call(Task::get_ask(queue, TAKE, 100));
    let descriptor = Fields::read(&MESSAGE, &got.descriptor).expect("a descriptor");
    assert_eq!((descriptor.bytes("CORRELID"), descriptor.number("PRIORITY")), (Some(&[7; 24][..]), 9));
    assert_eq!(close(&mut task, made.handle, &[]), DONE);

    // It is changed: another queue, and the id of the publisher.
    let second = task.open("SECOND", &["MQOO-BROWSE", "MQOO-INPUT-SHARED"]);
    let moved = subscription(RESUMED, "OWN", "");
    assert_eq!(codes(&subscribe(&mut task, moved, second)), reason("HOBJ-ERROR"));
    let options = ["MQSO-ALTER", "MQSO-DURABLE", "MQSO-SET-CORREL-ID", "MQSO-ANY-USERID"];
    let altered = subscribe(&mut task, subscription(&options, "OWN", "weather"), second);
    assert_eq!((codes(&altered), altered.queue), (DONE, second));
    publish(&mut task, "weather", "sun", NOW);
    assert_eq!(region.depth("FILED"), 0);
    let got = task.call(Task::get_ask(second, TAKE, 100));
    let descriptor = Fields::read(&MESSAGE, &got.descriptor).expect("a descriptor");
    assert_eq!((got.data.as_slice(), descriptor.bytes("CORRELID")), (&b"sun"[..], Some(&[0; 24][..])));
    for handle in [0, altered.handle, 99, task.open("Q", &["MQOO-OUTPUT"])] {
        let asked = subscription(&["MQSO-CREATE"], "", "weather");
        assert_eq!(codes(&subscribe(&mut task, asked, handle)), reason("HOBJ-ERROR"), "{handle}");
    }
}

#[test]
fn what_cannot_be_subscribed_has_its_reason() {
    let region = Region::new();
    let mut task = region.task();
    let mut hears = |ask: SubscribeAsk| codes(&subscribe(&mut task, ask, 0));
    let live = |topics: &str| subscription(LIVE, "", topics);
    for options in [
        &["MQSO-MANAGED"][..],
        &["MQSO-CREATE", "MQSO-MANAGED", "MQSO-WILDCARD-CHAR"],
        &["MQSO-CREATE", "MQSO-MANAGED", "MQSO-GROUP-SUB"],
        &["MQSO-CREATE", "MQSO-MANAGED", "MQSO-PUBLICATIONS-ON-REQUEST"],
        &["MQSO-CREATE", "MQSO-MANAGED", "MQSO-SET-IDENTITY-CONTEXT"],
        &["MQSO-CREATE", "MQSO-MANAGED", "MQSO-ALTERNATE-USER-AUTHORITY"],
        &["MQSO-CREATE", "MQSO-MANAGED", "MQSO-FIXED-USERID", "MQSO-ANY-USERID"],
        &["MQSO-CREATE", "MQSO-MANAGED", "MQSO-READ-AHEAD", "MQSO-NO-READ-AHEAD"],
    ] {
        assert_eq!(hears(subscription(options, "", "a")), reason("OPTIONS-ERROR"), "{options:?}");
    }
    let number = |field: &'static str, value: i32| {
        with(live("a"), |fields| assert!(fields.set_number(field, value), "{field}"))
    };
    assert_eq!(hears(number("SUBLEVEL", 2)), reason("OPTIONS-ERROR"));
    assert_eq!(hears(number("SUBEXPIRY", 0)), reason("EXPIRY-ERROR"));
    assert_eq!(hears(number("PUBPRIORITY", 10)), reason("PRIORITY-ERROR"));
    assert_eq!(hears(number("VERSION", 2)), reason("SD-ERROR"));
    let selecting = with(live("a"), |fields| _ = fields.set_varying("SELECTIONSTRING", 5, -3));
    assert_eq!(hears(selecting), reason("SELECTION-NOT-AVAILABLE"));
    assert_eq!(hears(live("")), reason("UNKNOWN-OBJECT-NAME"));
    assert_eq!(hears(live("a\0b")), reason("TOPIC-STRING-ERROR"));
    assert_eq!(hears(subscription(DURABLE, "", "a")), reason("SUB-NAME-ERROR"));
    assert_eq!(hears(subscription(DURABLE, &"N".repeat(256), "a")), reason("SUB-NAME-ERROR"));
    assert_eq!(hears(subscription(RESUMED, "", "")), reason("SUB-NAME-ERROR"));
    assert_eq!(hears(subscription(RESUMED, "NONE", "")), reason("NO-SUBSCRIPTION"));
    let data = SubscribeAsk { user_data: vec![0xff], ..live("a") };
    let data = with(data, |fields| _ = fields.set_varying("SUBUSERDATA", 1, 1208));
    assert_eq!(hears(data), reason("SUB-USER-DATA-ERROR"));
    assert_eq!(queues(&region), 0);

    // `all` is a subscription of an administrator.
    let mut hears = |ask: SubscribeAsk| codes(&subscribe(&mut task, ask, 0));
    assert_eq!(hears(subscription(&["MQSO-RESUME"], "all", "")), reason("DURABILITY-NOT-ALTERABLE"));
    assert_eq!(hears(subscription(RESUMED, "all", "other")), reason("TOPIC-NOT-ALTERABLE"));
    let managed = ["MQSO-RESUME", "MQSO-DURABLE", "MQSO-MANAGED"];
    assert_eq!(hears(subscription(&managed, "all", "")), reason("ALTER-SUB-ERROR"));
    let alter = ["MQSO-ALTER", "MQSO-DURABLE"];
    assert_eq!(hears(subscription(&alter, "all", "")), reason("ALTER-SUB-ERROR"));
    let resumed = subscribe(&mut task, subscription(RESUMED, "all", "news/#"), 0);
    assert_eq!(codes(&resumed), DONE);
    publish(&mut task, "news", "one", NOW);
    assert_eq!(task.get(resumed.queue, TAKE, 10), (DONE, "one".to_owned()));
    // A publication is not retained.
    let request = |handle, action| MessageAsk::Request {
        handle,
        action,
        options: initial(&SUBSCRIPTION_REQUEST, 1).into_bytes(),
    };
    assert_eq!(codes(&task.call(request(resumed.handle, 1))), reason("NO-RETAINED-MSG"));
    assert_eq!(codes(&task.call(request(resumed.handle, 2))), reason("ACTION-ERROR"));
    assert_eq!(codes(&task.call(request(resumed.queue, 1))), reason("HOBJ-ERROR"));
    let bad = MessageAsk::Request { handle: resumed.handle, action: 1, options: vec![0; 16] };
    assert_eq!(codes(&task.call(bad)), reason("SRO-ERROR"));
}

#[test]
fn a_subscription_ends_when_its_time_is_over() {
    let region = Region::new();
    let mut task = region.task();
    let short = |options: &[&str], name: &str| {
        with(subscription(options, name, "weather"), |fields| _ = fields.set_number("SUBEXPIRY", 10))
    };
    let live = subscribe(&mut task, short(LIVE, ""), 0);
    let durable = subscribe(&mut task, short(DURABLE, "SHORT"), 0);
    assert_eq!((codes(&live), codes(&durable)), (DONE, DONE));
    publish(&mut task, "weather", "rain", NOW);
    task.now = task.now.plus_ms(1_000);
    publish(&mut task, "weather", "sun", NOW);
    for queue in [live.queue, durable.queue] {
        assert_eq!(task.get(queue, TAKE, 100), (DONE, "rain".to_owned()));
        assert_eq!(task.get(queue, TAKE, 100).0, reason("NO-MSG-AVAILABLE"));
    }
    region.manager.sweep(task.now).expect("a sweep");
    assert!(region.manager.subscription("SHORT").is_none());
}

#[test]
fn rights_and_users_are_checked() {
    let mut region = Region::new();
    region.rights = QueueRights(vec![QueueGrant {
        users: vec!["ANNE".to_owned()],
        queues: vec!["news/s*".to_owned(), "FILED".to_owned()],
        rights: vec![QueueRight::Get],
    }]);
    let mut task = region.task();
    assert_eq!(codes(&subscribe(&mut task, subscription(LIVE, "", "news/sport"), 0)), DONE);
    for topics in ["news/#", "news/w", "#"] {
        let asked = subscribe(&mut task, subscription(LIVE, "", topics), 0);
        assert_eq!(codes(&asked), reason("NOT-AUTHORIZED"), "{topics}");
    }
    // The handle of the queue of an administrator's subscription needs rights to the queue, too.
    let sport = subscribe(&mut task, subscription(RESUMED, "sport", ""), 0);
    assert_eq!(codes(&sport), reason("NOT-AUTHORIZED"));
    drop(task);

    region.rights = QueueRights::default();
    let mut registration =
        queue::Registration { user: "BOB".to_owned(), durable: true, ..Default::default() };
    let mut bobs = |name: &str, any_user: bool| {
        registration.any_user = any_user;
        let queue = crate::setup::name("Q");
        let registration = Some(registration.clone());
        let plain = queue::Subscription::new(name, "weather", queue);
        region.manager.subscribe(queue::Subscription { registration, ..plain }).expect("a subscription");
    };
    bobs("BOBS", false);
    bobs("ANYBODYS", true);
    let mut task = region.task();
    let mut resume = |name: &str| codes(&subscribe(&mut task, subscription(RESUMED, name, ""), 0));
    assert_eq!((resume("BOBS"), resume("ANYBODYS")), (reason("IDENTITY-MISMATCH"), DONE));
}

#[test]
fn a_task_without_room_for_both_handles_makes_no_subscription() {
    let region = Region::new();
    let mut task = region.task();
    for _ in 0..255 {
        let object = object("Q").into_bytes().into();
        assert_eq!(codes(&task.call(MessageAsk::Open { object, options: sum(&["MQOO-OUTPUT"]) })), DONE);
    }
    for options in [LIVE, DURABLE] {
        let made = subscribe(&mut task, subscription(options, "N", "weather"), 0);
        assert_eq!(codes(&made), reason("HANDLE-NOT-AVAILABLE"));
    }
    assert_eq!((region.manager.subscription("N"), queues(&region)), (None, 0));
}

#[test]
fn any_subscription_is_made_or_has_a_reason() {
    let region = Region::new();
    let bytes = || prop::collection::vec(any::<u8>(), 0..40);
    let texts = (bytes(), bytes(), bytes());
    let options = (any::<i32>(), prop::sample::select(vec![0x7f00_0000_i32, 0x0000_002e, 0x0000_0022, -1]));
    let part = any::<[u8; 24]>();
    proptest!(|((string, name, user_data) in texts, (options, mask) in options, part in part, ccsid in -4_i32..1_300)| {
        let mut fields = initial(&SUBSCRIPTION, 1);
        fields.set_number("OPTIONS", options & mask);
        fields.set_bytes("RESOBJECTSTRING", &part);
        for field in ["OBJECTSTRING", "SUBNAME", "SUBUSERDATA"] {
            fields.set_varying(field, 1, ccsid);
        }
        let ask = SubscribeAsk { descriptor: fields.into_bytes(), string, name, user_data };
        let mut task = region.task();
        let answer = subscribe(&mut task, ask, 0);
        prop_assert_eq!(answer.completion == 0, answer.handle > 0 && answer.queue > 0);
        prop_assert_eq!(codes(&task.call(MessageAsk::Disconnect)), DONE);
    });
}
