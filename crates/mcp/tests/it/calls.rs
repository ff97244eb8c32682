//! Arguments on their way into a request.

use api::Code;
use api::Source::{Header, Path, Query};
use http::Method;
use mcp::{Call, Tool};
use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::setting::{body, operation, tool};

/// `/shop/{id}/x{part}` with query `q` and `list`, header `X-Mode` and a body.
fn shop() -> Tool {
    let places = [(Path, "id"), (Path, "part"), (Query, "q&"), (Query, "list"), (Header, "X-Mode")];
    let mut described = operation(Method::PUT, "/shop/{id}/x{part}", &places);
    described.body = body(r#"{"type":"object"}"#);
    tool(&described)
}

fn call(arguments: &str) -> Call {
    shop().call(Some(arguments)).expect(arguments)
}

#[test]
fn each_argument_goes_to_its_place() {
    let call = call(
        r#"{"part":"a/b?c","id":12345678901234567890123.40,"q_":"1+1 = 2&x","list":["a",true,3],"X-Mode":"fäst","body":{"n": 0.10}}"#,
    );
    assert_eq!(call.method, Method::PUT);
    assert_eq!(
        call.target,
        "/shop/12345678901234567890123.40/xa%2Fb%3Fc?q%26=1%2B1%20%3D%202%26x&list=a&list=true&list=3"
    );
    let [(name, value)] = call.headers.as_slice() else { panic!("{:?}", call.headers) };
    assert_eq!((name.as_str(), value.as_bytes()), ("x-mode", "fäst".as_bytes()));
    assert_eq!(call.body, r#"{"n": 0.10}"#);
}

#[test]
fn what_is_not_given_is_not_sent() {
    for arguments in [r#"{"id":"1","part":"2"}"#, r#"{"id":"1","part":"2","q_":null,"X-Mode":null}"#] {
        let call = call(arguments);
        assert_eq!(call.target, "/shop/1/x2");
        assert!(call.headers.is_empty() && call.body.is_empty());
    }
    let get = tool(&operation(Method::GET, "/x", &[]));
    assert_eq!(get.call(None).expect("no arguments").target, "/x");
    assert_eq!(get.call(Some("{}")).expect("no arguments").target, "/x");
}

#[test]
fn a_body_is_taken_as_it_is_written() {
    for body in ["null", "[1]", "\"x\"", "{ \"a\" : 1e400 }"] {
        assert_eq!(call(&format!(r#"{{"id":1,"part":2,"body":{body}}}"#)).body, body);
    }
}

#[test]
fn wrong_arguments_are_failures_of_the_caller() {
    let cases = [
        (r#"{"id":"1","part":"2","more":1}"#, Code::UnknownField, "argument more"),
        (r#"{"id":"1"}"#, Code::MissingParameter, "argument part"),
        (r#"{"id":"1","part":null}"#, Code::MissingParameter, "argument part"),
        (r#"{"id":"","part":"2"}"#, Code::BadParameter, "must not be empty"),
        (r#"{"id":{"a":1},"part":"2"}"#, Code::BadParameter, "argument id: expected a text"),
        (r#"{"id":[1],"part":"2"}"#, Code::BadParameter, "argument id: expected a text"),
        (r#"{"id":"1","part":"2","list":[null]}"#, Code::BadParameter, "argument list: expected a text"),
        (r#"{"id":"\ud800","part":"2"}"#, Code::BadParameter, "argument id: a text with half"),
        (r#"{"id":"1","part":"2","X-Mode":"a\r\nb: c"}"#, Code::BadParameter, "argument X-Mode: a header"),
        (r#"{"id":"1","id":"2","part":"2"}"#, Code::DuplicateField, "argument id"),
        (r#"["id"]"#, Code::BadJson, "arguments: "),
        ("7", Code::BadJson, "arguments: "),
    ];
    for (arguments, code, details) in cases {
        let failure = shop().call(Some(arguments)).expect_err(arguments);
        assert_eq!(failure.code, code, "{arguments}");
        assert!(failure.details.as_deref().unwrap_or_default().contains(details), "{failure}");
    }
    let long = format!(r#"{{"id":"{}","part":"2"}}"#, "x".repeat(100_000));
    assert_eq!(shop().call(Some(&long)).expect_err("too long").code, Code::BadParameter);
}

proptest! {
    #[test]
    fn texts_arrive_whole(id in ".{1,20}", part in ".{1,20}", query in ".{0,20}") {
        let arguments = json!({ "id": id, "part": part, "q_": query }).to_string();
        let target = shop().call(Some(&arguments)).expect("a call").target;
        let decode = |text: &str| percent_decode_str(text).decode_utf8().expect("UTF-8").into_owned();
        let rest = target.path().strip_prefix("/shop/").expect("the path");
        let (first, second) = rest.split_once("/x").expect("two values");
        prop_assert_eq!((decode(first), decode(second)), (id, part));
        prop_assert_eq!(decode(target.query().and_then(|query| query.strip_prefix("q%26=")).expect("a query")), query);
    }

    #[test]
    fn numbers_arrive_as_they_are_written(digits in "-?[1-9][0-9]{0,40}(\\.[0-9]{1,20})?(e[+-]?[0-9]{1,4})?") {
        let call = shop().call(Some(&format!(r#"{{"id":{digits},"part":0,"body":{{"n":{digits}}}}}"#))).expect("a call");
        let path = percent_decode_str(call.target.path()).decode_utf8().expect("UTF-8").into_owned();
        prop_assert_eq!(path, format!("/shop/{digits}/x0"));
        prop_assert_eq!(call.body, format!(r#"{{"n":{digits}}}"#));
    }

    #[test]
    fn no_argument_is_more_than_a_value(id in any::<String>().prop_filter("not empty", |id| !id.is_empty())) {
        let target = shop().call(Some(&json!({ "id": id, "part": 1 }).to_string())).expect("a call").target;
        prop_assert_eq!(target.path().matches('/').count(), 3);
        prop_assert_eq!(target.query(), None);
    }

    #[test]
    fn any_text_is_a_call_or_a_failure(text in any::<String>()) {
        let was_object = serde_json::from_str::<Value>(&text).is_ok_and(|value| value.is_object());
        if shop().call(Some(&text)).is_ok() {
            prop_assert!(was_object);
        }
    }
}
