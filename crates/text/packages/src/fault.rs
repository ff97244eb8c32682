//! Why a package is refused, and what of an accepted one could not be imported: always with the place.

use std::collections::HashSet;
use std::fmt;

/// What kind of fault makes a package unreadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It is no package that we know.
    Unknown,
    /// The archive is damaged, or uses what archives of this kind do not (encryption, other methods than deflate).
    Archive,
    /// An entry's name leads out of the package, or stands twice, or the entry is a link.
    Unsafe,
    /// A limit is passed; the message has its name.
    Limit,
    /// A text is not what its format demands.
    Syntax,
    /// A text is well formed, but says too little, or contradicts itself or another one.
    Content,
    /// A service needs a copybook that only the user has.
    CopybookNeeded,
}

/// One reason to refuse a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The entry or file, empty for the whole package.
    pub file: String,
    /// The line in it, from 1; 0 where there is none.
    pub line: usize,
    /// What was expected and what was found.
    pub message: String,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, file: &str, message: impl Into<String>) -> Self {
        Self { kind, file: file.to_owned(), line: 0, message: message.into() }
    }

    pub(crate) fn at(kind: FaultKind, file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { line, ..Self::new(kind, file, message) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(out, &self.file, self.line)?;
        out.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// Something in a package that has no counterpart in our files, or waits for one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The entry or file.
    pub file: String,
    /// The line in it, from 1; 0 where there is none.
    pub line: usize,
    /// What was not imported, why, and what to do about it.
    pub reason: String,
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(out, &self.file, self.line)?;
        out.write_str(&self.reason)
    }
}

fn write_place(out: &mut fmt::Formatter<'_>, file: &str, line: usize) -> fmt::Result {
    match (file.is_empty(), line) {
        (true, _) => Ok(()),
        (false, 0) => write!(out, "{file}: "),
        (false, line) => write!(out, "{file}:{line}: "),
    }
}

/// How many notes are told; of more there is only the number.
const NOTES_MAX: usize = 1_000;

/// Notes in the order in which they were found, each once.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    told: Vec<Note>,
    seen: HashSet<Note>,
    /// How many more there were.
    more: usize,
}

impl Notes {
    pub(crate) fn add(&mut self, file: &str, line: usize, reason: impl Into<String>) {
        if self.told.len() == NOTES_MAX {
            self.more += 1;
            return;
        }
        let note = Note { file: file.to_owned(), line, reason: reason.into() };
        if self.seen.insert(note.clone()) {
            self.told.push(note);
        }
    }

    pub(crate) fn into_list(mut self) -> Vec<Note> {
        if self.more > 0 {
            let reason = format!("{} more notes are not shown", self.more);
            self.told.push(Note { file: String::new(), line: 0, reason });
        }
        self.told
    }
}
