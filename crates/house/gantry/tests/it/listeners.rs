//! Tests listeners of queues: messages start programs, services and APIs. No message is lost or
//! processed twice.

use std::path::Path;
use std::time::Duration;

use crate::client::Response;
use crate::folder::{ECHO_API, Folder, NOTE, service};
use crate::process::{Gantry, run, text};

/// Reads a file of `tests/programs`.
fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    std::fs::read_to_string(path).expect("a text")
}

const QUEUES: &str = "
[queue_manager]
name = 'QM1'
dead_letter_queue = 'DEAD'
[[queue_manager.queue]]
name = 'IN'
backout_threshold = 2
[[queue_manager.queue]]
name = 'WORK'
[[queue_manager.queue]]
name = 'REPLIES'
[[queue_manager.queue]]
name = 'DEAD'
";

const SERVICE: &str = r#"
ccsid = 1252
[provider]
kind = "program"
program = "LISTENER"
[request]
copybook = "LISTENER.cpy"
wrapper = ""
[response]
copybook = "LISTENER.cpy"
wrapper = ""
"#;

/// Makes a configuration with these listeners, given as TOML.
fn gantry_toml(folder: &Folder, listeners: &str) -> String {
    let place = text(folder.path());
    let ends = "[[listener]]\naddress = '127.0.0.1:0'\n[admin]\naddress = '127.0.0.1:0'\n";
    let server = "[server]\nreload_poll_ms = 50\n";
    let region = format!("[region]\ncache = '{place}/.cache'\nworkers = 4\nccsid = 1252\n");
    format!("{ends}{server}{region}[store]\npath = '{place}/.state/store'\n{QUEUES}{listeners}")
}

/// Makes a configuration with the program LISTENER, a service for it, a simulated service with an
/// API, and these listeners.
pub(crate) fn folder(listeners: &str) -> Folder {
    let folder = Folder::empty();
    let gantry = gantry_toml(&folder, listeners);
    folder
        .with("programs/LISTENER.cbl", &source("LISTENER.cbl"))
        .with("copybooks/LISTENER.cpy", &source("LISTENER.cpy"))
        .with("copybooks/NOTE.cpy", NOTE)
        .with("services/listener.toml", SERVICE)
        .with("services/echo.toml", &service("echo", "delay_ms = 20"))
        .with("apis/echo/api.toml", ECHO_API)
        .with("gantry.toml", &gantry)
}

fn program(more: &str) -> String {
    format!("[[queue_manager.listener]]\nqueue = 'IN'\nprogram = 'LISTENER'\nbackoff_ms = 10\n{more}")
}

const CSRF: &str = "ibm-mq-rest-csrf-token: x\r\n";

pub(crate) fn path(queue: &str) -> String {
    format!("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/{queue}/message")
}

/// Puts a persistent message that asks for a reply; gives its id.
pub(crate) fn put(gantry: &Gantry, headers: &str, body: &str) -> String {
    let headers = format!(
        "{CSRF}content-type: text/plain\r\nibm-mq-md-persistence: persistent\r\nibm-mq-md-replyTo: REPLIES\r\n{headers}"
    );
    let answer = gantry.send("POST", &path("IN"), &headers, body);
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("ibm-mq-md-messageid").expect("an id").to_owned()
}

/// Makes a message for LISTENER.
pub(crate) fn record(act: &str, words: &str) -> String {
    format!("{act:8}{words:32}")
}

/// Gets a message, and waits for it.
#[track_caller]
pub(crate) fn get(gantry: &Gantry, queue: &str) -> Response {
    let answer = gantry.send("DELETE", &format!("{}?wait=20000", path(queue)), CSRF, "");
    assert_eq!(answer.status, 200, "{queue}: {}", answer.text());
    answer
}

#[track_caller]
pub(crate) fn is_empty(gantry: &Gantry, queue: &str) {
    let answer = gantry.get(&path(queue));
    assert_eq!(answer.status, 204, "{queue}: {}", answer.text());
}

#[test]
fn a_message_the_work_of_its_program_and_the_reply_are_one_unit() {
    let folder = folder(&program(""));
    let gantry = Gantry::as_written(folder.path());
    let id = put(&gantry, "", &record("OK", "Z\u{fc}rich"));
    let reply = get(&gantry, "REPLIES");
    assert_eq!(reply.text(), record("DONE", "Z\u{fc}rich"), "text is converted there and back");
    assert_eq!(reply.header("ibm-mq-md-correlationid"), Some(&*id));
    assert_eq!(reply.header("ibm-mq-md-persistence"), Some("persistent"));
    assert_eq!(get(&gantry, "WORK").text().trim_end(), "Z\u{fc}rich");

    // An abend and a rollback leave only the message. Each counts as a backout, and the threshold
    // moves the message.
    for act in ["ABEND", "ROLLBACK"] {
        let bad = put(&gantry, "", &record(act, act));
        let dead = get(&gantry, "DEAD");
        assert_eq!((dead.header("ibm-mq-md-messageid"), dead.text()), (Some(&*bad), &*record(act, act)));
        put(&gantry, "", &record("OK", "after it"));
        assert_eq!(get(&gantry, "REPLIES").text(), record("DONE", "after it"), "others go on");
        assert_eq!(get(&gantry, "WORK").text().trim_end(), "after it", "{act}");
        is_empty(&gantry, "WORK");
    }
    // The gateway does not cut a message that is too long for the program's text.
    let long = "x".repeat(40_000);
    put(&gantry, "", &long);
    assert_eq!(get(&gantry, "DEAD").text().len(), long.len());
    is_empty(&gantry, "IN");
    is_empty(&gantry, "REPLIES");
    gantry.stop();
}

#[test]
fn a_message_whose_gateway_is_killed_is_done_once() {
    let folder = folder(&program("concurrency = 2"));
    let gantry = Gantry::as_written(folder.path());
    put(&gantry, "", &record("OK", "first"));
    assert_eq!(get(&gantry, "REPLIES").text(), record("DONE", "first"));
    put(&gantry, "", &record("SLOW", "second"));
    // The program sleeps. It has done its work and not committed yet.
    std::thread::sleep(Duration::from_millis(700));
    gantry.kill();
    let gantry = Gantry::as_written(folder.path());
    assert_eq!(get(&gantry, "REPLIES").text(), record("DONE", "second"));
    let done: Vec<String> = (0..2).map(|_| get(&gantry, "WORK").text().trim_end().to_owned()).collect();
    assert_eq!(done, ["first", "second"]);
    for queue in ["IN", "WORK", "REPLIES", "DEAD"] {
        is_empty(&gantry, queue);
    }
}

#[test]
fn a_gateway_that_stops_ends_the_messages_that_it_has() {
    let folder = folder(&program(""));
    let gantry = Gantry::as_written(folder.path());
    put(&gantry, "", &record("SLOW", "last"));
    put(&gantry, "", &record("OK", "later"));
    std::thread::sleep(Duration::from_millis(500));
    gantry.stop();
    let quiet = gantry_toml(&folder, "");
    let folder = folder.with("gantry.toml", &quiet);
    let gantry = Gantry::as_written(folder.path());
    assert_eq!(get(&gantry, "REPLIES").text(), record("DONE", "last"));
    is_empty(&gantry, "REPLIES");
    assert_eq!(get(&gantry, "IN").text(), record("OK", "later"), "a message that it had not begun stays");
}

#[test]
fn services_and_apis_get_json() {
    let folder = folder(
        "[[queue_manager.listener]]\nqueue = 'IN'\nservice = 'listener'\nreply_selection = 'correlIDToCorrelID'\n",
    );
    let gantry = Gantry::as_written(folder.path());
    let own = "ab".repeat(24);
    let correlated = format!("ibm-mq-md-correlationId: {own}\r\n");
    put(&gantry, &correlated, r#"{"li_act":"OK","li_text":"by JSON"}"#);
    let reply = get(&gantry, "REPLIES");
    assert_eq!(reply.text(), r#"{"li_act":"DONE","li_text":"by JSON"}"#);
    assert_eq!(reply.header("ibm-mq-md-correlationid"), Some(&*own));
    assert_eq!(get(&gantry, "WORK").text().trim_end(), "by JSON");
    // The program of a service runs in the unit of the message.
    put(&gantry, "", r#"{"li_act":"ABEND","li_text":"by JSON"}"#);
    let dead = get(&gantry, "DEAD");
    assert!(dead.text().contains("ABEND"));
    assert_eq!(dead.header("gantry-mq-origin-queue"), Some("IN"));
    assert_eq!(dead.header("gantry-mq-dead-letter-reason"), Some("2362"));
    put(&gantry, "", "{ no JSON");
    assert_eq!(get(&gantry, "DEAD").text(), "{ no JSON");
    is_empty(&gantry, "WORK");

    let listeners = "[[queue_manager.listener]]\nqueue = 'IN'\napi = 'PUT /echo/7'\nbackoff_ms = 10\n";
    let toml = gantry_toml(&folder, listeners);
    let folder = folder.with("gantry.toml", &toml);
    let answered = (0..200).any(|_| {
        put(&gantry, "", r#"{"words":"hi"}"#);
        get(&gantry, "REPLIES").text() == r#"{"number_of":7,"words":"hi"}"# || {
            // The earlier listener has refused the message: it does not know these members.
            std::thread::sleep(Duration::from_millis(50));
            false
        }
    });
    assert!(answered, "the other listener has taken over");
    drop(folder);
}

#[test]
fn a_target_that_cannot_be_called_now_leaves_messages_as_they_are() {
    let listeners =
        "[[queue_manager.listener]]\nqueue = 'IN'\nservice = 'echo'\nbackoff_ms = 5\nbackoff_max_ms = 20\n";
    let unbound = service("echo", "").replace("[provider]\nkind = \"simulated\"\nanswer = \"echo\"\n", "");
    let folder = folder(listeners).with("services/echo.toml", &unbound);
    let gantry = Gantry::as_written(folder.path());
    put(&gantry, "", r#"{"number_of":1,"words":"hi"}"#);
    // In this time there are more tries than the queue's threshold.
    std::thread::sleep(Duration::from_millis(500));
    is_empty(&gantry, "DEAD");
    let folder = folder.with("services/echo.toml", &service("echo", ""));
    assert_eq!(get(&gantry, "REPLIES").text(), r#"{"number_of":1,"words":"hi"}"#);
    is_empty(&gantry, "DEAD");
    drop(folder);
}

#[test]
fn order_is_kept_within_a_key_and_over_changes() {
    let listener = |concurrency: u32| {
        format!(
            "[[queue_manager.listener]]\nqueue = 'IN'\nservice = 'echo'\nconcurrency = {concurrency}\norder_by = 'correlation_id'\n"
        )
    };
    let folder = folder(&listener(4));
    let gantry = Gantry::as_written(folder.path());
    let mut ids = std::collections::HashMap::new();
    for number in 0..60 {
        let key = number % 3;
        let headers = format!("ibm-mq-md-correlationId: {:048x}\r\n", key + 1);
        let id = put(&gantry, &headers, &format!(r#"{{"number_of":{number},"words":"key {key}"}}"#));
        ids.insert(id, number);
        if number == 20 {
            let changed = gantry_toml(&folder, &listener(3));
            std::fs::write(folder.path().join("gantry.toml"), changed).expect("a file");
        }
    }
    let mut last = [None; 3];
    for _ in 0..60 {
        let reply = get(&gantry, "REPLIES");
        let number = ids.remove(reply.header("ibm-mq-md-correlationid").expect("an id"));
        let number = number.expect("a reply to a message that had none");
        let before = last[number as usize % 3].replace(number);
        assert!(before.is_none_or(|before| before < number), "{number} after {before:?}");
    }
    assert!(ids.is_empty());
    for queue in ["IN", "REPLIES", "DEAD"] {
        is_empty(&gantry, queue);
    }
    let log = gantry.stop();
    assert!(log.contains("no longer listening"), "{log}");
}

/// Expects that `gantry check` finds these faults in a configuration with these listeners.
#[track_caller]
fn faults(listeners: &str, expected: &[&str]) {
    let folder = folder(listeners);
    let output = run(&["check", text(folder.path())]);
    let told =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success());
    for expected in expected {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
}

#[test]
fn faults_have_their_places() {
    faults(
        "[[queue_manager.listener]]
queue = 'REPLIES'
service = 'echo'
program = 'LISTENER'
concurrency = 0
order_by = 'colour'
[[queue_manager.listener]]
queue = 'DEAD'
service = 'echo'
order_by = 'correlation_id'
[[queue_manager.listener]]
queue = 'DEAD'
service = 'echo'
transaction = 'ABCD'
",
        &[
            "a listener has one of 'program', 'service', 'api' and 'soap'",
            "expected 1 to 1000",
            "expected \"correlation_id\", or \"property.\" and a name",
            "DEAD: 'order_by' needs the queue's only listener",
            "this goes with 'program'",
            "REPLIES has no 'backout_threshold'",
        ],
    );
    faults(
        "[[queue_manager.listener]]
queue = 'IN'
service = 'nowhere'
[[queue_manager.listener]]
queue = 'IN'
api = 'POST /echo/7'
[[queue_manager.listener]]
queue = 'IN'
program = 'TOOLONGNAME'
",
        &["service 'nowhere' does not exist", "no operation of an API is POST /echo/7", "TOOLONGNAME"],
    );
}
