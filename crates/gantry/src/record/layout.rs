//! A layout as a table for people, and as JSON for programs.

use std::fmt::Write;

use copybook::{Condition, Field, FieldId, Kind, Layout, Literal, Sign};
use serde_json::json;

/// Offsets count from 0, as errors and dumps have them; start and end from 1, as data set utilities count columns.
pub(super) fn table(layout: &Layout) -> String {
    let mut rows = Vec::new();
    for (id, field) in layout.iter() {
        rows.push(row(layout, id, field));
        let indent = "  ".repeat(depth(layout, id) + 1);
        for condition in &field.conditions {
            let name = format!("{indent}88 {}", condition.name);
            let [offset, start, end, bytes] = std::array::from_fn(|_| String::new());
            rows.push([offset, start, end, bytes, name, values(condition)]);
        }
    }
    let head = ["offset", "start", "end", "bytes", "field", "type"].map(str::to_owned);
    let width =
        |column: usize| rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut text = String::new();
    for row in [&head].into_iter().chain(&rows) {
        let [offset, start, end, bytes, field, kind] = row;
        let line = format!(
            "{offset:>0$}  {start:>1$}  {end:>2$}  {bytes:>3$}  {field:4$}  {kind}",
            widths[0], widths[1], widths[2], widths[3], widths[4]
        );
        // Writing into a string does not fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn row(layout: &Layout, id: FieldId, field: &Field) -> [String; 6] {
    let indent = "  ".repeat(depth(layout, id));
    let start = field.offset + 1;
    [
        field.offset.to_string(),
        start.to_string(),
        (field.offset + field.bytes).to_string(),
        field.bytes.to_string(),
        format!("{indent}{:02} {}", field.level, field.spelling),
        format!("{}{}", describe(&field.kind), clauses(layout, field)),
    ]
}

/// The values of a condition name.
fn values(condition: &Condition) -> String {
    let value = |(from, to): &(Literal, Option<Literal>)| match to {
        None => literal(from),
        Some(to) => format!("{} to {}", literal(from), literal(to)),
    };
    condition.values.iter().map(value).collect::<Vec<_>>().join(", ")
}

fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Number(number) => number.clone(),
        Literal::Text(text) => format!("'{text}'"),
        Literal::Hex(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            format!("X'{digits}'")
        }
        Literal::Zeros => "zeros".to_owned(),
        Literal::Spaces => "spaces".to_owned(),
        Literal::LowValues => "low-values".to_owned(),
        Literal::HighValues => "high-values".to_owned(),
        Literal::Quotes => "quotes".to_owned(),
        Literal::Nulls => "nulls".to_owned(),
        Literal::All(inner) => format!("all {}", self::literal(inner)),
    }
}

fn depth(layout: &Layout, id: FieldId) -> usize {
    let mut depth = 0;
    let mut at = layout.field(id).parent;
    while let Some(parent) = at {
        depth += 1;
        at = layout.field(parent).parent;
    }
    depth
}

fn clauses(layout: &Layout, field: &Field) -> String {
    let mut text = String::new();
    if let Some(original) = field.redefines {
        let _ = write!(text, ", redefines {}", layout.field(original).name);
    }
    match field.occurs {
        Some(occurs) if occurs.depending_on.is_none() => {
            let _ = write!(text, ", {} times", occurs.max);
        }
        Some(occurs) => {
            let counter = occurs.depending_on.map(|id| layout.path(id)).unwrap_or_default();
            let _ = write!(text, ", {} to {} times depending on {counter}", occurs.min, occurs.max);
        }
        None => {}
    }
    text
}

/// A field's type in words.
pub(super) fn describe(kind: &Kind) -> String {
    let number = |form: &str, digits: u8, scale: i8, signed: bool| {
        let sign = if signed { "signed " } else { "" };
        let places = if scale == 0 { String::new() } else { format!(", scale {scale}") };
        let digits = crate::cli::count(digits.into(), "digit");
        format!("{sign}{form}, {digits}{places}")
    };
    match kind {
        Kind::Group => "group".to_owned(),
        Kind::Text { justified: true } => "text, justified right".to_owned(),
        Kind::Text { .. } => "text".to_owned(),
        Kind::Edited(edited) => format!("edited {}", edited.picture),
        Kind::Zoned { digits, scale, sign } => {
            number("zoned", *digits, *scale, *sign != Sign::None) + place_of(*sign)
        }
        Kind::NationalNumber { digits, scale, sign } => {
            number("national number", *digits, *scale, *sign != Sign::None) + place_of(*sign)
        }
        Kind::Packed { digits, scale, signed } => number("packed", *digits, *scale, *signed),
        Kind::PackedUnsigned { digits, scale } => number("packed without sign", *digits, *scale, false),
        Kind::Binary { digits, scale, signed, native: false } => number("binary", *digits, *scale, *signed),
        Kind::Binary { digits, scale, signed, native: true } => {
            number("native binary", *digits, *scale, *signed)
        }
        Kind::Float => "floating point".to_owned(),
        Kind::National { .. } => "national".to_owned(),
        Kind::Dbcs { .. } => "double-byte".to_owned(),
        Kind::Pointer => "pointer".to_owned(),
    }
}

fn place_of(sign: Sign) -> &'static str {
    match sign {
        Sign::None | Sign::Trailing => "",
        Sign::Leading => ", leading sign",
        Sign::TrailingSeparate => ", trailing separate sign",
        Sign::LeadingSeparate => ", leading separate sign",
    }
}

/// One JSON array with an object a field; offsets count from 0.
pub(super) fn json(layout: &Layout) -> String {
    let fields: Vec<serde_json::Value> = layout
        .iter()
        .map(|(id, field)| {
            json!({
                "path": layout.path(id),
                "name": field.spelling,
                "level": field.level,
                "offset": field.offset,
                "bytes": field.bytes,
                "type": describe(&field.kind),
                "filler": field.filler,
                "redefines": field.redefines.map(|id| layout.path(id)),
                "occurs": field.occurs.map(|occurs| json!({
                    "min": occurs.min,
                    "max": occurs.max,
                    "depending_on": occurs.depending_on.map(|id| layout.path(id)),
                })),
                "conditions": field.conditions.iter().map(|condition| &condition.name).collect::<Vec<_>>(),
            })
        })
        .collect();
    serde_json::to_string_pretty(&fields).unwrap_or_default() + "\n"
}
