//! Golden folders: a program with its members, and its translation. `tests/gnucobol/run.sh` compiles the same
//! files.
//!
//! UPDATE_GOLDEN=1 rewrites the expected files.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use program::translate::{Settings, SqlBlock, SqlPrecompiler};

use crate::{shown, with_members};

/// Compares with an expected file.
pub(crate) fn compare(path: &Path, found: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        fs::write(path, found).expect("the golden file can be written");
    }
    let expected = fs::read_to_string(path).expect("the golden file is there");
    assert_eq!(found, expected, "{}: look at the difference, then UPDATE_GOLDEN=1", path.display());
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Says CONTINUE for every statement, and nothing for declarations.
struct Continue;

impl SqlPrecompiler for Continue {
    fn name(&self) -> &str {
        "continue"
    }

    fn translate(&self, block: &SqlBlock<'_>) -> Result<String, String> {
        Ok(if block.code { "CONTINUE".to_owned() } else { String::new() })
    }
}

fn check(case: &str) {
    let folder = folder().join(case);
    let text = fs::read_to_string(folder.join("program.cbl")).expect("a program");
    let mut members = HashMap::new();
    for entry in fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "cpy") {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            members.insert(name, fs::read_to_string(&path).expect("a member"));
        }
    }
    let settings = Settings { sql: Some(&Continue), ..Settings::default() };
    let translation =
        with_members(&text, &members, &settings).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    compare(&folder.join("program.i"), &translation.text);
}

#[test]
fn fixed() {
    check("fixed");
}

#[test]
fn free() {
    check("free");
}

#[test]
fn nested() {
    check("nested");
}

#[test]
fn parameters() {
    check("parameters");
}

#[test]
fn periods() {
    check("periods");
}

#[test]
fn members() {
    check("members");
}

#[test]
fn calls() {
    check("calls");
}

#[test]
fn idioms() {
    check("idioms");
}

#[test]
fn xml_parse() {
    check("xml-parse");
}
