//! Layouts as z/OS Connect's service interfaces have them: offsets from 1, 0 inside an array; an array's length is
//! that of all rows. `alias` and `included` are choices of the service and are not compared.

use std::path::Path;

use copybook::{Field, FieldId, Kind, Layout, Sign};
use serde::Deserialize;

use super::layout;

#[derive(Deserialize)]
struct Case {
    copybook: String,
    fields: Vec<Entry>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
struct Entry {
    path: String,
    depth: usize,
    offset: usize,
    bytes: usize,
    r#type: String,
    precision: u8,
    scale: i8,
    signed: bool,
    redefines: Option<String>,
    depends_on: Option<String>,
    occurs_min: u32,
    occurs_max: u32,
}

/// Compares one layout.
pub(super) fn check(base: &Path, line: &str) -> Result<(), String> {
    let case: Case = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let in_copybook = |message: String| format!("{}: {message}", case.copybook);
    compare_case(&case, &layout(&base.join(&case.copybook)).map_err(in_copybook)?)
}

/// Compares a layout with that of a line.
pub(super) fn compare(line: &str, layout: &Layout) -> Result<(), String> {
    let case: Case = serde_json::from_str(line).map_err(|error| error.to_string())?;
    compare_case(&case, layout)
}

fn compare_case(case: &Case, layout: &Layout) -> Result<(), String> {
    let in_copybook = |message: String| format!("{}: {message}", case.copybook);
    let found: Vec<Entry> = layout.iter().map(|(id, field)| entry(layout, id, field)).collect();
    for (found, expected) in found.iter().zip(&case.fields) {
        if found != expected {
            return Err(in_copybook(format!("expected {expected:?}, found {found:?}")));
        }
    }
    match found.len() {
        count if count == case.fields.len() => Ok(()),
        count => Err(in_copybook(format!("expected {} fields, found {count}", case.fields.len()))),
    }
}

fn entry(layout: &Layout, id: FieldId, field: &Field) -> Entry {
    let mut names = Vec::new();
    let mut in_array = false;
    let mut at = Some(id);
    while let Some(next) = at {
        let around = layout.field(next);
        in_array |= next != id && around.occurs.is_some();
        names.push(name_of(layout, next));
        at = around.parent;
    }
    names.reverse();
    let named = |id: Option<FieldId>| id.map(|id| name_of(layout, id));
    let (kind, precision, scale, signed) = kind_of(field);
    let rows = field.occurs.map_or(1, |occurs| occurs.max as usize);
    Entry {
        path: format!("/{}", names.join("/")),
        depth: names.len(),
        offset: if in_array { 0 } else { field.offset + 1 },
        bytes: field.bytes * rows,
        r#type: if field.occurs.is_some() { "ARRAY" } else { kind }.to_owned(),
        precision,
        scale,
        signed,
        redefines: named(field.redefines),
        depends_on: named(field.occurs.and_then(|occurs| occurs.depending_on)),
        occurs_min: field.occurs.map_or(0, |occurs| occurs.min),
        occurs_max: field.occurs.map_or(0, |occurs| occurs.max),
    }
}

fn name_of(layout: &Layout, id: FieldId) -> String {
    let field = layout.field(id);
    if field.filler {
        let index = layout.iter().filter(|(other, field)| field.filler && *other < id).count();
        return format!("FILL_{index}");
    }
    field.name.replace('-', "_")
}

/// Type, precision, scale and sign; service interfaces do not give the sign of binary integers.
fn kind_of(field: &Field) -> (&'static str, u8, i8, bool) {
    match field.kind {
        Kind::Group => ("STRUCT", 0, 0, false),
        Kind::Zoned { digits, scale, sign } => ("DECIMAL", digits, scale, sign != Sign::None),
        Kind::Packed { digits, scale, signed } => ("DECIMAL", digits, scale, signed),
        Kind::Binary { digits, scale: 0, .. } => ("INT", digits, 0, false),
        Kind::Binary { digits, scale, signed, .. } => ("DECIMAL", digits, scale, signed),
        Kind::Float if field.bytes == 4 => ("FLOAT", 0, 0, false),
        Kind::Float => ("DOUBLE", 0, 0, false),
        _ => ("CHAR", 0, 0, false),
    }
}
