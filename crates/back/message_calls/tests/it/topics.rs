//! What programs hear that publish.

use message_calls::{QueueGrant, QueueRight, QueueRights};
use mqi::{Fields, MESSAGE, OBJECT, PUT_OPTIONS};
use proptest::prelude::*;
use wire::{MessageAnswer, MessageAsk, ObjectAsk};

use crate::setup::{DONE, Region, Task, codes, initial, outgoing, reason, set_text, sum, warning};

/// A topic: the name of a topic object, and an object string in code page 1252.
fn topic(name: &str, string: &[u8]) -> ObjectAsk {
    let mut object = initial(&OBJECT, 4);
    object.set_number("OBJECTTYPE", 8);
    set_text(&mut object, "OBJECTNAME", name);
    object.set_varying("OBJECTSTRING", i32::try_from(string.len()).expect("a length"), -3);
    ObjectAsk { descriptor: object.into_bytes(), string: string.to_vec() }
}

fn open(task: &mut Task<'_>, object: ObjectAsk, options: &[&str]) -> MessageAnswer {
    task.call(MessageAsk::Open { object, options: sum(options) })
}

fn handle(task: &mut Task<'_>, name: &str, string: &str) -> i32 {
    let answer = open(task, topic(name, string.as_bytes()), &["MQOO-OUTPUT", "MQOO-FAIL-IF-QUIESCING"]);
    assert_eq!(codes(&answer), DONE, "{name} {string}");
    answer.handle
}

fn depths(region: &Region) -> (usize, usize) {
    (region.depth("Q"), region.depth("SECOND"))
}

#[test]
fn a_publication_belongs_to_the_unit_of_the_task() {
    let region = Region::new();
    let mut task = region.task();
    let sport = handle(&mut task, "NEWS", "sport");
    let put = task.put(sport, &[], "lost");
    assert_eq!(codes(&put), DONE);
    assert_eq!(task.get_codes("Q"), reason("NO-MSG-AVAILABLE"), "it is not committed");
    task.back_out();
    assert_eq!(depths(&region), (0, 0));

    let put = task.put(sport, &[], "kept");
    task.commit();
    assert_eq!(depths(&region), (1, 1));
    let descriptor = Fields::read(&MESSAGE, &put.descriptor).expect("a descriptor");
    let options = Fields::read(&PUT_OPTIONS, &put.options).expect("options");
    assert_eq!((options.text("RESOLVEDQNAME"), options.text("RESOLVEDQMGRNAME")), (Some(""), Some("")));
    for queue in ["Q", "SECOND"] {
        let input = task.open(queue, &["MQOO-INPUT-SHARED"]);
        let got = task.call(Task::get_ask(input, &[], 100));
        let of = Fields::read(&MESSAGE, &got.descriptor).expect("a descriptor");
        assert_eq!(
            (got.data.as_slice(), of.bytes("MSGID")),
            (&b"kept"[..], descriptor.bytes("MSGID")),
            "{queue}"
        );
    }
    task.commit();

    // What does not belong to the unit stays when that is backed out.
    assert_eq!(codes(&task.put(sport, &["MQPMO-NO-SYNCPOINT"], "stays")), DONE);
    task.back_out();
    assert_eq!(depths(&region), (1, 1));
    let close = |options| MessageAsk::Close { handle: sport, options: sum(options) };
    assert_eq!(codes(&task.call(close(&["MQCO-DELETE"]))), reason("OPTION-NOT-VALID-FOR-TYPE"));
    assert_eq!(codes(&task.call(close(&[]))), DONE);
    assert_eq!(codes(&task.put(sport, &[], "x")), reason("HOBJ-ERROR"));
}

#[test]
fn object_and_string_make_the_whole_topic() {
    let region = Region::new();
    let mut task = region.task();
    let mut whole = |name: &str, string: &str| {
        let answer = open(&mut task, topic(name, string.as_bytes()), &["MQOO-OUTPUT"]);
        let shown = String::from_utf8(answer.string.clone()).expect("text");
        (codes(&answer), shown)
    };
    let resolved = |text: &str| (DONE, text.to_owned());
    let failed = |name| (reason(name), String::new());
    // The examples of IBM MQ, "Using topic strings".
    assert_eq!(whole("NEWS", ""), resolved("news"));
    assert_eq!(whole("", "news/scores"), resolved("news/scores"));
    assert_eq!(whole("NEWS", "scores"), resolved("news/scores"));
    assert_eq!(whole("NEWS", "/scores"), resolved("news//scores"));
    assert_eq!(whole("SYSTEM.BASE.TOPIC", "/news"), resolved("/news"));
    assert_eq!(whole("NEWS", " x"), resolved("news"), "a string that begins with a blank is none");
    assert_eq!(whole("NEWS", "\0x"), resolved("news"));
    assert_eq!(whole("SYSTEM.BASE.TOPIC", ""), failed("TOPIC-STRING-ERROR"));
    assert_eq!(whole("", ""), failed("UNKNOWN-OBJECT-NAME"));
    assert_eq!(whole("NOWHERE", "x"), failed("UNKNOWN-OBJECT-NAME"));
    assert_eq!(whole("", &"x".repeat(10_240)), resolved(&"x".repeat(10_240)));
    assert_eq!(whole("NEWS", &"x".repeat(10_240)), failed("TOPIC-STRING-ERROR"));
    assert_eq!(whole("", "a\0b"), failed("TOPIC-STRING-ERROR"));
}

#[test]
fn texts_have_the_code_pages_that_the_program_names() {
    let region = Region::new();
    let mut task = region.task();
    let mut resolved = |ccsids: (i32, i32), string: &[u8]| {
        let ObjectAsk { descriptor, string } = topic("", string);
        let mut object = Fields::read(&OBJECT, &descriptor).expect("an object descriptor");
        object.set_varying("OBJECTSTRING", 1, ccsids.0);
        object.set_varying("RESOBJECTSTRING", 0, ccsids.1);
        let ask = ObjectAsk { descriptor: object.into_bytes(), string };
        let answer = open(&mut task, ask, &["MQOO-OUTPUT"]);
        let object = Fields::read(&OBJECT, &answer.object).ok();
        let given = object.and_then(|object| object.varying("RESOBJECTSTRING"));
        (codes(&answer), answer.string.clone(), given.map(|given| given.ccsid))
    };
    assert_eq!(resolved((-3, 1208), b"Z\xfcrich"), (DONE, "Z\u{fc}rich".into(), Some(1208)));
    assert_eq!(resolved((1208, -3), "Z\u{fc}rich".as_bytes()), (DONE, b"Z\xfcrich".to_vec(), Some(1252)));
    assert_eq!(resolved((37, 0), b"\xC8\x89"), (DONE, b"Hi".to_vec(), Some(1252)));
    assert_eq!(resolved((9_999, -3), b"x").0, reason("TOPIC-STRING-ERROR"));
    assert_eq!(resolved((-2, -3), b"x").0, reason("TOPIC-STRING-ERROR"));
    assert_eq!(resolved((1208, -3), b"\xff").0, reason("TOPIC-STRING-ERROR"));
    assert_eq!(resolved((1208, -3), "\u{65e5}".as_bytes()).0, reason("RES-OBJECT-STRING-ERROR"));
    assert_eq!(resolved((-3, 9_999), b"x").0, reason("RES-OBJECT-STRING-ERROR"));
}

#[test]
fn a_topic_is_open_for_output_only() {
    let region = Region::new();
    let mut task = region.task();
    let news = || topic("NEWS", b"");
    for options in [
        &["MQOO-INPUT-SHARED"][..],
        &["MQOO-OUTPUT", "MQOO-BROWSE"],
        &["MQOO-INQUIRE"],
        &["MQOO-OUTPUT", "MQOO-SET"],
    ] {
        let opened = open(&mut task, news(), options);
        assert_eq!(codes(&opened), reason("OPTION-NOT-VALID-FOR-TYPE"), "{options:?}");
    }
    assert_eq!(codes(&open(&mut task, news(), &["MQOO-FAIL-IF-QUIESCING"])), reason("OPTIONS-ERROR"));
    let opened =
        open(&mut task, news(), &["MQOO-OUTPUT", "MQOO-RESOLVE-LOCAL-TOPIC", "MQOO-SET-ALL-CONTEXT"]);
    assert_eq!(codes(&opened), DONE);
    let object = Fields::read(&OBJECT, &opened.object).expect("an object descriptor");
    assert_eq!((object.number("RESOLVEDTYPE"), object.text("OBJECTNAME")), (8, Some("NEWS")));
    let handle = opened.handle;
    assert_eq!(task.get(handle, &[], 10).0, reason("NOT-OPEN-FOR-INPUT"));
    assert_eq!(task.get(handle, &["MQGMO-BROWSE-FIRST"], 10).0, reason("NOT-OPEN-FOR-BROWSE"));
    let inquire = MessageAsk::Inquire { handle, selectors: vec![3], numbers: 1, text_bytes: 0 };
    assert_eq!(codes(&task.call(inquire)), reason("NOT-OPEN-FOR-INQUIRE"));
    let set = MessageAsk::Set { handle, selectors: vec![10], numbers: vec![1], text: Vec::new() };
    assert_eq!(codes(&task.call(set)), reason("NOT-OPEN-FOR-SET"));
    // A version before the fourth has no object string.
    let mut object = initial(&OBJECT, 1);
    object.set_number("OBJECTTYPE", 8);
    set_text(&mut object, "OBJECTNAME", "NEWS");
    assert_eq!(codes(&open(&mut task, object.clone().into_bytes().into(), &["MQOO-OUTPUT"])), DONE);
    set_text(&mut object, "OBJECTQMGRNAME", "QM2");
    let elsewhere = open(&mut task, object.into_bytes().into(), &["MQOO-OUTPUT"]);
    assert_eq!(codes(&elsewhere), reason("UNKNOWN-REMOTE-Q-MGR"));
}

#[test]
fn a_publication_without_a_subscription_warns_only_those_who_ask() {
    let region = Region::new();
    let mut task = region.task();
    let nobody = handle(&mut task, "", "weather");
    assert_eq!(codes(&task.put(nobody, &[], "x")), DONE);
    for options in
        [&["MQPMO-WARN-IF-NO-SUBS-MATCHED"][..], &["MQPMO-WARN-IF-NO-SUBS-MATCHED", "MQPMO-NO-SYNCPOINT"]]
    {
        assert_eq!(codes(&task.put(nobody, options, "x")), warning("NO-SUBS-MATCHED"));
    }
    let news = handle(&mut task, "NEWS", "");
    assert_eq!(codes(&task.put(news, &["MQPMO-WARN-IF-NO-SUBS-MATCHED"], "x")), DONE);
    assert_eq!(codes(&task.put(news, &["MQPMO-RETAIN"], "x")), reason("OPTIONS-ERROR"));
    let queue = task.open("Q", &["MQOO-OUTPUT"]);
    let warned = task.put(queue, &["MQPMO-WARN-IF-NO-SUBS-MATCHED"], "x");
    assert_eq!(codes(&warned), reason("OPTIONS-ERROR"));
}

#[test]
fn one_message_is_published_without_an_open() {
    let region = Region::new();
    let mut task = region.task();
    let mut put = |object: ObjectAsk, options: &[&str]| {
        let message = outgoing(options, "one", |descriptor| set_text(descriptor, "REPLYTOQ", "SECOND"));
        task.call(MessageAsk::PutOne { object, message })
    };
    let put_one = put(topic("NEWS", b"sport"), &["MQPMO-NO-SYNCPOINT", "MQPMO-SUPPRESS-REPLYTO"]);
    assert_eq!((codes(&put_one), put_one.string.as_slice()), (DONE, &b"news/sport"[..]));
    assert_eq!(codes(&put(topic("OLD", b"1"), &[])), reason("PUT-INHIBITED"));
    assert_eq!(codes(&put(topic("NOWHERE", b"1"), &[])), reason("UNKNOWN-OBJECT-NAME"));
    assert_eq!(depths(&region), (1, 1));
    let input = task.open("Q", &["MQOO-INPUT-SHARED"]);
    let got = task.call(Task::get_ask(input, &[], 100));
    let descriptor = Fields::read(&MESSAGE, &got.descriptor).expect("a descriptor");
    assert_eq!(descriptor.text("REPLYTOQ"), Some(""));
}

#[test]
fn a_publication_that_one_queue_cannot_take_leaves_the_unit_as_it_was() {
    let region = Region::new();
    let mut task = region.task();
    let queue = task.open("SECOND", &["MQOO-OUTPUT", "MQOO-SET"]);
    assert_eq!(codes(&task.put(queue, &[], "before")), DONE);
    let inhibit = MessageAsk::Set { handle: queue, selectors: vec![10], numbers: vec![1], text: Vec::new() };
    assert_eq!(codes(&task.call(inhibit)), DONE);
    let sport = handle(&mut task, "NEWS", "sport");
    for options in [&[][..], &["MQPMO-NO-SYNCPOINT"]] {
        assert_eq!(codes(&task.put(sport, options, "x")), reason("PUBLICATION-FAILURE"), "{options:?}");
    }
    task.commit();
    assert_eq!(depths(&region), (0, 1));
}

#[test]
fn selection_strings_are_refused() {
    let region = Region::new();
    let mut task = region.task();
    let mut selecting = |kind: i32, name: &str, options: &[&str]| {
        let mut object = initial(&OBJECT, 4);
        object.set_number("OBJECTTYPE", kind);
        set_text(&mut object, "OBJECTNAME", name);
        object.set_varying("SELECTIONSTRING", 7, -3);
        let object = ObjectAsk::from(object.into_bytes());
        let message = outgoing(&[], "x", |_| {});
        let one = task.call(MessageAsk::PutOne { object: object.clone(), message });
        (codes(&open(&mut task, object, options)), codes(&one))
    };
    let invalid = reason("SELECTOR-INVALID-FOR-TYPE");
    assert_eq!(selecting(1, "Q", &["MQOO-INPUT-SHARED"]), (reason("SELECTION-NOT-AVAILABLE"), invalid));
    assert_eq!(selecting(8, "NEWS", &["MQOO-OUTPUT"]), (invalid, invalid));
}

#[test]
fn a_task_needs_the_right_to_put_to_the_whole_topic() {
    let mut region = Region::new();
    region.rights = QueueRights(vec![QueueGrant {
        users: vec!["ANNE".to_owned()],
        queues: vec!["news/s*".to_owned(), "SECOND".to_owned()],
        rights: vec![QueueRight::Put],
    }]);
    let mut task = region.task();
    let mut may = |name: &str, string: &str| {
        let object = topic(name, string.as_bytes());
        let message = outgoing(&[], "x", |_| {});
        let one = task.call(MessageAsk::PutOne { object: object.clone(), message });
        let opened = open(&mut task, object, &["MQOO-OUTPUT"]);
        assert_eq!(codes(&one), codes(&opened));
        codes(&one)
    };
    assert_eq!(may("NEWS", "sport"), DONE);
    assert_eq!(may("", "news/sport"), DONE);
    assert_eq!(may("NEWS", ""), reason("NOT-AUTHORIZED"));
    assert_eq!(may("NEWS", "weather"), reason("NOT-AUTHORIZED"));
}

#[test]
fn any_string_is_a_topic_or_has_a_reason() {
    let region = Region::new();
    let strings = prop::collection::vec(any::<u8>(), 0..200);
    proptest!(|(string in strings, ccsid in -4_i32..2_000, part in any::<[u8; 24]>())| {
        let mut object = initial(&OBJECT, 4);
        object.set_number("OBJECTTYPE", 8);
        object.set_bytes("RESOBJECTSTRING", &part);
        object.set_varying("OBJECTSTRING", 1, ccsid);
        let ask = ObjectAsk { descriptor: object.into_bytes(), string };
        let answer = open(&mut region.task(), ask, &["MQOO-OUTPUT"]);
        if answer.completion == 0 {
            prop_assert!((1..=40_960).contains(&answer.string.len()));
            prop_assert!(answer.handle > 0);
        }
    });
}
