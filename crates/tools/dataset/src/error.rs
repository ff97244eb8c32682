//! Errors of files of records: the kind, the record and the place in the file.

use std::fmt;
use std::io;

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file could not be read or written.
    Io,
    /// A wrong setting: a format that does not fit the layout, an option that has no effect.
    Setting,
    /// A descriptor word that is none, or that contradicts what is around it.
    Descriptor,
    /// A record that is too long or too short for its format, or a file that ends within one.
    Length,
    /// A record, or a row of JSON or CSV, that does not fit the layout.
    Data,
    /// Text that is not JSON, CSV or Parquet as it should be.
    Text,
}

/// A failure, with its place.
#[derive(Debug)]
pub struct Error {
    /// The kind.
    pub kind: ErrorKind,
    /// The number of the record, from 1.
    pub record: Option<u64>,
    /// Bytes from the start of the file to the record's data, or to what is wrong outside of a record.
    pub offset: Option<u64>,
    /// The line of a text, from 1.
    pub line: Option<u64>,
    /// The expected and the found value.
    pub message: String,
    pub(crate) source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, record: None, offset: None, line: None, message: message.into(), source: None }
    }

    /// A wish that cannot be fulfilled.
    #[must_use]
    pub fn setting(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Setting, message)
    }

    /// True if whoever read what was written has seen enough.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        let source = self.source.as_ref().and_then(|source| source.downcast_ref::<io::Error>());
        source.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn in_record(mut self, number: u64) -> Self {
        self.record = Some(number);
        self
    }

    pub(crate) fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    pub(crate) fn on_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// A record that does not fit the layout.
    #[must_use]
    pub fn data(error: record::Error) -> Self {
        Self { source: Some(Box::new(error.clone())), ..Self::new(ErrorKind::Data, error.to_string()) }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        let message = error.to_string();
        Self { source: Some(Box::new(error)), ..Self::new(ErrorKind::Io, message) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.record, self.line) {
            (_, Some(line)) => write!(f, "line {line}: ")?,
            (Some(record), None) => write!(f, "record {record}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.message)?;
        match self.offset {
            Some(offset) => write!(f, " (file offset {offset})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}
