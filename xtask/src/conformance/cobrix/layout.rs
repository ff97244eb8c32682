//! Layouts as a table of fields with start, end and length, both from 1, all rows of a table together.
//!
//! A field that is described more than once has there the length of the longest of its views; and fields without a
//! name may be left out.

use std::path::Path;

use copybook::{Field, FieldId, Layout};
use serde::Deserialize;

use super::records;

#[derive(Deserialize)]
struct Case {
    copybook: String,
    expected_layout: String,
}

/// Compares one layout.
pub(in super::super) fn check(_: &Path, line: &str) -> Result<(), String> {
    let case: Case = serde_json::from_str(line).map_err(|error| error.to_string())?;
    compare(&records::layouts(&case.copybook)?, &case.expected_layout)
}

#[derive(Debug, PartialEq, Eq)]
struct Line {
    level: u8,
    name: String,
    start: usize,
    bytes: usize,
}

/// Compares layouts with a table.
///
/// # Errors
/// The first line that no field agrees with.
pub(super) fn compare(layouts: &[Layout], table: &str) -> Result<(), String> {
    let mut found = Vec::new();
    let (mut start, mut end) = (0, 0);
    for layout in layouts {
        if layout.redefines().is_none() {
            start = end;
        }
        let listed = layout.iter().filter(|(_, field)| field.parent.is_some() || field.place.line > 0);
        found.extend(listed.map(|(id, field)| line_of(layout, id, field, start)));
        end = end.max(start + layout.max_bytes());
    }
    let mut rest = found.iter();
    for line in table.lines().filter(|line| !line.trim().is_empty() && !line.contains("FIELD LEVEL/NAME")) {
        let Some(expected) = read(line) else { return Err(format!("the line {line:?} is not understood")) };
        if expected.name.ends_with("_debug") {
            continue;
        }
        let filler = expected.name.starts_with("FILLER");
        let next = rest.find(|found| found.name == expected.name || (filler && found.name == "FILLER"));
        match next {
            None => return Err(format!("expected {expected:?}, found no such field")),
            Some(found) => {
                let same = found.level == expected.level
                    && found.start == expected.start
                    && found.bytes == expected.bytes;
                if !same {
                    return Err(format!("expected {expected:?}, found {found:?}"));
                }
            }
        }
    }
    match rest.find(|found| found.name != "FILLER" && !found.name.is_empty()) {
        // Tables of one record of several end where it ends.
        Some(found) if layouts.len() == 1 && !table.is_empty() && !table.contains("FILLER") => {
            Err(format!("expected nothing more, found {found:?}"))
        }
        _ => Ok(()),
    }
}

fn line_of(layout: &Layout, id: FieldId, field: &Field, base: usize) -> Line {
    let original = field.redefines.unwrap_or(id);
    let views = layout.iter().filter(|(view, field)| *view == original || field.redefines == Some(original));
    let bytes =
        views.map(|(_, field)| field.bytes * field.occurs.map_or(1, |occurs| occurs.max as usize)).max();
    let name = if field.filler { "FILLER".to_owned() } else { field.name.replace('-', "_") };
    Line { level: field.level, name, start: base + field.offset + 1, bytes: bytes.unwrap_or_default() }
}

/// Reads `5 NAME  [] 2  1  7  7`: what is between the name and the last four numbers tells tables and views.
fn read(line: &str) -> Option<Line> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [level, name, .., _, start, _, bytes] = words[..] else { return None };
    Some(Line {
        level: level.parse().ok()?,
        name: name.to_owned(),
        start: start.parse().ok()?,
        bytes: bytes.parse().ok()?,
    })
}
