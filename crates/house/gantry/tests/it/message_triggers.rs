//! Tests triggers of queues: messages start transactions, which RETRIEVE the trigger message.

use std::path::Path;
use std::time::Duration;

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

const QUEUES: &str = "
[[region.transaction]]
name = 'FRST'
program = 'TRIGGERD'
[[region.transaction]]
name = 'EVRY'
program = 'TRIGGERD'
[[region.transaction]]
name = 'DPTH'
program = 'TRIGGERD'
[queue_manager]
name = 'QM1'
[[queue_manager.process]]
name = 'AT.FIRST'
transaction = 'FRST'
user_data = 'user'
[[queue_manager.queue]]
name = 'FIRST'
trigger = 'first'
trigger_data = 'data'
process = 'AT.FIRST'
backout_threshold = 2
backout_queue = 'DEAD'
[[queue_manager.queue]]
name = 'EVERY'
trigger = 'every'
trigger_priority = 4
process = 'EVRY'
[[queue_manager.queue]]
name = 'DEPTH'
trigger = 'depth'
trigger_depth = 3
process = 'DPTH'
[[queue_manager.queue]]
name = 'WORK'
[[queue_manager.queue]]
name = 'DEAD'
";

fn folder() -> Folder {
    let folder = Folder::empty();
    let place = text(folder.path()).to_owned();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/TRIGGERD.cbl");
    let ends = "[[listener]]\naddress = '127.0.0.1:0'\n[admin]\naddress = '127.0.0.1:0'\n";
    let region = format!("[region]\ncache = '{place}/.cache'\nworkers = 4\nccsid = 1252\n");
    let toml = format!("{ends}{region}[store]\npath = '{place}/.state/store'\n{QUEUES}");
    folder
        .with("programs/TRIGGERD.cbl", &std::fs::read_to_string(source).expect("a text"))
        .with("gantry.toml", &toml)
}

const CSRF: &str = "ibm-mq-rest-csrf-token: x\r\n";

fn path(queue: &str) -> String {
    format!("/ibmmq/rest/v3/messaging/qmgr/QM1/queue/{queue}/message")
}

fn put(gantry: &Gantry, queue: &str, headers: &str, body: &str) {
    let headers = format!("{CSRF}content-type: text/plain\r\nibm-mq-md-persistence: persistent\r\n{headers}");
    let answer = gantry.send("POST", &path(queue), &headers, body);
    assert_eq!(answer.status, 201, "{}", answer.text());
}

/// Gets a message, and waits for it.
#[track_caller]
fn get(gantry: &Gantry, queue: &str) -> String {
    let answer = gantry.send("DELETE", &format!("{}?wait=20000", path(queue)), CSRF, "");
    assert_eq!(answer.status, 200, "{queue}: {}", answer.text());
    answer.text().trim_end().to_owned()
}

#[track_caller]
fn is_empty(gantry: &Gantry, queue: &str) {
    let answer = gantry.get(&path(queue));
    assert_eq!(answer.status, 204, "{queue}: {}", answer.text());
}

fn noted(queue: &str, transaction: &str, (data, user): (&str, &str), found: &str) -> String {
    format!("{queue:8}{transaction:8}{data:8}{user:8}{found}")
}

#[test]
fn a_message_on_an_empty_queue_starts_a_transaction_that_retrieves_mqtm() {
    let folder = folder();
    let gantry = Gantry::as_written(folder.path());
    for number in 0..5 {
        put(&gantry, "FIRST", "", &format!("message {number}"));
        assert_eq!(
            get(&gantry, "WORK"),
            noted("FIRST", "FRST", ("data", "user"), &format!("message {number}"))
        );
    }
    // The task ends with an abend each time, until the message goes to the backout queue. Then the
    // others come.
    put(&gantry, "FIRST", "", "ABEND");
    put(&gantry, "FIRST", "", "behind it");
    assert_eq!(get(&gantry, "DEAD"), "ABEND");
    assert_eq!(get(&gantry, "WORK"), noted("FIRST", "FRST", ("data", "user"), "behind it"));
    is_empty(&gantry, "FIRST");
    is_empty(&gantry, "WORK");
    gantry.stop();
}

#[test]
fn a_kill_loses_neither_the_message_nor_its_start() {
    let folder = folder();
    let gantry = Gantry::as_written(folder.path());
    put(&gantry, "FIRST", "", "warm");
    get(&gantry, "WORK");
    put(&gantry, "FIRST", "", "SLOW");
    std::thread::sleep(Duration::from_millis(500));
    gantry.kill();
    let gantry = Gantry::as_written(folder.path());
    assert_eq!(get(&gantry, "WORK"), noted("FIRST", "FRST", ("data", "user"), "SLOW"));
    is_empty(&gantry, "WORK");
}

#[test]
fn every_message_of_the_priority_starts_a_transaction() {
    let folder = folder();
    let gantry = Gantry::as_written(folder.path());
    put(&gantry, "EVERY", "ibm-mq-md-priority: 3\r\n", "below");
    std::thread::sleep(Duration::from_millis(300));
    is_empty(&gantry, "WORK");
    for number in 0..6 {
        put(&gantry, "EVERY", "ibm-mq-md-priority: 4\r\n", &format!("message {number}"));
    }
    let mut got: Vec<String> = (0..6).map(|_| get(&gantry, "WORK")).collect();
    got.sort();
    let expected: Vec<String> =
        (0..6).map(|number| noted("EVERY", "EVRY", ("", ""), &format!("message {number}"))).collect();
    assert_eq!(got, expected);
    assert_eq!(get(&gantry, "EVERY"), "below");
}

#[test]
fn a_depth_starts_a_transaction_which_sets_the_trigger_on_again() {
    let folder = folder();
    let gantry = Gantry::as_written(folder.path());
    for round in 0..3 {
        put(&gantry, "DEPTH", "", "one");
        put(&gantry, "DEPTH", "", "two");
        std::thread::sleep(Duration::from_millis(200));
        is_empty(&gantry, "WORK");
        put(&gantry, "DEPTH", "", "three");
        for found in ["one", "two", "three"] {
            assert_eq!(get(&gantry, "WORK"), noted("DEPTH", "DPTH", ("", ""), found), "round {round}");
        }
    }
}

#[test]
fn faults_have_their_places() {
    let folder = Folder::empty().with(
        "gantry.toml",
        "[store]
path = 'queues.store'
[queue_manager]
name = 'QM1'
[[queue_manager.process]]
name = 'P'
transaction = 'TOOLONG'
[[queue_manager.queue]]
name = 'A'
trigger = 'first'
[[queue_manager.queue]]
name = 'B'
trigger = 'depth'
trigger_depth = 0
trigger_priority = 10
process = 'NOWHERE'
",
    );
    let output = run(&["check", text(folder.path())]);
    let told =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success());
    for expected in [
        "gantry.toml:7: expected 1 to 4 printable ASCII characters",
        "gantry.toml:10: a trigger needs 'process'",
        "gantry.toml:14: expected at least 1",
        "gantry.toml:15: expected a priority from 0 to 9",
        "gantry.toml:16: no [[queue_manager.process]] is NOWHERE",
    ] {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
}
