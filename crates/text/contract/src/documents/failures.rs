//! The gateway's own failures in a document, for statuses that the author does not document.

use std::collections::HashMap;

use document::Node;

use super::build::{Members, array, one, text};
use super::{FailureAnswer, Rendering};
use crate::contract::Contract;
use crate::operation::{Operation, Status};

/// The additions to a document.
pub(super) struct Added<'t> {
    /// The name of the schema of failures.
    pub(super) name: String,
    pub(super) schema: Node<'t>,
    /// By path and method.
    by_operation: HashMap<(&'t str, String), Vec<&'t FailureAnswer>>,
}

impl<'t> Added<'t> {
    pub(super) fn new(contract: &'t Contract, rendering: &Rendering<'t>, schema: Node<'t>) -> Self {
        let mut by_operation: HashMap<_, Vec<_>> = HashMap::new();
        for (operation, failures) in contract.operations.iter().zip(rendering.failures) {
            let missing: Vec<_> =
                failures.iter().filter(|failure| !documents(operation, failure.status)).collect();
            let method = operation.method.as_str().to_ascii_lowercase();
            by_operation.insert((operation.path.as_str(), method), missing);
        }
        let taken = |name: &str| {
            let lists = ["/components/schemas", "/definitions"];
            let root = document::read(&contract.text);
            root.is_ok_and(|root| {
                lists.iter().any(|list| root.at(list).is_some_and(|list| list.get(name).is_some()))
            })
        };
        let mut name = rendering.error_name.to_owned();
        while taken(&name) {
            name.push('_');
        }
        Self { name, schema, by_operation }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_operation.values().all(Vec::is_empty)
    }

    /// Adds the failures of an operation to its responses.
    pub(super) fn add(&self, path: &str, method: &str, responses: &mut Members<'t>, swagger: bool) {
        let Some(failures) = self.by_operation.get(&(path, method.to_owned())) else { return };
        for failure in failures {
            let list = if swagger { "definitions" } else { "components/schemas" };
            let reference = one("$ref", text(format!("#/{list}/{}", document::pointer_token(&self.name))));
            let mut response = Members::default();
            response.put("description", text(failure.description.as_str()));
            if swagger {
                response.put("schema", reference);
            } else {
                response.put("content", one("application/json", one("schema", reference)));
            }
            responses.put(&failure.status.to_string(), response.into_node());
        }
    }
}

/// True if the author describes the answers of a status. A default response is not about a particular status.
fn documents(operation: &Operation, status: u16) -> bool {
    operation.response(status).is_some_and(|response| response.status != Status::Default)
}

/// The `servers` of a document whose operations are served below a path.
pub(super) fn servers(base_path: &str) -> Node<'_> {
    let url = if base_path.is_empty() { "/" } else { base_path };
    array(vec![one("url", text(url))])
}
