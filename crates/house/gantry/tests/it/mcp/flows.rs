//! Tests operations by expressions as tools: those of APIs that start from a document, and of API
//! projects.

use serde_json::{Value, json};

use super::{ON, call, fails, names, tools};
use crate::contract::{API, DOCUMENT, folder, notes};
use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::project;

/// Makes the notes as tools. In the API's file, `after` replaces `before`.
fn offered(before: &str, after: &str) -> Folder {
    let api = API.replacen(before, after, 1);
    assert!(api.contains(after), "{before}");
    folder(&api).with("gantry.toml", ON)
}

#[test]
fn a_contract_tells_what_its_tools_take_and_answer() {
    let gantry = Gantry::folder(notes().with("gantry.toml", ON).path());
    let [note, put, pair] = tools(&gantry, "").try_into().expect("three tools");
    assert_eq!(
        (&note["name"], &put["name"], &pair["name"]),
        (&json!("getNote"), &json!("putNote"), &json!("getPair"))
    );
    let input = json!({
        "type": "object",
        "properties": {
            "number": { "type": "integer", "minimum": 1, "maximum": 9999 },
            "prefix": { "type": "string", "maxLength": 5 },
            "X-Tenant": { "type": "string" },
        },
        "required": ["number"],
        "additionalProperties": false,
    });
    assert_eq!(note["inputSchema"], input);
    let shape = json!({
        "type": "object",
        "required": ["words"],
        "additionalProperties": false,
        "properties": {
            "id": { "type": "integer" },
            "words": { "type": "string", "maxLength": 20 },
            "tags": { "type": "array", "items": { "type": "string" } },
        },
    });
    assert_eq!((&note["outputSchema"], &put["inputSchema"]["properties"]["body"]), (&shape, &shape));
    assert_eq!(put["inputSchema"]["required"], json!(["number", "body"]));
    // One operation answers without a body. The document does not describe the other's answer.
    assert_eq!((put.get("outputSchema"), pair.get("outputSchema")), (None, None));
    let checked = run(&["check", text(notes().with("gantry.toml", ON).path())]);
    assert!(String::from_utf8_lossy(&checked.stdout).contains("3 tools"), "{checked:?}");
}

#[test]
fn a_call_is_a_request_of_the_contract() {
    let gantry = Gantry::folder(notes().with("gantry.toml", ON).path());
    let arguments = json!({ "number": 7, "prefix": "a ", "X-Tenant": "blue" });
    let result = call(&gantry, "", "getNote", &arguments);
    let expected = json!({ "id": 8, "words": "A NOTE", "first": { "number_of": 7, "words": "a note" } });
    assert_eq!(result["structuredContent"], expected, "{result}");
    // The result includes headers of the mapping.
    assert_eq!(result["_meta"]["gantry/headers"], json!({ "x-tenant": "blue", "x-number": "7" }), "{result}");
    let told = call(&gantry, "", "putNote", &json!({ "number": 1, "body": { "words": "told" } }));
    assert_eq!((&told["isError"], told.get("_meta")), (&json!(true), None), "{told}");
    assert!(told["content"][0]["text"].as_str().expect("a text").contains("\"status\":503"), "{told}");
    // A model must see why, also where REST has only a status.
    let bare = call(&gantry, "", "getNote", &json!({ "number": 404 }));
    assert_eq!(
        (&bare["isError"], &bare["content"][0]["text"]),
        (&json!(true), &json!("status 404 Not Found")),
        "{bare}"
    );
    let details = fails(&gantry, "", ("getNote", &json!({ "number": 0 })), "GTY0411W");
    assert!(details.contains("number"), "{details}");
    fails(&gantry, "", ("putNote", &json!({ "number": 1, "body": {} })), "GTY0422W");
    fails(&gantry, "", ("getNote", &json!({ "number": 7, "other": 1 })), "GTY0420W");
    let counted = |status: u16| {
        gantry.metric(&format!(
            "gantry_requests_total{{api=\"notes\",operation=\"getNote\",status=\"{status}\"}}"
        ))
    };
    assert_eq!((counted(200), counted(400), counted(404)), (1.0, 2.0, 1.0));
}

#[test]
fn operations_of_a_contract_are_chosen_as_others_are() {
    let seen = |folder: &Folder| names(&Gantry::folder(folder.path()), "");
    let document = "document = \"openapi.yaml\"";
    assert!(seen(&offered(document, &format!("{document}\nmcp = false"))).is_empty());
    let get = "operation = \"getNote\"";
    assert_eq!(seen(&offered(get, &format!("{get}\nmcp = false"))), ["putNote", "getPair"]);
    let named = format!("{get}\nmcp = {{ name = \"find\", description = \"Finds.\" }}");
    let listed = offered(get, &named).with("gantry.toml", &format!("{ON}apis = []\n"));
    let gantry = Gantry::folder(listed.path());
    let [tool] = tools(&gantry, "").try_into().expect("one tool");
    assert_eq!((&tool["name"], &tool["description"]), (&json!("find"), &json!("Finds.")));
    let bad = offered(get, &format!("{get}\nmcp = {{ name = \"two words\" }}"));
    let checked = run(&["check", text(bad.path())]);
    let found = String::from_utf8_lossy(&checked.stderr);
    assert!(found.contains("apis/notes/api.toml:5: 'two words' is not a name of a tool"), "{found}");
}

#[test]
fn a_schema_within_itself_is_a_definition() {
    let tree = DOCUMENT.replacen(
        "tags: {type: array, items: {type: string}}",
        "tags: {type: array, items: {$ref: '#/components/schemas/Note'}}",
        1,
    );
    let gantry =
        Gantry::folder(notes().with("gantry.toml", ON).with("apis/notes/openapi.yaml", &tree).path());
    let [note, put, _] = tools(&gantry, "").try_into().expect("three tools");
    let reference = json!({ "$ref": "#/$defs/Note" });
    assert_eq!(put["inputSchema"]["properties"]["body"]["properties"]["tags"]["items"], reference);
    for schema in [&put["inputSchema"], &note["outputSchema"]] {
        assert_eq!(schema["$defs"]["Note"]["properties"]["tags"]["items"], reference, "{schema}");
    }
}

#[test]
fn operations_of_a_project_are_tools() {
    let gantry_file = format!("{}{ON}", project::GANTRY);
    let folder = project::folder("").with("gantry.toml", &gantry_file);
    let gantry = Gantry::folder(folder.path());
    let [tool] = tools(&gantry, "").try_into().expect("one tool");
    assert_eq!(tool["name"], "getArticle");
    assert_eq!(tool["inputSchema"]["properties"]["id"], json!({ "type": "string", "maxLength": 4 }));
    let result = call(&gantry, "", "getArticle", &json!({ "id": "A1", "lang": "de" }));
    assert_eq!(result["structuredContent"]["label"], "DE: 3 pieces", "{result}");
    let seen = |api: &str| {
        let folder = project::folder("").with("gantry.toml", &gantry_file).with("apis/stock/api.toml", api);
        names(&Gantry::folder(folder.path()), "")
    };
    assert!(seen("mcp = false\n").is_empty());
    let section = "[[operation]]\noperation = \"GET /articles/{id}\"\nmcp = { name = \"article\" }\n";
    assert_eq!(seen(&format!("mcp = false\n{section}")), ["article"]);
}

#[test]
fn check_tells_what_a_project_cannot_say() {
    let faults = |api: &str| {
        let folder = project::folder("").with("apis/stock/api.toml", api);
        let output = run(&["check", text(folder.path())]);
        assert!(!output.status.success(), "{api}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let section =
        |operation: &str, more: &str| format!("[[operation]]\noperation = \"{operation}\"\n{more}\n");
    let cases = [
        (
            section("deleteArticle", ""),
            "the project has no operation 'deleteArticle'; it has: GET /articles/{id}",
        ),
        (section("get", ""), "the project has no operation 'get'"),
        (section("getArticle", "[[operation.reply]]\nstatus = 200"), "are in its operations folder"),
        (
            section("getArticle", "").repeat(2),
            "api.toml:5: there are two sections of the operation 'getArticle'",
        ),
    ];
    for (api, message) in cases {
        let found = faults(&api);
        assert!(found.contains(message), "{message} in\n{found}");
    }
}

#[test]
fn a_time_of_its_own_holds_for_an_operation_of_a_project() {
    let slow = format!("{}delay_ms = 2000\n", project::GANTRY);
    let section = "[[operation]]\noperation = \"getArticle\"\ntimeout_ms = 50\n";
    let folder = project::folder("").with("gantry.toml", &slow).with("apis/stock/api.toml", section);
    Gantry::folder(folder.path()).get("/articles/A1").fails(503, "BAQR0405I");
}

/// The test finds its lines in the log by this id.
const ID: &str = "x-request-id: judged-1\r\n";

#[test]
fn answers_are_judged_where_that_is_wanted() {
    let document = "document = \"openapi.yaml\"";
    let api = API.replacen(document, &format!("{document}\ncheck_responses = true"), 1);
    let gantry = Gantry::folder(folder(&api).path());
    // The document's notes have no member `first`.
    let body = r#"{"id":8,"words":"NOTE","first":{"number_of":7,"words":"note"}}"#;
    gantry.send("GET", "/notes/v1/notes/7", ID, "").is_json(200, body);
    let violations = "gantry_contract_violations_total{api=\"notes\",operation=\"getNote\"}";
    assert_eq!(gantry.metric(violations), 1.0);
    // This answer fits the contract.
    assert_eq!(gantry.get("/notes/v1/notes/404").status, 404);
    assert_eq!(gantry.metric(violations), 1.0);
    let log = gantry.stop();
    let told: Vec<&str> = log.lines().filter(|line| line.contains("not as its contract says")).collect();
    let [told] = told.as_slice() else { panic!("{log}") };
    for word in ["WARN", "judged-1", "notes", "getNote", "UnknownField", "first"] {
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[test]
fn answers_are_not_judged_unless_it_is_wanted() {
    let gantry = Gantry::folder(notes().path());
    assert_eq!(gantry.get("/notes/v1/notes/7").status, 200);
    let violations = "gantry_contract_violations_total{api=\"notes\",operation=\"getNote\"}";
    assert_eq!(gantry.metric(violations), 0.0);
    assert!(!gantry.stop().contains("contract says"));
}

#[test]
fn an_answer_has_the_numbers_of_the_service() {
    let api = API.replacen("\"id\": $calls.second.number_of", "\"id\": 12345678901234567890.10", 1);
    let gantry = Gantry::folder(folder(&api).with("gantry.toml", ON).path());
    let response = super::post(&gantry, "", &super::calling("getNote", &json!({ "number": 7 })));
    assert!(response.text().contains("\"id\":12345678901234567890.1"), "{}", response.text());
    let _: Value = super::answer(&response);
}
