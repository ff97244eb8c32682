//! Schemas and bodies: accepted ones, and the messages for refused ones.

use contract::Options;

use crate::setting::{with_body, wrong_in};

/// A schema, a body, and the violations; none if it fits.
type Case = (&'static str, &'static str, &'static [&'static str]);

fn check(version: &str, components: &str, cases: &[Case]) {
    for (schema, body, expected) in cases {
        let contract = with_body(version, schema, components);
        let found = wrong_in(&contract, body, &Options::default());
        assert_eq!(found, *expected, "{schema}\n{body}");
    }
}

#[test]
fn types() {
    check(
        "3.1.0",
        "",
        &[
            (r#"{"type": "integer"}"#, "1.0", &[]),
            (r#"{"type": "integer"}"#, "1e2", &[]),
            (r#"{"type": "integer"}"#, "1.5", &["WrongType expected integer, found 1.5"]),
            (r#"{"type": "integer"}"#, "12345678901234567890123456789012345678901234567890", &[]),
            (r#"{"type": "number"}"#, r#""1""#, &["WrongType expected number, found '1'"]),
            (r#"{"type": ["string", "null"]}"#, "null", &[]),
            (r#"{"type": ["string", "null"]}"#, "true", &["WrongType expected null or string, found true"]),
            (r#"{"type": "array"}"#, "{}", &["WrongType expected array, found an object"]),
            (r#"{"type": "object"}"#, "[]", &["WrongType expected object, found an array"]),
            ("{}", "7", &[]),
            ("true", "7", &[]),
            ("false", "7", &["WrongType expected nothing here, found 7"]),
        ],
    );
}

#[test]
fn nullable_is_a_word_of_3_0_alone() {
    check(
        "3.0.3",
        "",
        &[
            (r#"{"type": "string", "nullable": true}"#, "null", &[]),
            (r#"{"type": "string"}"#, "null", &["WrongType expected string, found null"]),
            (
                r#"{"type": "string", "nullable": true, "enum": ["a"]}"#,
                "null",
                &["NotListed expected 'a', found null"],
            ),
        ],
    );
    check(
        "3.1.0",
        "",
        &[(r#"{"type": "string", "nullable": true}"#, "null", &["WrongType expected string, found null"])],
    );
}

#[test]
fn listed_values() {
    check(
        "3.1.0",
        "",
        &[
            (r#"{"enum": ["a", 1, null, [1], {"x": 1, "y": 2}]}"#, r#"{"y": 2.0, "x": 1}"#, &[]),
            (r#"{"enum": ["a", 1]}"#, "1.0", &[]),
            (r#"{"enum": ["a", 1]}"#, r#""b""#, &["NotListed expected one of 'a', 1, found 'b'"]),
            (r#"{"const": false}"#, "0", &["NotListed expected false, found 0"]),
            (r#"{"const": 1.00}"#, "1", &[]),
            (r#"{"const": 1, "enum": [2]}"#, "1", &["NotListed expected 2, found 1"]),
        ],
    );
}

#[test]
fn numbers() {
    check(
        "3.1.0",
        "",
        &[
            (r#"{"minimum": 1, "maximum": 2.5}"#, "2.5", &[]),
            (
                r#"{"minimum": 1}"#,
                "0.9999999999999999999999999999999999999999999999",
                &["OutOfRange expected at least 1, found 0.9999999999999999999999999999999999999999999999"],
            ),
            (
                r#"{"maximum": 9007199254740992}"#,
                "9007199254740993",
                &["OutOfRange expected at most 9007199254740992, found 9007199254740993"],
            ),
            (r#"{"exclusiveMinimum": 1}"#, "1", &["OutOfRange expected more than 1, found 1"]),
            (r#"{"exclusiveMaximum": 1}"#, "1", &["OutOfRange expected less than 1, found 1"]),
            (r#"{"multipleOf": 0.01}"#, "19.99", &[]),
            (r#"{"multipleOf": 0.01}"#, "19.999", &["OutOfRange expected a multiple of 0.01, found 19.999"]),
            (
                r#"{"type": "integer", "format": "int32"}"#,
                "2147483648",
                &["OutOfRange expected at most 2147483647, found 2147483648"],
            ),
            (
                r#"{"type": "integer", "format": "int64"}"#,
                "-9223372036854775809",
                &["OutOfRange expected at least -9223372036854775808, found -9223372036854775809"],
            ),
            (r#"{"type": "string", "format": "int64"}"#, r#""x""#, &[]),
        ],
    );
    check(
        "3.0.3",
        "",
        &[
            (
                r#"{"minimum": 1, "exclusiveMinimum": true}"#,
                "1",
                &["OutOfRange expected more than 1, found 1"],
            ),
            (r#"{"minimum": 1, "exclusiveMinimum": false}"#, "1", &[]),
            (
                r#"{"maximum": 1, "exclusiveMaximum": true}"#,
                "1",
                &["OutOfRange expected less than 1, found 1"],
            ),
        ],
    );
}

#[test]
fn texts() {
    check(
        "3.1.0",
        "",
        &[
            (r#"{"minLength": 2, "maxLength": 3}"#, r#""äöü""#, &[]),
            (
                r#"{"minLength": 2, "maxLength": 3}"#,
                r#""\ud83d\ude00""#,
                &["TooShort expected 2 to 3 characters, found 1"],
            ),
            (r#"{"maxLength": 3}"#, r#""abcd""#, &["TooLong expected at most 3 characters, found 4"]),
            (r#"{"minLength": 1}"#, r#""""#, &["TooShort expected at least 1 characters, found 0"]),
            (r#"{"minLength": 2}"#, "1", &[]),
            (r#"{"pattern": "^[A-Z]{2}$"}"#, r#""AB""#, &[]),
            (
                r#"{"pattern": "^[A-Z]{2}$"}"#,
                r#""ABC""#,
                &["Format expected text that fits the pattern ^[A-Z]{2}$, found 'ABC'"],
            ),
            (
                r#"{"format": "date"}"#,
                r#""2023-02-29""#,
                &["Format expected a date (2024-12-31), found '2023-02-29'"],
            ),
            (r#"{"format": "decimal"}"#, r#""x""#, &[]),
        ],
    );
}

#[test]
fn arrays() {
    check(
        "3.1.0",
        "",
        &[
            (
                r#"{"items": {"type": "integer"}}"#,
                r#"[1, "a", 3, null]"#,
                &[
                    "WrongType [1]: expected integer, found 'a'",
                    "WrongType [3]: expected integer, found null",
                ],
            ),
            (r#"{"minItems": 1, "maxItems": 2}"#, "[]", &["Elements expected 1 to 2 elements, found 0"]),
            (r#"{"minItems": 2, "maxItems": 2}"#, "[1]", &["Elements expected 2 elements, found 1"]),
            (
                r#"{"uniqueItems": true}"#,
                r#"[{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]"#,
                &[
                    "Elements expected expected elements that are all different, found element 1 a second time",
                ],
            ),
            (r#"{"uniqueItems": true}"#, r#"[1, true, "1", [1], {"a": 1}]"#, &[]),
            (
                r#"{"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}"#,
                r#"[1, 2, "x"]"#,
                &["WrongType [0]: expected string, found 1", "WrongType [2]: expected integer, found 'x'"],
            ),
            (
                r#"{"prefixItems": [{}], "items": false}"#,
                "[1, 2]",
                &["WrongType [1]: expected nothing here, found 2"],
            ),
            (r#"{"contains": {"const": 1}, "maxContains": 2}"#, "[1, 2, 1]", &[]),
            (
                r#"{"contains": {"const": 1}}"#,
                "[2]",
                &["Elements expected at least 1 elements of the kind that must be there, found 0"],
            ),
            (r#"{"contains": {"const": 1}, "minContains": 0}"#, "[2]", &[]),
        ],
    );
}

#[test]
fn objects() {
    check(
        "3.1.0",
        "",
        &[
            (
                r#"{"required": ["a", "b"], "properties": {"a": {"type": "string"}}}"#,
                r#"{"a": 1}"#,
                &[
                    "MissingField expected the member 'b', found none",
                    "WrongType a: expected string, found 1",
                ],
            ),
            (
                r#"{"properties": {"a": {"properties": {"b": {"items": {"type": "string"}}}}}}"#,
                r#"{"a": {"b": ["x", 2]}}"#,
                &["WrongType a.b[1]: expected string, found 2"],
            ),
            (
                r#"{"properties": {"a": {}}, "additionalProperties": false}"#,
                r#"{"a": 1, "b": 2}"#,
                &["UnknownField expected only members that the document has, found 'b'"],
            ),
            (
                r#"{"additionalProperties": {"type": "integer"}}"#,
                r#"{"a": 1, "b": "x"}"#,
                &["WrongType b: expected integer, found 'x'"],
            ),
            (
                r#"{"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}"#,
                r#"{"x-a": 1}"#,
                &["WrongType x-a: expected string, found 1"],
            ),
            (
                r#"{"propertyNames": {"maxLength": 2}}"#,
                r#"{"abc": 1}"#,
                &["TooLong abc: expected at most 2 characters, found 3"],
            ),
            (
                r#"{"minProperties": 1, "maxProperties": 2}"#,
                "{}",
                &["Members expected 1 to 2 members, found 0"],
            ),
            (
                r#"{"dependentRequired": {"a": ["b"]}}"#,
                r#"{"a": 1}"#,
                &["MissingField expected the member 'b', found none"],
            ),
            (
                r#"{"dependentSchemas": {"a": {"maxProperties": 1}}}"#,
                r#"{"a": 1, "b": 2}"#,
                &["Members expected at most 1 members, found 2"],
            ),
            (r#"{"dependentRequired": {"a": ["b"]}}"#, r#"{"c": 1}"#, &[]),
        ],
    );
}

#[test]
fn several_schemas() {
    check(
        "3.1.0",
        r##""Name": {"type": "string", "minLength": 1}"##,
        &[
            (
                r#"{"allOf": [{"minimum": 1}, {"maximum": 2}]}"#,
                "3",
                &["OutOfRange expected at most 2, found 3"],
            ),
            (
                r#"{"anyOf": [{"type": "string"}, {"type": "integer"}]}"#,
                "true",
                &["Alternatives expected a value that fits one of 2 alternatives, found true"],
            ),
            (
                r#"{"oneOf": [{"minimum": 1}, {"maximum": 2}]}"#,
                "1.5",
                &["Alternatives expected a value that fits only one of 2 alternatives, found 1.5"],
            ),
            (r#"{"oneOf": [{"minimum": 1}, {"maximum": 0}]}"#, "1", &[]),
            // If only one alternative is possible, its violations say most.
            (
                r##"{"anyOf": [{"$ref": "#/components/schemas/Name"}, {"type": "null"}]}"##,
                r#""""#,
                &["TooShort expected at least 1 characters, found 0"],
            ),
            (
                r#"{"not": {"type": "string"}}"#,
                r#""x""#,
                &["Alternatives expected a value of another kind than the one that is excluded, found 'x'"],
            ),
            (
                r#"{"if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"multipleOf": 2}}"#,
                "15",
                &["OutOfRange expected a multiple of 10, found 15"],
            ),
            (
                r#"{"if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"multipleOf": 2}}"#,
                "5",
                &["OutOfRange expected a multiple of 2, found 5"],
            ),
            // Beside a reference, other words count in 3.1.
            (
                r##"{"$ref": "#/components/schemas/Name", "maxLength": 2}"##,
                r#""abc""#,
                &["TooLong expected at most 2 characters, found 3"],
            ),
        ],
    );
    check(
        "3.0.3",
        r##""Name": {"type": "string", "minLength": 1}"##,
        &[(r##"{"$ref": "#/components/schemas/Name", "maxLength": 2}"##, r#""abc""#, &[])],
    );
}

#[test]
fn discriminators_choose() {
    let pets = r##""Cat": {"type": "object", "required": ["kind", "lives"], "properties": {"lives": {"type": "integer"}}},
        "Dog": {"type": "object", "properties": {"bark": {"type": "string"}}}"##;
    let pet = r##"{"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": {"c": "#/components/schemas/Cat"}}}"##;
    let contract = with_body("3.0.3", pet, pets);
    let wrong = |body: &str| wrong_in(&contract, body, &Options::default());
    // Both alternatives fit this one, but it says which it is.
    assert_eq!(wrong(r#"{"kind": "Cat", "lives": 9}"#), [""; 0]);
    assert_eq!(wrong(r#"{"kind": "c", "lives": "x"}"#), ["WrongType lives: expected integer, found 'x'"]);
    assert_eq!(wrong(r#"{"kind": "Dog", "bark": 1}"#), ["WrongType bark: expected string, found 1"]);
    assert_eq!(
        wrong(r#"{"kind": "Cow"}"#),
        ["NotListed kind: expected one of 'c', 'Cat', 'Dog', found 'Cow'"]
    );
    assert_eq!(
        wrong("{}"),
        ["MissingField expected the member 'kind', which tells the kind of object, found none"]
    );
    assert_eq!(wrong("1"), ["Alternatives expected a value that fits one of 2 alternatives, found 1"]);
}

#[test]
fn schemas_may_contain_themselves() {
    let tree = r##""Tree": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}"##;
    let contract = with_body("3.1.0", r##"{"$ref": "#/components/schemas/Tree"}"##, tree);
    let body = r#"{"name": "a", "children": [{"name": "b", "children": [{"name": 1}]}, {}]}"#;
    assert_eq!(
        wrong_in(&contract, body, &Options::default()),
        [
            "WrongType children[0].children[0].name: expected string, found 1",
            "MissingField children[1]: expected the member 'name', found none",
        ]
    );
}

#[test]
fn work_is_bounded() {
    // Each schema holds twice what the next one does: a million judgements of one value.
    let mut components = String::new();
    for level in 0..20 {
        let next = format!(r##"{{"$ref": "#/components/schemas/L{}"}}"##, level + 1);
        components.push_str(&format!(r#""L{level}": {{"allOf": [{next}, {next}]}},"#));
    }
    components.push_str(r#""L20": {"type": "integer"}"#);
    let contract = with_body("3.1.0", r##"{"$ref": "#/components/schemas/L0"}"##, &components);
    let options = Options { step_count_max: 10_000, ..Options::default() };
    assert_eq!(
        wrong_in(&contract, "1", &options),
        ["TooComplex expected a value that is judged in 10000 steps"]
    );

    let mut chain = String::new();
    for level in 0..300 {
        chain.push_str(&format!(
            r##""L{level}": {{"allOf": [{{"$ref": "#/components/schemas/L{}"}}]}},"##,
            level + 1
        ));
    }
    chain.push_str(r#""L300": {"type": "integer"}"#);
    let contract = with_body("3.1.0", r##"{"$ref": "#/components/schemas/L0"}"##, &chain);
    let found = wrong_in(&contract, "1", &Options::default());
    assert_eq!(found, ["TooComplex expected a value that is judged by 256 schemas in each other"]);
    let not = with_body("3.1.0", r##"{"not": {"$ref": "#/components/schemas/L0"}}"##, &chain);
    let found = wrong_in(&not, "1", &Options::default());
    assert_eq!(found, ["TooComplex expected a value that is judged by 256 schemas in each other"]);
}

#[test]
fn violations_are_of_one_line_and_short() {
    let contract = with_body("3.1.0", r#"{"additionalProperties": {"const": "a\tb"}}"#, "");
    let body = format!(r#"{{"x\ny": "{}\r\n"}}"#, "z".repeat(70));
    let expected = format!("NotListed x\\ny: expected 'a\\tb', found '{}...'", "z".repeat(60));
    assert_eq!(wrong_in(&contract, &body, &Options::default()), [expected]);
}

#[test]
fn violations_end_at_the_limit() {
    let contract = with_body("3.1.0", r#"{"items": {"type": "integer"}}"#, "");
    let body = format!("[{}]", vec!["null"; 100].join(","));
    assert_eq!(wrong_in(&contract, &body, &Options::default()).len(), 10);
    let one = Options { violation_count_max: 1, ..Options::default() };
    assert_eq!(wrong_in(&contract, &body, &one), ["WrongType [0]: expected integer, found null"]);
}
