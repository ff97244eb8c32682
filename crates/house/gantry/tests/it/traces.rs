//! Tests traces: contexts from callers, spans for a collector, and a collector that does not
//! answer.

use std::net::TcpListener;

use serde_json::Value;

use crate::audit::{interceptor, lines};
use crate::external::Judge;
use crate::folder::Folder;
use crate::process::Gantry;

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// The most spans in one message. A request has several.
const SPANS_OF_A_MESSAGE: usize = 512;

fn traced(url: &str, more: &str) -> String {
    format!("[server]\nreload_poll_ms = 0\n[traces]\nurl = \"{url}\"\n{more}\n")
}

fn collector() -> Judge {
    Judge::new(|_| (200, "{}".to_owned()))
}

/// Gives all spans that the collector has.
fn spans(collector: &Judge) -> Vec<Value> {
    let batches = collector.heard();
    let of = |batch: &Value| {
        let spans = batch["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().expect("spans").clone();
        assert_eq!(batch["resourceSpans"][0]["resource"]["attributes"][0]["value"]["stringValue"], "gantry");
        spans
    };
    batches.iter().flat_map(of).collect()
}

fn find<'s>(spans: &'s [Value], name: &str) -> &'s Value {
    spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("{name}: {spans:?}"))
}

fn attribute<'s>(span: &'s Value, key: &str) -> &'s Value {
    let attributes = span["attributes"].as_array().expect("attributes");
    let found = attributes.iter().find(|attribute| attribute["key"] == key);
    &found.unwrap_or_else(|| panic!("{key}: {span}"))["value"]
}

#[test]
fn a_request_has_a_span_for_itself_and_for_each_step() {
    let collector = collector();
    let folder = Folder::echo(&traced(&collector.url, "ratio = 0.0"));
    let gantry = Gantry::folder(folder.path());
    let headers = format!("content-type: application/json\r\ntraceparent: {PARENT}\r\n");
    assert_eq!(gantry.send("PUT", "/echo/7?pin=1", &headers, "{}").status, 200);
    crate::reload::wait(|| !collector.heard().is_empty());
    let spans = spans(&collector);
    assert_eq!(spans.len(), 4, "{spans:?}");
    let whole = find(&spans, "PUT /echo/{number}");
    assert_eq!((&whole["parentSpanId"], &whole["kind"]), (&"00f067aa0ba902b7".into(), &2.into()));
    assert_eq!(attribute(whole, "http.response.status_code")["intValue"], "200");
    assert_eq!(attribute(whole, "url.path")["stringValue"], "/echo/7", "queries may hold secrets");
    assert_eq!(attribute(whole, "gantry.api")["stringValue"], "echo");
    let time =
        |span: &Value, key: &str| -> u64 { span[key].as_str().expect("text").parse().expect("a number") };
    let mut before = time(whole, "startTimeUnixNano");
    for (name, kind) in [("request mapping", 1), ("call echo", 3), ("response mapping", 1)] {
        let span = find(&spans, name);
        assert_eq!((&span["parentSpanId"], &span["kind"]), (&whole["spanId"], &kind.into()), "{name}");
        assert!(span.get("status").is_none(), "{span}");
        let (begun, ended) = (time(span, "startTimeUnixNano"), time(span, "endTimeUnixNano"));
        assert!(before <= begun && begun <= ended, "{name}: {spans:?}");
        before = ended;
    }
    assert!(before <= time(whole, "endTimeUnixNano"));
    let ids: std::collections::BTreeSet<&str> =
        spans.iter().filter_map(|span| span["spanId"].as_str()).collect();
    assert_eq!(ids.len(), 4);
    assert!(spans.iter().all(|span| span["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736"));
    crate::reload::wait(|| gantry.metric("gantry_trace_spans_sent_total") == 4.0);
}

#[test]
fn callers_decide_for_their_traces_and_the_ratio_for_others() {
    for (ratio, header, recorded) in [
        ("1.0", String::new(), true),
        ("0.0", String::new(), false),
        ("0.0", format!("traceparent: {PARENT}\r\n"), true),
        ("1.0", format!("traceparent: {}\r\n", PARENT.replace("-01", "-00")), false),
        ("1.0", "traceparent: nonsense\r\n".to_owned(), true),
    ] {
        let collector = collector();
        let folder = Folder::echo(&traced(&collector.url, &format!("ratio = {ratio}")));
        let gantry = Gantry::folder(folder.path());
        assert_eq!(gantry.send("PUT", "/echo/7", &header, "{}").status, 200);
        // The gateway sends waiting spans before it ends.
        gantry.stop();
        assert_eq!(!collector.heard().is_empty(), recorded, "{ratio} {header}");
    }
}

#[test]
fn failures_are_marked_where_they_happened() {
    let collector = collector();
    let folder = Folder::slow_echo(&traced(&collector.url, "ratio = 1.0"));
    let service = std::fs::read_to_string(folder.path().join("services/echo.toml")).expect("a service");
    let folder = folder.with("services/echo.toml", &format!("timeout_ms = 20\n{service}"));
    let gantry = Gantry::folder(folder.path());
    gantry.put("/echo/7", "{}").fails(503, "BAQR0405I");
    gantry.put("/echo/7", "[]").fails(400, "BAQR0417W");
    gantry.get("/nowhere").fails(404, "GTY0404W");
    gantry.stop();
    let spans = spans(&collector);
    let failed = |span: &&Value| span["status"]["code"] == 2;
    let names: Vec<&str> = spans.iter().filter(failed).filter_map(|span| span["name"].as_str()).collect();
    assert_eq!(names, ["PUT /echo/{number}", "call echo"], "faults of callers are none of the server's");
    assert_eq!(find(&spans, "call echo")["status"]["message"], "BAQR0405I");
    assert_eq!(attribute(find(&spans, "GET"), "http.response.status_code")["intValue"], "404");
}

#[test]
fn a_collector_that_is_away_costs_spans_and_no_requests() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let folder = Folder::echo(&traced(&format!("http://{closed}/v1/traces"), "ratio = 1.0"));
    let gantry = Gantry::folder(folder.path());
    for _ in 0..3 {
        assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    }
    crate::reload::wait(|| gantry.metric("gantry_trace_spans_lost_total") == 12.0);
    let log = gantry.stop();
    assert_eq!(log.matches("the collector does not accept them").count(), 1, "told once: {log}");
}

#[test]
fn more_than_the_queue_takes_is_lost_and_counted() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", silent.local_addr().expect("an address"));
    let more = "ratio = 1.0\nqueue_max_requests = 1\ntimeout_ms = 60000";
    let gantry = Gantry::folder(Folder::echo(&traced(&url, more)).path());
    // These requests fill the first message, and the collector never answers it. The queue takes
    // one more request.
    for _ in 0..SPANS_OF_A_MESSAGE {
        assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    }
    assert!(gantry.metric("gantry_trace_spans_lost_total") >= 4.0);
}

#[test]
fn audit_records_have_the_traces_id() {
    let folder = Folder::echo(&format!("{}[traces]\nratio = 0.0\n", interceptor("audit", "", "")));
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.send("PUT", "/echo/7", &format!("traceparent: {PARENT}\r\n"), "{}").status, 200);
    gantry.stop();
    let record = &lines(&folder.path().join(".gantry/audit.jsonl"))[0];
    assert_eq!(record["trackingToken"], "4bf92f3577b34da6a3ce929d0e0e4736");
}

#[test]
fn what_cannot_be_configured_is_told() {
    for (more, part) in [
        ("ratio = 1.5", "gantry.toml:5: traces.ratio is 1.5"),
        ("queue_max_requests = 0", "must be 1 at least"),
        ("colour = 1", "'colour' is not known here"),
    ] {
        let folder = Folder::echo(&traced("http://127.0.0.1:1/", more));
        let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(part), "{part}: {told}");
    }
    let folder = Folder::echo("[traces]\nurl = \"http://example.com/\"\n");
    let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not https"));
}

#[test]
fn each_call_of_an_operation_by_expressions_has_a_span_of_its_own() {
    let collector = collector();
    let audit = interceptor("audit", "", "");
    let audit = &audit[audit.find("[[interceptor]]").expect("a section")..];
    let folder = crate::contract::notes()
        .with("gantry.toml", &format!("{}{audit}", traced(&collector.url, "ratio = 1.0")));
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.get("/notes/v1/notes/7");
    assert_eq!(answer.status, 200, "{}", answer.text());
    gantry.stop();
    let spans = spans(&collector);
    let whole = find(&spans, "GET /notes/v1/notes/{number}");
    let calls: Vec<&Value> = spans.iter().filter(|span| span["name"] == "call echo").collect();
    assert_eq!(calls.len(), 2, "{spans:?}");
    assert!(calls.iter().all(|call| call["parentSpanId"] == whole["spanId"]));
    assert_ne!(calls[0]["spanId"], calls[1]["spanId"]);
    let record = &lines(&folder.path().join(".gantry/audit.jsonl"))[0];
    assert_eq!((&record["serviceName"], &record["httpStatus"]), (&"echo,echo".into(), &200.into()));
    assert_eq!(record["trackingToken"], whole["traceId"]);
}
