//! An operation as plain data.

use std::collections::HashMap;
use std::sync::Arc;

use api::{
    Api, BodyDescription, BodySpec, ContractSpec, Definition, FlowSpec, MemberSpec, ReplySpec, RequestSpec,
    ResponseSpec, Source, Style, ValueSpec, WhenSpec, Written,
};
use contract::{Contract, Limits};
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
    let descriptions = api.descriptions();
    let describe = |place: usize| descriptions.of(place).expect("an operation");
    assert!(descriptions.of(3).is_none());

    let put = describe(0);
    assert_eq!((put.method, put.path.as_str(), put.id.as_str()), (Method::PUT, "/notes/{a}", "PUT /{a}"));
    assert_eq!((put.summary.as_deref(), put.description.as_deref()), (Some("Short"), Some("Long")));
    let [a] = put.parameters.as_slice() else { panic!("{:?}", put.parameters) };
    assert_eq!((a.source, a.name.as_str(), a.required), (Source::Path, "a", true));
    assert_eq!(a.schema, r#"{"type":"string","maxLength":20}"#);
    let schema = r#"{"type":"object","properties":{"second_text":{"type":"string","maxLength":20}},"additionalProperties":false}"#;
    assert_eq!(put.body, Some(BodyDescription { required: true, schema: schema.to_owned() }));
    // The answer under 404 is no success.
    let [Some(answer)] = put.answers.as_slice() else { panic!("{:?}", put.answers) };
    assert!(answer.contains("first_text") && answer.contains("second_text"), "{answer}");

    let get = describe(1);
    assert_eq!(get.body, None);
    let seen: Vec<_> = get
        .parameters
        .iter()
        .map(|parameter| {
            (parameter.source, parameter.name.as_str(), parameter.required, parameter.description.as_deref())
        })
        .collect();
    assert_eq!(seen, [(Source::Query, "q", false, Some("Which.")), (Source::Header, "X-First", true, None)]);
    assert_eq!(describe(2).body, None);
}

const TREES: &str = r##"{"openapi": "3.0.3", "info": {"title": "Trees", "version": "1"}, "paths": {"/trees/{ids}": {
    "post": {"operationId": "addTree", "summary": "Adds.", "description": "Adds a tree.",
        "parameters": [
            {"name": "ids", "in": "path", "required": true, "schema": {"type": "array", "items": {"type": "integer"}}},
            {"name": "X-Mode", "in": "header", "description": "How.", "schema": {"type": "string", "nullable": true}},
            {"name": "where", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
            {"name": "crumb", "in": "cookie", "schema": {"type": "string"}}],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}},
        "responses": {
            "200": {"description": "d", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}},
            "201": {"description": "d"},
            "404": {"description": "d", "content": {"application/json": {"schema": {"type": "object"}}}}}}}},
    "components": {"schemas": {"Tree": {"type": "object", "properties": {
        "left": {"$ref": "#/components/schemas/Tree"}}}}}}"##;

fn reply(status: u16, when: Option<&str>, body: Option<&str>) -> ReplySpec {
    let expression = |body: &str| BodySpec::Expression(Written::from(body));
    ReplySpec {
        when: when.map(Written::from),
        status,
        place: Written::default(),
        headers: Vec::new(),
        body: body.map(|body| MemberSpec::new(Written::from("body"), expression(body))),
    }
}

/// The only operation of the API with these replies.
fn tree(replies: Vec<ReplySpec>) -> api::OperationDescription {
    api(replies).expect("an API").descriptions().of(0).expect("an operation")
}

#[test]
fn a_reply_sets_a_header_once_and_cookies_as_often_as_it_likes() {
    let set = |names: [&str; 2]| {
        let value = || BodySpec::Expression(Written::from("'x'"));
        let headers = names.map(|name| MemberSpec::new(Written::from(name), value())).into();
        api(vec![ReplySpec { headers, ..reply(201, None, None) }])
    };
    assert!(set(["Set-Cookie", "set-cookie"]).is_ok() && set(["X-A", "X-B"]).is_ok());
    let errors = set(["X-A", "x-a"]).expect_err("twice");
    assert!(errors.iter().any(|error| error.message.contains("header 'x-a' is set twice")), "{errors:?}");
}

fn api(replies: Vec<ReplySpec>) -> Result<Api, Vec<api::SpecError>> {
    let contract = Contract::read(TREES.as_bytes(), &Limits::default()).expect("a contract");
    let flow = FlowSpec {
        method: Method::POST,
        path: Written::from("/trees/{ids}"),
        timeout: std::time::Duration::from_secs(1),
        calls: Vec::new(),
        replies,
    };
    let spec = ContractSpec {
        name: "trees".to_owned(),
        base_path: Some("/v1".into()),
        contract: Arc::new(contract),
        refuse_unknown_query: false,
        check_responses: false,
        statuses: Vec::new(),
        flows: vec![flow],
        protections: Vec::new(),
    };
    Api::of_contract(&spec, &HashMap::new())
}

#[test]
fn a_flow_tells_what_its_contract_promises() {
    let tree = tree(vec![
        reply(404, Some("$body.left = null"), Some("{}")),
        reply(200, Some("$body.right = 1"), Some("{}")),
        reply(200, None, Some("{}")),
    ]);
    assert_eq!(
        (tree.method, tree.path.as_str(), tree.id.as_str()),
        (Method::POST, "/v1/trees/{ids}", "addTree")
    );
    assert_eq!((tree.summary.as_deref(), tree.description.as_deref()), (Some("Adds."), Some("Adds a tree.")));
    // Cookies are the caller's, not the model's.
    let [ids, mode, place] = tree.parameters.as_slice() else { panic!("{:?}", tree.parameters) };
    assert_eq!((ids.source, ids.name.as_str(), ids.required), (Source::Path, "ids", true));
    assert_eq!(ids.style, Style::Separated(b','));
    assert_eq!(ids.schema, r#"{"type":"array","items":{"type":"integer"}}"#);
    assert_eq!(
        (mode.source, mode.required, mode.description.as_deref()),
        (Source::Header, false, Some("How."))
    );
    assert_eq!((mode.style, mode.schema.as_str()), (Style::Single, r#"{"type":["string","null"]}"#));
    assert_eq!((place.source, place.style), (Source::Query, Style::Json));
    let schema = r##"{"type":"object","properties":{"left":{"$ref":"#/$defs/Tree"}}}"##.to_owned();
    assert_eq!(tree.body, Some(BodyDescription { required: false, schema: schema.clone() }));
    let definition = Definition { name: "Tree".to_owned(), schema: schema.clone() };
    assert_eq!(tree.definitions, vec![definition.clone()]);
    assert_eq!((tree.answers, tree.answer_definitions), (vec![Some(schema)], vec![definition]));
}

#[test]
fn an_answer_of_which_nothing_is_known_is_told_as_that() {
    let answers = |replies: Vec<ReplySpec>| tree(replies).answers;
    assert_eq!(answers(vec![reply(200, None, None)]), [None]);
    // The document says nothing of a body under 201, and nothing of 202.
    for status in [201, 202] {
        assert_eq!(answers(vec![reply(status, None, Some("{}"))]), [None]);
    }
    let several = answers(vec![reply(200, Some("$body.left = 1"), Some("{}")), reply(201, None, None)]);
    assert_eq!((several.len(), several[0].is_some(), several[1].is_none()), (2, true, true));
    assert_eq!(answers(vec![reply(404, None, Some("{}"))]), []);
}

#[test]
fn a_field_has_one_value_whatever_it_is_called() {
    let value = |field: &str| ValueSpec { field: field.into(), value: "x".into() };
    let faults = |assign: &[&str], default: &[&str]| {
        let mut put = operation(Method::PUT, "/");
        put.request.assign = assign.iter().copied().map(value).collect();
        put.request.default = default.iter().copied().map(value).collect();
        compile("notes", "/notes", vec![put]).err().unwrap_or_default()
    };
    assert_eq!(faults(&["FIRST-TEXT"], &["SECOND-TEXT"]), []);
    for (assign, default) in [
        (&["FIRST-TEXT"][..], &["NOTE.FIRST-TEXT"][..]),
        (&["NOTE.FIRST-TEXT"], &["first-text"]),
        (&[], &["FIRST-TEXT", "NOTE.FIRST-TEXT"]),
    ] {
        let faults = faults(assign, default);
        assert!(faults.iter().any(|fault| fault.message.contains("has another default")), "{faults:?}");
    }
}
