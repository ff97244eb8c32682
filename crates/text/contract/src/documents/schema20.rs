//! A schema in the words of Swagger 2.0. Parts that these cannot have are noted, and stated in the
//! description for people.

use document::{Node, Part, Value};

use super::build::{Members, array, empty, node, one, text, truth};
use crate::problem::Report;

/// Words that Swagger 2.0 takes unchanged.
const SAME: [&str; 20] = [
    "title",
    "description",
    "default",
    "format",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "required",
    "enum",
    "readOnly",
    "xml",
    "externalDocs",
    "example",
    "type",
];

/// Words that are not rules. Their loss changes nothing.
const DROPPED: [&str; 7] =
    ["$schema", "$comment", "$id", "$anchor", "$defs", "definitions", "contentMediaType"];

/// The place of schemas with names in the author's document.
const COMPONENTS: &str = "#/components/schemas/";

/// Rewrites a schema and those in it.
pub(super) fn schema<'t>(part: &Part<'_, 't>, report: &mut Report<'_>) -> Node<'t> {
    match &part.node.value {
        Value::Bool(true) => return empty(),
        Value::Bool(false) => {
            report.warning(part, "Swagger 2.0 cannot say that no value fits");
            return empty();
        }
        _ => {}
    }
    if let Some(reference) = part.text("$ref") {
        return referred(part, reference, report);
    }
    rules(part, report).into_node()
}

/// A reference, with the words beside it in a schema around it.
fn referred<'t>(part: &Part<'_, 't>, reference: &str, report: &mut Report<'_>) -> Node<'t> {
    let Some(name) = reference.strip_prefix(COMPONENTS).filter(|name| !name.contains('/')) else {
        report.warning(part, format!("Swagger 2.0 cannot refer to '{reference}'"));
        return empty();
    };
    let reference = one("$ref", text(format!("#/definitions/{name}")));
    let mut beside = rules(part, report);
    if beside.is_empty() {
        return reference;
    }
    let mut all = vec![reference];
    if let Some(Node { value: Value::Array(more), .. }) = beside.remove("allOf") {
        all.extend(more);
    }
    beside.put("allOf", array(all));
    beside.into_node()
}

fn rules<'t>(part: &Part<'_, 't>, report: &mut Report<'_>) -> Members<'t> {
    let mut made = Members::default();
    for (name, inner) in part.members() {
        match name {
            "$ref" => {}
            "type" => kind(&inner, &mut made, report),
            "nullable" => made.put("x-nullable", inner.node.clone()),
            "deprecated" => made.put("x-deprecated", inner.node.clone()),
            "const" => made.put("enum", array(vec![inner.node.clone()])),
            "examples" => made.put_some("example", inner.node.elements().first().cloned()),
            "minimum" | "maximum" => {
                if made.get(name).is_none() {
                    made.put(name, inner.node.clone());
                }
            }
            "exclusiveMinimum" => bound(&inner, "minimum", name, &mut made),
            "exclusiveMaximum" => bound(&inner, "maximum", name, &mut made),
            "contentEncoding" if inner.node.text() == Some("base64") => made.put("format", text("byte")),
            "discriminator" => discriminator(part, &inner, &mut made, report),
            "properties" => made.put(name, members(&inner, report)),
            "items" | "additionalProperties"
                if matches!(inner.node.value, Value::Bool(_)) && name != "items" =>
            {
                made.put(name, inner.node.clone());
            }
            "items" | "additionalProperties" => made.put(name, schema(&inner, report)),
            "allOf" => made.put(name, list(&inner, report)),
            "anyOf" | "oneOf" => alternatives(&inner, &mut made, report),
            _ if SAME.contains(&name) || name.starts_with("x-") => made.put(name, inner.node.clone()),
            _ if DROPPED.contains(&name) => {}
            _ => report.warning(&inner, format!("Swagger 2.0 does not have '{name}'")),
        }
    }
    if made.get("type").and_then(Node::text) == Some("array") && made.get("items").is_none() {
        made.put("items", empty());
    }
    made
}

fn members<'t>(part: &Part<'_, 't>, report: &mut Report<'_>) -> Node<'t> {
    let mut made = Members::default();
    for (name, inner) in part.members() {
        made.put(name, schema(&inner, report));
    }
    made.into_node()
}

fn list<'t>(part: &Part<'_, 't>, report: &mut Report<'_>) -> Node<'t> {
    array(part.elements().map(|inner| schema(&inner, report)).collect())
}

/// One type, and null as a common extension.
fn kind<'t>(part: &Part<'_, 't>, made: &mut Members<'t>, report: &mut Report<'_>) {
    if part.node.text().is_some() {
        made.put("type", part.node.clone());
        return;
    }
    let words: Vec<&str> = part.node.elements().iter().filter_map(Node::text).collect();
    let others: Vec<&str> = words.iter().copied().filter(|word| *word != "null").collect();
    if words.len() > others.len() {
        made.put("x-nullable", truth(true));
    }
    match others.as_slice() {
        [one] => made.put("type", text((*one).to_owned())),
        _ => report.warning(part, format!("Swagger 2.0 has one type, not {}", others.join(" or "))),
    }
}

/// An exclusive bound with its own number becomes a bound with a truth value.
fn bound<'t>(part: &Part<'_, 't>, name: &str, exclusive: &str, made: &mut Members<'t>) {
    if !matches!(part.node.value, Value::Bool(_)) {
        made.put(name, part.node.clone());
        made.put(exclusive, truth(true));
        return;
    }
    made.put(exclusive, part.node.clone());
}

/// Swagger's discriminator is the name of a required property.
fn discriminator<'t>(
    owner: &Part<'_, 't>,
    part: &Part<'_, 't>,
    made: &mut Members<'t>,
    report: &mut Report<'_>,
) {
    let name = part.text("propertyName").unwrap_or_default();
    let required = owner.node.get("required").map(Node::elements).unwrap_or_default();
    let known = owner.node.get("properties").is_some_and(|properties| properties.get(name).is_some());
    if known && required.iter().any(|one| one.text() == Some(name)) {
        made.put("discriminator", text(name.to_owned()));
    } else {
        report.warning(part, "Swagger 2.0 has discriminators only as required properties of the same schema");
    }
}

/// Alternatives become a text for people. A single one beside null stays.
fn alternatives<'t>(part: &Part<'_, 't>, made: &mut Members<'t>, report: &mut Report<'_>) {
    let is_null = |inner: &Part<'_, '_>| inner.text("type") == Some("null");
    let others: Vec<Part<'_, 't>> = part.elements().filter(|inner| !is_null(inner)).collect();
    if others.len() < part.node.elements().len() {
        made.put("x-nullable", truth(true));
    }
    if let [only] = others.as_slice() {
        let mut all = match made.remove("allOf").map(|node| node.value) {
            Some(Value::Array(all)) => all,
            _ => Vec::new(),
        };
        all.push(schema(only, report));
        made.put("allOf", array(all));
        return;
    }
    let names: Vec<String> = others.iter().map(told).collect();
    let before =
        made.get("description").and_then(Node::text).map(|text| format!("{text} ")).unwrap_or_default();
    made.put("description", text(format!("{before}One of: {}.", names.join(", "))));
    report.warning(part, "Swagger 2.0 has no alternatives; they are in the description");
}

/// A short text for an alternative.
fn told(part: &Part<'_, '_>) -> String {
    let name = part.text("$ref").and_then(|reference| reference.strip_prefix(COMPONENTS));
    let name = name.or_else(|| part.text("title")).or_else(|| part.text("type"));
    name.unwrap_or("another schema").to_owned()
}

/// The rules of a parameter or header. Swagger has its schema in the parameter itself.
pub(super) fn inline<'t>(part: &Part<'_, 't>, root: &Node<'t>, report: &mut Report<'_>) -> Members<'t> {
    let Ok(part) = part.resolved(root) else { return Members::default() };
    let mut made = rules(&part, report);
    made.remove("description");
    for name in
        ["title", "example", "xml", "externalDocs", "readOnly", "discriminator", "properties", "required"]
    {
        made.remove(name);
    }
    if let Some(items) = part.member("items") {
        made.put("items", inline(&items, root, report).into_node());
    }
    made.remove("allOf");
    if made.get("type").is_none() {
        made.put("type", text(listed_type(&made)));
    }
    made
}

/// The type of listed values, because Swagger requires one.
fn listed_type(made: &Members<'_>) -> &'static str {
    let values = made.get("enum").map(Node::elements).unwrap_or_default();
    let all = |is: fn(&Value<'_>) -> bool| !values.is_empty() && values.iter().all(|value| is(&value.value));
    if all(|value| matches!(value, Value::Number(_))) {
        "number"
    } else if all(|value| matches!(value, Value::Bool(_))) {
        "boolean"
    } else {
        "string"
    }
}

/// A value of the document, unchanged.
pub(super) fn copied<'t>(part: &Part<'_, 't>) -> Node<'t> {
    node(part.node.value.clone())
}
