//! Tests APIs that start from their own document: judged requests, calls in sequence and side by
//! side, replies, failures.

use std::time::{Duration, Instant};

use crate::folder::{Folder, NOTE, service};
use crate::process::{Gantry, run, text};

pub(crate) const DOCUMENT: &str = r##"openapi: 3.0.3
info:
  title: Notes
  version: 2.1.0
servers:
  - url: https://example.org/notes/v1
paths:
  /notes/{number}:
    parameters:
      - {name: number, in: path, required: true, schema: {type: integer, minimum: 1, maximum: 9999}}
    get:
      operationId: getNote
      parameters:
        - {name: prefix, in: query, schema: {type: string, maxLength: 5}}
        - {name: X-Tenant, in: header, schema: {type: string}}
      responses:
        '200':
          description: The note.
          content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}
        '404': {description: There is none.}
    put:
      operationId: putNote
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}
      responses:
        '201': {description: It is kept.}
  /pairs:
    get:
      operationId: getPair
      responses:
        '200': {description: Both.}
components:
  schemas:
    Note:
      type: object
      required: [words]
      additionalProperties: false
      properties:
        id: {type: integer}
        words: {type: string, maxLength: 20}
        tags: {type: array, items: {type: string}}
"##;

pub(crate) const API: &str = r#"document = "openapi.yaml"

[[operation]]
operation = "getNote"

[[operation.call]]
service = "echo"
request = '{ "number_of": $pathParameters.number, "words": $queryParameters.prefix & "note" }'

[[operation.call]]
name = "second"
service = "echo"
when = '$calls.echo.number_of < 100'
request = '{ "number_of": $calls.echo.number_of + 1, "words": $uppercase($calls.echo.words) }'

[[operation.reply]]
when = '$calls.echo.number_of = 404'
status = 404

[[operation.reply]]
status = 200
headers = { X-Tenant = '$headers."x-tenant"', X-Number = '$calls.echo.number_of' }
body = '{ "id": $calls.second.number_of, "words": $calls.second.words, "first": $calls.echo }'

[[operation]]
operation = "PUT /notes/{number}"

[[operation.call]]
service = "refused"
request = '{ "number_of": $pathParameters.number, "words": $body.words }'

[[operation.reply]]
when = '$error.code = "GTY0503E" and $body.words = "told"'
status = 409
body = '{ "why": $error.message, "status": $error.status }'

[[operation.reply]]
status = 201

[[operation]]
operation = "getPair"
timeout_ms = 5000

[[operation.call]]
name = "one"
service = "slow"
request = '{ "number_of": 1 }'

[[operation.call]]
name = "two"
service = "slow"
after = []
request = '{ "number_of": 2 }'

[[operation.call]]
name = "three"
service = "refused"
after = []
on_failure = "continue"
request = '{}'

[[operation.reply]]
status = 200
body = '{ "numbers": [$calls.one.number_of, $calls.two.number_of], "three": $errors.three.code, "at": $type($now()) }'
"#;

/// The configuration of these tests.
pub(crate) fn notes() -> Folder {
    folder(API)
}

pub(crate) fn folder(api: &str) -> Folder {
    Folder::empty()
        .with("gantry.toml", "")
        .with("copybooks/NOTE.cpy", NOTE)
        .with("services/echo.toml", &service("echo", ""))
        .with("services/slow.toml", &service("echo", "delay_ms = 700"))
        .with("services/refused.toml", &service("echo", "refuse = true"))
        .with("apis/notes/openapi.yaml", DOCUMENT)
        .with("apis/notes/api.toml", api)
}

#[test]
fn documents_of_the_author_tell_how_callers_may_be_refused() {
    let limits = "limits.rate = { requests = 1000 }\n";
    let guarded = API.replacen("operation = \"getNote\"\n", &format!("operation = \"getNote\"\n{limits}"), 1);
    let folder = folder(&guarded).with("gantry.toml", crate::security::KEYS);
    let key = crate::administration::key(&folder, "shop", "staff");
    let gantry = Gantry::folder(folder.path());
    let request = format!("GET /notes/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n{key}\r\n");
    let document: serde_json::Value =
        serde_json::from_str(gantry.request(request.as_bytes()).text()).expect("a document");
    let tells = |path: &str, method: &str, status: &str| {
        document["paths"][path][method]["responses"].get(status).is_some()
    };
    assert!(tells("/notes/{number}", "get", "401") && tells("/notes/{number}", "get", "429"), "{document}");
    assert!(tells("/pairs", "get", "401") && !tells("/pairs", "get", "429"), "{document}");
}

#[test]
fn the_output_of_one_call_is_the_input_of_the_next() {
    let folder = folder(API);
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.send("GET", "/notes/v1/notes/7?prefix=a%20", "X-Tenant: blue\r\n", "");
    let body = r#"{"id":8,"words":"A NOTE","first":{"number_of":7,"words":"a note"}}"#;
    answer.is_json(200, body);
    assert_eq!((answer.header("x-tenant"), answer.header("x-number")), (Some("blue"), Some("7")));
    // The flow leaves out the second call, so its results do not exist.
    let answer = gantry.get("/notes/v1/notes/100");
    answer.is_json(200, r#"{"first":{"number_of":100,"words":"note"}}"#);
    assert_eq!(answer.header("x-tenant"), None);
    let answer = gantry.get("/notes/v1/notes/404");
    assert_eq!((answer.status, answer.text(), answer.header("content-type")), (404, "", None));
}

#[test]
fn calls_that_need_not_wait_run_side_by_side() {
    let folder = folder(API);
    let gantry = Gantry::folder(folder.path());
    let begun = Instant::now();
    let answer = gantry.get("/notes/v1/pairs");
    answer.is_json(200, r#"{"numbers":[1,2],"three":"GTY0503E","at":"string"}"#);
    // In sequence the calls would take at least twice the delay, even on a fast machine.
    assert!(begun.elapsed() < Duration::from_millis(1400), "{:?}", begun.elapsed());
}

#[test]
fn a_failed_call_is_answered_by_a_reply_for_errors_or_by_the_gateway() {
    let folder = folder(API);
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.put("/notes/v1/notes/1", r#"{"words":"told"}"#);
    answer.is_json(409, r#"{"why":"The service does not accept requests now.","status":503}"#);
    gantry.put("/notes/v1/notes/1", r#"{"words":"untold"}"#).fails(503, "GTY0503E");
}

#[test]
fn requests_are_judged_by_the_document() {
    let folder = folder(&API.replace("document =", "unknown_query = \"refuse\"\ndocument ="));
    let gantry = Gantry::folder(folder.path());
    gantry.get("/notes/v1/notes/0").fails(400, "GTY0411W");
    gantry.get("/notes/v1/notes/x").fails(400, "GTY0411W");
    gantry.get("/notes/v1/notes/1?prefix=123456").fails(400, "GTY0411W");
    gantry.get("/notes/v1/notes/1?prefix=1&prefix=2").fails(400, "BAQR1712E");
    gantry.get("/notes/v1/notes/1?other=1").fails(400, "GTY0412W");
    gantry.put("/notes/v1/notes/1", "").fails(400, "GTY0402W");
    gantry.put("/notes/v1/notes/1", "{}").fails(400, "GTY0422W");
    gantry.put("/notes/v1/notes/1", "[").fails(400, "BAQR0417W");
    gantry.put("/notes/v1/notes/1", r#"{"words":1}"#).fails(400, "GTY0423W");
    gantry.put("/notes/v1/notes/1", r#"{"words":"x","more":1}"#).fails(400, "GTY0420W");
    gantry.put("/notes/v1/notes/1", r#"{"words":"123456789012345678901"}"#).fails(400, "GTY0425W");
    gantry.send("POST", "/notes/v1/notes/1", "", "").fails(405, "GTY0405W");
}

#[test]
fn documents_are_served_in_both_forms() {
    let folder = folder(API);
    let gantry = Gantry::folder(folder.path());
    let openapi: serde_json::Value =
        serde_json::from_str(gantry.get("/notes/v1/openapi.json").text()).expect("JSON");
    assert_eq!(openapi["openapi"], "3.1.0");
    assert_eq!(openapi["paths"]["/notes/{number}"]["get"]["operationId"], "getNote");
    let failed = &openapi["paths"]["/notes/{number}"]["get"]["responses"]["502"]["description"];
    assert!(failed.as_str().is_some_and(|text| text.contains("ended abnormally")), "{failed}");
    let swagger: serde_json::Value =
        serde_json::from_str(gantry.get("/notes/v1/api-docs").text()).expect("JSON");
    assert_eq!((&swagger["swagger"], &swagger["basePath"]), (&"2.0".into(), &"/notes/v1".into()));
}

#[test]
fn an_expression_that_fails_is_the_gateways_fault_and_told_in_the_log_alone() {
    let api = API.replace(r#"$uppercase($calls.echo.words)"#, r#"$error("no: " & $calls.echo.words)"#);
    let folder = folder(&api);
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.get("/notes/v1/notes/7");
    answer.fails(500, "GTY0501E");
    assert!(!answer.text().contains("no: note"), "{}", answer.text());
    assert!(gantry.stop().contains("no: note"));
}

#[test]
fn a_fault_of_a_mapping_has_one_line_a_second() {
    const REQUESTS: usize = 50;
    let api = API.replace(r#"$uppercase($calls.echo.words)"#, r#"$error("no: " & $calls.echo.words)"#);
    let gantry = Gantry::folder(folder(&api).path());
    let begun = std::time::SystemTime::now();
    let second =
        |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).expect("now").as_secs();
    for _ in 0..REQUESTS {
        assert_eq!(gantry.get("/notes/v1/notes/7").status, 500);
    }
    let seconds = (second(std::time::SystemTime::now()) - second(begun)) as usize + 1;
    let log = gantry.stop();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("request failed")).collect();
    assert!((1..=seconds).contains(&lines.len()), "{log}");
    let left_out = |line: &&str| {
        let (_, rest) = line.split_once("left_out=")?;
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().ok()
    };
    let told: usize = lines.iter().filter_map(left_out).sum();
    assert!(lines.len() + told <= REQUESTS, "{log}");
}

/// Gives what `gantry check` prints about an API.
fn faults(api: &str) -> String {
    let folder = folder(api);
    let output = run(&["check", text(folder.path())]);
    assert!(!output.status.success(), "{api}");
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

#[test]
fn faults_have_their_lines() {
    let cases = [
        ("operation = \"getNote\"", "operation = \"getNot\"", "the document has no operation 'getNot'"),
        ("service = \"slow\"", "service = \"slaw\"", "service 'slaw' does not exist"),
        ("after = []", "after = [\"four\"]", "there is no call 'four'"),
        ("$calls.echo.number_of < 100", "$calls.ecco.number_of < 100", "there is no call 'ecco'"),
        ("$calls.echo.number_of < 100", "$pathParameter.number < 100", "there is no variable $pathParameter"),
        ("$calls.echo.number_of < 100", "$calls.echo.number_of < ", "S0207"),
        ("name = \"second\"\n", "", "there are two calls 'echo'"),
        ("status = 404\n", "status = 204\nbody = '1'\n", "an answer with status 204 has no body"),
        ("status = 404\n", "status = 99\n", "99 is not a status"),
        ("X-Number =", "Content-Length =", "is not a header that a mapping can set"),
        ("document = \"openapi.yaml\"", "document = \"../openapi.yaml\"", "a file beside this one"),
        ("document = \"openapi.yaml\"", "document = \"absent.yaml\"", "cannot be read"),
        ("when = '$calls.echo.number_of = 404'\n", "", "can never apply"),
        ("on_failure = \"continue\"", "on_failure = \"go_on\"", "'go_on' is not known here"),
        ("timeout_ms = 5000", "timeout_m = 5000", "did you mean 'timeout_ms'?"),
    ];
    for (before, after, message) in cases {
        let api = API.replacen(before, after, 1);
        assert_ne!(api, API, "{before}");
        let found = faults(&api);
        assert!(found.contains(message), "{message} in\n{found}");
    }
    let cycle = API.replacen("name = \"one\"\n", "name = \"one\"\nafter = [\"two\"]\n", 1);
    let found = faults(&cycle.replacen("after = []", "after = [\"one\"]", 1));
    assert!(found.contains("these calls wait for each other: one, two"), "{found}");
}

#[test]
fn faults_of_the_document_have_its_lines() {
    let folder = folder(API).with(
        "apis/notes/openapi.yaml",
        &DOCUMENT.replace("'#/components/schemas/Note'", "'#/components/schemas/Not'"),
    );
    let output = run(&["check", text(folder.path())]);
    let found =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && found.contains("openapi.yaml:19"), "{found}");
}

/// The log names the target without a value, its expression and the reason. It does so even when a
/// response for errors answers.
#[test]
fn a_mapping_that_fails_says_which_expression_and_which_target() {
    let api = r#"document = "openapi.yaml"

[[operation]]
operation = "getNote"

[[operation.call]]
service = "echo"
request = '{ "number_of": $pathParameters.number, "words": $string($number($queryParameters.prefix)) }'

[[operation.reply]]
when = '$exists($error)'
status = 404

[[operation.reply]]
status = 200
body = '{ "words": $string($calls.echo.number_of / 0) }'

[[operation]]
operation = "getPair"

[[operation.call]]
service = "echo"
request = '{ "number_of": "many" }'

[[operation.reply]]
status = 200
body = '$calls.echo'

[[operation]]
operation = "putNote"

[[operation.reply]]
status = 201
"#;
    let folder = Folder::echo("").with("apis/notes/api.toml", api).with("apis/notes/openapi.yaml", DOCUMENT);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.get("/notes/v1/notes/7?prefix=abc").status, 404);
    assert_eq!(gantry.get("/notes/v1/notes/7?prefix=1").status, 404);
    // The mapping makes what the service does not take: the caller is not at fault.
    let answer = gantry.get("/notes/v1/pairs");
    assert!(answer.status == 500 && answer.text().contains("GTY0501E"), "{}", answer.text());
    let log = gantry.stop();
    let told: Vec<&str> = log.lines().filter(|line| line.contains("a mapping failed")).collect();
    let [request, response, value] = told.as_slice() else { panic!("{log}") };
    for (line, parts) in [
        (
            request,
            ["request of the call echo:", "$number($queryParameters.prefix))", "line 8 of the API's file"],
        ),
        (response, ["response 200: body:", "$calls.echo.number_of / 0", "line 16 of the API's file"]),
        (value, ["request of the call echo: number_of:", "many", "line 23 of the API's file"]),
    ] {
        for part in parts {
            assert!(line.contains(part), "{part} in\n{line}");
        }
    }
}

#[test]
fn names_that_nothing_gives_are_warned_of() {
    let api = r#"document = "openapi.yaml"

[[operation]]
operation = "getNote"

[[operation.call]]
service = "echo"
request = '{ "number_of": $pathParameters.numbr }'

[[operation.reply]]
when = '$calls.echo.number_of > 0'
status = 299
body = '{ "words": $calls.echo.wordz }'

[[operation.reply]]
status = 200
body = '{ "words": $calls.echo.words & $string($calls.echo) }'
"#;
    let output = run(&["check", text(folder(api).path())]);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{said}");
    for expected in [
        "the path has no parameter 'numbr': '{ \"number_of\": $pathParameters.numbr }', line 8 of the API's file (warning)",
        "answers of the service 'echo' have no member 'wordz': '{ \"words\": $calls.echo.wordz }', line 13",
        "a reply has the status 299, which the document does not have",
    ] {
        assert!(said.contains(expected), "expected {expected}: {said}");
    }
    assert_eq!(said.matches("(warning)").count(), 3, "{said}");
    let right = run(&["check", text(notes().path())]);
    let said = String::from_utf8_lossy(&right.stderr).into_owned();
    assert!(said.contains("a reply has the status 409") && said.matches("(warning)").count() == 1, "{said}");
}
