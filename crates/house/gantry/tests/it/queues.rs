//! Tests services behind queues: requests and replies, messages that outlive the process, and
//! failures.

use std::path::Path;

use crate::client::Response;
use crate::folder::{Folder, NOTE};
use crate::process::{Gantry, run, text};

const GANTRY: &str = "[store]
path = \".state/all.store\"

[queue_manager]
name = \"QM1\"
dead_letter_queue = \"DEAD\"

[[queue_manager.queue]]
name = \"REQUESTS\"
depth_max = 20

[[queue_manager.queue]]
name = \"REPLIES\"

[[queue_manager.queue]]
name = \"DEAD\"
";

const API: &str = r#"base_path = "/q"

[[operation]]
method = "PUT"
path = "/ask/{number}"
service = "ask"
request.move = [{ from = "path.number", to = "NUMBER-OF" }]

[[operation]]
method = "PUT"
path = "/patient/{number}"
service = "patient"
request.move = [{ from = "path.number", to = "NUMBER-OF" }]

[[operation]]
method = "PUT"
path = "/send/{number}"
service = "send"
request.move = [{ from = "path.number", to = "NUMBER-OF" }]

[[operation]]
method = "PUT"
path = "/reply/{number}"
service = "reply"
request.move = [{ from = "path.number", to = "NUMBER-OF" }]

[[operation]]
method = "PUT"
path = "/take/{number}"
service = "take"
request.move = [{ from = "path.number", to = "NUMBER-OF" }]

[[operation]]
method = "PUT"
path = "/replies/{number}"
service = "replies"
request.move = [{ from = "path.number", to = "NUMBER-OF" }]
"#;

fn service(provider: &str) -> String {
    let sides = "[request]\ncopybook = \"NOTE.cpy\"\nwrapper = \"\"\n[response]\ncopybook = \"NOTE.cpy\"\nwrapper = \"\"\n";
    format!("ccsid = 37\n[provider]\nkind = \"queue\"\n{provider}\n{sides}")
}

fn folder() -> Folder {
    let call = "destination = \"REQUESTS\"\nreply_destination = \"REPLIES\"\nreply_selection = \"correlIDToCorrelID\"\n";
    Folder::empty()
        .with("gantry.toml", GANTRY)
        .with("copybooks/NOTE.cpy", NOTE)
        .with("apis/q/api.toml", API)
        .with("services/ask.toml", &service(&format!("{call}wait_ms = 200\non_timeout = \"204\"")))
        .with("services/patient.toml", &service(&format!("{call}wait_ms = 20000")))
        .with("services/send.toml", &service("destination = \"REQUESTS\"\npersistent = true"))
        .with("services/reply.toml", &service("destination = \"REPLIES\""))
        .with(
            "services/take.toml",
            &service("destination = \"REQUESTS\"\noperation = \"receive\"\nwait_ms = 5000"),
        )
        .with(
            "services/replies.toml",
            &service("destination = \"REPLIES\"\noperation = \"receive\"\nwait_ms = 5000"),
        )
}

fn put(gantry: &Gantry, path: &str, headers: &str, words: &str) -> Response {
    gantry.send("PUT", &format!("/q/{path}"), headers, &format!("{{\"words\":\"{words}\"}}"))
}

fn correlation(number: u32) -> String {
    format!("ibm-mq-md-correlID: {number:048}\r\n")
}

/// Takes a message, without waiting.
fn take(gantry: &Gantry, queue: &str) -> Option<String> {
    let answer = put(gantry, &format!("{queue}/1"), "ibm-mq-gmo-waitInterval: 0\r\n", "");
    if answer.status == 204 {
        assert_eq!(answer.text(), "");
        return None;
    }
    assert_eq!(answer.status, 200, "{}", answer.text());
    Some(answer.text().to_owned())
}

#[test]
fn a_reply_finds_its_caller() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    std::thread::scope(|threads| {
        let callers: Vec<_> = (1..=8)
            .map(|caller: u32| {
                let gantry = &gantry;
                threads.spawn(move || put(gantry, &format!("patient/{caller}"), &correlation(caller), "ask"))
            })
            .collect();
        for _ in 1..=8 {
            let asked = put(&gantry, "take/1", "", "");
            assert_eq!(asked.status, 200, "{}", asked.text());
            let asked: serde_json::Value = serde_json::from_str(asked.text()).expect("JSON");
            let number = u32::try_from(asked["number_of"].as_u64().expect("a number")).expect("a small one");
            assert_eq!(put(&gantry, &format!("reply/{number}"), &correlation(number), "reply").status, 204);
        }
        for (caller, answer) in (1..=8).zip(callers) {
            let answer = answer.join().expect("an answer");
            answer.is_json(200, &format!("{{\"number_of\":{caller},\"words\":\"reply\"}}"));
        }
    });
}

#[test]
fn without_a_reply_in_time_there_is_nothing_and_a_late_one_is_a_dead_letter() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let answer = put(&gantry, "ask/1", &correlation(7), "ask");
    assert_eq!((answer.status, answer.text()), (204, ""));
    // The request has expired with the wait.
    assert_eq!(take(&gantry, "take"), None);
    assert_eq!(put(&gantry, "reply/2", &correlation(7), "late").status, 204);
    // An operator sends it back to its queue, when it has come to the dead-letter queue.
    while gantry.metric("gantry_queue_depth{queue=\"DEAD\"}") < 1.0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let admin = format!("--admin=http://{}", gantry.admin);
    let retried = run(&["queue", "retry", "DEAD", &admin]);
    assert_eq!(text_of(&retried.stdout), "moved back from DEAD: 1 message\n  1 message to REPLIES\n");
    assert!(retried.status.success());
    put(&gantry, "replies/1", "", "").is_json(200, r#"{"number_of":2,"words":"late"}"#);
    // A message that does not say where it came from stays, and a script learns it.
    run(&["queue", "put", "DEAD", "strange", &admin]);
    let id = r#""messageId":""#;
    for option in ["--color=never", "--json"] {
        let retried = run(&["queue", "retry", "DEAD", &admin, option]);
        assert_eq!(retried.status.code(), Some(1));
        let told = text_of(&retried.stderr);
        assert_eq!(told.trim(), "gantry: 1 message could not go back and stayed on DEAD; 0 went back");
        let shown = text_of(&retried.stdout);
        assert!(shown.contains(if option == "--json" { id } else { "  1 message stays\n" }), "{shown}");
    }
    // This service has no `on_timeout`, so a time-out is a failure.
    let wait = format!("{}ibm-mq-gmo-waitInterval: 50\r\n", correlation(8));
    put(&gantry, "patient/1", &wait, "ask").fails(503, "BAQR0405I");
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn bad_headers_and_full_queues_are_told() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    for header in [
        "ibm-mq-md-correlID: 12\r\n",
        "ibm-mq-md-msgID: nothing\r\n",
        "ibm-mq-md-expiry: soon\r\n",
        "ibm-mq-md-persistence: perhaps\r\n",
        "ibm-mq-gmo-waitInterval: -2\r\n",
    ] {
        assert!(put(&gantry, "send/1", header, "x").status >= 400, "{header}");
    }
    assert_eq!(take(&gantry, "take"), None);
    for number in 1..=20 {
        assert_eq!(put(&gantry, &format!("send/{number}"), "", "x").status, 204);
    }
    assert_eq!(put(&gantry, "send/21", "", "x").status, 503);
    assert!(take(&gantry, "take").is_some());
    assert_eq!(put(&gantry, "send/21", "", "x").status, 204);
}

#[test]
fn what_was_acknowledged_outlives_the_process() {
    let folder = folder();
    let mut expected = Vec::new();
    for round in 0..3 {
        let gantry = Gantry::folder(folder.path());
        let found: Vec<String> = std::iter::from_fn(|| take(&gantry, "take")).collect();
        assert_eq!(found, expected);
        // A message that is not persistent does not stay. A message that was got does not come
        // back.
        assert_eq!(put(&gantry, "send/1", "ibm-mq-md-persistence: false\r\n", "memory").status, 204);
        expected.clear();
        for number in 0..5 {
            let words = format!("round {round}");
            assert_eq!(put(&gantry, &format!("send/{number}"), "", &words).status, 204);
            expected.push(format!("{{\"number_of\":{number},\"words\":\"{words}\"}}"));
        }
        assert!(take(&gantry, "take").expect("the first").contains("memory"));
        assert_eq!(take(&gantry, "take").expect("the second"), expected.remove(0));
        gantry.kill();
        let _ = gantry.wait();
    }
}

#[test]
fn reloads_keep_messages_and_dropped_queues_keep_theirs() {
    let text = format!("[server]\nreload_poll_ms = 0\n{GANTRY}");
    let folder = folder().with("gantry.toml", &text);
    let gantry = Gantry::folder(folder.path());
    let reload = |text: &str, number: f64| {
        write(folder.path(), text);
        gantry.signal(rustix::process::Signal::HUP);
        let is_done = || gantry.metric("gantry_configuration_reloads_total{outcome=\"applied\"}") >= number;
        while !is_done() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    assert_eq!(put(&gantry, "send/1", "ibm-mq-md-persistence: false\r\n", "kept").status, 204);
    reload(&text.replace("REQUESTS", "OTHER"), 1.0);
    assert!(put(&gantry, "send/1", "", "nowhere").status >= 500);
    reload(&text, 2.0);
    assert!(take(&gantry, "take").expect("the message").contains("kept"));
    let log = gantry.stop();
    assert!(log.contains("the queue has no definition; its messages are kept"), "{log}");
}

fn write(folder: &Path, text: &str) {
    std::fs::write(folder.join("gantry.toml"), text).expect("a file");
}

#[test]
fn a_service_needs_a_queue_manager_and_keys_that_fit() {
    for (provider, expected) in [
        ("destination = \"no blanks\"", "'destination': expected letters"),
        ("destination = \"A\"\nreply_destination = \"B\"", "needs 'wait_ms'"),
        ("destination = \"A\"\nreply_destination = \"B\"\noperation = \"receive\"", "goes with operation"),
        ("destination = \"A\"\nformat = \"MORE THAN 8\"", "'format': expected at most 8"),
    ] {
        let folder = folder().with("services/ask.toml", &service(provider));
        let output = crate::process::run(&["check", crate::process::text(folder.path())]);
        let said =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(expected), "{expected}: {said}");
    }
    let folder = folder().with("gantry.toml", "");
    let output = crate::process::run(&["check", crate::process::text(folder.path())]);
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("queues need a [queue_manager], and there is none"), "{said}");
}

#[test]
fn topics_go_to_the_queues_that_subscribe_in_the_configuration() {
    let toml = |subscription: &str| {
        format!(
            "[store]\npath = 'q.store'\n[queue_manager]\nname = 'QM1'\n[[queue_manager.queue]]\nname = 'NEW'\n[[queue_manager.queue]]\nname = 'ALL'\n{subscription}"
        )
    };
    let two = "[[queue_manager.subscription]]
name = 'new orders'
topics = 'orders/+/new'
queue = 'NEW'
[[queue_manager.subscription]]
name = 'orders'
topics = 'orders/#'
queue = 'ALL'
";
    let folder = Folder::empty().with("gantry.toml", &toml(two));
    let gantry = Gantry::folder(folder.path());
    let csrf = "ibm-mq-rest-csrf-token: x\r\n";
    let publish = |gantry: &Gantry, topic: &str, text: &str| {
        let topic = topic.replace('/', "%2F");
        let path = format!("/ibmmq/rest/v2/messaging/qmgr/QM1/topic/{topic}/message");
        let headers = format!("{csrf}content-type: text/plain\r\nibm-mq-md-persistence: persistent\r\n");
        let answer = gantry.send("POST", &path, &headers, text);
        assert_eq!(answer.status, 201, "{}", answer.text());
    };
    let got = |gantry: &Gantry, queue: &str| {
        let path = format!("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/{queue}/message");
        gantry.send("DELETE", &path, csrf, "").text().to_owned()
    };
    publish(&gantry, "orders/7/new", "one");
    publish(&gantry, "orders/7/paid", "two");
    publish(&gantry, "items/7/new", "nobody");
    gantry.kill();
    let gantry = Gantry::folder(folder.path());
    assert_eq!((got(&gantry, "NEW"), got(&gantry, "NEW")), ("one".to_owned(), String::new()));
    let all: Vec<String> = (0..3).map(|_| got(&gantry, "ALL")).collect();
    assert_eq!(all, ["one", "two", ""]);
    drop(gantry);

    // A removed subscription gets nothing more.
    let folder = folder.with("gantry.toml", &toml(""));
    let gantry = Gantry::folder(folder.path());
    publish(&gantry, "orders/7/new", "three");
    assert_eq!(got(&gantry, "NEW"), "");
    let faulty = "[[queue_manager.subscription]]\nname = ''\ntopics = ''\nqueue = 'NOWHERE'\n";
    let folder = folder.with("gantry.toml", &toml(faulty));
    let output = run(&["check", text(folder.path())]);
    let told =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    for expected in ["expected 1 to 255 bytes", "expected topics", "no section defines NOWHERE"] {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
}
