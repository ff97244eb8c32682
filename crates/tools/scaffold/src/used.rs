//! The needs of a program besides its record: files, other programs and queues that its EXEC CICS
//! commands name.
//!
//! The commands show a file's definition. RRN, RBA or neither gives the organization. The record
//! that is read or written gives the length, and RIDFLD gives the key. A comment names the facts
//! that they do not show. `messages` has the queues of a queue manager.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use copybook::{Layout, Literal, Options, Section, parse_with};
use program::OwnMembers;
use toml::{Table, Value};

use crate::commands::{all_literals, commands, literal, option, shown, words_of};
use crate::messages::{Messages, Trigger};
use crate::sources::{self, Members, Source, SourceFile};
use crate::texts::quoted;

/// The needs of a program.
#[derive(Debug, Default)]
pub(crate) struct Used {
    /// The names of the programs whose sources are in the folder.
    there: BTreeSet<String>,
    files: BTreeMap<String, FileUse>,
    programs: BTreeSet<String>,
    /// The names in CALL statements. They may be services of the runtime, too.
    calls: BTreeSet<String>,
    /// Transient data queues.
    queues: BTreeSet<String>,
    transactions: BTreeSet<String>,
    messages: Messages,
    /// Resources whose names are in fields with unknown values: the kind, and the field.
    unknown: BTreeSet<(&'static str, String)>,
}

/// The use of a file by a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FileUse {
    organization: Organization,
    /// The bytes of the longest record; 0 if no command shows it.
    record_bytes: usize,
    /// The place of the key, and its length.
    key: Option<Key>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Organization {
    #[default]
    Ksds,
    Esds,
    Rrds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    /// None if RIDFLD is not a field of the record.
    offset: Option<usize>,
    bytes: usize,
}

/// The kinds of what commands name, as sections of `gantry.toml` have them.
const PROGRAM: &str = "program";
const TRANSACTION: &str = "transaction";
const QUEUE: &str = "tdqueue";
const FILE: &str = "file";
/// Commands on files.
const ON_FILES: [&str; 8] =
    ["READ", "WRITE", "REWRITE", "DELETE", "STARTBR", "READNEXT", "READPREV", "RESETBR"];
/// Sections with the records and keys of commands.
const SECTIONS: [Section; 3] = [Section::WorkingStorage, Section::LocalStorage, Section::Linkage];
/// The longest key of a file.
const KEY_MAX_BYTES: usize = 255;
/// The longest record of a file.
const RECORD_MAX_BYTES: usize = 32_767;

impl Used {
    /// The names in the commands of a program. Names that are only known at run time are left out.
    ///
    /// # Errors
    /// The source cannot be read.
    pub(crate) fn by(file: &SourceFile) -> Result<Self, String> {
        let source = Source::read(&file.path)?;
        let members = Members::of_program(file);
        let records =
            Records(SECTIONS.iter().flat_map(|section| layouts(&source, &members, *section)).collect());
        let mut used = Self::of_words(&words_of(file)?, &records);
        let own = file.path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
        used.there.insert(own);
        Ok(used)
    }

    /// Adds the programs that it links to or calls, with their own needs. Their sources must be beside its
    /// own, and must translate. Gives their files.
    ///
    /// # Errors
    /// A source cannot be read.
    pub(crate) fn with_linked(&mut self, file: &SourceFile) -> Result<sources::NewFiles, String> {
        let (mut files, mut looked) = (Vec::new(), self.there.clone());
        while let Some(name) = self.programs.union(&self.calls).find(|name| !looked.contains(*name)).cloned()
        {
            looked.insert(name.clone());
            let Some((source, found)) = sources::linked(file, &name) else { continue };
            let other = Self::by(&source)?;
            self.there.insert(name);
            files.extend(found);
            self.programs.extend(other.programs);
            self.calls.extend(other.calls);
            self.queues.extend(other.queues);
            self.transactions.extend(other.transactions);
            self.unknown.extend(other.unknown);
            self.messages.merge(other.messages);
            for (name, other) in other.files {
                self.files.entry(name).or_default().merge(other);
            }
        }
        Ok(files)
    }

    fn of_words(words: &[String], records: &Records) -> Self {
        let mut used = Self { messages: Messages::of_words(words), ..Self::default() };
        let calls = words.windows(2).filter(|two| two[0] == "CALL" && two[1].starts_with(['\'', '"']));
        used.calls = calls.map(|two| two[1].trim_matches(['\'', '"']).trim().to_ascii_uppercase()).collect();
        for command in commands(words) {
            let mut named = |kind, word| {
                let Some(value) = option(command, word) else { return Vec::new() };
                let names = all_literals(words, value);
                if names.is_empty() {
                    used.unknown.insert((kind, shown(value)));
                }
                names
            };
            let verb = command.first().map(String::as_str).unwrap_or_default();
            let second = command.get(1).map(String::as_str).unwrap_or_default();
            match verb {
                "LINK" | "XCTL" => used.programs.extend(named(PROGRAM, "PROGRAM")),
                "HANDLE" if second == "ABEND" => used.programs.extend(named(PROGRAM, "PROGRAM")),
                "START" => used.transactions.extend(named(TRANSACTION, "TRANSID")),
                "READQ" | "WRITEQ" | "DELETEQ" if second == "TD" => {
                    used.queues.extend(named(QUEUE, "QUEUE"));
                }
                _ if ON_FILES.contains(&verb) => {
                    let value = option(command, "FILE").or_else(|| option(command, "DATASET"));
                    match value.map(|value| (value, literal(words, value))) {
                        Some((_, Ok(name))) => {
                            // The definitions of a region have names in upper case.
                            used.files.entry(name.to_ascii_uppercase()).or_default().add(command, records);
                        }
                        Some((value, Err(_))) => {
                            used.unknown.insert((FILE, shown(value)));
                        }
                        None => {}
                    }
                }
                _ => {}
            }
        }
        used
    }

    /// Leaves out what a folder has in its `gantry.toml`. `program` is the one that is called.
    pub(crate) fn take_away(&mut self, there: &Definitions<'_>, program: &str) {
        let names = |kind| there.names("region", kind);
        let (files, queues, transactions) = (names(FILE), names(QUEUE), names(TRANSACTION));
        self.files.retain(|name, _| !files.contains(name));
        self.queues.retain(|name| !queues.contains(name));
        self.transactions.retain(|name| !transactions.contains(name));
        // Programs of other regions, and those with settings, have sections.
        self.there.extend(names(PROGRAM));
        let is_started = there.sections("region", TRANSACTION).any(|section| {
            section
                .get("program")
                .and_then(Value::as_str)
                .is_some_and(|name| name.eq_ignore_ascii_case(program))
        });
        self.messages.take_away(there, is_started);
    }

    /// The sections of what is in the store: files whose definitions are known from the commands, and the queue manager. Empty
    /// if programs use neither. `program` is the one that is called, and `name` the name of its service.
    pub(crate) fn sections(&self, program: &str, name: &str) -> String {
        let mut text = String::new();
        if self.files.values().any(FileUse::is_known) {
            text.push_str(&self.sections_of_files());
        }
        if self.messages.has_sections() {
            text.push_str(&self.messages.sections(program, self.trigger(name).as_ref()));
        }
        text
    }

    /// The queue whose messages start the program, if it takes trigger messages.
    pub(crate) fn trigger(&self, name: &str) -> Option<Trigger> {
        self.messages.trigger(name, &self.transactions)
    }

    fn sections_of_files(&self) -> String {
        let mut text =
            "\n# Files, as the commands of programs tell. Records may be shorter than record_bytes.\n"
                .to_owned();
        for (name, file) in self.files.iter().filter(|(_, file)| file.is_known()) {
            // Writing to a text cannot fail.
            let _ = write!(
                text,
                "[[region.file]]\nname = {}\norganization = \"{}\"\nrecord_bytes = {}\n",
                quoted(name),
                file.organization.word(),
                file.record_bytes
            );
            if let (Organization::Ksds, Some(key)) = (file.organization, file.key) {
                let unknown = if file.is_key_unplaced() {
                    "# The program does not tell where the key is: correct this.\n"
                } else {
                    ""
                };
                let offset = key.offset.unwrap_or_default();
                let _ = writeln!(text, "{unknown}key_offset = {offset}\nkey_bytes = {}", key.bytes);
            }
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    /// The missing parts of the folder, one a line. `name` is that of the service.
    pub(crate) fn lacks(&self, name: &str) -> Vec<String> {
        let files = self.files.iter().filter(|(_, file)| !file.is_known());
        let files = files.map(|(name, _)| format!("the file {name}: add [[region.file]] to gantry.toml"));
        let unplaced = self.files.iter().filter(|(_, file)| file.is_known() && file.is_key_unplaced());
        let unplaced = unplaced
            .map(|(name, _)| format!("the place of the key of {name}: correct key_offset in gantry.toml"));
        let programs = self.programs.difference(&self.there);
        let programs = programs.map(|name| format!("the program {name}: put its source into programs/"));
        let queues = self.queues.iter();
        let queues = queues
            .map(|name| format!("the transient data queue {name}: add [[region.tdqueue]] to gantry.toml"));
        let transactions = self.transactions.iter();
        let transactions = transactions
            .map(|name| format!("the transaction {name}: add [[region.transaction]] to gantry.toml"));
        let unknown = self.unknown.iter().map(|(kind, field)| {
            let what = match *kind {
                PROGRAM => "put its source into programs/".to_owned(),
                kind => format!("add [[region.{kind}]] to gantry.toml"),
            };
            let kind = if *kind == QUEUE { "transient data queue" } else { kind };
            format!("the {kind} that {field} names: {what}")
        });
        let messages = self.messages.lacks(self.trigger(name).as_ref());
        let all = files.chain(unplaced).chain(programs).chain(queues).chain(transactions).chain(unknown);
        all.chain(messages).collect()
    }
}

/// The sections of a `gantry.toml`.
pub(crate) struct Definitions<'t>(pub(crate) &'t Table);

impl Definitions<'_> {
    pub(crate) fn has(&self, section: &str) -> bool {
        self.0.contains_key(section)
    }

    /// The sections `[[of.kind]]`.
    fn sections(&self, of: &str, kind: &str) -> impl Iterator<Item = &Value> {
        let all = self.0.get(of).and_then(|section| section.get(kind)).and_then(Value::as_array);
        all.into_iter().flatten()
    }

    /// Their names.
    pub(crate) fn names(&self, of: &str, kind: &str) -> BTreeSet<String> {
        let name = |section: &Value| Some(section.get("name")?.as_str()?.to_owned());
        self.sections(of, kind).filter_map(name).collect()
    }
}

impl FileUse {
    /// True if the program does not tell where in the record the key is.
    fn is_key_unplaced(&self) -> bool {
        self.organization == Organization::Ksds && self.key.is_some_and(|key| key.offset.is_none())
    }

    fn add(&mut self, command: &[String], records: &Records) {
        let has = |word: &str| command.iter().any(|found| found == word);
        if has("RRN") {
            self.organization = Organization::Rrds;
        } else if has("RBA") || has("XRBA") {
            self.organization = Organization::Esds;
        }
        let record = ["INTO", "FROM"].iter().find_map(|word| option(command, word));
        let record = record.and_then(|words| records.find(words));
        let number = |word| records.number(option(command, word)?);
        let length = number("LENGTH").or(record.map(|found| found.bytes)).unwrap_or_default();
        self.record_bytes = self.record_bytes.max(length);
        let Some(field) = option(command, "RIDFLD").and_then(|words| records.find(words)) else { return };
        let is_in = |record: &Place| {
            record.layout == field.layout
                && (record.offset..record.offset + record.bytes).contains(&field.offset)
        };
        let offset = record.filter(is_in).map(|record| field.offset - record.offset);
        self.take_key(Key { offset, bytes: number("KEYLENGTH").unwrap_or(field.bytes) });
    }

    fn take_key(&mut self, found: Key) {
        // A key that is a field of the record is better than one outside of it. A longer key is
        // better than a part of it.
        let rank = |key: &Key| (key.offset.is_some(), key.bytes);
        if self.key.as_ref().is_none_or(|known| rank(known) < rank(&found)) {
            self.key = Some(found);
        }
    }

    /// Adds the uses of another program.
    fn merge(&mut self, other: Self) {
        if other.organization != Organization::Ksds {
            self.organization = other.organization;
        }
        self.record_bytes = self.record_bytes.max(other.record_bytes);
        if let Some(key) = other.key {
            self.take_key(key);
        }
    }

    /// True if the commands show all that a definition needs.
    fn is_known(&self) -> bool {
        let has_key = self.key.is_some_and(|key| {
            (1..=KEY_MAX_BYTES).contains(&key.bytes)
                && key.offset.unwrap_or_default() + key.bytes <= self.record_bytes
        });
        (1..=RECORD_MAX_BYTES).contains(&self.record_bytes)
            && (has_key || self.organization != Organization::Ksds)
    }
}

impl Organization {
    fn word(self) -> &'static str {
        match self {
            Self::Ksds => "ksds",
            Self::Esds => "esds",
            Self::Rrds => "rrds",
        }
    }
}

/// The records of a program.
struct Records(Vec<Layout>);

/// The place of a field.
#[derive(Clone, Copy)]
struct Place {
    /// The index of its record.
    layout: usize,
    offset: usize,
    bytes: usize,
}

impl Records {
    /// The field that the words of an option name, qualified by OF or IN. None for a part of a
    /// field.
    fn find(&self, words: &[String]) -> Option<Place> {
        let mut names: Vec<&str> = Vec::new();
        for (index, word) in words.iter().enumerate() {
            match index % 2 {
                0 => names.push(word),
                _ if matches!(word.as_str(), "OF" | "IN") => {}
                _ => return None,
            }
        }
        names.reverse();
        let name = names.join(".");
        let found = self
            .0
            .iter()
            .enumerate()
            .find_map(|(index, layout)| Some((index, layout, layout.resolve(&name).ok()?)));
        found.map(|(index, layout, id)| {
            let field = layout.field(id);
            Place { layout: index, offset: field.offset, bytes: field.bytes }
        })
    }
}

impl Records {
    /// A number, or the VALUE of a named field.
    fn number(&self, words: &[String]) -> Option<usize> {
        if let [word] = words
            && let Ok(number) = word.parse()
        {
            return Some(number);
        }
        let place = self.find(words)?;
        let layout = &self.0[place.layout];
        let field = layout.iter().find(|(_, field)| {
            field.children.is_empty() && (field.offset, field.bytes) == (place.offset, place.bytes)
        });
        match &field?.1.value {
            Some(Literal::Number(number)) => number.trim_start_matches('+').parse().ok(),
            _ => None,
        }
    }
}

/// The records of a section. None if it has faults; the translator reports them.
fn layouts(source: &Source, members: &Members, section: Section) -> Vec<Layout> {
    let options = Options { section: Some(section), ..Options::default() };
    let parsed =
        members.library(|library| parse_with(&source.name, &source.text, &options, &OwnMembers(library)));
    parsed.map(|parsed| parsed.layouts).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::words;

    const STORAGE: &str = "       01  WS-KEY      PIC X(8).
       01  ACCOUNT.
           05  BRANCH      PIC X(4).
           05  NUMBER-OF   PIC X(6).
           05  BALANCE     PIC S9(7)V99 COMP-3.
       01  SLOT            PIC S9(8) COMP.
       01  ROOM            PIC S9(4) COMP VALUE +225.
";

    fn used(code: &str) -> Used {
        let parsed =
            parse_with("P", STORAGE, &Options::default(), &|_: &str, _: Option<&str>| Err(String::new()));
        let records = Records(parsed.expect("no faults").layouts);
        Used::of_words(&words(&format!("       ID DIVISION.\n{STORAGE}           {code}\n")), &records)
    }

    #[test]
    fn commands_tell_how_files_are_defined() {
        let file = |code: &str| used(code).files["F"];
        let keyed = |offset, bytes| Some(Key { offset, bytes });
        let found = file("EXEC CICS READ FILE('F') INTO(ACCOUNT) RIDFLD(NUMBER-OF) END-EXEC");
        assert_eq!(
            found,
            FileUse { organization: Organization::Ksds, record_bytes: 15, key: keyed(Some(4), 6) }
        );
        let found = file("EXEC CICS READ FILE('F') INTO(ACCOUNT) RIDFLD(WS-KEY) END-EXEC");
        assert_eq!((found.key, found.is_known()), (keyed(None, 8), true));
        let lacks = used("EXEC CICS READ FILE('F') INTO(ACCOUNT) RIDFLD(WS-KEY) END-EXEC").lacks("shop");
        assert_eq!(lacks, ["the place of the key of F: correct key_offset in gantry.toml"]);
        let lacks = used("EXEC CICS HANDLE ABEND PROGRAM('HANDLER') END-EXEC").lacks("shop");
        assert_eq!(lacks, ["the program HANDLER: put its source into programs/"]);
        let found = file("EXEC CICS READ DATASET('F') INTO(ACCOUNT) RIDFLD(SLOT) RRN END-EXEC");
        assert_eq!((found.organization, found.is_known()), (Organization::Rrds, true));
        let found = file("EXEC CICS STARTBR FILE('F') RIDFLD(BRANCH OF ACCOUNT) END-EXEC");
        assert_eq!((found.key, found.is_known()), (keyed(None, 4), false));
        let found = file(
            "EXEC CICS WRITE FILE('F') FROM(BRANCH) LENGTH(ROOM)\n           RIDFLD(BRANCH) KEYLENGTH(10) END-EXEC",
        );
        assert_eq!((found.record_bytes, found.key), (225, keyed(Some(0), 10)));
        // The length of a part of a field is not known.
        assert_eq!(file("EXEC CICS READ FILE('F') INTO(ACCOUNT) RIDFLD(WS-KEY(1:4)) END-EXEC").key, None);
    }

    #[test]
    fn several_commands_tell_more_than_one() {
        let found = used(
            "EXEC CICS STARTBR FILE('F') RIDFLD(WS-KEY) END-EXEC
           EXEC CICS READNEXT FILE('F') INTO(ACCOUNT) RIDFLD(BRANCH) END-EXEC
           EXEC CICS WRITE FILE('F') FROM(ACCOUNT) RIDFLD(WS-KEY) END-EXEC",
        );
        assert_eq!(found.files["F"].key, Some(Key { offset: Some(0), bytes: 4 }));
        assert!(
            found.sections("P", "shop").contains("record_bytes = 15\nkey_offset = 0\nkey_bytes = 4\n"),
            "{}",
            found.sections("P", "shop")
        );
    }

    #[test]
    fn names_in_fields_are_all_that_the_program_moves_there() {
        let lacks = used(
            "MOVE 'ONE' TO WS-KEY EXEC CICS LINK PROGRAM(WS-KEY) END-EXEC
           MOVE 'TWO' TO WS-KEY EXEC CICS XCTL PROGRAM(WS-KEY) END-EXEC",
        );
        let programs =
            ["ONE", "TWO"].map(|name| format!("the program {name}: put its source into programs/"));
        assert_eq!(lacks.lacks("shop"), programs);
        // The records of two files may differ.
        let unknown = used(
            "MOVE 'F' TO WS-KEY MOVE 'G' TO WS-KEY
           EXEC CICS READ FILE(WS-KEY) INTO(ACCOUNT) RIDFLD(BRANCH) END-EXEC
           EXEC CICS WRITEQ TD QUEUE(BRANCH) FROM(ACCOUNT) END-EXEC",
        );
        let expected = [
            "the file that WS-KEY names: add [[region.file]] to gantry.toml",
            "the transient data queue that BRANCH names: add [[region.tdqueue]] to gantry.toml",
        ];
        assert_eq!(
            (unknown.lacks("shop").as_slice(), unknown.sections("P", "shop").is_empty()),
            (expected.map(str::to_owned).as_slice(), true)
        );
    }

    #[test]
    fn names_in_tables_are_told_as_they_are_written() {
        let code = "EXEC CICS XCTL PROGRAM(PGM-NAME OF MENU(WS-OPTION)) COMMAREA(ACCOUNT) END-EXEC
           EXEC CICS READ FILE(NAMES(1:8)) INTO(ACCOUNT) RIDFLD(BRANCH) END-EXEC";
        let expected = [
            "the file that NAMES(1:8) names: add [[region.file]] to gantry.toml",
            "the program that PGM-NAME OF MENU(WS-OPTION) names: put its source into programs/",
        ];
        assert_eq!(used(code).lacks("shop"), expected);
    }

    #[test]
    fn what_the_folder_lacks_is_told() {
        let found = used(
            "EXEC CICS LINK PROGRAM('PRICER') END-EXEC
           EXEC CICS WRITEQ TD QUEUE('LOGA') FROM(ACCOUNT) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('SCRATCH') FROM(ACCOUNT) END-EXEC
           EXEC CICS START TRANSID('NEXT') END-EXEC
           EXEC CICS READ FILE('F') SET(X) RIDFLD(WS-KEY) END-EXEC
           EXEC CICS LINK PROGRAM(WS-KEY) END-EXEC",
        );
        let lacks = found.lacks("shop");
        let names: Vec<&str> = lacks.iter().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(
            names,
            [
                "the file F",
                "the program PRICER",
                "the transient data queue LOGA",
                "the transaction NEXT",
                "the program that WS-KEY names"
            ]
        );
        assert_eq!(found.sections("P", "shop"), "");
    }
}
