//! The documents of the admin address: OpenAPI 3.1 of what is our own, Swagger 2.0 of z/OS Connect's interface.
//!
//! Their texts are files; the ways to be known are those of the configuration that serves.

use api::SecurityScheme;
use http::StatusCode;
use serde_json::{Value, json};

use super::asked::{Answer, Asked};

const ADMINISTRATION: &str = include_str!("documents/administration.json");
const ZOS_CONNECT: &str = include_str!("documents/zos_connect.json");

/// Answers `/openapi.json`.
pub(super) fn administration(asked: &Asked<'_>) -> Answer {
    let schemes = asked.gateway.security.schemes();
    let place = ["components", "securitySchemes"];
    served(ADMINISTRATION, &place, (&schemes, api::openapi_schemes(&schemes)))
}

/// Answers `/zosConnect/api-docs`.
pub(super) fn zos_connect(asked: &Asked<'_>) -> Answer {
    let schemes = asked.gateway.security.schemes();
    served(ZOS_CONNECT, &["securityDefinitions"], (&schemes, api::swagger_schemes(&schemes)))
}

/// The document with the schemes at their place; one of those that it can tell is enough.
fn served(text: &str, place: &[&str], (schemes, described): (&[SecurityScheme], Value)) -> Answer {
    let Ok(mut document) = serde_json::from_str::<Value>(text) else {
        return Answer::json(StatusCode::INTERNAL_SERVER_ERROR, "{}");
    };
    let told = schemes.iter().filter(|scheme| described.get(&scheme.name).is_some());
    let needs: Vec<Value> = told.map(|scheme| json!({ &scheme.name: [] })).collect();
    if !needs.is_empty() {
        let mut at = &mut document;
        for name in place {
            at = &mut at[*name];
        }
        *at = described;
        document["security"] = Value::Array(needs);
    }
    Answer::json(StatusCode::OK, format!("{document}\n"))
}
