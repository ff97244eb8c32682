//! A schema of OpenAPI 3.0 in the words of 3.1, which are those of JSON Schema 2020-12.

use document::{Node, Value};

use super::build::{Members, array, map_elements, map_members, text};

/// Rewrites a schema and those in it. They nest no deeper than documents may.
pub(super) fn schema(node: Node<'_>) -> Node<'_> {
    if !node.is_object() {
        return node;
    }
    let mut members = Members::of(node);
    if members.get("$ref").is_some() {
        // Words beside a reference have no effect in 3.0, and must not get one.
        members.retain(|name| name == "$ref");
        return members.into_node();
    }
    nullable(&mut members);
    bound(&mut members, "minimum", "exclusiveMinimum");
    bound(&mut members, "maximum", "exclusiveMaximum");
    let mut members = members.map(|name, node| match name {
        "properties" | "patternProperties" => map_members(node, schema),
        "allOf" | "anyOf" | "oneOf" => map_elements(node, schema),
        "items" | "additionalProperties" | "not" => schema(node),
        _ => node,
    });
    if let Some(example) = members.remove("example") {
        members.put("examples", array(vec![example]));
    }
    members.into_node()
}

/// `nullable` becomes a type. Without a type beside it, it has no effect.
pub(super) fn nullable(members: &mut Members<'_>) {
    let nullable = members.remove("nullable").is_some_and(|node| node.is_true());
    let kind = members.get("type").and_then(|kind| kind.text()).map(str::to_owned);
    if let Some(kind) = kind.filter(|_| nullable) {
        members.put("type", array(vec![text(kind), text("null")]));
    }
}

/// A bound with a truth value that excludes it becomes an exclusive bound.
pub(super) fn bound(members: &mut Members<'_>, name: &str, exclusive: &str) {
    let Some(Value::Bool(excludes)) = members.get(exclusive).map(|node| &node.value) else { return };
    let excludes = *excludes;
    members.remove(exclusive);
    if excludes && let Some(limit) = members.remove(name) {
        members.put(exclusive, limit);
    }
}
