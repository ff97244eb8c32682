//! Documents that consumers get: the author's document in OpenAPI 3.1 and in Swagger 2.0, with what the gateway adds.

mod build;
mod examples;
mod failures;
mod inline;
mod openapi31;
mod portable;
mod schema20;
mod schema31;
mod standalone;
mod swagger20;
mod upgrade;
mod words;

use std::borrow::Cow;

use document::Node;

use crate::contract::{Contract, Version};
use crate::problem::{Problem, Report};

pub use standalone::{AnswerSchemas, Definition, RequestSchemas, SchemaReader};

/// What the gateway adds to the author's document.
#[derive(Clone, Copy, Debug)]
pub struct Rendering<'a> {
    /// The path in front of all operations, where they are served: `/api/v1`; empty for the root.
    pub base_path: &'a str,
    /// The name of the schema of the gateway's own failures; another is found if the document has it already.
    pub error_name: &'a str,
    /// That schema, as JSON text of words that JSON Schema and Swagger share.
    pub error_schema: &'a str,
    /// The gateway's own failures of each operation, in the order of [`Contract::operations`].
    pub failures: &'a [Vec<FailureAnswer>],
}

/// A status with which the gateway itself answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureAnswer {
    /// The status.
    pub status: u16,
    /// When that happens.
    pub description: String,
}

/// A Swagger 2.0 document made from a contract.
#[derive(Clone, Debug)]
pub struct Swagger {
    /// The document as JSON.
    pub json: Vec<u8>,
    /// What Swagger 2.0 cannot say, with the place in the author's document.
    pub notes: Vec<Problem>,
}

/// How many notes are told; of more there is only the number.
const NOTES_MAX: usize = 1_000;

impl Contract {
    /// The contract as an OpenAPI 3.1 document, in the author's order and words.
    ///
    /// # Errors
    /// The schema of [`Rendering`] is no JSON.
    pub fn openapi31(&self, rendering: &Rendering<'_>) -> Result<Vec<u8>, Problem> {
        let source = self.source()?;
        let upgraded: Cow<'_, str> = match self.version {
            Version::Swagger20 => Cow::Owned(upgrade::upgraded(&source).json()),
            Version::OpenApi30 | Version::OpenApi31 => Cow::Borrowed(&self.text),
        };
        let root = read(&upgraded)?;
        let added = failures::Added::new(self, rendering, error_schema(rendering)?);
        Ok(openapi31::document(&root, self.version, rendering, &added).json().into_bytes())
    }

    /// The contract as a Swagger 2.0 document, in the author's order and words.
    ///
    /// # Errors
    /// The schema of [`Rendering`] is no JSON.
    pub fn swagger20(&self, rendering: &Rendering<'_>) -> Result<Swagger, Problem> {
        let source = self.source()?;
        let mut report = Report::new(&self.text, NOTES_MAX);
        let added = failures::Added::new(self, rendering, error_schema(rendering)?);
        let made = if self.version == Version::Swagger20 {
            swagger20::same(&source, rendering, &added)
        } else {
            swagger20::Writer::new(&source, &mut report).document(rendering, &added)
        };
        let json = made.json().into_bytes();
        let (_, notes) = report.finish();
        Ok(Swagger { json, notes })
    }

    /// The author's document, which was read before.
    fn source(&self) -> Result<Node<'_>, Problem> {
        read(&self.text)
    }
}

fn read(text: &str) -> Result<Node<'_>, Problem> {
    document::read(text).map_err(|refusal| {
        let line = document::line_of(text, refusal.offset);
        Problem { pointer: "#".to_owned(), line, message: refusal.message }
    })
}

fn error_schema<'a>(rendering: &Rendering<'a>) -> Result<Node<'a>, Problem> {
    let schema = read(rendering.error_schema)?;
    if schema.is_object() {
        return Ok(schema);
    }
    let message = format!("expected the schema of failures, found {}", schema.describe());
    Err(Problem { pointer: "#".to_owned(), line: 1, message })
}

/// The words of extensions that tell the gateway what to do and consumers nothing.
const PRIVATE: &str = "x-ibm-zcon-";

/// True for a member that consumers do not see.
fn is_private(name: &str) -> bool {
    name.starts_with(PRIVATE)
}
