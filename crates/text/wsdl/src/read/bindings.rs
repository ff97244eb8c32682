//! Services, bindings, port types and messages of WSDL 1.1: the operations, and the content of their bodies.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::content::Reader;
use super::fault::{Fault, Place};
use super::files::Sources;
use super::index::Index;
use super::model::{
    Binding, Complex, Content, Element, Name, Operation, OperationFaults, Particle, Port, Style, Version,
};
use super::names::{self, is, named, own_attribute, qualified};

/// A part of a WSDL, and its file.
#[derive(Clone, Copy, Debug)]
struct Item<'d> {
    node: Node<'d, 'd>,
    file: usize,
}

impl<'d> Item<'d> {
    fn at(self, node: Node<'d, 'd>) -> Self {
        Self { node, ..self }
    }
}

/// The declarations, by name.
type Declared<'d> = HashMap<(&'static str, Name), Item<'d>>;

/// Reads the bindings of all files.
pub(super) struct Bindings<'i, 'd> {
    index: &'i Index<'d>,
    sources: &'d Sources,
    declared: Declared<'d>,
    /// The places of second declarations that are not like the first, and of these.
    twice: HashMap<(&'static str, Name), (Place, Place)>,
    ports: HashMap<Name, Vec<Port>>,
    bindings: Vec<(Name, Item<'d>)>,
    pub(super) warnings: Vec<Fault>,
}

/// One direction of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Input,
    Output,
}

impl Direction {
    fn word(self) -> &'static str {
        match self {
            Direction::Input => "input",
            Direction::Output => "output",
        }
    }
}

/// The facts that a binding states about the body of one direction.
struct Body<'d> {
    item: Item<'d>,
    namespace: String,
    parts: Option<Vec<&'d str>>,
    /// Parts of the same message that are in the header.
    header_parts: Vec<&'d str>,
}

impl<'i, 'd> Bindings<'i, 'd> {
    pub(super) fn new(
        index: &'i Index<'d>,
        sources: &'d Sources,
        documents: &'d [Document<'d>],
    ) -> Result<Self, Fault> {
        let mut found = Self {
            index,
            sources,
            declared: HashMap::new(),
            twice: HashMap::new(),
            ports: HashMap::new(),
            bindings: Vec::new(),
            warnings: Vec::new(),
        };
        for (file, document) in documents.iter().enumerate() {
            let root = document.root_element();
            if is(root, names::WSDL, "definitions") {
                found.declare(Item { node: root, file })?;
            }
        }
        Ok(found)
    }

    fn declare(&mut self, root: Item<'d>) -> Result<(), Fault> {
        let namespace = own_attribute(root.node, "targetNamespace").unwrap_or_default();
        for word in ["message", "portType", "binding"] {
            for node in named(root.node, names::WSDL, word) {
                let local = own_attribute(node, "name").unwrap_or_default();
                let name = Name { namespace: namespace.to_owned(), local: local.to_owned() };
                if word == "binding" {
                    self.bindings.push((name.clone(), root.at(node)));
                }
                let item = root.at(node);
                let known = *self.declared.entry((word, name.clone())).or_insert(item);
                if !names::alike(known.node, node) {
                    let (place, first) = (self.place(item), self.place(known));
                    self.twice.entry((word, name)).or_insert_with(|| (place, first));
                }
            }
        }
        for service in named(root.node, names::WSDL, "service") {
            for port in named(service, names::WSDL, "port") {
                let Some(binding) = self.name(root.at(port), "binding")? else { continue };
                let address = named(port, names::SOAP_1_1, "address")
                    .chain(named(port, names::SOAP_1_2, "address"))
                    .next();
                self.ports.entry(binding).or_default().push(Port {
                    service: own_attribute(service, "name").unwrap_or_default().to_owned(),
                    port: own_attribute(port, "name").unwrap_or_default().to_owned(),
                    address: address
                        .and_then(|node| own_attribute(node, "location"))
                        .unwrap_or_default()
                        .to_owned(),
                });
            }
        }
        Ok(())
    }

    fn place(&self, item: Item<'_>) -> Place {
        self.sources.all[item.file].lines.place(item.node.range().start)
    }

    fn fault(&self, item: Item<'_>, message: impl Into<String>) -> Fault {
        Fault::new(&self.place(item), message)
    }

    fn name(&self, item: Item<'_>, attribute: &str) -> Result<Option<Name>, Fault> {
        let value = own_attribute(item.node, attribute);
        value
            .map(|value| qualified(item.node, value, "").map_err(|message| self.fault(item, message)))
            .transpose()
    }

    fn find(&self, word: &'static str, name: &Name, at: Item<'_>) -> Result<Item<'d>, Fault> {
        if let Some((second, first)) = self.twice.get(&(word, name.clone())) {
            let message = format!("{word} {name} is declared in two ways: at {first} and at {second}");
            return Err(self.fault(at, message));
        }
        let found = self.declared.get(&(word, name.clone())).copied();
        found.ok_or_else(|| {
            let unread = self.sources.unread.iter().find(|unread| unread.namespace == name.namespace);
            let declared = self.declared.keys();
            let namesakes = declared.filter(|(own, other)| *own == word && other.local == name.local);
            let why = match (unread, namesakes.map(|(_, other)| other).min()) {
                (Some(unread), _) => format!(" ({})", unread.fault),
                (None, Some(other)) => format!(" (help: {other} is declared)"),
                (None, None) => String::new(),
            };
            self.fault(at, format!("{word} {name} is not declared{why}"))
        })
    }

    /// Reads all bindings for SOAP.
    pub(super) fn read(&mut self, root: Node<'d, 'd>) -> Result<Vec<Binding>, Vec<Fault>> {
        let mut read = Vec::new();
        let mut others = Vec::new();
        for (name, item) in self.bindings.clone() {
            let soap = [(names::SOAP_1_1, Version::V1_1), (names::SOAP_1_2, Version::V1_2)];
            let found = soap.into_iter().find_map(|(namespace, version)| {
                named(item.node, namespace, "binding").next().map(|node| (version, item.at(node)))
            });
            match found {
                Some((version, soap)) => {
                    read.push(self.binding(&name, item, soap, version).map_err(|fault| vec![fault])?)
                }
                None => others.push(self.fault(item, format!("binding '{}' is not for SOAP", name.local))),
            }
        }
        if !read.is_empty() {
            self.warnings.append(&mut others);
            return Ok(read);
        }
        if others.is_empty() {
            others.push(self.fault(Item { node: root, file: 0 }, "expected a binding, found none"));
        }
        Err(others)
    }

    fn binding(
        &mut self,
        name: &Name,
        item: Item<'d>,
        soap: Item<'d>,
        version: Version,
    ) -> Result<Binding, Fault> {
        let port_type = self.name(item, "type")?;
        let port_type =
            port_type.ok_or_else(|| self.fault(item, "expected a port type ('type'), found none"))?;
        let of_type = self.find("portType", &port_type, item)?;
        let style = own_attribute(soap.node, "style").unwrap_or("document");
        let mut operations = Vec::new();
        let mut seen = Vec::new();
        for node in named(item.node, names::WSDL, "operation") {
            let operation = item.at(node);
            let called = own_attribute(node, "name").unwrap_or_default().to_owned();
            let twice = seen.contains(&called);
            seen.push(called.clone());
            let read = match twice {
                true => Err(self.fault(operation, format!("there are two operations '{called}'"))),
                false => self.operation(operation, of_type, &port_type, style, &called),
            };
            operations.push(read.map_err(|fault| OperationFaults { name: called, faults: vec![fault] }));
        }
        if operations.is_empty() {
            return Err(self.fault(item, format!("binding '{}' has no operations", name.local)));
        }
        Ok(Binding {
            name: name.local.clone(),
            port_type,
            version,
            ports: self.ports.get(name).cloned().unwrap_or_default(),
            operations,
            place: self.place(item),
        })
    }

    fn operation(
        &mut self,
        item: Item<'d>,
        of_type: Item<'d>,
        port_type: &Name,
        style: &str,
        name: &str,
    ) -> Result<Operation, Fault> {
        let soap = named(item.node, names::SOAP_1_1, "operation")
            .chain(named(item.node, names::SOAP_1_2, "operation"))
            .next();
        let style = match soap.and_then(|soap| own_attribute(soap, "style")).unwrap_or(style) {
            "document" => Style::Document,
            "rpc" => Style::Rpc,
            other => return Err(self.fault(item, format!("expected style document or rpc, found '{other}'"))),
        };
        let mut of_type_operations = named(of_type.node, names::WSDL, "operation");
        let declared = of_type_operations.find(|node| own_attribute(*node, "name") == Some(name));
        let declared = declared
            .map(|node| of_type.at(node))
            .ok_or_else(|| self.fault(item, format!("the port type has no operation '{name}'")))?;
        let mut reader = Reader::new(self.index);
        let request = self.direction(&mut reader, item, declared, Direction::Input, style, name)?;
        let request = request.ok_or_else(|| {
            self.fault(declared, "expected an input; a service that sends on its own is not supported")
        })?;
        let response = self.direction(&mut reader, item, declared, Direction::Output, style, name)?;
        self.warnings.append(&mut reader.warnings);
        let output = named(declared.node, names::WSDL, "output").next();
        Ok(Operation {
            name: name.to_owned(),
            action: soap.and_then(|soap| own_attribute(soap, "soapAction")).unwrap_or_default().to_owned(),
            response_action: output.map(|output| action_of(output, port_type, name)).unwrap_or_default(),
            style,
            request,
            response,
            place: self.place(item),
        })
    }

    /// The element in the body of one direction. None if there is no such message; none inside if the body is
    /// empty.
    fn direction(
        &mut self,
        reader: &mut Reader<'i, 'd>,
        bound: Item<'d>,
        declared: Item<'d>,
        direction: Direction,
        style: Style,
        name: &str,
    ) -> Result<Option<Option<Element>>, Fault> {
        let word = direction.word();
        let Some(node) = named(declared.node, names::WSDL, word).next() else { return Ok(None) };
        let at = declared.at(node);
        let message =
            self.name(at, "message")?.ok_or_else(|| self.fault(at, "expected a message, found none"))?;
        let of_message = self.find("message", &message, at)?;
        let body = match named(bound.node, names::WSDL, word).next() {
            Some(node) => self.body(bound.at(node), &message)?,
            None => return Err(self.fault(bound, format!("the binding says nothing about the {word}"))),
        };
        let parts: Vec<Item<'d>> = named(of_message.node, names::WSDL, "part")
            .filter(|part| {
                let name = own_attribute(*part, "name").unwrap_or_default();
                match &body.parts {
                    Some(parts) => parts.contains(&name),
                    // A part with an element cannot be in a body of style rpc. So a header block that it stands for is its only place.
                    None => {
                        let is_of_rpc = style == Style::Rpc && own_attribute(*part, "element").is_none();
                        is_of_rpc || !body.header_parts.contains(&name)
                    }
                }
            })
            .map(|node| of_message.at(node))
            .collect();
        match style {
            Style::Document => self.document(reader, &parts, &body).map(Some),
            Style::Rpc => {
                let local = match direction {
                    Direction::Input => name.to_owned(),
                    Direction::Output => format!("{name}Response"),
                };
                let wrapper = Name { namespace: body.namespace.clone(), local };
                self.rpc(reader, wrapper, &parts, &body).map(|element| Some(Some(element)))
            }
        }
    }

    /// Reads a binding's statements about a body: that it is literal, and its parts.
    fn body(&mut self, item: Item<'d>, message: &Name) -> Result<Body<'d>, Fault> {
        let soap = |node: Node<'d, 'd>, word| {
            named(node, names::SOAP_1_1, word).chain(named(node, names::SOAP_1_2, word)).next()
        };
        if let Some(mime) = named(item.node, names::MIME, "multipartRelated").next() {
            return Err(
                self.fault(item.at(mime), "parts beside the message (MIME attachments) are not supported")
            );
        }
        let body = soap(item.node, "body");
        let body = body
            .map(|node| item.at(node))
            .ok_or_else(|| self.fault(item, "expected soap:body, found none"))?;
        if own_attribute(body.node, "use") == Some("encoded") {
            return Err(
                self.fault(body, "use=\"encoded\" (SOAP encoding) is not supported; expected literal")
            );
        }
        let headers =
            named(item.node, names::SOAP_1_1, "header").chain(named(item.node, names::SOAP_1_2, "header"));
        let mut header_parts = Vec::new();
        for header in headers {
            let part = own_attribute(header, "part").unwrap_or_default();
            if self.name(item.at(header), "message")?.as_ref() == Some(message) {
                header_parts.push(part);
            }
            let text =
                format!("the header block '{part}' is not part of the record; programs for headers see it");
            let warning = self.fault(item.at(header), text);
            self.warnings.push(warning);
        }
        Ok(Body {
            item: body,
            namespace: own_attribute(body.node, "namespace").unwrap_or_default().to_owned(),
            parts: own_attribute(body.node, "parts").map(|parts| parts.split_whitespace().collect()),
            header_parts,
        })
    }

    fn document(
        &mut self,
        reader: &mut Reader<'i, 'd>,
        parts: &[Item<'d>],
        body: &Body<'d>,
    ) -> Result<Option<Element>, Fault> {
        match parts {
            [] => Ok(None),
            [part] => match self.name(*part, "element")? {
                Some(name) => reader.global(&name, &self.place(*part)).map(Some),
                None => Err(self
                    .fault(*part, "style document: expected a part with an element, found one with a type")),
            },
            _ => {
                let found = parts.len();
                Err(self.fault(
                    body.item,
                    format!("style document: expected one part in the body, found {found}"),
                ))
            }
        }
    }

    fn rpc(
        &mut self,
        reader: &mut Reader<'i, 'd>,
        name: Name,
        parts: &[Item<'d>],
        body: &Body<'d>,
    ) -> Result<Element, Fault> {
        let mut particles = Vec::new();
        for part in parts {
            let place = self.place(*part);
            let local = own_attribute(part.node, "name").unwrap_or_default().to_owned();
            let Some(named) = self.name(*part, "type")? else {
                return Err(
                    self.fault(*part, "style rpc: expected a part with a type, found one with an element")
                );
            };
            particles.push(Particle::Element(Box::new(Element {
                name: Name { namespace: String::new(), local },
                min: 1,
                max: Some(1),
                nillable: false,
                fixed: None,
                default: None,
                content: reader.content_named(&named, &place)?,
                documentation: None,
                place,
            })));
        }
        Ok(Element {
            name,
            min: 1,
            max: Some(1),
            nillable: false,
            fixed: None,
            default: None,
            content: Content::Complex(Complex { particles, ..Complex::default() }),
            documentation: None,
            place: self.place(body.item),
        })
    }
}

/// The action of a response: its own, or one made of the namespace, the port type and its name.
fn action_of(output: Node<'_, '_>, port_type: &Name, operation: &str) -> String {
    let said =
        names::ADDRESSING_METADATA.iter().find_map(|namespace| output.attribute((*namespace, "Action")));
    if let Some(said) = said {
        return said.to_owned();
    }
    let named = own_attribute(output, "name").map_or_else(|| format!("{operation}Response"), str::to_owned);
    let namespace = port_type.namespace.strip_suffix(['/', ':']).unwrap_or(&port_type.namespace);
    let separator = if namespace.starts_with("urn:") { ':' } else { '/' };
    format!("{namespace}{separator}{}{separator}{named}", port_type.local)
}
