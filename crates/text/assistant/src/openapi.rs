//! Finds the schema in an OpenAPI 3 document: a component by its name, or the input or output of an
//! operation.

use crate::diagnostic::Report;
use document::{HOPS_MAX, Node};

use crate::part::Part;
use crate::schema::Side;

/// The place of the schema in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The document is a schema itself.
    Schema,
    /// A part of the document, by its JSON pointer: `/properties/channel`.
    Pointer(String),
    /// The schema of this name in an OpenAPI document.
    Component(String),
    /// The JSON that an operation takes or answers in an OpenAPI document.
    Operation {
        /// Its `operationId`.
        id: String,
        /// Request or response.
        side: Side,
        /// The status of the response; by default the first success status.
        status: Option<String>,
    },
}

const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The most names that a message lists.
const SHOWN_MAX: usize = 10;

/// Finds the schema; none if an error is reported.
pub(crate) fn find<'d, 't>(root: &'d Node<'t>, source: &Source, report: &mut Report) -> Option<Part<'d, 't>> {
    let root = Part::root(root);
    if *source == Source::Schema {
        if root.node.get("openapi").is_some() {
            report.error_with_help(
                &root.place(),
                "expected a schema, found an OpenAPI document",
                "name a component or an operation of it",
            );
            return None;
        }
        return Some(root);
    }
    if let Source::Pointer(pointer) = source {
        let found = root.at(pointer);
        if found.is_none() {
            report.error(&root.place(), format!("expected a schema at '{pointer}', found nothing"));
        }
        return found;
    }
    let version = root.node.get("openapi").and_then(Node::text).unwrap_or_default();
    if !version.starts_with("3.") {
        let found = match root.node.get("swagger").and_then(Node::text) {
            Some(version) => format!("Swagger {version}"),
            None if version.is_empty() => "no member 'openapi'".to_owned(),
            None => format!("version {version}"),
        };
        report.error(&root.place(), format!("expected an OpenAPI document of version 3, found {found}"));
        return None;
    }
    match source {
        Source::Component(name) => component(&root, name, report),
        Source::Operation { id, side, status } => {
            let operation = operation(&root, id, report)?;
            let message = match side {
                Side::Request => request(&operation, report)?,
                Side::Response => response(&root, &operation, status.as_deref(), report)?,
            };
            schema(&resolved(&root, message, report)?, report)
        }
        Source::Schema | Source::Pointer(_) => None,
    }
}

fn component<'d, 't>(root: &Part<'d, 't>, name: &str, report: &mut Report) -> Option<Part<'d, 't>> {
    let schemas = root.member("components").and_then(|components| components.member("schemas"));
    let found = schemas.as_ref().and_then(|schemas| schemas.member(name));
    if found.is_none() {
        let names: Vec<&str> = schemas
            .iter()
            .flat_map(|schemas| schemas.node.members())
            .map(|(name, _)| name.as_str())
            .collect();
        report.error(&root.place(), format!("expected the component '{name}', found {}", listed(&names)));
    }
    found
}

fn operation<'d, 't>(root: &Part<'d, 't>, id: &str, report: &mut Report) -> Option<Part<'d, 't>> {
    let mut names = Vec::new();
    let paths = root.member("paths");
    for (_, path) in paths.iter().flat_map(Part::members) {
        for (_, operation) in path.members().filter(|(method, _)| METHODS.contains(method)) {
            match operation.node.get("operationId").and_then(Node::text) {
                Some(name) if name == id => return Some(operation),
                Some(name) => names.push(name),
                None => {}
            }
        }
    }
    report.error(&root.place(), format!("expected the operation '{id}', found {}", listed(&names)));
    None
}

fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(SHOWN_MAX).copied().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => "none".to_owned(),
        1..=SHOWN_MAX => shown,
        all => format!("{shown} and {} more", all - SHOWN_MAX),
    }
}

fn request<'d, 't>(operation: &Part<'d, 't>, report: &mut Report) -> Option<Part<'d, 't>> {
    let body = operation.member("requestBody");
    if body.is_none() {
        report.error(&operation.place(), "expected a request body, found none");
    }
    body
}

fn response<'d, 't>(
    root: &Part<'d, 't>,
    operation: &Part<'d, 't>,
    status: Option<&str>,
    report: &mut Report,
) -> Option<Part<'d, 't>> {
    let responses = operation.member("responses");
    let all: Vec<(&str, Part<'d, 't>)> = responses.iter().flat_map(Part::members).collect();
    let named = |wanted: &dyn Fn(&str) -> bool| {
        all.iter().find(|(status, _)| wanted(status)).map(|(_, response)| response.clone())
    };
    let found = match status {
        Some(status) => named(&|found| found == status),
        // The first one with a body: 204 is no use if a 200 follows it.
        None => all
            .iter()
            .filter(|(status, _)| status.starts_with('2'))
            .map(|(_, response)| response)
            .find(|response| {
                let response = resolved(root, (*response).clone(), &mut Report::default());
                response.is_some_and(|response| response.node.get("content").is_some())
            })
            .cloned()
            .or_else(|| named(&|found| found.starts_with('2')))
            .or_else(|| named(&|found| found == "default")),
    };
    if found.is_none() {
        let wanted =
            status.map_or("a response of success".to_owned(), |status| format!("a response {status}"));
        let names: Vec<&str> = all.iter().map(|(status, _)| *status).collect();
        report.error(&operation.place(), format!("expected {wanted}, found {}", listed(&names)));
    }
    found
}

/// The target of a reference to a request body or a response.
fn resolved<'d, 't>(
    root: &Part<'d, 't>,
    mut part: Part<'d, 't>,
    report: &mut Report,
) -> Option<Part<'d, 't>> {
    for _ in 0..HOPS_MAX {
        let Some(reference) = part.member("$ref") else { return Some(part) };
        let target = reference.node.text().and_then(|text| text.strip_prefix('#'));
        match target.and_then(|pointer| root.at(pointer)) {
            Some(target) => part = target,
            None => {
                let found = reference.node.describe();
                report.error(&reference.place(), format!("expected a part of this document, found {found}"));
                return None;
            }
        }
    }
    report.error(&part.place(), format!("expected at most {HOPS_MAX} references one after the other"));
    None
}

/// The schema of the JSON that a body or response has.
fn schema<'d, 't>(message: &Part<'d, 't>, report: &mut Report) -> Option<Part<'d, 't>> {
    let content = message.member("content");
    let types: Vec<(&str, Part<'d, 't>)> = content.iter().flat_map(Part::members).collect();
    let essence =
        |media_type: &str| media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let json = types
        .iter()
        .find(|(name, _)| essence(name) == "application/json")
        .or_else(|| types.iter().find(|(name, _)| essence(name).ends_with("+json")))
        .or_else(|| types.iter().find(|(name, _)| matches!(essence(name).as_str(), "*/*" | "application/*")));
    let Some((_, media_type)) = json else {
        let names: Vec<&str> = types.iter().map(|(name, _)| *name).collect();
        report.error(&message.place(), format!("expected application/json, found {}", listed(&names)));
        return None;
    };
    let schema = media_type.member("schema");
    if schema.is_none() {
        report.error(&media_type.place(), "expected a schema, found none");
    }
    schema
}
