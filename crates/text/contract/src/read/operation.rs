//! The operations of a document: its paths, and the methods on each.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use http::Method;

use super::Reader;
use crate::methods;
use crate::operation::{Location, Operation, Parameter};
use document::Part;

/// The extension of z/OS Connect with the roles that may call.
const ROLES: &str = "x-ibm-zcon-roles-allowed";

/// The document has more operations than are allowed, which has been reported: the rest is not read.
struct TooMany;

impl<'d, 't> Reader<'d, 't> {
    /// All operations, in the order of the document.
    pub(super) fn operations(&mut self, root: &Part<'d, 't>) -> Vec<Operation> {
        if root.member("paths").is_none() && root.member("webhooks").is_some() {
            self.report.error(root, "expected paths, found only webhooks, which a caller of the API serves");
            return Vec::new();
        }
        let Some(paths) = self.object(root, "paths") else { return Vec::new() };
        let roles = self.texts(root, ROLES);
        let mut operations = Vec::new();
        let mut known_paths: HashMap<String, &str> = HashMap::new();
        for (path, item) in paths.members().filter(|(path, _)| !path.starts_with("x-")) {
            let Some(item) = self.resolved(&item) else { continue };
            if let Err(reason) = template(path) {
                self.report.error(&item, format!("the path '{path}': {reason}"));
                continue;
            }
            let begin = operations.len();
            if self.path_item(&item, path, &mut operations).is_err() {
                break;
            }
            match known_paths.entry(shape(path)) {
                Entry::Vacant(place) => {
                    place.insert(path);
                }
                Entry::Occupied(other) => {
                    let other = *other.get();
                    let message = format!(
                        "the path '{path}' matches the same requests as '{other}', which comes first"
                    );
                    self.report.warning(&item, message);
                    hide(&mut operations, begin);
                }
            }
        }
        self.check_ids(&operations);
        for operation in &mut operations {
            operation.roles_allowed = operation.roles_allowed.take().or_else(|| roles.clone());
        }
        operations
    }

    fn path_item(
        &mut self,
        item: &Part<'d, 't>,
        path: &str,
        operations: &mut Vec<Operation>,
    ) -> Result<(), TooMany> {
        let shared = self.parameters(item, path);
        for (name, part) in item.members() {
            let Some(method) = methods::method(name) else { continue };
            if !part.node.is_object() {
                let found = part.node.describe();
                self.report.error(&part, format!("expected an operation, found {found}"));
                continue;
            }
            if operations.len() == self.limits.operation_count_max {
                let most = self.limits.operation_count_max;
                self.report.error(&part, format!("more than {most} operations (operation_count_max)"));
                return Err(TooMany);
            }
            let operation = self.operation(&part, path, &method, &shared);
            operations.push(operation);
        }
        Ok(())
    }

    fn operation(
        &mut self,
        part: &Part<'d, 't>,
        path: &str,
        method: &Method,
        shared: &[Parameter],
    ) -> Operation {
        let mut parameters = self.parameters(part, path);
        let own: HashSet<_> = parameters.iter().map(|own| (own.location, own.name.clone())).collect();
        parameters
            .extend(shared.iter().filter(|one| !own.contains(&(one.location, one.name.clone()))).cloned());
        self.check_path(part, path, &parameters);
        let text = |name: &str| part.text(name).map(str::to_owned);
        Operation {
            method: method.clone(),
            path: path.to_owned(),
            id: text("operationId"),
            summary: text("summary"),
            description: text("description"),
            tags: self.texts(part, "tags").unwrap_or_default(),
            deprecated: part.node.get("deprecated").is_some_and(document::Node::is_true),
            parameters,
            body: self.body(part),
            responses: self.responses(part),
            security: self.requirements(part),
            roles_allowed: self.texts(part, ROLES),
            place: self.place(part),
            hidden_by: None,
        }
    }

    /// Checks that each parameter of the path is described, and that each described one is in the path.
    fn check_path(&mut self, part: &Part<'d, 't>, path: &str, parameters: &[Parameter]) {
        let described: HashSet<&str> = parameters
            .iter()
            .filter(|parameter| parameter.location == Location::Path)
            .map(|parameter| parameter.name.as_str())
            .collect();
        let names: HashSet<&str> = template(path).unwrap_or_default().into_iter().collect();
        let mut wrong: Vec<String> = Vec::new();
        wrong.extend(names.difference(&described).map(|name| {
            format!("expected a parameter '{name}' in the path, as '{path}' has it, found none")
        }));
        wrong.extend(
            described.difference(&names).map(|name| {
                format!("expected '{{{name}}}' in '{path}', since a path parameter has this name")
            }),
        );
        wrong.sort();
        for message in wrong {
            self.report.error(part, message);
        }
    }

    fn check_ids(&mut self, operations: &[Operation]) {
        let mut known: HashMap<&str, &Operation> = HashMap::new();
        for operation in operations {
            let Some(id) = operation.id.as_deref() else { continue };
            let Some(other) = known.insert(id, operation) else { continue };
            let message = format!("the operationId '{id}' is also that of {} {}", other.method, other.path);
            let pointer = operation.place.pointer.trim_start_matches('#');
            if let Some(node) = self.root.at(pointer) {
                let part = Part { node, pointer: operation.place.pointer.clone() };
                self.report.error(&part, message);
            }
        }
    }
}

/// Notes for the operations from a position on which earlier operation takes all their requests.
fn hide(operations: &mut [Operation], begin: usize) {
    let (before, behind) = operations.split_at_mut(begin);
    for operation in behind {
        let same = |other: &&Operation| {
            other.method == operation.method && shape(&other.path) == shape(&operation.path)
        };
        let other = before.iter().find(same);
        operation.hidden_by = other.map(|other| format!("{} {}", other.method, other.path));
    }
}

/// The names of a path's parameters. The error says why it is not a path.
pub(super) fn template(path: &str) -> Result<Vec<&str>, String> {
    if !path.starts_with('/') {
        return Err("expected a slash at its beginning".to_owned());
    }
    let mut names = Vec::new();
    let mut rest = path;
    while let Some(start) = rest.find(['{', '}']) {
        let inner = rest[start..].strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let Some((name, behind)) = inner else {
            return Err("expected braces in pairs around each parameter".to_owned());
        };
        if name.is_empty() || name.contains(['{', '/']) {
            return Err(format!("expected the name of a parameter in braces, found '{name}'"));
        }
        if names.contains(&name) {
            return Err(format!("the parameter '{name}' is there twice"));
        }
        names.push(name);
        rest = behind;
    }
    Ok(names)
}

/// A path without the names of its parameters. Two paths of one shape match the same requests.
fn shape(path: &str) -> String {
    let mut shape = String::new();
    let mut rest = path;
    while let Some((before, behind)) = rest.split_once('{') {
        shape.push_str(before);
        shape.push_str("{}");
        rest = behind.split_once('}').map_or("", |(_, behind)| behind);
    }
    shape + rest
}
