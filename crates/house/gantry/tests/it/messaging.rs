//! Tests the messaging REST interface over the wire: requests of IBM MQ's clients, and the answers
//! that they need.

mod disk;
mod faults;
mod login;
mod ours;
mod waits;

use serde_json::Value;

use crate::client::Response;
use crate::folder::Folder;
use crate::process::Gantry;

/// Makes QM1 with some queues. `more` are more lines of gantry.toml.
pub(crate) fn folder(more: &str) -> Folder {
    Folder::empty().with("gantry.toml", &format!("{QUEUES}{more}"))
}

const QUEUES: &str = r#"
[store]
path = "queues.store"

[queue_manager]
name = "QM1"

[[queue_manager.queue]]
name = "DEV.QUEUE.1"

[[queue_manager.queue]]
name = "DEV.QUEUE.2"
depth_max = 2
length_bytes_max = 10

[[queue_manager.queue]]
name = "DEV.CLOSED"
put_enabled = false
get_enabled = false

"#;

/// Every change needs this header.
const CSRF: &str = "ibm-mq-rest-csrf-token: x\r\n";
const TEXT: &str = "ibm-mq-rest-csrf-token: x\r\ncontent-type: text/plain;charset=utf-8\r\n";

fn message_of(queue: &str) -> String {
    format!("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/{queue}/message")
}

const MESSAGE: &str = "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message";

/// Puts a text; gives the id.
#[track_caller]
fn put(gantry: &Gantry, path: &str, headers: &str, body: &str) -> String {
    let answer = gantry.send("POST", path, &format!("{TEXT}{headers}"), body);
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("ibm-mq-md-messageid").expect("an id").to_owned()
}

fn delete(gantry: &Gantry, path: &str, headers: &str) -> Response {
    gantry.send("DELETE", path, &format!("{CSRF}{headers}"), "")
}

/// Gets a message.
#[track_caller]
fn get(gantry: &Gantry, path: &str) -> Response {
    let answer = delete(gantry, path, "");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

/// Gives the identifier and the reason of a failure.
#[track_caller]
fn trouble(answer: &Response) -> (String, u64) {
    assert_eq!(answer.header("content-type"), Some("application/json;charset=utf-8"), "{}", answer.text());
    let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let error = &body["error"][0];
    (
        error["msgId"].as_str().expect("an identifier").to_owned(),
        error["reasonCode"].as_u64().expect("a reason"),
    )
}

#[track_caller]
fn mqsc(gantry: &Gantry, command: &str) -> Value {
    let body = serde_json::json!({ "type": "runCommand", "parameters": { "command": command } }).to_string();
    let path = "/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc";
    let answer = gantry.send("POST", path, &format!("{CSRF}{}", login::ADMIN), &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    serde_json::from_slice(&answer.body).expect("JSON")
}

#[test]
fn a_message_is_put_looked_at_and_got_once() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let id =
        put(&gantry, MESSAGE, "ibm-mq-md-persistence: persistent\r\nibm-mq-md-replyTo: R@QM1\r\n", "häh");
    assert!(id.len() == 48 && id.starts_with("414d5120514d3120202020202020202"), "{id}");
    let seen = gantry.get(MESSAGE);
    assert_eq!((seen.status, seen.text()), (200, "häh"));
    let got = get(&gantry, MESSAGE);
    assert_eq!(got.text(), "häh");
    for (name, value) in [
        ("ibm-mq-md-messageid", &*id),
        ("ibm-mq-md-persistence", "persistent"),
        ("ibm-mq-md-expiry", "unlimited"),
        ("ibm-mq-md-replyto", "R@QM1"),
        ("content-type", "text/plain; charset=utf-8"),
    ] {
        assert_eq!(got.header(name), Some(value), "{name}");
    }
    let empty = delete(&gantry, MESSAGE, "");
    assert_eq!((empty.status, empty.body.len()), (204, 0));
    assert_eq!(gantry.get(MESSAGE).status, 204);
}

#[test]
fn messages_are_found_by_their_ids_and_come_in_order() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let correlation = "00".repeat(20) + "01020304";
    let one = put(&gantry, MESSAGE, "", "one");
    let two = put(&gantry, MESSAGE, &format!("ibm-mq-md-correlationId: {correlation}\r\n"), "two");
    put(&gantry, MESSAGE, "", "three");
    let list = gantry.get("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.1/messagelist?limit=2");
    let list: Value = serde_json::from_slice(&list.body).expect("JSON");
    assert_eq!(list["messages"].as_array().expect("messages").len(), 2);
    assert_eq!(list["messages"][0]["messageId"], *one);
    assert_eq!(list["messages"][1]["correlationId"], *correlation);
    assert_eq!(list["messages"][1]["format"], "MQSTR");
    let by_id = get(&gantry, &format!("{MESSAGE}?messageId={two}"));
    assert_eq!((by_id.text(), by_id.header("ibm-mq-md-correlationid")), ("two", Some(&*correlation)));
    assert_eq!(delete(&gantry, &format!("{MESSAGE}?correlationId={correlation}"), "").status, 204);
    assert_eq!(get(&gantry, MESSAGE).text(), "one");
    assert_eq!(get(&gantry, MESSAGE).text(), "three");
}

#[test]
fn version_3_has_priorities_properties_and_texts_as_correlation_ids() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let path = MESSAGE.replace("v2", "v3");
    let id = put(&gantry, &path, "", "low");
    assert!(id.starts_with("ID:414d51"), "{id}");
    let headers = "ibm-mq-md-priority: 9\r\nibm-mq-usr: color;\"red\";string, size;7;i4\r\nibm-mq-md-correlationId: order-7 of the customer with a long name\r\n";
    put(&gantry, &path, headers, "high");
    let got = get(&gantry, &path);
    assert_eq!((got.text(), got.header("ibm-mq-md-priority")), ("high", Some("9")));
    assert_eq!(got.header("ibm-mq-usr"), Some("color;\"red\";string, size;7;i4"));
    assert_eq!(got.header("ibm-mq-md-correlationid"), Some("order-7 of the customer with a long name"));
    assert_eq!(get(&gantry, &format!("{path}?messageId={}", id.replace(':', "%3A"))).text(), "low");
}

#[test]
fn a_message_that_has_expired_is_gone() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    put(&gantry, MESSAGE, "ibm-mq-md-expiry: 60000\r\n", "lasts");
    put(&gantry, MESSAGE, "ibm-mq-md-expiry: 1\r\n", "is gone");
    std::thread::sleep(std::time::Duration::from_millis(150));
    let lasting = get(&gantry, MESSAGE);
    let left: u64 = lasting.header("ibm-mq-md-expiry").expect("a time").parse().expect("a number");
    assert!(lasting.text() == "lasts" && (1..60_000).contains(&left), "{left}");
    assert_eq!(delete(&gantry, MESSAGE, "").status, 204);
}

#[test]
fn a_message_outlives_a_kill() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    put(&gantry, MESSAGE, "ibm-mq-md-persistence: persistent\r\n", "kept");
    put(&gantry, MESSAGE, "ibm-mq-md-persistence: persistent\r\n", "got");
    put(&gantry, MESSAGE, "", "not kept");
    let list = gantry.get("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.1/messagelist");
    let list: Value = serde_json::from_slice(&list.body).expect("JSON");
    let second = list["messages"][1]["messageId"].as_str().expect("an id").to_owned();
    assert_eq!(get(&gantry, &format!("{MESSAGE}?messageId={second}")).text(), "got");
    gantry.kill();
    drop(gantry);
    let again = Gantry::folder(folder.path());
    assert_eq!(get(&again, MESSAGE).text(), "kept");
    assert_eq!(delete(&again, MESSAGE, "").status, 204);
}

#[test]
fn the_log_and_the_metrics_tell_of_requests() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    put(&gantry, MESSAGE, "", "one");
    assert_eq!(delete(&gantry, &message_of("NO.SUCH"), "").status, 404);
    let requests =
        gantry.metric("gantry_requests_total{api=\"messaging\",operation=\"message\",status=\"201\"}");
    assert!((requests - 1.0).abs() < f64::EPSILON, "{requests}");
    let log = gantry.stop();
    assert!(log.contains("GTY0461W"), "{log}");
}

#[test]
fn the_interface_describes_itself() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let document = gantry.get("/ibmmq/rest/openapi.json");
    assert_eq!(document.status, 200);
    let document: Value = serde_json::from_slice(&document.body).expect("JSON");
    assert_eq!(document["openapi"], "3.1.0");
    let managers = gantry.get("/ibmmq/rest/v2/admin/qmgr");
    assert_eq!(managers.text(), r#"{"qmgr":[{"name":"QM1","state":"running"}]}"#);
}
