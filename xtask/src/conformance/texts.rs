//! Records as text beside copybooks of the same name, some with their JSON: the text reads as the JSON, and the JSON
//! writes the text; without JSON, what is read writes the same text again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codepage::CodePage;
use copybook::{FieldId, Layout};
use record::{Bind, Naming, Options};

use super::json::Json;
use super::reader::Reader;
use super::tree::{Rules, Tree};
use super::{parse_file, stem};

/// Compares a file of records.
pub(super) fn check(path: &Path, copybook: &Path, json: Option<&PathBuf>) -> Result<(), String> {
    let data = fs::read(path).map_err(|error| error.to_string())?;
    let count = |byte: u8| data.iter().filter(|found| **found == byte).count();
    let ccsid = if count(0x40) + count(0xF0) > count(b' ') + count(b'0') { 37 } else { 819 };
    let page = CodePage::by_ccsid(ccsid).ok_or("no code page")?;
    let expected = match json {
        None => None,
        Some(json) => Some(Json::parse(&fs::read_to_string(json).map_err(|error| error.to_string())?)?),
    };
    let mut reasons = Vec::new();
    for layout in &parse_file(copybook)? {
        match check_layout(layout, page, &data, expected.as_ref()) {
            Ok(()) => return Ok(()),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(reasons.join("; "))
}

fn check_layout(
    layout: &Layout,
    page: &'static CodePage,
    data: &[u8],
    expected: Option<&Json>,
) -> Result<(), String> {
    let options = Options {
        naming: Naming::Cobol,
        wrapper: Some(layout.root().spelling.clone()),
        ..Options::new(page)
    };
    let bind = Bind::compile(layout, &options).map_err(|errors| errors[0].to_string())?;
    let (newline, blank) = if page.ccsid() == 819 { (b'\n', b' ') } else { (0x25, page.space()) };
    let lines = data.split(|byte| *byte == newline).map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    for (row, line) in lines.filter(|line| !line.is_empty()).enumerate() {
        let in_row = |error: String| format!("record {}: {error}", row + 1);
        let mut record = line.to_vec();
        record.resize(layout.max_bytes().max(line.len()), blank);
        if let Some(expected) = expected {
            read(layout, page, &record, expected).map_err(in_row)?;
        }
        let mut json = Vec::new();
        match expected {
            Some(expected) => expected.write(&mut json),
            None => bind.decode(&record, &mut json).map_err(|error| in_row(error.to_string()))?,
        }
        let mut written = Vec::new();
        bind.encode(&json, &mut written).map_err(|error| in_row(format!("writing: {error}")))?;
        if written != record {
            let at = written.iter().zip(&record).take_while(|(a, b)| a == b).count();
            return Err(in_row(format!("byte {at} is written otherwise")));
        }
    }
    Ok(())
}

/// The record reads as the JSON, which has the record's name around its fields or not.
fn read(layout: &Layout, page: &'static CodePage, record: &[u8], expected: &Json) -> Result<(), String> {
    let mut tree = Reader::new(layout, page)?.read(record)?;
    let names: BTreeMap<FieldId, String> =
        layout.iter().map(|(id, field)| (id, field.spelling.clone())).collect();
    let rules = Rules {
        layout,
        name: &|id| names.get(&id).cloned().unwrap_or_default(),
        text: &|text| text.trim().to_owned(),
        subset: true,
    };
    let inner = match expected {
        Json::Members(members) => members.get(&layout.root().spelling).unwrap_or(expected),
        other => other,
    };
    if let (Tree::Members(members), 1) = (&tree, layout.fields().len()) {
        tree = members.values().next().cloned().unwrap_or(tree);
    }
    let id = layout.iter().next().map(|(id, _)| id);
    rules.compare(inner, &tree, id)
}

/// The copybooks and texts of one name in folders beside each other: text, copybook, JSON.
pub(super) fn pairs(files: &[PathBuf]) -> Vec<(PathBuf, PathBuf, Option<PathBuf>)> {
    let ends =
        |path: &Path, ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    let beside = |a: &Path, b: &Path| {
        let around = |path: &Path| path.parent().and_then(Path::parent).map(Path::to_owned);
        around(a) == around(b) && a.parent() != b.parent() && stem(a).eq_ignore_ascii_case(&stem(b))
    };
    let mut found = Vec::new();
    for text in files.iter().filter(|path| ends(path, "txt")) {
        let copybook = files.iter().find(|path| ends(path, "cpy") && beside(path, text));
        let json = files.iter().find(|path| ends(path, "json") && beside(path, text));
        found.extend(copybook.map(|copybook| (text.clone(), copybook.clone(), json.cloned())));
    }
    found
}
