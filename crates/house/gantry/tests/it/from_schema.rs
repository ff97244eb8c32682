//! Tests `gantry record copybook`: it makes a copybook, and a service that takes JSON of the
//! schema.

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

const SCHEMA: &str = r#"{
  "type": "object",
  "required": ["orderId", "lines"],
  "properties": {
    "orderId": { "type": "string", "maxLength": 8 },
    "amount_due": { "type": "number", "multipleOf": 0.01, "minimum": 0, "maximum": 999.99 },
    "lines": { "type": "array", "minItems": 1, "maxItems": 3, "items": {
      "type": "object", "required": ["sku"], "properties": {
        "sku": { "type": "string", "maxLength": 4 },
        "quantity": { "type": "integer", "minimum": 0, "maximum": 99 } } } }
  }
}
"#;

const OPENAPI: &str = r##"{ "openapi": "3.1.0", "info": { "title": "T", "version": "1" },
  "paths": { "/a": { "post": { "operationId": "addAll",
    "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/All" } } } },
    "responses": { "200": { "description": "Done.", "content": { "application/json": { "schema": {
      "type": "object", "properties": { "count": { "type": "integer", "format": "int32" } } } } } } } } } },
  "components": { "schemas": { "All": { "type": "object", "properties": { "name": { "type": "string" } } } } } }
"##;

/// Runs the command in a folder. An argument that begins with `@` names a file there.
fn make(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let paths: Vec<String> = arguments
        .iter()
        .map(|argument| match argument.split_once('@') {
            Some(("", file)) => text(&folder.path().join(file)).to_owned(),
            _ => (*argument).to_owned(),
        })
        .collect();
    let mut all = vec!["record", "copybook"];
    all.extend(paths.iter().map(String::as_str));
    let output = run(&all);
    let utf8 = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), utf8(output.stdout), utf8(output.stderr))
}

#[test]
fn a_service_made_from_a_schema_takes_its_json() {
    let folder =
        Folder::empty().with("order.json", SCHEMA).with("copybooks/README", "").with("gantry.toml", "").with(
            "apis/orders/api.toml",
            "base_path = \"/orders\"\n\n[[operation]]\nmethod = \"PUT\"\npath = \"/\"\nservice = \"order\"\n",
        );
    let mut service = "ccsid = 37\n\n[provider]\nkind = \"simulated\"\nanswer = \"echo\"\n\n".to_owned();
    for side in ["request", "response"] {
        let made = make(
            &folder,
            &[
                "--schema",
                "@order.json",
                "--out",
                "@copybooks/ORDER.cpy",
                &format!("--{side}"),
                "--service",
                &format!("@{side}.toml"),
            ],
        );
        assert_eq!(made, (Some(0), String::new(), String::new()));
        let part = folder.path().join(format!("{side}.toml"));
        service += &std::fs::read_to_string(part).expect("the part of the service");
        service.push('\n');
    }
    let folder = folder.with("services/order.toml", &service);
    let gantry = Gantry::folder(folder.path());
    let order =
        r#"{"orderId":"A-1","amount_due":12.25,"lines":[{"sku":"x","quantity":7},{"sku":"y","quantity":0}]}"#;
    gantry.put("/orders/", order).is_json(200, order);
    gantry.put("/orders/", r#"{"orderId":"A-1","lines":[{"quantity":7}]}"#).fails(400, "GTY0422W");
}

#[test]
fn operations_and_components_are_named() {
    let folder = Folder::empty().with("api.json", OPENAPI);
    let of = |arguments: &[&str]| {
        let (code, copybook, errors) = make(&folder, &[&["--openapi", "@api.json"], arguments].concat());
        assert_eq!((code, errors.as_str()), (Some(0), ""));
        copybook
    };
    assert!(of(&["--component", "All"]).contains("01  XALL."));
    let request = of(&["--operation", "addAll", "--char-varying", "yes", "--default-char-maxlength", "9"]);
    assert!(request.contains("01  ADDALL.") && request.contains("name2-length"), "{request}");
    assert!(request.contains("made by Gantry from api.json, operation addAll"), "{request}");
    let response = of(&["--operation", "addAll", "--response", "--name", "RESP", "--rules", "gateway"]);
    assert!(response.contains("01  RESP.") && !response.contains("-num"), "{response}");
}

#[test]
fn faults_are_told_with_file_line_and_pointer() {
    let folder = Folder::empty()
        .with("bad.json", "{\"type\":\"object\",\"properties\":{\n\"a\":{},\n\"b\":{\"type\":7}}}");
    let (code, copybook, errors) = make(&folder, &["--schema", "@bad.json", "--out", "@x.cpy"]);
    assert_eq!((code, copybook.as_str()), (Some(1), ""));
    let file = text(&folder.path().join("bad.json")).to_owned();
    assert!(
        errors.starts_with(&format!("error: {file}:2:5: #/properties/a: expected a type, found none")),
        "{errors}"
    );
    assert!(
        errors.contains(&format!("error: {file}:3:13: #/properties/b/type: expected a type, found 7")),
        "{errors}"
    );
    assert!(errors.ends_with("errors in the schema\n"), "{errors}");
    assert!(!folder.path().join("x.cpy").exists());
}

#[test]
fn a_service_file_is_not_written_over_and_arguments_are_checked() {
    let folder = Folder::empty().with("order.json", SCHEMA).with("order.toml", "mine");
    let (code, copybook, errors) = make(&folder, &["--schema", "@order.json", "--service", "@order.toml"]);
    assert_eq!((code, copybook.as_str()), (Some(1), ""));
    assert!(errors.contains("order.toml is there already"), "{errors}");
    assert_eq!(std::fs::read_to_string(folder.path().join("order.toml")).expect("a file"), "mine");
    let (code, _, errors) = make(&folder, &["--schema", "@none.json"]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("none.json: No such file"), "{errors}");
    for wrong in [
        &["--request"][..],
        &["--openapi", "@order.json"],
        &["--schema", "@order.json", "--component", "A"],
        &["--schema", "@order.json", "--mapping-level", "9.9"],
        &["--schema", "@order.json", "--request", "--response"],
    ] {
        assert_eq!(make(&folder, wrong).0, Some(2), "{wrong:?}");
    }
}
