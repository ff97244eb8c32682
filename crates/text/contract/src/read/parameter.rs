//! Parameters of path items and operations: the form and the schema of each.

use std::collections::HashSet;

use super::Reader;
use crate::contract::Version;
use crate::operation::{Location, Parameter, Style};
use crate::schema::{MemberTypes, SchemaId, TextTypes};
use document::Part;

/// Headers that other parts of a document describe. OpenAPI ignores parameters with these names.
const IGNORED_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

impl<'d, 't> Reader<'d, 't> {
    /// The parameters of one list.
    pub(super) fn parameters(&mut self, owner: &Part<'d, 't>, path: &str) -> Vec<Parameter> {
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut known = HashSet::new();
        for part in owner.member("parameters").iter().flat_map(Part::elements) {
            let Some(part) = self.resolved(&part) else { continue };
            // Swagger's body is read with the operation.
            if self.version == Version::Swagger20 && matches!(part.text("in"), Some("body" | "formData")) {
                continue;
            }
            let Some(parameter) = self.parameter(&part) else { continue };
            let name = parameter.name.to_ascii_lowercase();
            if parameter.location == Location::Header && IGNORED_HEADERS.contains(&name.as_str()) {
                continue;
            }
            if !known.insert((parameter.location, parameter.name.clone())) {
                let (location, name) = (parameter.location.word(), &parameter.name);
                self.report
                    .error(&part, format!("the {location} parameter '{name}' is there twice in '{path}'"));
                continue;
            }
            parameters.push(parameter);
        }
        parameters
    }

    fn parameter(&mut self, part: &Part<'d, 't>) -> Option<Parameter> {
        let name = self.needed_text(part, "name")?.to_owned();
        let location = match self.needed_text(part, "in")? {
            "path" => Location::Path,
            "query" => Location::Query,
            "header" => Location::Header,
            "cookie" if self.version != Version::Swagger20 => Location::Cookie,
            found => {
                let expected = "expected a parameter in path, query, header or cookie";
                self.report.error(part, format!("{expected}, found '{found}'"));
                return None;
            }
        };
        let is_true = |name: &str| part.node.get(name).is_some_and(document::Node::is_true);
        if location == Location::Path && !is_true("required") {
            self.report.error(part, format!("expected 'required: true' for the path parameter '{name}'"));
        }
        let (style, schema) = if self.version == Version::Swagger20 {
            (self.collection(part, location), self.schemas.id(part, &mut self.report))
        } else if part.node.get("content").is_some() {
            (Style::Json, self.content_schema(part)?)
        } else {
            let Some(schema) = part.member("schema") else {
                self.report.error(part, format!("expected a schema for the parameter '{name}', found none"));
                return None;
            };
            (self.style(part, &schema, location)?, self.schemas.id(&schema, &mut self.report))
        };
        Some(Parameter {
            location,
            name,
            description: part.text("description").map(str::to_owned),
            required: location == Location::Path || is_true("required"),
            style,
            empty_allowed: is_true("allowEmptyValue"),
            schema,
            // Both are known when all schemas are compiled.
            default: None,
            types: TextTypes::default(),
            members: MemberTypes::default(),
            place: self.place(part),
        })
    }

    /// The schema of a parameter whose text is JSON.
    fn content_schema(&mut self, part: &Part<'d, 't>) -> Option<SchemaId> {
        let content = self.content(part);
        match content.as_slice() {
            [one] if one.is_json() => Some(one.schema.unwrap_or(SchemaId::ANYTHING)),
            _ => {
                let found: Vec<&str> = content.iter().map(|content| content.media_type.as_str()).collect();
                let message = format!("expected application/json alone, found {}", found.join(", "));
                self.report.error(part, message);
                None
            }
        }
    }

    fn style(&mut self, part: &Part<'d, 't>, schema: &Part<'d, 't>, location: Location) -> Option<Style> {
        let usual = match location {
            Location::Path | Location::Header => "simple",
            Location::Query | Location::Cookie => "form",
        };
        let style = part.text("style").unwrap_or(usual);
        let explode = part.node.get("explode").map_or(style == "form", document::Node::is_true);
        let schema = self.resolved_schema(schema)?;
        match main_type(&schema) {
            Some("array") => {}
            Some("object") if style == "deepObject" && location == Location::Query => {
                return Some(Style::Deep);
            }
            Some("object") => {
                let message = "expected a parameter of one value or an array; an object needs 'content' with JSON, or in a \
                               query 'style: deepObject'";
                self.report.error(part, message);
                return None;
            }
            _ if style == usual => return Some(Style::Single),
            _ => {}
        }
        match (style, location) {
            ("form", Location::Query | Location::Cookie) if explode => Some(Style::Repeated),
            ("form", Location::Query | Location::Cookie) | ("simple", Location::Path | Location::Header) => {
                Some(Style::Separated(b','))
            }
            ("spaceDelimited", Location::Query) if !explode => Some(Style::Separated(b' ')),
            ("pipeDelimited", Location::Query) if !explode => Some(Style::Separated(b'|')),
            ("spaceDelimited" | "pipeDelimited", Location::Query) => Some(Style::Repeated),
            _ => {
                let location = location.word();
                let message =
                    format!("expected the style '{usual}' for a {location} parameter, found '{style}'");
                self.report.error(part, message);
                None
            }
        }
    }

    /// The schema behind references. It may be a boolean, which has no type.
    fn resolved_schema(&mut self, schema: &Part<'d, 't>) -> Option<Part<'d, 't>> {
        match schema.resolved(self.root) {
            Ok(schema) => Some(schema),
            Err(reason) => {
                self.report.error(schema, reason.0);
                None
            }
        }
    }

    /// Swagger's word for the form of an array.
    fn collection(&mut self, part: &Part<'d, 't>, location: Location) -> Style {
        if main_type(part) != Some("array") {
            return Style::Single;
        }
        match part.text("collectionFormat").unwrap_or("csv") {
            "csv" => Style::Separated(b','),
            "ssv" => Style::Separated(b' '),
            "tsv" => Style::Separated(b'\t'),
            "pipes" => Style::Separated(b'|'),
            "multi" if location == Location::Query => Style::Repeated,
            found => {
                let message =
                    format!("expected a collectionFormat of this kind of parameter, found '{found}'");
                self.report.error(part, message);
                Style::Single
            }
        }
    }
}

/// The type of a schema. If it has two, the one that is not null.
fn main_type<'d>(schema: &Part<'d, '_>) -> Option<&'d str> {
    let kind = schema.node.get("type")?;
    kind.text().or_else(|| {
        let mut others = kind.elements().iter().filter_map(|kind| kind.text()).filter(|kind| *kind != "null");
        others.next().filter(|_| others.next().is_none())
    })
}
