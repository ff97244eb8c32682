//! What judging a request costs on one core: a body of about 1 KB and the parameters of an operation.
//!
//! `cargo bench -p contract --bench judge`. Reading the JSON is shown by itself too, since judging needs its values.

use std::hint::black_box;
use std::time::{Duration, Instant};

use contract::{Contract, Limits, Options, RequestParts};
use expression::Value;
use http::HeaderMap;

const DOCUMENT: &str = r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/orders/{number}": {"put": {
    "parameters": [
        {"name": "number", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}},
        {"name": "state", "in": "query", "schema": {"type": "string", "enum": ["OPEN", "SENT"]}},
        {"name": "tags", "in": "query", "explode": false, "schema": {"type": "array", "items": {"type": "string"}}}],
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}},
    "responses": {"204": {"description": "done"}}}}},
    "components": {"schemas": {
        "Order": {"type": "object", "required": ["customer", "items"], "additionalProperties": false, "properties": {
            "customer": {"type": "string", "minLength": 1, "maxLength": 40},
            "ordered": {"type": "string", "format": "date"},
            "total": {"type": "number", "minimum": 0, "multipleOf": 0.01},
            "items": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"$ref": "#/components/schemas/Item"}}}},
        "Item": {"type": "object", "required": ["article", "count"], "properties": {
            "article": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{4}$"},
            "count": {"type": "integer", "minimum": 1, "maximum": 999},
            "price": {"type": "number", "minimum": 0}}}}}}"##;

/// How long one case runs before and while it is measured.
const WARM_UP: Duration = Duration::from_millis(200);
const MEASURED: Duration = Duration::from_secs(1);

fn body() -> String {
    let row = r#"{"article":"AB1234","count":12,"price":1234.50}"#;
    let rows = vec![row; 19].join(",");
    format!(r#"{{"customer":"ACME Limited","ordered":"2024-02-29","total":281466.00,"items":[{rows}]}}"#)
}

fn main() {
    let contract = Contract::read(DOCUMENT.as_bytes(), &Limits::default()).expect("a contract");
    let operation = &contract.operations()[0];
    let (options, body, headers) = (Options::default(), body(), HeaderMap::new());
    let parts =
        RequestParts { path: &[("number", "4711")], query: "state=OPEN&tags=a,b,c", headers: &headers };
    println!("body of {} bytes", body.len());
    measure("read JSON alone", || Value::from_json(body.as_bytes(), 64).is_ok());
    measure("read and judge the body", || contract.body(operation, body.as_bytes(), &options).is_ok());
    measure("parameters", || contract.parameters(operation, &parts, &options).is_ok());
}

/// Runs a case for a while and prints the nanoseconds of one run.
fn measure(name: &str, run: impl Fn() -> bool) {
    let for_a_while = |time: Duration| {
        let (start, mut count) = (Instant::now(), 0_u32);
        while start.elapsed() < time {
            for _ in 0..100 {
                assert!(black_box(run()), "{name}: the request fits");
            }
            count += 100;
        }
        start.elapsed().as_nanos() / u128::from(count)
    };
    for_a_while(WARM_UP);
    println!("{name}: {} ns", for_a_while(MEASURED));
}
