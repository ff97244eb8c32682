//! A copybook, data and options to JSON: the data in the case itself, or in files.
//!
//! The other project shows a number that it cannot read as null, and invents columns (`Record_Id`, `Seg_Id0`, `_debug`):
//! a field that is refused here agrees with null there, and the columns are passed over.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use copybook::Layout;
use serde::Deserialize;

use super::super::json::Json;
use super::super::tree::{Rules, Tree};
use super::super::{from_hex, locate};
use super::framing::Framing;
use super::options::CaseOptions;
use super::records::{self, Records};
use super::segments::Segments;

#[derive(Deserialize)]
struct Inline {
    copybook: String,
    options: BTreeMap<String, String>,
    input_hex: String,
    expected_json_text: String,
}

#[derive(Deserialize)]
struct Files {
    copybook: String,
    data: String,
    options: BTreeMap<String, String>,
    expected_results: Option<String>,
    expected_layout: Option<String>,
}

/// Checks a case that holds all it needs.
pub(in super::super) fn check_inline(_: &Path, line: &str) -> Result<(), String> {
    let case: Inline = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let expected = Json::parse_all(&case.expected_json_text)?;
    let options = CaseOptions::new(&case.options);
    let layouts = records::layouts(&case.copybook)?;
    let found = Found::new(&layouts, &options, &[from_hex(&case.input_hex)?])?;
    if found.records.len() != expected.len() {
        return Err(format!("expected {} records, found {}", expected.len(), found.records.len()));
    }
    for (row, (expected, record)) in expected.iter().zip(&found.records).enumerate() {
        found.compare(expected, record).map_err(|error| format!("record {}: {error}", row + 1))?;
    }
    Ok(())
}

/// Checks a case whose copybook, data and results are files. The results may be some of the records, in any order.
pub(in super::super) fn check_files(base: &Path, line: &str) -> Result<(), String> {
    let case: Files = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = read(&locate(base, &case.copybook)?)?;
    let options = CaseOptions::new(&case.options);
    let layouts = records::layouts(&text)?;
    if let Some(layout) = &case.expected_layout {
        super::layout::compare(&layouts, &read(&locate(base, layout)?)?)?;
    }
    let Some(results) = &case.expected_results else { return Ok(()) };
    let expected = Json::parse_all(&read(&locate(base, results)?)?)?;
    let data = locate(base, &case.data)?;
    let mut files = Vec::new();
    if data.is_dir() {
        for entry in fs::read_dir(&data).map_err(|error| error.to_string())? {
            files.push(entry.map_err(|error| error.to_string())?.path());
        }
        files.sort();
    } else {
        files.push(data);
    }
    let contents =
        files.iter().map(fs::read).collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let found = Found::new(&layouts, &options, &contents)?;
    if found.records.len() < expected.len() {
        return Err(format!("expected {} records, found {}", expected.len(), found.records.len()));
    }
    let mut left: Vec<&Vec<Tree>> = found.records.iter().collect();
    for (row, expected) in expected.iter().enumerate() {
        let agrees = left.iter().position(|record| found.compare(expected, record).is_ok());
        match agrees {
            Some(at) => drop(left.remove(at)),
            None => {
                let error = left.first().map_or(Ok(()), |record| found.compare(expected, record));
                return Err(format!("no record agrees with number {} expected: {error:?}", row + 1));
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The data as our codec reads it.
struct Found<'f> {
    layouts: &'f [Layout],
    options: &'f CaseOptions,
    records: Vec<Vec<Tree>>,
    /// True if the data has control characters within text.
    shows_controls: bool,
}

impl<'f> Found<'f> {
    fn new(layouts: &'f [Layout], options: &'f CaseOptions, files: &[Vec<u8>]) -> Result<Self, String> {
        if let Some(option) = options.without_counterpart() {
            return Err(format!("the option {option} has no counterpart"));
        }
        let framing = Framing { options, layouts, record_bytes: records::record_bytes(layouts) };
        let reader = Records::new(layouts, options)?;
        let mut all = Vec::new();
        for file in files {
            for (row, record) in framing.records(file)?.iter().enumerate() {
                all.push(reader.read(record).map_err(|error| format!("record {}: {error}", row + 1))?);
            }
        }
        let shows_controls = all.iter().flatten().any(has_controls);
        let [layout] = layouts else { return Ok(Self { layouts, options, records: all, shows_controls }) };
        let trees = all.into_iter().flatten().collect();
        let records = Segments::new(layout, options)?.arrange(layout, trees)?;
        let records = records.into_iter().map(|tree| vec![tree]).collect();
        Ok(Self { layouts, options, records, shows_controls })
    }

    fn compare(&self, expected: &Json, record: &[Tree]) -> Result<(), String> {
        let Json::Members(members) = self.without_inventions(expected) else {
            return Err(format!("expected {expected:?}, which is no object"));
        };
        let single = self.layouts.len() == 1;
        for (layout, tree) in self.layouts.iter().zip(record) {
            let names = records::names(layout);
            let ascii = self.options.shows_ascii_only();
            let text = |text: &str| self.text(text, ascii);
            let name = |id| names.get(&id).cloned().unwrap_or_default();
            // The field with a record's length is not always shown.
            let subset = self.options.get("record_length_field").is_some();
            let rules = Rules { layout, name: &name, text: &text, subset };
            let root = layout.name().replace('-', "_");
            let expected = match (single, self.options.keeps_root()) {
                (true, true) => members.get(&root).cloned().unwrap_or_else(|| Json::Members(members.clone())),
                (true, false) => Json::Members(members.clone()),
                (false, _) => match members.get(&root) {
                    Some(value) => value.clone(),
                    None => Json::Null,
                },
            };
            // An elementary 01 is a member of its own.
            let tree = match (tree, &expected) {
                (Tree::Members(fields), Json::Text(_) | Json::Number(_) | Json::Null)
                    if layout.fields().len() == 1 =>
                {
                    fields.values().next().unwrap_or(tree)
                }
                _ => tree,
            };
            rules
                .compare(&expected, tree, None)
                .map_err(|error| error.trim_start_matches(": ").to_owned())?;
        }
        Ok(())
    }

    /// Texts as both are compared: without blanks at both ends, and of ASCII only what is printable. The other project
    /// shows control characters as blanks or not at all: where there are any, blanks do not count.
    fn text(&self, text: &str, ascii: bool) -> String {
        let is_control = |c: char| c.is_control() || c == '\u{fffd}' || (ascii && !c.is_ascii());
        let text = text.trim_matches(|c: char| c == ' ' || is_control(c));
        text.chars().filter(|c| !is_control(*c) && (*c != ' ' || !self.shows_controls)).collect()
    }

    fn without_inventions(&self, expected: &Json) -> Json {
        let debug = self.options.is_true("debug") || self.options.get("debug").is_some();
        match expected {
            Json::Members(members) => Json::Members(
                members
                    .iter()
                    .filter(|(name, _)| !(is_invention(name) || debug && name.ends_with("_debug")))
                    .map(|(name, value)| (name.clone(), self.without_inventions(value)))
                    .collect(),
            ),
            Json::List(rows) => Json::List(rows.iter().map(|row| self.without_inventions(row)).collect()),
            other => other.clone(),
        }
    }
}

fn has_controls(tree: &Tree) -> bool {
    match tree {
        Tree::Members(members) => members.values().any(has_controls),
        Tree::Rows(rows) => rows.iter().any(has_controls),
        Tree::Text(text) => {
            text.trim_matches(|c: char| c == ' ' || c.is_control()).contains(|c: char| c.is_control())
        }
        _ => false,
    }
}

fn is_invention(name: &str) -> bool {
    matches!(
        name,
        "File_Id"
            | "Record_Id"
            | "Record_Byte_Length"
            | "Record_Bytes"
            | "_corrupt_fields"
            | "_corrupt_record"
    ) || name.starts_with("Seg_Id")
}
