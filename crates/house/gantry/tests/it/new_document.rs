//! Tests `gantry new` with OpenAPI documents.

use crate::folder::Folder;
use crate::new::{new, sources};
use crate::process::{Gantry, run, text};

/// A document of an API. Nobody can make an example of its last operation.
const DOCUMENT: &str = r##"openapi: 3.0.3
info: { title: Shop, version: "1.0" }
servers: [{ url: /shop }]
paths:
  /articles/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string, pattern: "^[A-Z]{3}$" } }
    get:
      operationId: getArticle
      responses:
        "200":
          description: The article
          content: { application/json: { schema: { $ref: "#/components/schemas/Article" } } }
        "404": { description: There is none }
    delete:
      responses: { "204": { description: It is gone } }
  /articles:
    post:
      operationId: addArticle
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/Article" } } }
      responses: { "201": { description: It is there } }
  /never:
    get:
      operationId: never
      responses:
        "200":
          description: nothing fits
          content: { application/json: { schema: { type: integer, minimum: 2, maximum: 1 } } }
components:
  schemas:
    Article:
      type: object
      required: [id, pieces]
      properties:
        id: { type: string, maxLength: 3 }
        pieces: { type: integer, minimum: 5 }
        made: { type: string, format: date }
"##;

/// A body of a reply is a template, which has a limit.
#[test]
fn long_examples_are_made_shorter() {
    let element = format!(r#"{{"name":"{}"}}"#, "x".repeat(600));
    let example = format!("[{}]", vec![element; 200].join(","));
    let document = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"Long","version":"1"}},"paths":{{"/rows":{{"get":{{"operationId":"rows",
        "responses":{{"200":{{"description":"all","content":{{"application/json":{{"schema":{{"type":"array","items":{{"type":"object"}}}},
        "example":{example}}}}}}}}}}}}}}}}}"#
    );
    let from = sources().with("long.json", &document);
    let (code, _, errors) = new(&from, &["long", "--into", "@made", "--openapi", "@long.json"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let gantry = Gantry::folder(&from.path().join("made"));
    let answer = gantry.get("/rows");
    assert_eq!((answer.status, answer.text().matches("xxx\"}").count()), (200, 1));
}

#[test]
fn a_document_becomes_an_api_that_answers_with_examples() {
    let from = sources().with("shop.yaml", DOCUMENT);
    let (code, out, errors) = new(&from, &["shop", "--into", "@made", "--openapi", "@shop.yaml"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert!(out.contains("not served:\n  never: "), "{out}");
    let folder = from.path().join("made");
    let gantry = Gantry::folder(&folder);
    let requests = std::fs::read_to_string(folder.join("requests.http")).expect("requests");
    let mut statuses = Vec::new();
    for request in requests.split("### ").skip(1) {
        let line = request.lines().nth(1).expect("a request");
        let (method, url) = line.split_once(' ').expect("a method and a URL");
        let path = url.strip_prefix("http://127.0.0.1:2222").expect("the address");
        let (headers, body) = request.split_once("\n\n").unwrap_or_default();
        let headers =
            if headers.contains("Content-Type") { "content-type: application/json\r\n" } else { "" };
        statuses.push(gantry.send(method, path, headers, body.trim()).status);
    }
    assert_eq!(statuses, [200, 204, 201]);
    gantry.get("/shop/articles/ABC").is_json(200, r#"{"id":"ID","made":"2026-01-31","pieces":5}"#);
    assert_eq!(gantry.get("/shop/articles/ab").status, 400);
}

#[test]
fn examples_beside_schemas_are_used_where_they_fit() {
    let beside = |examples: &str| {
        DOCUMENT.replacen(
            "schema: { $ref: \"#/components/schemas/Article\" } }",
            &format!("schema: {{ $ref: \"#/components/schemas/Article\" }}, {examples} }}"),
            1,
        )
    };
    let swagger = r##"swagger: "2.0"
info: { title: Shop, version: "1.0" }
basePath: /shop
produces: [application/json]
paths:
  /articles/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, type: string }]
      responses:
        "200":
          description: The article
          schema: { type: object, required: [id], properties: { id: { type: string }, pieces: { type: integer } } }
          examples: { application/json: { id: "LMP", pieces: 12 } }
"##;
    let named = "examples: { wrong: { value: { id: TOOLONG, pieces: 1 } }, good: { $ref: \"#/components/examples/Lamp\" } }";
    let named = beside(named)
        .replace("components:\n", "components:\n  examples: { Lamp: { value: { id: LMP, pieces: 12 } } }\n");
    let own = r#"{"id":"LMP","pieces":12}"#;
    for (document, answer) in [
        (beside("example: { id: LMP, pieces: 12 }"), own),
        (named, own),
        (swagger.to_owned(), own),
        // The example does not fit, so the command makes one of the schema.
        (beside("example: { id: LMP, pieces: 1 }"), r#"{"id":"ID","made":"2026-01-31","pieces":5}"#),
    ] {
        let from = Folder::empty().with("shop.yaml", &document);
        let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--openapi", "@shop.yaml"]);
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{document}");
        Gantry::folder(&from.path().join("made")).get("/shop/articles/ABC").is_json(200, answer);
    }
    let request = DOCUMENT.replace(
        "schema: { $ref: \"#/components/schemas/Article\" } } }\n      responses: { \"201\"",
        "schema: { $ref: \"#/components/schemas/Article\" }, example: { id: LMP, pieces: 12 } } }\n      responses: { \"201\"",
    );
    let from = Folder::empty().with("shop.yaml", &request);
    assert_eq!(new(&from, &["shop", "--into", "@made", "--openapi", "@shop.yaml"]).0, Some(0));
    let requests = std::fs::read_to_string(from.path().join("made/requests.http")).expect("requests");
    assert!(requests.contains("\"pieces\": 12"), "{requests}");
    let parts = DOCUMENT.replacen("#/components/schemas/Article", "article.yaml#/Article", 1);
    let from = Folder::empty().with("shop.yaml", &parts);
    let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--openapi", "@shop.yaml"]);
    let place = "shop.yaml: 'article.yaml#/Article': ";
    assert!(
        code == Some(1) && errors.contains(place) && errors.contains("No such file"),
        "{code:?} {errors}"
    );
}

#[test]
fn what_a_document_leaves_open_does_not_keep_its_other_operations_from_serving() {
    let document = r#"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {
        "/early": {"get": {"operationId": "early", "responses": {
            "102": {"description": "not yet"}, "200": {"description": "done"}}}},
        "/never": {"get": {"operationId": "never", "responses": {"102": {"description": "not yet"}}}},
        "/mistaken": {"get": {"operationId": "mistaken", "responses": {"200": {"description": "done",
            "content": {"application/json": {"schema": {"type": "object", "properties": {
                "zip": {"type": "string", "example": 10504}}}}}}}}},
        "/empty": {"get": {"operationId": "empty", "responses": {"204": {"description": "done",
            "content": {"application/json": {"schema": {"type": "object"}}}}}}},
        "/silent": {"get": {"operationId": "silent"}},
        "/pieces/{name}.{format}": {"get": {"operationId": "twice",
            "parameters": [
                {"name": "name", "in": "path", "required": true, "schema": {"type": "string"}},
                {"name": "format", "in": "path", "required": true, "schema": {"type": "string"}}],
            "responses": {"200": {"description": "done"}}}}}}"#;
    let from = Folder::empty().with("shop.json", document);
    let (code, out, errors) = new(&from, &["shop", "--into", "@made", "--openapi", "@shop.json"]);
    assert_eq!(code, Some(0), "{errors}");
    for lack in [
        "never: the document has no answer of 200 to 599",
        "silent: the document has no answer of 200 to 599",
        "twice: its path has more than one parameter between two '/': {name}.{format}",
    ] {
        assert!(out.contains(lack), "expected '{lack}': {out}");
    }
    let gantry = Gantry::folder(&from.path().join("made"));
    assert_eq!(gantry.get("/early").status, 200);
    gantry.get("/mistaken").is_json(200, r#"{"zip":"ZIP"}"#);
    assert_eq!(gantry.get("/empty").status, 204);
    assert_eq!(gantry.get("/silent").status, 404);
}

#[test]
fn of_two_paths_for_the_same_requests_the_first_is_served() {
    let operation = |name: &str, id: &str| {
        format!(
            r#"{{"operationId": "{id}", "responses": {{"200": {{"description": "done"}}}},
            "parameters": [{{"name": "{name}", "in": "path", "required": true, "schema": {{"type": "string"}}}}]}}"#
        )
    };
    let document = format!(
        r#"{{"openapi": "3.1.0", "info": {{"title": "T", "version": "1"}}, "paths": {{
        "/c/{{x}}": {{"get": {}}}, "/c/{{y}}": {{"get": {}, "put": {}}}}}}}"#,
        operation("x", "one"),
        operation("y", "other"),
        operation("y", "change")
    );
    let from = Folder::empty().with("shop.json", &document);
    let (code, out, errors) = new(&from, &["shop", "--into", "@made", "--openapi", "@shop.json"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(out.contains("other: GET /c/{x} takes the same requests"), "{out}");
    let made = from.path().join("made");
    let output = run(&["check", text(&made)]);
    let warned = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && warned.contains("matches the same requests as '/c/{x}'"), "{warned}");
    let gantry = Gantry::folder(&made);
    assert_eq!(gantry.get("/c/1").status, 200);
    assert_eq!(gantry.send("PUT", "/c/1", "", "").status, 200);
    let served: serde_json::Value = serde_json::from_slice(&gantry.get("/openapi.json").body).expect("JSON");
    assert!(served["paths"]["/c/{x}"].get("get").is_some(), "{served}");
    let second = &served["paths"]["/c/{y}"];
    assert!(second.get("put").is_some() && second.get("get").is_none(), "{served}");
}

#[test]
fn answers_have_the_headers_that_the_document_requires() {
    let document = r#"openapi: 3.0.3
info: {title: T, version: "1"}
paths:
  /consents:
    post:
      operationId: create
      responses:
        "201":
          description: made
          headers:
            x-interaction-id: {required: true, schema: {type: string, format: uuid}}
            x-count: {required: true, schema: {type: integer, minimum: 5}}
            x-else: {schema: {type: string}}
          content:
            application/json: {schema: {type: object, properties: {id: {type: string, pattern: "^(?!0)[0-9]{3}$"}}}}
  /consents/{id}:
    delete:
      operationId: remove
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "204":
          description: gone
          headers:
            "it's": {required: true, schema: {type: string, enum: ['"a" and ''b''']}}
"#;
    let from = sources().with("consents.yaml", document);
    let (code, out, errors) = new(&from, &["shop", "--into", "@made", "--openapi", "@consents.yaml"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{out}");
    let made = from.path().join("made");
    let output = run(&["check", text(&made)]);
    let warned = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !warned.contains("warning"), "{warned}");
    let gantry = Gantry::folder(&made);
    let answer = gantry.send("POST", "/consents", "", "");
    assert_eq!((answer.status, answer.header("x-count")), (201, Some("5")));
    assert_eq!(answer.header("x-interaction-id"), Some("123e4567-e89b-12d3-a456-426614174000"));
    assert_eq!(answer.header("x-else"), None);
    let answer = gantry.send("DELETE", "/consents/1", "", "");
    assert_eq!((answer.status, answer.header("it's")), (204, Some("\"a\" and 'b'")));
}

#[test]
fn a_document_of_several_files_becomes_one() {
    let from = Folder::empty()
        .with(
            "spec/openapi.yaml",
            "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths:\n  /pets/{id}:\n    $ref: paths/pet.yaml\n",
        )
        .with(
            "spec/paths/pet.yaml",
            "parameters:\n  - $ref: ../../common.yaml#/parameters/id\nput:\n  operationId: put\n  requestBody:\n    required: true\n    \
             content: {application/json: {schema: {$ref: ../../common.yaml#/Pet}}}\n  responses:\n    '200':\n      description: done\n      \
             content: {application/json: {schema: {$ref: ../../common.yaml#/Pet}}}\n",
        )
        .with(
            "common.yaml",
            "parameters:\n  id: {name: id, in: path, required: true, schema: {type: integer}}\n\
             Pet: {type: object, required: [name], properties: {name: {type: string, maxLength: 3}, mother: {$ref: '#/Pet'}}}\n",
        );
    let (code, out, errors) = new(&from, &["shop", "--into", "@made", "--openapi", "@spec/openapi.yaml"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("apis/shop/openapi.json"), "{out}");
    assert!(out.contains("common.yaml, outside of the folder of the document"), "{out}");
    let made = from.path().join("made");
    assert!(run(&["check", text(&made)]).status.success());
    let gantry = Gantry::folder(&made);
    let json = "content-type: application/json\r\n";
    assert_eq!(gantry.send("PUT", "/pets/1", json, r#"{"name": "Tom"}"#).status, 200);
    assert_eq!(
        gantry.send("PUT", "/pets/1", json, r#"{"name": "long", "mother": {"name": "Tom"}}"#).status,
        400
    );
    assert_eq!(gantry.send("PUT", "/pets/one", json, r#"{"name": "Tom"}"#).status, 400);
    let (code, _, errors) = new(&from, &["shop", "--into", "@other", "--openapi", "@spec/paths/pet.yaml"]);
    assert_eq!(code, Some(1), "{errors}");
    let from = from
        .with("lost.yaml", "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths:\n  /a: {$ref: b.yaml}\n");
    let (code, _, errors) = new(&from, &["shop", "--into", "@other", "--openapi", "@lost.yaml"]);
    assert!(
        code == Some(1)
            && errors.contains("lost.yaml: 'b.yaml': ")
            && errors.contains("b.yaml: No such file"),
        "{errors}"
    );
}

#[test]
fn a_document_with_faults_is_refused_with_their_lines() {
    let wrong = DOCUMENT.replace("type: integer, minimum: 5", "type: integers");
    let from = sources()
        .with("wrong.yaml", &wrong)
        .with("none.yaml", "a: [")
        .with("hooks.json", r#"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "webhooks": {}}"#)
        .with("idle.json", r#"{"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": {}}"#);
    for (file, reason) in [
        ("@wrong.yaml", "wrong.yaml:38: "),
        ("@none.yaml", "none.yaml:1: "),
        ("@idle.json", "idle.json: the document has no operation"),
        ("@hooks.json", "expected paths, found only webhooks"),
        ("@no.yaml", "no.yaml: "),
    ] {
        let (code, out, errors) = new(&from, &["shop", "--into", "@made", "--openapi", file]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{errors}");
        assert!(errors.contains(reason), "expected '{reason}': {errors}");
        assert!(!from.path().join("made").exists());
    }
    let both = ["shop", "--openapi", "@wrong.yaml", "--copybook", "@NOTE.cpy"];
    assert_eq!(new(&from, &both).0, Some(2));
}

#[test]
fn paths_and_names_may_have_any_character() {
    let document = r#"{"openapi":"3.0.3","info":{"title":"Laden","version":"1"},"servers":[{"url":"/läden"}],"paths":{
        "/große kisten/{größe}":{"get":{"operationId":"boxes","parameters":[
            {"name":"größe","in":"path","required":true,"schema":{"type":"string","enum":["süß"]}},
            {"name":"filter[farbe]","in":"query","required":true,"schema":{"type":"string","enum":["weiß"]}}],
        "responses":{"204":{"description":"none"}}}}}}"#;
    let from = sources().with("shop.json", document);
    let (code, out, errors) = new(&from, &["shop", "--into", "@made", "--openapi", "@shop.json"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let path = "/l%C3%A4den/gro%C3%9Fe%20kisten/s%C3%BC%C3%9F?filter%5Bfarbe%5D=wei%C3%9F";
    assert!(out.contains(&format!("'http://127.0.0.1:2222{path}'")), "{out}");
    let gantry = Gantry::folder(&from.path().join("made"));
    assert_eq!(gantry.get(path).status, 204);
    assert_eq!(gantry.get("/l%C3%A4den/openapi.json").status, 200);
}
