//! Tests the log of requests and responses: what it shows, hides and cuts.

use serde_json::json;

use crate::audit::{interceptor, lines};
use crate::folder::Folder;
use crate::process::Gantry;

#[test]
fn entries_show_all_but_what_is_hidden() {
    let more = "redact = [\"words\", \"pin\"]\nredact_headers = [\"x-card\"]";
    let folder = Folder::echo(&interceptor("log", more, ""));
    let gantry = Gantry::folder(folder.path());
    let headers = "x-request-id: order-1\r\nx-card: 4711\r\nauthorization: Bearer abc\r\n\
                   content-type: application/json\r\n";
    let answer = gantry.send("PUT", "/echo/7?pin=1&a=b", headers, r#"{"words":"hello"}"#);
    assert_eq!(answer.status, 200, "{}", answer.text());
    gantry.stop();
    let entry = &lines(&folder.path().join(".gantry/log.jsonl"))[0];
    assert_eq!(entry["requestId"], "order-1");
    assert_eq!(
        entry["request"],
        json!({
            "uri": "/echo/7",
            "method": "PUT",
            "queryString": "pin=***&a=b",
            "headers": {
                "host": "localhost",
                "x-request-id": "order-1",
                "x-card": "***",
                "authorization": "***",
                "content-type": "application/json",
                "content-length": "17",
            },
            "body": r#"{"words":"***"}"#,
            "size": 17,
        })
    );
    assert_eq!(entry["response"]["statusCode"], 200);
    assert_eq!(entry["response"]["body"], answer.text().replace("hello", "***"));
    assert_eq!(entry["response"]["size"].as_u64(), Some(answer.body.len() as u64));
    assert_eq!(entry["response"]["headers"]["content-type"], "application/json");
    assert_eq!((&entry["timedOut"], &entry["user"]), (&false.into(), &json!(null)));
}

#[test]
fn bodies_are_cut_or_left_out_and_what_is_no_json_is_withheld() {
    for (more, request, shown) in [
        ("body_max_bytes = 5", r#"{"words":"hello"}"#, json!("{\"wor...")),
        ("body_max_bytes = 0", r#"{"words":"hello"}"#, json!(null)),
        ("redact = [\"pin\"]", "pin=1", json!("(withheld: not JSON with readable fields)")),
    ] {
        let folder = Folder::echo(&interceptor("log", more, ""));
        let gantry = Gantry::folder(folder.path());
        gantry.put("/echo/7", request);
        gantry.stop();
        let entry = &lines(&folder.path().join(".gantry/log.jsonl"))[0];
        assert_eq!(entry["request"]["body"], shown, "{entry}");
        assert_eq!(entry["request"]["size"].as_u64(), Some(request.len() as u64));
    }
}

#[test]
fn two_interceptors_do_not_write_one_file() {
    let text = interceptor("log", "", "");
    let second =
        text[text.find("[[interceptor]]").expect("a section")..].replace("name = \"log\"", "name = \"b\"");
    let folder = Folder::echo(&format!("{text}{second}"));
    let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("is written by another interceptor already"), "{told}");
}
