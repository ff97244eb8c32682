//! Tests figures of requests, ids that lead to the log, and the log as JSON.

use serde_json::Value;

use crate::client::Client;
use crate::folder::Folder;
use crate::process::Gantry;

const OPERATION: &str = "{api=\"echo\",operation=\"putecho\"}";

fn page(gantry: &Gantry) -> String {
    Client::connect(gantry.admin).ask(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n").text().to_owned()
}

#[test]
fn times_and_sizes_are_counted_by_operation() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let request = r#"{"words":"hello"}"#;
    let answer = gantry.put("/echo/7", request);
    assert_eq!(answer.status, 200);
    gantry.put("/echo/7", "[]").fails(400, "BAQR0417W");

    assert_eq!(gantry.metric(&format!("gantry_request_duration_seconds_count{OPERATION}")), 2.0);
    assert!(gantry.metric(&format!("gantry_request_duration_seconds_sum{OPERATION}")) > 0.0);
    let sum = gantry.metric(&format!("gantry_request_body_bytes_sum{OPERATION}"));
    assert_eq!(sum, (request.len() + 2) as f64);
    let least =
        gantry.metric("gantry_request_body_bytes_bucket{le=\"64.0\",api=\"echo\",operation=\"putecho\"}");
    assert_eq!(least, 2.0, "{}", page(&gantry));
    assert!(gantry.metric(&format!("gantry_response_body_bytes_sum{OPERATION}")) > answer.body.len() as f64);
    assert_eq!(gantry.metric("gantry_provider_duration_seconds_count{service=\"echo\"}"), 1.0);
    assert_eq!(gantry.metric("gantry_api_failures_total{api=\"echo\",code=\"BAQR0417W\"}"), 1.0);
}

#[test]
fn cpu_time_of_one_request_in_sixteen_stands_for_all() {
    // With one worker, one thread counts all requests.
    let folder = Folder::echo("[server]\nworkers = 1");
    let gantry = Gantry::folder(folder.path());
    let cpu = "gantry_request_cpu_seconds_total{api=\"echo\",service=\"echo\"}";
    for _ in 0..15 {
        assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    }
    assert_eq!(gantry.metric(cpu), 0.0);
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    let cpu = gantry.metric(cpu);
    assert!(cpu >= gantry.metric("gantry_provider_cpu_seconds_total{service=\"echo\"}"), "{cpu}");
    assert!(cpu > 0.0);
}

#[test]
fn what_is_switched_off_is_not_shown() {
    let folder = Folder::echo("[metrics]\ntimes = false\nsizes = false");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    let page = page(&gantry);
    assert!(page.contains("gantry_requests_total{api=\"echo\""), "{page}");
    for name in ["duration", "_body_"] {
        assert!(!page.contains(name), "{name}: {page}");
    }
}

#[test]
fn statistics_of_the_administration_interface_agree_with_the_figures() {
    let folder = Folder::slow_echo("[limits]\n");
    let text = std::fs::read_to_string(folder.path().join("services/echo.toml")).expect("a service");
    let folder = folder.with("services/echo.toml", &format!("timeout_ms = 20\n{text}"));
    let gantry = Gantry::folder(folder.path());
    for _ in 0..3 {
        gantry.put("/echo/7", "{}").fails(503, "BAQR0405I");
    }
    let path = "GET /zosConnect/services/echo?action=getStatistics HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let answer = Client::connect(gantry.admin).ask(path.as_bytes());
    let statistics: Value = serde_json::from_str(answer.text()).expect("JSON");
    let of = |key: &str| statistics["echo"]["ServiceStatistics"][key].as_str().expect("a number").to_owned();
    assert_eq!(statistics["echo"]["InvokeRequestCount"], "3");
    assert_eq!(of("FailedInvokeCount"), "3");
    assert_eq!(gantry.metric("gantry_provider_failures_total{service=\"echo\"}"), 3.0);
    let seconds = gantry.metric("gantry_provider_duration_seconds_sum{service=\"echo\"}");
    assert_eq!(of("InvokeSeconds"), format!("{seconds:.6}"));
    assert!(seconds >= 0.06, "{seconds}");
}

#[test]
fn a_well_formed_id_is_taken_over_and_leads_to_the_log() {
    let folder = Folder::echo("[log]\nformat = \"json\"\nreturn_request_id = true");
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.send("PUT", "/echo/7", "x-request-id: order-17\r\n", "{}");
    assert_eq!((answer.status, answer.header("x-request-id")), (200, Some("order-17")));
    let answer = gantry.send("PUT", "/echo/7", "x-request-id: order-18\r\n", "[]");
    assert_eq!((answer.status, answer.header("x-request-id")), (400, Some("order-18")));
    let answer = gantry.send("PUT", "/echo/7", "x-request-id: not \"well\" formed\r\n", "[]");
    let made = answer.header("x-request-id").expect("an id").to_owned();
    assert!(!made.contains('"'), "{made}");

    let log = gantry.stop();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect();
    for id in ["order-17", "order-18", made.as_str()] {
        let line = lines.iter().find(|line| line["id"] == id).unwrap_or_else(|| panic!("{id}: {log}"));
        assert_eq!(line["span"]["request_id"], id, "{line}");
    }
}

#[test]
fn only_failures_return_an_id_unless_all_should() {
    let gantry = Gantry::folder(Folder::echo("").path());
    let answer = gantry.send("PUT", "/echo/7", "x-request-id: order-17\r\n", "{}");
    assert_eq!((answer.status, answer.header("x-request-id")), (200, None));
}
