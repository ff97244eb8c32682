//! The clients of a gateway that is killed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{MQI_IN, ORDERED, QUEUES, RESERVED, SHARED, Storm};
use crate::linked::ANSWER_MAX;
use crate::process::{Gantry, request};

/// The work that a client does until it is stopped.
#[derive(Clone, Copy, Debug)]
pub(super) enum Actor {
    Put(usize),
    Get(usize),
    Reserve,
    Call,
    Reply,
    /// A task that writes a record and puts a message.
    TaskPut,
    /// A task that gets a message and writes it as a record.
    TaskMove,
}

/// An answer.
pub(super) struct Told {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

impl Told {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// No answer came, because the gateway has died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    /// It died before it could get the request.
    Before,
    /// It may have done the work before it died.
    Perhaps,
}

const TEXT: &str = "content-type: text/plain;charset=utf-8\r\nibm-mq-rest-csrf-token: x\r\nibm-mq-md-persistence: persistent\r\nconnection: close\r\n";
const CHANGE: &str = "ibm-mq-rest-csrf-token: x\r\nconnection: close\r\n";
const JSON: &str = "content-type: application/json\r\nconnection: close\r\n";

/// Gives the path of a queue.
pub(super) fn path(queue: &str) -> String {
    format!("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/{queue}")
}

/// Sends a request, and reads a whole answer.
pub(super) fn ask(
    gantry: &Gantry,
    method: &str,
    path: &str,
    (headers, body): (&str, &str),
) -> Result<Told, Gone> {
    let bytes = request(method, path, headers, body);
    let mut stream = TcpStream::connect(gantry.address()).map_err(|_| Gone::Before)?;
    stream.set_read_timeout(Some(ANSWER_MAX)).expect("a socket");
    let mut answer = Vec::new();
    let exchanged = stream.write_all(bytes.as_bytes()).and_then(|()| stream.read_to_end(&mut answer));
    exchanged.map_err(|_| Gone::Perhaps)?;
    read(&String::from_utf8(answer).expect("text")).ok_or(Gone::Perhaps)
}

/// Parses an answer; gives none if a part of it is missing.
fn read(answer: &str) -> Option<Told> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    let told = Told { status, head: head.to_owned(), body: body.to_owned() };
    let length = told.header("content-length").map_or(Some(0), |length| length.parse().ok())?;
    (length == told.body.len()).then_some(told)
}

/// Gets a message without selecting one.
pub(super) fn get(gantry: &Gantry, queue: &str, query: &str) -> Result<Told, Gone> {
    ask(gantry, "DELETE", &format!("{}/message{query}", path(queue)), (CHANGE, ""))
}

impl Actor {
    /// Gives the actors of a storm.
    pub(super) fn all(lazy: bool) -> Vec<Self> {
        let mut all = vec![Self::Put(ORDERED), Self::Get(ORDERED)];
        all.extend([Self::Put(SHARED), Self::Put(SHARED), Self::Get(SHARED), Self::Get(SHARED)]);
        if !lazy {
            all.extend([Self::Put(RESERVED), Self::Reserve, Self::Reserve]);
            all.extend([Self::Call, Self::Call, Self::Reply]);
            all.extend([Self::Put(MQI_IN), Self::TaskPut, Self::TaskMove]);
        }
        all
    }

    /// Works until the storm is over, and counts its successes.
    pub(super) fn act(self, number: usize, storm: &Storm<'_>, served: &AtomicUsize) {
        for count in 0.. {
            if storm.stop.load(Ordering::SeqCst) {
                return;
            }
            let gantry = storm.gantry.now();
            let well = match self {
                Self::Put(queue) => put(&gantry, queue, (number, count), storm),
                Self::Get(queue) => consume(&gantry, queue, storm),
                Self::Reserve => reserve(&gantry, storm),
                Self::Call => call(&gantry, (number, count), storm),
                Self::Reply => reply(&gantry),
                Self::TaskPut => task(&gantry, "PUT", &format!("P{number:02}-{count:08}"), storm),
                Self::TaskMove => task(&gantry, "MOVE", "", storm),
            };
            if well {
                served.fetch_add(1, Ordering::SeqCst);
            } else {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

fn note<T>(list: &std::sync::Mutex<Vec<T>>, item: T) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(item);
}

/// Makes a body of twelve characters: the number of the client, and its count of messages.
fn body(number: usize, count: usize) -> String {
    format!("M{number:02}-{count:08}")
}

fn put(gantry: &Gantry, queue: usize, (number, count): (usize, usize), storm: &Storm<'_>) -> bool {
    let text = body(number, count);
    let told = ask(gantry, "POST", &format!("{}/message", path(QUEUES[queue])), (TEXT, &text));
    let well = told.is_ok_and(|told| told.status == 201);
    if well {
        note(&storm.ledgers[queue].put, text);
        // Wait a little, so that consumers keep up and each queue stays short.
        std::thread::sleep(Duration::from_millis(2));
    }
    well
}

fn consume(gantry: &Gantry, queue: usize, storm: &Storm<'_>) -> bool {
    let kills = storm.kills.load(Ordering::SeqCst);
    let ledger = &storm.ledgers[queue];
    match get(gantry, QUEUES[queue], "?wait=200") {
        Ok(told) if told.status == 200 => {
            note(&ledger.got, (told.body, kills));
            true
        }
        Ok(told) if told.status == 204 => false,
        Err(Gone::Before) => false,
        _ => {
            ledger.open_gets.fetch_add(1, Ordering::SeqCst);
            false
        }
    }
}

fn reserve(gantry: &Gantry, storm: &Storm<'_>) -> bool {
    let queue = QUEUES[RESERVED];
    let Ok(told) = get(gantry, queue, "?wait=200&reserve=30000") else { return false };
    if told.status != 200 {
        return false;
    }
    let id = told.header("gantry-mq-reservation").expect("a reservation").to_owned();
    let events = &storm.ledgers[RESERVED].reserved;
    note(events, (told.body.clone(), false));
    let confirmed = ask(gantry, "DELETE", &format!("{}/reservation/{id}", path(queue)), (CHANGE, ""));
    let well = confirmed.is_ok_and(|confirmed| confirmed.status == 204);
    if well {
        note(events, (told.body, true));
    }
    well
}

fn call(gantry: &Gantry, (number, count): (usize, usize), storm: &Storm<'_>) -> bool {
    let words = body(number, count);
    let asked = format!(r#"{{"number_of":{},"words":"{words}"}}"#, count % 10_000);
    let told = ask(gantry, "POST", "/ask/", (JSON, &asked)).ok();
    let well = told.as_ref().is_some_and(|told| told.status == 200);
    if let Some(told) = told.filter(|_| well) {
        assert_eq!(told.body, asked, "the reply is another caller's");
    }
    storm.calls[usize::from(!well)].fetch_add(1, Ordering::SeqCst);
    well
}

/// Takes a request from REQUESTS, and replies with its body.
fn reply(gantry: &Gantry) -> bool {
    let Some(asked) = get(gantry, "REQUESTS", "?wait=200").ok().filter(|asked| asked.status == 200) else {
        return false;
    };
    let id = asked.header("ibm-mq-md-messageId").expect("an id");
    let headers = format!("{TEXT}ibm-mq-md-correlationId: {id}\r\n");
    let told = ask(gantry, "POST", &format!("{}/message", path("REPLIES")), (&headers, &asked.body));
    told.is_ok_and(|told| told.status == 201)
}

fn task(gantry: &Gantry, act: &str, key: &str, storm: &Storm<'_>) -> bool {
    let asked = format!(r#"{{"mf_act":"{act}","mf_key":"{key}"}}"#);
    let Some(told) = ask(gantry, "POST", "/file/", (JSON, &asked)).ok().filter(|told| told.status == 200)
    else {
        return false;
    };
    let answer: serde_json::Value = serde_json::from_str(&told.body).expect("JSON");
    assert_eq!(answer["mf_resp"], 0, "a message came twice, or the file fails: {}", told.body);
    let well = answer["mf_reason"] == 0;
    if well && act == "PUT" {
        note(&storm.tasks, key.to_owned());
    }
    well
}
