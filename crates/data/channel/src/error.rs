//! What can go wrong between JSON and containers: the kind, the place on both sides, and a text that a caller may see.

use std::fmt;

use assistant::Apart;
use record::{Cause, path};

/// The kinds of failure, closed, so that a caller can give each a status and a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON.
    Syntax,
    /// A member that the schema does not have.
    UnknownMember,
    /// A member that stands twice in one object.
    DuplicateMember,
    /// A required member is not there.
    MissingMember,
    /// A value of another JSON type than the schema has.
    WrongType,
    /// A number beyond its limits, or with more decimal places than its field has.
    OutOfRange,
    /// Text or octets are longer or shorter than allowed.
    Length,
    /// A value that is not in the list of allowed values.
    NotListed,
    /// A character that the code page does not have.
    Unmappable,
    /// More or fewer elements than an array allows.
    RowCount,
    /// More containers, bytes or rows than the limits allow, or values that nest too deep.
    TooLarge,
    /// A container is not in the channel.
    MissingContainer,
    /// A container ends before its expected end.
    ShortContainer,
    /// Bytes that are not a value of their field's type.
    BadData,
}

/// Where in a channel something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPlace {
    /// The container, or the data area; empty for a commarea, and for the record that names data areas.
    pub container: String,
    /// Whether it is a container or a data area.
    pub apart: Apart,
    /// The field's COBOL path below the 01 level; empty for the container as a whole.
    pub field: String,
    /// The field's first byte in the container, from 0.
    pub offset: usize,
}

/// A failure on the data path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind.
    pub kind: ErrorKind,
    /// The cause, if it is one of these.
    pub cause: Option<Cause>,
    /// The value, as a path of JSON names: `channel.data.items[2].price`; empty for the whole.
    pub path: String,
    /// Where in the channel, if one was read.
    pub record: Option<Box<RecordPlace>>,
    /// Line and column, from 1, if JSON was read.
    pub position: Option<(usize, usize)>,
    /// Says what was expected and what was found.
    pub message: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, cause: None, path: String::new(), record: None, position: None, message: message.into() }
    }

    pub(crate) fn because(self, cause: Cause) -> Self {
        Self { cause: Some(cause), ..self }
    }

    /// Puts the name of an enclosing object in front of the path.
    pub(crate) fn within(self, name: &str) -> Self {
        Self { path: path::within(&self.path, name), ..self }
    }

    /// Puts a row number in front of the path.
    pub(crate) fn within_row(self, row: usize) -> Self {
        Self { path: path::within_row(&self.path, row), ..self }
    }

    /// Adds the place in the text, unless it is known already.
    pub(crate) fn at(mut self, position: (usize, usize)) -> Self {
        self.position.get_or_insert(position);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        path::write_place(f, &self.path, &self.message, self.position)?;
        if let Some(place) = &self.record {
            let RecordPlace { container, apart, field, offset } = &**place;
            let what = apart.word();
            match (container.as_str(), field.as_str()) {
                ("", _) => write!(f, " (record offset {offset})")?,
                (_, "") => write!(f, " ({what} {container})")?,
                _ => write!(f, " ({what} {container}, field {field}, offset {offset})")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<record::Error> for Error {
    fn from(error: record::Error) -> Self {
        let kind = match error.kind {
            record::ErrorKind::WrongType | record::ErrorKind::NotAnObject => ErrorKind::WrongType,
            record::ErrorKind::OutOfRange => ErrorKind::OutOfRange,
            record::ErrorKind::NotListed => ErrorKind::NotListed,
            record::ErrorKind::UnknownField => ErrorKind::UnknownMember,
            record::ErrorKind::DuplicateField => ErrorKind::DuplicateMember,
            record::ErrorKind::MissingField => ErrorKind::MissingMember,
            record::ErrorKind::TooLong => ErrorKind::Length,
            record::ErrorKind::Unmappable => ErrorKind::Unmappable,
            record::ErrorKind::RowCount => ErrorKind::RowCount,
            record::ErrorKind::TooDeep => ErrorKind::TooLarge,
            record::ErrorKind::RecordLength => ErrorKind::ShortContainer,
            record::ErrorKind::BadData | record::ErrorKind::View => ErrorKind::BadData,
            _ => ErrorKind::Syntax,
        };
        let record::Error { cause, path, position, message, .. } = error;
        Self { kind, cause, path, record: None, position, message }
    }
}
