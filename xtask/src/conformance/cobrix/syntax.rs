//! Copybooks to refuse, with the line where the fault is.

use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    copybook: String,
    error_line: Option<u32>,
}

/// The copybook is refused, at the line that is given.
pub(in super::super) fn check(_: &Path, line: &str) -> Result<(), String> {
    let case: Case = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let found = match copybook::parse("RECORD", &case.copybook, &copybook::Options::default()) {
        Ok(_) => return Err("expected an error, found none".to_owned()),
        Err(found) => found,
    };
    let errors = found.iter().filter(|finding| finding.severity == copybook::Severity::Error);
    let lines: Vec<u32> = errors.map(|finding| finding.place.line).collect();
    match case.error_line {
        Some(expected) if lines.first() != Some(&expected) => {
            Err(format!("expected an error in line {expected}, found one in {lines:?}"))
        }
        _ => Ok(()),
    }
}
