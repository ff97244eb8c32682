//! Arguments on their way into a request.

use api::Source::{Header, Path, Query};
use api::Style;
use failure::Code;
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

/// `/x/{p}` with query `q` and header `h`, all in one style.
fn styled(style: Style) -> Tool {
    let mut described = operation(Method::GET, "/x/{p}", &[(Path, "p"), (Query, "q"), (Header, "h")]);
    for parameter in &mut described.parameters {
        parameter.style = style;
    }
    tool(&described)
}

#[test]
fn lists_are_written_as_their_parameter_says() {
    let call = |style: Style, list: &str| {
        let call = styled(style).call(Some(&format!(r#"{{"p":{list},"q":{list},"h":{list}}}"#))).expect(list);
        let header = String::from_utf8(call.headers[0].1.as_bytes().to_vec()).expect("UTF-8");
        (call.target.to_string(), header)
    };
    let list = r#"[1.50, true, "a b"]"#;
    let (target, header) = call(Style::Separated(b','), list);
    assert_eq!((target.as_str(), header.as_str()), ("/x/1.50,true,a%20b?q=1.50,true,a%20b", "1.50,true,a b"));
    let (target, header) = call(Style::Separated(b'|'), list);
    assert_eq!(
        (target.as_str(), header.as_str()),
        ("/x/1.50%7Ctrue%7Ca%20b?q=1.50%7Ctrue%7Ca%20b", "1.50|true|a b")
    );
    let (target, header) = call(Style::Json, r#"{"n" : 1.50}"#);
    let json = "%7B%22n%22%20%3A%201.50%7D";
    assert_eq!(
        (target.as_str(), header.as_str()),
        (format!("/x/{json}?q={json}").as_str(), r#"{"n" : 1.50}"#)
    );
    assert_eq!(call(Style::Json, "[1,\n2]").1, "[1, 2]");
    // A value that is not a list is one value.
    assert_eq!(call(Style::Separated(b','), "7").0, "/x/7?q=7");
    let repeated = styled(Style::Repeated).call(Some(r#"{"p":"a","q":[1,"2"]}"#)).expect("a call");
    assert_eq!(repeated.target, "/x/a?q=1&q=2");
    let empty = styled(Style::Separated(b',')).call(Some(r#"{"p":"a","q":[]}"#)).expect("a call");
    assert_eq!(empty.target, "/x/a?q=");
}

#[test]
fn lists_that_would_be_others_are_refused() {
    let refused = |style: Style, arguments: &str| {
        let failure = styled(style).call(Some(arguments)).expect_err(arguments);
        assert_eq!(failure.code, Code::BadParameter);
        failure.details.expect("details")
    };
    let details = refused(Style::Separated(b','), r#"{"p":"a","h":["b,c"]}"#);
    assert_eq!(details, "argument h: an element must not contain the separator ','");
    assert!(
        refused(Style::Separated(b'|'), r#"{"p":"a","q":["b|c"]}"#)
            .contains("must not contain the separator '|'")
    );
    assert!(refused(Style::Separated(b','), r#"{"p":"a","q":[""]}"#).contains("an empty list"));
    assert!(refused(Style::Separated(b','), r#"{"p":[]}"#).contains("must not be empty"));
    assert!(refused(Style::Separated(b','), r#"{"p":[[1]]}"#).contains("expected a text, a number"));
    // A comma in an element of a URL is no separator.
    let call = styled(Style::Separated(b',')).call(Some(r#"{"p":["a,b","c"]}"#)).expect("a call");
    assert_eq!(call.target, "/x/a%2Cb,c");
}
