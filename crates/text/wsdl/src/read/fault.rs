//! The faults of a WSDL, with their places: file, line and column.

use std::fmt;
use std::sync::Arc;

/// The most faults that one run reports.
pub const FAULTS_MAX: usize = 50;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, by its path below the folder of the WSDL.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The reason why a WSDL, or one of its operations, does not become a copybook; or a hint about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// Says what was expected and what was found.
    pub message: String,
}

impl Fault {
    pub(super) fn new(place: &Place, message: impl Into<String>) -> Self {
        Self { place: place.clone(), message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for Fault {}

/// The starts of the lines of a file.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    pub(super) file: Arc<str>,
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn new(file: Arc<str>, text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { file, starts }
    }

    /// The place of an offset. Columns count bytes. In a schema, the text before a name is ASCII, so bytes
    /// are characters.
    pub(super) fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        Place { file: Arc::clone(&self.file), line, column: offset - self.starts[line - 1] + 1 }
    }
}
