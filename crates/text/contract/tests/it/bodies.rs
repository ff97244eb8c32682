//! Bodies of requests and answers.

use contract::{Answer, Contract, Options};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::setting::{contract, document, json, only, texts, with_body, wrong_in};

#[test]
fn a_body_is_there_or_not() {
    let schema = r#""requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},"#;
    let optional = contract(&document("3.0.3", schema, ""));
    assert!(matches!(optional.body(only(&optional), b"", &Options::default()), Ok(None)));
    let needed = with_body("3.0.3", "{}", "");
    assert_eq!(wrong_in(&needed, "", &Options::default()), ["MissingBody expected a JSON body"]);
    let none = contract(&document("3.0.3", "", ""));
    assert!(matches!(none.body(only(&none), b"", &Options::default()), Ok(None)));
    assert_eq!(wrong_in(&none, "{}", &Options::default()), ["UnexpectedBody expected no body"]);
}

#[test]
fn what_is_no_json_is_told() {
    let contract = with_body("3.0.3", "{}", "");
    let kind = |body: &str| {
        let found = wrong_in(&contract, body, &Options { body_depth_max: 3, ..Options::default() });
        found.join("\n").split(' ').next().unwrap_or_default().to_owned()
    };
    assert_eq!(kind("{"), "Syntax");
    assert_eq!(kind("[1] 2"), "Syntax");
    assert_eq!(kind(r#"{"a":1,"a":2}"#), "DuplicateField");
    assert_eq!(kind("[[[[]]]]"), "TooDeep");
    assert_eq!(kind("[[[]]]"), "");
}

#[test]
fn numbers_pass_exactly() {
    let contract = with_body("3.0.3", r#"{"type": "object"}"#, "");
    let body = br#"{"z": 1234567890123456789012345678901.25, "a": 1.50}"#;
    let value = contract.body(only(&contract), body, &Options::default()).expect("a value").expect("a body");
    assert_eq!(json(&value), r#"{"z":1234567890123456789012345678901.25,"a":1.5}"#);
}

#[test]
fn defaults_are_filled_if_asked_for() {
    let components = r##""Base": {"type": "object", "properties": {"unit": {"type": "string", "default": "kg"}}},
        "Size": {"type": "string", "default": "M"}"##;
    let schema = r##"{"allOf": [{"$ref": "#/components/schemas/Base"}], "properties": {
        "count": {"type": "integer", "default": 1}, "size": {"$ref": "#/components/schemas/Size"},
        "id": {"readOnly": true, "default": "x"},
        "rows": {"type": "array", "items": {"properties": {"n": {"default": null}}}}}}"##;
    let contract = with_body("3.0.3", schema, components);
    let body = br#"{"count": 5, "rows": [{}, {"n": 1}]}"#;
    let read = |options: &Options| {
        json(&contract.body(only(&contract), body, options).expect("a value").expect("a body"))
    };
    assert_eq!(read(&Options::default()), r#"{"count":5,"rows":[{},{"n":1}]}"#);
    let options = Options { defaults_filled: true, ..Options::default() };
    assert_eq!(read(&options), r#"{"count":5,"rows":[{"n":null},{"n":1}],"size":"M","unit":"kg"}"#);
}

#[test]
fn members_of_the_other_direction() {
    let schema = r#"{"type": "object", "required": ["id", "secret"], "properties": {
        "id": {"type": "string", "readOnly": true}, "secret": {"type": "string", "writeOnly": true}}}"#;
    let contract = with_body("3.0.3", schema, "");
    assert_eq!(wrong_in(&contract, r#"{"secret": "x"}"#, &Options::default()), [""; 0]);
    assert_eq!(
        wrong_in(&contract, r#"{"secret": "x", "id": "1"}"#, &Options::default()),
        ["WrongDirection id: expected nothing in a request, since it is read only, found '1'"]
    );
    let allowed = Options { other_direction_allowed: true, ..Options::default() };
    assert_eq!(wrong_in(&contract, r#"{"secret": "x", "id": "1"}"#, &allowed), [""; 0]);
    assert_eq!(
        wrong_in(&contract, r#"{"id": "1"}"#, &allowed),
        ["MissingField expected the member 'secret', found none"]
    );
}

fn answers() -> Contract {
    contract(
        r#"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/x": {"get": {"responses": {
            "200": {"description": "fine", "headers": {
                "X-Count": {"required": true, "schema": {"type": "integer"}}, "X-Any": {}},
                "content": {"application/json": {"schema": {"type": "object", "required": ["a", "w"], "properties": {
                    "a": {"type": "string"}, "w": {"writeOnly": true}}}}}},
            "204": {"description": "nothing"},
            "4XX": {"description": "wrong", "content": {"application/problem+json": {"schema": {"type": "object"}}}},
            "503": {"description": "text", "content": {"text/plain": {}}}}}}}}"#,
    )
}

fn wrong_in_answer(status: u16, headers: &[(&'static str, &[u8])], body: &str) -> Vec<String> {
    let contract = answers();
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(HeaderName::from_static(name), HeaderValue::from_bytes(value).expect("a header"));
    }
    let status = StatusCode::from_u16(status).expect("a status");
    let answer = Answer { status, headers: &map, body: body.as_bytes() };
    contract
        .answer(only(&contract), &answer, &Options::default())
        .map_or_else(|wrong| texts(&wrong), |()| Vec::new())
}

#[test]
fn answers_are_judged() {
    let count: &[(&str, &[u8])] = &[("x-count", b"3")];
    assert_eq!(wrong_in_answer(200, count, r#"{"a": "x"}"#), [""; 0]);
    assert_eq!(wrong_in_answer(204, &[], ""), [""; 0]);
    assert_eq!(wrong_in_answer(404, &[], "{}"), [""; 0]);
    assert_eq!(wrong_in_answer(503, &[], "busy"), [""; 0]);
    assert_eq!(
        wrong_in_answer(200, &[], r#"{"a": 1, "w": 2}"#),
        [
            "Undocumented header X-Count: expected a value, found none",
            "WrongType a: expected string, found 1",
            "WrongDirection w: expected nothing in an answer, since it is write only, found 2",
        ]
    );
    assert_eq!(
        wrong_in_answer(200, &[("x-count", b"x")], r#"{"a": "x"}"#),
        ["WrongType header X-Count: expected integer, found 'x'"]
    );
    assert_eq!(
        wrong_in_answer(200, &[("x-count", b"\xff")], r#"{"a": "x"}"#),
        ["Undocumented header X-Count: expected text, found other bytes"]
    );
    assert_eq!(wrong_in_answer(200, count, ""), ["Undocumented expected a JSON body, found none"]);
    assert_eq!(wrong_in_answer(204, &[], "{}"), ["Undocumented expected no body, found one"]);
    assert_eq!(wrong_in_answer(500, &[], ""), ["Undocumented expected a documented status, found 500"]);
    assert!(wrong_in_answer(404, &[], "{")[0].starts_with("Syntax"));
}
