//! An operation as plain data, for descriptions in other forms than the documents of this crate (such as tools of MCP).

use contract::{AnswerSchemas, Definition, Location, SchemaReader, Style};
use conversion::has_no_body;
use http::Method;
use record::Schema;

use crate::api::Api;
use crate::flow::Flow;
use crate::operation::{BodyRule, MappedOperation, Move, Operation, ResponseMapping};
use crate::spec::Source;

/// The description of an operation for its callers, for all kinds of operations. Every schema is the text of
/// one JSON Schema (2020-12) that becomes a part of another one: a `$ref` has the form `#/$defs/NAME` and
/// leads to a definition, which belongs in `$defs` at the top of that.
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
    /// Its parameters, cookies excepted; one name may stand in several places (path, query, header), but only once in
    /// each.
    pub parameters: Vec<ParameterDescription>,
    /// The JSON body, if one is of any use.
    pub body: Option<BodyDescription>,
    /// The definitions that the schemas of parameters and body refer to.
    pub definitions: Vec<Definition>,
    /// The schema of each body with which it may answer under a status from 200 to 299; none where it may answer without
    /// a body, or with one of unknown content.
    pub answers: Vec<Option<String>>,
    /// The definitions that the schemas of the answers refer to.
    pub answer_definitions: Vec<Definition>,
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
    /// How its text holds its value.
    pub style: Style,
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

/// The operations of an API as plain data.
#[derive(Debug)]
pub struct Descriptions<'a> {
    api: &'a Api,
    /// Of an API that starts from its own document.
    schemas: Option<SchemaReader<'a>>,
}

impl Api {
    /// The operations as plain data. Each is made anew when it is asked for: ask when loading.
    #[must_use]
    pub fn descriptions(&self) -> Descriptions<'_> {
        let flow = self.operations.iter().find_map(|operation| match &**operation {
            Operation::Flow(flow) => Some(flow),
            Operation::Mapped(_) | Operation::Elsewhere(_) => None,
        });
        Descriptions { api: self, schemas: flow.map(|flow| flow.contract().schema_reader()) }
    }
}

impl Descriptions<'_> {
    /// One operation, by its place in [`Api::operations`]; none behind the last one.
    #[must_use]
    pub fn of(&self, place: usize) -> Option<OperationDescription> {
        match &**self.api.operations.get(place)? {
            Operation::Mapped(mapped) => Some(mapped.describe()),
            Operation::Elsewhere(_) => None,
            Operation::Flow(flow) => self.schemas.as_ref().map(|schemas| flow.describe(schemas)),
        }
    }
}

impl Flow {
    fn describe(&self, schemas: &SchemaReader<'_>) -> OperationDescription {
        let operation = self.promise();
        let request = schemas.request(operation);
        let parameters = operation.parameters.iter().zip(request.parameters);
        let parameters = parameters.filter_map(|(parameter, schema)| {
            Some(ParameterDescription {
                source: source(parameter.location)?,
                name: parameter.name.clone(),
                required: parameter.required,
                description: parameter.description.clone(),
                style: parameter.style,
                schema,
            })
        });
        let parameters = parameters.collect();
        // Whatever media types the document names: what is taken is JSON.
        let schema = request.body.unwrap_or_else(|| "{}".to_owned());
        let body = operation.body.as_ref().map(|body| BodyDescription { required: body.required, schema });
        let (answers, answer_definitions) = self.answers(schemas);
        OperationDescription {
            id: self.id.clone(),
            method: self.method.clone(),
            path: self.path.clone(),
            summary: operation.summary.clone(),
            description: operation.description.clone(),
            parameters,
            body,
            definitions: request.definitions,
            answers,
            answer_definitions,
        }
    }

    /// The schemas of its successes, each once, and what they refer to.
    fn answers(&self, schemas: &SchemaReader<'_>) -> (Vec<Option<String>>, Vec<Definition>) {
        let mut replies: Vec<(u16, bool)> = self.successes().collect();
        replies.sort_unstable();
        replies.dedup();
        let with_body = replies.iter().filter(|(_, has_body)| *has_body);
        let statuses: Vec<u16> = with_body.map(|(status, _)| *status).collect();
        let AnswerSchemas { bodies, definitions } = schemas.answers(self.promise(), &statuses);
        let mut answers: Vec<Option<String>> = Vec::new();
        let without_body = replies.iter().any(|(_, has_body)| !has_body).then_some(None);
        for body in bodies.into_iter().chain(without_body) {
            if !answers.contains(&body) {
                answers.push(body);
            }
        }
        (answers, definitions)
    }
}

fn source(location: Location) -> Option<Source> {
    match location {
        Location::Path => Some(Source::Path),
        Location::Query => Some(Source::Query),
        Location::Header => Some(Source::Header),
        Location::Cookie => None,
    }
}

impl MappedOperation {
    fn describe(&self) -> OperationDescription {
        // An optional body is one that no field is left for: there is nothing to say in it.
        let body = (self.request.body == BodyRule::Required)
            .then(|| BodyDescription { required: true, schema: text(&self.request.bind.request_schema()) });
        let successes = self.mappings().filter(|mapping| mapping.status.is_success());
        let schema = |mapping: &ResponseMapping| text(&mapping.bind.response_schema());
        let answers = successes.map(|mapping| (!has_no_body(mapping.status)).then(|| schema(mapping)));
        // A program that gives the status may give 204.
        let without_body = self.open_mappings().next().map(|_| None);
        OperationDescription {
            id: self.id.clone(),
            method: self.method.clone(),
            path: self.path.clone(),
            summary: self.summary.clone(),
            description: self.description.clone(),
            parameters: self.request.moves.iter().map(parameter).collect(),
            body,
            definitions: Vec::new(),
            answers: answers.chain(without_body).collect(),
            answer_definitions: Vec::new(),
        }
    }
}

fn parameter(step: &Move) -> ParameterDescription {
    ParameterDescription {
        source: step.source,
        name: step.name.clone(),
        required: step.required,
        description: step.description.clone(),
        style: Style::Single,
        schema: text(&step.slot.schema()),
    }
}

fn text(schema: &Schema) -> String {
    serde_json::to_string(schema).expect("a schema of plain data serialises")
}
