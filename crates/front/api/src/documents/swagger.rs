//! The Swagger 2.0 document of an API, in the shape that z/OS Connect gives it.

use failure::JSON;
use record::Schema;
use serde::Serialize;

use super::parts::{self, ERROR_NAME, Info, Ordered, Reference, StatusAnswers, Tag};
use super::schemes::{self, Requirement, Scheme};
use crate::operation::{BodyRule, HeaderSource, MappedOperation, Move, ResponseHeader, ResponseMapping};
use crate::spec::ApiSpec;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Root<'a> {
    swagger: &'static str,
    info: Info<'a>,
    base_path: &'a str,
    tags: Vec<Tag<'a>>,
    consumes: [&'static str; 1],
    produces: [&'static str; 1],
    paths: Ordered<Ordered<OperationObject<'a>>>,
    definitions: Ordered<Schema>,
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    security_definitions: Ordered<Scheme<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OperationObject<'a> {
    tags: Vec<&'a str>,
    operation_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    parameters: Vec<Parameter<'a>>,
    responses: Ordered<Response>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    security: Vec<Requirement>,
    #[serde(rename = "x-scopes", skip_serializing_if = "<[_]>::is_empty")]
    scopes: &'a [String],
}

#[derive(Serialize)]
#[serde(untagged)]
enum Parameter<'a> {
    Simple {
        name: &'a str,
        r#in: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<&'a str>,
        required: bool,
        #[serde(flatten)]
        schema: Box<Schema>,
    },
    Body {
        name: String,
        r#in: &'static str,
        description: &'static str,
        required: bool,
        schema: Reference,
    },
}

#[derive(Serialize)]
struct Response {
    description: String,
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    headers: Ordered<Schema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Reference>,
}

/// Writes the document.
pub(super) fn swagger(spec: &ApiSpec, operations: &[MappedOperation]) -> Vec<u8> {
    let mut paths: Ordered<Ordered<OperationObject<'_>>> = Ordered::default();
    let mut definitions = Ordered::default();
    for operation in operations {
        let method = operation.method.as_str().to_ascii_lowercase();
        paths.entry(parts::relative_path(spec, operation)).0.push((method, object(operation, spec)));
        if operation.request.body != BodyRule::None {
            let schema = operation.request.bind.request_schema().without_multiple_of();
            definitions.0.push((parts::request_name(operation), schema));
        }
        for answer in parts::answers(operation, FINE).into_iter().filter(|answer| !answer.has_no_body()) {
            // Swagger 2.0 has one schema for a status: that of the first mapping that answers with it.
            if let Some((name, mapping)) = answer.mappings.into_iter().next() {
                definitions.0.push((name, mapping.bind.response_schema().without_multiple_of()));
            }
        }
    }
    definitions.0.push((ERROR_NAME.to_owned(), parts::error_schema()));
    let root = Root {
        swagger: "2.0",
        info: parts::info(spec),
        base_path: &spec.base_path.text,
        tags: parts::tags(spec),
        consumes: [JSON],
        produces: [JSON],
        paths,
        definitions,
        security_definitions: schemes::swagger(&spec.schemes),
    };
    serde_json::to_vec(&root).expect("a document of plain data serialises")
}

fn object<'a>(operation: &'a MappedOperation, spec: &'a ApiSpec) -> OperationObject<'a> {
    let mut parameters: Vec<Parameter<'a>> = operation.request.moves.iter().map(parameter).collect();
    if operation.request.body != BodyRule::None {
        parameters.push(Parameter::Body {
            name: parts::request_name(operation),
            r#in: "body",
            description: "request body",
            required: operation.request.body == BodyRule::Required,
            schema: definition(&parts::request_name(operation)),
        });
    }
    OperationObject {
        tags: vec![&spec.name],
        operation_id: &operation.id,
        summary: operation.summary.as_deref(),
        description: operation.description.as_deref(),
        parameters,
        responses: responses(operation),
        security: schemes::swagger_needs(&operation.protection, &spec.schemes),
        scopes: &operation.protection.scopes,
    }
}

fn parameter(step: &Move) -> Parameter<'_> {
    Parameter::Simple {
        name: &step.name,
        r#in: step.source.word(),
        description: step.description.as_deref(),
        required: step.required,
        schema: Box::new(step.slot.schema().without_multiple_of()),
    }
}

fn definition(name: &str) -> Reference {
    Reference { reference: format!("#/definitions/{name}") }
}

/// The description of a successful answer if its mapping has none.
const FINE: &str = "OK";

fn responses(operation: &MappedOperation) -> Ordered<Response> {
    let response = |answer: StatusAnswers<'_>| {
        let has_no_body = answer.has_no_body();
        let first = answer.mappings.into_iter().next();
        let headers = first.as_ref().filter(|_| !answer.fails).map(|(_, mapping)| headers(mapping));
        let schema = (!has_no_body).then(|| definition(first.as_ref().map_or(ERROR_NAME, |(name, _)| name)));
        let description = answer.description;
        (answer.status.to_string(), Response { description, headers: headers.unwrap_or_default(), schema })
    };
    let mut responses: Vec<_> = parts::answers(operation, FINE).into_iter().map(response).collect();
    // One schema for a status: that of the first mapping.
    if let Some(name) = parts::open_answers(operation, FINE).first() {
        let (description, schema) = (parts::OPEN.to_owned(), Some(definition(name)));
        responses.push(("default".to_owned(), Response { description, headers: Ordered::default(), schema }));
    }
    Ordered(responses)
}

fn headers(mapping: &ResponseMapping) -> Ordered<Schema> {
    let header = |header: &ResponseHeader| {
        let schema = match &header.value {
            HeaderSource::Field(slot) => slot.schema().without_multiple_of(),
            HeaderSource::Constant(_) => Schema { kind: "string", ..Schema::default() },
        };
        (header.name.to_string(), schema)
    };
    Ordered(mapping.headers.iter().map(header).collect())
}
