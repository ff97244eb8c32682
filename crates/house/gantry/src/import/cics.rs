//! `gantry import cics`: turns definitions of a CICS region into sections of `gantry.toml`. Text of
//! the user stays.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use codepage::CodePage;
use definitions::{Choices, Import, Limits, Merged, Note, Outcome, Section, Source};
use serde_json::{Value, json};
use settings::{GANTRY_FILE, source_text};
use terminal::count;

use super::{Found, described, read_file};

/// What is read, and where it goes.
#[derive(Debug, Args)]
pub(super) struct CicsArgs {
    /// Files or folders: DFHCSDUP commands, jobs with them or with IDCAMS commands, SIT overrides, bundles.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    from: Vec<PathBuf>,
    /// The configuration folder; created if it does not exist.
    #[arg(long, value_name = "FOLDER")]
    into: PathBuf,
    /// Import only this group; may be given several times.
    #[arg(long, value_name = "NAME")]
    group: Vec<String>,
    /// Import only the groups of this list; may be given several times.
    #[arg(long, value_name = "NAME")]
    list: Vec<String>,
    /// The first records of a file of the region, from a flat file of lines or of records of one length.
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    data: Vec<(String, PathBuf)>,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON, for use by programs.
    #[arg(long)]
    json: bool,
}

/// The code page of files that are not UTF-8. It matters for comments and descriptions, as in
/// sources.
const SOURCE_CCSID: u16 = 1252;

/// Extensions of files that have no definitions.
const PASSED_OVER: &[&str] =
    &["md", "cbl", "cob", "cpy", "bms", "java", "class", "jar", "zip", "png", "jpg", "gif", "html"];

/// The most places that are shown of one note.
const PLACES_MAX: usize = 20;

fn named(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_uppercase(), file.into())),
        _ => Err("expected NAME=FILE".to_owned()),
    }
}

/// Reads definitions, and writes the new ones.
///
/// # Errors
/// Nothing was written, with the reason.
pub(super) fn run(args: &CicsArgs) -> Result<(), String> {
    let texts = texts(&args.from)?;
    let sources: Vec<Source<'_>> = texts.iter().map(|(name, text)| Source { name, text }).collect();
    let choices = Choices { groups: args.group.clone(), lists: args.list.clone() };
    let mut import = definitions::read(&sources, &choices, &Limits::default()).map_err(|faults| {
        faults.iter().take(PLACES_MAX).for_each(|fault| eprintln!("error: {fault}"));
        format!("{} in the definitions; nothing was written", count(faults.len(), "fault"))
    })?;
    named_files_are_read(args, &import)?;
    let data = data(args, &mut import)?;
    let path = args.into.join(GANTRY_FILE);
    let before = match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(described(&path, &error)),
    };
    let of: Vec<String> = args.from.iter().map(|path| path.display().to_string()).collect();
    let merged = definitions::merge(before.as_deref().unwrap_or_default(), &import.sections, &of.join(", "));
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
    let done = Done { args, import: &import, merged: &merged, files: &files };
    match args.json {
        true => println!("{}", done.json()),
        false => done.tell(),
    }
    Ok(())
}

/// The texts of files, and of the files in folders, by their shown names.
fn texts(from: &[PathBuf]) -> Result<Vec<(String, String)>, String> {
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
            texts.push((path.display().to_string(), source_text(bytes, page)));
            continue;
        }
        let mut found = Found { files: Vec::new(), bytes: 0, limits: &limits };
        found.folder(path, "")?;
        for (name, bytes) in found.files {
            let ending = name.rsplit('.').next().unwrap_or_default().to_lowercase();
            if !PASSED_OVER.contains(&ending.as_str()) && !bytes.contains(&0) {
                texts.push((path.join(&name).display().to_string(), source_text(bytes, page)));
            }
        }
    }
    Ok(texts)
}

/// Checks that the named files have definitions.
fn named_files_are_read(args: &CicsArgs, import: &Import) -> Result<(), String> {
    let named = args.from.iter().map(|path| path.display().to_string());
    let unread: Vec<String> = named.filter(|name| import.unread.contains(name)).collect();
    match unread.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "expected commands of DFHCSDUP or IDCAMS, SIT overrides or a resource of a bundle, found none of them: {}",
            unread.join(", ")
        )),
    }
}

/// The files of `--data`, and the commands that load them.
fn data(args: &CicsArgs, import: &mut Import) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    for (name, path) in &args.data {
        let bytes = read_file(path, Limits::default().files_max_bytes)?;
        let is_it = |section: &&mut Section| section.path() == "region.file" && section.name == *name;
        let section = import.sections.iter_mut().find(is_it);
        let section = section.ok_or_else(|| format!("--data {name}: no file of this name is imported"))?;
        if let Some(hint) = region_config::page_hint(&path.display().to_string(), &bytes) {
            remark!("warning: {hint}");
        }
        let (ending, format) = format_of(&bytes, section).ok_or_else(|| {
            format!(
                "{}: expected lines, or records of the length of {name}: find the format with gantry record, and use gantry file load",
                path.display()
            )
        })?;
        let to = format!("data/{name}.{ending}");
        section.pairs.retain(|(key, _)| !matches!(*key, "load" | "load_format"));
        section.pairs.push(("load", to.as_str().into()));
        section.pairs.push(("load_format", format.into()));
        import.wanted.retain(|wanted| wanted.file != *name);
        import.new_files.retain(|file| file.path != to);
        files.insert(to, bytes);
    }
    Ok(files)
}

/// The extension and the format of a flat file with a file's records.
fn format_of(bytes: &[u8], section: &Section) -> Option<(&'static str, &'static str)> {
    let length = section.pairs.iter().find_map(|(key, value)| match (*key, value) {
        ("record_bytes", definitions::Value::Number(bytes)) => usize::try_from(*bytes).ok(),
        _ => None,
    })?;
    let has_lines = bytes.contains(&b'\n')
        && bytes
            .split(|byte| *byte == b'\n')
            .all(|line| line.len() <= length + usize::from(line.ends_with(b"\r")));
    match () {
        () if has_lines => Some(("txt", "lines")),
        () if !bytes.is_empty() && bytes.len().is_multiple_of(length) => Some(("dat", "fixed")),
        () => None,
    }
}

fn write(files: &BTreeMap<String, Vec<u8>>, into: &Path) -> Result<(), String> {
    fs::create_dir_all(into).map_err(|error| described(into, &error))?;
    for (name, bytes) in files {
        let path = into.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| described(folder, &error))?;
        }
        fs::write(&path, bytes).map_err(|error| described(&path, &error))?;
    }
    Ok(())
}

/// The work that was done, or would be done.
struct Done<'d> {
    args: &'d CicsArgs,
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
            false => format!("; next: gantry check {}", self.args.into.display()),
        };
        format!(
            "{begin}{}: {} new, {same} unchanged, {kept} kept as they are; {}; {}{next}",
            count(self.import.definition_count, "definition"),
            count(new, "section"),
            count(self.import.programs.len(), "program"),
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
        json!({
            "dryRun": self.args.dry_run,
            "definitions": self.import.definition_count,
            "new": new,
            "unchanged": unchanged,
            "kept": kept,
            "sections": sections,
            "files": self.files.keys().collect::<Vec<_>>(),
            "programs": self.import.programs.iter().map(|one| &one.name).collect::<Vec<_>>(),
            "missingPrograms": self.missing_programs(),
            "data": data,
            "notes": notes,
        })
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
