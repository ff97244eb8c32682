//! Schemas of single operations: their words, the end of references, and that they are as strict as the
//! contract.

use contract::{Contract, Definition, Options};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::random::case;
use crate::setting::{contract, document, only, with_body, wrong_in};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The schema of the body, and the definitions by name.
#[track_caller]
fn body(contract: &Contract) -> (Value, Value) {
    let request = contract.schema_reader().request(only(contract));
    (parsed(&request.body.expect("a body")), defined(&request.definitions))
}

fn defined(definitions: &[Definition]) -> Value {
    definitions.iter().map(|one| (one.name.clone(), parsed(&one.schema))).collect()
}

#[track_caller]
fn becomes(version: &str, (schema, components): (&str, &str), expected: &Value) {
    assert_eq!(body(&with_body(version, schema, components)), (expected.clone(), json!({})), "{schema}");
}

#[test]
fn references_become_what_they_refer_to() {
    let components = r##""Name": {"type": "string", "maxLength": 5}, "Both": {"$ref": "#/components/schemas/Name"},
        "Item": {"type": "object", "properties": {"name": {"$ref": "#/components/schemas/Both"}}}"##;
    let item = json!({"type": "object", "properties": {"name": {"type": "string", "maxLength": 5}}});
    becomes("3.0.3", (r##"{"$ref": "#/components/schemas/Item"}"##, components), &item);
    let list = r##"{"type": "array", "items": {"$ref": "#/components/schemas/Item"}}"##;
    becomes("3.1.0", (list, components), &json!({"type": "array", "items": item}));
    // What stands beside a reference counts since 3.1 alone.
    let beside = r##"{"type": "object", "properties": {"n": {"$ref": "#/components/schemas/Name", "description": "D"},
        "m": {"$ref": "#/components/schemas/Name", "minLength": 2}}}"##;
    let name = json!({"type": "string", "maxLength": 5});
    becomes("3.0.3", (beside, components), &json!({"type": "object", "properties": {"n": name, "m": name}}));
    let described = json!({"type": "string", "maxLength": 5, "description": "D"});
    let more = json!({"minLength": 2, "allOf": [name]});
    becomes(
        "3.1.0",
        (beside, components),
        &json!({"type": "object", "properties": {"n": described, "m": more}}),
    );
}

#[test]
fn words_of_older_versions_become_those_of_2020_12() {
    let old = r#"{"type": "number", "nullable": true, "minimum": 0, "exclusiveMinimum": true, "maximum": 9,
        "exclusiveMaximum": false, "example": 1.50, "xml": {"name": "n"}, "x-own": 1, "externalDocs": {"url": "u"}}"#;
    let new = json!({"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 9, "examples": [1.50]});
    becomes("3.0.3", (old, ""), &new);
    // Numbers stay as they are written.
    let contract = with_body("3.0.3", r#"{"maximum": 99999999999999999999.10}"#, "");
    let request = contract.schema_reader().request(only(&contract));
    assert_eq!(request.body.as_deref(), Some(r#"{"maximum":99999999999999999999.10}"#));
}

#[test]
fn what_clients_may_stumble_over_is_left_out() {
    let patterns = r#"{"type": "string", "pattern": "a\\-b"}"#;
    becomes("3.1.0", (patterns, ""), &json!({"type": "string"}));
    // Where less is said, nothing is refused that the contract allows.
    let odd = r#"{"pattern": "a\\-b"}"#;
    let turned = format!(
        r#"{{"not": {odd}, "if": {{"required": ["a"], "not": {odd}}}, "then": false, "contains": {odd}, "minItems": 1}}"#
    );
    becomes("3.1.0", (&turned, ""), &json!({"minItems": 1}));
    let one = format!(r#"{{"oneOf": [{odd}, {{"type": "integer"}}]}}"#);
    becomes("3.1.0", (&one, ""), &json!({"anyOf": [{}, {"type": "integer"}]}));
    let named = r#"{"type": "object", "patternProperties": {"^a\\-": true}, "additionalProperties": false}"#;
    becomes("3.1.0", (named, ""), &json!({"type": "object"}));
    let told = r##"{"oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}],
        "discriminator": {"propertyName": "kind"}}"##;
    let components = r#""A": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]},
        "B": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}"#;
    let one = json!({"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]});
    becomes("3.0.3", (told, components), &json!({"anyOf": [one, one]}));
}

#[test]
fn a_schema_within_itself_gets_a_name() {
    let tree = r##""Tree": {"type": "object", "properties": {"left": {"$ref": "#/components/schemas/Tree"},
        "list": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}"##;
    let contract = with_body("3.0.3", r##"{"$ref": "#/components/schemas/Tree"}"##, tree);
    let reference = json!({"$ref": "#/$defs/Tree"});
    let expected = json!({"type": "object", "properties": {
        "left": reference, "list": {"type": "array", "items": reference}}});
    assert_eq!(body(&contract), (expected.clone(), json!({ "Tree": expected })));
}

#[test]
fn two_that_contain_each_other_get_two_names() {
    let components = r##""A": {"type": "object", "properties": {"b": {"$ref": "#/components/schemas/B"}}},
        "B": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}},
        "x y": {"type": "array", "items": {"$ref": "#/components/schemas/x y"}}"##;
    let schema = r##"{"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"},
        "again": {"$ref": "#/components/schemas/A"}, "odd": {"$ref": "#/components/schemas/x y"}}}"##;
    let contract = with_body("3.0.3", schema, components);
    let (body, definitions) = body(&contract);
    assert_eq!(body["properties"]["a"]["properties"]["b"]["properties"]["a"], json!({"$ref": "#/$defs/A"}));
    assert_eq!(body["properties"]["again"], json!({"$ref": "#/$defs/A"}));
    assert_eq!(definitions["A"]["properties"]["b"]["properties"]["a"], json!({"$ref": "#/$defs/A"}));
    assert_eq!(definitions["x_y"], json!({"type": "array", "items": {"$ref": "#/$defs/x_y"}}));
}

#[test]
fn members_of_the_other_direction_are_not_told() {
    let thing = r##"{"type": "object", "required": ["id", "key"], "properties": {
        "id": {"$ref": "#/components/schemas/Id"}, "key": {"type": "string", "writeOnly": true}}}"##;
    let content = format!(r#""content": {{"application/json": {{"schema": {thing}}}}}"#);
    let contract = contract(&format!(
        r#"{{"openapi": "3.0.3", "info": {{"title": "T", "version": "1"}}, "paths": {{"/things": {{"post": {{
            "requestBody": {{{content}}},
            "responses": {{"200": {{"description": "d", {content}}}, "204": {{"description": "d"}},
                "5XX": {{"description": "d", "content": {{"text/plain": {{}}}}}}}}}}}}}},
            "components": {{"schemas": {{"Id": {{"type": "integer", "readOnly": true}}}}}}}}"#
    ));
    let (request, _) = body(&contract);
    assert_eq!(
        request,
        json!({"type": "object", "required": ["key"], "properties": {"key": {"type": "string", "writeOnly": true}}})
    );
    let reader = contract.schema_reader();
    let answers = reader.answers(only(&contract), &[200, 204, 503, 404]);
    let [Some(found), None, None, None] = answers.bodies.as_slice() else { panic!("{answers:?}") };
    assert_eq!(
        parsed(found),
        json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "integer", "readOnly": true}}})
    );
}

#[test]
fn parameters_have_their_schemas_in_every_version() {
    let three = r#""parameters": [{"name": "n", "in": "query", "description": "D", "schema": {"type": "integer", "minimum": 1}},
        {"name": "j", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}}],"#;
    let three = contract(&document("3.1.0", three, ""));
    let request = three.schema_reader().request(only(&three));
    assert_eq!(request.parameters, [r#"{"type":"integer","minimum":1}"#, r#"{"type":"object"}"#]);
    assert_eq!(request.body, None);
    let two = r##"{"swagger": "2.0", "info": {"title": "T", "version": "1"}, "paths": {"/things": {"post": {
        "parameters": [{"name": "n", "in": "query", "description": "D", "type": "integer", "x-nullable": true},
            {"name": "b", "in": "body", "required": true, "schema": {"$ref": "#/definitions/Thing"}}],
        "responses": {"200": {"description": "fine", "schema": {"$ref": "#/definitions/Thing"}}}}}},
        "definitions": {"Thing": {"type": "object", "discriminator": "kind",
            "properties": {"kind": {"type": "string"}, "next": {"$ref": "#/definitions/Thing"}}}}}"##;
    let two = contract(two);
    let request = two.schema_reader().request(only(&two));
    assert_eq!(request.parameters, [r#"{"type":["integer","null"]}"#]);
    let thing = json!({"type": "object", "properties": {"kind": {"type": "string"}, "next": {"$ref": "#/$defs/Thing"}}});
    assert_eq!(parsed(&request.body.expect("a body")), thing);
    assert_eq!(defined(&request.definitions), json!({ "Thing": thing }));
}

/// Schemas that each refer to the next one twice. With all of them in their places, there would be 2 to the
/// power of 30.
fn doubling(description: usize) -> Contract {
    let schemas: Vec<String> = (0..30)
        .map(|at| {
            let next = format!("{{\"$ref\": \"#/components/schemas/S{}\"}}", at + 1);
            let text = "d".repeat(description);
            format!(
                r#""S{at}": {{"type": "object", "description": "{text}", "properties": {{"a": {next}, "b": {next}}}}}"#
            )
        })
        .collect();
    let last = r#""S30": {"oneOf": [{"type": "string"}, {"type": "integer"}], "not": {"const": 3}}"#;
    let components = format!("{}, {last}", schemas.join(","));
    with_body("3.1.0", r##"{"$ref": "#/components/schemas/S0"}"##, &components)
}

#[test]
fn what_would_be_long_has_names() {
    let (body, definitions) = body(&doubling(1));
    assert_eq!(body["properties"]["a"], json!({"$ref": "#/$defs/S1"}));
    assert_eq!(definitions.as_object().map(serde_json::Map::len), Some(30));
    assert_eq!(definitions["S30"]["not"], json!({"const": 3}));
}

#[test]
fn what_is_too_long_says_its_type() {
    let contract = doubling(60_000);
    let request = contract.schema_reader().request(only(&contract));
    let definitions: usize = request.definitions.iter().map(|one| one.schema.len()).sum();
    let bytes = request.body.as_deref().map_or(0, str::len) + definitions;
    assert!((60_000..260_000).contains(&bytes), "{bytes}");
    let body = parsed(&request.body.expect("a body"));
    assert_eq!(body["properties"]["a"], json!({"$ref": "#/$defs/S1"}));
    let text = defined(&request.definitions).to_string();
    assert!(text.contains(r#"{"type":"object"}"#), "{}", &text[..200]);
    // Nothing that is wrong by the schema is right by the contract.
    assert!(!text.contains("\"not\"") && !text.contains("\"oneOf\""));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_schema_alone_judges_as_the_contract_does(case in case(), deep in any::<bool>()) {
        let components = format!("\"Case\": {}", case.schema);
        let schema = r##"{"type": "object", "properties": {"case": {"$ref": "#/components/schemas/Case"}}}"##;
        let named = with_body("3.1.0", schema, &components);
        let alone = if deep { named } else { with_body("3.1.0", &case.schema.to_string(), "") };
        let (body, definitions) = body(&alone);
        prop_assert_eq!(definitions, json!({}));
        let again = with_body("3.1.0", &body.to_string(), "");
        let wrong = |value: &Value| {
            let value = if deep { json!({ "case": value }) } else { value.clone() };
            wrong_in(&again, &value.to_string(), &Options::default())
        };
        prop_assert_eq!(wrong(&case.fits), Vec::<String>::new());
        prop_assert!(!wrong(&case.wrong).is_empty(), "{} fits", case.wrong);
    }
}
