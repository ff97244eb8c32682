//! All schemas that hold for one value, merged: the schemas themselves, their references and their `allOf`.

use std::collections::BTreeSet;

use super::{Reader, SHAPES_MAX, STEPS_MAX, count};
use crate::decimal::Decimal;
use crate::diagnostic::Report;
use document::Value;

use crate::options::Alternatives;
use crate::part::Part;

/// The types of JSON Schema.
const TYPES: &[&str] = &["object", "array", "string", "integer", "number", "boolean", "null"];

/// The most references that may lead to one schema.
pub(crate) const REFERENCES_MAX: usize = 200;

/// The most levels of schemas for one value, with references followed.
const MERGE_DEPTH_MAX: usize = 400;

/// A limit of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) value: Decimal,
    /// The value itself is outside of the limit.
    pub(super) exclusive: bool,
}

/// A value of `enum` or `const`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Allowed {
    Null,
    Text(String),
    Number(Decimal),
    Bool(bool),
    /// An object or array. A list with it does not show a type.
    Other,
}

/// The keywords that hold for one value.
#[derive(Debug, Default)]
pub(super) struct Merged<'d, 't> {
    pub(super) types: Option<Vec<&'static str>>,
    pub(super) says_nullable: bool,
    pub(super) description: Option<String>,
    pub(super) properties: Vec<(String, Vec<Part<'d, 't>>)>,
    pub(super) required: BTreeSet<String>,
    /// A schema for members that are not listed.
    pub(super) other_members: Option<Part<'d, 't>>,
    pub(super) items: Vec<Part<'d, 't>>,
    /// Schemas for elements by their position.
    pub(super) tuple: Option<Part<'d, 't>>,
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) minimum: Option<Limit>,
    pub(super) maximum: Option<Limit>,
    pub(super) multiple_of: Option<Decimal>,
    pub(super) format: Option<String>,
    pub(super) pattern: Option<String>,
    pub(super) encoding: Option<String>,
    pub(super) allowed: Option<Vec<Allowed>>,
}

impl Merged<'_, '_> {
    pub(super) fn nullable(&self) -> bool {
        let by_type = self.types.as_ref().is_some_and(|types| types.contains(&"null"));
        let by_value = self.allowed.as_ref().is_none_or(|allowed| allowed.contains(&Allowed::Null));
        (by_type || self.says_nullable) && by_value
    }

    /// The types that the other keywords imply.
    pub(super) fn implied_types(&self) -> Vec<&'static str> {
        if !self.properties.is_empty() || self.other_members.is_some() {
            return vec!["object"];
        }
        if !self.items.is_empty() || self.tuple.is_some() {
            return vec!["array"];
        }
        let mut types = Vec::new();
        for allowed in self.allowed.iter().flatten() {
            let kind = match allowed {
                Allowed::Null => continue,
                Allowed::Text(_) => "string",
                Allowed::Number(number) if number.to_integer().is_some() => "integer",
                Allowed::Number(_) => "number",
                Allowed::Bool(_) => "boolean",
                Allowed::Other => return Vec::new(),
            };
            if !types.contains(&kind) {
                types.push(kind);
            }
        }
        if types.contains(&"number") {
            types.retain(|kind| *kind != "integer");
        }
        types
    }

    /// Bytes of the texts that a shape keeps.
    pub(super) fn text_bytes(&self) -> usize {
        let texts = [&self.description, &self.format, &self.pattern];
        let names = self.properties.iter().map(|(name, _)| name.len());
        let values = self.allowed.iter().flatten().map(|allowed| match allowed {
            Allowed::Text(text) => text.len(),
            _ => size_of::<Decimal>(),
        });
        texts.into_iter().flatten().map(String::len).chain(names).chain(values).sum()
    }

    fn add_types(&mut self, part: &Part<'_, '_>, report: &mut Report) {
        let mut found = Vec::new();
        let mut add = |part: &Part<'_, '_>| match part
            .node
            .text()
            .and_then(|name| TYPES.iter().find(|kind| **kind == name))
        {
            Some(kind) => found.push(*kind),
            None => {
                let types = TYPES.join(", ");
                let message = format!("expected one of {types}, found {}", part.node.describe());
                report.error(&part.place(), message);
            }
        };
        if part.node.text().is_some() {
            add(part);
        } else if !part.node.elements().is_empty() {
            part.elements().for_each(|element| add(&element));
        } else {
            report.error(&part.place(), format!("expected a type, found {}", part.node.describe()));
        }
        // A whole number is also a number.
        if found.contains(&"number") {
            found.retain(|kind| *kind != "integer");
        }
        self.types = Some(match self.types.take() {
            None => found,
            Some(before) => {
                let integers = (before.contains(&"integer") && found.contains(&"number"))
                    || (before.contains(&"number") && found.contains(&"integer"));
                let mut both: Vec<&'static str> =
                    before.into_iter().filter(|kind| found.contains(kind)).collect();
                if integers {
                    both.push("integer");
                }
                both
            }
        });
    }

    fn add_allowed(&mut self, values: Vec<Allowed>) {
        self.allowed = Some(match self.allowed.take() {
            None => values,
            Some(before) => before.into_iter().filter(|value| values.contains(value)).collect(),
        });
    }

    fn add_limit(&mut self, limit: Limit, is_minimum: bool) {
        let side = if is_minimum { &mut self.minimum } else { &mut self.maximum };
        let narrower =
            side.is_none_or(
                |before| {
                    if is_minimum { limit.value > before.value } else { limit.value < before.value }
                },
            );
        let same = side.is_some_and(|before| limit.value == before.value);
        if narrower {
            *side = Some(limit);
        } else if let Some(before) = side.as_mut().filter(|_| same) {
            before.exclusive |= limit.exclusive;
        }
    }
}

impl<'d, 't> Reader<'d, 't, '_> {
    /// Merges schemas; none if an error is reported.
    pub(super) fn merge(&mut self, parts: &[Part<'d, 't>]) -> Option<Merged<'d, 't>> {
        let mut merged = Merged::default();
        for part in parts {
            self.merge_into(&mut merged, part, 0)?;
        }
        Some(merged)
    }

    /// Adds one schema, with its references followed, in the order of the text.
    fn merge_into(&mut self, merged: &mut Merged<'d, 't>, part: &Part<'d, 't>, depth: usize) -> Option<()> {
        self.steps += 1;
        if self.steps > STEPS_MAX || depth > MERGE_DEPTH_MAX {
            let message = if depth > MERGE_DEPTH_MAX {
                format!("expected at most {MERGE_DEPTH_MAX} schemas of one value in each other")
            } else {
                format!("expected at most {STEPS_MAX} schemas, references followed")
            };
            self.report.error(&part.place(), message);
            return None;
        }
        let followed =
            ["$ref", "$dynamicRef", "$recursiveRef"].into_iter().find_map(|name| part.member(name));
        if let Some(reference) = followed {
            // The nearer texts describe it better.
            if self.rules.beside_reference {
                describe(part, merged);
            }
            let target = self.follow(&reference)?;
            self.merge_into(merged, &target, depth + 1)?;
            if !self.rules.beside_reference {
                return Some(());
            }
        }
        self.keywords(part, merged, depth)
    }

    fn follow(&mut self, reference: &Part<'d, 't>) -> Option<Part<'d, 't>> {
        let mut target = match self.target(reference) {
            Ok(target) => target,
            Err(message) => {
                self.report.error(&reference.place(), message);
                return None;
            }
        };
        let chain: Vec<&str> = reference.chain.pointers().collect();
        if let Some(at) = chain.iter().position(|pointer| *pointer == target.pointer) {
            let mut shown: Vec<&str> = chain[..=at].iter().rev().copied().collect();
            shown.push(&target.pointer);
            self.report.error_with_help(
                &reference.place(),
                format!("the schema contains itself: {}", shown.join(" -> ")),
                "a record has a fixed depth; describe the greatest number of levels",
            );
            return None;
        }
        if chain.len() >= REFERENCES_MAX {
            let message = format!("expected at most {REFERENCES_MAX} references one after the other");
            self.report.error(&reference.place(), message);
            return None;
        }
        target.chain = reference.chain.to(&target.pointer);
        Some(target)
    }

    /// Adds the keywords of one schema.
    fn keywords(&mut self, part: &Part<'d, 't>, merged: &mut Merged<'d, 't>, depth: usize) -> Option<()> {
        match &part.node.value {
            Value::Object(_) => {}
            Value::Bool(true) => return Some(()),
            _ => {
                let message = format!("expected a schema, found {}", part.node.describe());
                self.report.error(&part.place(), message);
                return None;
            }
        }
        describe(part, merged);
        for (keyword, value) in part.members() {
            self.keyword(keyword, &value, merged);
            match keyword {
                "allOf" => {
                    for element in value.elements() {
                        self.merge_into(merged, &element, depth + 1)?;
                    }
                }
                "anyOf" | "oneOf" => {
                    if let Some(choice) = self.alternative(&value, merged)? {
                        self.merge_into(merged, &choice, depth + 1)?;
                    }
                }
                _ => {}
            }
        }
        exclusive_by_flag(part, merged);
        Some(())
    }

    fn keyword(&mut self, keyword: &str, value: &Part<'d, 't>, merged: &mut Merged<'d, 't>) {
        let report = &mut *self.report;
        let text = || value.node.text().map(str::to_owned);
        match keyword {
            "type" => merged.add_types(value, report),
            "nullable" => merged.says_nullable |= value.node.is_true(),
            "properties" => {
                for (name, schema) in value.members() {
                    match merged.properties.iter_mut().find(|(known, _)| known == name) {
                        Some((_, parts)) => parts.push(schema),
                        None => merged.properties.push((name.to_owned(), vec![schema])),
                    }
                    // There are too many members, so the rest need not be read.
                    if merged.properties.len() > SHAPES_MAX {
                        break;
                    }
                }
            }
            "required" => {
                let names = value.node.elements().iter().filter_map(|node| node.text());
                merged.required.extend(names.map(str::to_owned));
            }
            "additionalProperties" if value.node.is_object() => merged.other_members = Some(value.clone()),
            "patternProperties" if !value.node.members().is_empty() => {
                merged.other_members = Some(value.clone());
            }
            "items" if matches!(value.node.value, Value::Array(_)) => merged.tuple = Some(value.clone()),
            "prefixItems" => merged.tuple = Some(value.clone()),
            "items" => merged.items.push(value.clone()),
            "minItems" => merged.min_items = merged.min_items.max(count(value, report)),
            "maxItems" => merged.max_items = least(merged.max_items, count(value, report)),
            "minLength" => merged.min_length = merged.min_length.max(count(value, report)),
            "maxLength" => merged.max_length = least(merged.max_length, count(value, report)),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                if matches!(value.node.value, Value::Bool(_)) {
                    return;
                }
                if let Some(limit) = decimal(value, report) {
                    let exclusive = keyword.starts_with("exclusive");
                    merged.add_limit(Limit { value: limit, exclusive }, keyword.ends_with("inimum"));
                }
            }
            "multipleOf" => {
                let unit = decimal(value, report);
                // If there are several units, the finest one decides the number of decimal places.
                merged.multiple_of = match (merged.multiple_of, unit) {
                    (Some(before), Some(unit)) if before.fraction_digits() < unit.fraction_digits() => {
                        Some(before)
                    }
                    (before, unit) => unit.or(before),
                };
            }
            "format" => merged.format = text().or(merged.format.take()),
            "pattern" => merged.pattern = text().or(merged.pattern.take()),
            "contentEncoding" => merged.encoding = text().or(merged.encoding.take()),
            "enum" => {
                let values = value.node.elements().iter().map(|node| allowed(&node.value)).collect();
                merged.add_allowed(values);
            }
            "const" => merged.add_allowed(vec![allowed(&value.node.value)]),
            _ => {}
        }
    }

    /// The schema of `anyOf` or `oneOf` that is used: the only one that is not null, or the first if the
    /// rules say so. Schemas that only list required members describe no data, and are ignored.
    fn alternative(
        &mut self,
        choices: &Part<'d, 't>,
        merged: &mut Merged<'d, 't>,
    ) -> Option<Option<Part<'d, 't>>> {
        let mut shapes = Vec::new();
        for choice in choices.elements() {
            let only_null = choice.node.get("type").and_then(|node| node.text()) == Some("null");
            if only_null {
                merged.says_nullable = true;
            } else if !only_constrains(&choice) {
                shapes.push(choice);
            }
        }
        if shapes.len() > 1 && self.rules.alternatives == Alternatives::Refuse {
            self.report.error_with_help(
                &choices.place(),
                format!("expected one schema, found {} to choose from", shapes.len()),
                "a record has one shape; choose one in the schema, or take the first by option",
            );
            return None;
        }
        if shapes.len() > 1 {
            let message = format!("of {} schemas to choose from, the first is taken", shapes.len());
            self.report.warning(&choices.place(), message, None);
        }
        Some(shapes.into_iter().next())
    }
}

/// Takes the texts for people from a schema, unless a nearer schema has given them before.
fn describe(part: &Part<'_, '_>, merged: &mut Merged<'_, '_>) {
    let text = |name: &str| part.node.get(name).and_then(|node| node.text()).map(str::to_owned);
    merged.description = merged.description.take().or_else(|| text("description")).or_else(|| text("title"));
}

/// True for a schema without keywords about data: `{"required": [...]}`, `{"not": ...}`.
fn only_constrains(part: &Part<'_, '_>) -> bool {
    let members = part.node.members();
    !members.is_empty()
        && members
            .iter()
            .all(|(name, _)| matches!(name.as_str(), "required" | "not" | "title" | "description"))
}

/// Draft-04 and OpenAPI 3.0 have flags that make `minimum` and `maximum` exclusive.
fn exclusive_by_flag(part: &Part<'_, '_>, merged: &mut Merged<'_, '_>) {
    for (flag, keyword) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let limit = part.node.get(keyword).and_then(|node| match &node.value {
            Value::Number(text) => Decimal::parse(text),
            _ => None,
        });
        if let Some(value) = limit.filter(|_| part.node.get(flag).is_some_and(|node| node.is_true())) {
            merged.add_limit(Limit { value, exclusive: true }, keyword == "minimum");
        }
    }
}

fn least(before: Option<u64>, found: Option<u64>) -> Option<u64> {
    match (before, found) {
        (Some(before), Some(found)) => Some(before.min(found)),
        (before, found) => before.or(found),
    }
}

fn decimal(part: &Part<'_, '_>, report: &mut Report) -> Option<Decimal> {
    let found = match &part.node.value {
        Value::Number(text) => Decimal::parse(text),
        _ => None,
    };
    if found.is_none() {
        let message = format!("expected a number of at most 36 digits, found {}", part.node.describe());
        report.error(&part.place(), message);
    }
    found
}

fn allowed(value: &Value<'_>) -> Allowed {
    match value {
        Value::Null => Allowed::Null,
        Value::Bool(value) => Allowed::Bool(*value),
        Value::Text(text) => Allowed::Text(text.clone().into_owned()),
        Value::Number(text) => Decimal::parse(text).map_or(Allowed::Other, Allowed::Number),
        Value::Array(_) | Value::Object(_) => Allowed::Other,
    }
}
