//! Copybooks against their layouts in XML: level, name, position from 1, length, sign, scale, tables, views, and the
//! values of condition names.

use std::path::Path;

use copybook::{Field, Kind, Layout, Literal, Sign};

use super::xml::{self, Element};
use super::{find_file, parse_file};

/// Compares one file.
pub(super) fn check(path: &Path) -> Result<(), String> {
    let root = xml::parse(&xml::read(path)?)?;
    let name = root.get("filename").ok_or("the copybook has no file name")?;
    let copybook =
        find_file(path, |file| file.eq_ignore_ascii_case(name)).ok_or_else(|| format!("no file {name}"))?;
    let layouts = parse_file(&copybook)?;
    let mut expected = Vec::new();
    root.all("item", &mut expected);
    let found: Vec<(&Layout, &Field)> = layouts
        .iter()
        .flat_map(|layout| layout.fields().iter().map(move |field| (layout, field)))
        .filter(|(_, field)| field.place.line > 0)
        .collect();
    if expected.len() != found.len() {
        return Err(format!("expected {} items, found {}", expected.len(), found.len()));
    }
    for (item, (layout, field)) in expected.iter().zip(found) {
        let shown = item.get("name").unwrap_or_default();
        compare(item, layout, field)
            .map_err(|error| format!("{shown} (line {}): {error}", field.place.line))?;
    }
    Ok(())
}

fn compare(item: &Element, layout: &Layout, field: &Field) -> Result<(), String> {
    let number = |name: &str| item.number(name);
    same("level", number("level"), Some(i64::from(field.level)))?;
    let name = item.get("name").unwrap_or_default();
    let name = if name.is_empty() { "FILLER".to_owned() } else { name.to_ascii_uppercase() };
    same("name", &name, &field.name)?;
    same("position", number("position"), Some(field.offset as i64 + 1))?;
    same("storage-length", number("storage-length"), Some(field.bytes as i64))?;
    same("occurs", number("occurs"), field.occurs.map(|occurs| i64::from(occurs.max)))?;
    if let Some(min) = number("occurs-min") {
        same("occurs-min", Some(min), field.occurs.map(|occurs| i64::from(occurs.min)))?;
    }
    let named = |id: Option<copybook::FieldId>| id.map(|id| layout.field(id).name.clone());
    let counter = named(field.occurs.and_then(|occurs| occurs.depending_on));
    same("depending-on", item.get("depending-on").map(str::to_ascii_uppercase), counter)?;
    same("redefines", item.get("redefines").is_some(), field.redefines.is_some())?;
    compare_kind(item, field)?;
    compare_conditions(item, field)
}

fn compare_kind(item: &Element, field: &Field) -> Result<(), String> {
    let (scale, signed) = match &field.kind {
        Kind::Zoned { scale, sign, .. } => (*scale, *sign != Sign::None),
        Kind::Packed { scale, signed, .. } | Kind::Binary { scale, signed, .. } => (*scale, *signed),
        Kind::PackedUnsigned { scale, .. } => (*scale, false),
        _ => return compare_text(item, field),
    };
    same("scale", item.number("scale").unwrap_or(0), i64::from(scale))?;
    let picture = item.get("picture").unwrap_or_default();
    let has_sign = picture.starts_with(['s', 'S']) || item.get("signed") == Some("true");
    same("signed", has_sign, signed)?;
    let usage = match &field.kind {
        Kind::Zoned { .. } => None,
        Kind::Packed { .. } => Some("computational-3"),
        Kind::PackedUnsigned { .. } => Some("computational-6"),
        Kind::Binary { native: true, .. } => Some("computational-5"),
        _ => Some("computational"),
    };
    match (item.get("usage"), usage) {
        // The usage that an item has from its group is not repeated, and a signed COMP-6 is stored as COMP-3.
        (None, _) if item.get("inherited-usage").is_some() || usage.is_none() => {}
        (Some("computational-6"), Some("computational-3")) => {}
        (Some("binary" | "computational-4"), Some("computational")) => {}
        (Some("packed-decimal"), Some("computational-3")) => {}
        (given, found) => same("usage", given, found)?,
    }
    if let (Kind::Zoned { sign, .. }, true) = (&field.kind, signed) {
        let leading = matches!(sign, Sign::Leading | Sign::LeadingSeparate);
        let separate = matches!(sign, Sign::LeadingSeparate | Sign::TrailingSeparate);
        same("sign-position", item.get("sign-position") == Some("leading"), leading)?;
        same("sign-separate", item.get("sign-separate") == Some("true"), separate)?;
    }
    Ok(())
}

fn compare_text(item: &Element, field: &Field) -> Result<(), String> {
    let number = matches!(item.get("numeric"), Some("true" | "COBOL_NUMERIC"));
    let edited = item.get("editted-numeric") == Some("true") || item.get("numeric") == Some("Numeric_Edited");
    match &field.kind {
        Kind::Group => same("picture", item.get("picture"), None),
        Kind::Text { .. } => same("numeric", number || edited, false),
        _ => Ok(()),
    }
}

/// The values of each condition name, single ones and ranges.
fn compare_conditions(item: &Element, field: &Field) -> Result<(), String> {
    let expected: Vec<&Element> = item.children.iter().filter(|child| child.name == "condition").collect();
    same("condition names", expected.len(), field.conditions.len())?;
    for (expected, found) in expected.iter().zip(&field.conditions) {
        same("condition name", &expected.get("name").unwrap_or_default().to_ascii_uppercase(), &found.name)?;
        let values: Vec<(String, Option<String>)> = expected
            .children
            .iter()
            .filter(|child| child.name == "condition")
            .map(|value| (plain(value.get("value").unwrap_or_default()), value.get("through").map(plain)))
            .collect();
        let shown = |literal: &Literal| plain(&shown(literal));
        let found: Vec<(String, Option<String>)> =
            found.values.iter().map(|(from, to)| (shown(from), to.as_ref().map(shown))).collect();
        same("condition values", values, found)?;
    }
    Ok(())
}

/// A value without quotes, and words for constants in one form.
fn plain(text: &str) -> String {
    let text = text.trim().trim_matches(['\'', '"']).to_ascii_uppercase();
    match text.as_str() {
        "ZERO" | "ZEROES" => "ZEROS".to_owned(),
        "SPACE" => "SPACES".to_owned(),
        "LOW-VALUE" => "LOW-VALUES".to_owned(),
        "HIGH-VALUE" => "HIGH-VALUES".to_owned(),
        _ => text,
    }
}

fn shown(literal: &Literal) -> String {
    match literal {
        Literal::Number(text) | Literal::Text(text) => text.clone(),
        Literal::Hex(bytes) => {
            format!("X'{}'", bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>())
        }
        Literal::Zeros => "ZEROS".to_owned(),
        Literal::Spaces => "SPACES".to_owned(),
        Literal::LowValues => "LOW-VALUES".to_owned(),
        Literal::HighValues => "HIGH-VALUES".to_owned(),
        Literal::Quotes => "QUOTES".to_owned(),
        Literal::Nulls => "NULLS".to_owned(),
        Literal::All(inner) => format!("ALL {}", shown(inner)),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: T, found: T) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{what}: expected {expected:?}, found {found:?}")) }
}
