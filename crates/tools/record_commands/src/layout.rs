//! A layout as a table for people, and as JSON for programs.

use std::fmt::Write;

use codepage::readable::hex;
use copybook::{Condition, Field, FieldId, Kind, Layout, Literal, Sign};
use serde_json::json;

/// Offsets count from 0, as errors and dumps have them; start and end from 1, as data set utilities count columns.
fn table(layout: &Layout) -> String {
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
        Literal::Hex(bytes) => format!("X'{}'", hex(bytes)),
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
pub(crate) fn describe(kind: &Kind) -> String {
    let number = |form: &str, digits: u8, scale: i8, signed: bool| {
        let sign = if signed { "signed " } else { "" };
        let places = if scale == 0 { String::new() } else { format!(", scale {scale}") };
        let digits = terminal::count(digits.into(), "digit");
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
        Kind::Utf8 { characters: Some(characters) } => {
            format!("UTF-8, {}", terminal::count(*characters, "character"))
        }
        Kind::Utf8 { characters: None } => "UTF-8".to_owned(),
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

/// The tables of all records, each under its name if there are several.
pub(crate) fn tables(layouts: &[Layout]) -> String {
    if let [layout] = layouts {
        return table(layout);
    }
    let titled: Vec<String> =
        layouts.iter().map(|layout| format!("{}\n{}", layout.name(), table(layout))).collect();
    titled.join("\n")
}

/// One JSON array with an object for each field of all records; offsets count from 0.
pub(crate) fn json(layouts: &[Layout]) -> String {
    let fields: Vec<serde_json::Value> =
        layouts.iter().flat_map(|layout| layout.iter().map(|(id, _)| json_field(layout, id))).collect();
    serde_json::to_string_pretty(&fields).unwrap_or_default() + "\n"
}

fn json_field(layout: &Layout, id: FieldId) -> serde_json::Value {
    let field = layout.field(id);
    let number = number_of(&field.kind);
    let counts: Vec<String> = layout
        .iter()
        .filter(|(_, table)| table.occurs.is_some_and(|occurs| occurs.depending_on == Some(id)))
        .map(|(table, _)| layout.path(table))
        .collect();
    json!({
        "record": layout.name(),
        "path": layout.path(id),
        "name": field.spelling,
        "level": field.level,
        "offset": field.offset,
        "bytes": field.bytes,
        "type": describe(&field.kind),
        "usage": usage(field),
        "digits": number.map(|number| number.digits),
        "scale": number.map(|number| number.scale),
        "sign": number.map(|number| number.sign),
        "picture": match &field.kind { Kind::Edited(edited) => Some(&edited.picture), _ => None },
        "filler": field.filler,
        "redefines": field.redefines.map(|id| layout.path(id)),
        "occurs": field.occurs.map(|occurs| json!({
            "min": occurs.min,
            "max": occurs.max,
            "depending_on": occurs.depending_on.map(|id| layout.path(id)),
        })),
        // The tables whose rows the field counts.
        "counter": counts,
        "conditions": field.conditions.iter().map(|condition| &condition.name).collect::<Vec<_>>(),
    })
}

/// The number that a picture describes.
#[derive(Clone, Copy)]
struct Number {
    digits: u8,
    scale: i8,
    sign: &'static str,
}

fn number_of(kind: &Kind) -> Option<Number> {
    let place = |sign: Sign| match sign {
        Sign::None => "none",
        Sign::Trailing => "trailing",
        Sign::Leading => "leading",
        Sign::TrailingSeparate => "trailing separate",
        Sign::LeadingSeparate => "leading separate",
    };
    let (digits, scale, sign) = match *kind {
        Kind::Zoned { digits, scale, sign } | Kind::NationalNumber { digits, scale, sign } => {
            (digits, scale, place(sign))
        }
        Kind::Packed { digits, scale, signed } | Kind::Binary { digits, scale, signed, .. } => {
            (digits, scale, if signed { "signed" } else { "none" })
        }
        Kind::PackedUnsigned { digits, scale } => (digits, scale, "none"),
        _ => return None,
    };
    Some(Number { digits, scale, sign })
}

/// The word of the USAGE clause; none for groups.
fn usage(field: &Field) -> Option<&'static str> {
    Some(match &field.kind {
        Kind::Group => return None,
        Kind::National { .. } | Kind::NationalNumber { .. } => "NATIONAL",
        Kind::Edited(edited) if edited.national => "NATIONAL",
        Kind::Text { .. } | Kind::Edited(_) | Kind::Zoned { .. } => "DISPLAY",
        Kind::Packed { .. } => "COMP-3",
        Kind::PackedUnsigned { .. } => "COMP-6",
        Kind::Binary { native: false, .. } => "COMP",
        Kind::Binary { native: true, .. } => "COMP-5",
        Kind::Float if field.bytes == 4 => "COMP-1",
        Kind::Float => "COMP-2",
        Kind::Dbcs { .. } => "DISPLAY-1",
        Kind::Utf8 { .. } => "UTF-8",
        Kind::Pointer => "POINTER",
    })
}
