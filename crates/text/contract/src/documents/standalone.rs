//! Schemas of single operations for readers without the document: JSON Schema 2020-12 without references into
//! it.

use document::{Node, Part, target};

use super::inline::{Inliner, Mode, Settings};
use crate::check::Direction;
use crate::contract::{Contract, Version};
use crate::operation::{Operation, Parameter, json_content};
use crate::schema::SchemaId;

/// Up to this number of bytes, the schemas of one operation repeat the targets of references instead of
/// naming them.
const INLINE_BYTES_MAX: usize = 32 * 1024;
/// The most bytes of the schemas of one operation in one direction. Beyond them, only types are given.
const SCHEMA_BYTES_MAX: usize = 256 * 1024;

/// The schema that every value fits.
const ANYTHING: &str = "{}";
/// The schema that no value fits.
const NOTHING: &str = r#"{"not":{}}"#;

/// Reads the document of a contract once, for the schemas of any number of operations.
///
/// Every schema is JSON text. The author's words stay: names, titles, descriptions, examples. The targets of
/// references stand in their places. If that would have no end, or would be very long, a `$ref` of the form
/// `#/$defs/NAME` refers to one of the definitions. The caller must put these into `$defs` at the top of its
/// schema. Schemas allow at least the values that the contract allows: a rule that cannot be stated is left
/// out, never made narrower.
#[derive(Debug)]
pub struct SchemaReader<'c> {
    contract: &'c Contract,
    pub(super) root: Node<'c>,
}

/// A schema that others refer to by `#/$defs/NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Letters, digits, `_`, `-` and `.`.
    pub name: String,
    /// The schema, as JSON text.
    pub schema: String,
}

/// The input of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestSchemas {
    /// The schema of each parameter, in the order of [`Operation::parameters`].
    pub parameters: Vec<String>,
    /// The schema of the JSON body; none if the operation has no body. Members that only answers have are
    /// left out.
    pub body: Option<String>,
    /// The definitions that these refer to.
    pub definitions: Vec<Definition>,
}

/// The output of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerSchemas {
    /// The schema of the JSON body for each status that was asked for; none if the document has no such body.
    /// Members that only requests have are left out.
    pub bodies: Vec<Option<String>>,
    /// The definitions that these refer to.
    pub definitions: Vec<Definition>,
}

impl Contract {
    /// A reader for the schemas of this contract. It reads the document again, so make one for all
    /// operations.
    #[must_use]
    pub fn schema_reader(&self) -> SchemaReader<'_> {
        SchemaReader { contract: self, root: self.source().expect("the document has been read before") }
    }
}

/// A wanted schema.
struct Wanted<'s, 'c> {
    /// Its place; none for the schemas that allow everything or nothing.
    part: Option<Part<'s, 'c>>,
    known: &'static str,
    /// In Swagger 2.0 a parameter's schema words stand among the other words of the parameter.
    is_parameter: bool,
}

impl<'c> SchemaReader<'c> {
    /// The schemas of an operation's parameters and body.
    #[must_use]
    pub fn request(&self, operation: &Operation) -> RequestSchemas {
        let parameter = |parameter: &Parameter| {
            let is_parameter = self.contract.version == Version::Swagger20;
            Wanted { is_parameter, ..self.wanted(parameter.schema) }
        };
        let mut wanted: Vec<Wanted<'_, 'c>> = operation.parameters.iter().map(parameter).collect();
        let content = operation.body.as_ref().and_then(|body| json_content(&body.content));
        wanted.extend(content.map(|content| self.wanted(content.schema.unwrap_or(SchemaId::ANYTHING))));
        let (mut parameters, definitions) = self.written(&wanted, Direction::Request);
        let body = content.and_then(|_| parameters.pop());
        RequestSchemas { parameters, body, definitions }
    }

    /// The schemas of an operation's answers with these statuses.
    #[must_use]
    pub fn answers(&self, operation: &Operation, statuses: &[u16]) -> AnswerSchemas {
        let schema_of = |status: &u16| json_content(&operation.response(*status)?.content)?.schema;
        let found: Vec<Option<SchemaId>> = statuses.iter().map(schema_of).collect();
        let wanted: Vec<Wanted<'_, 'c>> = found.iter().flatten().map(|id| self.wanted(*id)).collect();
        let (schemas, definitions) = self.written(&wanted, Direction::Response);
        let mut schemas = schemas.into_iter();
        let bodies = found.iter().map(|id| id.and_then(|_| schemas.next())).collect();
        AnswerSchemas { bodies, definitions }
    }

    /// The schemas of the headers that an operation's answers with this status must have, by name, and the definitions that they refer to.
    #[must_use]
    pub fn answer_headers(
        &self,
        operation: &Operation,
        status: u16,
    ) -> (Vec<(String, String)>, Vec<Definition>) {
        let all = operation.response(status).map(|response| response.headers.as_slice()).unwrap_or_default();
        let (names, wanted): (Vec<_>, Vec<_>) = all
            .iter()
            .filter(|header| header.required)
            .map(|header| {
                let is_parameter = self.contract.version == Version::Swagger20;
                let wanted = self.wanted(header.schema.unwrap_or(SchemaId::ANYTHING));
                (header.name.clone(), Wanted { is_parameter, ..wanted })
            })
            .unzip();
        let (schemas, definitions) = self.written(&wanted, Direction::Response);
        (names.into_iter().zip(schemas).collect(), definitions)
    }

    fn wanted(&self, id: SchemaId) -> Wanted<'_, 'c> {
        let known = if id == SchemaId::NOTHING { NOTHING } else { ANYTHING };
        let place = self.contract.schema_places.of(id);
        let part = place.and_then(|pointer| target(&self.root, pointer).ok());
        Wanted { part, known, is_parameter: false }
    }

    /// The schemas as text: whole if they are short enough, else with names in place of repetitions, else
    /// cut.
    fn written(&self, wanted: &[Wanted<'_, 'c>], direction: Direction) -> (Vec<String>, Vec<Definition>) {
        let attempt = |mode, bytes_max| {
            let settings = Settings { version: self.contract.version, direction, mode, bytes_max };
            let mut inliner = Inliner::new(&self.root, settings);
            let schemas = wanted.iter().map(|one| match &one.part {
                None => one.known.to_owned(),
                Some(part) if one.is_parameter => inliner.parameter(part).json(),
                Some(part) => inliner.top(part).json(),
            });
            let schemas = schemas.collect();
            let definition = |(name, node): (String, Node<'_>)| Definition { name, schema: node.json() };
            let definitions = inliner.definitions().into_iter().map(definition).collect();
            (inliner.is_whole(), (schemas, definitions))
        };
        for (mode, bytes_max) in [(Mode::Inline, INLINE_BYTES_MAX), (Mode::Named, SCHEMA_BYTES_MAX)] {
            if let (true, written) = attempt(mode, bytes_max) {
                return written;
            }
        }
        attempt(Mode::Cut, SCHEMA_BYTES_MAX).1
    }
}
