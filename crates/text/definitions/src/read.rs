//! From files to an import: each file is read by its kind, definitions are chosen, and sections are made of
//! them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use crate::attributes::relevant;
use crate::cards::{Line, lines};
use crate::csd::{self, Definition};
use crate::idcams::{self, End};
use crate::jcl::{self, Step};
use crate::limits::Limits;
use crate::listing;
use crate::made::{Given, make};
use crate::place::{Fault, Note, Place};
use crate::section::Section;
use crate::{bundle, sit};

/// A file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// Its name in notes and faults.
    pub name: &'s str,
    /// Its text.
    pub text: &'s str,
}

/// The definitions to import, if not all.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Groups.
    pub groups: Vec<String>,
    /// Lists of groups. ADD commands in the files make them.
    pub lists: Vec<String>,
}

/// The definitions of files.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// Sections of `gantry.toml`, in their order.
    pub sections: Vec<Section>,
    /// Other files of the configuration folder.
    pub new_files: Vec<NewFile>,
    /// Programs that belong into `programs/`. They need no section.
    pub programs: Vec<OwnProgram>,
    /// Records that the files do not have.
    pub wanted: Vec<WantedData>,
    /// Notes on definitions without a counterpart, by file and line.
    pub notes: Vec<Note>,
    /// The number of resources in the files.
    pub definition_count: usize,
    /// Files without any definitions, by the caller's names.
    pub unread: Vec<String>,
}

/// A file beside `gantry.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Its path in the configuration folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A program of this region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnProgram {
    /// Its name, in upper case.
    pub name: String,
    /// The place of its definition.
    pub place: Place,
}

/// Records that a job copies into the cluster of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedData {
    /// The file of the region.
    pub file: String,
    /// The data set that has the records.
    pub data_set: String,
    /// The place in the job.
    pub place: Place,
}

/// A copy of one data set into another.
#[derive(Clone, Debug)]
pub(crate) struct Copies {
    /// Empty if the job has the data.
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) lines: Vec<String>,
    pub(crate) place: Place,
}

/// Reads files, and makes sections of their definitions.
///
/// # Errors
/// All files that cannot be read, definitions that contradict each other, and groups and lists that do not
/// exist.
pub fn read(sources: &[Source<'_>], choices: &Choices, limits: &Limits) -> Result<Import, Vec<Fault>> {
    let mut reader =
        Reader { limits, given: Given::default(), lists: Vec::new(), notes: Vec::new(), faults: Vec::new() };
    reader.faults = check_size(sources, limits);
    let mut unread = Vec::new();
    for source in sources {
        match reader.source(source) {
            Ok(true) => {}
            Ok(false) => unread.push(source.name.to_owned()),
            Err(fault) => reader.faults.push(fault),
        }
    }
    let definition_count = reader.given.definitions.len();
    reader.choose(choices);
    reader.check_twice();
    let Reader { mut given, mut notes, faults, .. } = reader;
    if !faults.is_empty() {
        return Err(faults);
    }
    notes.append(&mut given.catalog.notes);
    let made = make(given);
    notes.extend(made.notes);
    notes.sort_by(|one, other| (&one.place, &one.subject).cmp(&(&other.place, &other.subject)));
    Ok(Import { notes, definition_count, unread, ..made })
}

/// The limits of all files together that are exceeded.
pub(crate) fn check_size(sources: &[Source<'_>], limits: &Limits) -> Vec<Fault> {
    let all: usize = sources.iter().map(|source| source.text.len()).sum();
    let first = sources.first().map_or("", |source| source.name);
    let fault = |message: String| Fault { place: Place { file: Arc::from(first), line: 1 }, message };
    let mut faults = Vec::new();
    if sources.len() > limits.file_count_max {
        faults.push(fault(format!("more than file_count_max, {} files", limits.file_count_max)));
    }
    if all > limits.files_max_bytes {
        faults.push(fault(format!(
            "all files together have more than files_max_bytes, {}",
            limits.files_max_bytes
        )));
    }
    faults
}

struct Reader<'l> {
    limits: &'l Limits,
    given: Given,
    /// The groups of lists: list, group.
    lists: Vec<(String, String)>,
    notes: Vec<Note>,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    /// Reads a file by its kind; false if nothing in it is known.
    fn source(&mut self, source: &Source<'_>) -> Result<bool, Fault> {
        let file: Arc<str> = Arc::from(source.name);
        if source.text.len() > self.limits.file_max_bytes {
            let message = format!("has more than file_max_bytes, {}", self.limits.file_max_bytes);
            return Err(Fault { place: Place { file, line: 1 }, message });
        }
        if bundle::is_bundle(source.text) {
            let (definitions, notes) = bundle::read(&file, source.text, self.limits)?;
            self.given.definitions.extend(definitions);
            self.notes.extend(notes);
            return Ok(true);
        }
        let lines = lines(source.text);
        match jcl::is_job(&lines) {
            true => self.job(&file, &lines),
            false => self.commands(&file, &lines),
        }
    }

    /// Commands without a job around them.
    fn commands(&mut self, file: &Arc<str>, lines: &[Line<'_>]) -> Result<bool, Fault> {
        if sit::is_overrides(lines) {
            self.given.overrides.extend(sit::read(file, lines));
            return Ok(true);
        }
        let (csd, idcams) = contents(lines);
        if csd {
            self.csd(file, lines)?;
        }
        if idcams && !csd {
            let catalog = idcams::read(file, lines, self.limits)?;
            self.given.catalog.extend(catalog);
        }
        let is_listing = !csd && !idcams && listing::is_listing(lines);
        if is_listing {
            self.listing(file, lines)?;
        }
        Ok(csd || idcams || is_listing)
    }

    fn listing(&mut self, file: &Arc<str>, lines: &[Line<'_>]) -> Result<(), Fault> {
        let definitions = listing::read(file, lines, self.limits)?;
        self.given.definitions.extend(definitions);
        self.check_count(file)
    }

    /// Checks the number of definitions.
    fn check_count(&self, file: &Arc<str>) -> Result<(), Fault> {
        let most = self.limits.definition_count_max;
        if self.given.definitions.len() <= most {
            return Ok(());
        }
        let message = format!("more than definition_count_max, {most} definitions");
        Err(Fault { place: Place { file: Arc::clone(file), line: 1 }, message })
    }

    fn csd(&mut self, file: &Arc<str>, lines: &[Line<'_>]) -> Result<(), Fault> {
        let defined = csd::read(file, lines, self.limits)?;
        self.given.definitions.extend(defined.definitions);
        self.lists.extend(defined.lists);
        self.notes.extend(defined.notes);
        Ok(())
    }

    fn job(&mut self, file: &Arc<str>, lines: &[Line<'_>]) -> Result<bool, Fault> {
        let mut is_known = false;
        for step in jcl::steps(lines) {
            let data = step.file("SYSIN").map(|sysin| sysin.data.as_slice()).unwrap_or_default();
            match step.program.as_str() {
                "IDCAMS" => {
                    let mut catalog = idcams::read(file, data, self.limits)?;
                    for copied in std::mem::take(&mut catalog.copies) {
                        self.given.copies.extend(copies(&step, copied));
                    }
                    self.given.catalog.extend(catalog);
                    is_known = true;
                }
                "IEBGENER" | "ICEGENER" => self.given.copies.extend(generated(file, &step)),
                _ => is_known |= self.commands(file, data)?,
            }
        }
        Ok(is_known)
    }

    /// Removes definitions that are not in the wanted groups and lists.
    fn choose(&mut self, choices: &Choices) {
        let mut groups: Vec<String> = choices.groups.iter().map(|group| group.to_uppercase()).collect();
        let mut wanted: Vec<String> = choices.lists.iter().map(|list| list.to_uppercase()).collect();
        let by_start = self.given.overrides.iter().find(|one| one.name == "GRPLIST");
        if groups.is_empty()
            && wanted.is_empty()
            && let Some(one) = by_start
        {
            // The lists that the region would install, as far as the files have them.
            let lists = one.value.split(',').map(|list| list.trim().to_uppercase());
            wanted = lists.filter(|list| self.lists.iter().any(|(known, _)| known == list)).collect();
        }
        for list in &wanted {
            let of_list =
                self.lists.iter().filter(|(known, _)| known == list).map(|(_, group)| group.clone());
            let before = groups.len();
            groups.extend(of_list);
            if groups.len() == before {
                let known = names(self.lists.iter().map(|(list, _)| list));
                self.missing(format!("no ADD command makes the list {list}; the lists are: {known}"));
            }
        }
        if wanted.is_empty() && groups.is_empty() {
            self.leave_out_own();
            return;
        }
        for group in &choices.groups {
            if !self.given.definitions.iter().any(|one| one.group.eq_ignore_ascii_case(group)) {
                let known = names(self.given.definitions.iter().map(|one| &one.group));
                self.missing(format!("nothing is defined in the group {group}; the groups are: {known}"));
            }
        }
        self.given.definitions.retain(|one| one.group.is_empty() || groups.contains(&one.group));
    }

    /// Without a choice, what CICS brings along is left out.
    fn leave_out_own(&mut self) {
        let own = |one: &Definition| one.group.starts_with("DFH") && !one.group.starts_with("DFH$");
        let count = self.given.definitions.iter().filter(|one| own(one)).count();
        let Some(first) = self.given.definitions.iter().find(|one| own(one)) else { return };
        let definitions = if count == 1 { "definition" } else { "definitions" };
        let reason = format!(
            "left out {count} {definitions} in groups of CICS itself: --group takes the definitions of a group"
        );
        let (place, subject) = (first.place.clone(), format!("group {}", first.group));
        self.notes.push(Note { place, subject, reason });
        self.given.definitions.retain(|one| !own(one));
    }

    fn missing(&mut self, message: String) {
        let file = self.given.definitions.first().map_or(Arc::from(""), |one| Arc::clone(&one.place.file));
        self.faults.push(Fault { place: Place { file, line: 1 }, message });
    }

    /// Equal definitions of the same thing count once.
    fn check_twice(&mut self) {
        let mut kept: Vec<Definition> = Vec::new();
        let mut places: HashMap<(String, String), usize> = HashMap::new();
        for one in std::mem::take(&mut self.given.definitions) {
            // Only names of transactions and connections have case.
            let has_case = matches!(one.kind.as_str(), "TRANSACTION" | "URIMAP");
            let name = if has_case { one.name.clone() } else { one.name.to_ascii_uppercase() };
            let known = match places.entry((one.kind.clone(), name)) {
                Entry::Vacant(place) => {
                    place.insert(kept.len());
                    None
                }
                Entry::Occupied(place) => Some(&kept[*place.get()]),
            };
            match known {
                None => kept.push(one),
                Some(known) if relevant(known) == relevant(&one) => {}
                Some(known) => {
                    let (mine, other) = (group(&one), group(known));
                    let message = format!(
                        "{} in {mine} differs from {} in {other}: choose one with --group or --list",
                        one.shown(),
                        known.place,
                    );
                    self.faults.push(Fault { place: one.place, message });
                }
            }
        }
        self.given.definitions = kept;
    }
}

fn group(definition: &Definition) -> String {
    match definition.group.as_str() {
        "" => "no group".to_owned(),
        group => format!("the group {group}"),
    }
}

/// Names, each once.
fn names<'n>(names: impl Iterator<Item = &'n String>) -> String {
    let mut names: Vec<&str> = names.map(String::as_str).filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Whether lines have commands of DFHCSDUP, and whether they have commands of IDCAMS.
fn contents(lines: &[Line<'_>]) -> (bool, bool) {
    let (mut csd, mut idcams) = (false, false);
    for (_, line) in lines.iter().filter(|(_, line)| !line.starts_with('*')) {
        let mut words = line.split(|c: char| c.is_whitespace() || c == '(').filter(|word| !word.is_empty());
        let Some(first) = words.next().map(str::to_uppercase) else { continue };
        let second = words.next().unwrap_or_default().to_uppercase();
        match first.as_str() {
            "REPRO" => idcams = true,
            _ if !matches!(csd::verb(&first), Some("DEFINE" | "USERDEFINE" | "ALTER" | "ADD")) => {}
            _ if matches!(second.as_str(), "CLUSTER" | "CL" | "ALTERNATEINDEX" | "AIX" | "PATH") => {
                idcams = true
            }
            _ if csd::kind(&second).is_some() && line.contains('(') => csd = true,
            _ => {}
        }
    }
    (csd, idcams)
}

/// The copies of REPRO, as data sets.
fn copies(step: &Step<'_>, copied: idcams::Copied) -> Option<Copies> {
    let data_set = |end: &End| match end {
        End::DataSet(name) => Some((name.clone(), Vec::new())),
        End::Dd(name) => step.file(name).map(|dd| (dd.data_set.clone(), texts(&dd.data))),
    };
    let ((from, lines), (to, _)) = (data_set(&copied.from)?, data_set(&copied.to)?);
    Some(Copies { from, to, lines, place: copied.place })
}

/// The data that a step puts into a data set, from lines of the job.
fn generated(file: &Arc<str>, step: &Step<'_>) -> Option<Copies> {
    let (from, to) = (step.file("SYSUT1")?, step.file("SYSUT2")?);
    let place = Place { file: Arc::clone(file), line: from.line };
    let lines = texts(&from.data);
    (!to.data_set.is_empty()).then(|| Copies {
        from: from.data_set.clone(),
        to: to.data_set.clone(),
        lines,
        place,
    })
}

fn texts(lines: &[Line<'_>]) -> Vec<String> {
    lines.iter().map(|(_, line)| (*line).to_owned()).collect()
}
