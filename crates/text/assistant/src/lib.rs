//! A schema becomes a copybook, by the rules of the CICS assistant DFHJS2LS: the way back from an API to a
//! record.
//!
//! Each pass has its own module. The crate `document` reads the text with order, exact numbers and places.
//! `openapi` finds the schema in the text. `schema` makes a [`Shape`] of it. `structure` lays the shape out
//! as COBOL entries, and `writer` writes them. Readers of other schemas also make a [`Shape`], and pass it to
//! [`write`].
//!
//! ```
//! let schema = r#"{"type": "object", "required": ["name"], "properties": {
//!     "name": {"type": "string", "maxLength": 20}}}"#;
//! let options = assistant::Options::assistant("CUSTOMER");
//! let copybook = assistant::from_json(schema, &assistant::Source::Schema, &options).expect("a schema");
//! assert!(copybook.text.contains("03  name"));
//! ```
//!
//! Deliberately absent: reading files, and reading copybooks (the crate `copybook` does).

mod area;
mod decimal;
mod diagnostic;
mod name;
mod numbered;
mod openapi;
mod options;
mod part;
mod picture;
mod reserved;
mod schema;
mod service;
mod shape;
mod structure;
mod writer;

pub use area::{Area, Container, Content, Holds, Placed, Table, Value};
pub use decimal::Decimal;
pub use diagnostic::{DIAGNOSTICS_MAX, Diagnostic, Place, Severity};
pub use document::{DOCUMENT_BYTES_MAX, DOCUMENT_DEPTH_MAX};
pub use name::NAME_CHARACTERS_MAX;
pub use numbered::Numbered;
pub use openapi::Source;
pub use options::{
    Alternatives, Apart, Assistant, BinaryData, CharVarying, DateTime, Enums, Floats, Integers, MappingLevel,
    NameTruncation, Optional, Options, RootOptional, VaryingArrays,
};
pub use schema::{SHAPE_TEXT_BYTES_MAX, SHAPES_MAX, Side};
pub use service::{BOOLEAN, service_fields};
pub use shape::{
    Array, Binary, Choice, Encoding, Kind, Member, Moment, Number, NumberForm, Shape, Text, Wildcard, Xml,
    XmlForm,
};
pub use structure::{DEPTH_MAX, ENTRIES_MAX, FieldName, OCCURS_MAX, RECORD_BYTES_MAX, Role};

use diagnostic::Report;
use schema::{Reader, Rules};

/// The result for a schema.
#[derive(Clone, Debug)]
pub struct Copybook {
    /// The copybook, in columns 8 to 72.
    pub text: String,
    /// Every field, in the order of the copybook.
    pub names: Vec<FieldName>,
    /// The structures of the copybook, the record first. The order of the others is not that of the text.
    pub areas: Vec<Area>,
    /// Warnings that do not prevent a copybook.
    pub warnings: Vec<Diagnostic>,
}

/// Makes the copybook of a JSON Schema, or of a schema in an OpenAPI document, given as JSON.
///
/// # Errors
/// All faults, in the order of the text, with the warnings.
pub fn from_json(text: &str, source: &Source, options: &Options) -> Result<Copybook, Vec<Diagnostic>> {
    let mut report = Report::default();
    let made = shape_in(text, source, options, &mut report)
        .and_then(|shape| structure::lay_out(&shape, options, &mut report));
    finish(made, options, report, text)
}

/// Makes the copybook of a shape, which a reader of another kind of schema has made.
///
/// # Errors
/// All faults, with the places of the shape.
pub fn write(shape: &Shape, options: &Options) -> Result<Copybook, Vec<Diagnostic>> {
    let mut report = Report::default();
    let made = structure::lay_out(shape, options, &mut report);
    finish(made, options, report, "")
}

/// The field of a record without content. Each record of COBOL has at least one field.
pub const NO_DATA: &str = "no-data";

/// The copybook of a record without content: one byte without a meaning. `about` names the element.
#[must_use]
pub fn without_content(record: &str, about: &str) -> String {
    format!(
        "       01  {record}.\n      * {about}: the element has no content.\n           03  {NO_DATA} PIC X.\n"
    )
}

fn shape_in(text: &str, source: &Source, options: &Options, report: &mut Report) -> Option<Shape> {
    let root = match document::read(text) {
        Ok(root) => root,
        Err(refusal) => {
            let place = Place { pointer: String::new(), offset: Some(refusal.offset) };
            report.error(&place, refusal.message);
            return None;
        }
    };
    if options.mapping_level < MappingLevel::V3_0 {
        let message = format!("schemas of JSON need mapping level {} or later", MappingLevel::V3_0);
        report.error(&Place::default(), message);
        return None;
    }
    let part = openapi::find(&root, source, report)?;
    let side = match source {
        Source::Operation { side, .. } => Some(*side),
        Source::Schema | Source::Pointer(_) | Source::Component(_) => None,
    };
    let rules = Rules {
        alternatives: options.alternatives,
        side,
        beside_reference: schema::reads_beside_reference(&root),
    };
    Reader::new(&root, rules, report).read(part)
}

fn finish(
    made: Option<structure::Laid>,
    options: &Options,
    report: Report,
    text: &str,
) -> Result<Copybook, Vec<Diagnostic>> {
    let failed = report.has_errors();
    let found = report.into_diagnostics(text);
    match made {
        Some(laid) if !failed => {
            let text = writer::text(&laid, options);
            Ok(Copybook { text, names: laid.names, areas: laid.areas, warnings: found })
        }
        _ => Err(found),
    }
}
