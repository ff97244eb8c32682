//! Refusals, with their places and texts; several faults at once.

use assistant::{Diagnostic, Enums, MappingLevel, Options, Severity, Side, Source, VaryingArrays, from_json};

fn refused(text: &str, options: &Options) -> Vec<Diagnostic> {
    let found = from_json(text, &Source::Schema, options).expect_err(text);
    assert!(found.iter().any(|finding| finding.severity == Severity::Error), "{found:?}");
    found
}

fn in_member(property: &str) -> String {
    format!(r#"{{"type":"object","required":["it"],"properties":{{"it":{property}}}}}"#)
}

#[test]
fn faults_of_members_are_told_with_pointer_and_reason() {
    let options = Options { varying_arrays: VaryingArrays::DependingOn, ..Options::assistant("R") };
    for (property, pointer, words) in [
        (r#"{}"#, "", "expected a type, found none"),
        (r#"true"#, "", "expected a type"),
        (r#"false"#, "", "expected a schema, found false"),
        (r#"7"#, "", "expected a schema, found 7"),
        (r#"{"type":"text"}"#, "/type", "found the text 'text'"),
        (r#"{"type":[]}"#, "/type", "expected a type"),
        (r#"{"type":"null"}"#, "", "always null"),
        (r#"{"type":["string","integer"]}"#, "", "expected one type, found string, integer"),
        (r#"{"allOf":[{"type":"string"},{"type":"integer"}]}"#, "", "no type in common"),
        (r#"{"oneOf":[{"type":"string"},{"type":"integer"}]}"#, "/oneOf", "2 to choose from"),
        (r#"{"type":"object"}"#, "", "without any"),
        (r#"{"type":"object","additionalProperties":{"type":"string"}}"#, "/additionalProperties", "names"),
        (r#"{"type":"array"}"#, "", "expected the schema of the elements"),
        (r#"{"type":"array","items":{"type":"string"}}"#, "", "greatest number of elements"),
        (r#"{"type":"array","maxItems":0,"items":{"type":"string"}}"#, "", "room for an element"),
        (r#"{"type":"array","minItems":3,"maxItems":2,"items":{"type":"string"}}"#, "", "found 3 to 2"),
        (r#"{"type":"array","prefixItems":[{"type":"string"}]}"#, "/prefixItems", "position"),
        (r#"{"type":"array","items":[{"type":"string"}]}"#, "/items", "position"),
        (r#"{"type":"array","maxItems":20000000,"items":{"type":"string"}}"#, "", "rows, found 20000000"),
        (r#"{"type":"array","maxItems":9000000,"items":{"type":"string"}}"#, "", "bytes, found"),
        (r#"{"type":"string","maxLength":-1}"#, "/maxLength", "found -1"),
        (r#"{"type":"string","maxLength":0}"#, "", "room for a character"),
        (r#"{"type":"string","maxLength":40000}"#, "", "at most 32767 characters, found 40000"),
        (r#"{"type":"string","enum":[1]}"#, "", "that is text"),
        (r#"{"type":"integer","enum":[1.5]}"#, "", "such a number"),
        (r#"{"type":"integer","minimum":"1"}"#, "/minimum", "expected a number"),
        (r#"{"type":"integer","minimum":5,"maximum":4}"#, "", "from 5 to 4"),
        (r#"{"type":"integer","maximum":1e30}"#, "", "18 digits, found 31"),
        (r#"{"type":"number","multipleOf":1e-20}"#, "", "18 digits, found 21"),
        (r#"{"$ref":"other.json"}"#, "/$ref", "another document"),
        (r##"{"$ref":"#/$defs/none"}"##, "/$ref", "leads to nothing"),
        (r##"{"$ref":"#nowhere"}"##, "/$ref", "leads to nothing"),
        (r##"{"$ref":"#/%zz"}"##, "/$ref", "escapes"),
        (r#"{"$ref":1}"#, "/$ref", "expected a reference"),
    ] {
        let found = refused(&in_member(property), &options);
        let expected = format!("#/properties/it{pointer}");
        let hit = found.iter().find(|finding| finding.pointer == expected && finding.message.contains(words));
        assert!(hit.is_some(), "{property}: {found:#?}");
        assert_eq!(hit.map(|finding| finding.line), Some(1));
    }
}

#[test]
fn a_schema_that_contains_itself_is_refused_with_its_circle() {
    let schema = r##"{
      "type": "object",
      "properties": { "root": { "$ref": "#/$defs/node" } },
      "$defs": { "node": { "type": "object", "properties": {
        "name": { "type": "string" },
        "children": { "type": "array", "maxItems": 3, "items": { "$ref": "#/$defs/node" } } } } }
    }"##;
    let found = refused(schema, &Options::assistant("R"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "the schema contains itself: #/$defs/node -> #/$defs/node");
    assert_eq!((found[0].line, found[0].column), (6, 74));
    for circle in [r##"{"$ref":"#"}"##, r##"{"allOf":[{"$ref":"#/allOf/0"}]}"##] {
        assert!(refused(circle, &Options::assistant("R"))[0].message.contains("contains itself"), "{circle}");
    }
}

#[test]
fn all_faults_are_told_at_once_in_order() {
    let schema = "{\"type\":\"object\",\"properties\":{\n\"a\":{},\n\"b\":{\"type\":\"x\"},\n\"c\":{\"type\":\"array\"}}}";
    let lines: Vec<usize> =
        refused(schema, &Options::assistant("R")).iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [2, 3, 3, 4]);
}

#[test]
fn the_whole_must_be_an_object_in_json() {
    for (text, words) in [
        ("", "expected JSON"),
        ("{", "expected JSON"),
        ("type: object", "expected JSON"),
        (r#"{"type":"string"}"#, "expected an object"),
        (r#"{"type":"array","items":{"type":"string"}}"#, "expected an object"),
        (r#"{"openapi":"3.0.0"}"#, "found an OpenAPI document"),
        (r#"{"type":"object","type":"object"}"#, "twice"),
    ] {
        let found = refused(text, &Options::assistant("R"));
        assert!(found[0].message.contains(words), "{text}: {found:?}");
    }
}

#[test]
fn limits_hold() {
    let mut deep = r#"{"type":"string"}"#.to_owned();
    for _ in 0..17 {
        deep = in_member(&deep);
    }
    assert!(refused(&deep, &Options::assistant("R"))[0].message.contains("16 levels"));
    // Ten references to a schema with ten references to ... would be ten thousand million fields.
    let level = |at: usize| {
        let members: Vec<String> =
            (0..10).map(|name| format!(r##""{name}":{{"$ref":"#/$defs/l{}"}}"##, at + 1)).collect();
        format!(r#""l{at}":{{"type":"object","properties":{{{}}}}}"#, members.join(","))
    };
    let levels: Vec<String> = (0..10).map(level).collect();
    let bomb =
        format!(r##"{{"$ref":"#/$defs/l0","$defs":{{{},"l10":{{"type":"boolean"}}}}}}"##, levels.join(","));
    assert!(refused(&bomb, &Options::assistant("R"))[0].message.contains("10000 values"));
    let chain: Vec<String> =
        (0..300).map(|at| format!(r##""c{at}":{{"$ref":"#/$defs/c{}"}}"##, at + 1)).collect();
    let chain = format!(r##"{{"$ref":"#/$defs/c0","$defs":{{{}}}}}"##, chain.join(","));
    assert!(refused(&chain, &Options::assistant("R"))[0].message.contains("200 references"));
    let long = "x".repeat(100_000);
    let members: Vec<String> = (0..50).map(|at| format!(r##""m{at}":{{"$ref":"#/$defs/t"}}"##)).collect();
    let texts = format!(
        r##"{{"type":"object","properties":{{{}}},"$defs":{{"t":{{"type":"string","description":"{long}"}}}}}}"##,
        members.join(",")
    );
    assert!(refused(&texts, &Options::assistant("R"))[0].message.contains("bytes of names"));
    let values: Vec<String> = (0..45_000).map(|value| value.to_string()).collect();
    let values = in_member(&format!(r#"{{"enum":[{}]}}"#, values.join(",")));
    let conditions = Options { enums: Enums::Conditions, ..Options::assistant("R") };
    assert!(refused(&values, &conditions)[0].message.contains("at most 40000 entries, found 45001"));
    let level = Options { mapping_level: MappingLevel::V4_2, ..Options::assistant("R") };
    let matrix = r#"{"type":"array","minItems":2,"maxItems":2,"items":
        {"type":"array","minItems":2,"maxItems":2,"items":{"type":"string"}}}"#;
    assert!(refused(&in_member(matrix), &level)[0].message.contains("mapping level 4.3"));
}

#[test]
fn what_an_openapi_document_does_not_have_is_told_with_what_it_has() {
    let document = r#"{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":"getA","responses":{
        "404":{"description":"."},"200":{"content":{"text/plain":{}}}}}}},
        "components":{"schemas":{"A":{"type":"string"}}}}"#;
    let operation = |id: &str, side, status: Option<&str>| Source::Operation {
        id: id.to_owned(),
        side,
        status: status.map(str::to_owned),
    };
    for (source, words) in [
        (Source::Component("B".to_owned()), "expected the component 'B', found A"),
        (operation("getB", Side::Request, None), "expected the operation 'getB', found getA"),
        (operation("getA", Side::Request, None), "expected a request body, found none"),
        (operation("getA", Side::Response, None), "expected application/json, found text/plain"),
        (operation("getA", Side::Response, Some("201")), "expected a response 201, found 404, 200"),
    ] {
        let found = from_json(document, &source, &Options::assistant("R")).expect_err("refused");
        assert_eq!(found[0].message, words);
    }
    for (document, words) in [
        (r#"{"swagger":"2.0"}"#, "found Swagger 2.0"),
        (r#"{"openapi":"4.0"}"#, "found version 4.0"),
        (r#"{"type":"object"}"#, "found no member 'openapi'"),
    ] {
        let source = Source::Component("A".to_owned());
        let found = from_json(document, &source, &Options::assistant("R")).expect_err("refused");
        assert!(found[0].message.contains(words), "{found:?}");
    }
}
