//! A WSDL as services of operations. Messages are trees of elements, with groups, extensions and references
//! resolved. Each part has its line.

use std::collections::BTreeMap;

use ::xml::OtherAttributes;
use assistant::Decimal;

use super::fault::{Fault, Place};

/// The result of reading.
#[derive(Clone, Debug)]
pub struct Wsdl {
    /// The name of the file.
    pub file: String,
    /// The `targetNamespace`.
    pub namespace: String,
    /// The bindings for SOAP, in the order of the text.
    pub bindings: Vec<Binding>,
    /// The parts that are left out of the model, but do not prevent a copybook.
    pub warnings: Vec<Fault>,
    /// The texts of the WSDL and of its imports, by their names. They have no declarations of XML, because
    /// they are UTF-8 now.
    pub documents: BTreeMap<String, String>,
}

/// A qualified name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    /// The namespace; empty if there is none.
    pub namespace: String,
    /// The local name.
    pub local: String,
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.namespace.as_str() {
            "" => f.write_str(&self.local),
            namespace => write!(f, "{{{namespace}}}{}", self.local),
        }
    }
}

/// The version of SOAP of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// SOAP 1.1.
    V1_1,
    /// SOAP 1.2.
    V1_2,
}

/// The form of operations in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The part is the body's element.
    Document,
    /// An element with the operation's name has the parts.
    Rpc,
}

/// A binding for SOAP.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Its name.
    pub name: String,
    /// The name of its port type.
    pub port_type: Name,
    /// See [`Version`].
    pub version: Version,
    /// Its services and ports, with their addresses.
    pub ports: Vec<Port>,
    /// Its operations, in the order of the text. An operation without a copybook has its faults instead.
    pub operations: Vec<Result<Operation, OperationFaults>>,
    /// Its place.
    pub place: Place,
}

/// A port of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// The name of the service.
    pub service: String,
    /// The name of the port.
    pub port: String,
    /// Its address; empty if the port has none.
    pub address: String,
}

/// The faults of an operation.
#[derive(Clone, Debug)]
pub struct OperationFaults {
    /// Its name.
    pub name: String,
    /// The faults; at least one.
    pub faults: Vec<Fault>,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// The `soapAction`, or the action of SOAP 1.2.
    pub action: String,
    /// The action of the response in WS-Addressing; empty if it follows from names.
    pub response_action: String,
    /// See [`Style`].
    pub style: Style,
    /// The element in the body of the request; none if the body is empty.
    pub request: Option<Element>,
    /// The element in the body of the response. The outer option is none if there is no response.
    pub response: Option<Option<Element>>,
    /// Its place.
    pub place: Place,
}

/// An element, with the whole content of its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Its name; without a namespace if it is not qualified.
    pub name: Name,
    /// The least number of times that it occurs.
    pub min: u64,
    /// The most times that it occurs; none if there is no limit.
    pub max: Option<u64>,
    /// It may have `xsi:nil`.
    pub nillable: bool,
    /// The only value.
    pub fixed: Option<String>,
    /// The value of an empty element.
    pub default: Option<String>,
    /// Its content.
    pub content: Content,
    /// A sentence about it.
    pub documentation: Option<String>,
    /// Its place.
    pub place: Place,
}

/// The content of an element.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text, and no attributes.
    Simple(Simple),
    /// Elements or text, and attributes.
    Complex(Complex),
    /// Any XML: `xsd:anyType`, mixed content, or an abstract element without substitutes. The attributes are those that the type
    /// lists or allows.
    Any(OtherAttributes),
    /// One of these types; the element's own is abstract. The attribute `xsi:type` names it.
    Types(Vec<(Name, Complex)>),
}

/// The content of a complex type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Complex {
    /// The attributes, in the order of the schema, those of the base first.
    pub attributes: Vec<Attribute>,
    /// The text, if it has text.
    pub text: Option<Simple>,
    /// The elements, if it has elements.
    pub particles: Vec<Particle>,
    /// The elements may come in any order (`xsd:all`).
    pub any_order: bool,
    /// The attributes that a wildcard allows (`xsd:anyAttribute`).
    pub other_attributes: OtherAttributes,
}

impl Complex {
    /// True if it cannot have content.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty() && self.text.is_none() && self.particles.is_empty()
    }

    /// The attributes that a wildcard allows, and those that the type lists.
    pub(super) fn all_attributes(&self) -> OtherAttributes {
        let mut all = self.other_attributes.clone();
        for Attribute { name, .. } in &self.attributes {
            all.add(&name.namespace, &name.local);
        }
        all
    }
}

/// A part of the content of an element.
#[derive(Clone, Debug, PartialEq)]
pub enum Particle {
    /// An element.
    Element(Box<Element>),
    /// Particles that occur together, and not just once.
    Group {
        /// The particles.
        particles: Vec<Particle>,
        /// The least number of times.
        min: u64,
        /// The most times; none if there is no limit.
        max: Option<u64>,
        /// The place of the group.
        place: Place,
    },
    /// One of several particles.
    Choice(Choice),
    /// Any element.
    Any {
        /// The names that it may have.
        names: OtherAttributes,
        /// The least number of times.
        min: u64,
        /// The most times; none if there is no limit.
        max: Option<u64>,
        /// Its place.
        place: Place,
    },
}

impl Particle {
    /// The least and the most times that an element or a choice occurs.
    pub(super) fn occurs_mut(&mut self) -> Option<(&mut u64, &mut Option<u64>)> {
        match self {
            Particle::Element(element) => Some((&mut element.min, &mut element.max)),
            Particle::Choice(choice) => Some((&mut choice.min, &mut choice.max)),
            Particle::Group { .. } | Particle::Any { .. } => None,
        }
    }
}

/// One of several particles.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The alternatives.
    pub options: Vec<Vec<Particle>>,
    /// The reason for the choice.
    pub reason: Reason,
    /// The least number of times: 0 if no alternative is required.
    pub min: u64,
    /// The most times.
    pub max: Option<u64>,
    /// Its place.
    pub place: Place,
}

/// The reasons for a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `xsd:choice`.
    Choice,
    /// An element that others may replace.
    Substitution(Name),
}

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name; without a namespace if it is not qualified.
    pub name: Name,
    /// The element must have it.
    pub required: bool,
    /// The only value.
    pub fixed: Option<String>,
    /// The value if it is missing.
    pub default: Option<String>,
    /// Its type.
    pub simple: Simple,
    /// Its place.
    pub place: Place,
}

/// A simple type.
#[derive(Clone, Debug, PartialEq)]
pub struct Simple {
    /// The built-in type at its base.
    pub base: Base,
    /// The facet `length`, in characters or octets.
    pub length: Option<u64>,
    /// The facet `minLength`.
    pub min_length: Option<u64>,
    /// The facet `maxLength`.
    pub max_length: Option<u64>,
    /// The facet `totalDigits`.
    pub total_digits: Option<u32>,
    /// The facet `fractionDigits`.
    pub fraction_digits: Option<u8>,
    /// The least value.
    pub least: Option<Limit>,
    /// The greatest value.
    pub greatest: Option<Limit>,
    /// The only values; empty if all are allowed.
    pub values: Vec<String>,
    /// The regular expression of its values.
    pub pattern: Option<String>,
    /// See [`WhiteSpace`].
    pub white_space: WhiteSpace,
}

/// The use of white space in a value (`whiteSpace`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhiteSpace {
    /// It is part of the value.
    Preserve,
    /// A tab or the end of a line is a blank.
    Replace,
    /// White space around a value is not part of it, and a run of white space inside is one blank.
    Collapse,
}

/// A limit of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The number.
    pub value: Decimal,
    /// The number itself is outside of the limit.
    pub exclusive: bool,
}

/// The base of a simple type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A built-in type, by its name without a prefix.
    BuiltIn(&'static str),
    /// Values separated by blanks.
    List,
    /// One of several types.
    Union,
}

impl Simple {
    /// A built-in type without facets.
    pub(super) fn new(base: Base) -> Self {
        Self {
            base,
            length: None,
            min_length: None,
            max_length: None,
            total_digits: None,
            fraction_digits: None,
            least: None,
            greatest: None,
            values: Vec::new(),
            pattern: None,
            white_space: match base {
                // In a union, each member type has its own rule.
                Base::Union | Base::BuiltIn("string" | "anySimpleType") => WhiteSpace::Preserve,
                Base::BuiltIn("normalizedString") => WhiteSpace::Replace,
                _ => WhiteSpace::Collapse,
            },
        }
    }
}
