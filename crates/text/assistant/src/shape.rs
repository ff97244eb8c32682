//! The data of a schema, as far as copybooks can show it: the model between readers of schemas (JSON Schema
//! first; XSD has the same kinds) and the writer of copybooks.

use ::xml::OtherAttributes;
use xsd::TextType;

use crate::decimal::Decimal;
use crate::diagnostic::Place;

/// The shape of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its kind.
    pub kind: Kind,
    /// The value may be null, or nil.
    pub nullable: bool,
    /// A sentence for the comment.
    pub description: Option<String>,
    /// Its place in the schema.
    pub place: Place,
}

/// The kinds of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// An object, or an element with elements in it; members in the order of the schema.
    Object(Vec<Member>),
    /// An array, or an element that may occur several times.
    Array(Array),
    /// Text.
    Text(Text),
    /// Octets, encoded as text.
    Binary(Binary),
    /// A date, a time, or both.
    Moment(Moment),
    /// True or false.
    Boolean,
    /// A number.
    Number(Number),
    /// One of several members.
    Choice(Choice),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name in the schema.
    pub name: String,
    /// True if the object must have it.
    pub required: bool,
    /// Its shape.
    pub shape: Shape,
    /// The member in XML; none if it is a member of JSON.
    pub xml: Option<Xml>,
}

/// A member in XML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Xml {
    /// The local name of the element or attribute.
    pub name: String,
    /// The namespace of the name; empty if it has none.
    pub namespace: String,
    /// The kind of thing that has the name.
    pub form: XmlForm,
    /// It is one of elements that come in any order. All elements of its group are.
    pub any_order: bool,
    /// The value that the schema gives to an empty element or a missing attribute: `default`, or `fixed`.
    pub value: Option<String>,
    /// The value is the only one (`fixed`).
    pub fixed: bool,
    /// The attributes that the element may have beside those that are members. The record does not have them.
    pub other_attributes: OtherAttributes,
    /// The elements that it may be, for [`XmlForm::Any`]; none if it may be any.
    pub wildcard: Option<Wildcard>,
}

/// The elements that any XML of a group may be (`xsd:any`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wildcard {
    /// Their names, by the rules that wildcards of attributes have too.
    pub names: OtherAttributes,
    /// The most of them; none if there is no limit.
    pub max: Option<u64>,
}

/// The form of a member in XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XmlForm {
    /// An element.
    Element,
    /// An attribute of the element around it.
    Attribute,
    /// The text of the element around it, which has attributes too.
    Text,
    /// Its elements stand directly in its place.
    Group,
    /// A type of the element around it. The attribute `xsi:type` of that element names it.
    Type,
    /// Any XML, as text.
    Any,
    /// The declarations of prefixes that hold for [`XmlForm::Any`].
    Prefixes,
}

/// Members. Exactly one of them is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The members, in the order of the schema.
    pub options: Vec<Member>,
}

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The shape of each element.
    pub items: Box<Shape>,
    /// The least number of elements.
    pub min: u64,
    /// The greatest number of elements; none if there is no limit.
    pub max: Option<u64>,
}

/// Text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// The least number of characters.
    pub min: u64,
    /// The greatest number of characters; none if there is no limit.
    pub max: Option<u64>,
    /// The only values; empty if all are allowed.
    pub values: Vec<String>,
    /// The regular expression of its values, for the comment.
    pub pattern: Option<String>,
    /// The format's name, for the comment.
    pub format: Option<String>,
    /// The type in XML, if white space around its values is not part of them.
    pub kind: Option<TextType>,
}

/// Octets.
#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    /// Their encoding as text.
    pub encoding: Encoding,
    /// The greatest number of characters of the text; none if there is no limit.
    pub max_characters: Option<u64>,
    /// The greatest number of octets, if the schema counts them. [`Binary::max_characters`] does not count
    /// then.
    pub max_octets: Option<u64>,
}

/// The encoding of octets as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Four characters for three octets.
    Base64,
    /// Two characters for an octet.
    Hex,
    /// A character for an octet.
    Raw,
}

/// Dates and times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A date with a time.
    DateTime,
    /// A date.
    Date,
    /// A time of the day.
    Time,
    /// A length of time.
    Duration,
}

impl Encoding {
    /// The type in XML of text that encodes octets.
    #[must_use]
    pub fn text_type(self) -> Option<TextType> {
        match self {
            Encoding::Base64 => Some(TextType::Base64Binary),
            Encoding::Hex => Some(TextType::HexBinary),
            Encoding::Raw => None,
        }
    }
}

impl Moment {
    /// Its type in XML.
    #[must_use]
    pub fn text_type(self) -> TextType {
        match self {
            Moment::DateTime => TextType::DateTime,
            Moment::Date => TextType::Date,
            Moment::Time => TextType::Time,
            Moment::Duration => TextType::Duration,
        }
    }

    /// Its name in JSON Schema.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Moment::DateTime => "date-time",
            Moment::Date => "date",
            Moment::Time => "time",
            Moment::Duration => "duration",
        }
    }
}

/// A number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Number {
    /// The kind of number.
    pub form: NumberForm,
    /// The least value.
    pub least: Option<Decimal>,
    /// The greatest value.
    pub greatest: Option<Decimal>,
    /// The most decimal places of values; none if the schema does not say.
    pub fraction_digits: Option<u8>,
    /// The only values; empty if all are allowed.
    pub values: Vec<Decimal>,
}

/// The kinds of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberForm {
    /// Whole numbers.
    Integer,
    /// Decimal numbers, exact.
    Decimal,
    /// Floating point of 32 bits.
    Single,
    /// Floating point of 64 bits.
    Double,
    /// A number without other facts in the schema.
    #[default]
    Any,
}
