//! Reads JSON Schema, from draft-04 to 2020-12 and in the dialects of OpenAPI 3: a schema becomes a
//! [`Shape`].
//!
//! References are followed, `allOf` is merged, and the keywords of several places for one value hold
//! together. Deliberately absent: checking of instances, and all keywords that constrain values without a
//! trace in a record (`if`, `not`, `dependentRequired`, `uniqueItems`).

mod merge;
mod number;
mod reference;
mod text;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use crate::diagnostic::{Place, Report};
use document::{Node, Value};

use crate::options::Alternatives;
use crate::part::Part;
use crate::shape::{Array, Kind, Member, Shape};
use merge::Merged;

/// The most values that one schema may describe, references followed.
pub const SHAPES_MAX: usize = 10_000;

/// The most schemas that are read for it.
const STEPS_MAX: usize = 200_000;

/// The most bytes of names, descriptions and listed values, references followed.
pub const SHAPE_TEXT_BYTES_MAX: usize = 4 << 20;

/// The most levels of shapes. COBOL's level numbers end earlier.
pub(crate) const SHAPE_DEPTH_MAX: usize = 64;

/// The direction of the data. Members that are only for the other direction are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To the service: `readOnly` members are left out.
    Request,
    /// From the service: `writeOnly` members are left out.
    Response,
}

/// The rules for reading a schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) alternatives: Alternatives,
    pub(crate) side: Option<Side>,
    /// Keywords beside `$ref` hold too: since draft 2019-09, and in OpenAPI 3.1.
    pub(crate) beside_reference: bool,
}

/// True for the drafts in which keywords beside `$ref` hold too.
pub(crate) fn reads_beside_reference(root: &Node<'_>) -> bool {
    if let Some(version) = root.get("openapi").and_then(Node::text) {
        return !version.starts_with("3.0");
    }
    let draft = root.get("$schema").and_then(Node::text).unwrap_or_default();
    !["draft-03", "draft-04", "draft-05", "draft-06", "draft-07"].iter().any(|old| draft.contains(old))
}

pub(crate) struct Reader<'d, 't, 'r> {
    root: Part<'d, 't>,
    rules: Rules,
    report: &'r mut Report,
    anchors: OnceCell<HashMap<String, Part<'d, 't>>>,
    shapes: usize,
    steps: usize,
    text_bytes: usize,
}

impl<'d, 't, 'r> Reader<'d, 't, 'r> {
    pub(crate) fn new(root: &'d Node<'t>, rules: Rules, report: &'r mut Report) -> Self {
        Self {
            root: Part::root(root),
            rules,
            report,
            anchors: OnceCell::new(),
            shapes: 0,
            steps: 0,
            text_bytes: 0,
        }
    }

    /// The shape of a schema; none if an error is reported.
    pub(crate) fn read(&mut self, mut part: Part<'d, 't>) -> Option<Shape> {
        part.chain = part.chain.to(&part.pointer);
        self.shape(vec![part], 0)
    }

    /// The shape of a value that all these schemas describe together.
    fn shape(&mut self, parts: Vec<Part<'d, 't>>, depth: usize) -> Option<Shape> {
        let place = parts.first().map(Part::place).unwrap_or_default();
        self.shapes += 1;
        if self.shapes > SHAPES_MAX || depth > SHAPE_DEPTH_MAX {
            let message = if self.shapes > SHAPES_MAX {
                format!("expected at most {SHAPES_MAX} values in one schema")
            } else {
                format!("expected at most {SHAPE_DEPTH_MAX} objects and arrays in each other")
            };
            self.report.error(&place, message);
            return None;
        }
        let merged = self.merge(&parts)?;
        self.shape_of(merged, place, depth)
    }

    fn shape_of(&mut self, merged: Merged<'d, 't>, place: Place, depth: usize) -> Option<Shape> {
        self.text_bytes += merged.text_bytes();
        if self.text_bytes > SHAPE_TEXT_BYTES_MAX {
            let most = SHAPE_TEXT_BYTES_MAX;
            self.report
                .error(&place, format!("expected at most {most} bytes of names, descriptions and values"));
            return None;
        }
        let kind_name = self.kind_of(&merged, &place)?;
        let kind = match kind_name {
            "object" => self.object(&merged, &place, depth)?,
            "array" => self.array(&merged, &place, depth)?,
            "string" => text::kind(&merged, &place, self.report)?,
            "boolean" => Kind::Boolean,
            "integer" | "number" => number::kind(&merged, kind_name == "integer", &place, self.report)?,
            _ => unreachable!("kind_of gives no other name"),
        };
        Some(Shape { kind, nullable: merged.nullable(), description: merged.description, place })
    }

    /// The only type of a value, besides null.
    fn kind_of(&mut self, merged: &Merged<'d, 't>, place: &Place) -> Option<&'static str> {
        let kinds: Vec<&'static str> = match &merged.types {
            Some(types) => types.iter().copied().filter(|kind| *kind != "null").collect(),
            None => merged.implied_types(),
        };
        match kinds.as_slice() {
            [kind] => Some(kind),
            [first, ..] if self.rules.alternatives == Alternatives::First => {
                let message = format!("of the types {} the first is taken", kinds.join(", "));
                self.report.warning(place, message, None);
                Some(first)
            }
            [_, ..] => {
                let message = format!("expected one type, found {}", kinds.join(", "));
                let help = "a field has one type; choose one in the schema, or take the first by option";
                self.report.error_with_help(place, message, help);
                None
            }
            [] if merged.types.as_ref().is_some_and(|types| types.contains(&"null")) => {
                self.report.error(place, "a record cannot represent a value that is always null");
                None
            }
            [] if merged.types.is_some() => {
                self.report.error(place, "the combined schemas here have no type in common");
                None
            }
            [] => {
                self.report.error_with_help(
                    place,
                    "expected a type, found none",
                    "give a type: a record cannot represent any value at all",
                );
                None
            }
        }
    }

    fn object(&mut self, merged: &Merged<'d, 't>, place: &Place, depth: usize) -> Option<Kind> {
        if let Some(other) = &merged.other_members {
            if merged.properties.is_empty() {
                self.report.error_with_help(
                    &other.place(),
                    "a record cannot represent members with names that the schema does not list",
                    "describe them as an array of objects with a name and a value",
                );
                return None;
            }
            let message = "members that the schema does not list are not part of the record";
            self.report.warning(&other.place(), message, None);
        }
        let mut members = Vec::new();
        let mut complete = true;
        for (name, parts) in &merged.properties {
            if self.is_for_the_other_side(parts) {
                continue;
            }
            match self.shape(parts.clone(), depth + 1) {
                Some(shape) => members.push(Member {
                    name: name.clone(),
                    required: merged.required.contains(name),
                    shape,
                    xml: None,
                }),
                None => complete = false,
            }
        }
        let names: HashSet<&String> = merged.properties.iter().map(|(name, _)| name).collect();
        for required in &merged.required {
            if !names.contains(required) {
                let message = format!("the required member '{required}' is not described");
                self.report.warning(place, message, None);
            }
        }
        if members.is_empty() && complete {
            self.report.error(place, "expected members ('properties'), found an object without any");
            return None;
        }
        complete.then_some(Kind::Object(members))
    }

    fn is_for_the_other_side(&self, parts: &[Part<'d, 't>]) -> bool {
        let keyword = match self.rules.side {
            Some(Side::Request) => "readOnly",
            Some(Side::Response) => "writeOnly",
            None => return false,
        };
        parts.iter().any(|part| {
            let behind = part.member("$ref").and_then(|at| self.target(&at).ok());
            [Some(part.clone()), behind]
                .into_iter()
                .flatten()
                .any(|part| part.node.get(keyword).is_some_and(Node::is_true))
        })
    }

    fn array(&mut self, merged: &Merged<'d, 't>, place: &Place, depth: usize) -> Option<Kind> {
        if let Some(tuple) = &merged.tuple {
            self.report.error_with_help(
                &tuple.place(),
                "a table cannot represent elements that differ by their position",
                "describe them as an object",
            );
            return None;
        }
        if merged.items.is_empty() {
            self.report.error(place, "expected the schema of the elements ('items'), found none");
            return None;
        }
        let items = self.shape(merged.items.clone(), depth + 1)?;
        let (min, max) = (merged.min_items.unwrap_or(0), merged.max_items);
        if max == Some(0) || max.is_some_and(|max| max < min) {
            let shown = max.map(|max| max.to_string()).unwrap_or_default();
            self.report
                .error(place, format!("expected room for an element, found {min} to {shown} elements"));
            return None;
        }
        Some(Kind::Array(Array { items: Box::new(items), min, max }))
    }
}

/// A keyword's value as a count. Any other value is reported.
fn count(part: &Part<'_, '_>, report: &mut Report) -> Option<u64> {
    if let Value::Number(text) = &part.node.value {
        let whole = crate::decimal::Decimal::parse(text).and_then(crate::decimal::Decimal::to_integer);
        if let Some(count) = whole.and_then(|whole| u64::try_from(whole).ok()) {
            return Some(count);
        }
    }
    let message = format!("expected a whole number, zero or greater, found {}", part.node.describe());
    report.error(&part.place(), message);
    None
}
