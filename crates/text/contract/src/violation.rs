//! A violation of a request or an answer: the kind, the place, and the expected and the found value there.

use std::fmt;

use crate::operation::Location;

/// The kinds of violation, closed, so that a gateway can give each a status and a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// The body, or a parameter that is JSON, is not JSON in UTF-8.
    Syntax,
    /// A query, path or cookie that is not percent-encoded UTF-8, or a header that is not UTF-8.
    BadUrl,
    /// A required parameter is missing.
    MissingParameter,
    /// A parameter that is not an array is given more than once.
    RepeatedParameter,
    /// A query parameter that the document does not have.
    UnknownParameter,
    /// A body is needed, and there are no bytes.
    MissingBody,
    /// There are bytes, and the operation takes no body.
    UnexpectedBody,
    /// A required member is missing.
    MissingField,
    /// A member that the schema does not have.
    UnknownField,
    /// A member that occurs twice in one object.
    DuplicateField,
    /// A member that only answers have, in a request; or one that only requests have, in an answer.
    WrongDirection,
    /// A value of another JSON type.
    WrongType,
    /// A number beyond its limits, or not a multiple.
    OutOfRange,
    /// Text with too many characters.
    TooLong,
    /// Text with too few characters.
    TooShort,
    /// Text that does not fit its pattern or format.
    Format,
    /// A value that is not in the list of allowed values.
    NotListed,
    /// An array with too many or too few elements, with equal ones, or without a required one.
    Elements,
    /// An object with too many or too few members.
    Members,
    /// No alternative fits, or more than one does; or a value fits a schema under `not`.
    Alternatives,
    /// Objects and arrays nested too deep.
    TooDeep,
    /// Checking the value takes more steps than allowed.
    TooComplex,
    /// An answer of a status, a header or a body that the document does not have.
    Undocumented,
}

/// The owner of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The body.
    Body,
    /// A parameter.
    Parameter(Location),
    /// The status or a header of an answer.
    Answer,
}

/// One violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What kind.
    pub kind: ViolationKind,
    /// The owner of the value.
    pub subject: Subject,
    /// The value as a path of names: `order.items[2].price`; with the parameter's name in front for a parameter. Empty
    /// for a whole body.
    pub path: String,
    /// The expected value.
    pub expected: String,
    /// The found value, shortened; empty if there was none.
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
