//! Tests what IBM MQ does not have: bytes, reservations, batches.

use serde_json::Value;

use super::{CSRF, MESSAGE, delete, folder, get, put, trouble};
use crate::process::Gantry;

const QUEUE: &str = "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.1";

#[test]
fn a_reserved_message_is_got_when_that_is_confirmed() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    put(&gantry, MESSAGE, "ibm-mq-md-persistence: persistent\r\n", "one");
    let reserved = get(&gantry, &format!("{MESSAGE}?reserve=60000"));
    let id = reserved.header("gantry-mq-reservation").expect("a reservation").to_owned();
    assert_eq!(delete(&gantry, MESSAGE, "").status, 204, "nobody else gets it");
    let path = format!("{QUEUE}/reservation/{id}");
    assert_eq!(delete(&gantry, &path, "").status, 204);
    assert_eq!(delete(&gantry, &path, "").status, 204, "the first answer may have been lost");
    let again = gantry.send("POST", &path, CSRF, "");
    assert_eq!((again.status, trouble(&again).0.as_str()), (404, "GTY0461W"));
    assert_eq!(delete(&gantry, MESSAGE, "").status, 204);
}

#[test]
fn a_reservation_that_ends_gives_the_message_back() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    put(&gantry, MESSAGE, "", "one");
    let reserved = get(&gantry, &format!("{MESSAGE}?reserve=60000"));
    let id = reserved.header("gantry-mq-reservation").expect("a reservation");
    let released = gantry.send("POST", &format!("{QUEUE}/reservation/{id}"), CSRF, "");
    assert_eq!(released.status, 204, "{}", released.text());
    let again = get(&gantry, &format!("{MESSAGE}?reserve=10"));
    assert_eq!(again.header("gantry-mq-backout-count"), Some("1"));
    // Nobody confirms the reservation.
    let back = get(&gantry, &format!("{MESSAGE}?wait=60000"));
    assert_eq!((back.text(), back.header("gantry-mq-backout-count")), ("one", Some("2")));
    let late = again.header("gantry-mq-reservation").expect("a reservation");
    assert_eq!(delete(&gantry, &format!("{QUEUE}/reservation/{late}"), "").status, 404);
    assert_eq!(delete(&gantry, &format!("{QUEUE}/reservation/zz"), "").status, 404);
}

#[test]
fn a_reservation_ends_with_the_process() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    put(&gantry, MESSAGE, "ibm-mq-md-persistence: persistent\r\n", "one");
    get(&gantry, &format!("{MESSAGE}?reserve=60000"));
    gantry.kill();
    drop(gantry);
    assert_eq!(get(&Gantry::folder(folder.path()), MESSAGE).text(), "one");
}

#[test]
fn batches_are_put_and_got_whole() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let path = format!("{QUEUE}/messages");
    let body = r#"{"messages":[{"body":"one","headers":{"ibm-mq-md-persistence":"persistent"}},{"bodyBase64":"AQ=="},{"body":"three"}]}"#;
    let answer = gantry.send("POST", &path, CSRF, body);
    assert_eq!(answer.status, 201, "{}", answer.text());
    let ids: Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!(ids["messages"].as_array().expect("ids").len(), 3);
    let got = delete(&gantry, &format!("{path}?limit=2"), "");
    let got: Value = serde_json::from_slice(&got.body).expect("JSON");
    assert_eq!(got["messages"][0]["body"], "one");
    assert_eq!(got["messages"][0]["headers"]["ibm-mq-md-persistence"], "persistent");
    assert_eq!(got["messages"][1]["bodyBase64"], "AQ==");
    assert_eq!(get(&gantry, MESSAGE).text(), "three");
    assert_eq!(delete(&gantry, &path, "").status, 204);
    // The queue has room for two messages, so the batch of three puts none.
    let full = path.replace("DEV.QUEUE.1", "DEV.QUEUE.2");
    let body = r#"{"messages":[{"body":"1"},{"body":"2"},{"body":"3"}]}"#;
    assert_eq!(gantry.send("POST", &full, CSRF, body).status, 503);
    assert_eq!(delete(&gantry, &full, "").status, 204);
}
