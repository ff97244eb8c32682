//! Schemas of single operations for those who do not have the document: JSON Schema 2020-12 without references into it.

use document::{Node, Part, target};

use super::inline::{Inliner, Mode, Settings};
use crate::check::Direction;
use crate::contract::{Contract, Version};
use crate::operation::{Operation, Parameter, json_content};
use crate::schema::SchemaId;

/// Bytes up to which schemas of one operation repeat what their references lead to, instead of naming it.
const INLINE_BYTES_MAX: usize = 32 * 1024;
/// Bytes that schemas of one operation may have in one direction; beyond them only types are told.
const SCHEMA_BYTES_MAX: usize = 256 * 1024;

/// The schema that every value fits.
const ANYTHING: &str = "{}";
/// The schema that no value fits.
const NOTHING: &str = r#"{"not":{}}"#;

/// Reads the document of a contract once, for the schemas of as many operations as are asked for.
///
/// Every schema is JSON text. The author's words stay: names, titles, descriptions, examples. What they refer to stands
/// in their place; only where that would have no end, or would be very long, a `$ref` of the form `#/$defs/NAME` leads
/// to one of the definitions, which belong into `$defs` at the top of the schema that is made of these. Schemas allow at
/// least what the contract allows: what cannot be said is left out, never made narrower.
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

/// What an operation takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestSchemas {
    /// Of each parameter, in the order of [`Operation::parameters`].
    pub parameters: Vec<String>,
    /// Of the JSON body; none if the operation takes none. Members that only answers have are not in it.
    pub body: Option<String>,
    /// What these refer to.
    pub definitions: Vec<Definition>,
}

/// What an operation answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerSchemas {
    /// Of the JSON body under each status that was asked for; none if the document documents no such body. Members
    /// that only requests have are not in it.
    pub bodies: Vec<Option<String>>,
    /// What these refer to.
    pub definitions: Vec<Definition>,
}

impl Contract {
    /// A reader of schemas of this contract. It reads the document anew: make one for all operations.
    #[must_use]
    pub fn schema_reader(&self) -> SchemaReader<'_> {
        SchemaReader { contract: self, root: self.source().expect("the document has been read before") }
    }
}

/// A schema that is wanted.
struct Wanted<'s, 'c> {
    /// Where it stands; none for the schema that says nothing and the one that lets nothing pass.
    part: Option<Part<'s, 'c>>,
    known: &'static str,
    /// In Swagger 2.0 the words of a parameter's schema stand among those of the parameter.
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

    /// The schemas of an operation's answers under these statuses.
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

    fn wanted(&self, id: SchemaId) -> Wanted<'_, 'c> {
        let known = if id == SchemaId::NOTHING { NOTHING } else { ANYTHING };
        let place = self.contract.schema_places.of(id);
        let part = place.and_then(|pointer| target(&self.root, pointer).ok());
        Wanted { part, known, is_parameter: false }
    }

    /// The schemas as text: whole if they are short enough, else with names in place of repetitions, else cut.
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
