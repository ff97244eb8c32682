//! Any bytes as an OpenAPI document, as JSON and as YAML: problems, or a contract whose documents and schemas can be read
//! again.
#![no_main]

use contract::{Contract, Limits, Rendering};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let made = std::str::from_utf8(bytes)
        .ok()
        .and_then(|text| packages::json_of_yaml("fuzz", text, &packages::Limits::default()).ok());
    for json in [Some(bytes), made.as_deref().map(str::as_bytes)].into_iter().flatten() {
        let Ok(contract) = Contract::read(json, &Limits::default()) else { continue };
        let left_out: &[usize] = if contract.operations().len() > 1 { &[0] } else { &[] };
        let rendering =
            Rendering { base_path: "/x", error_name: "Error", error_schema: "{}", failures: &[], left_out };
        let openapi = contract.openapi31(&rendering).expect("an OpenAPI document");
        let swagger = contract.swagger20(&rendering).expect("a Swagger document").json;
        for document in [openapi, swagger] {
            serde_json::from_slice::<serde::de::IgnoredAny>(&document).expect("JSON");
        }
        let reader = contract.schema_reader();
        for operation in contract.operations() {
            let (request, answers) = (reader.request(operation), reader.answers(operation, &[200, 404]));
            let definitions = request.definitions.iter().chain(&answers.definitions).map(|one| &one.schema);
            let schemas =
                request.parameters.iter().chain(&request.body).chain(answers.bodies.iter().flatten());
            for schema in schemas.chain(definitions) {
                serde_json::from_str::<serde::de::IgnoredAny>(schema).expect("JSON");
            }
        }
    }
});
