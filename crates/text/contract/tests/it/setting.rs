//! Documents that tests put together of the one part that they are about.

use contract::{Contract, Limits, Operation, Options, Violation};
use expression::Value;

/// A contract that must be one.
pub(crate) fn contract(text: &str) -> Contract {
    Contract::read(text.as_bytes(), &Limits::default()).unwrap_or_else(|problems| {
        panic!("{}\n{text}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    })
}

/// The problems of a document, one on each line.
pub(crate) fn problems(text: &str) -> Vec<String> {
    let problems = Contract::read(text.as_bytes(), &Limits::default()).expect_err("problems");
    problems.iter().map(ToString::to_string).collect()
}

/// A document of one operation, `POST /things/{id}`, with a version, what stands in the operation, and components.
pub(crate) fn document(version: &str, operation: &str, components: &str) -> String {
    format!(
        r#"{{"openapi": "{version}", "info": {{"title": "T", "version": "1"}}, "paths": {{"/things": {{"post": {{
            {operation}
            "responses": {{"200": {{"description": "fine"}}}}}}}}}},
            "components": {{"schemas": {{{components}}}}}}}"#
    )
}

/// A document whose operation takes a body with this schema.
pub(crate) fn with_body(version: &str, schema: &str, components: &str) -> Contract {
    let body = format!(
        r#""requestBody": {{"required": true, "content": {{"application/json": {{"schema": {schema}}}}}}},"#
    );
    contract(&document(version, &body, components))
}

pub(crate) fn only(contract: &Contract) -> &Operation {
    contract.operations().first().expect("an operation")
}

/// The violations of a body, as text.
pub(crate) fn wrong_in(contract: &Contract, body: &str, options: &Options) -> Vec<String> {
    match contract.body(only(contract), body.as_bytes(), options) {
        Ok(_) => Vec::new(),
        Err(violations) => texts(&violations),
    }
}

pub(crate) fn texts(violations: &[Violation]) -> Vec<String> {
    violations.iter().map(|violation| format!("{:?} {violation}", violation.kind)).collect()
}

pub(crate) fn json(value: &Value) -> String {
    let mut out = Vec::new();
    value.write_json(&mut out);
    String::from_utf8(out).expect("UTF-8")
}
