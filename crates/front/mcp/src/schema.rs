//! The schemas of a tool, from those of its operation.

use api::Definition;
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
pub(crate) fn input(properties: &[Property], definitions: &[Definition]) -> String {
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
    let definitions = defined(definitions);
    schema.extend(definitions.as_deref().map(|definitions| (DEFINITIONS, definitions)));
    members::write(schema)
}

/// The schema of a tool's output, if every answer has one and is an object.
pub(crate) fn output(answers: &[Option<String>], definitions: &[Definition]) -> Option<String> {
    let answers: Option<Vec<&str>> = answers.iter().map(Option::as_deref).collect();
    let answers: Vec<String> = answers?.into_iter().map(tolerant).collect();
    if answers.is_empty() || !answers.iter().all(|answer| is_object(answer, definitions, 0)) {
        return None;
    }
    let definitions = defined(definitions);
    let any = format!("[{}]", answers.join(","));
    let schema = match answers.as_slice() {
        [one] => Members::parse(one).ok()?,
        _ => Members(vec![("anyOf".to_owned(), serde_json::from_str(&any).ok()?)]),
    };
    // Clients look for the type at the top, wherever the author says it.
    let kind = schema.get("type").is_none().then_some(("type", "\"object\""));
    let words = schema.0.iter().map(|(name, value)| (name.as_str(), value.get()));
    let definitions = definitions.as_deref().map(|definitions| (DEFINITIONS, definitions));
    Some(members::write(kind.into_iter().chain(words).chain(definitions)))
}

/// Where schemas stand that others refer to (JSON Schema 2020-12, core, 8.2.4).
const DEFINITIONS: &str = "$defs";
/// In front of a definition's name in a reference.
const TO_DEFINITION: &str = "#/$defs/";

fn defined(definitions: &[Definition]) -> Option<String> {
    let tolerant: Vec<(&str, String)> =
        definitions.iter().map(|one| (one.name.as_str(), tolerant(&one.schema))).collect();
    (!tolerant.is_empty())
        .then(|| members::write(tolerant.iter().map(|(name, schema)| (*name, schema.as_str()))))
}

/// True for a schema that only objects fit.
fn is_object(schema: &str, definitions: &[Definition], depth: usize) -> bool {
    let Ok(words) = Members::parse(schema) else { return false };
    if depth > SCHEMA_DEPTH_MAX {
        return false;
    }
    let list = |word: &str| {
        let value = words.get(word)?;
        serde_json::from_str::<Vec<&RawValue>>(value.get()).ok().filter(|list| !list.is_empty())
    };
    let is = |one: &&RawValue| is_object(one.get(), definitions, depth + 1);
    if let Some(kind) = words.get("type") {
        return kind.get() == "\"object\"";
    }
    let reference = words.get("$ref").and_then(|value| serde_json::from_str::<String>(value.get()).ok());
    let name = reference.as_deref().and_then(|reference| reference.strip_prefix(TO_DEFINITION));
    let definition = definitions.iter().find(|one| Some(one.name.as_str()) == name);
    definition.is_some_and(|one| is_object(&one.schema, definitions, depth + 1))
        || list("allOf").is_some_and(|all| all.iter().any(is))
        || ["anyOf", "oneOf"].iter().any(|word| list(word).is_some_and(|any| any.iter().all(is)))
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

/// A schema without `multipleOf`: clients check it with floating-point numbers, where 19.99 is not a multiple of 0.01.
pub(crate) fn tolerant(schema: &str) -> String {
    serde_json::from_str::<&RawValue>(schema)
        .map_or_else(|_| schema.to_owned(), |raw| rewrite(raw, Kind::Schema, 0))
}

/// The kind of a place in a schema. Below `not` and `if`, fewer keywords accept less, so all of them stay.
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
            let rewritten = rewrite(value, inner, depth + 1);
            // More than one may fit when less is said.
            let several = name == "oneOf" && rewritten != value.get() && members.get("anyOf").is_none();
            let is_rule = matches!(kind, Kind::Schema);
            (if several && is_rule { "anyOf" } else { name.as_str() }, rewritten)
        })
        .collect();
    members::write(rewritten.iter().map(|(name, value)| (*name, value.as_str())))
}
