//! Documents for consumers: the author's document in OpenAPI 3.1 and in Swagger 2.0, with the additions of
//! the gateway.

mod build;
mod examples;
mod failures;
mod inline;
mod openapi31;
mod portable;
mod schema20;
mod schema31;
mod standalone;
mod swagger20;
mod upgrade;
mod words;

use std::borrow::Cow;

use document::{Node, Part, Value};

use crate::contract::{Contract, Version};
use crate::methods::METHODS;
use crate::problem::{Problem, Report};

pub use standalone::{AnswerSchemas, Definition, RequestSchemas, SchemaReader};

/// The additions of the gateway to the author's document.
#[derive(Clone, Copy, Debug)]
pub struct Rendering<'a> {
    /// The path in front of all operations: `/api/v1`; empty for the root.
    pub base_path: &'a str,
    /// The name of the schema of the gateway's own failures. If the document has this name already, another
    /// one is made.
    pub error_name: &'a str,
    /// That schema, as JSON text of words that JSON Schema and Swagger share.
    pub error_schema: &'a str,
    /// The gateway's own failures of each operation, in the order of [`Contract::operations`].
    pub failures: &'a [Vec<FailureAnswer>],
    /// The operations that are not served, by their positions in [`Contract::operations`]. The documents
    /// leave them out.
    pub left_out: &'a [usize],
}

/// A status with which the gateway itself answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureAnswer {
    /// The status.
    pub status: u16,
    /// The condition for this answer.
    pub description: String,
}

/// A Swagger 2.0 document made from a contract.
#[derive(Clone, Debug)]
pub struct Swagger {
    /// The document as JSON.
    pub json: Vec<u8>,
    /// The parts that Swagger 2.0 cannot have, with their places in the author's document.
    pub notes: Vec<Problem>,
}

/// The most notes. Of further ones, only their number is given.
const NOTES_MAX: usize = 1_000;

impl Contract {
    /// The contract as an OpenAPI 3.1 document, in the author's order and words.
    ///
    /// # Errors
    /// The schema of [`Rendering`] is not JSON.
    pub fn openapi31(&self, rendering: &Rendering<'_>) -> Result<Vec<u8>, Problem> {
        let source = self.source()?;
        let upgraded: Cow<'_, str> = match self.version {
            Version::Swagger20 => Cow::Owned(upgrade::upgraded(&source).json()),
            Version::OpenApi30 | Version::OpenApi31 => Cow::Borrowed(&self.text),
        };
        let mut root = read(&upgraded)?;
        self.leave_out(&mut root, rendering.left_out);
        let added = failures::Added::new(self, rendering, error_schema(rendering)?);
        Ok(openapi31::document(&root, self.version, rendering, &added).json().into_bytes())
    }

    /// The contract as a Swagger 2.0 document, in the author's order and words.
    ///
    /// # Errors
    /// The schema of [`Rendering`] is not JSON.
    pub fn swagger20(&self, rendering: &Rendering<'_>) -> Result<Swagger, Problem> {
        let mut source = self.source()?;
        self.leave_out(&mut source, rendering.left_out);
        let mut report = Report::new(&self.text, NOTES_MAX);
        let added = failures::Added::new(self, rendering, error_schema(rendering)?);
        let made = if self.version == Version::Swagger20 {
            swagger20::same(&source, rendering, &added)
        } else {
            swagger20::Writer::new(&source, &mut report).document(rendering, &added)
        };
        let json = made.json().into_bytes();
        let (_, notes) = report.finish();
        Ok(Swagger { json, notes })
    }

    /// Removes operations from a document, and paths without other operations. A path that refers to a path
    /// item elsewhere gets its own copy first, because other paths may refer to it too. A path item without
    /// references is removed too.
    fn leave_out(&self, root: &mut Node<'_>, positions: &[usize]) {
        let mut referred_before = Vec::new();
        for operation in positions.iter().filter_map(|position| self.operations().get(*position)) {
            let method = operation.method.as_str();
            let item = root.get("paths").and_then(|paths| paths.get(&operation.path));
            let referred = item.filter(|item| item.get("$ref").is_some());
            let copy =
                referred.and_then(|item| Part::root(item).resolved(root).ok()).map(|part| part.node.clone());
            let Some(paths) = member(root, "paths") else { return };
            let Some(item) = member(paths, &operation.path) else { continue };
            if let Some(copy) = copy {
                referred_before.extend(item.get("$ref").and_then(Node::text).map(str::to_owned));
                *item = copy;
            }
            let Value::Object(members) = &mut item.value else { continue };
            members.retain(|(name, _)| !name.eq_ignore_ascii_case(method));
            let is_empty = !members.iter().any(|(name, _)| METHODS.contains(&name.as_str()));
            if let (true, Value::Object(paths)) = (is_empty, &mut paths.value) {
                paths.retain(|(path, _)| **path != *operation.path);
            }
        }
        referred_before.retain(|reference| !refers(root, reference));
        let Some(components) = member(root, "components") else { return };
        let Some(Node { value: Value::Object(items), .. }) = member(components, "pathItems") else { return };
        items.retain(|(name, _)| {
            let reference = format!("#/components/pathItems/{}", document::pointer_token(name));
            !referred_before.contains(&reference)
        });
        if let (true, Value::Object(members)) = (items.is_empty(), &mut components.value) {
            members.retain(|(name, _)| name != "pathItems");
        }
    }

    /// The author's document, which has been read before.
    fn source(&self) -> Result<Node<'_>, Problem> {
        read(&self.text)
    }
}

/// True if a part of a document refers to a place, or to a part of it. Links refer to operations.
fn refers(node: &Node<'_>, reference: &str) -> bool {
    let leads_there = |text: &str| {
        text.strip_prefix(reference).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match &node.value {
        Value::Object(members) => members.iter().any(|(name, node)| {
            let is_reference = matches!(name.as_ref(), "$ref" | "operationRef");
            (is_reference && node.text().is_some_and(leads_there)) || refers(node, reference)
        }),
        Value::Array(elements) => elements.iter().any(|node| refers(node, reference)),
        _ => false,
    }
}

/// A member of an object.
fn member<'n, 't>(node: &'n mut Node<'t>, name: &str) -> Option<&'n mut Node<'t>> {
    let Value::Object(members) = &mut node.value else { return None };
    members.iter_mut().find(|(known, _)| known == name).map(|(_, node)| node)
}

fn read(text: &str) -> Result<Node<'_>, Problem> {
    document::read(text).map_err(|refusal| {
        let line = document::line_of(text, refusal.offset);
        Problem { pointer: "#".to_owned(), line, message: refusal.message }
    })
}

fn error_schema<'a>(rendering: &Rendering<'a>) -> Result<Node<'a>, Problem> {
    let schema = read(rendering.error_schema)?;
    if schema.is_object() {
        return Ok(schema);
    }
    let message = format!("expected the schema of failures, found {}", schema.describe());
    Err(Problem { pointer: "#".to_owned(), line: 1, message })
}

/// Words of extensions for the gateway. Consumers do not need them.
const PRIVATE: &str = "x-ibm-zcon-";

/// True for a member that consumers do not get.
fn is_private(name: &str) -> bool {
    name.starts_with(PRIVATE)
}
