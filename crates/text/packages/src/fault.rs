//! The reasons why a package is refused, and the parts of an accepted one that could not be imported, always
//! with their places.

use std::collections::HashSet;
use std::fmt;

/// The kinds of faults that make a package unreadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The package is not of a known kind.
    Unknown,
    /// The archive is damaged, or uses features that such archives do not have (encryption, other methods
    /// than deflate).
    Archive,
    /// An entry's name leads out of the package or occurs twice, or the entry is a link.
    Unsafe,
    /// A limit is exceeded. The message has its name.
    Limit,
    /// A text does not have its format.
    Syntax,
    /// A text is well formed, but lacks content, or contradicts itself or another text.
    Content,
    /// A service needs a copybook that only the user has.
    CopybookNeeded,
}

/// One reason for refusing a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The entry or file, empty for the whole package.
    pub file: String,
    /// The line in it, from 1; 0 if there is none.
    pub line: usize,
    /// Says what was expected and what was found.
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

/// A part of a package that has no counterpart in our files, or waits for one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The entry or file.
    pub file: String,
    /// The line in it, from 1; 0 if there is none.
    pub line: usize,
    /// The part that was not imported, the reason, and the way to mend it.
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

/// The most notes. Of further ones, only their number is given.
const NOTES_MAX: usize = 1_000;

/// Notes in the order in which they were found, without repetitions.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    told: Vec<Note>,
    seen: HashSet<Note>,
    /// The number of further ones.
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
