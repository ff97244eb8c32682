//! Turns a document of OpenAPI 3 into one of Swagger 2.0. Parts that Swagger cannot have are noted with their
//! places.

mod operation;
mod security;

use document::{Node, Part};

use super::build::{Members, empty, text};
use super::failures::Added;
use super::schema20::{copied, schema};
use super::{Rendering, is_private};
use crate::problem::Report;

/// Makes a Swagger document of one of OpenAPI 3.
pub(super) struct Writer<'d, 't, 'r, 'x> {
    pub(super) root: &'d Node<'t>,
    pub(super) report: &'r mut Report<'x>,
}

impl<'d, 't, 'r, 'x> Writer<'d, 't, 'r, 'x> {
    pub(super) fn new(root: &'d Node<'t>, report: &'r mut Report<'x>) -> Self {
        Self { root, report }
    }

    /// Writes the document.
    pub(super) fn document(mut self, rendering: &Rendering<'t>, added: &Added<'t>) -> Node<'t> {
        let root = Part::root(self.root);
        let mut made = Members::default();
        made.put("swagger", text("2.0"));
        made.put_some("info", root.member("info").map(|part| self.info(&part)));
        made.put("basePath", text(base_path(rendering)));
        let schemes = self.security_definitions(&root);
        for (name, part) in root.members() {
            match name {
                "tags" | "externalDocs" => made.put(name, copied(&part)),
                "paths" => {
                    let paths = self.paths(&part, added, &schemes);
                    made.put(name, paths);
                }
                "security" => made.put(name, self.requirements(&part, &schemes)),
                "webhooks" => self.report.warning(&part, "Swagger 2.0 has no webhooks"),
                _ if name.starts_with("x-") && !is_private(name) => made.put(name, copied(&part)),
                _ => {}
            }
        }
        made.put("definitions", self.definitions(&root, added));
        if !schemes.is_empty() {
            made.put("securityDefinitions", schemes.into_node());
        }
        made.into_node()
    }

    /// The title page, without words of later versions.
    fn info(&mut self, part: &Part<'d, 't>) -> Node<'t> {
        let mut info = Members::of(copied(part));
        info.remove("summary");
        if let Some(license) = info.remove("license") {
            let mut license = Members::of(license);
            license.remove("identifier");
            info.put("license", license.into_node());
        }
        info.into_node()
    }

    fn definitions(&mut self, root: &Part<'d, 't>, added: &Added<'t>) -> Node<'t> {
        let mut made = Members::default();
        let schemas = root.member("components").and_then(|components| components.member("schemas"));
        for (name, part) in schemas.iter().flat_map(Part::members) {
            made.put(name, schema(&part, self.report));
        }
        if !added.is_empty() {
            made.put(&added.name, added.schema.clone());
        }
        made.into_node()
    }

    /// The target of a reference. References without a target were reported when the document was read.
    fn resolved(&self, part: &Part<'d, 't>) -> Option<Part<'d, 't>> {
        part.resolved(self.root).ok()
    }
}

fn base_path<'t>(rendering: &Rendering<'t>) -> &'t str {
    if rendering.base_path.is_empty() { "/" } else { rendering.base_path }
}

/// A Swagger document, unchanged except for the base path and the failures.
pub(super) fn same<'t>(root: &Node<'t>, rendering: &Rendering<'t>, added: &Added<'t>) -> Node<'t> {
    let mut made = Members::of(root.clone());
    made.retain(|name| !is_private(name) && !matches!(name, "host" | "schemes"));
    made.put("basePath", text(base_path(rendering)));
    let mut made = made.map(|name, node| match name {
        "paths" => Members::of(node).map(|path, item| same_item(path, item, added)).into_node(),
        _ => node,
    });
    if !added.is_empty() {
        let mut definitions = Members::of(made.get("definitions").cloned().unwrap_or_else(empty));
        definitions.put(&added.name, added.schema.clone());
        made.put("definitions", definitions.into_node());
    }
    made.into_node()
}

fn same_item<'t>(path: &str, item: Node<'t>, added: &Added<'t>) -> Node<'t> {
    if !item.is_object() {
        return item;
    }
    Members::of(item)
        .map(|method, node| {
            if !node.is_object() {
                return node;
            }
            let mut operation = Members::of(node);
            operation.retain(|name| !is_private(name));
            let operation = operation.map(|name, node| match name {
                "responses" => {
                    let mut responses = Members::of(node);
                    added.add(path, method, &mut responses, true);
                    responses.into_node()
                }
                _ => node,
            });
            operation.into_node()
        })
        .into_node()
}
