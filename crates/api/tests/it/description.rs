//! An operation as plain data.

use api::{BodyDescription, RequestSpec, ResponseSpec, Source, WhenSpec};
use http::Method;

use crate::setting::{compile, operation, step};

#[test]
fn parameters_body_and_answers() {
    let mut put = operation(Method::PUT, "/{a}");
    put.summary = Some("Short".to_owned());
    put.description = Some("Long".to_owned());
    let missing = ResponseSpec { status: "404".into(), ..ResponseSpec::default() };
    let when = WhenSpec {
        rules: vec![api::RuleSpec {
            field: "FIRST-TEXT".into(),
            comparison: api::Comparison::of("=").expect("a comparison"),
            value: "x".to_owned(),
        }],
        all: true,
    };
    put.responses = vec![ResponseSpec { when: Some(when), ..missing }];
    let mut get = operation(Method::GET, "/");
    let mut optional = step(Source::Query, "q", "SECOND-TEXT");
    optional.required = false;
    optional.description = Some("Which.".to_owned());
    let header = step(Source::Header, "X-First", "FIRST-TEXT");
    get.request = RequestSpec { moves: vec![optional, header], ..RequestSpec::default() };
    // All fields have values from elsewhere: there is nothing to say in a body.
    let full = operation(Method::POST, "/{a}/{b}");
    let api = compile("notes", "/notes", vec![put, get, full]).expect("an API");
    let [put, get, full] = api.operations() else { panic!("three operations") };

    let put = put.describe().expect("it is mapped");
    assert_eq!((put.method, put.path.as_str(), put.id.as_str()), (Method::PUT, "/notes/{a}", "PUT /{a}"));
    assert_eq!((put.summary.as_deref(), put.description.as_deref()), (Some("Short"), Some("Long")));
    let [a] = put.parameters.as_slice() else { panic!("{:?}", put.parameters) };
    assert_eq!((a.source, a.name.as_str(), a.required), (Source::Path, "a", true));
    assert_eq!(a.schema, r#"{"type":"string","maxLength":20}"#);
    let schema = r#"{"type":"object","properties":{"second_text":{"type":"string","maxLength":20}},"additionalProperties":false}"#;
    assert_eq!(put.body, Some(BodyDescription { required: true, schema: schema.to_owned() }));
    // The answer under 404 is no success.
    let [answer] = put.answers.as_slice() else { panic!("{:?}", put.answers) };
    assert!(answer.contains("first_text") && answer.contains("second_text"), "{answer}");

    let get = get.describe().expect("it is mapped");
    assert_eq!(get.body, None);
    let seen: Vec<_> = get
        .parameters
        .iter()
        .map(|parameter| {
            (parameter.source, parameter.name.as_str(), parameter.required, parameter.description.as_deref())
        })
        .collect();
    assert_eq!(seen, [(Source::Query, "q", false, Some("Which.")), (Source::Header, "X-First", true, None)]);
    assert_eq!(full.describe().expect("it is mapped").body, None);
}
