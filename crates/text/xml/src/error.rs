//! A fault of a text: the kind, the place, and words that are safe to show to callers.

use std::fmt;

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not XML, or has features that are refused: document types, processing instructions, other
    /// encodings.
    Syntax,
    /// Elements nest deeper than [`crate::XML_DEPTH_MAX`].
    TooDeep,
    /// Text where elements were expected, or elements where text was expected.
    Content,
    /// A character for writing that XML does not allow.
    Character,
}

/// A failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// Line and column, from 1, where text was read.
    pub position: Option<(usize, usize)>,
    /// Says what was found and what was expected.
    pub message: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, position: None, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some((line, column)) = self.position {
            write!(f, " (line {line}, column {column})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// A failure at a byte of the text, before its line is counted.
pub(crate) type Fault = (usize, String);

/// An error at a byte of a text.
#[cold]
pub(crate) fn syntax(text: &str, (at, message): Fault) -> Error {
    Error { position: Some(codepage::readable::position(text, at)), ..Error::new(ErrorKind::Syntax, message) }
}
