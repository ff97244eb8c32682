//! JSON bodies with their record bytes, with the names of the API toolkit and FILLERs exposed.
//!
//! A request's JSON encodes to exactly the bytes, which decode to the same values without the blanks at the end of
//! text; a response's bytes decode to equal JSON, which encodes to the same bytes again.

use std::path::Path;

use codepage::CodePage;
use copybook::Layout;
use record::{Bind, Filler, Naming, Options};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{from_hex, layout};

#[derive(Deserialize)]
struct Case {
    id: String,
    copybook: String,
    root: String,
    kind: String,
    ccsid: u16,
    hex: String,
    json: Box<RawValue>,
}

/// Compares one record.
pub(super) fn check(base: &Path, line: &str) -> Result<(), String> {
    let case: Case = serde_json::from_str(line).map_err(|error| error.to_string())?;
    check_case(base, &case).map_err(|message| format!("{}: {message}", case.id))
}

/// Compares one record with what a layout makes of it.
pub(super) fn compare(line: &str, layout: &Layout) -> Result<(), String> {
    let case: Case = serde_json::from_str(line).map_err(|error| error.to_string())?;
    check_layout(layout, &case)
}

fn check_case(base: &Path, case: &Case) -> Result<(), String> {
    check_layout(&layout(&base.join("copybooks").join(&case.copybook))?, case)
}

fn check_layout(layout: &Layout, case: &Case) -> Result<(), String> {
    let page = CodePage::by_ccsid(case.ccsid).ok_or_else(|| format!("CCSID {} is not known", case.ccsid))?;
    let options = Options {
        naming: Naming::Toolkit,
        wrapper: Some(case.root.clone()),
        filler: Filler::Expose,
        ..Options::new(page)
    };
    let bind = Bind::compile(layout, &options).map_err(|errors| format!("{errors:?}"))?;
    let bytes = from_hex(&case.hex)?;
    let mut record = Vec::new();
    let mut json = Vec::new();
    bind.decode(&bytes, &mut json).map_err(|error| error.to_string())?;
    let decoded: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    let given: Value = serde_json::from_str(case.json.get()).map_err(|error| error.to_string())?;
    if case.kind == "request" {
        bind.encode(case.json.get().as_bytes(), &mut record).map_err(|error| error.to_string())?;
        same("bytes", &bytes, &record)?;
        return same("JSON", &trimmed(given), &decoded);
    }
    same("JSON", &given, &decoded)?;
    bind.encode(&json, &mut record).map_err(|error| error.to_string())?;
    same("bytes", &bytes, &record)
}

pub(super) fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    expected: &T,
    found: &T,
) -> Result<(), String> {
    if expected == found {
        Ok(())
    } else {
        Err(format!("{what} differ: expected {expected:02x?}, found {found:02x?}"))
    }
}

/// The same values without blanks at the end of text.
pub(super) fn trimmed(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.trim_end_matches(' ').to_owned()),
        Value::Array(rows) => rows.into_iter().map(trimmed).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, trimmed(value))).collect())
        }
        other => other,
    }
}
