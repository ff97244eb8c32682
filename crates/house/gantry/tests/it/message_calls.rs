//! COBOL programs that call the queue manager.

use std::path::Path;

use crate::folder::Folder;
use crate::process::{Gantry, text};

/// A file of `tests/programs`.
fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    std::fs::read_to_string(path).expect("a text")
}

const SERVICE: &str = r#"
ccsid = 1252
[provider]
kind = "program"
program = "MQCALLS"
[request]
copybook = "MQCALLSR.cpy"
wrapper = ""
[response]
copybook = "MQCALLSR.cpy"
wrapper = ""
"#;

const API: &str =
    "base_path = \"/mq\"\n[[operation]]\nmethod = \"POST\"\npath = \"/\"\nservice = \"calls\"\n";

/// A configuration with the program MQCALLS, and with queues if `queues` says so.
fn folder(queues: &str) -> Folder {
    let folder = Folder::empty()
        .with("programs/MQCALLS.cbl", &source("MQCALLS.cbl"))
        .with("copybooks/MQCALLSR.cpy", &source("MQCALLSR.cpy"))
        .with("services/calls.toml", SERVICE)
        .with("apis/mq/api.toml", API);
    let place = text(folder.path()).to_owned();
    let listener = "[[listener]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n";
    let region = format!("[region]\ncache = \"{place}/.cache\"\nworkers = 2\nccsid = 1252\n");
    let store = format!("[store]\npath = \"{place}/.state/store\"\n");
    folder.with("gantry.toml", &format!("{listener}{region}{store}{queues}"))
}

const QUEUES: &str = "[queue_manager]\nname = \"QM1\"\n[[queue_manager.queue]]\nname = \"DEV.QUEUE.1\"\n";

/// What the program says: completion, reason and text.
fn called(gantry: &Gantry, act: &str, queue: &str, given: &str) -> (u64, u64, String) {
    let body = format!(r#"{{"mc_act":"{act}","mc_queue":"{queue}","mc_text":"{given}"}}"#);
    let head = "POST /mq/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let response = gantry.request(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
    let answer: serde_json::Value = serde_json::from_slice(&response.body).expect("JSON");
    let number = |name: &str| answer[name].as_u64().unwrap_or(u64::MAX);
    let text = answer["mc_text"].as_str().unwrap_or_default().trim_end().to_owned();
    (number("mc_completion"), number("mc_reason"), text)
}

/// The answer of a task that has abended has none of the numbers.
const ABENDED: (u64, u64) = (u64::MAX, u64::MAX);

#[test]
fn messages_belong_to_the_unit_of_work_of_the_task() {
    let folder = folder(QUEUES);
    let gantry = Gantry::folder(folder.path());
    let call = |act: &str, given: &str| called(&gantry, act, "DEV.QUEUE.1", given);
    let codes = |(completion, reason, _)| (completion, reason);

    assert_eq!(codes(call("GET", "")), (2, 2033), "MQRC-NO-MSG-AVAILABLE after the wait");
    assert_eq!(codes(call("PUT", "first")), (0, 0));
    assert_eq!(codes(call("PUTABEND", "never")), ABENDED);
    assert_eq!(codes(call("GETABEND", "")), ABENDED);
    assert_eq!(
        call("GET", ""),
        (0, 0, "first".to_owned()),
        "what the abend took is back, what it put is not there"
    );
    assert_eq!(codes(call("GET", "")), (2, 2033));
    assert_eq!(codes(call("COMMIT", "")), (2, 2012), "MQRC-ENVIRONMENT-ERROR");
    assert_eq!(codes(called(&gantry, "GET", "NO.SUCH.QUEUE", "")), (2, 2085), "MQRC-UNKNOWN-OBJECT-NAME");
}

#[test]
fn a_message_outlives_a_kill() {
    let folder = folder(QUEUES);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(called(&gantry, "PUT", "DEV.QUEUE.1", "kept").1, 0);
    gantry.kill();
    let gantry = Gantry::folder(folder.path());
    assert_eq!(called(&gantry, "GET", "DEV.QUEUE.1", ""), (0, 0, "kept".to_owned()));
}

#[test]
fn without_a_queue_manager_calls_are_refused() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let (completion, reason, _) = called(&gantry, "PUT", "DEV.QUEUE.1", "x");
    assert_eq!((completion, reason), (2, 2204), "MQRC-ADAPTER-NOT-AVAILABLE");
}
