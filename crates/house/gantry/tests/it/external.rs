//! Tests external interceptors: which messages they get, what they decide, and what happens when
//! they do not answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::process::Gantry;

/// A server that answers each JSON with the status and body that a function makes of it.
pub(crate) struct Judge {
    pub(crate) url: String,
    pub(crate) asked: Arc<Mutex<Vec<Value>>>,
    pub(crate) connections: Arc<AtomicUsize>,
}

impl Judge {
    pub(crate) fn new(answer: impl Fn(&Value) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}/judge", listener.local_addr().expect("an address"));
        let (asked, connections, answer) = (Arc::default(), Arc::<AtomicUsize>::default(), Arc::new(answer));
        let judge = Self { url, asked: Arc::clone(&asked), connections: Arc::clone(&connections) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                connections.fetch_add(1, Ordering::SeqCst);
                let (asked, answer) = (Arc::clone(&asked), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream.expect("a connection"), &asked, &*answer));
            }
        });
        judge
    }

    /// Gives all messages so far.
    pub(crate) fn heard(&self) -> Vec<Value> {
        self.asked.lock().expect("no thread panics").clone()
    }
}

/// Serves one connection until it ends.
fn serve(stream: TcpStream, asked: &Mutex<Vec<Value>>, answer: &dyn Fn(&Value) -> (u16, String)) {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    loop {
        let (mut length, mut line) = (0, String::new());
        loop {
            line.clear();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        let question: Value = serde_json::from_slice(&body).expect("JSON");
        let (status, text) = answer(&question);
        asked.lock().expect("no thread panics").push(question);
        let head = format!("HTTP/1.1 {status} OK\r\ncontent-length: {}\r\n\r\n", text.len());
        let _ = (&stream).write_all(format!("{head}{text}").as_bytes());
    }
}

fn gantry(url: &str, more: &str) -> (Folder, Gantry) {
    let folder = Folder::echo(&format!(
        "[server]\nreload_poll_ms = 0\nworkers = 1\n[[interceptor]]\nkind = \"http\"\nname = \"judge\"\nurl = \"{url}\"\n{more}\n"
    ));
    let gantry = Gantry::folder(folder.path());
    (folder, gantry)
}

const JSON: &str = "content-type: application/json\r\nx-origin: branch\r\nx-request-id: r-1\r\n";

#[test]
fn it_is_asked_before_and_told_after_over_one_connection() {
    let judge = Judge::new(|_| (200, "{\"allow\":true}".to_owned()));
    let more = "on_failure = \"closed\"\nsend_headers = [\"X-Origin\"]\nsend_body = true\ntell_after = true";
    let (_folder, gantry) = gantry(&judge.url, more);
    for _ in 0..3 {
        assert_eq!(gantry.send("PUT", "/echo/7?a=b", JSON, r#"{"words":"hello"}"#).status, 200);
    }
    crate::reload::wait(|| judge.heard().len() == 6);
    let heard = judge.heard();
    let at = |stage: &str| heard.iter().find(|one| one["stage"] == stage).expect("a stage").clone();
    let common = json!({
        "requestId": "r-1", "user": null, "groups": [], "api": "echo", "operation": "putecho", "service": "echo",
        "method": "PUT", "path": "/echo/7", "query": "a=b", "headers": { "x-origin": "branch" },
    });
    let with = |more: Value| {
        let mut all = common.as_object().expect("an object").clone();
        all.extend(more.as_object().expect("an object").clone());
        Value::Object(all)
    };
    assert_eq!(at("before"), with(json!({ "stage": "before", "body": { "words": "hello" } })));
    assert_eq!(at("after"), with(json!({ "stage": "after", "status": 200 })));
    let connections = judge.connections.load(Ordering::SeqCst);
    assert!(connections <= 3, "{connections} connections for six questions");
}

#[test]
fn what_it_refuses_is_not_called() {
    let judge = Judge::new(|question| {
        let status =
            if question["query"] == "slow" { ",\"status\":429,\"message\":\"too fast\"" } else { "" };
        (200, format!("{{\"allow\":false{status}}}"))
    });
    let (_folder, gantry) = gantry(&judge.url, "on_failure = \"open\"");
    assert_eq!(gantry.send("PUT", "/echo/7", JSON, "{}").fails(403, "GTY0437W"), "");
    assert_eq!(gantry.send("PUT", "/echo/7?slow", JSON, "{}").fails(429, "GTY0437W"), "too fast");
    assert_eq!(gantry.metric("gantry_provider_calls_total{service=\"echo\"}"), 0.0);
}

#[test]
fn without_an_answer_the_call_is_open_or_closed() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent_url = format!("http://{}", silent.local_addr().expect("an address"));
    let broken = Judge::new(|_| (200, "{}".to_owned()));
    let failing = Judge::new(|_| (500, "{\"allow\":true}".to_owned()));
    let large = Judge::new(|_| (200, format!("{{\"allow\":true,\"x\":\"{}\"}}", "x".repeat(100_000))));
    for url in [format!("http://{closed}"), silent_url, broken.url, failing.url, large.url] {
        for policy in ["open", "closed"] {
            let (_folder, gantry) = gantry(&url, &format!("on_failure = \"{policy}\"\ntimeout_ms = 300"));
            let answer = gantry.send("PUT", "/echo/7", JSON, "{}");
            match policy {
                "open" => assert_eq!(answer.status, 200, "{url}"),
                _ => assert_eq!(answer.fails(503, "GTY0507E"), "", "{url}: nothing from inside"),
            }
            assert_eq!(gantry.metric("gantry_interceptor_failures_total{interceptor=\"judge\"}"), 1.0);
            let log = gantry.stop();
            assert!(log.contains("judge"), "{log}");
        }
    }
}

#[test]
fn headers_that_it_sets_are_its_own() {
    let judge = Judge::new(|question| match question["query"].as_str() {
        Some("set") => (200, r#"{"allow":true,"setHeaders":{"mirror":"MIJO"}}"#.to_owned()),
        _ => (200, r#"{"allow":true}"#.to_owned()),
    });
    let (folder, gantry) = gantry(&judge.url, "on_failure = \"closed\"\nmay_set_headers = [\"mirror\"]");
    let rules = "<ruleset><rule name=\"r\"><conditions><header name=\"mirror\" value=\"\" match=\"ANY_VALUE\"/></conditions>\
                 <actions><set property=\"cicsTransId\" value=\"${mirror}\"/></actions></rule></ruleset>";
    let text = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("the file");
    let folder = folder.with("policies/p.xml", rules).with("gantry.toml", &format!("policy = \"p\"\n{text}"));
    gantry.stop();
    let gantry = Gantry::folder(folder.path());
    let forged = format!("{JSON}mirror: FAKE\r\n");
    assert_eq!(gantry.send("PUT", "/echo/7", &forged, "{}").status, 200);
    assert_eq!(gantry.send("PUT", "/echo/7?set", &forged, "{}").status, 200);
    let log = gantry.stop();
    let set: Vec<&str> = log.lines().filter(|line| line.contains("properties set by the policy")).collect();
    let [line] = set[..] else { panic!("only what the interceptor set: {log}") };
    assert!(line.contains("MIJO"), "{line}");
}

#[test]
fn what_cannot_be_asked_is_told_at_once() {
    for (section, part) in [
        ("url = \"http://example.com/\"\non_failure = \"open\"", "is not https"),
        ("url = \"/nothing\"\non_failure = \"open\"", "has no scheme"),
        ("url = \"http://127.0.0.1:1/\"", "'on_failure' is missing"),
        ("url = \"https://127.0.0.1:1/\"\nca = \"none.pem\"\non_failure = \"open\"", "none.pem"),
    ] {
        let folder =
            Folder::echo(&format!("[[interceptor]]\nkind = \"http\"\nname = \"judge\"\n{section}\n"));
        let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(part), "{part}: {told}");
    }
}
