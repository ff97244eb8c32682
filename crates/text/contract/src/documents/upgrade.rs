//! A Swagger 2.0 document in the words of OpenAPI 3.0. Another module turns these into 3.1.

use document::{Node, Part, Value};

use super::build::{Members, array, empty, map_elements, map_members, one, text};
use super::is_private;
use crate::methods::METHODS_20;
use crate::read::{FORM, MULTIPART};

/// Words of a Swagger parameter or header that belong to its schema in OpenAPI 3.
pub(super) const SCHEMA_WORDS: [&str; 17] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "x-nullable",
];

/// Rewrites a whole document.
pub(super) fn upgraded<'t>(root: &Node<'t>) -> Node<'t> {
    let upgrade = Upgrade { root };
    let mut made = Members::default();
    let mut components = Members::default();
    made.put("openapi", text("3.0.3"));
    for (name, part) in Part::root(root).members() {
        match name {
            "swagger" | "host" | "basePath" | "schemes" | "consumes" | "produces" | "parameters"
            | "responses" => {}
            "definitions" => components.put("schemas", map_members(part.node.clone(), schema)),
            "securityDefinitions" => {
                let mut schemes = Members::default();
                for (name, part) in part.members() {
                    schemes.put(name, security_scheme(&part));
                }
                components.put("securitySchemes", schemes.into_node());
            }
            "paths" => made.put(name, upgrade.paths(&part)),
            _ if is_private(name) => {}
            _ => made.put(name, part.node.clone()),
        }
    }
    made.put("components", components.into_node());
    made.into_node()
}

struct Upgrade<'d, 't> {
    root: &'d Node<'t>,
}

impl<'d, 't> Upgrade<'d, 't> {
    fn paths(&self, paths: &Part<'d, 't>) -> Node<'t> {
        let mut made = Members::default();
        for (path, item) in paths.members() {
            let Ok(item) = item.resolved(self.root) else { continue };
            let mut made_item = Members::default();
            for (name, part) in item.members() {
                match name {
                    "parameters" => {
                        let all = part.elements().filter_map(|one| self.parameter(&one));
                        made_item.put(name, array(all.collect()));
                    }
                    method if METHODS_20.contains(&method) => made_item.put(name, self.operation(&part)),
                    _ => made_item.put(name, part.node.clone()),
                }
            }
            made.put(path, made_item.into_node());
        }
        made.into_node()
    }

    fn operation(&self, part: &Part<'d, 't>) -> Node<'t> {
        let mut made = Members::default();
        for (name, inner) in part.members() {
            match name {
                "parameters" => {
                    made.put(name, array(inner.elements().filter_map(|one| self.parameter(&one)).collect()));
                    let body = inner.elements().find_map(|one| self.body(part, &one));
                    made.put_some("requestBody", body.or_else(|| self.form(part, &inner)));
                }
                "responses" => {
                    let mut responses = Members::default();
                    for (status, response) in inner.members() {
                        let Ok(response) = response.resolved(self.root) else { continue };
                        responses.put(status, self.response(part, &response));
                    }
                    made.put(name, responses.into_node());
                }
                "consumes" | "produces" | "schemes" => {}
                _ => made.put(name, inner.node.clone()),
            }
        }
        made.into_node()
    }

    /// A parameter that is not a body.
    fn parameter(&self, part: &Part<'d, 't>) -> Option<Node<'t>> {
        let part = part.resolved(self.root).ok()?;
        if matches!(part.text("in"), Some("body" | "formData")) {
            return None;
        }
        let mut made = parts(&part);
        let is_query = part.text("in") == Some("query");
        if part.text("type") == Some("array") {
            let (style, explode) = match part.text("collectionFormat") {
                Some("multi") => ("form", true),
                Some("ssv") => ("spaceDelimited", false),
                Some("pipes") => ("pipeDelimited", false),
                _ if is_query => ("form", false),
                _ => ("simple", false),
            };
            made.put("style", text(style));
            made.put("explode", super::build::truth(explode));
        }
        Some(made.into_node())
    }

    fn body(&self, operation: &Part<'d, 't>, part: &Part<'d, 't>) -> Option<Node<'t>> {
        let part = part.resolved(self.root).ok()?;
        if part.text("in") != Some("body") {
            return None;
        }
        let mut made = Members::default();
        made.put_some("description", part.node.get("description").cloned());
        made.put_some("required", part.node.get("required").cloned());
        made.put("content", self.content(operation, "consumes", part.node.get("schema")));
        Some(made.into_node())
    }

    /// The fields of a form as one body.
    fn form(&self, operation: &Part<'d, 't>, parameters: &Part<'d, 't>) -> Option<Node<'t>> {
        let (mut fields, mut needed, mut has_file) = (Members::default(), Vec::new(), false);
        for part in parameters.elements().filter_map(|one| one.resolved(self.root).ok()) {
            let (Some("formData"), Some(name)) = (part.text("in"), part.text("name")) else { continue };
            has_file |= part.text("type") == Some("file");
            let mut field = parts(&part);
            let described = field.remove("description");
            let mut schema = Members::of(field.remove("schema").unwrap_or_else(empty));
            schema.put_some("description", described);
            fields.put(name, schema.into_node());
            if part.node.get("required").is_some_and(Node::is_true) {
                needed.push(text(name.to_owned()));
            }
        }
        if fields.is_empty() {
            return None;
        }
        let is_needed = !needed.is_empty();
        let mut schema = Members::default();
        schema.put("type", text("object"));
        if is_needed {
            schema.put("required", array(needed));
        }
        schema.put("properties", fields.into_node());
        let named = operation.node.get("consumes").or_else(|| self.root.get("consumes"));
        let mut named = named.map(Node::elements).unwrap_or_default().iter().filter_map(Node::text);
        let is_multipart = has_file || named.any(|name| name == MULTIPART);
        let media_type = if is_multipart { MULTIPART } else { FORM };
        let mut made = Members::default();
        made.put("required", super::build::truth(is_needed));
        made.put("content", one(media_type, one("schema", schema.into_node())));
        Some(made.into_node())
    }

    fn response(&self, operation: &Part<'d, 't>, part: &Part<'d, 't>) -> Node<'t> {
        let mut made = Members::default();
        for (name, inner) in part.members() {
            match name {
                "schema" => made.put("content", self.content(operation, "produces", Some(inner.node))),
                "headers" => {
                    let mut headers = Members::default();
                    for (name, header) in inner.members() {
                        headers.put(name, parts(&header).into_node());
                    }
                    made.put(name, headers.into_node());
                }
                "examples" => {}
                _ => made.put(name, inner.node.clone()),
            }
        }
        made.into_node()
    }

    /// The same schema for each media type.
    fn content(&self, operation: &Part<'d, 't>, list: &str, schema_node: Option<&Node<'t>>) -> Node<'t> {
        let own = operation.node.get(list).or_else(|| self.root.get(list));
        let mut names: Vec<&str> =
            own.map(Node::elements).unwrap_or_default().iter().filter_map(Node::text).collect();
        if names.is_empty() {
            names.push("application/json");
        }
        let media = one("schema", schema_node.cloned().map_or_else(empty, schema));
        let mut made = Members::default();
        for name in names {
            made.put(name, media.clone());
        }
        made.into_node()
    }
}

/// A parameter or header with its schema in a member of its own.
fn parts<'t>(part: &Part<'_, 't>) -> Members<'t> {
    let (mut made, mut rules) = (Members::default(), Members::default());
    for (name, inner) in part.members() {
        match name {
            "collectionFormat" => {}
            _ if SCHEMA_WORDS.contains(&name) => rules.put(name, inner.node.clone()),
            _ => made.put(name, inner.node.clone()),
        }
    }
    made.put("schema", schema(rules.into_node()));
    made
}

/// A schema with the references and the words of OpenAPI 3.0.
fn schema(node: Node<'_>) -> Node<'_> {
    if !node.is_object() {
        return node;
    }
    let mut members = Members::of(node);
    if let Some(name) =
        members.get("$ref").and_then(Node::text).and_then(|text| text.strip_prefix("#/definitions/"))
    {
        return one("$ref", text(format!("#/components/schemas/{name}")));
    }
    members.remove("collectionFormat");
    if let Some(nullable) = members.remove("x-nullable") {
        members.put("nullable", nullable);
    }
    if let Some(property) = members.remove("discriminator") {
        members.put("discriminator", one("propertyName", property));
    }
    if members.get("type").and_then(Node::text) == Some("file") {
        members.put("type", text("string"));
        members.put("format", text("binary"));
    }
    members
        .map(|name, node| match name {
            "properties" => map_members(node, schema),
            "allOf" => map_elements(node, schema),
            "items" | "additionalProperties" => schema(node),
            _ => node,
        })
        .into_node()
}

fn security_scheme<'t>(part: &Part<'_, 't>) -> Node<'t> {
    let mut made = Members::default();
    match part.text("type") {
        Some("basic") => {
            made.put("type", text("http"));
            made.put("scheme", text("basic"));
        }
        Some("oauth2") => {
            let flow = match part.text("flow") {
                Some("application") => "clientCredentials",
                Some("accessCode") => "authorizationCode",
                Some("password") => "password",
                _ => "implicit",
            };
            let mut rules = Members::default();
            for name in ["authorizationUrl", "tokenUrl"] {
                rules.put_some(name, part.node.get(name).cloned());
            }
            rules.put("scopes", part.node.get("scopes").cloned().unwrap_or_else(empty));
            made.put("type", text("oauth2"));
            made.put("flows", one(flow, rules.into_node()));
        }
        _ => return Node { offset: 0, value: Value::Object(part.node.members().to_vec()) },
    }
    made.put_some("description", part.node.get("description").cloned());
    made.into_node()
}
