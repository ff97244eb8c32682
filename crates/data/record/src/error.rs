//! Errors between JSON or XML and a record: the kind, the place and a text that is safe to show to callers.

use std::fmt;

use crate::path;

/// The kinds of failure, closed, so that a caller can give each a status and a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON or XML. XML with document types or processing instructions counts too.
    Syntax,
    /// The text is JSON, but its outermost value is not an object. Or it is XML, but its outermost element is
    /// another one.
    NotAnObject,
    /// A field that the interface does not have.
    UnknownField,
    /// A field that stands twice in one object.
    DuplicateField,
    /// An element behind one that the schema has after it.
    ElementOrder,
    /// A required field is not there.
    MissingField,
    /// A value of another JSON type than the field has.
    WrongType,
    /// A number beyond the field's limits, or with more decimal places than it has.
    OutOfRange,
    /// Another value than the only one that is allowed.
    NotListed,
    /// Text longer than the field.
    TooLong,
    /// A character that the record's code page does not have.
    Unmappable,
    /// More or fewer rows than the table allows.
    RowCount,
    /// Two views of the same bytes (REDEFINES) are given, or a view that contradicts the field which tells
    /// views apart.
    View,
    /// Objects and arrays nested deeper than [`crate::JSON_DEPTH_MAX`], elements deeper than
    /// [`crate::XML_DEPTH_MAX`].
    TooDeep,
    /// A record that ends before the layout does, or after it.
    RecordLength,
    /// Bytes in a record that are not a value of their field's type.
    BadData,
}

/// The reason why a value is refused, more exact than the kind, for callers that use their own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// The number has decimal places, and the field holds integers.
    NotInteger,
    /// The number has more decimal places than the field.
    DecimalPlaces,
    /// The number is negative, and the field is unsigned.
    Negative,
    /// The text is not base64.
    NotBase64,
    /// The text has an odd number of hexadecimal digits.
    OddHexDigits,
    /// The bytes are not a packed number.
    NotPacked,
    /// The bytes are those of a date that is not set: blanks, zeros or low-values. The policy `blank_numbers` may allow them.
    UnsetDate,
}

/// A failure on the data path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The cause, if it is one of these.
    pub cause: Option<Cause>,
    /// The field, as a path of JSON names, or of elements: `order.items[2].price`; empty for the whole.
    pub path: String,
    /// The field's first byte in the record, from 0, where a record was read.
    pub offset: Option<usize>,
    /// Line and column, from 1, where JSON or XML was read.
    pub position: Option<(usize, usize)>,
    /// A text that says what was found and what was expected.
    pub message: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, cause: None, path: String::new(), offset: None, position: None, message: message.into() }
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

    /// True if a field is missing that would start at the record's end or after it.
    pub(crate) fn is_end_at(&self, length: usize) -> bool {
        self.kind == ErrorKind::RecordLength && self.offset >= Some(length)
    }

    pub(crate) fn at_offset(mut self, offset: usize) -> Self {
        self.offset.get_or_insert(offset);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        path::write_place(f, &self.path, &self.message, self.position)?;
        if let Some(offset) = self.offset {
            write!(f, " (record offset {offset})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<xml::Error> for Error {
    fn from(error: xml::Error) -> Self {
        let kind = match error.kind {
            xml::ErrorKind::TooDeep => ErrorKind::TooDeep,
            xml::ErrorKind::Content => ErrorKind::WrongType,
            xml::ErrorKind::Character => ErrorKind::BadData,
            _ => ErrorKind::Syntax,
        };
        Self { position: error.position, ..Self::new(kind, error.message) }
    }
}

/// The most bytes that a message shows.
const SHOWN_BYTES_MAX: usize = 16;

/// Bytes in hexadecimal, as messages show them.
pub(crate) fn hex(bytes: &[u8]) -> String {
    codepage::readable::spaced_hex(bytes, SHOWN_BYTES_MAX)
}

/// A bind cannot be made from this layout with these options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The COBOL path of the field; empty for the record as a whole.
    pub field: String,
    /// The line of the field's entry in the copybook; 0 if unknown.
    pub line: u32,
    /// The text of the error.
    pub message: String,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.field, self.message)
        }
    }
}

impl std::error::Error for CompileError {}
