//! Tests several responses of one operation, chosen by rules on the answer's fields, and statuses
//! for failures of providers.

use crate::folder::{Folder, NOTE, service};
use crate::process::Gantry;

const API: &str = r#"base_path = "/echo"
statuses = { GTY0503E = 429, BAQR0405I = 504 }

[[operation]]
method = "PUT"
path = "/{number}"
service = "echo"
request.move = [{ from = "path.number", to = "NUMBER-OF" }]
response.description = "The note."

[[operation.responses]]
when = [{ field = "NUMBER-OF", is = "=", value = 20 }]
status = 404
description = "There is no such note."
remove = ["NUMBER-OF"]
rename = { WORDS = "reason" }

[[operation.responses]]
when = [
    { field = "WORDS", is = "starts_with", value = "SPECIFIED PERSON" },
    { field = "WORDS", is = "ends_with", value = "LOST" },
]
status = 410
description = "Gone."
headers = { X-Number = { field = "NUMBER-OF" } }

[[operation.responses]]
when = [{ field = "NUMBER-OF", is = ">", value = 9000 }, { field = "WORDS", is = "contains", value = "busy" }]
match = "any"
status = 502
"#;

fn folder(api: &str) -> Folder {
    Folder::echo("").with("copybooks/NOTE.cpy", NOTE).with("apis/echo/api.toml", api)
}

fn words(text: &str) -> String {
    format!(r#"{{"words":"{text}"}}"#)
}

#[test]
fn the_first_response_whose_rules_hold_is_the_one() {
    let folder = folder(API);
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.put("/echo/7", &words("hello"));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.text(), r#"{"number_of":7,"words":"hello"}"#);

    let answer = gantry.put("/echo/20", &words("no such note"));
    assert_eq!(answer.status, 404);
    assert_eq!(answer.text(), r#"{"reason":"no such note"}"#);

    let answer = gantry.put("/echo/1", &words("SPECIFIED PERSON"));
    assert_eq!(answer.status, 200, "one of two rules is not enough");
    let answer = gantry.put("/echo/1", &words("SPECIFIED PERSONLOST"));
    assert_eq!((answer.status, answer.header("x-number")), (410, Some("1")));

    assert_eq!(gantry.put("/echo/9001", &words("")).status, 502);
    assert_eq!(gantry.put("/echo/1", &words("is busy")).status, 502);
}

#[test]
fn documents_list_every_response() {
    let folder = folder(API);
    let gantry = Gantry::folder(folder.path());
    let document: serde_json::Value =
        serde_json::from_str(gantry.get("/echo/openapi.json").text()).expect("JSON");
    let responses = &document["paths"]["/{number}"]["put"]["responses"];
    assert_eq!(responses["200"]["description"], "The note.");
    assert_eq!(responses["404"]["description"], "There is no such note.");
    let schema =
        responses["404"]["content"]["application/json"]["schema"]["$ref"].as_str().expect("one schema");
    let name = schema.rsplit('/').next().expect("a name");
    let answer = &document["components"]["schemas"][name];
    assert!(answer["properties"]["reason"].is_object() && answer["properties"]["number_of"].is_null());
    // The gateway also uses 502 for its own failures.
    let any = &responses["502"]["content"]["application/json"]["schema"]["anyOf"];
    assert_eq!(any.as_array().expect("two").len(), 2);
    assert!(responses["504"]["description"].as_str().expect("text").contains("did not answer in time"));
    assert_eq!(responses["410"]["headers"]["x-number"]["required"], true);
}

#[test]
fn failures_of_providers_have_the_statuses_of_the_api() {
    let folder = folder(API).with("services/echo.toml", &service("echo", "refuse = true"));
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.put("/echo/7", &words(""));
    assert_eq!((answer.status, answer.header("retry-after")), (429, Some("1")));
    assert!(answer.text().contains("GTY0503E"));
}

#[test]
fn rules_that_make_no_sense() {
    let wrong = [
        ("is = \"=\", value = 20", "is = \"==\", value = 20", "'==' is not a comparison"),
        ("is = \"=\", value = 20", "is = \"=\"", "every comparison except 'exists' needs a value"),
        (
            "field = \"NUMBER-OF\", is = \"=\"",
            "field = \"NUMBER\", is = \"=\"",
            "the copybook has no field 'NUMBER'",
        ),
        ("status = 404", "status = 302", "status 302 cannot be that of this answer"),
        ("GTY0503E = 429", "GTY0404W = 429", "'GTY0404W' is not a failure of a provider"),
        ("GTY0503E = 429", "GTY0503E = 200", "a failure has a status from 400 to 599"),
    ];
    for (right, wrong, message) in wrong {
        assert!(API.contains(right), "{right}");
        let folder = folder(&API.replacen(right, wrong, 1));
        let output = crate::process::run(&["check", folder.path().to_str().expect("UTF-8")]);
        let shown = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && shown.contains(message), "{message}: {shown}");
    }
}
