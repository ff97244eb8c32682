//! The OpenAPI 3.1 document of an API.

use failure::JSON;
use record::Schema;
use serde::Serialize;

use super::parts::{self, ERROR_NAME, Info, Ordered, Reference, StatusAnswers, Tag};
use super::schemes::{self, Requirement, Scheme};
use crate::operation::{BodyRule, HeaderSource, MappedOperation, Move, ResponseHeader, ResponseMapping};
use crate::spec::ApiSpec;

#[derive(Serialize)]
struct Root<'a> {
    openapi: &'static str,
    info: Info<'a>,
    servers: Vec<Server<'a>>,
    tags: Vec<Tag<'a>>,
    paths: Ordered<Ordered<OperationObject<'a>>>,
    components: Components<'a>,
}

#[derive(Serialize)]
struct Server<'a> {
    url: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Components<'a> {
    schemas: Ordered<Schema>,
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    security_schemes: Ordered<Scheme<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OperationObject<'a> {
    operation_id: &'a str,
    tags: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Parameter<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_body: Option<RequestBody>,
    responses: Ordered<Response>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    security: Vec<Requirement>,
}

#[derive(Serialize)]
struct Parameter<'a> {
    name: &'a str,
    r#in: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    required: bool,
    schema: Schema,
}

#[derive(Serialize)]
struct RequestBody {
    required: bool,
    content: Ordered<Media>,
}

#[derive(Serialize)]
struct Media {
    schema: SchemaRef,
}

/// One schema, or alternatives.
#[derive(Serialize)]
#[serde(untagged)]
enum SchemaRef {
    One(Reference),
    Any {
        #[serde(rename = "anyOf")]
        any_of: Vec<Reference>,
    },
}

/// The description of a successful answer if its mapping has none.
const FINE: &str = "The answer of the service.";

#[derive(Serialize)]
struct Response {
    description: String,
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    headers: Ordered<Header>,
    #[serde(skip_serializing_if = "Ordered::is_empty")]
    content: Ordered<Media>,
}

#[derive(Serialize)]
struct Header {
    required: bool,
    schema: Schema,
}

/// Writes the document.
pub(super) fn openapi(spec: &ApiSpec, operations: &[MappedOperation]) -> Vec<u8> {
    let mut paths: Ordered<Ordered<OperationObject<'_>>> = Ordered::default();
    let mut schemas = Ordered::default();
    for operation in operations {
        let method = operation.method.as_str().to_ascii_lowercase();
        paths.entry(parts::relative_path(spec, operation)).0.push((method, object(operation, spec)));
        if operation.request.body != BodyRule::None {
            schemas.0.push((parts::request_name(operation), operation.request.bind.request_schema()));
        }
        for answer in parts::answers(operation, FINE).into_iter().filter(|answer| !answer.has_no_body()) {
            let schema = |(name, mapping): (String, &ResponseMapping)| (name, mapping.bind.response_schema());
            schemas.0.extend(answer.mappings.into_iter().map(schema));
        }
    }
    schemas.0.push((ERROR_NAME.to_owned(), parts::error_schema()));
    let root = Root {
        openapi: "3.1.0",
        info: parts::info(spec),
        servers: vec![Server { url: &spec.base_path.text }],
        tags: parts::tags(spec),
        paths,
        components: Components { schemas, security_schemes: schemes::openapi(&spec.schemes) },
    };
    serde_json::to_vec(&root).expect("a document of plain data serialises")
}

fn object<'a>(operation: &'a MappedOperation, spec: &'a ApiSpec) -> OperationObject<'a> {
    OperationObject {
        operation_id: &operation.id,
        tags: vec![&spec.name],
        summary: operation.summary.as_deref(),
        description: operation.description.as_deref(),
        parameters: operation.request.moves.iter().map(parameter).collect(),
        request_body: request_body(operation),
        responses: responses(operation),
        security: schemes::openapi_needs(&operation.protection, &spec.schemes),
    }
}

fn parameter(step: &Move) -> Parameter<'_> {
    Parameter {
        name: &step.name,
        r#in: step.source.word(),
        description: step.description.as_deref(),
        required: step.required,
        schema: step.slot.schema(),
    }
}

fn request_body(operation: &MappedOperation) -> Option<RequestBody> {
    let required = match operation.request.body {
        BodyRule::None => return None,
        rule => rule == BodyRule::Required,
    };
    Some(RequestBody { required, content: json(parts::request_name(operation)) })
}

fn json(schema: String) -> Ordered<Media> {
    json_of(vec![schema])
}

fn json_of(schemas: Vec<String>) -> Ordered<Media> {
    let reference = |name: String| Reference { reference: format!("#/components/schemas/{name}") };
    let references: Vec<Reference> = schemas.into_iter().map(reference).collect();
    let schema = match <[Reference; 1]>::try_from(references) {
        Ok([one]) => SchemaRef::One(one),
        Err(any_of) => SchemaRef::Any { any_of },
    };
    Ordered(vec![(JSON.to_owned(), Media { schema })])
}

fn responses(operation: &MappedOperation) -> Ordered<Response> {
    let response = |answer: StatusAnswers<'_>| {
        let single = answer.mappings.len() == 1 && !answer.fails;
        let headers = answer.mappings.first().filter(|_| single).map(|(_, mapping)| headers(mapping));
        let failure = answer.fails.then(|| ERROR_NAME.to_owned());
        let has_no_body = answer.has_no_body();
        let schemas = answer.mappings.into_iter().map(|(name, _)| name).chain(failure).collect();
        let response = Response {
            description: answer.description,
            headers: headers.unwrap_or_default(),
            content: if has_no_body { Ordered::default() } else { json_of(schemas) },
        };
        (answer.status.to_string(), response)
    };
    let mut responses: Vec<_> = parts::answers(operation, FINE).into_iter().map(response).collect();
    let open = parts::open_answers(operation, FINE);
    if !open.is_empty() {
        let (description, content) = (parts::OPEN.to_owned(), json_of(open));
        responses
            .push(("default".to_owned(), Response { description, headers: Ordered::default(), content }));
    }
    Ordered(responses)
}

fn headers(mapping: &ResponseMapping) -> Ordered<Header> {
    let header = |header: &ResponseHeader| {
        let schema = match &header.value {
            HeaderSource::Field(slot) => slot.schema(),
            HeaderSource::Constant(_) => Schema { kind: "string", ..Schema::default() },
        };
        (header.name.to_string(), Header { required: true, schema })
    };
    Ordered(mapping.headers.iter().map(header).collect())
}
