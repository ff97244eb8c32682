//! Tests what callers see of errors: status, code and shape, and nothing from inside.

use tempfile::TempDir;

use crate::process::{Gantry, run, text};

const RS2: &str = "/performance.api/mapping/CABASIC-RS2/1";
const GOOD: &str = r#"{"CABASICOperation":{"count_out":1}}"#;

#[test]
fn faults_of_the_request() {
    let gantry = Gantry::example("performance");
    let wrapped = |value: &str| format!(r#"{{"CABASICOperation":{{"count_out":{value}}}}}"#);
    for (json, code, part) in [
        (wrapped("\"1\""), "GTY0423W", "count_out"),
        (wrapped("true"), "GTY0423W", "count_out"),
        (wrapped("null"), "GTY0423W", "count_out"),
        (wrapped("[1]"), "GTY0423W", "count_out"),
        (wrapped("{}"), "GTY0423W", "count_out"),
        (wrapped("1.5"), "GTY0424W", "count_out"),
        (wrapped("-1"), "GTY0424W", "count_out"),
        (wrapped("1e400"), "GTY0424W", "count_out"),
        (wrapped("123456789012345678901234567890123456789"), "GTY0424W", "count_out"),
        (wrapped("01"), "BAQR0417W", "line 1, column 34"),
        ("{\n \"CABASICOperation\" 1}".to_owned(), "BAQR0417W", "line 2, column 21"),
        (wrapped("1,"), "BAQR0417W", "line 1"),
        (format!("{GOOD} x"), "BAQR0417W", "line 1"),
        ("[]".to_owned(), "BAQR0417W", ""),
        ("nonsense".to_owned(), "BAQR0417W", "line 1, column 1"),
        (r#"{"CABASICOperation":7}"#.to_owned(), "GTY0423W", "CABASICOperation"),
        (" ".to_owned(), "BAQR0417W", ""),
    ] {
        let details = gantry.put(RS2, &json).fails(400, code);
        assert!(details.contains(part), "{json}: {details}");
    }
    gantry.put(RS2, "").fails(400, "GTY0402W");
    assert_eq!(gantry.metric("gantry_failures_total{code=\"GTY0402W\"}"), 1.0);
}

#[test]
fn nesting_is_limited() {
    let gantry = Gantry::example("performance");
    let deep = format!("{{\"CABASICOperation\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let answer = gantry.put(RS2, &deep);
    assert_eq!(answer.status, 400, "{}", answer.text());
    let unknown = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(gantry.put(RS2, &unknown).status, 400);
}

#[test]
fn a_body_that_is_not_utf8_is_no_json() {
    let gantry = Gantry::example("performance");
    let mut request = crate::process::request("PUT", RS2, "", GOOD).into_bytes();
    let last = request.len() - 1;
    request[last] = 0xFF;
    gantry.request(&request).fails(400, "BAQR0417W");
}

#[test]
fn unknown_paths_and_wrong_methods() {
    let gantry = Gantry::example("performance");
    for path in [
        "/",
        "/performance.api",
        "/performance.api/",
        "/performance.api/mapping/CABASIC-RS2",
        "/performance.api/mapping/CABASIC-RS2/",
        "/performance.api/mapping/CABASIC-RS2/1/",
        "/performance.api/mapping/CABASIC-RS2/1/2",
        "//performance.api/api-docs",
        "/performance.api/../performance.api/api-docs",
        "/performance.api/api-docs%00",
    ] {
        gantry.get(path).fails(404, "GTY0404W");
    }
    let answer = gantry.get(RS2);
    answer.fails(405, "GTY0405W");
    assert_eq!(answer.header("allow"), Some("PUT"));
    let answer = gantry.put("/performance.api/api-docs", "{}");
    answer.fails(405, "GTY0405W");
    assert_eq!(answer.header("allow"), Some("GET, HEAD"));
}

#[test]
fn urls_that_cannot_be_read() {
    let gantry = Gantry::example("performance");
    for value in ["%ff", "%c3%28", "%zz", "1%", "1%3"] {
        let path = format!("/performance.api/mapping/CABASIC-RS2/{value}");
        let details = gantry.put(&path, GOOD).fails(400, "GTY0401W");
        assert!(details.contains("countIn"), "{value}: {details}");
    }
}

#[test]
fn content_types() {
    let gantry = Gantry::example("performance");
    for good in [
        "content-type: application/json\r\n",
        "content-type: Application/JSON\r\n",
        "content-type: application/json;charset=utf-8\r\n",
        "content-type: application/json; charset=\"UTF-8\"\r\n",
        "content-type: application/json; CHARSET=Utf-8; profile=x\r\n",
    ] {
        assert_eq!(gantry.send("PUT", RS2, good, GOOD).status, 200, "{good}");
    }
    for bad in [
        "content-type: text/plain\r\n",
        "content-type:\r\n",
        "content-type: application/jsonx\r\n",
        "content-type: application/json, application/json\r\n",
        "content-type: application/json; charset=latin1\r\n",
        "content-type: application/json\r\ncontent-type: application/json\r\n",
        "content-type: application/x-www-form-urlencoded\r\n",
    ] {
        gantry.send("PUT", RS2, bad, GOOD).fails(415, "GTY0415W");
    }
}

/// Serves the faults example with a provider that is slow on any machine.
fn faults() -> (TempDir, Gantry) {
    let folder = TempDir::new().expect("a temporary folder can be made");
    assert!(run(&["example", "faults", text(folder.path())]).status.success());
    let slow = folder.path().join("services/slow.toml");
    let written = std::fs::read_to_string(&slow).expect("the example has a slow service");
    let slower = written.replace("delay_ms = 5000", "delay_ms = 600000");
    assert_ne!(slower, written);
    std::fs::write(&slow, slower).expect("a file can be written");
    let gantry = Gantry::folder(folder.path());
    (folder, gantry)
}

#[test]
fn the_faults_example_shows_each_fault_of_a_provider() {
    let (_folder, gantry) = faults();
    let fine = r#"{"account_number":7,"holder":"GRACE HOPPER","balance":12345.67}"#;
    gantry.get("/faults/fine/7").is_json(200, fine);
    let slow = gantry.get("/faults/slow/7");
    assert_eq!(slow.fails(503, "BAQR0405I"), "the limit is 200 ms");
    assert_eq!(slow.header("retry-after"), None, "a request that may have been carried out is not repeated");
    assert_eq!(gantry.get("/faults/short/7").fails(502, "GTY0502E"), "bad length: balance at offset 28");
    assert_eq!(gantry.get("/faults/bad-data/7").fails(502, "GTY0502E"), "bad value: balance at offset 28");
    let refused = gantry.get("/faults/refused/7");
    assert_eq!(refused.fails(503, "GTY0503E"), "");
    assert_eq!(refused.header("retry-after"), Some("1"));
}

#[test]
fn a_caller_sees_nothing_from_inside_and_the_log_leads_to_the_rest() {
    let (_folder, gantry) = faults();
    let mut ids = Vec::new();
    for name in ["slow", "short", "bad-data", "refused"] {
        let answer = gantry.get(&format!("/faults/{name}/7"));
        let id = answer.header("x-request-id").expect("a failure has an id").to_owned();
        for inside in
            ["00 12 34", "0012", "simulated", "ACCOUNT.cpy", "services/", "crates/", ".rs", "HOPPER"]
        {
            assert!(!answer.text().contains(inside), "{name} tells {inside}: {}", answer.text());
        }
        assert!(!ids.contains(&id), "an id is given twice");
        ids.push(id);
    }
    let log = gantry.stop();
    for id in ids {
        assert!(log.contains(&id), "{id} is not in the log: {log}");
    }
}
