//! The declarations of the schemas of all files, by name; the substitutes of elements, and the derived types
//! of types.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use roxmltree::{Document, Node};

use super::fault::{Fault, Place};
use super::files::{Sources, Unread};
use super::model::Name;
use super::names::{self, alike, children, is, is_true, named, own_attribute, qualified, xsd};
use super::simple::built_in;

/// The kinds of names in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    Element,
    Type,
    Attribute,
    Group,
    AttributeGroup,
}

impl Space {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "element" => Space::Element,
            "simpleType" | "complexType" => Space::Type,
            "attribute" => Space::Attribute,
            "group" => Space::Group,
            "attributeGroup" => Space::AttributeGroup,
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Space::Element => "element",
            Space::Type => "type",
            Space::Attribute => "attribute",
            Space::Group => "group",
            Space::AttributeGroup => "attribute group",
        }
    }
}

/// A part of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'d> {
    pub(super) node: Node<'d, 'd>,
    /// The schema that has it.
    pub(super) schema: usize,
}

impl<'d> Part<'d> {
    /// Another part of the same schema.
    pub(super) fn at(self, node: Node<'d, 'd>) -> Self {
        Self { node, ..self }
    }

    /// An id that no other part has.
    pub(super) fn id(self) -> (usize, usize) {
        (self.schema, self.node.range().start)
    }
}

/// A schema, for one target namespace.
#[derive(Debug)]
pub(super) struct Schema {
    pub(super) target: String,
    pub(super) elements_qualified: bool,
    pub(super) attributes_qualified: bool,
    file: usize,
    /// The namespace of names without a prefix, if there is no declaration of one: that of the including
    /// schema.
    unprefixed: String,
}

/// All declarations.
pub(super) struct Index<'d> {
    sources: &'d Sources,
    pub(super) schemas: Vec<Schema>,
    parts: HashMap<(Space, Name), Part<'d>>,
    /// By the name of the element that they may replace.
    pub(super) substitutes: HashMap<Name, Vec<Part<'d>>>,
    /// Complex types by the name of their base type.
    pub(super) derived: HashMap<Name, Vec<Part<'d>>>,
    /// Names with a second declaration that is not like the first.
    twice: HashMap<(Space, Name), Part<'d>>,
    seen: HashSet<(usize, usize, String)>,
}

impl<'d> Index<'d> {
    /// Reads all schemas of the files.
    pub(super) fn read(sources: &'d Sources, documents: &'d [Document<'d>]) -> Result<Self, Fault> {
        let mut index = Self {
            sources,
            schemas: Vec::new(),
            parts: HashMap::new(),
            substitutes: HashMap::new(),
            derived: HashMap::new(),
            twice: HashMap::new(),
            seen: HashSet::new(),
        };
        for (file, document) in documents.iter().enumerate() {
            let root = document.root_element();
            if is(root, names::WSDL, "definitions") {
                for types in named(root, names::WSDL, "types") {
                    for schema in named(types, names::XSD, "schema") {
                        index.schema(documents, file, schema, None)?;
                    }
                }
                for import in named(root, names::WSDL, "import") {
                    index.follow(documents, file, import, None)?;
                }
            }
        }
        index.note_relations()?;
        Ok(index)
    }

    fn follow(
        &mut self,
        documents: &'d [Document<'d>],
        file: usize,
        node: Node<'d, 'd>,
        includer: Option<&str>,
    ) -> Result<(), Fault> {
        let Some(target) = self.sources.target(file, node) else { return Ok(()) };
        let root = documents[target].root_element();
        if is(root, names::XSD, "schema") { self.schema(documents, target, root, includer) } else { Ok(()) }
    }

    /// Reads a schema. Recursion is as deep as imports, at most [`super::limits::IMPORT_DEPTH_MAX`].
    fn schema(
        &mut self,
        documents: &'d [Document<'d>],
        file: usize,
        root: Node<'d, 'd>,
        includer: Option<&str>,
    ) -> Result<(), Fault> {
        let own = own_attribute(root, "targetNamespace");
        let target = own.or(includer).unwrap_or_default().to_owned();
        if !self.seen.insert((file, root.range().start, target.clone())) {
            return Ok(());
        }
        let unprefixed = if own.is_none() { target.clone() } else { String::new() };
        let qualified = |attribute: &str| own_attribute(root, attribute).map(str::trim) == Some("qualified");
        self.schemas.push(Schema {
            target: target.clone(),
            elements_qualified: qualified("elementFormDefault"),
            attributes_qualified: qualified("attributeFormDefault"),
            file,
            unprefixed,
        });
        let schema = self.schemas.len() - 1;
        if own_attribute(root, "defaultAttributes").is_some() {
            let part = Part { node: root, schema };
            return Err(self.fault(part, "xsd:schema: defaultAttributes is not supported"));
        }
        for node in children(root) {
            let part = Part { node, schema };
            match xsd(node) {
                "include" => self.follow(documents, file, node, Some(&target))?,
                "import" => self.follow(documents, file, node, None)?,
                word @ ("redefine" | "override" | "defaultOpenContent") => {
                    return Err(self.fault(part, format!("xsd:{word} is not supported")));
                }
                word => {
                    if let (Some(space), Some(name)) = (Space::of(word), own_attribute(node, "name")) {
                        let name = Name { namespace: target.clone(), local: name.to_owned() };
                        self.declare((space, name), part);
                    }
                }
            }
        }
        Ok(())
    }

    /// Notes a declaration. The first of several counts, if they are alike.
    fn declare(&mut self, key: (Space, Name), part: Part<'d>) {
        match self.parts.entry(key) {
            Entry::Vacant(free) => drop(free.insert(part)),
            Entry::Occupied(known) => {
                let (first, second) = (known.get(), part);
                let rules = |part: &Part<'d>| {
                    let schema = &self.schemas[part.schema];
                    (schema.elements_qualified, schema.attributes_qualified)
                };
                if rules(first) != rules(&second) || !alike(first.node, second.node) {
                    self.twice.entry(known.key().clone()).or_insert(second);
                }
            }
        }
    }

    /// Notes the substitutes of elements and the derived types of types, in the order of their names.
    fn note_relations(&mut self) -> Result<(), Fault> {
        let mut parts: Vec<(Space, Name, Part<'d>)> =
            self.parts.iter().map(|((space, name), part)| (*space, name.clone(), *part)).collect();
        parts.sort_by_key(|(_, _, part)| part.id());
        for (space, _, part) in parts {
            let heads = own_attribute(part.node, "substitutionGroup").filter(|_| space == Space::Element);
            for head in heads.unwrap_or_default().split_whitespace() {
                let head = self.qualified(part, head)?;
                self.substitutes.entry(head).or_default().push(part);
            }
            if xsd(part.node) == "complexType" {
                let content =
                    children(part.node).find(|node| matches!(xsd(*node), "complexContent" | "simpleContent"));
                let derivation = content.and_then(|node| {
                    children(node).find(|node| matches!(xsd(*node), "extension" | "restriction"))
                });
                if let Some(base) =
                    derivation.map(|node| self.name(part.at(node), "base")).transpose()?.flatten()
                {
                    self.derived.entry(base).or_default().push(part);
                }
            }
        }
        Ok(())
    }

    /// The place of a part.
    pub(super) fn place(&self, part: Part<'_>) -> Place {
        self.sources.all[self.schemas[part.schema].file].lines.place(part.node.range().start)
    }

    /// A fault at a part.
    pub(super) fn fault(&self, part: Part<'_>, message: impl Into<String>) -> Fault {
        Fault::new(&self.place(part), message)
    }

    /// The name in an attribute of a part.
    pub(super) fn name(&self, part: Part<'_>, attribute: &str) -> Result<Option<Name>, Fault> {
        let value = own_attribute(part.node, attribute);
        value.map(|value| self.qualified(part, value)).transpose()
    }

    /// The name that a value means.
    pub(super) fn qualified(&self, part: Part<'_>, value: &str) -> Result<Name, Fault> {
        let unprefixed = &self.schemas[part.schema].unprefixed;
        qualified(part.node, value, unprefixed).map_err(|message| self.fault(part, message))
    }

    /// The name of a local element or attribute. `qualified` is the rule of its schema.
    ///
    /// # Errors
    /// Its name is missing, its form is unknown, or it names a namespace of its own.
    pub(super) fn local_name(&self, part: Part<'_>, qualified: bool) -> Result<Name, Fault> {
        if own_attribute(part.node, "targetNamespace").is_some() {
            return Err(self.fault(part, "targetNamespace of a single declaration is not supported"));
        }
        let local = own_attribute(part.node, "name");
        let local = local.ok_or_else(|| self.fault(part, "expected a name or ref, found neither"))?;
        let qualified = match own_attribute(part.node, "form").map(str::trim) {
            None => qualified,
            Some("qualified") => true,
            Some("unqualified") => false,
            Some(other) => {
                let message = format!("form: expected qualified or unqualified, found '{other}'");
                return Err(self.fault(part, message));
            }
        };
        let namespace = if qualified { self.schemas[part.schema].target.clone() } else { String::new() };
        Ok(Name { namespace, local: local.to_owned() })
    }

    /// The declaration of a name.
    pub(super) fn get(&self, space: Space, name: &Name) -> Option<Part<'d>> {
        self.parts.get(&(space, name.clone())).copied()
    }

    /// The declaration of a name. The fault is at the place that uses the name.
    ///
    /// # Errors
    /// It is not declared, or in several ways.
    pub(super) fn find(&self, space: Space, name: &Name, at: &Place) -> Result<Part<'d>, Fault> {
        let key = (space, name.clone());
        if let (Some(first), Some(second)) = (self.parts.get(&key), self.twice.get(&key)) {
            let (first, second) = (self.place(*first), self.place(*second));
            let word = space.word();
            let message = format!("{word} {name} is declared in two ways: at {first} and at {second}");
            return Err(Fault::new(at, message));
        }
        self.get(space, name).ok_or_else(|| {
            let mut fault = missing(&self.sources.unread, space, name, at);
            if let Some(help) = self.namesake(space, name) {
                fault.message.push_str(&help);
            }
            fault
        })
    }

    /// A hint at a declaration with the same local name in another namespace.
    fn namesake(&self, space: Space, name: &Name) -> Option<String> {
        let in_schema = Name { namespace: names::XSD.to_owned(), ..name.clone() };
        let is_built_in = space == Space::Type && built_in(&in_schema).is_some();
        let declared = self.parts.keys().filter(|(own, other)| *own == space && other.local == name.local);
        let other = declared.map(|(_, other)| other).min().or(is_built_in.then_some(&in_schema))?;
        let why = match name.namespace.as_str() {
            "" => "; without a prefix a name has no namespace here",
            _ => "",
        };
        Some(format!(" (help: {other} is declared{why})"))
    }

    /// True for an element or type that cannot occur itself.
    pub(super) fn is_abstract(part: Part<'_>) -> bool {
        is_true(part.node, "abstract")
    }
}

fn missing(unread: &[Unread], space: Space, name: &Name, at: &Place) -> Fault {
    let word = space.word();
    if names::SOAP_ENCODING.contains(&name.namespace.as_str()) {
        return Fault::new(at, format!("{word} {name} belongs to SOAP encoding, which is not supported"));
    }
    let from = unread.iter().find(|unread| unread.namespace == name.namespace);
    let from = from.or_else(|| unread.iter().find(|unread| unread.namespace.is_empty()));
    match from {
        Some(unread) => Fault::new(at, format!("{word} {name} is not declared ({})", unread.fault)),
        None => Fault::new(at, format!("{word} {name} is not declared in the schemas")),
    }
}
