//! Any schema, any body and any query: violations, or values; never a panic, and never more work than is allowed.
#![no_main]

use contract::{Contract, Limits, Options, RequestParts};
use http::HeaderMap;
use libfuzzer_sys::fuzz_target;

const DOCUMENT: &str = r#"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/x": {"post": {
    "parameters": [{"name": "a", "in": "query", "schema": SCHEMA}, {"name": "b", "in": "header", "schema": SCHEMA},
        {"name": "d", "in": "query", "style": "deepObject", "schema": {"type": "object", "additionalProperties": SCHEMA}}],
    "requestBody": {"content": {"application/json": {"schema": SCHEMA}}},
    "responses": {"200": {"description": "fine"}}}}}}"#;

fuzz_target!(|input: (&str, &[u8], &str)| {
    let (schema, body, query) = input;
    let document = DOCUMENT.replace("SCHEMA", schema);
    let Ok(contract) = Contract::read(document.as_bytes(), &Limits::default()) else { return };
    let options = Options { defaults_filled: true, step_count_max: 10_000, ..Options::default() };
    let headers = HeaderMap::new();
    let parts = RequestParts { path: &[("a", query)], query, headers: &headers };
    for operation in contract.operations() {
        let _ = contract.body(operation, body, &options);
        let _ = contract.parameters(operation, &parts, &options);
    }
});
