//! Compiles schemas one by one from a queue, so that references, even to themselves, need no recursion.

use std::collections::{HashMap, VecDeque};

use document::{HOPS_MAX, Node, Part, Value as Json, target};
use expression::Value;

use super::keywords::Keywords;
use super::{FIRST, Schema, SchemaId, SchemaPlaces, Schemas, Types, cycles};
use crate::contract::Version;
use crate::limits::Limits;
use crate::problem::Report;

/// Makes schemas of the parts of one document.
pub(crate) struct Compiler<'d, 't> {
    pub(super) root: &'d Node<'t>,
    pub(super) version: Version,
    pub(super) limits: Limits,
    /// By the place of the schema.
    known: HashMap<String, SchemaId>,
    waiting: VecDeque<(SchemaId, Part<'d, 't>)>,
    count: usize,
}

impl<'d, 't> Compiler<'d, 't> {
    pub(crate) fn new(root: &'d Node<'t>, version: Version, limits: &Limits) -> Self {
        Self { root, version, limits: *limits, known: HashMap::new(), waiting: VecDeque::new(), count: FIRST }
    }

    /// The schema of a part, compiled when [`Compiler::finish`] comes to it.
    pub(crate) fn id(&mut self, part: &Part<'d, 't>, report: &mut Report<'_>) -> SchemaId {
        let Some(part) = self.behind_references(part, report) else { return SchemaId::ANYTHING };
        match &part.node.value {
            Json::Bool(true) => return SchemaId::ANYTHING,
            Json::Bool(false) => return SchemaId::NOTHING,
            Json::Object(_) => {}
            _ => {
                let found = part.node.describe();
                report.error(&part, format!("expected a schema, found {found}"));
                return SchemaId::ANYTHING;
            }
        }
        if let Some(id) = self.known.get(&part.pointer) {
            return *id;
        }
        if self.count == self.limits.schema_count_max {
            let most = self.limits.schema_count_max;
            report.error(&Part::root(self.root), format!("more than {most} schemas (schema_count_max)"));
            return SchemaId::ANYTHING;
        }
        let id = SchemaId(self.count as u32);
        self.count += 1;
        self.known.insert(part.pointer.clone(), id);
        self.waiting.push_back((id, part));
        id
    }

    /// The schema itself, if a part is only a reference.
    fn behind_references(&self, part: &Part<'d, 't>, report: &mut Report<'_>) -> Option<Part<'d, 't>> {
        let mut part = part.clone();
        for _ in 0..HOPS_MAX {
            let beside = part.node.members().len() > 1 && self.version == Version::OpenApi31;
            let Some(reference) = part.node.get("$ref").filter(|_| !beside) else { return Some(part) };
            let target = match reference.text() {
                Some(text) => target(self.root, text).map_err(|reason| reason.0),
                None => Err(format!("expected the text of a $ref, found {}", reference.describe())),
            };
            match target {
                Ok(target) => part = target,
                Err(reason) => {
                    report.error(&part, reason);
                    return None;
                }
            }
        }
        report.error(&part, format!("expected at most {HOPS_MAX} references one after the other"));
        None
    }

    /// The places of the requested schemas, in the order of their numbers.
    pub(crate) fn places(&self) -> SchemaPlaces {
        SchemaPlaces(self.waiting.iter().map(|(_, part)| part.pointer.as_str().into()).collect())
    }

    /// Compiles all requested schemas, and those that they need.
    pub(crate) fn finish(mut self, report: &mut Report<'_>) -> Schemas {
        let nothing = Schema { types: Types::NONE, ..Schema::default() };
        let mut made = vec![Schema::default(), nothing];
        let mut places = vec![Part::root(self.root), Part::root(self.root)];
        while let Some((id, part)) = self.waiting.pop_front() {
            debug_assert_eq!(id.0 as usize, made.len(), "schemas are compiled in the order of their numbers");
            made.push(Keywords { compiler: &mut self, part: &part, report }.schema());
            places.push(part);
        }
        let mut schemas = Schemas(made);
        for id in cycles::find(&schemas) {
            report.error(
                &places[id.0 as usize],
                "the schema contains itself, and not in a member or an element",
            );
        }
        if !report.has_errors() {
            cycles::spread(&mut schemas);
        }
        schemas
    }
}

/// A JSON value of the document as a value for comparisons.
pub(crate) fn value_of(node: &Node<'_>) -> Value {
    let mut json = Vec::new();
    node.write_json(&mut json);
    Value::from_json(&json, document::DOCUMENT_DEPTH_MAX).unwrap_or_default()
}
