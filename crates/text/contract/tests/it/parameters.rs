//! Parameters: from the text of a request to typed values.

use contract::{Contract, Options, RequestParts};
use expression::Value;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::setting::{contract, document, json, only, problems, texts};

struct Request<'a> {
    path: &'a [(&'a str, &'a str)],
    query: &'a str,
    headers: &'a [(&'static str, &'a [u8])],
}

const NOTHING: Request<'static> = Request { path: &[], query: "", headers: &[] };

/// All values that were read as one JSON text, or the violations.
fn read(contract: &Contract, request: &Request<'_>, options: &Options) -> Result<String, Vec<String>> {
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers {
        headers.append(HeaderName::from_static(name), HeaderValue::from_bytes(value).expect("a header"));
    }
    let parts = RequestParts { path: request.path, query: request.query, headers: &headers };
    let read =
        contract.parameters(only(contract), &parts, options).map_err(|violations| texts(&violations))?;
    let objects = [read.path, read.query, read.headers, read.cookies];
    Ok(objects.map(|object| json(&Value::Object(object))).join(" "))
}

fn with(parameters: &str) -> Contract {
    contract(&document("3.0.3", &format!(r#""parameters": [{parameters}],"#), ""))
}

fn query(contract: &Contract, query: &str) -> Result<String, Vec<String>> {
    let read = read(contract, &Request { query, ..NOTHING }, &Options::default());
    read.map(|text| text.split(' ').nth(1).unwrap_or_default().to_owned())
}

#[test]
fn texts_get_the_types_of_their_schemas() {
    let contract = with(
        r#"{"name": "n", "in": "query", "schema": {"type": "integer", "maximum": 100}},
           {"name": "d", "in": "query", "schema": {"type": "number"}},
           {"name": "b", "in": "query", "schema": {"type": "boolean"}},
           {"name": "s", "in": "query", "schema": {"type": "string", "maxLength": 5}},
           {"name": "e", "in": "query", "schema": {"enum": [1, 2]}},
           {"name": "u", "in": "query", "schema": {}}"#,
    );
    assert_eq!(
        query(&contract, "n=007&d=12345678901234567890.50&b=true&s=1+%2B1&e=2&u=5"),
        Ok(r#"{"n":7,"d":12345678901234567890.5,"b":true,"s":"1_+1","e":2,"u":"5"}"#.replace('_', " "))
            .map(|text: String| text.split(' ').next().unwrap_or_default().to_owned())
    );
    let wrong = |text: &str| query(&contract, text).expect_err("violations");
    assert_eq!(wrong("n=1.5"), ["WrongType query parameter n: expected integer, found 1.5"]);
    assert_eq!(wrong("n=x"), ["WrongType query parameter n: expected integer, found 'x'"]);
    assert_eq!(wrong("n=101"), ["OutOfRange query parameter n: expected at most 100, found 101"]);
    assert_eq!(wrong("b=TRUE"), ["WrongType query parameter b: expected boolean, found 'TRUE'"]);
    assert_eq!(wrong("s=abcdef"), ["TooLong query parameter s: expected at most 5 characters, found 6"]);
    assert_eq!(wrong("e=3"), ["NotListed query parameter e: expected one of 1, 2, found 3"]);
    assert_eq!(wrong("n="), ["WrongType query parameter n: expected integer, found ''"]);
}

#[test]
fn a_value_is_given_once() {
    let contract = with(
        r#"{"name": "s", "in": "query", "schema": {"type": "string"}},
           {"name": "x-h", "in": "header", "schema": {"type": "string"}},
           {"name": "c", "in": "cookie", "schema": {"type": "string"}}"#,
    );
    assert_eq!(
        query(&contract, "s=a&s=b").expect_err("repeated"),
        ["RepeatedParameter query parameter s: expected one value, found 2 of them"]
    );
    let headers: &[(&str, &[u8])] = &[("x-h", b"a"), ("x-h", b"b"), ("cookie", b"c=1; c=2")];
    assert_eq!(
        read(&contract, &Request { headers, ..NOTHING }, &Options::default()).expect_err("repeated"),
        [
            "RepeatedParameter header parameter x-h: expected one value, found 2 of them",
            "RepeatedParameter cookie parameter c: expected one value, found 2 of them",
        ]
    );
}

#[test]
fn required_and_default() {
    let contract = with(
        r#"{"name": "r", "in": "query", "required": true, "schema": {"type": "string"}},
           {"name": "d", "in": "query", "schema": {"type": "integer", "default": 10}},
           {"name": "e", "in": "query", "allowEmptyValue": true, "schema": {"type": "integer"}}"#,
    );
    assert_eq!(query(&contract, "r="), Ok(r#"{"r":"","d":10}"#.to_owned()));
    assert_eq!(query(&contract, "r=x&d=3&e"), Ok(r#"{"r":"x","d":3,"e":""}"#.to_owned()));
    assert_eq!(
        query(&contract, "d=3").expect_err("missing"),
        ["MissingParameter query parameter r: expected a value"]
    );
}

#[test]
fn arrays_in_all_styles() {
    let array = |name: &str, rest: &str| {
        format!(
            r#"{{"name": "{name}", "in": "query", {rest} "schema": {{"type": "array", "maxItems": 3, "items": {{"type": "integer"}}}}}}"#
        )
    };
    let contract = with(
        &[
            array("a", ""),
            array("b", r#""explode": false,"#),
            array("c", r#""style": "spaceDelimited", "explode": false,"#),
            array("d", r#""style": "pipeDelimited", "explode": false,"#),
        ]
        .join(","),
    );
    assert_eq!(
        query(&contract, "a=1&b=1,2&a=2&c=1%202+3&d=1|2%7C3"),
        Ok(r#"{"a":[1,2],"b":[1,2],"c":[1,2,3],"d":[1,2,3]}"#.to_owned())
    );
    assert_eq!(query(&contract, "b="), Ok(r#"{"b":[]}"#.to_owned()));
    assert_eq!(
        query(&contract, "b=1,x").expect_err("no integer"),
        ["WrongType query parameter b[1]: expected integer, found 'x'"]
    );
    assert_eq!(
        query(&contract, "a=1&a=2&a=3&a=4").expect_err("too many"),
        ["Elements query parameter a: expected at most 3 elements, found 4"]
    );
    assert_eq!(query(&contract, "b=1&b=2").expect_err("repeated").len(), 1);
}

#[test]
fn members_of_an_object_are_parameters_of_their_own() {
    let contract = with(
        r#"{"name": "f", "in": "query", "style": "deepObject", "schema": {"type": "object",
            "required": ["city"], "additionalProperties": {"type": "integer"}, "properties": {
            "city": {"type": "string"}, "size": {"type": "integer", "maximum": 9}, "on": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "integer"}}}}},
           {"name": "g", "in": "query", "style": "deepObject", "schema": {"type": "object", "default": {"a": 1}}}"#,
    );
    assert_eq!(
        query(&contract, "f[size]=3&f%5Bcity%5D=B%C3%B6nn&f[tags]=1&f[on]=true&f[tags]=2&f[x]=7&g[b]=5"),
        Ok(r#"{"f":{"size":3,"city":"Bönn","tags":[1,2],"on":true,"x":7},"g":{"b":"5"}}"#.to_owned())
    );
    // Other text is not a member by name, but another parameter.
    assert_eq!(query(&contract, "f=1&f[a][b]=2&ff[city]=3"), Ok(r#"{"g":{"a":1}}"#.to_owned()));
    for (text, expected) in [
        ("f[size]=3", "MissingField query parameter f: expected the member 'city', found none"),
        ("f[city]=a&f[size]=10", "OutOfRange query parameter f.size: expected at most 9, found 10"),
        ("f[city]=a&f[tags]=x", "WrongType query parameter f.tags[0]: expected integer, found 'x'"),
        (
            "f[city]=a&f[city]=b",
            "RepeatedParameter query parameter f[city]: expected one value, found 2 of them",
        ),
        (
            "f[city]=%f",
            "BadUrl query parameter f: expected two hexadecimal digits behind each '%', found '%f'",
        ),
    ] {
        assert_eq!(query(&contract, text).expect_err(text), [expected]);
    }
    let options = Options { unknown_query_refused: true, ..Options::default() };
    let request = Request { query: "f[city]=a&f[a][b]=1&f=2", ..NOTHING };
    assert_eq!(read(&contract, &request, &options).expect_err("unknown").len(), 2);
}

#[test]
fn paths_headers_and_cookies() {
    let text = document(
        "3.0.3",
        r#""parameters": [
            {"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}},
            {"name": "tags", "in": "path", "required": true, "schema": {"type": "array", "items": {"type": "string"}}},
            {"name": "X-List", "in": "header", "schema": {"type": "array", "items": {"type": "integer"}}},
            {"name": "X-Json", "in": "header", "content": {"application/json": {"schema": {"type": "object"}}}},
            {"name": "Authorization", "in": "header", "schema": {"type": "integer"}},
            {"name": "sid", "in": "cookie", "schema": {"type": "string"}}],"#,
        "",
    );
    let contract = contract(&text.replace("/things", "/things/{id}/{tags}"));
    let request = Request {
        path: &[("id", "0042"), ("tags", "a%2Cb,c+d")],
        query: "",
        headers: &[
            ("x-list", b"1, 2"),
            ("x-list", b"3"),
            ("x-json", b"{\"a\": 1}"),
            ("cookie", b"a=b; sid=x%20y"),
            ("authorization", b"Basic xyz"),
        ],
    };
    assert_eq!(
        read(&contract, &request, &Options::default()),
        Ok(r#"{"id":42,"tags":["a,b","c+d"]} {} {"X-List":[1,2,3],"X-Json":{"a":1}} {"sid":"x y"}"#
            .to_owned())
    );
    let bad = Request {
        path: &[("id", "%4"), ("tags", "%ff")],
        query: "",
        headers: &[("x-list", b"\xff"), ("x-json", b"{"), ("cookie", b"sid=%")],
    };
    let found = read(&contract, &bad, &Options::default()).expect_err("violations");
    let kinds: Vec<&str> = found.iter().map(|text| text.split(' ').next().unwrap_or_default()).collect();
    assert_eq!(kinds, ["BadUrl", "BadUrl", "BadUrl", "Syntax", "BadUrl"], "{found:?}");
    let missing = read(&contract, &NOTHING, &Options::default()).expect_err("violations");
    assert_eq!(
        missing,
        [
            "MissingParameter path parameter id: expected a value",
            "MissingParameter path parameter tags: expected a value",
        ]
    );
}

#[test]
fn unknown_query_parameters_are_refused_if_asked_for() {
    let contract = with(r#"{"name": "a", "in": "query", "schema": {"type": "string"}}"#);
    assert_eq!(query(&contract, "a=1&b=2"), Ok(r#"{"a":"1"}"#.to_owned()));
    let options = Options { unknown_query_refused: true, ..Options::default() };
    let found = read(&contract, &Request { query: "a=1&b=2", ..NOTHING }, &options);
    assert_eq!(
        found.expect_err("unknown"),
        ["UnknownParameter query parameter b: expected only parameters that the document has"]
    );
    let found = read(&contract, &Request { query: "%x=1", ..NOTHING }, &options).expect_err("a bad URL");
    assert!(found.iter().all(|text| text.starts_with("BadUrl")), "{found:?}");
}

#[test]
fn parameters_of_the_operation_hide_those_of_the_path() {
    let text = r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "components": {"parameters": {"Page": {"name": "page", "in": "query", "schema": {"type": "integer"}}}},
        "paths": {"/x": {
            "parameters": [{"$ref": "#/components/parameters/Page"}, {"name": "q", "in": "query", "schema": {"type": "string"}}],
            "get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "boolean"}}],
                "responses": {"200": {"description": "fine"}}}}}}"##;
    assert_eq!(query(&contract(text), "q=true&page=2"), Ok(r#"{"q":true,"page":2}"#.to_owned()));
}

#[test]
fn what_cannot_be_a_parameter_is_told() {
    let wrong = |parameter: &str| {
        problems(&document("3.0.3", &format!(r#""parameters": [{parameter}],"#), "")).join("\n")
    };
    for (parameter, expected) in [
        (r#"{"in": "query", "schema": {}}"#, "expected the member 'name'"),
        (r#"{"name": "a", "in": "body", "schema": {}}"#, "found 'body'"),
        (r#"{"name": "a", "in": "query"}"#, "expected a schema for the parameter 'a'"),
        (r#"{"name": "a", "in": "query", "schema": {"type": "object"}}"#, "an object needs 'content'"),
        (r#"{"name": "a", "in": "header", "style": "form", "schema": {"type": "string"}}"#, "found 'form'"),
        (r#"{"name": "a", "in": "query", "content": {"text/plain": {}}}"#, "expected application/json alone"),
        (r#"{"name": "a", "in": "path", "required": true, "schema": {}}"#, "expected '{a}' in '/things'"),
        (
            r#"{"name": "a", "in": "query", "schema": {}}, {"name": "a", "in": "query", "schema": {}}"#,
            "there twice",
        ),
    ] {
        assert!(wrong(parameter).contains(expected), "{parameter}: {}", wrong(parameter));
    }
}
