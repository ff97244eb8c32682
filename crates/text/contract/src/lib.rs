//! OpenAPI documents that an API starts from. A document's promises are compiled once, and every request is
//! checked against them.
//!
//! [`Contract::read`] takes a document of OpenAPI 3.0 or 3.1, or of Swagger 2.0. It gives the document's
//! [`Operation`]s, or every [`Problem`] with its JSON pointer and line. [`Contract::parameters`] and
//! [`Contract::body`] check a request. They give values of the crate `expression`, exact numbers included, or
//! [`Violation`]s. [`Contract::answer`] checks answers.
//!
//! [`Contract::openapi31`] and [`Contract::swagger20`] write the documents that consumers get.
//! [`Contract::schema_reader`] gives the schemas of single operations.
//!
//! Deliberately absent: YAML (the crate `packages` makes JSON of it), documents in several files, routing,
//! security itself, and IO.

mod answer;
mod check;
mod contract;
mod documents;
mod limits;
mod methods;
mod operation;
mod problem;
mod read;
mod request;
mod schema;
mod violation;

pub use answer::Answer;
pub use check::Options;
pub use contract::{Contract, Info, Version};
pub use documents::{
    AnswerSchemas, Definition, FailureAnswer, Rendering, RequestSchemas, SchemaReader, Swagger,
};
pub use limits::Limits;
pub use operation::{
    Body, Content, Header, Location, Operation, Parameter, Place, Requirement, Response, SecurityKind,
    SecurityScheme, Status, Style, json_content,
};
pub use problem::Problem;
pub use request::{Parameters, RequestParts};
pub use schema::SchemaId;
pub use violation::{Subject, Violation, ViolationKind};
