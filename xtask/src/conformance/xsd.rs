//! Copybooks against schemas that were made from them: each element's annotation has the level, the line in the
//! copybook, digits, sign, tables and views.

use std::fs;
use std::path::Path;

use copybook::{Field, FieldId, Kind, Layout, Sign};

use super::xml::{self, Element};
use super::{find_file, parse_sections, stem};

/// Compares one file.
pub(super) fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let root = xml::parse(&text)?;
    let name = stem(path);
    let is_copybook = |file: &str| {
        let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
        stem.eq_ignore_ascii_case(&name) && !ending.eq_ignore_ascii_case("xsd")
    };
    let copybook = find_file(path, is_copybook).ok_or_else(|| format!("no copybook {name}"))?;
    let layouts = parse_sections(&copybook)?;
    let mut expected = Vec::new();
    root.all("cobolElement", &mut expected);
    for element in expected {
        let shown = element.get("cobolName").unwrap_or_default();
        compare(element, &layouts).map_err(|error| format!("{shown}: {error}"))?;
    }
    Ok(())
}

fn compare(element: &Element, layouts: &[Layout]) -> Result<(), String> {
    let name = element.get("cobolName").unwrap_or_default().to_ascii_uppercase();
    let line = element.number("srceLine");
    let fields = layouts.iter().flat_map(|layout| layout.iter().map(move |(id, field)| (layout, id, field)));
    let at_line = |field: &Field| Some(i64::from(field.place.line)) == line;
    let found = fields.into_iter().find(|(_, _, field)| field.name == name && at_line(field));
    let Some((layout, id, field)) = found else { return Err(format!("no such field in line {line:?}")) };
    same("level", element.number("levelNumber"), Some(i64::from(field.level)))?;
    compare_type(element, field)?;
    let named = |id: Option<FieldId>| id.map(|id| layout.field(id).name.as_str());
    same("redefines", element.get("redefines"), named(field.redefines))?;
    if element.get("isRedefined") == Some("true") {
        let views = layout.fields().iter().filter(|other| other.redefines == Some(id)).count();
        same("views", views > 0, true)?;
    }
    same(
        "dependingOn",
        element.get("dependingOn"),
        named(field.occurs.and_then(|occurs| occurs.depending_on)),
    )?;
    if let Some(most) = element.number("maxOccurs") {
        same("maxOccurs", Some(most), field.occurs.map(|occurs| i64::from(occurs.max)))?;
    }
    if let Some(least) =
        element.number("minOccurs").filter(|least| *least > 0 && element.get("dependingOn").is_some())
    {
        same("minOccurs", Some(least), field.occurs.map(|occurs| i64::from(occurs.min)))?;
    }
    Ok(())
}

fn compare_type(element: &Element, field: &Field) -> Result<(), String> {
    let kind = element.get("type").unwrap_or_default();
    let (word, digits, scale, signed) = match &field.kind {
        Kind::Group => ("GROUP_ITEM", None, 0, false),
        Kind::Text { .. } => ("ALPHANUMERIC_ITEM", None, 0, false),
        Kind::Edited { .. } => ("NUMERIC_EDITED_ITEM", None, 0, false),
        Kind::Zoned { digits, scale, sign } => {
            ("ZONED_DECIMAL_ITEM", Some(*digits), *scale, *sign != Sign::None)
        }
        Kind::Packed { digits, scale, signed } => ("PACKED_DECIMAL_ITEM", Some(*digits), *scale, *signed),
        Kind::Binary { digits, scale, signed, native: true } => {
            ("NATIVE_BINARY_ITEM", Some(*digits), *scale, *signed)
        }
        Kind::Binary { digits, scale, signed, .. } => ("BINARY_ITEM", Some(*digits), *scale, *signed),
        Kind::Pointer => ("POINTER_ITEM", None, 0, false),
        Kind::National { .. } | Kind::NationalNumber { .. } => ("NATIONAL_ITEM", None, 0, false),
        Kind::Dbcs { .. } => ("DBCS_ITEM", None, 0, false),
        Kind::Utf8 { .. } => ("UTF8_ITEM", None, 0, false),
        _ if field.bytes == 4 => ("SINGLE_FLOAT_ITEM", None, 0, true),
        _ => ("DOUBLE_FLOAT_ITEM", None, 0, true),
    };
    let alike = match kind {
        "OCTET_STREAM_ITEM" | "ALPHABETIC_ITEM" => "ALPHANUMERIC_ITEM",
        "ALPHANUMERIC_EDITED_ITEM" | "EXTERNAL_FLOATING_ITEM" => "NUMERIC_EDITED_ITEM",
        "INDEX_ITEM" | "FUNC_POINTER_ITEM" | "PROC_POINTER_ITEM" => "POINTER_ITEM",
        other => other,
    };
    same("type", alike, word)?;
    if let Some(digits) = digits {
        same("totalDigits", element.number("totalDigits"), Some(i64::from(digits)))?;
        same("fractionDigits", element.number("fractionDigits").unwrap_or(0), i64::from(scale))?;
        same("signed", element.get("signed") == Some("true"), signed)?;
    }
    Ok(())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: T, found: T) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{what}: expected {expected:?}, found {found:?}")) }
}
