//! Tests calls: every kind of parameter, exact values, failures of callers and of providers.

use serde_json::{Value, json};

use super::{ON, answer, call, calling, echoes, fails, names, post, seven};
use crate::client::Client;
use crate::folder::{ECHO_API, Folder, service};
use crate::process::Gantry;
use crate::reload::wait;

const LEDGER: &str = "       01  LEDGER.
           05  KEY-ID     PIC X(8).
           05  KIND       PIC X(4).
           05  NOTE-TEXT  PIC X(20).
           05  AMOUNT     PIC S9(29)V99 COMP-3.
           05  SECRET     PIC X(8).
";

/// A parameter of each kind, and a body with a number that floating point cannot hold.
const LEDGER_API: &str = r#"base_path = "/ledger"

[[operation]]
method = "POST"
path = "/{key}/entries"
service = "ledger"
operation_id = "addEntry"
summary = "Add an entry"
description = "Adds an entry to a ledger."
request.move = [
  { from = "path.key", to = "KEY-ID" },
  { from = "query.kind", to = "KIND", required = true, description = "Of four letters." },
  { from = "header.X-Note", to = "NOTE-TEXT" },
  { from = "header.Authorization", to = "SECRET" },
]
response.status = 201

[[operation]]
method = "GET"
path = "/{key}"
service = "ledger"
operation_id = "getEntry"
request.move = [{ from = "path.key", to = "KEY-ID" }]
request.remove = ["KIND", "NOTE-TEXT", "AMOUNT", "SECRET"]

[[operation]]
method = "GET"
path = "/all"
service = "ledger"
operation_id = "getAll"
mcp = false
request.remove = ["KIND", "NOTE-TEXT", "AMOUNT", "SECRET"]
"#;

fn ledger() -> Gantry {
    let service = service("echo", "").replace("NOTE.cpy", "LEDGER.cpy");
    let folder = Folder::empty()
        .with("gantry.toml", ON)
        .with("copybooks/LEDGER.cpy", LEDGER)
        .with("services/ledger.toml", &service)
        .with("apis/ledger/api.toml", LEDGER_API);
    Gantry::folder(folder.path())
}

#[test]
fn arguments_reach_path_query_header_and_body() {
    let gantry = ledger();
    let arguments = json!({ "key": "a/b ?#", "kind": "x&y=", "X-Note": "zwölf", "body": { "amount": 1 } });
    let headers = "x-note: the message's own\r\nauthorization: me\r\n";
    let result = call(&gantry, headers, "addEntry", &arguments);
    assert_eq!(result["isError"], false, "{result}");
    let entry = &result["structuredContent"];
    let found = ["key_id", "kind", "note_text", "secret"].map(|name| entry[name].as_str().expect(name));
    // The Authorization header is never an argument. An operation that asks for it gets the
    // caller's own.
    assert_eq!(found, ["a/b ?#", "x&y=", "zwölf", "me"]);
    let text: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(text, *entry);
    // If an argument sets a header, the message's own header does not count.
    let arguments = json!({ "key": "k", "kind": "k", "body": { "amount": 1 } });
    assert_eq!(call(&gantry, headers, "addEntry", &arguments)["structuredContent"]["note_text"], "");
}

#[test]
fn numbers_stay_exact_in_both_directions() {
    let gantry = ledger();
    let amount = "-12345678901234567890123456789.07";
    let body = format!(r#""key":"k","kind":"k","body":{{"amount":{amount}}}"#);
    let message =
        calling("addEntry", &json!({})).replace(r#""arguments":{}"#, &format!(r#""arguments":{{{body}}}"#));
    let response = post(&gantry, "", &message);
    let text = response.text();
    assert!(text.contains(&format!(r#""amount":{amount}"#)), "structured: {text}");
    assert!(text.contains(&format!(r#"\"amount\":{amount}"#)), "as text: {text}");
    assert_eq!(answer(&response)["result"]["isError"], false);
}

#[test]
fn wrong_arguments_are_results_that_say_what_is_wrong() {
    let gantry = ledger();
    let cases = [
        (json!({ "kind": "k", "body": {} }), "GTY0410W", "argument key"),
        (json!({ "key": "k", "body": {} }), "GTY0410W", "query parameter kind"),
        (json!({ "key": "k", "kind": "k" }), "GTY0402W", ""),
        (json!({ "key": "k", "kind": "k", "body": {}, "more": 1 }), "GTY0420W", "argument more"),
        (json!({ "key": "k", "kind": "k", "body": { "more": 1 } }), "GTY0420W", "more"),
        (json!({ "key": "123456789", "kind": "k", "body": {} }), "GTY0411W", "path parameter key"),
        (json!({ "key": {}, "kind": "k", "body": {} }), "GTY0411W", "argument key"),
        (json!({ "key": "k", "kind": "k", "body": 7 }), "BAQR0417W", ""),
        (json!({ "key": "k", "kind": "k", "body": { "amount": "x" } }), "GTY0423W", "amount"),
    ];
    for (arguments, code, details) in cases {
        let found = fails(&gantry, "", ("addEntry", &arguments), code);
        assert!(found.contains(details), "{arguments}: {found}");
    }
    assert_eq!(
        gantry.metric("gantry_requests_total{api=\"ledger\",operation=\"addEntry\",status=\"400\"}"),
        9.0
    );
    let log = gantry.stop();
    assert!(log.contains("GTY0420W") && !log.contains("rmcp"), "{log}");
}

/// An argument may spell another path. It must not lead there, because that operation may not be a
/// tool.
#[test]
fn a_tool_calls_its_own_operation_and_no_other() {
    let gantry = ledger();
    assert_eq!(names(&gantry, ""), ["addEntry", "getEntry"]);
    assert_eq!(call(&gantry, "", "getEntry", &json!({ "key": "one" }))["structuredContent"]["key_id"], "one");
    let details = fails(&gantry, "", ("getEntry", &json!({ "key": "all" })), "GTY0411W");
    assert_eq!(details, "the arguments make the path of another operation");
    for key in ["openapi.json", "api-docs"] {
        fails(&gantry, "", ("getEntry", &json!({ "key": key })), "GTY0411W");
    }
    fails(&gantry, "", ("getEntry", &json!({ "key": "" })), "GTY0411W");
}

#[test]
fn a_provider_that_fails_is_a_result_without_its_secrets() {
    let folder = |faults: &str| Folder::echo(ON).with("services/echo.toml", &service("echo", faults));
    let cases = [
        ("refuse = true", "GTY0503E"),
        ("cut_to_bytes = 3", "GTY0502E"),
        ("delay_ms = 5000", "BAQR0405I"),
        ("patch = { offset = 0, hex = \"FF\" }", "GTY0502E"),
    ];
    for (faults, code) in cases {
        let folder = folder(faults);
        let text = std::fs::read_to_string(folder.path().join("services/echo.toml")).expect("a service");
        let folder = folder.with("services/echo.toml", &format!("timeout_ms = 50\n{text}"));
        let gantry = Gantry::folder(folder.path());
        fails(&gantry, "", ("putecho", &seven()), code);
        let response = post(&gantry, "", &calling("putecho", &seven()));
        assert!(response.header("x-request-id").is_some(), "{:?}", response.headers);
        if code == "GTY0503E" {
            assert_eq!(response.header("retry-after"), Some("1"));
        }
    }
}

/// A mapped answer with an error status is an error too, with the body of the mapping.
#[test]
fn an_answer_that_tells_a_failure_is_an_error() {
    let rule = "\n[[operation.responses]]\nstatus = 404\nwhen = [{ field = \"WORDS\", is = \"=\", value = \"none\" }]\n";
    let folder = Folder::echo(ON).with("apis/echo/api.toml", &format!("{ECHO_API}{rule}"));
    let gantry = Gantry::folder(folder.path());
    echoes(&gantry, "");
    let result = call(&gantry, "", "putecho", &json!({ "number": 1, "body": { "words": "none" } }));
    assert_eq!((&result["isError"], result.get("structuredContent")), (&json!(true), None));
    assert_eq!(result["content"][0]["text"], r#"{"number_of":1,"words":"none"}"#);
}

/// Clients refuse a result without its structure if the tool has a schema for that.
#[test]
fn tools_that_may_answer_nothing_have_no_schema_of_answers() {
    let queues = "[queue_manager]\nname = \"QM1\"\n[[queue_manager.queue]]\nname = \"NOTES\"\n";
    let side = |way: &str| format!("[{way}]\ncopybook = \"NOTE.cpy\"\nwrapper = \"\"\n");
    let queue = |more: &str, way: &str| {
        let provider = format!("[provider]\nkind = \"queue\"\ndestination = \"NOTES\"\n{more}\n");
        format!("ccsid = 37\n{provider}{}", side(way))
    };
    let operation = |name: &str| {
        format!(
            "[[operation]]\nmethod = \"POST\"\npath = \"/{name}\"\nservice = \"{name}\"\noperation_id = \"{name}\"\n"
        )
    };
    let folder = Folder::echo(&format!("{ON}{queues}"))
        .with("services/give.toml", &queue("", "request"))
        .with("services/take.toml", &queue("operation = \"receive\"", "response"))
        .with(
            "apis/notes/api.toml",
            &format!("base_path = \"/notes\"\n{}{}", operation("give"), operation("take")),
        );
    let gantry = Gantry::folder(folder.path());
    let list = super::ask(&gantry, "", "tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().expect("tools");
    let has_schema = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).expect("a tool");
        tool.get("outputSchema").is_some()
    };
    assert!(!has_schema("give") && !has_schema("take") && has_schema("putecho"), "{list}");
    let note = json!({ "number_of": 7, "words": "hi" });
    let given = call(&gantry, "", "give", &json!({ "body": note }));
    assert_eq!((&given["isError"], given.get("structuredContent")), (&json!(false), None), "{given}");
    let taken = call(&gantry, "", "take", &json!({}));
    assert_eq!(taken["structuredContent"], note, "{taken}");
    let nothing = call(&gantry, "", "take", &json!({}));
    assert_eq!((&nothing["isError"], nothing.get("structuredContent")), (&json!(false), None), "{nothing}");
}

#[test]
fn what_is_stopped_is_no_tool() {
    let gantry = Gantry::folder(Folder::echo(ON).path());
    let mut admin = Client::connect(gantry.admin);
    let switch = |status: &str| {
        format!(
            "PUT /zosConnect/apis/echo?status={status} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n"
        )
    };
    assert_eq!(admin.ask(switch("stopped").as_bytes()).status, 200);
    assert!(names(&gantry, "").is_empty());
    fails(&gantry, "", ("putecho", &seven()), "BAQR0431W");
    assert_eq!(admin.ask(switch("started").as_bytes()).status, 200);
    echoes(&gantry, "");
}

#[test]
fn a_changed_configuration_shows_at_once() {
    let folder = Folder::echo(&format!("{ON}[server]\nreload_poll_ms = 20\n"));
    let gantry = Gantry::folder(folder.path());
    assert_eq!(names(&gantry, ""), ["putecho"]);
    let folder = folder.with("apis/echo/api.toml", &format!("{ECHO_API}operation_id = \"twice\"\n"));
    wait(|| names(&gantry, "") == ["twice"]);
    let _folder = folder.with("gantry.toml", "[server]\nreload_poll_ms = 20\n");
    wait(|| post(&gantry, "", &calling("twice", &seven())).status == 404);
}
