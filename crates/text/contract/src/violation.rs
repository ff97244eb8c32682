//! What is wrong with a request or an answer: the kind, the place, and what was expected and found there.

use std::fmt;

use crate::operation::Location;

/// The kinds of violation, closed, so that a gateway can give each a status and a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// The body, or a parameter that is JSON, is no JSON in UTF-8.
    Syntax,
    /// A query, path or cookie that is not percent-encoded UTF-8, or a header that is not UTF-8.
    BadUrl,
    /// A required parameter is not there.
    MissingParameter,
    /// A parameter that is no array is given more than once.
    RepeatedParameter,
    /// A query parameter that the document does not have.
    UnknownParameter,
    /// A body is needed, and there are no bytes.
    MissingBody,
    /// There are bytes, and the operation takes no body.
    UnexpectedBody,
    /// A required member is not there.
    MissingField,
    /// A member that the schema does not have.
    UnknownField,
    /// A member that stands twice in one object.
    DuplicateField,
    /// A member that only answers have, in a request; or only requests, in an answer.
    WrongDirection,
    /// A value of another JSON type.
    WrongType,
    /// A number beyond its limits, or no multiple.
    OutOfRange,
    /// Text with too many characters.
    TooLong,
    /// Text with too few characters.
    TooShort,
    /// Text that does not fit its pattern or format.
    Format,
    /// A value that is not one of those that are listed.
    NotListed,
    /// An array with too many or too few elements, with equal ones, or without one that must be there.
    Elements,
    /// An object with too many or too few members.
    Members,
    /// None of several alternatives fits, or more than one does; or what must not fit does.
    Alternatives,
    /// Objects and arrays nested too deep.
    TooDeep,
    /// Judging the value takes more steps than are allowed.
    TooComplex,
    /// An answer of a status, a header or a body that the document does not have.
    Undocumented,
}

/// What a value belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The body.
    Body,
    /// A parameter.
    Parameter(Location),
    /// The status or a header of an answer.
    Answer,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What kind.
    pub kind: ViolationKind,
    /// What it belongs to.
    pub subject: Subject,
    /// The value as a path of names: `order.items[2].price`; with the parameter's name in front for a parameter. Empty
    /// for a whole body.
    pub path: String,
    /// What was expected.
    pub expected: String,
    /// What was found, shortened; empty if there was nothing.
    pub found: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subject {
            Subject::Parameter(location) => write!(f, "{} parameter {}: ", location.word(), self.path)?,
            _ if self.path.is_empty() => {}
            _ => write!(f, "{}: ", self.path)?,
        }
        write!(f, "expected {}", self.expected)?;
        match self.found.as_str() {
            "" => Ok(()),
            found => write!(f, ", found {found}"),
        }
    }
}

impl std::error::Error for Violation {}
