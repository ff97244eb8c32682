//! Messages on their way through pipelines, with programs that are functions of the test.

use std::cell::RefCell;

use pipeline::containers::{self as names, ERROR_BYTES, text};
use pipeline::{By, Contained, HandlerErrorKind, HeaderBlock, Next, NotDone, Opened, Outcome, Pipeline, Run};
use proptest::prelude::*;
use service::{Channel, SoapFault, SoapFaultCode};
use soap::Version;

use crate::files::{NAMESPACE, file, pipeline};

/// UTF-8's neighbour: the code page of the programs.
const LOCAL: u16 = 819;

type Left = Result<(Channel, Option<SoapFault>), NotDone>;

/// What programs do: by name and function.
type Programs<'t> = &'t dyn Fn(&str, &str, Channel) -> Left;

struct Driven {
    /// Each step of the run in words.
    steps: Vec<String>,
    outcome: Outcome,
}

fn read(channel: &Channel, name: &str) -> String {
    Contained::of(channel, name).text(LOCAL).expect("text")
}

/// A text of the message: `ENVELOPE(namespace:block,…|body)`.
fn open(message: &str) -> Opened {
    let (blocks, body) = message.split_once('|').unwrap_or(("", message));
    let block = |text: &str| {
        let (must_understand, text) = match text.strip_prefix('!') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (namespace, local_name) = text.split_once('/').unwrap_or(("", text));
        HeaderBlock {
            namespace: namespace.to_owned(),
            local_name: local_name.to_owned(),
            text: format!("<{text}>"),
            must_understand,
        }
    };
    let blocks = blocks.split(',').filter(|text| !text.is_empty()).map(block).collect();
    Opened { version: Version::Soap11, namespaces: "xmlns:a='b'".to_owned(), blocks, body: body.to_owned() }
}

/// Drives a run to its end. The service answers `R(body)`, the server of a requester `|S(message)`.
fn drive(run: &mut Run<'_>, programs: Programs<'_>) -> Driven {
    let mut steps = Vec::new();
    for _ in 0..1000 {
        match run.step() {
            Next::Link(to) => {
                let (program, function) = (to.program.to_owned(), read(to.channel, names::FUNCTION));
                assert_eq!(function.len(), 16);
                let function = function.trim_end().to_owned();
                let channel = to.channel.clone();
                steps.push(format!("{program} {function}"));
                let left = programs(&program, &function, channel);
                run.linked(left);
            }
            Next::Open(message) => {
                let message = message.to_owned();
                steps.push(format!("open {message}"));
                match message.as_str() {
                    "bad" => run.refused("FAULT".to_owned()),
                    _ => run.opened(open(&message)),
                }
            }
            Next::Apply(envelope) => {
                let body = envelope.body.to_owned();
                assert!(Contained::of(envelope.channel, names::REQUEST) == Contained::Absent);
                let task = envelope.other_task;
                let other = task.transaction.map_or_else(String::new, |name| format!(" as {name}"));
                steps.push(format!("apply {body}{other}"));
                match body.as_str() {
                    "quiet" => run.no_answer(),
                    "refuse" => run.refused("FAULT".to_owned()),
                    body => run.answered(format!("R({body})"), String::new(), None),
                }
            }
            Next::Close(closing) => {
                let content = match (closing.fault, closing.not_understood) {
                    (Some(fault), _) => format!("fault {}", fault.reasons[0].1),
                    (None, []) => closing.body.to_owned(),
                    (None, blocks) => format!("not understood {blocks:?}"),
                };
                let message = format!("[{}|{content}]", closing.headers);
                steps.push(format!("close {message}"));
                run.closed(message);
            }
            Next::Send(message) => {
                let message = message.to_owned();
                steps.push(format!("send {message}"));
                match message.as_str() {
                    "[|down]" => run.received(Err("refused".to_owned())),
                    _ => run.received(Ok(Some(format!("|S({message})")))),
                }
            }
            Next::BackOut => {
                steps.push("back out".to_owned());
                run.backed_out();
            }
            Next::Done(outcome) => return Driven { steps, outcome: outcome.clone() },
        }
    }
    panic!("a run without an end: {steps:?}");
}

fn provide(pipeline: &Pipeline, message: &str, programs: Programs<'_>) -> Driven {
    let channel = Channel::of(vec![text(names::TRANSACTION, "CPIH")]);
    let mut run = Run::provide(pipeline, (By::Http("main"), LOCAL), message.to_owned(), channel);
    drive(&mut run, programs)
}

/// Leaves everything as it is.
fn keep(_: &str, _: &str, channel: Channel) -> Left {
    Ok((channel, None))
}

fn response(text: &str) -> Outcome {
    Outcome::Response(text.to_owned())
}

#[test]
fn a_message_passes_handlers_and_header_programs_in_both_directions() {
    let pipeline = pipeline(&file(&["ONE", "TWO"], &[("OWN", true), ("MAY", false)]));
    let driven = provide(&pipeline, "urn:MAY/x,urn:MAY/y|body", &keep);
    assert_eq!(
        driven.steps,
        [
            "ONE RECEIVE-REQUEST",
            "TWO RECEIVE-REQUEST",
            "open urn:MAY/x,urn:MAY/y|body",
            "OWN RECEIVE-REQUEST",
            "MAY RECEIVE-REQUEST",
            "MAY RECEIVE-REQUEST",
            "apply body",
            "OWN SEND-RESPONSE",
            "close [|R(body)]",
            "TWO SEND-RESPONSE",
            "ONE SEND-RESPONSE",
        ]
    );
    assert_eq!(driven.outcome, response("[|R(body)]"));
}

#[test]
fn header_programs_get_their_block_and_may_change_the_body_and_add_blocks() {
    let pipeline = pipeline(&file(&[], &[("OWN", true)]));
    let seen = RefCell::new(Vec::new());
    let programs = |_: &str, function: &str, mut channel: Channel| {
        let header = read(&channel, names::HEADER);
        let level = channel.get(names::SOAP_LEVEL).map(|level| level.content.bytes().to_vec());
        seen.borrow_mut().push((function.to_owned(), header, read(&channel, names::BODY), level));
        if function == "RECEIVE-REQUEST" {
            channel.put(text(names::BODY, "other"));
        } else {
            channel.put(text(names::HEADER, "<h/>"));
        }
        Ok((channel, None))
    };
    let driven = provide(&pipeline, "urn:OWN/x|body", &programs);
    assert_eq!(driven.outcome, response("[<h/>|R(other)]"));
    let level = Some(vec![0, 0, 0, 1]);
    let received = ("RECEIVE-REQUEST".to_owned(), "<urn:OWN/x>".to_owned(), "body".to_owned(), level.clone());
    let sent = ("SEND-RESPONSE".to_owned(), String::new(), "R(other)".to_owned(), level);
    assert_eq!(*seen.borrow(), [received, sent]);
}

#[test]
fn a_handler_may_answer_in_place_of_the_service() {
    let pipeline = pipeline(&file(&["ONE", "TWO", "SIX"], &[]));
    let programs = |program: &str, function: &str, mut channel: Channel| {
        if (program, function) == ("TWO", "RECEIVE-REQUEST") {
            channel.delete(names::REQUEST);
            channel.put(text(names::RESPONSE, "mine"));
        }
        if (program, function) == ("ONE", "SEND-RESPONSE") {
            let before = read(&channel, names::RESPONSE);
            channel.put(text(names::RESPONSE, before + "!"));
        }
        Ok((channel, None))
    };
    let driven = provide(&pipeline, "|body", &programs);
    assert_eq!(driven.steps, ["ONE RECEIVE-REQUEST", "TWO RECEIVE-REQUEST", "ONE SEND-RESPONSE"]);
    assert_eq!(driven.outcome, response("mine!"));
}

#[test]
fn an_abend_is_told_to_the_handlers_before_and_backs_out() {
    let pipeline = pipeline(&file(&["ONE", "TWO", "SIX"], &[]));
    let abend = || Err(NotDone::Abended { code: "ASRA".to_owned(), message: "it fell".to_owned() });
    for answers in [false, true] {
        let programs = |program: &str, function: &str, mut channel: Channel| match (program, function) {
            ("SIX", _) => abend(),
            ("TWO", "HANDLER-ERROR") => {
                assert_eq!(Contained::of(&channel, names::REQUEST), Contained::Absent);
                let error = channel.get(names::ERROR).expect("the error").content.bytes().to_vec();
                assert_eq!((error.len(), &error[..8]), (ERROR_BYTES, &b"\x01\x01\x01PASRA"[..]));
                assert_eq!(&error[40..], b"SIX     ");
                if answers {
                    channel.put(text(names::RESPONSE, "sorry"));
                }
                Ok((channel, None))
            }
            _ => keep(program, function, channel),
        };
        let driven = provide(&pipeline, "|body", &programs);
        let mut expected = vec![
            "ONE RECEIVE-REQUEST",
            "TWO RECEIVE-REQUEST",
            "SIX RECEIVE-REQUEST",
            "back out",
            "TWO HANDLER-ERROR",
        ];
        expected.push(if answers { "ONE SEND-RESPONSE" } else { "ONE HANDLER-ERROR" });
        assert_eq!(driven.steps, expected);
        match driven.outcome {
            Outcome::Response(message) => assert_eq!((answers, &*message), (true, "sorry")),
            Outcome::Failed(error) => {
                assert_eq!((answers, error.kind), (false, HandlerErrorKind::Abended("ASRA".to_owned())));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn containers_that_a_handler_may_not_leave_so_are_errors() {
    type Change = fn(&mut Channel);
    let cases: [(Change, HandlerErrorKind); 5] = [
        (|channel| drop(channel.delete(names::REQUEST)), HandlerErrorKind::Missing(names::REQUEST)),
        (|channel| channel.put(text(names::REQUEST, "")), HandlerErrorKind::Empty(names::REQUEST)),
        (
            |channel| channel.put(text(names::RESPONSE, "x")),
            HandlerErrorKind::Both(names::REQUEST, names::RESPONSE),
        ),
        (|channel| channel.put(text(names::APPLICATION, " ")), HandlerErrorKind::Empty(names::APPLICATION)),
        (
            |channel| {
                let content = service::Content::Char { bytes: vec![0xff], ccsid: 1208 };
                channel.put(service::Container { name: names::REQUEST.to_owned(), content });
            },
            HandlerErrorKind::NotText(names::REQUEST),
        ),
    ];
    let pipeline = pipeline(&file(&["ONE"], &[]));
    for (change, kind) in cases {
        let programs = |_: &str, _: &str, mut channel: Channel| {
            change(&mut channel);
            Ok((channel, None))
        };
        let driven = provide(&pipeline, "|body", &programs);
        let Outcome::Failed(error) = driven.outcome else { panic!("{kind:?}: {:?}", driven.outcome) };
        assert_eq!((error.kind, &*error.program), (kind, "ONE"));
    }
}

#[test]
fn a_body_cannot_be_removed_by_a_header_program() {
    let pipeline = pipeline(&file(&["ONE"], &[("OWN", true)]));
    let programs = |program: &str, _: &str, mut channel: Channel| {
        if program == "OWN" {
            channel.delete(names::BODY);
        }
        Ok((channel, None))
    };
    let driven = provide(&pipeline, "|body", &programs);
    let Outcome::Failed(error) = driven.outcome else { panic!("{:?}", driven.outcome) };
    assert_eq!(error.kind, HandlerErrorKind::Missing(names::BODY));
    assert_eq!(driven.steps[2..], ["OWN RECEIVE-REQUEST", "back out", "ONE HANDLER-ERROR"]);
}

fn fault(reason: &str) -> SoapFault {
    SoapFault {
        code: SoapFaultCode::Client,
        reasons: vec![("en".to_owned(), reason.to_owned())],
        role: None,
        detail: None,
        subcodes: Vec::new(),
    }
}

#[test]
fn a_fault_of_a_header_program_is_the_answer_and_backs_nothing_out() {
    let pipeline = pipeline(&file(&["ONE"], &[("OWN", false)]));
    let programs =
        |program: &str, _: &str, channel: Channel| Ok((channel, (program == "OWN").then(|| fault("no"))));
    let driven = provide(&pipeline, "urn:OWN/x|body", &programs);
    assert_eq!(driven.outcome, response("[|fault no]"));
    assert_eq!(driven.steps[2..], ["OWN RECEIVE-REQUEST", "close [|fault no]", "ONE SEND-RESPONSE"]);
}

#[test]
fn blocks_that_must_be_understood_need_a_program() {
    let pipeline = pipeline(&file(&[], &[("OWN", false)]));
    let driven = provide(&pipeline, "!urn:OWN/x,!urn:ELSE/y|body", &keep);
    assert_eq!(driven.outcome, response("[|not understood [(\"urn:ELSE\", \"y\")]]"));
    let driven = provide(&pipeline, "!urn:OWN/x|body", &keep);
    assert_eq!(driven.outcome, response("[|R(body)]"));
}

#[test]
fn what_is_refused_is_backed_out_and_handlers_see_the_answer() {
    let pipeline = pipeline(&file(&["ONE"], &[]));
    for (message, step) in [("bad", "open bad"), ("|refuse", "apply refuse")] {
        let driven = provide(&pipeline, message, &keep);
        assert_eq!(driven.outcome, response("FAULT"));
        let at = driven.steps.iter().position(|found| found == step).expect(step);
        assert_eq!(driven.steps[at + 1..], ["back out", "ONE SEND-RESPONSE"]);
    }
}

#[test]
fn a_service_without_an_answer_is_told_to_all_handlers() {
    let pipeline = pipeline(&file(&["ONE", "TWO"], &[]));
    let driven = provide(&pipeline, "|quiet", &keep);
    assert_eq!(driven.outcome, Outcome::NoResponse);
    assert_eq!(driven.steps[4..], ["TWO NO-RESPONSE", "ONE NO-RESPONSE"]);
}

#[test]
fn a_handler_may_change_task_and_application() {
    let pipeline = pipeline(&file(&["ONE"], &[]));
    let other_task = |_: &str, _: &str, mut channel: Channel| {
        channel.put(text(names::TRANSACTION, "ORDR"));
        Ok((channel, None))
    };
    assert_eq!(provide(&pipeline, "|body", &other_task).steps[2], "apply body as ORDR");
    let application = |program: &str, function: &str, mut channel: Channel| {
        match (program, function) {
            ("ONE", "RECEIVE-REQUEST") => channel.put(text(names::APPLICATION, "MYAPP   ")),
            ("MYAPP", "PROCESS-REQUEST") => {
                let body = read(&channel, names::BODY);
                channel.put(text(names::BODY, format!("mine of {body}")));
            }
            _ => {}
        }
        Ok((channel, None))
    };
    let driven = provide(&pipeline, "|body", &application);
    assert_eq!(driven.steps[2..], ["MYAPP PROCESS-REQUEST", "close [|mine of body]", "ONE SEND-RESPONSE"]);
}

#[test]
fn a_terminal_handler_that_is_a_program_answers_or_does_not() {
    let text_of = format!(
        "<provider_pipeline {NAMESPACE}><service><terminal_handler><handler><program>LAST</program>\
         <handler_parameter_list>p</handler_parameter_list></handler></terminal_handler></service></provider_pipeline>"
    );
    let pipeline = pipeline(&text_of);
    let answers = |_: &str, function: &str, mut channel: Channel| {
        assert_eq!((function, &*read(&channel, names::HANDLER_PARAMETERS)), ("PROCESS-REQUEST", "p"));
        let request = read(&channel, names::REQUEST);
        channel.put(text(names::RESPONSE, format!("A({request})")));
        Ok((channel, None))
    };
    assert_eq!(provide(&pipeline, "any text", &answers).outcome, response("A(any text)"));
    let quiet = |_: &str, _: &str, mut channel: Channel| {
        channel.delete(names::RESPONSE);
        Ok((channel, None))
    };
    assert_eq!(provide(&pipeline, "any text", &quiet).outcome, Outcome::NoResponse);
    let empty = provide(&pipeline, "any text", &keep).outcome;
    assert!(
        matches!(&empty, Outcome::Failed(error) if error.kind == HandlerErrorKind::Empty(names::RESPONSE)),
        "{empty:?}"
    );
}

fn requester(header: &str) -> Pipeline {
    pipeline(&format!(
        "<requester_pipeline {NAMESPACE}><service><service_handler_list><cics_soap_1.1_handler>{header}</cics_soap_1.1_handler>\
         <handler><program>OUT</program></handler></service_handler_list></service></requester_pipeline>"
    ))
}

#[test]
fn a_requester_sends_and_receives() {
    let header = "<headerprogram><program_name>HEAD</program_name><namespace>u</namespace><localname>x</localname>\
                  <mandatory>true</mandatory></headerprogram>";
    let pipeline = requester(header);
    let programs = |program: &str, function: &str, mut channel: Channel| {
        if (program, function) == ("HEAD", "SEND-REQUEST") {
            channel.put(text(names::HEADER, "<t/>"));
        }
        Ok((channel, None))
    };
    let mut run = Run::request(&pipeline, (By::Http("server"), LOCAL), "body".to_owned(), Channel::default());
    let driven = drive(&mut run, &programs);
    assert_eq!(
        driven.steps,
        [
            "HEAD SEND-REQUEST",
            "close [<t/>|body]",
            "OUT SEND-REQUEST",
            "send [<t/>|body]",
            "OUT RECEIVE-RESPONSE",
            "open |S([<t/>|body])",
            "HEAD RECEIVE-RESPONSE",
        ]
    );
    assert_eq!(driven.outcome, Outcome::Body("S([<t/>|body])".to_owned()));
}

#[test]
fn a_requester_whose_server_is_away_fails() {
    let pipeline = requester("");
    let mut run = Run::request(&pipeline, (By::Http("server"), LOCAL), "down".to_owned(), Channel::default());
    let driven = drive(&mut run, &keep);
    assert_eq!(driven.steps.last().map(String::as_str), Some("OUT HANDLER-ERROR"));
    let Outcome::Failed(error) = driven.outcome else { panic!("{:?}", driven.outcome) };
    assert_eq!((error.kind, &*error.message), (HandlerErrorKind::NotReached, "refused"));
}

/// The action of a program on one container.
#[derive(Clone, Debug)]
enum Whim {
    Put(usize, String),
    Delete(usize),
    Abend,
    Fault,
}

const CONTAINERS: [&str; 6] =
    [names::REQUEST, names::RESPONSE, names::BODY, names::HEADER, names::APPLICATION, names::FUNCTION];

fn whim() -> impl Strategy<Value = Whim> {
    prop_oneof![
        4 => (0..CONTAINERS.len(), "[a-z|]{0,4}").prop_map(|(name, text)| Whim::Put(name, text)),
        2 => (0..CONTAINERS.len()).prop_map(Whim::Delete),
        1 => Just(Whim::Abend),
        1 => Just(Whim::Fault),
    ]
}

proptest! {
    /// Whatever programs do, a run ends, each program that had the request hears at most once more of it, and what went wrong
    /// was backed out.
    #[test]
    fn every_run_ends(
        whims in proptest::collection::vec(proptest::option::of(whim()), 0..12),
        handlers in 0_usize..4,
        message in "(urn:OWN/x)?[|][a-z]{1,4}",
    ) {
        let all = ["ONE", "TWO", "SIX", "TEN"];
        let pipeline = pipeline(&file(&all[..handlers], &[("OWN", false), ("MAND", true)]));
        let whims = RefCell::new(whims.into_iter());
        let programs = |_: &str, _: &str, mut channel: Channel| {
            match whims.borrow_mut().next().flatten() {
                Some(Whim::Put(name, given)) => channel.put(text(CONTAINERS[name], given)),
                Some(Whim::Delete(name)) => drop(channel.delete(CONTAINERS[name])),
                Some(Whim::Abend) => {
                    return Err(NotDone::Abended { code: "ASRA".to_owned(), message: String::new() });
                }
                Some(Whim::Fault) => return Ok((channel, Some(fault("no")))),
                None => {}
            }
            Ok((channel, None))
        };
        let driven = provide(&pipeline, &message, &programs);
        for program in &all[..handlers] {
            let calls = driven.steps.iter().filter(|step| step.starts_with(program)).count();
            // A request, a response that fails, and the error.
            prop_assert!(calls <= 4, "{:?}", driven.steps);
        }
        if let Outcome::Failed(_) = driven.outcome {
            prop_assert!(driven.steps.iter().any(|step| step == "back out"), "{:?}", driven.steps);
        }
        if let Outcome::Response(message) = driven.outcome {
            prop_assert!(!message.is_empty());
        }
    }
}
