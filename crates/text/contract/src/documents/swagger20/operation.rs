//! Paths, operations, parameters and responses in the words of Swagger 2.0.

use document::{Node, Part};

use super::Writer;
use crate::documents::build::{Members, array, empty, text, truth};
use crate::documents::failures::Added;
use crate::documents::is_private;
use crate::documents::schema20::{copied, inline, schema};
use crate::methods::METHODS_20;

impl<'d, 't> Writer<'d, 't, '_, '_> {
    pub(super) fn paths(
        &mut self,
        paths: &Part<'d, 't>,
        added: &Added<'t>,
        schemes: &Members<'t>,
    ) -> Node<'t> {
        let mut made = Members::default();
        for (path, item) in paths.members() {
            if path.starts_with("x-") {
                made.put(path, copied(&item));
                continue;
            }
            let Some(item) = self.resolved(&item) else { continue };
            let mut made_item = Members::default();
            for (name, part) in item.members() {
                match name {
                    "parameters" => made_item.put(name, self.parameters(&part)),
                    "trace" => self.report.warning(&part, "Swagger 2.0 does not have the method TRACE"),
                    method if METHODS_20.contains(&method) => {
                        let operation = self.operation(&part, schemes, |responses| {
                            added.add(path, method, responses, true);
                        });
                        made_item.put(name, operation);
                    }
                    _ => {}
                }
            }
            made.put(path, made_item.into_node());
        }
        made.into_node()
    }

    fn operation(
        &mut self,
        part: &Part<'d, 't>,
        schemes: &Members<'t>,
        add: impl Fn(&mut Members<'t>),
    ) -> Node<'t> {
        let mut made = Members::default();
        let mut parameters = Vec::new();
        for (name, inner) in part.members() {
            match name {
                "parameters" => {
                    made.put(name, empty());
                    parameters.extend(inner.elements().filter_map(|one| self.parameter(&one)));
                }
                "requestBody" => {
                    let Some(body) = self.resolved(&inner) else { continue };
                    // The place of the list, which is filled when all of its members are known.
                    made.put("parameters", empty());
                    made.put_some("consumes", media_types(&body));
                    parameters.extend(self.body(&body));
                }
                "responses" => {
                    made.put_some("produces", self.produces(&inner));
                    let mut responses = self.responses(&inner);
                    add(&mut responses);
                    made.put(name, responses.into_node());
                }
                "security" => made.put(name, self.requirements(&inner, schemes)),
                "callbacks" => self.report.warning(&inner, "Swagger 2.0 has no callbacks"),
                "servers" => {}
                _ if is_private(name) => {}
                _ => made.put(name, copied(&inner)),
            }
        }
        if made.get("parameters").is_some() {
            made.put("parameters", array(parameters));
        }
        made.into_node()
    }

    fn parameters(&mut self, list: &Part<'d, 't>) -> Node<'t> {
        array(list.elements().filter_map(|part| self.parameter(&part)).collect())
    }

    fn parameter(&mut self, part: &Part<'d, 't>) -> Option<Node<'t>> {
        let part = self.resolved(part)?;
        if part.text("in") == Some("cookie") {
            self.report.warning(&part, "Swagger 2.0 has no parameters in cookies");
            return None;
        }
        if part.text("style") == Some("deepObject") {
            self.report.warning(&part, "Swagger 2.0 has no parameters that are objects");
            return None;
        }
        let mut made = Members::default();
        for (name, inner) in part.members() {
            match name {
                "name" | "in" | "description" | "required" | "allowEmptyValue" => {
                    made.put(name, copied(&inner))
                }
                _ if name.starts_with("x-") => made.put(name, copied(&inner)),
                _ => {}
            }
        }
        let rules = match part.member("schema") {
            Some(schema) => inline(&schema, self.root, self.report),
            None => {
                self.report.warning(&part, "Swagger 2.0 has no parameters that are JSON; it is text there");
                Members::default()
            }
        };
        let is_array = rules.get("type").and_then(Node::text) == Some("array");
        for (name, node) in rules.into_list() {
            made.put(&name, node);
        }
        if made.get("type").is_none() {
            made.put("type", text("string"));
        }
        if is_array {
            made.put("collectionFormat", text(collection_format(&part)));
        }
        Some(made.into_node())
    }

    /// The body as a parameter of its own.
    fn body(&mut self, body: &Part<'d, 't>) -> Option<Node<'t>> {
        let media = json(body)?;
        let mut made = Members::default();
        made.put("name", text("body"));
        made.put("in", text("body"));
        made.put_some("description", body.node.get("description").cloned());
        made.put("required", truth(body.node.get("required").is_some_and(Node::is_true)));
        made.put("schema", self.schema_of(&media));
        Some(made.into_node())
    }

    fn schema_of(&mut self, media: &Part<'d, 't>) -> Node<'t> {
        media.member("schema").map_or_else(empty, |part| schema(&part, self.report))
    }

    /// The media types of all responses.
    fn produces(&self, responses: &Part<'d, 't>) -> Option<Node<'t>> {
        let mut names: Vec<&str> = Vec::new();
        for (_, part) in responses.members() {
            let content = self.resolved(&part).and_then(|part| part.member("content"));
            for (name, _) in content.iter().flat_map(Part::members) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        (!names.is_empty()).then(|| array(names.into_iter().map(|name| text(name.to_owned())).collect()))
    }

    fn responses(&mut self, responses: &Part<'d, 't>) -> Members<'t> {
        let mut made = Members::default();
        for (name, part) in responses.members() {
            if name.ends_with("XX") {
                self.report.warning(&part, format!("Swagger 2.0 has no class of statuses {name}"));
                continue;
            }
            let Some(part) = self.resolved(&part) else { continue };
            made.put(name, self.response(&part));
        }
        if made.is_empty() {
            // Swagger requires at least one response, and there were only classes.
            let mut other = Members::default();
            other.put("description", text("Any answer."));
            made.put("default", other.into_node());
        }
        made
    }

    fn response(&mut self, part: &Part<'d, 't>) -> Node<'t> {
        let mut made = Members::default();
        made.put_some("description", part.node.get("description").cloned());
        if let Some(media) = json(part) {
            made.put("schema", self.schema_of(&media));
        }
        let mut headers = Members::default();
        for (name, header) in part.member("headers").iter().flat_map(Part::members) {
            let Some(header) = self.resolved(&header) else { continue };
            let rules = header.member("schema").map(|schema| inline(&schema, self.root, self.report));
            let mut made = Members::default();
            made.put_some("description", header.node.get("description").cloned());
            for (name, node) in rules.unwrap_or_default().into_list() {
                made.put(&name, node);
            }
            if made.get("type").is_none() {
                made.put("type", text("string"));
            }
            headers.put(name, made.into_node());
        }
        if !headers.is_empty() {
            made.put("headers", headers.into_node());
        }
        if part.node.get("links").is_some() {
            self.report.warning(part, "Swagger 2.0 has no links");
        }
        made.into_node()
    }
}

/// The JSON of the media types.
fn json<'d, 't>(owner: &Part<'d, 't>) -> Option<Part<'d, 't>> {
    let content = owner.member("content")?;
    let exact = content.members().find(|(name, _)| name.split(';').next() == Some("application/json"));
    exact.or_else(|| content.members().next()).map(|(_, media)| media)
}

fn media_types<'t>(owner: &Part<'_, 't>) -> Option<Node<'t>> {
    let content = owner.member("content")?;
    let names: Vec<Node<'t>> = content.members().map(|(name, _)| text(name.to_owned())).collect();
    (!names.is_empty()).then(|| array(names))
}

/// The form of an array, in Swagger's word.
fn collection_format(part: &Part<'_, '_>) -> &'static str {
    let form = matches!(part.text("in"), Some("query"));
    let style = part.text("style").unwrap_or(if form { "form" } else { "simple" });
    let explode = part.node.get("explode").map_or(style == "form", Node::is_true);
    match style {
        "form" | "spaceDelimited" | "pipeDelimited" if explode => "multi",
        "spaceDelimited" => "ssv",
        "pipeDelimited" => "pipes",
        _ => "csv",
    }
}
