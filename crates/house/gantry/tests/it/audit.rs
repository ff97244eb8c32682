//! Tests audit records: what they contain, what they never contain, and which requests get one.

use std::path::Path;

use serde_json::Value;

use crate::client::Client;
use crate::folder::Folder;
use crate::process::{Gantry, request};

const QUIET: &str = "[server]\nreload_poll_ms = 0\n";

/// Reads the lines of a file of records.
#[track_caller]
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(text.is_empty() || text.ends_with('\n'), "half a line: {text}");
    let parsed = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(parsed).collect()
}

/// Makes `gantry.toml` with one interceptor. `more` has its own keys; `file` has those of its file,
/// beside the path.
pub(crate) fn interceptor(kind: &str, more: &str, file: &str) -> String {
    format!(
        "{QUIET}[[interceptor]]\nkind = \"{kind}\"\nname = \"{kind}\"\n{more}\n[interceptor.file]\n\
         path = \".gantry/{kind}.jsonl\"\n{file}\n"
    )
}

fn audited(more: &str) -> (Folder, std::path::PathBuf) {
    let folder = Folder::echo(&interceptor("audit", more, ""));
    let path = folder.path().join(".gantry/audit.jsonl");
    (folder, path)
}

#[test]
fn a_record_has_the_fields_and_no_secrets() {
    let more = "server = \"gate-1\"\nredact = [\"token\"]\nrequest_headers = [\"X-Origin\", \"x-none\"]\n\
                response_headers = [\"content-type\"]";
    let (folder, path) = audited(more);
    let gantry = Gantry::folder(folder.path());
    let headers = "x-request-id: order-1\r\nx-origin: branch 7\r\nauthorization: Basic c2VjcmV0\r\n\
                   cookie: a=secret\r\ncontent-type: application/json\r\n";
    let body = r#"{"words":"hello"}"#;
    assert_eq!(gantry.send("PUT", "/echo/7?token=secret", headers, body).status, 200);
    let log = gantry.stop();
    let text = std::fs::read_to_string(&path).expect("the file");
    assert!(!text.contains("secret") && !text.contains("c2VjcmV0"), "{text}");
    let [record] = &lines(&path)[..] else { panic!("one record: {text} {log}") };
    for (key, value) in [
        ("record", "request"),
        ("server", "gate-1"),
        ("requestId", "order-1"),
        ("clientAddress", "127.0.0.1"),
        ("apiName", "echo"),
        ("apiVersion", "1.0.0"),
        ("operation", "putecho"),
        ("serviceName", "echo"),
        ("serviceProvider", "simulated"),
        ("httpMethod", "PUT"),
        ("uri", "/echo/7"),
        ("queryString", "token=***"),
    ] {
        assert_eq!(record[key], value, "{key}: {record}");
    }
    assert_eq!((record["httpStatus"].as_u64(), record["requestLength"].as_u64()), (Some(200), Some(17)));
    assert!(record["responseLength"].as_u64().is_some_and(|length| length > 0));
    assert_eq!(record["requestHeaders"], serde_json::json!({ "x-origin": "branch 7" }));
    assert_eq!(record["responseHeaders"], serde_json::json!({ "content-type": "application/json" }));
    for null in
        ["user", "mappedUser", "failure", "trackingToken", "sorIdentifier", "sorReference", "sorResource"]
    {
        assert!(record.get(null).is_some_and(Value::is_null), "{null}: {record}");
    }
    assert_eq!(record["timedOut"], false);
    let time = |key: &str| record[key].as_str().unwrap_or_else(|| panic!("{key}: {record}")).to_owned();
    let times = ["timeIn", "timeSorSent", "timeSorReceived", "timeOut"].map(time);
    assert!(times.is_sorted(), "{times:?}");
    assert!(times[0].ends_with('Z') && times[0].len() == "2026-11-21T17:30:05.250000Z".len());
}

#[test]
fn a_time_out_is_recorded_as_one() {
    let folder = Folder::slow_echo(&interceptor("audit", "", ""));
    let service = std::fs::read_to_string(folder.path().join("services/echo.toml")).expect("a service");
    let folder = folder.with("services/echo.toml", &format!("timeout_ms = 20\n{service}"));
    let gantry = Gantry::folder(folder.path());
    gantry.put("/echo/7", "{}").fails(503, "BAQR0405I");
    gantry.stop();
    let record = &lines(&folder.path().join(".gantry/audit.jsonl"))[0];
    assert_eq!((&record["timedOut"], &record["failure"]), (&true.into(), &"BAQR0405I".into()));
    assert!(record["timeSorReceived"].is_string(), "{record}");
}

#[test]
fn requests_that_fail_early_are_recorded_unless_it_is_said_otherwise() {
    for (more, expected) in [("", 4), ("early_failures = false", 1)] {
        let (folder, path) = audited(more);
        let gantry = Gantry::folder(folder.path());
        gantry.get("/nowhere").fails(404, "GTY0404W");
        gantry.get("/echo/7").fails(405, "GTY0405W");
        gantry.send("PUT", "/echo/7", "content-type: text/plain\r\n", "{}").fails(415, "GTY0415W");
        // This call fails after the gateway asked the interceptors.
        gantry.put("/echo/7", "[]").fails(400, "BAQR0417W");
        gantry.stop();
        let records = lines(&path);
        assert_eq!(records.len(), expected, "{records:?}");
        let last = records.last().expect("records");
        assert_eq!((&last["failure"], &last["apiName"]), (&"BAQR0417W".into(), &"echo".into()));
        assert!(last["timeSorSent"].is_null(), "{last}");
        if expected > 1 {
            assert!(records[0]["apiName"].is_null() && records[0]["httpStatus"] == 404, "{}", records[0]);
        }
    }
}

fn admin(gantry: &Gantry, method: &str, path: &str) -> u16 {
    Client::connect(gantry.admin).ask(request(method, path, "", "").as_bytes()).status
}

#[test]
fn acts_of_administration_are_recorded() {
    let (folder, path) = audited("");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(admin(&gantry, "GET", "/zosConnect/apis"), 200, "looking is no act");
    assert_eq!(admin(&gantry, "PUT", "/zosConnect/apis/echo?status=stopped"), 200);
    assert_eq!(admin(&gantry, "PUT", "/zosConnect/services/echo?action=start"), 200);
    assert_eq!(admin(&gantry, "DELETE", "/zosConnect/apis/none"), 404);
    assert_eq!(admin(&gantry, "POST", "/zosConnect/services"), 415);
    assert_eq!(
        admin(&gantry, "GET", "/region/tasks"),
        404,
        "looking is no act, where there is no region either"
    );
    assert_eq!(admin(&gantry, "POST", "/region/tasks/7/purge"), 404);
    assert_eq!(admin(&gantry, "POST", "/region/units/01/commit"), 404);
    let wanted = request("POST", "/region/trace", "", r#"{"user":"maude","data":true}"#);
    assert_eq!(Client::connect(gantry.admin).ask(wanted.as_bytes()).status, 404);
    assert_eq!(admin(&gantry, "POST", "/configuration/reload"), 200);
    // This reload ends the records, and still gets a record.
    let folder = folder.with("gantry.toml", QUIET);
    gantry.signal(rustix::process::Signal::HUP);
    crate::reload::wait(|| gantry.metric("gantry_configuration_reloads_total{outcome=\"applied\"}") == 2.0);
    assert_eq!(gantry.put("/echo/7", "{}").status, 404);
    // An act gets its record when it is done.
    crate::reload::wait(|| path.exists() && lines(&path).len() == 9);
    gantry.stop();
    let acts: Vec<(String, String, String, bool)> = lines(&path)
        .iter()
        .map(|record| {
            assert_eq!(record["record"], "administration");
            let text = |key: &str| record[key].as_str().unwrap_or("-").to_owned();
            (text("action"), text("kind"), text("name"), record["succeeded"] == true)
        })
        .collect();
    let act = |action: &str, kind: &str, name: &str, done| (action.into(), kind.into(), name.into(), done);
    assert_eq!(
        acts,
        [
            act("stop", "api", "echo", true),
            act("start", "service", "echo", true),
            act("delete", "api", "none", false),
            act("deploy", "service", "-", false),
            act("purge", "task", "7", false),
            act("commit", "unit", "01", false),
            act("trace", "region", "user MAUDE with data", false),
            act("reload", "configuration", "-", true),
            act("reload", "configuration", "-", true),
        ]
    );
    drop(folder);
}

#[test]
fn an_api_may_choose_its_interceptors() {
    let api = std::fs::read_to_string(Folder::echo("").path().join("apis/echo/api.toml")).expect("an API");
    for (section, global, expected) in [
        ("", true, 1),
        ("", false, 0),
        ("[interceptors]\nrun_global = false\n", true, 0),
        ("[interceptors]\nnames = [\"audit\"]\n", false, 1),
        ("[interceptors]\nnames = [\"audit\"]\nrun_global = false\n", true, 1),
    ] {
        let (folder, path) = audited(&format!("global = {global}"));
        let (head, operations) = api.split_at(api.find("[[operation]]").expect("an operation"));
        let folder = folder.with("apis/echo/api.toml", &format!("{head}{section}{operations}"));
        let gantry = Gantry::folder(folder.path());
        assert_eq!(gantry.put("/echo/7", "{}").status, 200);
        gantry.stop();
        let written = if path.exists() { lines(&path).len() } else { 0 };
        assert_eq!(written, expected, "{section} {global}");
    }
}

#[test]
fn what_cannot_be_configured_is_told_with_its_line() {
    for (more, file, part) in [
        ("request_headers = [\"a\",\"b\",\"c\",\"d\",\"e\"]", "", "a record has 4 at most"),
        ("request_headers = [\"Authorization\"]", "", "is secret and never recorded"),
        ("request_headers = [\"x y\"]", "", "cannot be a header's name"),
        ("redact = [\"/\"]", "", "is not a field"),
        ("sequence = 2147483648", "", "must be at most 2147483647"),
        ("colour = 1", "", "'colour' is not known here"),
        ("", "queue_max_lines = 0", "must be 1 at least"),
        ("", "overflow = \"explode\"", "'explode' is not known here"),
    ] {
        let folder = Folder::echo(&interceptor("audit", more, file));
        let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(part) && told.contains("gantry.toml:3"), "{part}: {told}");
    }
    let visible = interceptor("audit", "", "").replace(".gantry/", "logs/");
    let folder = Folder::echo(&visible);
    let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("watched as a part of the configuration"));
    let api = std::fs::read_to_string(folder.path().join("apis/echo/api.toml")).expect("an API");
    let folder = Folder::echo("").with(
        "apis/echo/api.toml",
        &api.replacen("[[operation]]", "[interceptors]\nnames = [\"no\"]\n[[operation]]", 1),
    );
    let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no interceptor 'no'"));
}
