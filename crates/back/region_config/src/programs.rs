//! `[[region.program]]`: all settings of programs: who may run them, their limits, and where they are.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use region::link::definition::{Peer, RemoteProgram};
use region::{ProgramLimits, RULES_MAX, Rule};
use serde::Deserialize;
use settings::GANTRY_FILE;
use settings::copybooks::FormatWord;
use toml::Spanned;
use wire::{COMMAREA_MAX_BYTES, name};

use crate::commarea::Commarea;
use crate::links::{check_called, sysid};
use crate::names::{check_length, checked};
use crate::plan::Reader;
use crate::section::InvokeSection;

/// The end of a name that stands for all names with this beginning.
const PATTERN: char = '*';

/// `[[region.program]]`. Missing values are as for all programs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgramDefinitionSection {
    /// Its name, or the beginning of several with a `*` behind it.
    name: Spanned<String>,
    /// Groups whose users may run it.
    roles: Option<InvokeSection>,
    /// Users who may run it, whatever their groups.
    users: Option<Vec<Box<str>>>,
    /// Limits of tasks that begin with it.
    workers_max: Option<Spanned<usize>>,
    workers_kept: Option<Spanned<usize>>,
    memory_max_bytes: Option<u64>,
    cpu_max_ms: Option<u64>,
    wall_max_ms: Option<u64>,
    /// The region that has it, in place of `programs/`.
    sysid: Option<Spanned<String>>,
    /// Its name there.
    remote_name: Option<String>,
    /// The transaction that it runs under there.
    transaction: Option<String>,
    /// Parts of its commarea that are text.
    text: Option<Vec<TextSection>>,
    /// The copybook of its commarea, in place of `text`.
    copybook: Option<Spanned<String>>,
    /// Its record, if it has several.
    record: Option<Spanned<String>>,
    /// Its columns.
    format: Option<FormatWord>,
}

/// A part of a commarea that is text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextSection {
    offset: usize,
    bytes: usize,
}

/// The settings of programs, before the existing programs are known.
#[derive(Debug, Default)]
pub(crate) struct WrittenPrograms(Vec<Entry>);

/// One `[[region.program]]`.
#[derive(Debug)]
struct Entry {
    /// The name, or the beginning of several.
    name: String,
    is_pattern: bool,
    span: Range<usize>,
    /// None if everybody may run it.
    rights: Option<WhoMay>,
    limits: ProgramLimits,
    remote: Option<RemoteProgram>,
}

/// Who may run a program, and nobody else.
#[derive(Clone, Debug)]
struct WhoMay {
    groups: Vec<Box<str>>,
    users: Vec<Box<str>>,
}

/// The settings of programs.
#[derive(Debug, Default)]
pub(crate) struct ProgramDefinitions {
    pub(crate) rules: Vec<Rule<8>>,
    pub(crate) limits: BTreeMap<[u8; 8], ProgramLimits>,
    pub(crate) remote: Vec<RemoteProgram>,
}

impl ProgramDefinitionSection {
    fn entry(&self, span: Range<usize>, peers: &[Peer]) -> Result<Entry, String> {
        let written = self.name.get_ref();
        check_length("program", written, 8)?;
        let (name, is_pattern) = match written.strip_suffix(PATTERN) {
            Some(beginning) => (beginning.to_owned(), true),
            None => (written.clone(), false),
        };
        if name.contains(PATTERN) {
            return Err(format!("expected '{PATTERN}' at the end of a name only, found '{written}'"));
        }
        let rights = match (&self.roles, &self.users) {
            (None, None) => None,
            (roles, users) => Some(WhoMay {
                groups: roles.as_ref().map(|roles| roles.invoke.clone()).unwrap_or_default(),
                users: users.clone().unwrap_or_default(),
            }),
        };
        let entry = Entry {
            remote: self.remote(is_pattern, peers)?,
            limits: self.limits(),
            name,
            is_pattern,
            span,
            rights,
        };
        match entry.rights.is_none() && entry.remote.is_none() && entry.limits == ProgramLimits::default() {
            true => {
                Err("expected 'roles' or 'users', a limit, or 'sysid': this entry has no setting".to_owned())
            }
            false => Ok(entry),
        }
    }

    fn limits(&self) -> ProgramLimits {
        let milliseconds = |time: Option<u64>| time.map(Duration::from_millis);
        ProgramLimits {
            workers_max: self.workers_max.as_ref().map(|workers| *workers.get_ref()),
            workers_kept: self.workers_kept.as_ref().map(|workers| *workers.get_ref()),
            memory_max_bytes: self.memory_max_bytes,
            cpu_max: milliseconds(self.cpu_max_ms),
            wall_max: milliseconds(self.wall_max_ms),
        }
    }

    /// The program in another region; none if it belongs to this one.
    fn remote(&self, is_pattern: bool, peers: &[Peer]) -> Result<Option<RemoteProgram>, String> {
        let Some(written) = self.sysid.as_ref().map(|sysid| sysid.get_ref()) else {
            return match self.remote_key() {
                Some(key) => Err(format!("'{key}' is for programs of other regions, with 'sysid'")),
                None => Ok(None),
            };
        };
        let sysid = sysid(written)?;
        check_called(written, sysid, peers)?;
        let workers = [&self.workers_max, &self.workers_kept];
        if workers.iter().any(|key| key.is_some())
            || self.memory_max_bytes.is_some()
            || self.cpu_max_ms.is_some()
        {
            return Err(
                "a program with 'sysid' has no worker here: of the limits only 'wall_max_ms' goes with it"
                    .to_owned(),
            );
        }
        if let Some(key) = self.key_of_one().filter(|_| is_pattern) {
            return Err(format!(
                "'{key}' is for one program of another region: a pattern with 'sysid' has none"
            ));
        }
        self.commarea()?;
        let text = self.text.as_deref().unwrap_or_default();
        let beyond = |part: &&TextSection| part.offset.saturating_add(part.bytes) > COMMAREA_MAX_BYTES;
        if let Some(part) = text.iter().find(beyond) {
            return Err(format!(
                "text at {} is beyond the longest commarea, {COMMAREA_MAX_BYTES} bytes",
                part.offset
            ));
        }
        let name = checked("program", self.name.get_ref())?;
        let remote = self.remote_name.as_deref().map(|remote| checked("remote_name", remote)).transpose()?;
        Ok(Some(RemoteProgram {
            name,
            sysid,
            remote_name: remote.unwrap_or(name),
            transaction: self.transaction.as_deref().map(|text| checked("transaction", text)).transpose()?,
            text: text.iter().map(|part| (part.offset, part.bytes)).collect(),
        }))
    }

    /// Its commarea, if a copybook describes it.
    fn commarea(&self) -> Result<Option<Commarea<'_>>, String> {
        Commarea::of(self.copybook.as_ref(), (self.record.as_ref(), self.format), self.text.is_some())
    }

    /// A key that is not possible for a pattern of programs whose names are not known here.
    fn key_of_one(&self) -> Option<&'static str> {
        let keys = [(self.remote_name.is_some(), "remote_name"), (self.wall_max_ms.is_some(), "wall_max_ms")];
        keys.into_iter().find(|(is_there, _)| *is_there).map(|(_, key)| key)
    }

    /// A key that only a program of another region has.
    fn remote_key(&self) -> Option<&'static str> {
        let keys = [
            (self.remote_name.is_some(), "remote_name"),
            (self.transaction.is_some(), "transaction"),
            (self.text.is_some(), "text"),
            (self.copybook.is_some(), "copybook"),
            (self.record.is_some(), "record"),
            (self.format.is_some(), "format"),
        ];
        keys.into_iter().find(|(is_there, _)| *is_there).map(|(_, key)| key)
    }
}

impl Entry {
    fn covers(&self, program: &str) -> bool {
        match self.is_pattern {
            true => program.starts_with(&self.name),
            false => program == self.name,
        }
    }

    /// The more exact of two entries that cover a program comes first.
    fn rank(&self) -> (bool, std::cmp::Reverse<usize>) {
        (self.is_pattern, std::cmp::Reverse(self.name.len()))
    }
}

impl WrittenPrograms {
    /// The settings of each program that exists or is named.
    fn expand(&self, installed: &BTreeSet<String>) -> ProgramDefinitions {
        let named = self.0.iter().filter(|entry| !entry.is_pattern).map(|entry| &entry.name);
        let all: BTreeSet<&String> = installed.iter().chain(named).collect();
        let mut definitions = ProgramDefinitions::default();
        for program in all {
            let mut covering: Vec<&Entry> = self.0.iter().filter(|entry| entry.covers(program)).collect();
            covering.sort_by_key(|entry| entry.rank());
            if let Some(WhoMay { groups, users }) = covering.iter().find_map(|entry| entry.rights.clone()) {
                definitions.rules.push(Rule { name: name(program), groups, users });
            }
            let limits = ProgramLimits {
                workers_max: covering.iter().find_map(|entry| entry.limits.workers_max),
                workers_kept: covering.iter().find_map(|entry| entry.limits.workers_kept),
                memory_max_bytes: covering.iter().find_map(|entry| entry.limits.memory_max_bytes),
                cpu_max: covering.iter().find_map(|entry| entry.limits.cpu_max),
                wall_max: covering.iter().find_map(|entry| entry.limits.wall_max),
            };
            if limits != ProgramLimits::default() {
                definitions.limits.insert(name(program), limits);
            }
        }
        definitions.remote = self.0.iter().filter_map(|entry| entry.remote.clone()).collect();
        definitions
    }

    /// The programs of this region that entries name by themselves, each with its place.
    pub(crate) fn own_names(&self) -> impl Iterator<Item = (String, Range<usize>)> {
        let own = self.0.iter().filter(|entry| !entry.is_pattern && entry.remote.is_none());
        own.map(|entry| (entry.name.clone(), entry.span.clone()))
    }

    /// The first entry that keeps workers.
    pub(crate) fn place_of_kept(&self) -> Range<usize> {
        let mut keeping = self.0.iter().filter(|entry| entry.limits.workers_kept.is_some());
        keeping.next().map(|entry| entry.span.clone()).unwrap_or_default()
    }

    /// Entries that another one makes wrong: where, and why.
    fn faults(&self) -> Vec<(Range<usize>, String)> {
        let mut faults = Vec::new();
        for (number, entry) in self.0.iter().enumerate() {
            let is_same = |other: &Entry| (&other.name, other.is_pattern) == (&entry.name, entry.is_pattern);
            if self.0[..number].iter().any(is_same) {
                faults.push((
                    entry.span.clone(),
                    format!("there is another [[region.program]] for {}", entry.shown()),
                ));
            }
            // Nobody knows which programs a pattern of another region has: their rules could not travel with tasks.
            let overlaps = |other: &Entry| {
                other.remote.is_some()
                    && other.is_pattern
                    && (entry.name.starts_with(&other.name) || other.name.starts_with(&entry.name))
            };
            if entry.is_pattern && entry.rights.is_some() && self.0.iter().any(overlaps) {
                let message = format!(
                    "{} also matches programs with 'sysid' that have no own entry: set the rules for programs of another region one by one",
                    entry.shown()
                );
                faults.push((entry.span.clone(), message));
            }
        }
        faults
    }
}

impl Entry {
    fn shown(&self) -> String {
        format!("{}{}", self.name, if self.is_pattern { "*" } else { "" })
    }
}

impl Reader<'_, '_> {
    /// The settings of programs; none if one has a fault.
    pub(crate) fn written_programs(
        &mut self,
        written: &[Spanned<ProgramDefinitionSection>],
        peers: &[Peer],
    ) -> Option<WrittenPrograms> {
        let before = self.problems.error_count();
        let mut programs = WrittenPrograms::default();
        for section in written {
            let definition = section.get_ref();
            if let Some(workers) = definition.workers_max.as_ref().filter(|workers| *workers.get_ref() == 0) {
                self.at(GANTRY_FILE, workers.span(), "expected at least 1 worker, found 0");
            }
            match definition.entry(section.span(), peers) {
                Ok(mut entry) => {
                    if let (Some(remote), Ok(Some(commarea))) = (&mut entry.remote, definition.commarea())
                        && let Some(text) = self.commarea_text(commarea)
                    {
                        remote.text = text;
                    }
                    programs.0.push(entry);
                }
                Err(message) => self.at(GANTRY_FILE, definition.name.span(), message),
            }
        }
        for (span, message) in programs.faults() {
            self.at(GANTRY_FILE, span, message);
        }
        (self.problems.error_count() == before).then_some(programs)
    }

    /// The settings for the programs of a folder and of other regions; none if one has a fault.
    pub(crate) fn program_definitions(
        &mut self,
        written: &WrittenPrograms,
        folder: &Path,
    ) -> Option<ProgramDefinitions> {
        let before = self.problems.error_count();
        let installed = installed(folder);
        for entry in written.0.iter().filter(|entry| entry.remote.is_some()) {
            if let Some(program) = installed.iter().find(|program| entry.covers(program)) {
                let message = format!("the program {program} is here, too, in programs/");
                self.at(GANTRY_FILE, entry.span.clone(), message);
            }
        }
        let definitions = written.expand(&installed);
        if definitions.rules.len() > RULES_MAX {
            let message = format!(
                "expected at most {RULES_MAX} programs with rules, found {}",
                definitions.rules.len()
            );
            self.at_file(GANTRY_FILE, message);
        }
        (self.problems.error_count() == before).then_some(definitions)
    }
}

/// The programs of a folder, by their names. A folder that cannot be read has none: the region tells of that.
fn installed(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let program =
        |entry: std::fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(".so")?.to_owned());
    entries.filter_map(program).collect()
}

#[cfg(test)]
mod tests {
    use region::link::definition::{Address, Allowed};

    use super::*;

    fn entries(text: &str) -> Result<WrittenPrograms, String> {
        #[derive(Deserialize)]
        struct Written {
            program: Vec<ProgramDefinitionSection>,
        }
        let peers = [Peer {
            sysid: *b"B   ",
            address: Some(Address::Unix("/run/b".into())),
            certificate_name: None,
            uid: None,
            allowed: Allowed::default(),
            asserts_users: false,
            user: None,
            converts_containers: true,
        }];
        let written = toml::from_str::<Written>(text).expect("sections").program;
        let entries = written.iter().map(|section| section.entry(0..0, &peers)).collect::<Result<_, _>>()?;
        let programs = WrittenPrograms(entries);
        match programs.faults().into_iter().next() {
            Some((_, message)) => Err(message),
            None => Ok(programs),
        }
    }

    #[test]
    fn the_most_exact_entry_that_says_something_counts() {
        let programs = entries(
            "[[program]]\nname = 'PAY*'\nroles = { invoke = ['clerks'] }\ncpu_max_ms = 10\nworkers_max = 2
             [[program]]\nname = 'PAY1'\ncpu_max_ms = 20
             [[program]]\nname = 'PAYOPEN*'\nusers = []
             [[program]]\nname = '*'\nwall_max_ms = 30",
        );
        let installed = ["PAY1", "PAY2", "PAYOPEN1", "ELSE"].map(str::to_owned).into();
        let found = programs.expect("entries").expand(&installed);
        let rules: Vec<_> = found.rules.iter().map(|rule| (rule.name, rule.groups.len())).collect();
        assert_eq!(rules, [(*b"PAY1    ", 1), (*b"PAY2    ", 1), (*b"PAYOPEN1", 0)]);
        let limits = |program: &str| {
            let limits = &found.limits[&name(program)];
            let milliseconds = |time: Option<Duration>| time.map(|time| time.as_millis());
            (limits.workers_max, milliseconds(limits.cpu_max), milliseconds(limits.wall_max))
        };
        assert_eq!(limits("PAY1"), (Some(2), Some(20), Some(30)));
        assert_eq!(limits("PAY2"), (Some(2), Some(10), Some(30)));
        assert_eq!(limits("ELSE"), (None, None, Some(30)));
    }

    #[test]
    fn programs_of_other_regions_are_one_or_many() {
        let programs = entries(
            "[[program]]\nname = 'A'\nsysid = 'b'\nremote_name = 'C'\nusers = ['eve']\nwall_max_ms = 5
             text = [{ offset = 4, bytes = 8 }]
             [[program]]\nname = 'FAR*'\nsysid = 'B'\ntransaction = 'T1'",
        );
        let found = programs.expect("entries").expand(&BTreeSet::new());
        let remote: Vec<_> =
            found.remote.iter().map(|remote| (remote.name, remote.remote_name, remote.transaction)).collect();
        assert_eq!(
            remote,
            [(*b"A       ", *b"C       ", None), (*b"FAR*    ", *b"FAR*    ", Some(*b"T1  "))]
        );
        assert_eq!(
            (found.remote[0].text.as_slice(), found.rules.len(), found.limits.len()),
            (&[(4, 8)][..], 1, 1)
        );
    }

    #[test]
    fn definitions_that_cannot_be_are_refused() {
        for (text, expected) in [
            ("name = 'A'", "this entry has no setting"),
            ("name = 'TOOLONGER'\nusers = []", "1 to 8 characters"),
            ("name = 'A*B'\nusers = []", "at the end of a name only, found 'A*B'"),
            ("name = 'A'\nremote_name = 'B'", "'remote_name' is for programs of other regions"),
            ("name = 'A'\ncopybook = 'B'", "'copybook' is for programs of other regions"),
            ("name = 'A'\nsysid = 'C'", "no [[region.link]] with an address has the sysid C"),
            ("name = 'A'\nsysid = 'B'\nworkers_max = 1", "only 'wall_max_ms'"),
            ("name = 'A*'\nsysid = 'B'\nremote_name = 'C'", "'remote_name' is for one program"),
            ("name = 'A*'\nsysid = 'B'\nwall_max_ms = 1", "'wall_max_ms' is for one program"),
            (
                "name = 'A'\nsysid = 'B'\ncopybook = 'C'\ntext = [{ offset = 0, bytes = 1 }]",
                "'copybook' and 'text' exclude each other",
            ),
            ("name = 'A'\nsysid = 'B'\nrecord = 'C'", "those of a 'copybook'"),
            ("name = 'A'\nsysid = 'B'\nformat = 'free'", "those of a 'copybook'"),
            (
                "name = 'A'\nsysid = 'B'\ntext = [{ offset = 32763, bytes = 1 }]",
                "beyond the longest commarea",
            ),
            (
                "name = 'A'\nusers = []\n[[program]]\nname = 'A'\nusers = []",
                "another [[region.program]] for A",
            ),
            ("name = 'FAR*'\nsysid = 'B'\nusers = []", "FAR* also matches programs with 'sysid'"),
            (
                "name = 'FAR*'\nsysid = 'B'\n[[program]]\nname = 'F*'\nusers = []",
                "F* also matches programs with 'sysid'",
            ),
        ] {
            let message = entries(&format!("[[program]]\n{text}")).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
