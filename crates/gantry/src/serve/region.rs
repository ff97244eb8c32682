//! The region on the admin address: its programs, tasks, workers and queues as they are now, what programs have told the
//! operators, and the end of a task that an operator purges.

use std::time::SystemTime;

use codepage::{Encoding, Unmappable};
use http::{Method, StatusCode, Uri};
use region::{
    ItemView, LastAbend, OperatorMessage, ProgramView, QueuePlace, QueueView, Region, TaskView, WorkerView,
};
use security::Action;
use serde_json::{Value, json};

use super::admin::{Act, JSON, Plain, TEXT};
use super::zos_connect::{decoded, parameter};
use crate::gateway::Gateway;
use crate::security::Admin;

/// The path under which all of it lies, and which is the region as a whole.
pub(super) const ROOT: &str = "/region";

/// The code page of most regions on mainframes; items are shown in it too.
const US_EBCDIC: u16 = 37;

/// How long names of queues are that programs give with QUEUE and with QNAME: shorter ones are filled with blanks.
const QUEUE_NAME_BYTES: [usize; 2] = [8, 16];

/// True if a path lies here.
pub(super) fn is_here(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a request below [`ROOT`] wants.
pub(super) fn wanted(method: &Method) -> Admin {
    Admin::Action(if method == Method::GET { Action::Read } else { Action::Operate })
}

/// The act of administration that a request is for; none if it only looks.
pub(super) fn act(method: &Method, uri: &Uri) -> Option<Act> {
    match segments(uri).as_slice() {
        ["tasks", number, "purge"] if method == Method::POST => {
            Some(Act { action: "purge", kind: "task", name: Some((*number).to_owned()) })
        }
        _ => None,
    }
}

fn segments(uri: &Uri) -> Vec<&str> {
    let path = uri.path().strip_prefix(ROOT).unwrap_or_default();
    path.split('/').skip(1).collect()
}

/// Answers a request below [`ROOT`].
pub(super) async fn answer(gateway: &Gateway, method: &Method, uri: &Uri) -> Plain {
    let segments = segments(uri);
    if let (&Method::GET, ["messages"]) = (method, segments.as_slice()) {
        return messages(gateway);
    }
    match (method, segments.as_slice()) {
        (&Method::GET, [] | ["programs" | "tasks" | "workers" | "queues"] | ["queues", _])
        | (&Method::POST, ["tasks", _, "purge"]) => match gateway.region.as_deref() {
            Some(region) => of_region(region, &segments, uri.query()).await,
            None => not_found("there is no region"),
        },
        (_, [] | ["messages" | "programs" | "tasks" | "workers" | "queues"] | ["queues", _]) => {
            (StatusCode::METHOD_NOT_ALLOWED, TEXT, "GET only\n".to_owned())
        }
        (_, ["tasks", _, "purge"]) => (StatusCode::METHOD_NOT_ALLOWED, TEXT, "POST only\n".to_owned()),
        _ => not_found("the region has no such URL"),
    }
}

async fn of_region(region: &Region, segments: &[&str], query: Option<&str>) -> Plain {
    let ccsid = region.settings().ccsid;
    match segments {
        ["programs"] => answered(&json!({ "programs": list(&region.view().programs, program) })),
        ["tasks"] => {
            let view = region.view();
            let tasks = list(&view.tasks, |shown| task(shown, ccsid));
            answered(&json!({ "waiting": view.waiting, "tasks": tasks }))
        }
        ["workers"] => answered(&json!({ "workers": list(&region.view().workers, worker) })),
        ["queues"] => queues(region).await,
        ["queues", name] => item(region, &decoded(name), query).await,
        ["tasks", number, "purge"] => purge(region, number),
        _ => answered(&summary(region)),
    }
}

fn answered(value: &Value) -> Plain {
    (StatusCode::OK, JSON, format!("{value}\n"))
}

fn not_found(reason: &str) -> Plain {
    (StatusCode::NOT_FOUND, TEXT, format!("{reason}\n"))
}

fn list<T>(shown: &[T], one: impl Fn(&T) -> Value) -> Vec<Value> {
    shown.iter().map(one).collect()
}

/// A name that programs fill with blanks.
fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn summary(region: &Region) -> Value {
    let (view, settings) = (region.view(), region.settings());
    json!({
        "applid": name(&settings.applid),
        "sysid": name(&settings.sysid),
        "ccsid": settings.ccsid,
        "waiting": view.waiting,
        "tasks": view.tasks.len(),
        "workers": view.workers.len(),
        "programs": view.programs.len(),
    })
}

fn program(program: &ProgramView) -> Value {
    json!({
        "name": program.name.map(|bytes| name(&bytes)),
        "tasks": program.tasks,
        "abends": program.abends,
        "lastAbend": program.last_abend.as_ref().map(last_abend),
    })
}

fn last_abend(abend: &LastAbend) -> Value {
    json!({
        "unixSeconds": unix_seconds(abend.time),
        "task": abend.task,
        "code": abend.code,
        "message": abend.message,
    })
}

fn task(task: &TaskView, ccsid: u16) -> Value {
    let waits = task
        .waits
        .map(|waits| json!({ "what": waits.what.word(), "name": text(waits.name(), ccsid).trim_end() }));
    json!({
        "number": task.number,
        "transaction": name(&task.transaction),
        "program": name(&task.program),
        "user": name(&task.user),
        "sinceUnixSeconds": unix_seconds(task.since),
        "cpuMilliseconds": task.cpu_milliseconds,
        "worker": task.worker,
        "waitsFor": waits,
    })
}

fn worker(worker: &WorkerView) -> Value {
    json!({
        "pid": worker.pid,
        "tasksEnded": worker.tasks_ended,
        "task": worker.task,
        "memoryBytes": worker.memory_bytes,
    })
}

fn queue(queue: &QueueView, ccsid: u16) -> Value {
    let place = match queue.place {
        QueuePlace::Main => "main",
        QueuePlace::Auxiliary => "auxiliary",
        QueuePlace::Recoverable => "recoverable",
    };
    json!({
        "name": text(&queue.name, ccsid).trim_end(),
        "nameHex": hex(&queue.name),
        "place": place,
        "items": queue.items,
        "bytes": queue.bytes,
    })
}

async fn queues(region: &Region) -> Plain {
    let ccsid = region.settings().ccsid;
    match region.queues().await {
        Ok(view) => {
            let queues: Vec<Value> = view.queues.iter().map(|shown| queue(shown, ccsid)).collect();
            answered(&json!({ "queues": queues, "isCut": view.is_cut }))
        }
        Err(reason) => failed(&reason),
    }
}

fn failed(reason: &str) -> Plain {
    (StatusCode::INTERNAL_SERVER_ERROR, TEXT, format!("the store cannot be read: {reason}\n"))
}

async fn item(region: &Region, wanted: &str, query: Option<&str>) -> Plain {
    let ccsid = region.settings().ccsid;
    let given = parameter(query.unwrap_or_default(), "item");
    let Ok(number) = given.as_deref().unwrap_or("1").parse::<u64>() else {
        let found = given.unwrap_or_default();
        let reason = format!("expected the number of an item in 'item', found '{found}'\n");
        return (StatusCode::BAD_REQUEST, TEXT, reason);
    };
    let mut bytes = Vec::new();
    let encoding = Encoding::by_ccsid(ccsid);
    if encoding.is_none_or(|encoding| encoding.encode(wanted, Unmappable::Error, &mut bytes).is_err()) {
        return not_found(&format!("there is no queue '{wanted}'"));
    }
    let blank = encoded_blank(encoding);
    let filled = QUEUE_NAME_BYTES.iter().filter(|length| bytes.len() < **length).map(|length| {
        let mut filled = bytes.clone();
        filled.resize(*length, blank);
        filled
    });
    for name in std::iter::once(bytes.clone()).chain(filled) {
        match region.queue_item(&name, number).await {
            Ok(None) => {}
            Ok(Some(ItemView { queue: shown, data: Some(data) })) => {
                return answered(&json!({
                    "queue": queue(&shown, ccsid),
                    "item": number,
                    "data": {
                        "bytes": data.len(),
                        "hex": hex(&data),
                        "ccsid": ccsid,
                        "text": text(&data, ccsid),
                        "text037": text(&data, US_EBCDIC),
                    },
                }));
            }
            Ok(Some(ItemView { queue, data: None })) => {
                let items = queue.items;
                return not_found(&format!("expected an item from 1 to {items}, found {number}"));
            }
            Err(reason) => return failed(&reason),
        }
    }
    not_found(&format!("there is no queue '{wanted}'"))
}

/// What fills names up in the region's code page.
fn encoded_blank(encoding: Option<Encoding>) -> u8 {
    let mut blank = Vec::new();
    let encoded = encoding.map(|encoding| encoding.encode(" ", Unmappable::Error, &mut blank));
    match (encoded, blank.as_slice()) {
        (Some(Ok(_)), [blank]) => *blank,
        _ => b' ',
    }
}

fn purge(region: &Region, number: &str) -> Plain {
    match number.parse::<u32>() {
        Ok(task) if region.purge(task) => answered(&json!({ "task": task, "purged": true })),
        _ => not_found(&format!("no task {number} runs")),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Bytes as text for people: what is no character, or a control character, becomes a full stop.
fn text(bytes: &[u8], ccsid: u16) -> String {
    let mut text = String::new();
    let decoded = Encoding::by_ccsid(ccsid)
        .is_some_and(|encoding| encoding.decode(bytes, Unmappable::Substitute, &mut text).is_ok());
    if !decoded {
        text = String::from_utf8_lossy(bytes).into_owned();
    }
    let shown = |letter: char| letter.is_control() || letter == char::REPLACEMENT_CHARACTER;
    text.chars().map(|letter| if shown(letter) { '.' } else { letter }).collect()
}

/// The last messages of WRITE OPERATOR, oldest first.
fn messages(gateway: &Gateway) -> Plain {
    let messages = gateway.region.as_ref().map(|region| region.operator_messages()).unwrap_or_default();
    answered(&json!({ "messages": list(&messages, message) }))
}

fn message(message: &OperatorMessage) -> Value {
    json!({
        "unixSeconds": unix_seconds(message.time),
        "transaction": name(&message.transaction),
        "task": message.task,
        "user": name(&message.user),
        "text": message.text,
        "routeCodes": message.routes,
        "action": message.action,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_both_code_pages() {
        assert_eq!(hex(b"A\n\xC1"), "410AC1");
        assert_eq!(text(b"A\nB", 819), "A.B");
        assert_eq!(text(b"\xC1\x00\x40", US_EBCDIC), "A. ");
        assert_eq!(encoded_blank(Encoding::by_ccsid(US_EBCDIC)), 0x40);
    }

    #[test]
    fn only_a_purge_is_an_act() {
        let uri = |path: &str| path.parse::<Uri>().expect("a path");
        let purge = act(&Method::POST, &uri("/region/tasks/7/purge")).expect("an act");
        assert_eq!((purge.action, purge.kind, purge.name.as_deref()), ("purge", "task", Some("7")));
        assert!(act(&Method::GET, &uri("/region/tasks/7/purge")).is_none());
        assert!(act(&Method::POST, &uri("/region/tasks")).is_none());
        assert_eq!(wanted(&Method::POST), Admin::Action(Action::Operate));
        assert_eq!(wanted(&Method::GET), Admin::Action(Action::Read));
        assert!(is_here("/region") && is_here("/region/x") && !is_here("/regions"));
    }
}
