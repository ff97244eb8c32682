//! Records as bytes with the values of their fields, or with the error that reading them must give.
//!
//! Names are in camel case; a view of bytes with several is in an object whose name ends in `Choice`; a field without a
//! name has the number of its line.

use std::collections::BTreeMap;
use std::path::Path;

use codepage::CodePage;
use copybook::{Field, FieldId, Layout};
use record::{Bind, Options};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::extent::{self, Tables};
use super::json::Json;
use super::reader::Reader;
use super::tree::Rules;
use super::{from_hex, locate, parse_file};

/// IBM-1140, unless the case names another page.
const CCSID: u16 = 1140;

#[derive(Deserialize)]
struct Case {
    id: String,
    copybook: String,
    input_hex: String,
    input_length: Option<String>,
    note: Option<String>,
    bytes_consumed: Option<usize>,
    expected: Option<Box<RawValue>>,
    expected_error: Option<String>,
}

/// Compares one record.
pub(super) fn check(base: &Path, line: &str) -> Result<(), String> {
    let case: Case = serde_json::from_str(line).map_err(|error| error.to_string())?;
    check_case(base, &case).map_err(|error| format!("{}: {error}", case.copybook))
}

fn check_case(base: &Path, case: &Case) -> Result<(), String> {
    let layouts = parse_file(&locate(base, &case.copybook)?)?;
    let layout = layouts.first().ok_or("no record")?;
    let page = CodePage::by_ccsid(CCSID).ok_or("no code page")?;
    let mut record = from_hex(&case.input_hex)?;
    if let Some(less) = case.input_length.as_deref().and_then(|text| text.strip_prefix("minus ")) {
        let less: usize = less
            .split(':')
            .next()
            .unwrap_or(less)
            .trim()
            .parse()
            .map_err(|_| format!("the length {less}"))?;
        record.truncate(record.len().saturating_sub(less));
    }
    if let Some(error) = &case.expected_error {
        return check_refused(layout, page, &record, error);
    }
    let expected =
        Json::of_raw(case.expected.as_deref().ok_or_else(|| format!("{} expects nothing", case.id))?)?;
    // Which views are taken is the choice of the other project's test; both lie in what all views show.
    let tree = Reader::new(layout, page)?.read(&record)?;
    let names: BTreeMap<FieldId, String> = layout.iter().map(|(id, field)| (id, name(field))).collect();
    let rules = Rules {
        layout,
        name: &|id| names.get(&id).cloned().unwrap_or_default(),
        text: &|text| text.trim_matches([' ', '\0']).to_owned(),
        subset: true,
    };
    rules.compare(&without_choices(&expected), &tree, None)?;
    match case.bytes_consumed {
        Some(expected) if case.note.is_none() && case.input_length.is_none() => {
            let found = extent::of(layout, page, Tables::Shift, &record)?.bytes;
            if found == expected {
                Ok(())
            } else {
                Err(format!("expected {expected} bytes to be read, found {found}"))
            }
        }
        _ => Ok(()),
    }
}

/// The record is refused, at the offset that the other project's message has.
fn check_refused(layout: &Layout, page: &'static CodePage, record: &[u8], error: &str) -> Result<(), String> {
    let bind = Bind::compile(layout, &Options::new(page)).map_err(|errors| format!("{errors:?}"))?;
    let Err(found) = bind.decode(record, &mut Vec::new()) else {
        return Err(format!("expected an error ({error}), found none"));
    };
    let offset =
        error.split("at offset ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    match offset {
        Some(_) if found.offset != offset => Err(format!("expected an error at {offset:?}, found: {found}")),
        _ => Ok(()),
    }
}

/// `COM-NUMBER` as `comNumber`.
fn name(field: &Field) -> String {
    if field.filler {
        return format!("filler{}", field.place.line);
    }
    let mut name = String::new();
    for (index, word) in field.name.split(['-', '_']).filter(|word| !word.is_empty()).enumerate() {
        let lower = word.to_ascii_lowercase();
        let (first, rest) = lower.split_at(1);
        name.push_str(&if index == 0 { first.to_owned() } else { first.to_ascii_uppercase() });
        name.push_str(rest);
    }
    name
}

/// The chosen views in place of the objects around them.
fn without_choices(json: &Json) -> Json {
    match json {
        Json::List(rows) => Json::List(rows.iter().map(without_choices).collect()),
        Json::Members(members) => {
            let mut plain = BTreeMap::new();
            for (name, value) in members {
                match without_choices(value) {
                    Json::Members(views) if name.ends_with("Choice") => plain.extend(views),
                    value => drop(plain.insert(name.clone(), value)),
                }
            }
            Json::Members(plain)
        }
        other => other.clone(),
    }
}
