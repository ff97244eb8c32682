//! Traces: which tasks are followed, and which of their commands are reported.

use std::time::Duration;

use program::commands::names;
use region::{Region, TraceRecord, TraceRequest, TraceSubject, TraceView};
use wire::{CommandEnd, Interface, TracedValue, name};

use crate::region::{request, settings};
use crate::steps::{resps, step};

fn of(subject: TraceSubject, with_data: bool) -> TraceRequest {
    TraceRequest { subject, with_data, time: Duration::from_secs(600), records_max: 100 }
}

/// The record of the first command of a name.
fn record<'v>(view: &'v TraceView, command: &str) -> &'v TraceRecord {
    view.records.iter().find(|record| record.command() == command).expect("such a command")
}

fn value<'r>(record: &'r TraceRecord, option: &str) -> &'r TracedValue {
    record.options().find(|(name, _)| *name == option).expect("such an option").1
}

#[tokio::test]
async fn commands_of_a_program_are_told_with_their_options() {
    let region = Region::start(settings()).expect("a region");
    assert_eq!(region.traced(), TraceView::default());
    let steps = [step("WQ", "TRACED").text("hello").length(5), step("RQI", "NONE").number(7)];
    resps(&region, &steps).await;
    region.trace(of(TraceSubject::Program(name("STATE")), false));
    assert_eq!(resps(&region, &steps).await, [0, 44]);
    region.run(request("ECHO", Interface::Commarea(vec![b'.'; 80]))).await.expect("an answer");
    let view = region.traced();
    assert_eq!((view.tasks, view.dropped), (1, 0));
    assert!(view.time_left.is_some_and(|left| left <= Duration::from_secs(600)));
    assert!(
        view.records.iter().all(|record| record.told.program == *b"STATE   " && record.user == *b"MAUDE   ")
    );
    let numbers: Vec<u32> = view.records.iter().map(|record| record.told.number).collect();
    assert_eq!(numbers, (1..=numbers.len() as u32).collect::<Vec<u32>>());

    let write = record(&view, "WRITEQ");
    assert_eq!((write.told.end, write.told.level), (CommandEnd::NORMAL, 1));
    assert!(write.told.line > 0 && write.told.call == *b"        " && write.transaction == *b"TRN1");
    assert!(matches!(value(write, "FROM"), TracedValue::Data { bytes: 1.., first } if first.is_empty()));
    assert!(matches!(value(write, "LENGTH"), TracedValue::Number(5)));
    let names =
        write.told.options.iter().filter(
            |option| matches!(&option.value, TracedValue::Name(queue) if queue.starts_with(b"TRACED")),
        );
    assert!(
        names
            .map(|option| option.number)
            .all(|number| number == names::QUEUE.number || number == names::QNAME.number)
    );
    let read = record(&view, "READQ");
    assert_eq!(read.told.end, CommandEnd::Condition { resp: 44, resp2: 0 });
    assert!(region.trace_nothing() && !region.trace_nothing());
    resps(&region, &steps).await;
    assert_eq!(region.traced().records.len(), view.records.len());
}

#[tokio::test]
async fn the_first_bytes_of_data_are_told_if_they_are_wanted() {
    let region = Region::start(settings()).expect("a region");
    region.trace(of(TraceSubject::User(name("MAUDE")), true));
    let steps = [step("WQ", "TRACED").text("hello").length(5), step("RQI", "TRACED").number(1)];
    assert_eq!(resps(&region, &steps).await, [0, 0]);
    let view = region.traced();
    let TracedValue::Data { first, bytes } = value(record(&view, "WRITEQ"), "FROM") else { panic!("data") };
    assert!(first.starts_with(b"hello") && first.len() as u64 <= *bytes && first.len() <= 64);
    let TracedValue::Data { first, .. } = value(record(&view, "READQ"), "INTO") else { panic!("data") };
    assert!(first.starts_with(b"hello"), "what the command has put there: {first:?}");
}

#[tokio::test]
async fn what_is_linked_and_called_is_told_too() {
    let region = Region::start(settings()).expect("a region");
    region.trace(of(TraceSubject::Program(name("DUMPED")), false));
    let commarea = format!("{:8}{:32}", "LINK", "");
    let failure = region.run(request("DUMPED", Interface::Commarea(commarea.into_bytes()))).await;
    assert!(failure.is_err());
    let view = region.traced();
    let link = record(&view, "LINK");
    assert_eq!((link.told.level, link.told.end), (1, CommandEnd::Abend(*b"MINE")));
    assert_eq!(value(link, "PROGRAM"), &TracedValue::Name(b"DUMPED".to_vec()));
    let last = view.records.last().expect("a command");
    assert_eq!((last.command().as_str(), last.told.level), ("ABEND", 2));
    assert!(last.told.number > link.told.number && last.told.took_us <= link.told.took_us);
    assert!(last.told.began_us >= link.told.began_us);

    region.trace(of(TraceSubject::Program(name("APICALL")), false));
    let mut commarea = b"STUB".to_vec();
    commarea.resize(60, b' ');
    region.run(request("APICALL", Interface::Commarea(commarea))).await.expect("an answer");
    let view = region.traced();
    let call = record(&view, "BAQCSTUB");
    // There is no way out in this region.
    assert!(matches!(call.told.end, CommandEnd::Condition { resp: 1.., .. }), "{call:?}");
    assert!(matches!(value(call, "SERVICE"), TracedValue::Name(api) if !api.is_empty()));
}

#[tokio::test]
async fn a_trace_with_data_shows_no_password() {
    let region = Region::start(settings()).expect("a region");
    region.trace(of(TraceSubject::Program(name("APICALL")), true));
    let mut commarea = b"WEBSEND".to_vec();
    commarea.resize(60, b' ');
    region.run(request("APICALL", Interface::Commarea(commarea))).await.expect("an answer");
    let view = region.traced();
    let sent = record(&view, "WEB SEND SESSTOKEN");
    let shown = |option| match value(sent, option) {
        TracedValue::Data { first, .. } => first.clone(),
        other => panic!("expected data, found {other:?}"),
    };
    assert_eq!((shown("USERNAME"), shown("PASSWORD")), (b"MARY".to_vec(), Vec::new()));
}

#[tokio::test]
async fn a_trace_keeps_the_last_records_alone() {
    let region = Region::start(settings()).expect("a region");
    region.trace(TraceRequest { records_max: 5, ..of(TraceSubject::Program(name("DUMPED")), false) });
    let commarea = format!("{:8}{:32}", "HANDLED", "");
    region.run(request("DUMPED", Interface::Commarea(commarea.into_bytes()))).await.expect("an answer");
    let view = region.traced();
    assert_eq!(view.records.len(), 5);
    // 42 commands at each level, LINK and RETURN.
    assert!(view.dropped > 80, "{}", view.dropped);
    assert!(view.records.iter().any(|record| record.command() == "RETURN"));
}
