//! Turns a document of OpenAPI 3 into one of 3.1: all schemas are changed, the rest stays.

use document::{Node, Value};

use super::build::{Members, empty, map_elements, map_members, text};
use super::failures::{Added, servers};
use super::schema31::schema;
use super::{Rendering, is_private};
use crate::contract::Version;
use crate::methods::METHODS;

/// The language of the schemas: the default of OpenAPI 3.1.
const DIALECT: &str = "https://spec.openapis.org/oas/3.1/dialect/base";

/// Writes the document.
pub(super) fn document<'t>(
    root: &Node<'t>,
    version: Version,
    rendering: &Rendering<'t>,
    added: &Added<'t>,
) -> Node<'t> {
    let walk = Walk { changes: version != Version::OpenApi31, added };
    let mut members = Members::of(root.clone());
    members.retain(|name| !is_private(name));
    if walk.changes {
        members.put("openapi", text("3.1.0"));
        members.put("jsonSchemaDialect", text(DIALECT));
    }
    members.put("servers", servers(rendering.base_path));
    let mut root = members.map(|name, node| match name {
        "paths" => {
            let paths = Members::of(node);
            paths.map(|path, item| walk.path_item(item, Some(path))).into_node()
        }
        "webhooks" => map_members(node, |item| walk.path_item(item, None)),
        "components" => walk.components(node),
        _ => node,
    });
    if !added.is_empty() {
        let mut components = Members::of(root.get("components").cloned().unwrap_or_else(empty));
        let mut schemas = Members::of(components.get("schemas").cloned().unwrap_or_else(empty));
        schemas.put(&added.name, added.schema.clone());
        components.put("schemas", schemas.into_node());
        root.put("components", components.into_node());
    }
    root.into_node()
}

struct Walk<'a, 't> {
    /// The schemas are those of 3.0.
    changes: bool,
    added: &'a Added<'t>,
}

impl<'t> Walk<'_, 't> {
    fn components(&self, components: Node<'t>) -> Node<'t> {
        Members::of(components)
            .map(|name, list| match name {
                "schemas" => map_members(list, |node| self.schema(node)),
                "responses" => map_members(list, |node| self.response(node)),
                "parameters" | "headers" => map_members(list, |node| self.parameter(node)),
                "requestBodies" => map_members(list, |node| self.content_of(node)),
                "callbacks" => map_members(list, |node| map_members(node, |item| self.path_item(item, None))),
                "pathItems" => map_members(list, |item| self.path_item(item, None)),
                _ => list,
            })
            .into_node()
    }

    /// A path item. Failures are added to the operations of the named path.
    fn path_item(&self, item: Node<'t>, path: Option<&str>) -> Node<'t> {
        if !item.is_object() {
            return item;
        }
        let mut members = Members::of(item);
        // One server serves all operations.
        members.remove("servers");
        members
            .map(|name, node| match name {
                "parameters" => map_elements(node, |node| self.parameter(node)),
                method if METHODS.contains(&method) => self.operation(node, path, method),
                _ => node,
            })
            .into_node()
    }

    fn operation(&self, operation: Node<'t>, path: Option<&str>, method: &str) -> Node<'t> {
        let mut members = Members::of(operation);
        members.remove("servers");
        members.retain(|name| !is_private(name));
        members
            .map(|name, node| match name {
                "parameters" => map_elements(node, |node| self.parameter(node)),
                "requestBody" => self.content_of(node),
                "responses" => {
                    let mut responses = Members::of(map_members(node, |node| self.response(node)));
                    if let Some(path) = path {
                        self.added.add(path, method, &mut responses, false);
                    }
                    responses.into_node()
                }
                "callbacks" => map_members(node, |node| map_members(node, |item| self.path_item(item, None))),
                _ => node,
            })
            .into_node()
    }

    fn response(&self, response: Node<'t>) -> Node<'t> {
        if !response.is_object() {
            return response;
        }
        Members::of(self.content_of(response))
            .map(|name, node| match name {
                "headers" => map_members(node, |node| self.parameter(node)),
                _ => node,
            })
            .into_node()
    }

    fn parameter(&self, parameter: Node<'t>) -> Node<'t> {
        if !parameter.is_object() {
            return parameter;
        }
        Members::of(self.content_of(parameter))
            .map(|name, node| match name {
                "schema" => self.schema(node),
                _ => node,
            })
            .into_node()
    }

    /// A value with `content`.
    fn content_of(&self, owner: Node<'t>) -> Node<'t> {
        if !owner.is_object() {
            return owner;
        }
        Members::of(owner)
            .map(|name, node| match name {
                "content" => map_members(node, |media| self.media_type(media)),
                _ => node,
            })
            .into_node()
    }

    fn media_type(&self, media: Node<'t>) -> Node<'t> {
        if !media.is_object() {
            return media;
        }
        Members::of(media)
            .map(|name, node| match name {
                "schema" => self.schema(node),
                _ => node,
            })
            .into_node()
    }

    fn schema(&self, node: Node<'t>) -> Node<'t> {
        match node.value {
            Value::Object(_) if self.changes => schema(node),
            _ => node,
        }
    }
}
