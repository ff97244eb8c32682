//! The contract: the promises of an OpenAPI document, compiled once when it is loaded.

use crate::limits::Limits;
use crate::operation::{Operation, SecurityScheme};
use crate::problem::Problem;
use crate::schema::{SchemaPlaces, Schemas};

/// The language that a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Swagger 2.0.
    Swagger20,
    /// OpenAPI 3.0.
    OpenApi30,
    /// OpenAPI 3.1.
    OpenApi31,
}

/// The facts about a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// The title.
    pub title: String,
    /// The version of the API.
    pub version: String,
    /// A sentence or a page for people.
    pub description: Option<String>,
}

/// An OpenAPI document that an API starts from.
#[derive(Debug)]
pub struct Contract {
    pub(crate) version: Version,
    pub(crate) info: Info,
    pub(crate) base_path: String,
    pub(crate) security_schemes: Vec<SecurityScheme>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) schemas: Schemas,
    pub(crate) schema_places: SchemaPlaces,
    pub(crate) warnings: Vec<Problem>,
    /// The document itself, for writing other documents from it.
    pub(crate) text: Box<str>,
}

impl Contract {
    /// Reads a document of OpenAPI 3.0 or 3.1, or of Swagger 2.0, given as JSON in UTF-8.
    ///
    /// # Errors
    /// Everything in the document that prevents a contract, in the order of its text.
    pub fn read(json: &[u8], limits: &Limits) -> Result<Contract, Vec<Problem>> {
        crate::read::read(json, limits)
    }

    /// The language of the document.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The facts about the document.
    #[must_use]
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// The path of the first server, without a slash at the end: `/api/v1`; empty for the root.
    #[must_use]
    pub fn base_path(&self) -> &str {
        &self.base_path
    }

    /// The ways in which callers may prove their identity.
    #[must_use]
    pub fn security_schemes(&self) -> &[SecurityScheme] {
        &self.security_schemes
    }

    /// The operations in the order of the document.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The parts of the document without an effect, such as rules that are not checked.
    #[must_use]
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }
}
