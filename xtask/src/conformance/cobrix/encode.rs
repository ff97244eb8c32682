//! JSON to records.
//!
//! The other project's writer leaves x00 where a field has no value, FILLER included, and writes `-` as xCA in text:
//! there the bytes of a record's initial values and of the code page are right, and agree.

use std::collections::BTreeMap;
use std::path::Path;

use copybook::{FieldId, Layout};
use record::{Bind, Naming, Options, UnknownFields};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::extent::{self, Tables};
use super::super::from_hex;
use super::super::json::Json;
use super::framing::Framing;
use super::options::CaseOptions;
use super::records;

#[derive(Deserialize)]
struct Case {
    copybook: String,
    #[serde(default)]
    options: BTreeMap<String, String>,
    input_json: Box<RawValue>,
    expected_hex: String,
}

/// Compares the records of one case.
pub(in super::super) fn check(_: &Path, line: &str) -> Result<(), String> {
    let case: Case = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let options = CaseOptions::new(&case.options);
    let layouts = records::layouts(&case.copybook)?;
    let [layout] = &layouts[..] else { return Err("expected one record".to_owned()) };
    let Json::List(rows) = Json::of_raw(&case.input_json)? else { return Err("expected a list".to_owned()) };
    let page = options.page()?;
    let bind_options =
        Options { unknown_fields: UnknownFields::Ignore, naming: Naming::Toolkit, ..Options::new(page) };
    let bind = Bind::compile(layout, &bind_options).map_err(|errors| format!("{errors:?}"))?;
    let encoded = rows.iter().enumerate().map(|(row, json)| {
        let mut text = Vec::new();
        of_names(json, layout).write(&mut text);
        let mut record = Vec::new();
        bind.encode(&text, &mut record).map_err(|error| format!("record {}: {error}", row + 1))?;
        Ok(record)
    });
    let encoded = encoded.collect::<Result<Vec<Vec<u8>>, String>>()?;
    let file = from_hex(&case.expected_hex)?;
    let expected = match options.format() {
        "F" if !bind.is_fixed() => cut(&file, &encoded),
        _ => {
            let framing = Framing { options: &options, layouts: &layouts, record_bytes: layout.max_bytes() };
            framing.records(&file)?
        }
    };
    if expected.len() != encoded.len() {
        return Err(format!("expected {} records, found {}", expected.len(), encoded.len()));
    }
    let fixed = options.get("variable_size_occurs").is_none_or(|size| size == "max_size");
    for (row, (expected, found)) in expected.iter().zip(&encoded).enumerate() {
        let expected = match fixed {
            false => expected.clone(),
            true => extent::compact(&extent::of(layout, page, Tables::Fixed, expected)?, expected),
        };
        same(&expected, found).map_err(|error| format!("record {}: {error}", row + 1))?;
    }
    Ok(())
}

/// Cuts a file of records without lengths by the lengths that were made.
fn cut(file: &[u8], made: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut at = 0;
    let mut cut = Vec::new();
    for record in made {
        let end = (at + record.len()).min(file.len());
        cut.push(file[at..end].to_vec());
        at = end;
    }
    cut
}

/// All bytes agree, x00 with any initial value, xCA with `-`; behind the record there is only x00.
fn same(expected: &[u8], found: &[u8]) -> Result<(), String> {
    for (at, found) in found.iter().enumerate() {
        let agrees = match expected.get(at) {
            Some(expected) if expected == found => true,
            Some(0x00) => matches!(found, 0x40 | 0xF0 | 0xC0 | 0x0C | 0x0F),
            Some(0xCA) => *found == 0x60,
            _ => false,
        };
        if !agrees {
            return Err(format!("byte {at}: expected {:02x?}, found {found:02x}", expected.get(at)));
        }
    }
    match expected.get(found.len()..).unwrap_or_default().iter().all(|byte| *byte == 0) {
        true => Ok(()),
        false => Err(format!("expected {} bytes, found {}", expected.len(), found.len())),
    }
}

/// The members that fields are named after, however they are written; counters and nulls are left out, for they
/// follow from what is there.
fn of_names(json: &Json, layout: &Layout) -> Json {
    let Some((root, _)) = layout.iter().next() else { return Json::Null };
    of_group(json, layout, root)
}

fn of_group(json: &Json, layout: &Layout, group: FieldId) -> Json {
    match json {
        Json::List(rows) => Json::List(rows.iter().map(|row| of_group(row, layout, group)).collect()),
        Json::Members(members) => {
            let mut named = BTreeMap::new();
            for (name, value) in members.iter().filter(|(_, value)| **value != Json::Null) {
                let folded = name.to_ascii_uppercase().replace('_', "-");
                let child = layout
                    .field(group)
                    .children
                    .iter()
                    .find(|id| layout.field(**id).name.replace('_', "-") == folded);
                let Some(child) = child else {
                    named.insert(name.clone(), value.clone());
                    continue;
                };
                let counts = |field: &copybook::Field| {
                    field.occurs.is_some_and(|occurs| occurs.depending_on == Some(*child))
                };
                if !layout.fields().iter().any(counts) {
                    named.insert(
                        layout.field(*child).spelling.replace('-', "_"),
                        of_group(value, layout, *child),
                    );
                }
            }
            Json::Members(named)
        }
        other => other.clone(),
    }
}
