//! The documents of an API: Swagger 2.0 where z/OS Connect has it, and OpenAPI 3.1.

mod contracted;
mod openapi;
mod parts;
mod swagger;

use std::sync::Arc;

use crate::failure::JSON;
use crate::operation::MappedOperation;
use crate::router::Document;
use crate::spec::ApiSpec;

pub(crate) use contracted::of_contract;

/// Where an API's Swagger 2.0 document is, below its base path.
pub(crate) const SWAGGER_PATH: &str = "/api-docs";
/// Where an API's OpenAPI 3.1 document is, below its base path.
pub(crate) const OPENAPI_PATH: &str = "/openapi.json";

/// Makes all documents of an API.
pub(crate) fn documents(spec: &ApiSpec, operations: &[MappedOperation]) -> Vec<Document> {
    let document = |path: &str, text: Vec<u8>| Document {
        path: format!("{}{path}", spec.base_path.text),
        content_type: JSON,
        text: Arc::from(text),
    };
    vec![
        document(SWAGGER_PATH, swagger::swagger(spec, operations)),
        document(OPENAPI_PATH, openapi::openapi(spec, operations)),
    ]
}
