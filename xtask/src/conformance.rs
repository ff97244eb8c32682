//! Conformance: layouts and records of public projects, read from a folder that is not part of the repository.
//!
//! Any folder below the given one is looked at: `layouts.jsonl` has the layouts of copybooks, `vectors.jsonl` has
//! JSON bodies with their record bytes. The score is printed by file; anything less than all is a failure.

mod layouts;
mod vectors;

use std::fs;
use std::path::{Path, PathBuf};

/// How many of a file's cases agree.
#[derive(Default)]
struct Score {
    passed: usize,
    failures: Vec<String>,
}

impl Score {
    fn add(&mut self, case: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.passed += 1,
            Err(message) => self.failures.push(format!("{case}: {message}")),
        }
    }
}

/// Runs every case below a folder.
///
/// # Errors
/// The folder has no cases, a file cannot be read, or a case does not agree.
pub(crate) fn run(folder: &Path) -> Result<(), String> {
    let mut files = Vec::new();
    find(folder, &mut files)?;
    files.sort();
    if files.is_empty() {
        return Err(format!("there are no cases (layouts.jsonl, vectors.jsonl) below {}", folder.display()));
    }
    let (mut passed, mut failed) = (0, 0);
    for file in files {
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let base = file.parent().unwrap_or(folder);
        let check = match file.file_name().and_then(|name| name.to_str()) {
            Some("layouts.jsonl") => layouts::check,
            _ => vectors::check,
        };
        let score = score(base, &text, check);
        let shown = file.strip_prefix(folder).unwrap_or(&file).display();
        println!("{shown}: {} of {}", score.passed, score.passed + score.failures.len());
        for failure in &score.failures {
            println!("  {failure}");
        }
        passed += score.passed;
        failed += score.failures.len();
    }
    println!("{passed} passed, {failed} failed");
    if failed > 0 { Err(format!("{failed} cases do not agree")) } else { Ok(()) }
}

/// Runs the cases of one file, one a line.
fn score(base: &Path, text: &str, check: fn(&Path, &str) -> Result<(), String>) -> Score {
    let mut score = Score::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        score.add(&format!("line {}", number + 1), check(base, line));
    }
    score
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let describe = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(describe)? {
        let path = entry.map_err(describe)?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.ends_with("layouts.jsonl") || path.ends_with("vectors.jsonl") {
            files.push(path);
        }
    }
    Ok(())
}

/// The one record of a copybook.
fn layout(path: &Path) -> Result<copybook::Layout, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let member = path.file_name().unwrap_or_default().to_string_lossy();
    let parsed = copybook::parse(&member, &text, &copybook::Options::default())
        .map_err(|diagnostics| diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    let count = parsed.layouts.len();
    match <[copybook::Layout; 1]>::try_from(parsed.layouts) {
        Ok([layout]) => Ok(layout),
        Err(_) => Err(format!("{count} records, expected one")),
    }
}
