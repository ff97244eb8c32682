//! Messages between regions come back as they were, and other bytes are refused.

use proptest::collection::vec;
use proptest::prelude::*;
use region::link::frame::{self, Frames};
use region::link::message::{Answer, Hello, InUnit, Link, Message, Request, Start};
use store::{Decision, GlobalId};
use wire::{BadMessage, Cargo, Container, Interface, QueueAnswer, QueueAsk, StartAnswer};

use crate::kinds::{ask, interface, start_ask};

fn unit() -> impl Strategy<Value = GlobalId> {
    vec(any::<u8>(), 1..129).prop_map(|bytes| GlobalId::new(&bytes).expect("a length that can be"))
}

fn in_unit() -> impl Strategy<Value = InUnit> {
    (unit(), any::<bool>()).prop_map(|(id, is_there)| InUnit { id, is_there })
}

fn user() -> impl Strategy<Value = Option<Box<str>>> {
    proptest::option::of("\\PC{1,60}".prop_map(Box::from))
}

fn cargo() -> impl Strategy<Value = Cargo> {
    (interface(), vec(any::<[u8; 16]>(), 0..4)).prop_map(|(interface, gone)| match interface {
        Interface::Channel { name, containers } => Cargo::Channel { name, containers, deleted: gone },
        other => Cargo::of(other),
    })
}

fn request() -> impl Strategy<Value = Request> {
    let names = (any::<[u8; 8]>(), any::<Option<[u8; 4]>>(), user());
    let link = (proptest::option::of(in_unit()), names, any::<u32>(), cargo());
    let link = link.prop_map(|(unit, (program, transaction, user), remaining_ms, cargo)| {
        Request::Link(Box::new(Link { unit, program, transaction, user, remaining_ms, cargo }))
    });
    let start = (proptest::option::of(in_unit()), user(), start_ask());
    let start = start.prop_map(|(unit, user, ask)| Request::Start(Box::new(Start { unit, user, ask })));
    let decision = prop_oneof![Just(Decision::Commit), Just(Decision::Abort)];
    prop_oneof![
        link,
        start,
        (in_unit(), ask()).prop_map(|(unit, ask)| Request::Queue { unit, ask }),
        (unit(), "[ -~]{1,64}").prop_map(|(unit, coordinator)| Request::Prepare { unit, coordinator }),
        (unit(), decision).prop_map(|(unit, decision)| Request::Decide { unit, decision }),
        "[ -~]{1,64}".prop_map(|coordinator| Request::InDoubt { coordinator }),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let queue = (any::<u32>(), any::<u32>(), vec(any::<u8>(), 0..50));
    let queue = queue.prop_map(|(items, item, data)| QueueAnswer { items, item, data });
    prop_oneof![
        (cargo(), any::<bool>()).prop_map(|(cargo, held)| Answer::Linked { cargo, held }),
        (queue, any::<bool>()).prop_map(|(answer, held)| Answer::Queue { answer, held }),
        (any::<[u8; 8]>(), any::<bool>())
            .prop_map(|(request, held)| Answer::Start { answer: StartAnswer::Started { request }, held }),
        (any::<u16>(), any::<u32>(), any::<bool>()).prop_map(|(resp, resp2, held)| Answer::Condition {
            resp,
            resp2,
            held
        }),
        (any::<[u8; 4]>(), "[ -~]{0,20}").prop_map(|(code, message)| Answer::Abend { code, message }),
        Just(Answer::UnitUnknown),
        any::<bool>().prop_map(|prepared| Answer::Vote { prepared }),
        any::<bool>().prop_map(|contradicts| Answer::Decided { contradicts }),
        vec(unit(), 0..4).prop_map(|units| Answer::InDoubt { units }),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let hello = (any::<u16>(), any::<[u8; 4]>(), any::<[u8; 8]>(), any::<u16>());
    let hello = hello.prop_map(|(version, sysid, applid, ccsid)| Hello { version, sysid, applid, ccsid });
    prop_oneof![
        hello.clone().prop_map(Message::Hello),
        (hello, any::<[u8; 16]>()).prop_map(|(hello, token)| Message::Welcome { hello, token }),
        any::<[u8; 16]>().prop_map(|token| Message::Session { token }),
        "[ -~]{0,20}".prop_map(|reason| Message::Refused { reason }),
        (any::<u64>(), request()).prop_map(|(id, request)| Message::Request { id, request }),
        (any::<u64>(), answer()).prop_map(|(id, answer)| Message::Answer { id, answer }),
        any::<u64>().prop_map(|id| Message::Cancel { id }),
        unit().prop_map(|unit| Message::Forget { unit }),
        Just(Message::Ping),
        Just(Message::Pong),
        any::<u16>().prop_map(|processor| Message::At { processor }),
    ]
}

proptest! {
    #[test]
    fn messages_come_back(message in message()) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        prop_assert_eq!(Message::decode(&bytes), Ok(message));
        prop_assert!(Message::decode(&bytes[..bytes.len() - 1]).is_err());
        bytes.push(0);
        prop_assert!(Message::decode(&bytes).is_err());
    }

    #[test]
    fn a_message_has_one_form(message in message(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(other) = Message::decode(&bytes) {
            let mut again = Vec::new();
            other.encode(&mut again);
            prop_assert_eq!(again, bytes);
        }
    }

    #[test]
    fn messages_come_out_of_a_stream(messages in vec(message(), 0..4), step in 1_usize..100) {
        let mut bytes = Vec::new();
        messages.iter().for_each(|message| frame::put(&mut bytes, message));
        let (mut frames, mut found) = (Frames::new(1 << 20), Vec::new());
        for part in bytes.chunks(step) {
            frames.room().extend(part);
            while let Some(message) = frames.next_message().expect("messages") {
                found.push(message);
            }
        }
        prop_assert_eq!(found, messages);
    }

    #[test]
    fn any_bytes_are_a_message_or_a_fault(bytes in vec(any::<u8>(), 0..100)) {
        if let Ok(message) = Message::decode(&bytes) {
            let mut again = Vec::new();
            message.encode(&mut again);
            prop_assert_eq!(again, bytes);
        }
    }
}

#[test]
fn what_is_missing_has_no_value() {
    let container = |ccsid| Container { name: [b' '; 16], ccsid, bytes: Vec::new() };
    let channel =
        |ccsid| Cargo::Channel { name: [b' '; 16], containers: vec![container(ccsid)], deleted: Vec::new() };
    let unit = InUnit { id: GlobalId::new(b"unit").expect("an id"), is_there: false };
    let read = |item| QueueAsk::Read { queue: b"QUEUE".to_vec(), item };
    let encoded = |message: Message| {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        bytes
    };
    let queue = |item| {
        encoded(Message::Request { id: 1, request: Request::Queue { unit: unit.clone(), ask: read(item) } })
    };
    let linked = |ccsid| {
        encoded(Message::Answer { id: 1, answer: Answer::Linked { cargo: channel(ccsid), held: true } })
    };
    for (given, missing) in [(queue(Some(5)), queue(None)), (linked(Some(37)), linked(None))] {
        // The flag is the first byte in which they differ.
        let flag = given.iter().zip(&missing).position(|(one, other)| one != other).expect("a flag");
        let mut both = given.clone();
        both[flag] = 0;
        assert_eq!(Message::decode(&both), Err(BadMessage("expected zeros in place of what is missing")));
        assert!(Message::decode(&given).is_ok() && Message::decode(&missing).is_ok());
    }
}
