//! Tests bad input and faults: each has its status and its code.

use super::{CSRF, MESSAGE, TEXT, delete, folder, get, message_of, put, trouble};
use crate::process::Gantry;

#[test]
fn bad_requests_have_their_status_and_code() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let post = |path: &str, headers: &str, body: &str| gantry.send("POST", path, headers, body);
    let unknown = message_of("NO.SUCH.QUEUE");
    let long = format!("{CSRF}content-type: text/plain\r\nibm-mq-md-correlationId: 12\r\n");
    for (answer, status, expected) in [
        (post(&unknown, TEXT, "a"), 404, ("GTY0461W", 2085)),
        (delete(&gantry, &unknown, ""), 404, ("GTY0461W", 2085)),
        (delete(&gantry, &message_of("bad%20name"), ""), 404, ("GTY0461W", 2085)),
        (post(&MESSAGE.replace("QM1", "QM2"), TEXT, "a"), 404, ("MQWB0009E", 2058)),
        (post(MESSAGE, "content-type: text/plain\r\n", "a"), 403, ("MQWB0100E", 0)),
        (post(MESSAGE, &long, "a"), 400, ("MQWB0302E", 0)),
        (post(MESSAGE, &format!("{CSRF}content-type: image/png\r\n"), "a"), 415, ("MQWB0306E", 0)),
        (post(MESSAGE, &format!("{TEXT}content-encoding: gzip\r\n"), "a"), 415, ("MQWB0306E", 0)),
        (delete(&gantry, &format!("{MESSAGE}?messageId=1"), ""), 400, ("GTY0411W", 0)),
        (delete(&gantry, &format!("{MESSAGE}?wait=soon"), ""), 400, ("GTY0411W", 0)),
        (post(&message_of("DEV.CLOSED"), TEXT, "a"), 405, ("GTY0462W", 2051)),
        (delete(&gantry, &message_of("DEV.CLOSED"), ""), 405, ("GTY0462W", 2016)),
        (post(&message_of("DEV.QUEUE.2"), TEXT, "eleven char"), 413, ("GTY0413W", 2030)),
        (gantry.send("PUT", MESSAGE, TEXT, "a"), 405, ("GTY0405W", 0)),
        (gantry.get("/ibmmq/rest/v2/nothing"), 404, ("GTY0404W", 0)),
    ] {
        assert_eq!(answer.status, status, "{}", answer.text());
        assert_eq!(trouble(&answer), (expected.0.to_owned(), expected.1), "{}", answer.text());
    }
    // Allow has the methods that a queue without puts or gets still offers.
    let closed = message_of("DEV.CLOSED");
    let batch = closed.replace("DEV.CLOSED/message", "DEV.CLOSED/messages");
    let one = r#"{"messages":[{"body":"one"}]}"#;
    for (answer, allow) in [
        (post(&closed, TEXT, "a"), "DELETE, GET"),
        (delete(&gantry, &closed, ""), "POST"),
        (gantry.get(&closed), "POST"),
        (post(&batch, CSRF, one), "DELETE"),
        (delete(&gantry, &batch, ""), "POST"),
        (gantry.send("PUT", MESSAGE, TEXT, "a"), "DELETE, GET, POST"),
    ] {
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allow)), "{}", answer.text());
    }
    let list = gantry.get("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.CLOSED/messagelist");
    assert_eq!(list.text(), r#"{"messages":[]}"#);
    // None of these requests has put a message.
    assert_eq!(delete(&gantry, MESSAGE, "").status, 204);
}

#[test]
fn a_full_queue_takes_nothing_and_gives_what_it_has() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let path = message_of("DEV.QUEUE.2");
    put(&gantry, &path, "", "one");
    put(&gantry, &path, "", "two");
    let full = gantry.send("POST", &path, TEXT, "three");
    assert_eq!((full.status, full.header("retry-after")), (503, Some("1")), "{}", full.text());
    assert_eq!(trouble(&full), ("GTY0516E".to_owned(), 2053));
    assert_eq!(get(&gantry, &path).text(), "one");
    put(&gantry, &path, "", "three");
    assert_eq!(get(&gantry, &path).text(), "two");
    assert_eq!(get(&gantry, &path).text(), "three");
}

#[test]
fn a_queue_that_takes_nothing_does_not_fill_the_log() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let path = message_of("DEV.QUEUE.2");
    put(&gantry, &path, "", "one");
    put(&gantry, &path, "", "two");
    let start = std::time::Instant::now();
    for _ in 0..200 {
        assert_eq!(gantry.send("POST", &path, TEXT, "three").status, 503);
    }
    let seconds = start.elapsed().as_secs() + 2;
    let log = gantry.stop();
    let lines = log.lines().filter(|line| line.contains("WARN") && line.contains("request failed")).count();
    assert!(lines as u64 >= 1 && lines as u64 <= seconds, "{lines} in {seconds} s");
}

#[test]
fn without_room_on_disk_or_in_memory_a_put_is_refused_and_gets_go_on() {
    let limited =
        "[[queue_manager.queue]]\nname = \"DEV.SMALL\"\ndisk_bytes_max = 2000\nmemory_bytes_max = 2000\n";
    let folder = folder(limited);
    let gantry = Gantry::folder(folder.path());
    let path = message_of("DEV.SMALL");
    for (persistence, reason) in [("persistent", 2056), ("nonPersistent", 2071)] {
        let headers = format!("ibm-mq-md-persistence: {persistence}\r\n");
        put(&gantry, &path, &headers, &"x".repeat(1_000));
        let full = gantry.send("POST", &path, &format!("{TEXT}{headers}"), &"y".repeat(1_500));
        assert_eq!((full.status, full.header("retry-after")), (503, Some("1")), "{}", full.text());
        assert_eq!(trouble(&full), ("GTY0516E".to_owned(), reason));
        assert_eq!(get(&gantry, &path).text(), "x".repeat(1_000));
        put(&gantry, &path, &headers, &"y".repeat(1_500));
        assert_eq!(get(&gantry, &path).text(), "y".repeat(1_500));
    }
}

#[test]
fn a_body_beyond_the_limit_is_refused() {
    let folder = folder("[messaging]\nmessage_max_bytes = 100\n");
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.send("POST", MESSAGE, TEXT, &"x".repeat(101));
    assert_eq!((answer.status, trouble(&answer).0.as_str()), (413, "GTY0413W"));
    put(&gantry, MESSAGE, "", &"x".repeat(100));
}

#[test]
fn what_is_no_text_is_501_and_stays() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let binary = format!("{CSRF}content-type: application/octet-stream\r\n");
    let answer = gantry.send("POST", MESSAGE, &binary, "\u{1}bytes");
    assert_eq!(answer.status, 201, "{}", answer.text());
    for refused in [delete(&gantry, MESSAGE, ""), gantry.get(MESSAGE)] {
        assert_eq!((refused.status, trouble(&refused).0.as_str()), (501, "MQWB0303E"), "{}", refused.text());
    }
    let got = delete(&gantry, MESSAGE, "accept: application/octet-stream\r\n");
    assert_eq!((got.status, &*got.body), (200, "\u{1}bytes".as_bytes()));
    assert_eq!(got.header("content-type"), Some("application/octet-stream"));
    assert_eq!(got.header("gantry-mq-backout-count"), None, "a refusal is no backout");
}

#[test]
fn an_accept_header_for_json_does_no_harm() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    put(&gantry, MESSAGE, "accept: application/json\r\n", "not JSON");
    let got = delete(&gantry, MESSAGE, "accept: application/json\r\ncontent-type: text/plain\r\n");
    assert_eq!((got.status, got.text()), (200, "not JSON"));
}
