//! An operation as plain data, for whoever tells of it in another form than the documents of this crate.

use http::Method;
use record::Schema;

use crate::operation::{BodyRule, MappedOperation, Move, Operation};
use crate::spec::Source;

/// What a caller must know of an operation, whatever kind of operation it is. Every schema is the text of one JSON Schema
/// (2020-12) that stands alone: it has no `$ref`, because it becomes a part of other schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationDescription {
    /// The id in documents; unique in its API.
    pub id: String,
    /// The method.
    pub method: Method,
    /// The whole path with `{parameters}`: base path and path.
    pub path: String,
    /// A short sentence.
    pub summary: Option<String>,
    /// A long description.
    pub description: Option<String>,
    /// Its parameters; one name may stand in several places (path, query, header), but only once in each.
    pub parameters: Vec<ParameterDescription>,
    /// The JSON body, if one is of any use.
    pub body: Option<BodyDescription>,
    /// The schema of each body with which it may answer under a status from 200 to 299.
    pub answers: Vec<String>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterDescription {
    /// Where it stands.
    pub source: Source,
    /// The name there.
    pub name: String,
    /// Whether a request must have it; those of the path always are.
    pub required: bool,
    /// A sentence for people.
    pub description: Option<String>,
    /// The schema of its value, as JSON text.
    pub schema: String,
}

/// A request body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyDescription {
    /// Whether a request must have it.
    pub required: bool,
    /// The schema of its value, as JSON text.
    pub schema: String,
}

impl Operation {
    /// The operation as plain data; none of one by expressions. It is made anew with each call: ask when loading.
    #[must_use]
    pub fn describe(&self) -> Option<OperationDescription> {
        match self {
            Operation::Mapped(mapped) => Some(mapped.describe()),
            Operation::Flow(_) => None,
        }
    }
}

impl MappedOperation {
    fn describe(&self) -> OperationDescription {
        // An optional body is one that no field is left for: there is nothing to say in it.
        let body = (self.request.body == BodyRule::Required)
            .then(|| BodyDescription { required: true, schema: text(&self.request.bind.request_schema()) });
        let answers = self.mappings().filter(|mapping| mapping.status.is_success());
        OperationDescription {
            id: self.id.clone(),
            method: self.method.clone(),
            path: self.path.clone(),
            summary: self.summary.clone(),
            description: self.description.clone(),
            parameters: self.request.moves.iter().map(parameter).collect(),
            body,
            answers: answers.map(|mapping| text(&mapping.bind.response_schema())).collect(),
        }
    }
}

fn parameter(step: &Move) -> ParameterDescription {
    ParameterDescription {
        source: step.source,
        name: step.name.clone(),
        required: step.required,
        description: step.description.clone(),
        schema: text(&step.slot.schema()),
    }
}

fn text(schema: &Schema) -> String {
    serde_json::to_string(schema).expect("a schema of plain data serialises")
}
