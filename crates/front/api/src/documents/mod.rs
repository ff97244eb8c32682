//! The documents of an API: Swagger 2.0 where z/OS Connect has it, and OpenAPI 3.1.

mod contracted;
mod openapi;
mod parts;
mod schemes;
mod swagger;

use std::sync::Arc;

use failure::JSON;
use serde_json::Value;

use crate::api::Document;
use crate::operation::MappedOperation;
use crate::protection::SecurityScheme;
use crate::spec::ApiSpec;

pub(crate) use contracted::of_contract;

/// Where an API's Swagger 2.0 document is, below its base path.
pub(crate) const SWAGGER_PATH: &str = "/api-docs";
/// Where an API's OpenAPI 3.1 document is, below its base path.
pub(crate) const OPENAPI_PATH: &str = "/openapi.json";

/// Ways to be known as `components.securitySchemes` of OpenAPI 3.1, for documents that are made elsewhere.
#[must_use]
pub fn openapi_schemes(schemes: &[SecurityScheme]) -> Value {
    serde_json::to_value(schemes::openapi(schemes)).expect("plain data serialises")
}

/// Ways to be known as `securityDefinitions` of Swagger 2.0, which has no word for certificates.
#[must_use]
pub fn swagger_schemes(schemes: &[SecurityScheme]) -> Value {
    serde_json::to_value(schemes::swagger(schemes)).expect("plain data serialises")
}

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
