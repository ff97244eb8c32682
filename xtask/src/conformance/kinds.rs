//! The kind of a file of cases, by its shape and not by its path.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::{Check, FileCheck, cb2xml, cobrix, declarations, layouts, records, vectors, xml, xsd};

/// The check for a file with a case in each line, by the members of the first. None if its cases are of another kind.
pub(super) fn of_lines(text: &str) -> Option<Check> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(first).ok()?;
    let has = |names: &[&str]| names.iter().all(|name| members.contains_key(*name));
    Some(match () {
        () if has(&["copybook", "fields"]) => layouts::check,
        () if has(&["copybook", "root", "kind", "ccsid", "hex", "json"]) => vectors::check,
        () if has(&["copybook", "expected_layout", "parse_call"]) => cobrix::layout::check,
        () if has(&["copybook", "error_line"]) => cobrix::syntax::check,
        () if has(&["copybook", "options", "input_hex", "expected_json_text"]) => cobrix::data::check_inline,
        () if has(&["copybook", "options", "data"]) => cobrix::data::check_files,
        () if has(&["copybook", "input_json", "expected_hex"]) => cobrix::encode::check,
        () if has(&["copybook", "input_hex"]) && !has(&["options"]) => records::check,
        () if has(&["declaration", "value", "hex"]) => declarations::check_both,
        () if has(&["declaration", "input_hex", "valid"]) => declarations::check_read,
        () => return None,
    })
}

/// The check for a file that is one case in XML.
pub(super) fn of_xml(path: &Path) -> Option<FileCheck> {
    let ending = path.extension()?.to_ascii_lowercase();
    let text = match ending.to_str()? {
        "xml" | "xsd" => xml::read(path).ok()?,
        _ => return None,
    };
    if ending == "xml" && text.contains("<copybook ") && text.contains("<item") {
        return Some(cb2xml::check);
    }
    (ending == "xsd" && text.contains("cobolElement")).then_some(xsd::check)
}

/// True for COBOL text: by the ending, or without one by what it says.
pub(super) fn is_copybook(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("cpy" | "cbl" | "cob" | "copy" | "cobol" | "cpb" | "ccp") => true,
        None => {
            let Ok(text) = fs::read_to_string(path) else { return false };
            let upper = text.to_ascii_uppercase();
            upper.contains("PIC") && upper.contains("01 ")
        }
        _ => false,
    }
}

/// The id of a case, or the number of its line.
pub(super) fn id_of(line: &str, number: usize) -> String {
    #[derive(serde::Deserialize)]
    struct Named {
        id: Option<String>,
    }
    let named: Option<Named> = serde_json::from_str(line).ok();
    named.and_then(|named| named.id).unwrap_or_else(|| format!("line {number}"))
}

/// All files below a folder, in order.
///
/// # Errors
/// A folder cannot be read.
pub(super) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let describe = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(describe)? {
        let path = entry.map_err(describe)?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
