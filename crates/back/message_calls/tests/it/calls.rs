//! What programs hear.

use message_calls::{QueueGrant, QueueRight, QueueRights, Step};
use mqi::{Fields, GET_OPTIONS, MESSAGE, OBJECT, constant};
use queue::Definition;
use wire::{MessageAnswer, MessageAsk, ObjectAsk, SELECTORS_MAX};

use crate::setup::{
    DONE, NOW, Region, Task, codes, done, initial, name, object, outgoing, reason, set_text, sum, warning,
};

const INPUT: &[&str] = &["MQOO-INPUT-SHARED"];
const OUTPUT: &[&str] = &["MQOO-OUTPUT"];
const BOTH: &[&str] = &["MQOO-INPUT-SHARED", "MQOO-OUTPUT", "MQOO-BROWSE", "MQOO-INQUIRE", "MQOO-SET"];

#[test]
fn a_put_is_there_for_others_when_its_unit_has_committed() {
    let region = Region::new();
    let (mut one, mut other) = (region.task(), region.task());
    let (output, input) = (one.open("Q", OUTPUT), other.open("Q", INPUT));
    assert_eq!(codes(&one.put(output, &[], "first")), DONE);
    assert_eq!(other.get(input, &[], 100).0, reason("NO-MSG-AVAILABLE"));
    one.commit();
    assert_eq!(other.get(input, &[], 100), (DONE, "first".to_owned()));
    assert_eq!(other.get(input, &[], 100).0, reason("NO-MSG-AVAILABLE"));
}

#[test]
fn what_is_backed_out_is_as_it_was() {
    let region = Region::new();
    let mut task = region.task();
    let both = task.open("Q", BOTH);
    assert_eq!(codes(&task.put(both, &[], "lost")), DONE);
    task.back_out();
    assert_eq!(region.depth("Q"), 0);

    assert_eq!(codes(&task.put(both, &["MQPMO-NO-SYNCPOINT"], "kept")), DONE);
    task.back_out();
    assert_eq!(region.depth("Q"), 1);
    for count in 0..3 {
        let answer = task.call(Task::get_ask(both, &[], 100));
        let descriptor = Fields::read(&MESSAGE, &answer.descriptor).expect("a descriptor");
        assert_eq!((answer.data.as_slice(), descriptor.number("BACKOUTCOUNT")), (&b"kept"[..], count));
        task.back_out();
    }
    assert_eq!(task.get(both, &["MQGMO-NO-SYNCPOINT"], 100), (DONE, "kept".to_owned()));
    task.back_out();
    assert_eq!(region.depth("Q"), 0);
}

#[test]
fn a_message_that_is_too_long_stays_unless_the_program_takes_its_beginning() {
    let region = Region::new();
    let mut task = region.task();
    let both = task.open("Q", BOTH);
    task.put(both, &["MQPMO-NO-SYNCPOINT"], "0123456789");
    for options in [&[][..], &["MQGMO-NO-SYNCPOINT"]] {
        let answer = task.call(Task::get_ask(both, options, 4));
        assert_eq!(codes(&answer), warning("TRUNCATED-MSG-FAILED"));
        assert_eq!((answer.data.as_slice(), answer.length), (&b"0123"[..], 10));
        assert_eq!(region.depth("Q"), 1);
    }
    let answer = task.call(Task::get_ask(both, &["MQGMO-NO-SYNCPOINT", "MQGMO-ACCEPT-TRUNCATED-MSG"], 4));
    assert_eq!(codes(&answer), warning("TRUNCATED-MSG-ACCEPTED"));
    assert_eq!((answer.data.as_slice(), answer.length), (&b"0123"[..], 10));
    assert_eq!(region.depth("Q"), 0);
}

#[test]
fn a_get_waits_and_goes_on_with_the_message_or_with_none() {
    let region = Region::new();
    let (mut task, mut other) = (region.task(), region.task());
    let (input, output) = (task.open("Q", INPUT), other.open("Q", OUTPUT));
    let Step::Wait(waiting) = task.step(Task::get_ask(input, &["MQGMO-WAIT"], 100)) else {
        panic!("no wait")
    };
    assert_eq!(waiting.until, Some(task.now.plus_ms(5000)));
    // Nothing has come when the time is over.
    let answer = done(task.go_on(waiting));
    assert_eq!(codes(&answer), reason("NO-MSG-AVAILABLE"));

    // Room for each message the queue may have, and room for some: both ways of taking it.
    for room in [5 << 20, 100] {
        let Step::Wait(waiting) = task.step(Task::get_ask(input, &["MQGMO-WAIT"], room)) else {
            panic!("no wait")
        };
        other.put(output, &["MQPMO-NO-SYNCPOINT"], "late");
        let answer = done(task.go_on(waiting));
        assert_eq!((codes(&answer), answer.data.as_slice()), (DONE, &b"late"[..]));
        task.commit();
        assert_eq!(region.depth("Q"), 0);
    }
}

#[test]
fn a_persistent_message_that_came_while_a_get_waited_is_in_the_unit_of_the_task() {
    let region = Region::new();
    let (mut task, mut other) = (region.task(), region.task());
    let (input, output) = (task.open("Q", INPUT), other.open("Q", OUTPUT));
    for (persistence, left) in [("MQPER-PERSISTENT", 1), ("MQPER-NOT-PERSISTENT", 0)] {
        for room in [5 << 20, 100] {
            let options = ["MQGMO-WAIT", "MQGMO-SYNCPOINT-IF-PERSISTENT"];
            let Step::Wait(waiting) = task.step(Task::get_ask(input, &options, room)) else {
                panic!("no wait")
            };
            let message = outgoing(&["MQPMO-NO-SYNCPOINT"], "late", |descriptor| {
                descriptor.set_number("PERSISTENCE", sum(&[persistence]));
            });
            other.call(MessageAsk::Put { handle: output, message });
            let answer = done(task.go_on(waiting));
            assert_eq!((codes(&answer), answer.data.as_slice()), (DONE, &b"late"[..]));
            // The task abends: a persistent message is back.
            task.back_out();
            assert_eq!(region.depth("Q"), left, "{persistence} {room}");
            task.get(input, &["MQGMO-NO-SYNCPOINT"], 100);
        }
    }
}

#[test]
fn a_browse_goes_from_message_to_message() {
    let region = Region::new();
    let mut task = region.task();
    let both = task.open("Q", BOTH);
    for text in ["one", "two", "three"] {
        task.put(both, &["MQPMO-NO-SYNCPOINT"], text);
    }
    assert_eq!(task.get(both, &["MQGMO-MSG-UNDER-CURSOR"], 100).0, reason("NO-MSG-UNDER-CURSOR"));
    let browse = |task: &mut Task<'_>, option: &str| task.get(both, &[option], 100);
    assert_eq!(browse(&mut task, "MQGMO-BROWSE-NEXT").1, "one");
    assert_eq!(browse(&mut task, "MQGMO-BROWSE-NEXT").1, "two");
    assert_eq!(browse(&mut task, "MQGMO-BROWSE-MSG-UNDER-CURSOR").1, "two");
    assert_eq!(browse(&mut task, "MQGMO-MSG-UNDER-CURSOR").1, "two");
    task.commit();
    assert_eq!(browse(&mut task, "MQGMO-BROWSE-MSG-UNDER-CURSOR").0, reason("NO-MSG-UNDER-CURSOR"));
    assert_eq!(browse(&mut task, "MQGMO-BROWSE-NEXT").1, "three");
    assert_eq!(browse(&mut task, "MQGMO-BROWSE-NEXT").0, reason("NO-MSG-AVAILABLE"));
    assert_eq!(browse(&mut task, "MQGMO-BROWSE-FIRST").1, "one");
    assert_eq!(region.depth("Q"), 2);
}

#[test]
fn a_reply_is_found_by_the_id_of_its_request() {
    let region = Region::new();
    let mut task = region.task();
    let both = task.open("Q", BOTH);
    task.put(both, &[], "another");
    let message = outgoing(&["MQPMO-NEW-CORREL-ID"], "mine", |descriptor| {
        descriptor.set_number("MSGTYPE", 1);
        set_text(descriptor, "REPLYTOQ", "SECOND");
    });
    let answer = task.call(MessageAsk::Put { handle: both, message });
    let put = Fields::read(&MESSAGE, &answer.descriptor).expect("a descriptor");
    task.commit();

    let mut descriptor = initial(&MESSAGE, 1);
    descriptor.set_bytes("MSGID", put.bytes("MSGID").expect("an id"));
    descriptor.set_bytes("CORRELID", put.bytes("CORRELID").expect("an id"));
    let ask = MessageAsk::Get {
        handle: both,
        descriptor: descriptor.as_bytes().to_vec(),
        options: initial(&GET_OPTIONS, 1).as_bytes().to_vec(),
        room: 100,
    };
    let answer = task.call(ask);
    assert_eq!((codes(&answer), answer.data.as_slice()), (DONE, &b"mine"[..]));
    let got = Fields::read(&MESSAGE, &answer.descriptor).expect("a descriptor");
    assert_eq!((got.number("MSGTYPE"), &got.bytes("REPLYTOQ").expect("a name")[..6]), (1, &b"SECOND"[..]));
    assert_eq!(got.bytes("USERIDENTIFIER"), Some(&b"ANNE        "[..]));
    assert!(got.bytes("CORRELID").is_some_and(|id| id.iter().any(|byte| *byte != 0)));
}

#[test]
fn text_is_converted_on_the_way() {
    let region = Region::new();
    let mut task = region.task();
    let both = task.open("Q", BOTH);
    let message = outgoing(&[], "Z\u{fc}rich", |descriptor| {
        descriptor.set_number("CODEDCHARSETID", 1208);
    });
    task.call(MessageAsk::Put { handle: both, message });
    task.commit();
    let answer = task.call(Task::get_ask(both, &["MQGMO-CONVERT"], 100));
    assert_eq!((codes(&answer), answer.data.as_slice()), (DONE, &b"Z\xfcrich"[..]));
    let got = Fields::read(&MESSAGE, &answer.descriptor).expect("a descriptor");
    assert_eq!(got.number("CODEDCHARSETID"), 1252);
}

#[test]
fn put_one_opens_puts_and_closes() {
    let region = Region::new();
    let mut task = region.task();
    let ask = |queue: &str| MessageAsk::PutOne {
        object: object(queue).into_bytes().into(),
        message: outgoing(&["MQPMO-NO-SYNCPOINT"], "one", |_| {}),
    };
    let answer = task.call(ask("ALIAS"));
    assert_eq!(codes(&answer), DONE);
    let given = Fields::read(&OBJECT, &answer.object).expect("an object descriptor");
    assert!(given.bytes("RESOLVEDQNAME").is_some_and(|name| name.starts_with(b"Q ")));
    assert_eq!(region.depth("Q"), 1);
    assert_eq!(codes(&task.call(ask("NOT.THERE"))), reason("UNKNOWN-OBJECT-NAME"));
}

#[test]
fn objects_are_used_as_they_were_opened() {
    let region = Region::new();
    let mut task = region.task();
    let (input, output) = (task.open("Q", INPUT), task.open("ALIAS", OUTPUT));
    assert_eq!(codes(&task.put(input, &[], "x")), reason("NOT-OPEN-FOR-OUTPUT"));
    assert_eq!(task.get(output, &[], 10).0, reason("NOT-OPEN-FOR-INPUT"));
    assert_eq!(task.get(input, &["MQGMO-BROWSE-FIRST"], 10).0, reason("NOT-OPEN-FOR-BROWSE"));
    assert_eq!(task.get(99, &[], 10).0, reason("HOBJ-ERROR"));
    let inquire = |handle| MessageAsk::Inquire { handle, selectors: vec![3], numbers: 1, text_bytes: 0 };
    assert_eq!(codes(&task.call(inquire(input))), reason("NOT-OPEN-FOR-INQUIRE"));
    let close = |options| MessageAsk::Close { handle: input, options };
    assert_eq!(codes(&task.call(close(1))), reason("OPTION-NOT-VALID-FOR-TYPE"));
    assert_eq!(codes(&task.call(close(0))), DONE);
    assert_eq!(codes(&task.call(close(0))), reason("HOBJ-ERROR"));
    assert_eq!(codes(&task.call(MessageAsk::Commit)), reason("ENVIRONMENT-ERROR"));
    assert_eq!(codes(&task.call(MessageAsk::BackOut)), reason("ENVIRONMENT-ERROR"));
}

#[test]
fn what_cannot_be_opened_has_its_reason() {
    let region = Region::new();
    let mut task = region.task();
    let mut open = |change: &dyn Fn(&mut Fields), options: &[&str]| {
        let mut object = object("Q");
        change(&mut object);
        let object = object.into_bytes().into();
        codes(&task.call(MessageAsk::Open { object, options: sum(options) }))
    };
    assert_eq!(open(&|object| set_text(object, "OBJECTNAME", "NO"), INPUT), reason("UNKNOWN-OBJECT-NAME"));
    assert_eq!(open(&|object| set_text(object, "OBJECTNAME", ""), INPUT), reason("UNKNOWN-OBJECT-NAME"));
    assert_eq!(
        open(&|object| set_text(object, "OBJECTQMGRNAME", "QM2"), INPUT),
        reason("UNKNOWN-REMOTE-Q-MGR")
    );
    assert_eq!(open(&|object| set_text(object, "OBJECTQMGRNAME", "QM1"), INPUT), DONE);
    let set_type = |number| move |object: &mut Fields| _ = object.set_number("OBJECTTYPE", number);
    assert_eq!(open(&set_type(3), INPUT), reason("OBJECT-TYPE-ERROR"));
    assert_eq!(open(&set_type(5), INPUT), reason("OPTION-NOT-VALID-FOR-TYPE"));
    assert_eq!(open(&set_type(5), &["MQOO-INQUIRE"]), DONE);
    assert_eq!(open(&|_| {}, &["MQOO-FAIL-IF-QUIESCING"]), reason("OPTIONS-ERROR"));
    assert_eq!(open(&|_| {}, &["MQOO-INPUT-EXCLUSIVE"]), reason("OBJECT-IN-USE"));
    let object = vec![0; 168].into();
    let bad = task.call(MessageAsk::Open { object, options: sum(INPUT) });
    assert_eq!(codes(&bad), reason("OD-ERROR"));
}

#[test]
fn a_temporary_queue_goes_with_the_open_that_made_it() {
    let region = Region::new();
    let mut task = region.task();
    let mut model = object("MODEL");
    set_text(&mut model, "DYNAMICQNAME", "TEMP.*");
    let answer = task.call(MessageAsk::Open {
        object: model.into_bytes().into(),
        options: sum(&["MQOO-INPUT-SHARED", "MQOO-OUTPUT"]),
    });
    assert_eq!(codes(&answer), DONE);
    let given = Fields::read(&OBJECT, &answer.object).expect("an object descriptor");
    let made = String::from_utf8(given.bytes("OBJECTNAME").expect("a name").to_vec()).expect("text");
    let made = made.trim_end();
    assert!(made.starts_with("TEMP."), "{made}");
    assert_eq!(codes(&task.put(answer.handle, &[], "x")), DONE);
    task.commit();
    assert_eq!(region.depth(made), 1);
    assert_eq!(codes(&task.call(MessageAsk::Disconnect)), DONE);
    assert!(region.manager.inquire(&name(made)).is_err());
}

#[test]
fn a_temporary_queue_whose_messages_are_not_committed_goes_after_their_unit() {
    let region = Region::new();
    for is_own in [true, false] {
        let (mut maker, mut other) = (region.task(), region.task());
        let mut model = object("MODEL");
        set_text(&mut model, "DYNAMICQNAME", "TEMP.*");
        let options = sum(&["MQOO-INPUT-SHARED", "MQOO-OUTPUT"]);
        let answer = maker.call(MessageAsk::Open { object: model.into_bytes().into(), options });
        let given = Fields::read(&OBJECT, &answer.object).expect("an object descriptor");
        let made = String::from_utf8(given.bytes("OBJECTNAME").expect("a name").to_vec()).expect("text");
        let made = made.trim_end();
        if is_own {
            assert_eq!(codes(&maker.put(answer.handle, &[], "x")), DONE);
        } else {
            // A reply that comes too late.
            let handle = other.open(made, &["MQOO-OUTPUT"]);
            assert_eq!(codes(&other.put(handle, &[], "x")), DONE);
        }
        assert_eq!(codes(&maker.call(MessageAsk::Close { handle: answer.handle, options: 0 })), DONE);
        region.manager.sweep(NOW).expect("the store");
        assert!(region.manager.inquire(&name(made)).is_ok(), "a unit holds a message");
        if is_own {
            maker.commit()
        } else {
            other.commit()
        }
        region.manager.sweep(NOW).expect("the store");
        assert!(region.manager.inquire(&name(made)).is_err(), "{made} is nobody's, and is still there");
    }
}

#[test]
fn a_temporary_queue_that_mqput1_made_goes_with_the_call() {
    let region = Region::new();
    let before = region.manager.inquire_all().len();
    for options in [&["MQPMO-SYNCPOINT"][..], &["MQPMO-NO-SYNCPOINT"]] {
        let mut task = region.task();
        let mut model = object("MODEL");
        set_text(&mut model, "DYNAMICQNAME", "TEMP.*");
        let message = outgoing(options, "x", |_| {});
        let answer = task.call(MessageAsk::PutOne { object: model.into_bytes().into(), message });
        assert_eq!(codes(&answer), DONE, "{options:?}");
        task.commit();
        region.manager.sweep(NOW).expect("the store");
        assert_eq!(region.manager.inquire_all().len(), before, "{options:?}: the queue is nobody's");
    }
    // The put is refused, too.
    let mut model = object("MODEL");
    set_text(&mut model, "DYNAMICQNAME", "TEMP.*");
    let message = outgoing(&["MQPMO-SYNCPOINT", "MQPMO-NO-SYNCPOINT"], "x", |_| {});
    let answer = region.task().call(MessageAsk::PutOne { object: model.into_bytes().into(), message });
    assert_eq!(answer.completion, 2);
    assert_eq!(region.manager.inquire_all().len(), before);
}

#[test]
fn a_queue_that_cannot_be_opened_is_not_made() {
    let region = Region::new();
    let mut task = region.task();
    while codes(
        &task.call(MessageAsk::Open {
            object: object("Q").into_bytes().into(),
            options: sum(&["MQOO-OUTPUT"]),
        }),
    ) == DONE
    {}
    for model in ["MODEL", "KEPT"] {
        let before = region.manager.inquire_all().len();
        let mut made = object(model);
        set_text(&mut made, "DYNAMICQNAME", "TEMP.*");
        let options = sum(&["MQOO-INPUT-SHARED", "MQOO-OUTPUT"]);
        let answer = task.call(MessageAsk::Open { object: made.into_bytes().into(), options });
        assert_eq!(codes(&answer), reason("HANDLE-NOT-AVAILABLE"));
        assert_eq!(region.manager.inquire_all().len(), before, "{model}: the queue would be nobody's");
    }
}

#[test]
fn a_message_that_is_longer_than_its_queue_allows_now_is_not_cut() {
    let region = Region::new();
    let mut task = region.task();
    let both = task.open("Q", BOTH);
    let long = "0123456789".repeat(100);
    for options in [&["MQPMO-NO-SYNCPOINT"][..], &["MQPMO-NO-SYNCPOINT"]] {
        assert_eq!(codes(&task.put(both, options, &long)), DONE);
    }
    let mut definition = Definition::clone(&*region.manager.definition(&name("Q")).expect("a definition"));
    definition.attributes.length_bytes_max = 10;
    region.manager.define(definition, true).expect("it may have less");
    // There is room for all that the queue takes now, and not for what it has.
    assert_eq!(task.get(both, &[], 500).0, warning("TRUNCATED-MSG-FAILED"));
    assert_eq!(region.depth("Q"), 2);
    // Exactly as much room, and more than is kept of a message.
    assert_eq!(task.get(both, &[], 1_000), (DONE, long.clone()));
    assert_eq!(task.get(both, &[], 100_000), (DONE, long));
    task.commit();
    assert_eq!(region.depth("Q"), 0);
}

#[test]
fn definitions_in_the_store_change_apart_and_before_the_next_call() {
    let region = Region::new();
    let mut task = region.task();
    let queues = || region.manager.inquire_all().len();
    let before = queues();
    let mut model = object("KEPT");
    set_text(&mut model, "DYNAMICQNAME", "KEPT.*");
    let model = ObjectAsk::from(model.into_bytes());
    let Step::Apart(apart) = task.step(MessageAsk::Open { object: model.clone(), options: sum(BOTH) }) else {
        panic!("nothing waits for the disk")
    };
    assert_eq!(queues(), before, "the call itself changes nothing");
    let opened = done(task.changed(*apart));
    assert_eq!((codes(&opened), queues()), (DONE, before + 1));
    let given = Fields::read(&OBJECT, &opened.object).expect("an object descriptor");
    let made = given.text("OBJECTNAME").expect("a name").to_owned();
    assert!(made.starts_with("KEPT.") && given.text("RESOLVEDQNAME") == Some(&*made), "{made}");

    let inhibit = || MessageAsk::Set {
        handle: opened.handle,
        selectors: vec![constant("MQIA-INHIBIT-PUT").expect("a selector")],
        numbers: vec![1],
        text: Vec::new(),
    };
    let Step::Apart(apart) = task.step(inhibit()) else { panic!("nothing waits for the disk") };
    assert_eq!(codes(&done(task.changed(*apart))), DONE);
    assert_eq!(codes(&task.put(opened.handle, &[], "x")), reason("PUT-INHIBITED"));

    let delete = |options| MessageAsk::Close { handle: opened.handle, options: sum(options) };
    let Step::Apart(apart) = task.step(delete(&["MQCO-DELETE"])) else {
        panic!("nothing waits for the disk")
    };
    // Somebody else deletes it meanwhile.
    region.manager.delete(&name(&made), false).expect("it is empty");
    assert_eq!(codes(&done(task.changed(*apart))), reason("UNKNOWN-OBJECT-NAME"));
    assert_eq!(codes(&task.call(delete(&[]))), DONE, "the handle was still there");

    let one = MessageAsk::PutOne { object: model, message: outgoing(&[], "x", |_| {}) };
    let Step::Apart(apart) = task.step(one) else { panic!("nothing waits for the disk") };
    let put = done(task.changed(*apart));
    assert_eq!(codes(&put), DONE);
    task.commit();
    let given = Fields::read(&OBJECT, &put.object).expect("an object descriptor");
    assert_eq!(region.depth(given.text("OBJECTNAME").expect("a name")), 1);
}

#[test]
fn attributes_are_inquired_and_set() {
    let region = Region::new();
    let mut task = region.task();
    let handle = task.open("Q", BOTH);
    task.put(handle, &["MQPMO-NO-SYNCPOINT"], "x");
    let selector = |name: &str| constant(name).expect("a selector");
    let inquire = |names: &[&str], numbers, text_bytes| MessageAsk::Inquire {
        handle,
        selectors: names.iter().map(|name| selector(name)).collect(),
        numbers,
        text_bytes,
    };
    let answer = task.call(inquire(&["MQIA-CURRENT-Q-DEPTH", "MQCA-Q-NAME", "MQIA-INHIBIT-PUT"], 2, 48));
    assert_eq!((codes(&answer), answer.numbers), (DONE, vec![1, 0]));
    assert_eq!(answer.data, format!("{:48}", "Q").into_bytes());
    let answer = task.call(inquire(&["MQIA-CURRENT-Q-DEPTH", "MQIA-INHIBIT-PUT"], 1, 0));
    assert_eq!((codes(&answer), answer.numbers), (warning("INT-ATTR-COUNT-TOO-SMALL"), vec![1]));
    let many = |count| MessageAsk::Inquire { handle, selectors: vec![3; count], numbers: 1, text_bytes: 0 };
    assert_eq!(codes(&task.call(many(SELECTORS_MAX + 1))), reason("SELECTOR-LIMIT-EXCEEDED"));
    assert_ne!(codes(&task.call(many(SELECTORS_MAX))), reason("SELECTOR-LIMIT-EXCEEDED"));
    let answer = task.call(MessageAsk::Inquire { handle, selectors: vec![9999], numbers: 1, text_bytes: 0 });
    assert_eq!(codes(&answer), reason("SELECTOR-ERROR"));
    let answer = task.call(inquire(&["MQCA-CLUSTER-NAME"], 0, 48));
    assert_eq!(codes(&answer), warning("SELECTOR-NOT-FOR-TYPE"));

    let set = |name: &str, number| MessageAsk::Set {
        handle,
        selectors: vec![selector(name)],
        numbers: vec![number],
        text: Vec::new(),
    };
    assert_eq!(codes(&task.call(set("MQIA-INHIBIT-PUT", 1))), DONE);
    assert_eq!(codes(&task.put(handle, &[], "y")), reason("PUT-INHIBITED"));
    assert_eq!(codes(&task.call(set("MQIA-INHIBIT-PUT", 7))), reason("INHIBIT-VALUE-ERROR"));
    assert_eq!(codes(&task.call(set("MQIA-MAX-Q-DEPTH", 7))), reason("SELECTOR-ERROR"));
    let filed = task.open("FILED", BOTH);
    let ask = MessageAsk::Set {
        handle: filed,
        selectors: vec![selector("MQIA-INHIBIT-PUT")],
        numbers: vec![1],
        text: Vec::new(),
    };
    assert_eq!(codes(&task.call(ask)), reason("NOT-AUTHORIZED"));
}

#[test]
fn a_program_connects_to_its_manager_only() {
    let region = Region::new();
    let mut task = region.task();
    let mut connect = |name: &str| {
        let mut manager = [b' '; 48];
        manager[..name.len()].copy_from_slice(name.as_bytes());
        codes(&task.call(MessageAsk::Connect { manager }))
    };
    assert_eq!((connect(""), connect("QM1"), connect("QM1\0rest")), (DONE, DONE, DONE));
    assert_eq!(connect("QM2"), reason("Q-MGR-NAME-ERROR"));
}

#[test]
fn bad_structures_have_the_reason_of_their_parameter() {
    let region = Region::new();
    let mut task = region.task();
    let both = task.open("Q", BOTH);
    let mut message = outgoing(&[], "x", |_| {});
    message.options[0] = b'X';
    let put = |task: &mut Task<'_>, message| codes(&task.call(MessageAsk::Put { handle: both, message }));
    assert_eq!(put(&mut task, message.clone()), reason("PMO-ERROR"));
    message = outgoing(&[], "x", |descriptor| _ = descriptor.set_number("PRIORITY", 10));
    assert_eq!(put(&mut task, message), reason("PRIORITY-ERROR"));
    let long = "x".repeat((4 << 20) + 1);
    assert_eq!(codes(&task.put(both, &[], &long)), reason("MSG-TOO-BIG-FOR-Q"));
    let MessageAsk::Get { handle, descriptor, options, room } = Task::get_ask(both, &[], 10) else {
        panic!("a get")
    };
    let mut bad = descriptor.clone();
    bad[0] = 0;
    let ask = MessageAsk::Get { handle, descriptor: bad, options: options.clone(), room };
    assert_eq!(codes(&task.call(ask)), reason("MD-ERROR"));
    let mut bad = options;
    bad.truncate(70);
    let answer: MessageAnswer = task.call(MessageAsk::Get { handle, descriptor, options: bad, room });
    assert_eq!(codes(&answer), reason("GMO-ERROR"));
}

#[test]
fn a_task_without_a_right_cannot_open_a_queue_nor_put_to_it() {
    let mut region = Region::new();
    let grant = |user: &str, rights: &[QueueRight]| QueueGrant {
        users: vec![user.to_owned()],
        queues: vec!["Q".to_owned()],
        rights: rights.to_vec(),
    };
    region.rights = QueueRights(vec![grant("ANNE", &[QueueRight::Put]), grant("BOB", &[QueueRight::Get])]);
    let mut task = region.task();
    let output = task.open("Q", OUTPUT);
    assert_eq!(codes(&task.put(output, &["MQPMO-NO-SYNCPOINT"], "one")), DONE);
    for options in [INPUT, BOTH, &["MQOO-BROWSE"], &["MQOO-INQUIRE"], &["MQOO-SET"]] {
        assert_eq!(codes(&task.open_answer("Q", options)), reason("NOT-AUTHORIZED"), "{options:?}");
    }
    let mut put_one = |queue: &str| {
        let message = outgoing(&["MQPMO-NO-SYNCPOINT"], "two", |_| {});
        codes(&task.call(MessageAsk::PutOne { object: object(queue).into_bytes().into(), message }))
    };
    assert_eq!(put_one("Q"), DONE);
    // Whether there is such a queue is not told.
    assert_eq!(put_one("NO.SUCH.QUEUE"), reason("NOT-AUTHORIZED"));
    assert_eq!(region.depth("Q"), 2);
}

#[test]
fn a_persistent_message_under_the_cursor_is_in_the_unit_of_the_task_behind_another() {
    let region = Region::new();
    let mut task = region.task();
    let both = task.open("Q", BOTH);
    for (persistence, text) in [("MQPER-NOT-PERSISTENT", "first"), ("MQPER-PERSISTENT", "second")] {
        let message = outgoing(&["MQPMO-NO-SYNCPOINT"], text, |descriptor| {
            descriptor.set_number("PERSISTENCE", sum(&[persistence]));
        });
        task.call(MessageAsk::Put { handle: both, message });
        task.get(both, &["MQGMO-BROWSE-NEXT"], 100);
    }
    let under = ["MQGMO-MSG-UNDER-CURSOR", "MQGMO-SYNCPOINT-IF-PERSISTENT"];
    assert_eq!(task.get(both, &under, 100), (DONE, "second".to_owned()));
    assert_eq!(region.depth("Q"), 2, "it is gone only after the unit");
    task.back_out();
    assert_eq!(region.depth("Q"), 2);
    // The other way round: the message under the cursor is not persistent, and the first one is.
    task.get(both, &["MQGMO-NO-SYNCPOINT"], 100);
    let message = outgoing(&["MQPMO-NO-SYNCPOINT"], "third", |descriptor| {
        descriptor.set_number("PERSISTENCE", sum(&["MQPER-NOT-PERSISTENT"]));
    });
    task.call(MessageAsk::Put { handle: both, message });
    task.get(both, &["MQGMO-BROWSE-FIRST"], 100);
    task.get(both, &["MQGMO-BROWSE-NEXT"], 100);
    assert_eq!(task.get(both, &under, 100), (DONE, "third".to_owned()));
    task.back_out();
    assert_eq!(region.depth("Q"), 1, "it was in no unit of the task");
}
