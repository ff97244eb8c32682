//! The schemas of a tool, from those of its operation.

use serde_json::value::RawValue;

use crate::members::{self, Members, quoted};

/// How deep schemas may nest; what is deeper is taken as it is.
const SCHEMA_DEPTH_MAX: usize = 64;

/// One property of a tool's input.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: String,
    /// JSON text.
    pub(crate) schema: String,
    pub(crate) required: bool,
}

/// The schema of a tool's input: an object of these properties and no others.
pub(crate) fn input(properties: &[Property]) -> String {
    let known = properties.iter().map(|property| (property.name.as_str(), property.schema.as_str()));
    let known = members::write(known);
    let required: Vec<String> = properties
        .iter()
        .filter(|property| property.required)
        .map(|property| quoted(&property.name))
        .collect();
    let required = format!("[{}]", required.join(","));
    let mut schema = vec![("type", "\"object\""), ("properties", known.as_str())];
    if required.len() > 2 {
        schema.push(("required", &required));
    }
    schema.push(("additionalProperties", "false"));
    members::write(schema)
}

/// The schema of a tool's output, if every answer is an object.
pub(crate) fn output(answers: &[String]) -> Option<String> {
    let answers: Vec<String> = answers.iter().map(|answer| tolerant(answer)).collect();
    if answers.is_empty() || !answers.iter().all(|answer| is_object(answer)) {
        return None;
    }
    match answers.as_slice() {
        [one] => Some(one.clone()),
        several => {
            let any = format!("[{}]", several.join(","));
            Some(members::write([("type", "\"object\""), ("anyOf", any.as_str())]))
        }
    }
}

fn is_object(schema: &str) -> bool {
    let members = Members::parse(schema).ok();
    members.and_then(|members| members.get("type")).is_some_and(|kind| kind.get() == "\"object\"")
}

/// A schema with a description, unless it has one.
pub(crate) fn described(schema: &str, description: Option<&str>) -> String {
    let (Ok(known), Some(description)) = (Members::parse(schema), description) else {
        return schema.to_owned();
    };
    if known.get("description").is_some() {
        return schema.to_owned();
    }
    let description = quoted(description);
    let known = known.0.iter().map(|(name, value)| (name.as_str(), value.get()));
    members::write(known.chain([("description", description.as_str())]))
}

/// A schema without `multipleOf`: clients check it with floating-point numbers, where 19.99 is no multiple of 0.01.
pub(crate) fn tolerant(schema: &str) -> String {
    serde_json::from_str::<&RawValue>(schema)
        .map_or_else(|_| schema.to_owned(), |raw| rewrite(raw, Kind::Schema, 0))
}

/// What stands at a place of a schema.
#[derive(Clone, Copy)]
enum Kind {
    Schema,
    /// An object whose members are schemas.
    Named,
    /// Anything else: values, limits, texts.
    Other,
}

fn kind_of(keyword: &str) -> Kind {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => Kind::Named,
        "items"
        | "prefixItems"
        | "contains"
        | "additionalProperties"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "anyOf"
        | "oneOf"
        | "allOf"
        | "not"
        | "if"
        | "then"
        | "else" => Kind::Schema,
        _ => Kind::Other,
    }
}

fn rewrite(value: &RawValue, kind: Kind, depth: usize) -> String {
    let text = value.get();
    if depth > SCHEMA_DEPTH_MAX || matches!(kind, Kind::Other) {
        return text.to_owned();
    }
    if let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(text) {
        let list: Vec<String> = list.into_iter().map(|item| rewrite(item, kind, depth + 1)).collect();
        return format!("[{}]", list.join(","));
    }
    let Ok(members) = Members::parse(text) else { return text.to_owned() };
    let kept = members.0.iter().filter(|(name, _)| matches!(kind, Kind::Named) || name != "multipleOf");
    let rewritten: Vec<(&str, String)> = kept
        .map(|(name, value)| {
            let inner = if matches!(kind, Kind::Named) { Kind::Schema } else { kind_of(name) };
            (name.as_str(), rewrite(value, inner, depth + 1))
        })
        .collect();
    members::write(rewritten.iter().map(|(name, value)| (*name, value.as_str())))
}
