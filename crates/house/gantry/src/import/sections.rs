//! The common part of imports of definitions: texts in, sections of `gantry.toml` out. Text of the user stays.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use codepage::CodePage;
use definitions::{Fault, Import, Limits, Merged, Note, Outcome, Section};
use serde_json::{Value, json};
use settings::{GANTRY_FILE, Readers, replace, source_text};
use terminal::count;

use super::{Found, described, read_file};

/// Where sections go, and how the command reports them.
#[derive(Debug, Args)]
pub(super) struct ToArgs {
    /// The configuration folder; created if it does not exist.
    #[arg(long, short = 'o', value_name = "FOLDER")]
    pub(super) into: PathBuf,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print JSON, for use by programs.
    #[arg(long)]
    pub(super) json: bool,
}

/// The kind of import. Each kind has a summary of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    /// A region, which has programs and data.
    Region,
    /// A queue manager.
    QueueManager,
}

/// The code page of files that are not UTF-8. It matters for comments and descriptions, as in
/// sources.
const SOURCE_CCSID: u16 = 1252;

/// Extensions of files that have no definitions. Documents and scripts may show some, which are not those of a region.
const PASSED_OVER: &[&str] = &[
    "md", "cbl", "cob", "cpy", "bms", "java", "class", "jar", "zip", "png", "jpg", "gif", "html", "htm",
    "shtml", "css", "js", "ts", "py", "groovy", "gradle", "kt", "rb", "go", "rs", "c", "h", "cs", "php",
    "pli", "sql", "svg", "pdf",
];

/// The most places that are shown of one note.
const PLACES_MAX: usize = 20;

/// The texts of files, and of the files in folders, by their shown names.
pub(super) fn texts(from: &[PathBuf]) -> Result<Vec<(String, String)>, String> {
    let limits = packages::Limits {
        package_max_bytes: Limits::default().files_max_bytes,
        entry_count_max: Limits::default().file_count_max,
        entry_max_bytes: Limits::default().file_max_bytes,
        ..packages::Limits::default()
    };
    let page = CodePage::by_ccsid(SOURCE_CCSID).ok_or("code page 1252 is missing")?;
    let mut texts = Vec::new();
    for path in from {
        if !path.is_dir() {
            let bytes = read_file(path, limits.entry_max_bytes)?;
            texts.push((path.display().to_string(), definitions_text(bytes, page)));
            continue;
        }
        let mut found = Found { files: Vec::new(), bytes: 0, limits: &limits };
        found.folder(path, "")?;
        for (name, bytes) in found.files {
            let ending = name.rsplit('.').next().unwrap_or_default().to_lowercase();
            if !PASSED_OVER.contains(&ending.as_str()) && !bytes.contains(&0) {
                texts.push((path.join(&name).display().to_string(), definitions_text(bytes, page)));
            }
        }
    }
    Ok(texts)
}

/// The text of a file without its byte order mark.
fn definitions_text(bytes: Vec<u8>, page: &CodePage) -> String {
    let text = source_text(bytes, page);
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// Tells the faults of definitions, the first of them one by one.
#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
pub(super) fn tell_faults(faults: Vec<Fault>) -> String {
    faults.iter().take(PLACES_MAX).for_each(|fault| eprintln!("error: {fault}"));
    format!("{} in the definitions; nothing was written", count(faults.len(), "fault"))
}

/// Checks that the named files have definitions, and at least one file of the folders.
pub(super) fn check_read(
    from: &[PathBuf],
    texts: &[(String, String)],
    import: &Import,
    expected: &str,
) -> Result<(), String> {
    let named: Vec<String> = from.iter().map(|path| path.display().to_string()).collect();
    let unread: Vec<String> = match import.unread.len() == texts.len() {
        true => named,
        false => named.into_iter().filter(|name| import.unread.contains(name)).collect(),
    };
    match unread.is_empty() {
        true => Ok(()),
        false => Err(format!("expected {expected}, found none of them: {}", unread.join(", "))),
    }
}

/// The text of the `gantry.toml` that is there.
pub(super) fn before(into: &Path) -> Result<Option<String>, String> {
    let path = into.join(GANTRY_FILE);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(described(&path, &error)),
    }
}

/// Definitions that were read.
pub(super) struct Begun<'b> {
    pub(super) args: &'b ToArgs,
    pub(super) import: &'b Import,
    /// Files with data, by their paths in the folder.
    pub(super) data: BTreeMap<String, Vec<u8>>,
    pub(super) own: Own,
}

impl Begun<'_> {
    /// Writes what is new, and tells it.
    pub(super) fn end(self, from: &[PathBuf], command: &str) -> Result<(), String> {
        let Self { args, import, data, own } = self;
        let before = before(&args.into)?;
        let of: Vec<String> = from.iter().map(|path| path.display().to_string()).collect();
        let of = format!("{} by `{command}`", of.join(", "));
        let merged = definitions::merge(before.as_deref().unwrap_or_default(), &import.sections, &of);
        let path = args.into.join(GANTRY_FILE);
        let merged = merged.map_err(|(line, reason)| format!("{}:{line}: {reason}", path.display()))?;
        let mut files = BTreeMap::new();
        if before.as_ref() != Some(&merged.text) {
            files.insert(GANTRY_FILE.to_owned(), merged.text.clone().into_bytes());
        }
        files.extend(data);
        let import_files =
            import.new_files.iter().map(|file| (file.path.clone(), file.text.clone().into_bytes()));
        files.extend(import_files);
        // Existing files with data belong to the user.
        files.retain(|name, _| name == GANTRY_FILE || !args.into.join(name).exists());
        if !args.dry_run {
            write(&files, &args.into)?;
        }
        let done = Done { args, own, import, merged: &merged, files: &files };
        match args.json {
            true => println!("{}", done.json()),
            false => done.tell(),
        }
        Ok(())
    }
}

fn write(files: &BTreeMap<String, Vec<u8>>, into: &Path) -> Result<(), String> {
    fs::create_dir_all(into).map_err(|error| described(into, &error))?;
    for (name, bytes) in files {
        let path = into.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| described(folder, &error))?;
        }
        replace(&path, bytes, Readers::Usual).map_err(|error| described(&path, &error))?;
    }
    Ok(())
}

/// The work that was done, or would be done.
struct Done<'d> {
    args: &'d ToArgs,
    own: Own,
    import: &'d Import,
    merged: &'d Merged,
    files: &'d BTreeMap<String, Vec<u8>>,
}

impl Done<'_> {
    fn outcomes(&self) -> impl Iterator<Item = (&Section, &Outcome)> {
        self.import.sections.iter().zip(&self.merged.outcomes)
    }

    /// The programs whose sources are not in `programs/`.
    fn missing_programs(&self) -> Vec<&str> {
        let names = fs::read_dir(self.args.into.join(program::FOLDER)).into_iter().flatten().flatten();
        let stem = |name: String| name.rsplit_once('.').map(|(stem, _)| stem.to_uppercase());
        let there: Vec<String> =
            names.filter_map(|entry| stem(entry.file_name().to_string_lossy().into_owned())).collect();
        let programs = self.import.programs.iter().map(|program| program.name.as_str());
        programs.filter(|name| !there.iter().any(|known| known == name)).collect()
    }

    fn tell(&self) {
        self.tell_sections();
        for (reason, notes) in grouped(&self.import.notes) {
            aside!("note: {}: {reason}", places(&notes));
        }
        for wanted in &self.import.wanted {
            println!(
                "data: {}: the records of {} are in {}: add --data {}=FILE, or use gantry file load",
                wanted.place, wanted.file, wanted.data_set, wanted.file
            );
        }
        let missing = self.missing_programs();
        if !missing.is_empty() {
            let folder = self.args.into.join(program::FOLDER);
            println!("programs: put their sources into {}: {}", folder.display(), missing.join(", "));
        }
        let verb = if self.args.dry_run { "would write" } else { "wrote" };
        for name in self.files.keys() {
            aside!("{verb} {}", self.args.into.join(name).display());
        }
        println!("{}", self.summary());
    }

    fn tell_sections(&self) {
        if !self.args.dry_run {
            self.tell_new();
        }
        for (section, outcome) in self.outcomes() {
            match outcome {
                Outcome::New if self.args.dry_run => print!("{}\n", section.text()),
                Outcome::New | Outcome::Same { .. } => {}
                Outcome::Kept { line, differences } => {
                    let place = section.places.first().map(ToString::to_string).unwrap_or_default();
                    for difference in differences {
                        let written = difference.written.as_deref().unwrap_or("not there");
                        println!(
                            "kept: {}:{line}: {} {}: {} is {written}; {place} says {}",
                            self.args.into.join(GANTRY_FILE).display(),
                            section.path(),
                            section.name,
                            difference.key,
                            difference.defined
                        );
                    }
                }
            }
        }
    }

    /// The names of new sections, by their kinds.
    fn tell_new(&self) {
        let mut new: Vec<(String, Vec<&str>)> = Vec::new();
        for (section, _) in self.outcomes().filter(|(_, outcome)| **outcome == Outcome::New) {
            let path = section.path();
            match new.last_mut() {
                Some((last, names)) if *last == path => names.push(&section.name),
                _ => new.push((path, vec![&section.name])),
            }
        }
        for (path, names) in new {
            aside!("new: {path}: {}", names.join(", "));
        }
    }

    fn numbers(&self) -> [usize; 3] {
        let mut numbers = [0; 3];
        for (_, outcome) in self.outcomes() {
            let at = match outcome {
                Outcome::New => 0,
                Outcome::Same { .. } => 1,
                Outcome::Kept { .. } => 2,
            };
            numbers[at] += 1;
        }
        numbers
    }

    fn summary(&self) -> String {
        let [new, same, kept] = self.numbers();
        let begin = if self.args.dry_run { "dry run, nothing was written: " } else { "" };
        let next = match self.args.dry_run {
            true => String::new(),
            false => {
                let check = format!("gantry check {}", terminal::word(&self.args.into));
                format!("; next: {}", terminal::to_paste(&check))
            }
        };
        let programs = match self.own {
            Own::Region => format!("{}; ", count(self.import.programs.len(), "program")),
            Own::QueueManager => String::new(),
        };
        format!(
            "{begin}{}: {} new, {same} unchanged, {kept} kept as they are; {programs}{}{next}",
            count(self.import.definition_count, "definition"),
            count(new, "section"),
            count(self.import.notes.len(), "note"),
        )
    }

    fn json(&self) -> Value {
        let sections: Vec<Value> = self
            .outcomes()
            .map(|(section, outcome)| {
                let mut one = json!({
                    "section": section.path(),
                    "name": section.name,
                    "definition": section.subject,
                    "places": section.places.iter().map(ToString::to_string).collect::<Vec<_>>(),
                });
                let more = match outcome {
                    Outcome::New => json!({"outcome": "new", "text": section.text()}),
                    Outcome::Same { line } => json!({"outcome": "unchanged", "line": line}),
                    Outcome::Kept { line, differences } => {
                        let differences: Vec<Value> = differences
                            .iter()
                            .map(
                                |one| json!({"key": one.key, "written": one.written, "defined": one.defined}),
                            )
                            .collect();
                        json!({"outcome": "kept", "line": line, "differences": differences})
                    }
                };
                if let (Some(one), Value::Object(more)) = (one.as_object_mut(), more) {
                    one.extend(more);
                }
                one
            })
            .collect();
        let notes: Vec<Value> = self
            .import
            .notes
            .iter()
            .map(|note| json!({"file": &*note.place.file, "line": note.place.line, "definition": note.subject, "note": note.reason}))
            .collect();
        let data: Vec<Value> = self
            .import
            .wanted
            .iter()
            .map(|one| json!({"file": one.file, "dataSet": one.data_set, "place": one.place.to_string()}))
            .collect();
        let [new, unchanged, kept] = self.numbers();
        let mut all = json!({
            "dryRun": self.args.dry_run,
            "definitions": self.import.definition_count,
            "new": new,
            "unchanged": unchanged,
            "kept": kept,
            "sections": sections,
            "files": self.files.keys().collect::<Vec<_>>(),
            "notes": notes,
        });
        if self.own == Own::Region {
            all["programs"] = json!(self.import.programs.iter().map(|one| &one.name).collect::<Vec<_>>());
            all["missingPrograms"] = json!(self.missing_programs());
            all["data"] = json!(data);
        }
        all
    }
}

/// The places of definitions: each file once, with its lines.
fn places(notes: &[&Note]) -> String {
    let mut out = String::new();
    let mut last = "";
    for note in notes.iter().take(PLACES_MAX) {
        out.push_str(if out.is_empty() { "" } else { ", " });
        let line = note.place.line;
        match &*note.place.file == last {
            true => out.push_str(&format!("line {line} {}", note.subject)),
            false => out.push_str(&format!("{}:{line} {}", note.place.file, note.subject)),
        }
        last = &note.place.file;
    }
    let more = notes.len().saturating_sub(PLACES_MAX);
    if more > 0 {
        out.push_str(&format!(" and {more} more, which --json has"));
    }
    out
}

/// Groups notes with the same text.
fn grouped(notes: &[Note]) -> Vec<(&str, Vec<&Note>)> {
    let mut groups: Vec<(&str, Vec<&Note>)> = Vec::new();
    for note in notes {
        match groups.iter_mut().find(|(reason, _)| *reason == note.reason) {
            Some((_, known)) => known.push(note),
            None => groups.push((&note.reason, vec![note])),
        }
    }
    groups
}
