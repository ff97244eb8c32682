//! Conformance: layouts, records and copybooks of public projects, read from a folder that is not part of the repository.
//!
//! Every folder below the given one is looked at, and cases are known by their shape: lines of JSON with a copybook and
//! what it must give, layouts in XML, annotated schemas, records in EBCDIC and ASCII beside each other, text beside
//! copybooks and JSON, packages and channels of z/OS Connect; and every copybook must parse. Every WSDL must become copybooks that
//! GnuCOBOL compiles, and the share of those that do is printed. A WSDL that DFHLS2WS has made must be what our assistant makes. The
//! score is printed by file, or by folder where a case is a file.
//! `xtask/conformance.toml` says what score is expected; where it says nothing, all must agree.

mod assistants;
mod cb2xml;
mod channels;
mod cobrix;
mod declarations;
mod expected;
mod extent;
mod json;
mod kinds;
mod layouts;
mod packages;
mod pairs;
mod reader;
mod records;
mod texts;
mod tree;
mod vectors;
mod wsdls;
mod xml;
mod xsd;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use copybook::{Layout, Member, Options, Section};
use expected::Expectations;

/// Checks one line of a file: given the folder that the file lies in, and the line.
type Check = fn(&Path, &str) -> Result<(), String>;

/// Checks a file that is one case.
type FileCheck = fn(&Path) -> Result<(), String>;

/// The scores that are expected of the known cases.
const EXPECTED: &str = include_str!("../conformance.toml");

/// Longer messages say too much in a list.
const SHOWN_CHARACTERS: usize = 400;

/// The cases of one file or folder, with what became of them.
#[derive(Default)]
struct Score {
    outcomes: Vec<(String, Result<(), String>)>,
}

/// Runs every case below a folder.
///
/// # Errors
/// The folder has no cases, a file cannot be read, or a score is not the one expected.
pub(crate) fn run(folder: &Path) -> Result<(), String> {
    let expectations = Expectations::parse(EXPECTED)?;
    let files = kinds::files_below(folder)?;
    let scores = scores(&files)?;
    if scores.is_empty() {
        return Err(format!("there are no cases below {}", folder.display()));
    }
    let (mut passed, mut of, mut faults) = (0, 0, Vec::new());
    for (path, score) in &scores {
        let shown = path.strip_prefix(folder).unwrap_or(path).display().to_string();
        passed += score.passed();
        of += score.outcomes.len();
        faults.extend(score.report(&shown, path, &expectations));
    }
    let wsdls: Vec<bool> = (scores.values().flat_map(|score| &score.outcomes))
        .filter_map(|(case, outcome)| case.ends_with(".wsdl").then_some(outcome.is_ok()))
        .collect();
    if !wsdls.is_empty() {
        let taken = wsdls.iter().filter(|is_taken| **is_taken).count();
        println!("{taken} of {} WSDLs become copybooks ({} %)", wsdls.len(), taken * 100 / wsdls.len());
    }
    println!("{passed} of {of} cases agree");
    if faults.is_empty() { Ok(()) } else { Err(format!("conformance:\n  {}", faults.join("\n  "))) }
}

impl Score {
    fn add(&mut self, case: String, outcome: Result<(), String>) {
        self.outcomes.push((case, outcome));
    }

    fn passed(&self) -> usize {
        self.outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count()
    }

    /// Prints the score and what does not agree; gives what was not expected.
    fn report(&self, shown: &str, path: &Path, expectations: &Expectations) -> Vec<String> {
        let (passed, of) = (self.passed(), self.outcomes.len());
        println!("{shown}: {passed} of {of}");
        let expected = expectations.of(path).filter(|expected| expected.of == of);
        let mut faults = Vec::new();
        for (case, outcome) in &self.outcomes {
            let Err(message) = outcome else { continue };
            let message: String = message.chars().take(SHOWN_CHARACTERS).collect();
            match expected.and_then(|expected| expected.differs.get(case)) {
                Some(reason) => println!("  {case}: differs as listed ({reason}): {message}"),
                None => {
                    println!("  {case}: {message}");
                    faults.push(format!("{shown}: {case} does not agree"));
                }
            }
        }
        if let Some(expected) = expected.filter(|expected| passed > expected.passed) {
            println!("  {} were expected: take what agrees now off the list", expected.passed);
        }
        faults
    }
}

/// All cases that files hold, by file or folder.
fn scores(files: &[PathBuf]) -> Result<BTreeMap<PathBuf, Score>, String> {
    let mut scores: BTreeMap<PathBuf, Score> = BTreeMap::new();
    let folder = |path: &Path| path.parent().unwrap_or(path).to_owned();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for path in files {
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            let Some(check) = kinds::of_lines(&text) else { continue };
            let score = scores.entry(path.clone()).or_default();
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                score.add(kinds::id_of(line, number + 1), check(&folder(path), line));
            }
        } else if let Some(check) = kinds::of_xml(path) {
            scores.entry(folder(path)).or_default().add(name(path), check(path));
        } else if kinds::is_copybook(path) {
            scores.entry(folder(path)).or_default().add(name(path), parse_file(path).map(drop));
        }
    }
    for (path, (case, outcome)) in
        files.iter().flat_map(|path| wsdls::cases(path).into_iter().map(move |case| (path, case)))
    {
        scores.entry(folder(path)).or_default().add(case, outcome);
    }
    for (path, (case, outcome)) in files.iter().filter_map(|path| Some((path, assistants::case(path)?))) {
        scores.entry(folder(path)).or_default().add(case, outcome);
    }
    for (text, copybook, json) in texts::pairs(files) {
        let outcome = texts::check(&text, &copybook, json.as_ref());
        scores.entry(folder(&text)).or_default().add(name(&text), outcome);
    }
    for pair in pairs::find(files, &kinds::is_copybook) {
        scores.entry(folder(&pair.ebcdic)).or_default().add(name(&pair.ebcdic), pair.check());
    }
    for (place, case, outcome) in packages::cases(files) {
        scores.entry(place).or_default().add(case, outcome);
    }
    Ok(scores)
}

/// A file's name without its ending.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The path that a case names: below the case's folder, or below one around it.
fn locate(base: &Path, name: &str) -> Result<PathBuf, String> {
    let found = base.ancestors().take(3).map(|folder| folder.join(name)).find(|path| path.exists());
    found.ok_or_else(|| format!("no {name} at {}", base.display()))
}

/// A file near another: in its folder, or in one beside that.
fn find_file(near: &Path, wanted: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let around = near.parent().and_then(Path::parent)?;
    let files = kinds::files_below(around).ok()?;
    files.into_iter().find(|path| wanted(&path.file_name().unwrap_or_default().to_string_lossy()))
}

/// The records of a copybook; its members lie beside it.
fn parse_file(path: &Path) -> Result<Vec<Layout>, String> {
    parse_with(path, &Options::default(), None)
}

/// The records of all sections of a program, or of a copybook. For a member that is not there stands a field.
fn parse_sections(path: &Path) -> Result<Vec<Layout>, String> {
    let stand_in = Some("           05  FILLER PIC X.\n");
    let mut layouts = parse_file(path)?;
    for section in [Section::Linkage, Section::WorkingStorage, Section::LocalStorage, Section::File] {
        let options = Options { section: Some(section), ..Options::default() };
        layouts.extend(parse_with(path, &options, stand_in).unwrap_or_default());
    }
    Ok(layouts)
}

fn parse_with(path: &Path, options: &Options, stand_in: Option<&str>) -> Result<Vec<Layout>, String> {
    let read = |path: &Path| {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        // Old files have names in other pages in their comments.
        Ok::<_, String>(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => error.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
        })
    };
    let text = read(path)?;
    let folder = path.parent().unwrap_or(path);
    let library = |member: &str, _: Option<&str>| {
        let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        let found = paths.into_iter().find(|path| stem(path).eq_ignore_ascii_case(member));
        match (found, stand_in) {
            (Some(found), _) => Ok(Member { name: found.display().to_string(), text: read(&found)? }),
            (None, Some(text)) => Ok(Member { name: member.to_owned(), text: text.to_owned() }),
            (None, None) => Err("no file beside the copybook has its name".to_owned()),
        }
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let parsed = copybook::parse_with(&name, &text, options, &library);
    parsed
        .map(|parsed| parsed.layouts)
        .map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

/// The one record of a copybook.
fn layout(path: &Path) -> Result<Layout, String> {
    let layouts = parse_file(path)?;
    let count = layouts.len();
    match <[Layout; 1]>::try_from(layouts) {
        Ok([layout]) => Ok(layout),
        Err(_) => Err(format!("{count} records, expected one")),
    }
}

/// The lines of a file, without the empty ones.
fn from_lines(file: &[u8]) -> Vec<&[u8]> {
    let lines = file.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.is_empty()).collect()
}

/// Bytes from hexadecimal digits.
fn from_hex(text: &str) -> Result<Vec<u8>, String> {
    let pairs = text.trim().as_bytes().chunks(2);
    pairs
        .map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect::<Option<_>>()
        .ok_or_else(|| "bad hexadecimal".to_owned())
}
