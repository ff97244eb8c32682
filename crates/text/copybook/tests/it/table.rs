//! The helpers of all tests: a layout as lines of text, and findings as lines of text.

use copybook::{Diagnostic, Field, Kind, Layout, Options, Parsed, Sign};

/// Parses with default options and expects layouts.
#[track_caller]
pub(crate) fn parse(text: &str) -> Parsed {
    parse_with(text, &Options::default())
}

/// Parses and expects layouts.
#[track_caller]
pub(crate) fn parse_with(text: &str, options: &Options) -> Parsed {
    match copybook::parse("MEMBER.cpy", text, options) {
        Ok(parsed) => parsed,
        Err(found) => panic!("expected a layout of\n{text}\nfound\n{}", lines(&found)),
    }
}

/// Checks that a text has one record, whose fields are these: `path offset bytes kind`, one a line.
#[track_caller]
pub(crate) fn check(text: &str, expected: &str) {
    let parsed = parse(text);
    assert_eq!(parsed.layouts.len(), 1, "records of\n{text}");
    assert_eq!(table(&parsed.layouts[0]), unindent(expected), "layout of\n{text}");
}

/// Checks that a text is refused with these findings: `line:column code`, one a line.
#[track_caller]
pub(crate) fn refuse(text: &str, expected: &str) {
    match copybook::parse("MEMBER.cpy", text, &Options::default()) {
        Ok(_) => panic!("expected errors in\n{text}"),
        Err(found) => assert_eq!(places(&found), unindent(expected), "{}\nin\n{text}", lines(&found)),
    }
}

/// Checks that a text is read with these warnings: `line:column code`, one a line.
#[track_caller]
pub(crate) fn warn(text: &str, expected: &str) -> Parsed {
    let parsed = parse(text);
    let found = &parsed.warnings;
    assert_eq!(places(found), unindent(expected), "{}\nin\n{text}", lines(found));
    parsed
}

/// The fields of a layout, one a line.
pub(crate) fn table(layout: &Layout) -> String {
    let row = |(id, field): (_, &Field)| {
        let path = if field.parent.is_none() { field.name.clone() } else { layout.path(id) };
        let mut row = format!("{path} {} {} {}", field.offset, field.bytes, kind(&field.kind));
        if let Some(occurs) = field.occurs {
            row += &format!(" x{}..{}", occurs.min, occurs.max);
            if let Some(counter) = occurs.depending_on {
                row += &format!(" by {}", layout.path(counter));
            }
        }
        if let Some(original) = field.redefines {
            row += &format!(" over {}", layout.path(original));
        }
        row
    };
    layout.iter().map(row).collect::<Vec<_>>().join("\n")
}

fn kind(kind: &Kind) -> String {
    let signed = |signed: &bool| if *signed { " signed" } else { "" };
    match kind {
        Kind::Group => "group".to_owned(),
        Kind::Text { justified: false } => "text".to_owned(),
        Kind::Text { justified: true } => "text right".to_owned(),
        Kind::Edited(edited) => format!("edited {}", edited.picture),
        Kind::Zoned { digits, scale, sign } => format!("zoned {digits}/{scale}{}", shown(*sign)),
        Kind::Packed { digits, scale, signed: s } => format!("packed {digits}/{scale}{}", signed(s)),
        Kind::Binary { digits, scale, signed: s, native } => {
            format!("binary {digits}/{scale}{}{}", signed(s), if *native { " native" } else { "" })
        }
        Kind::PackedUnsigned { digits, scale } => format!("comp-6 {digits}/{scale}"),
        Kind::Float => "float".to_owned(),
        Kind::National { .. } => "national".to_owned(),
        Kind::NationalNumber { digits, scale, sign } => {
            format!("national {digits}/{scale}{}", shown(*sign))
        }
        Kind::Dbcs { .. } => "dbcs".to_owned(),
        Kind::Utf8 { characters: Some(count) } => format!("utf-8 {count}"),
        Kind::Utf8 { characters: None } => "utf-8".to_owned(),
        Kind::Pointer => "pointer".to_owned(),
    }
}

fn shown(sign: Sign) -> &'static str {
    match sign {
        Sign::None => "",
        Sign::Trailing => " trailing",
        Sign::Leading => " leading",
        Sign::TrailingSeparate => " trailing separate",
        Sign::LeadingSeparate => " leading separate",
    }
}

fn places(found: &[Diagnostic]) -> String {
    let place = |d: &Diagnostic| format!("{}:{} {}", d.place.line, d.place.column, d.code);
    found.iter().map(place).collect::<Vec<_>>().join("\n")
}

fn lines(found: &[Diagnostic]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn unindent(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
