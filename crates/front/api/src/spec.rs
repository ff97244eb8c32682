//! An API before it is compiled: plain data, from our text files or from a package.

use http::Method;

use crate::protection::{OperationProtection, SecurityScheme};
use crate::rules::Comparison;

/// A word that a user wrote, with the line that it stands on, so that a message can name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The word.
    pub text: String,
    /// The line, from 1; 0 if unknown.
    pub line: usize,
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), line: 0 }
    }
}

/// An API: a base path and operations.
#[derive(Clone, Debug)]
pub struct ApiSpec {
    /// The name, unique in the gateway; also the tag of its operations.
    pub name: String,
    /// The title of its documents.
    pub title: String,
    /// The version of its documents.
    pub version: String,
    /// A sentence for people.
    pub description: String,
    /// The path in front of all its operations: `/performance.api`.
    pub base_path: Text,
    /// Query parameters that no operation moves are refused.
    pub refuse_unknown_query: bool,
    /// Other statuses for failures of providers, by code.
    pub statuses: Vec<(Text, u16)>,
    /// How callers can be known, for the documents.
    pub schemes: Vec<SecurityScheme>,
    /// The operations.
    pub operations: Vec<OperationSpec>,
}

/// One operation: a method on a path calls one service.
#[derive(Clone, Debug)]
pub struct OperationSpec {
    /// The method.
    pub method: Method,
    /// The path below the base path, with `{parameters}`.
    pub path: Text,
    /// The service's name.
    pub service: Text,
    /// The id in documents; made from method and service if absent (`putCABASIC-RS2`).
    pub operation_id: Option<String>,
    /// A short sentence.
    pub summary: Option<String>,
    /// A long description.
    pub description: Option<String>,
    /// From HTTP to the record.
    pub request: RequestSpec,
    /// From the record to HTTP, where no other response applies.
    pub response: ResponseSpec,
    /// Responses with rules. The first one whose rules hold is used.
    pub responses: Vec<ResponseSpec>,
    /// The requirements on its callers, for the documents.
    pub protection: OperationProtection,
}

/// Where a parameter comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A `{parameter}` of the path.
    Path,
    /// A query parameter.
    Query,
    /// A request header.
    Header,
}

impl Source {
    /// The word that OpenAPI and messages use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Source::Path => "path",
            Source::Query => "query",
            Source::Header => "header",
        }
    }
}

/// A parameter that is moved into a field, converted to its type; the field then is not in the body.
#[derive(Clone, Debug)]
pub struct MoveSpec {
    /// Where from.
    pub source: Source,
    /// The parameter's name.
    pub name: Text,
    /// The field's COBOL name or path.
    pub field: Text,
    /// A request without it is refused; path parameters always are there.
    pub required: bool,
    /// A sentence for the documents.
    pub description: Option<String>,
}

/// A value for a field.
#[derive(Clone, Debug)]
pub struct ValueSpec {
    /// The field's COBOL name or path.
    pub field: Text,
    /// The value as text, converted to the field's type.
    pub value: Text,
}

/// Another JSON name for a field.
#[derive(Clone, Debug)]
pub struct RenameSpec {
    /// The field's COBOL name or path.
    pub field: Text,
    /// Its name in JSON.
    pub name: Text,
}

/// The request mapping. Fields that it does not name pass through.
#[derive(Clone, Debug, Default)]
pub struct RequestSpec {
    /// Parameters into fields.
    pub moves: Vec<MoveSpec>,
    /// Fields that always have a value and are not in the body.
    pub assign: Vec<ValueSpec>,
    /// Values of fields that the body leaves out.
    pub default: Vec<ValueSpec>,
    /// Fields and groups that are not in the body and keep their initial values.
    pub remove: Vec<Text>,
    /// Other names.
    pub rename: Vec<RenameSpec>,
}

/// A rule on a field of the answer.
#[derive(Clone, Debug)]
pub struct RuleSpec {
    /// The field's COBOL name or path; not in a table.
    pub field: Text,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what, as text.
    pub value: String,
}

/// When a response is the one that a caller gets.
#[derive(Clone, Debug)]
pub struct WhenSpec {
    /// The rules; there is one at least.
    pub rules: Vec<RuleSpec>,
    /// All must hold; else one is enough.
    pub all: bool,
}

/// A response mapping. Fields that it does not name pass through.
#[derive(Clone, Debug)]
pub struct ResponseSpec {
    /// When it applies; none is the response where no other one does.
    pub when: Option<WhenSpec>,
    /// A sentence for the documents.
    pub description: Option<String>,
    /// The status of an answer.
    pub status: Text,
    /// The field that holds the status, unless it is blank or zero.
    pub status_field: Option<Text>,
    /// Fields and groups that consumers do not see.
    pub remove: Vec<Text>,
    /// Other names.
    pub rename: Vec<RenameSpec>,
    /// Response headers.
    pub headers: Vec<HeaderSpec>,
}

impl Default for ResponseSpec {
    fn default() -> Self {
        Self {
            when: None,
            description: None,
            status: Text::from("200"),
            status_field: None,
            remove: Vec::new(),
            rename: Vec::new(),
            headers: Vec::new(),
        }
    }
}

/// A response header.
#[derive(Clone, Debug)]
pub struct HeaderSpec {
    /// Its name.
    pub name: Text,
    /// Its value.
    pub value: HeaderValueSpec,
}

/// The source of a response header's value.
#[derive(Clone, Debug)]
pub enum HeaderValueSpec {
    /// The value of a field, by COBOL name or path.
    Field(Text),
    /// Always the same text.
    Constant(Text),
}
