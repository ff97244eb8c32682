//! Security in documents: the schemes of an API and what each operation needs, in the words of both kinds of document.

use serde::Serialize;

use super::parts::Ordered;
use crate::protection::{OperationProtection, SchemeKind, SecurityScheme};

/// A scheme as OpenAPI 3.1 has it (4.8.27).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Scheme<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheme: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bearer_format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#in: Option<&'static str>,
}

impl<'a> Scheme<'a> {
    fn new(r#type: &'static str, scheme: &'a SecurityScheme) -> Self {
        let description = scheme.description.as_deref();
        Self { r#type, description, scheme: None, bearer_format: None, name: None, r#in: None }
    }

    fn in_header(self, name: &'a str) -> Self {
        Self { name: Some(name), r#in: Some("header"), ..self }
    }
}

/// One alternative: the schemes that are needed together, each with its scopes. None at all is a caller who needs not be
/// known.
pub(super) type Requirement = Ordered<Vec<String>>;

/// `components.securitySchemes` of OpenAPI 3.1.
pub(super) fn openapi(schemes: &[SecurityScheme]) -> Ordered<Scheme<'_>> {
    Ordered(schemes.iter().map(|one| (one.name.clone(), openapi_scheme(one))).collect())
}

fn openapi_scheme(scheme: &SecurityScheme) -> Scheme<'_> {
    match &scheme.kind {
        SchemeKind::Basic => Scheme { scheme: Some("basic"), ..Scheme::new("http", scheme) },
        SchemeKind::Bearer => {
            Scheme { scheme: Some("bearer"), bearer_format: Some("JWT"), ..Scheme::new("http", scheme) }
        }
        SchemeKind::ApiKey(header) => Scheme::new("apiKey", scheme).in_header(header),
        SchemeKind::MutualTls => Scheme::new("mutualTLS", scheme),
    }
}

/// `securityDefinitions` of Swagger 2.0.
pub(super) fn swagger(schemes: &[SecurityScheme]) -> Ordered<Scheme<'_>> {
    Ordered(schemes.iter().filter_map(|one| Some((one.name.clone(), swagger_scheme(one)?))).collect())
}

/// Tokens are a header in Swagger 2.0, and certificates cannot be told.
fn swagger_scheme(scheme: &SecurityScheme) -> Option<Scheme<'_>> {
    match &scheme.kind {
        SchemeKind::Basic => Some(Scheme::new("basic", scheme)),
        SchemeKind::Bearer => Some(Scheme::new("apiKey", scheme).in_header("Authorization")),
        SchemeKind::ApiKey(header) => Some(Scheme::new("apiKey", scheme).in_header(header)),
        SchemeKind::MutualTls => None,
    }
}

/// `security` of an operation in OpenAPI 3.1: one of the alternatives is enough.
pub(super) fn openapi_needs(
    protection: &OperationProtection,
    schemes: &[SecurityScheme],
) -> Vec<Requirement> {
    // An empty alternative says that the others are optional.
    let open = (!protection.required && !schemes.is_empty()).then(Requirement::default);
    let way = |scheme: &SecurityScheme| Ordered(vec![(scheme.name.clone(), protection.scopes.clone())]);
    open.into_iter().chain(protection.ways(schemes).map(way)).collect()
}

/// `security` of an operation in Swagger 2.0, which knows scopes of OAuth flows alone and nothing optional.
pub(super) fn swagger_needs(
    protection: &OperationProtection,
    schemes: &[SecurityScheme],
) -> Vec<Requirement> {
    let way = |scheme: &SecurityScheme| Ordered(vec![(scheme.name.clone(), Vec::new())]);
    let told = |scheme: &&SecurityScheme| scheme.kind != SchemeKind::MutualTls;
    let ways = protection.ways(schemes).filter(told).map(way);
    if protection.required { ways.collect() } else { Vec::new() }
}
