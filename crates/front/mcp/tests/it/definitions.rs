//! The definition of a tool, as a client reads it.

use api::Definition;
use api::Source::{Header, Path, Query};
use http::Method;
use mcp::{Presentation, Tool};
use serde_json::json;

use crate::setting::{body, definition, operation, parameter, tool};

#[test]
fn parameters_and_body_are_the_input() {
    let mut described = operation(Method::PUT, "/shop/{id}", &[(Path, "id"), (Header, "X-Mode")]);
    described.parameters.push(parameter(Query, "count", r#"{"type":"integer","minimum":1}"#));
    described.parameters[1].description = Some("How.".to_owned());
    described.body = body(r#"{"type":"object","properties":{"price":{"type":"number"}}}"#);
    let definition = definition(&tool(&described));
    let expected = json!({
        "type": "object",
        "properties": {
            "id": { "type": "string" },
            "X-Mode": { "type": "string", "description": "How." },
            "count": { "type": "integer", "minimum": 1 },
            "body": { "type": "object", "properties": { "price": { "type": "number" } } },
        },
        "required": ["id", "body"],
        "additionalProperties": false,
    });
    assert_eq!(definition["inputSchema"], expected);
    assert_eq!(definition["name"], "it");
    assert_eq!(definition["description"], "PUT /shop/{id}");
    assert_eq!(definition.get("outputSchema"), None);
}

#[test]
fn one_name_in_several_places_is_several_arguments() {
    let places = [(Path, "id"), (Query, "id"), (Header, "body"), (Query, "$a"), (Query, "_a")];
    let mut described = operation(Method::POST, "/x/{id}", &places);
    described.body = body(r#"{"type":"object"}"#);
    let definition = definition(&tool(&described));
    let mut names: Vec<&String> =
        definition["inputSchema"]["properties"].as_object().expect("an object").keys().collect();
    names.sort();
    assert_eq!(names, ["_a", "_a_2", "body", "body_2", "path_id", "query_id"]);
}

#[test]
fn who_calls_is_no_argument() {
    let described = operation(Method::GET, "/x", &[(Header, "Authorization"), (Header, "X-Other")]);
    let tool = tool(&described);
    let properties = &definition(&tool)["inputSchema"]["properties"];
    assert_eq!(*properties, json!({ "X-Other": { "type": "string" } }));
    assert_eq!(tool.headers().collect::<Vec<_>>(), ["x-other"]);
}

#[test]
fn texts_come_from_the_operation_unless_somebody_chose_others() {
    let mut described = operation(Method::GET, "/x", &[]);
    described.summary = Some("Short".to_owned());
    let texts = |described: &api::OperationDescription, own: Option<&str>| {
        let presentation = Presentation { description: own.map(str::to_owned), ..Presentation::default() };
        let definition = definition(&Tool::new(described, &presentation, &[]));
        (definition["title"].clone(), definition["description"].clone())
    };
    assert_eq!(texts(&described, None), (json!("Short"), json!("Short")));
    described.description = Some("Long \"text\"".to_owned());
    assert_eq!(texts(&described, None), (json!("Short"), json!("Long \"text\"")));
    assert_eq!(texts(&described, Some("Own")), (json!("Short"), json!("Own")));
}

#[test]
fn hints_follow_from_the_method() {
    let hints = |method: Method, read_only: Option<bool>| {
        let presentation = Presentation { read_only, ..Presentation::default() };
        let hints = &definition(&Tool::new(&operation(method, "/x", &[]), &presentation, &[]))["annotations"];
        let hint = |name: &str| hints[name].as_bool().expect(name);
        assert!(!hint("openWorldHint"));
        (hint("readOnlyHint"), hint("destructiveHint"), hint("idempotentHint"))
    };
    assert_eq!(hints(Method::GET, None), (true, false, true));
    assert_eq!(hints(Method::POST, None), (false, true, false));
    assert_eq!(hints(Method::PATCH, None), (false, true, false));
    assert_eq!(hints(Method::PUT, None), (false, true, true));
    assert_eq!(hints(Method::DELETE, None), (false, true, true));
    assert_eq!(hints(Method::POST, Some(true)), (true, false, true));
    assert_eq!(hints(Method::GET, Some(false)), (false, true, false));
}

#[test]
fn several_answers_are_one_output() {
    let mut described = operation(Method::GET, "/x", &[]);
    let output = |answers: &[&str]| {
        described.answers = answers.iter().map(|answer| Some((*answer).to_owned())).collect();
        definition(&tool(&described)).get("outputSchema").cloned()
    };
    let mut output = output;
    assert_eq!(output(&[r#"{"type":"object"}"#]), Some(json!({ "type": "object" })));
    let both = output(&[r#"{"type":"object","required":["a"]}"#, r#"{"type":"object"}"#]);
    let any = json!([{ "type": "object", "required": ["a"] }, { "type": "object" }]);
    assert_eq!(both, Some(json!({ "type": "object", "anyOf": any })));
    assert_eq!(output(&[r#"{"type":"array"}"#]), None);
    assert_eq!(output(&[r#"{"type":"object"}"#, r#"{"type":"string"}"#]), None);
}

/// Clients check 19.99 against 0.01 with floating point, and refuse it.
#[test]
fn multiple_of_is_left_out_where_it_is_a_keyword() {
    let schema = r#"{"type":"object","properties":{"multipleOf":{"type":"number","multipleOf":0.01},
        "rows":{"type":"array","items":{"anyOf":[{"multipleOf":0.1,"maximum":9999999999999999999999999999999.99}]}}},
        "enum":[{"multipleOf":1}]}"#;
    let mut described = operation(Method::POST, "/x", &[]);
    described.body = body(schema);
    let tool = tool(&described);
    let expected = r#""body":{"type":"object","properties":{"multipleOf":{"type":"number"},"rows":{"type":"array","items":{"anyOf":[{"maximum":9999999999999999999999999999999.99}]}}},"enum":[{"multipleOf":1}]}"#;
    assert!(tool.definition().contains(expected), "{}", tool.definition());
}

#[test]
fn nothing_gets_stricter_by_what_is_left_out() {
    let mut described = operation(Method::POST, "/x", &[]);
    described.body = body(r#"{"not":{"multipleOf":5},"oneOf":[{"multipleOf":3},{"type":"string"}]}"#);
    let schema = definition(&tool(&described))["inputSchema"]["properties"]["body"].clone();
    assert_eq!(schema, json!({ "not": { "multipleOf": 5 }, "anyOf": [{}, { "type": "string" }] }));
}

fn tree() -> Vec<Definition> {
    let schema =
        r##"{"type":"object","properties":{"left":{"$ref":"#/$defs/Tree"},"price":{"multipleOf":0.01}}}"##;
    vec![Definition { name: "Tree".to_owned(), schema: schema.to_owned() }]
}

#[test]
fn definitions_stand_at_the_top_of_what_refers_to_them() {
    let mut described = operation(Method::PUT, "/x", &[]);
    described.body = body(r##"{"$ref":"#/$defs/Tree"}"##);
    described.definitions = tree();
    described.answers = vec![Some(r##"{"$ref":"#/$defs/Tree","description":"D"}"##.to_owned())];
    described.answer_definitions = tree();
    let definition = definition(&tool(&described));
    let tree = json!({ "Tree": {
        "type": "object", "properties": { "left": { "$ref": "#/$defs/Tree" }, "price": {} } } });
    assert_eq!(definition["inputSchema"]["$defs"], tree);
    assert_eq!(definition["inputSchema"]["properties"]["body"], json!({ "$ref": "#/$defs/Tree" }));
    let output = json!({ "type": "object", "$ref": "#/$defs/Tree", "description": "D", "$defs": tree });
    assert_eq!(definition["outputSchema"], output);
}

#[test]
fn an_output_is_told_if_only_objects_fit_it() {
    let told = |answers: &[Option<&str>]| {
        let mut described = operation(Method::GET, "/x", &[]);
        described.answers = answers.iter().map(|answer| answer.map(str::to_owned)).collect();
        described.answer_definitions = tree();
        definition(&tool(&described)).get("outputSchema").is_some()
    };
    let object = r#"{"type":"object"}"#;
    for schema in [
        r##"{"$ref":"#/$defs/Tree"}"##,
        r#"{"allOf":[{"description":"x"},{"type":"object"}]}"#,
        r#"{"anyOf":[{"type":"object"},{"allOf":[{"type":"object"}]}]}"#,
        r#"{"oneOf":[{"type":"object"}]}"#,
    ] {
        assert!(told(&[Some(schema)]), "{schema}");
    }
    for schema in [
        "{}",
        "true",
        r#"{"type":["object","null"]}"#,
        r#"{"anyOf":[{"type":"object"},{}]}"#,
        r#"{"anyOf":[]}"#,
        r##"{"$ref":"#/$defs/Bush"}"##,
    ] {
        assert!(!told(&[Some(schema)]), "{schema}");
    }
    // Whoever is told a schema expects a value.
    assert!(!told(&[Some(object), None]));
    assert!(!told(&[]));
}
