//! The compiled plan: areas of bytes, and a tree of nodes that says where in them each value lies.

use std::collections::HashMap;

use ::xml::OtherAttributes;
use assistant::{Wildcard, XmlForm};
use record::NumberField;

use crate::MemberForm;
use crate::limits::{NumberLimits, TextLimits};

/// The place of the channel in JSON.
#[derive(Debug)]
pub(crate) enum Root {
    /// It is the record in a container.
    Record { container: String },
    /// Each of its members is a container.
    Containers(Vec<ContainerMember>),
    /// There is no channel: the JSON is that of the record. The record is in a container of this name while
    /// it is made.
    Bare { container: String },
}

/// A member of the channel.
#[derive(Debug)]
pub(crate) struct ContainerMember {
    pub(crate) name: Box<str>,
    pub(crate) required: bool,
    pub(crate) form: ContainerForm,
}

/// The content of a member of the channel.
#[derive(Debug)]
pub(crate) enum ContainerForm {
    /// Text, filled up with blanks to `padded_bytes` bytes.
    Text { limits: TextLimits, padded_bytes: usize },
    /// The record, in the container of this name.
    Record { container: String },
}

/// The layout of a record, or of a row of a container.
#[derive(Debug)]
pub(crate) struct Area {
    /// Bytes of a row.
    pub(crate) bytes: usize,
    /// The last row may lack this many bytes at its end. They have no meaning.
    pub(crate) filler_bytes: usize,
    /// The bytes of a new row.
    pub(crate) template: Vec<u8>,
    pub(crate) node: Node,
}

/// Where a field lies; offsets are those in the first row of all tables around it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
    /// The COBOL path, for messages.
    pub(crate) field: Box<str>,
}

impl Place {
    pub(crate) fn range(&self, delta: usize) -> std::ops::Range<usize> {
        self.offset + delta..self.offset + delta + self.bytes
    }
}

#[derive(Debug)]
pub(crate) enum Node {
    Object(Object),
    Text(Text),
    Octets(Octets),
    Boolean(Place),
    Number(Box<Number>),
    Table(Box<Table>),
    /// The rows of an array in a container.
    Rows(Rows),
    /// One value in a container.
    One {
        name: Place,
        area: usize,
    },
    /// Text in a container.
    LongText {
        name: Place,
        limits: TextLimits,
        /// The name may be blank, and there is no container and no text then: any XML, and its declarations.
        may_be_none: bool,
    },
    /// Octets in a container.
    LongOctets {
        name: Place,
        encoding: assistant::Encoding,
        most: Option<u64>,
    },
    /// One of several members of XML, in a container. JSON has it as an object with one member.
    Choice(Choice),
}

/// One of several members, as an object with that member. Each of them has an area of its own.
#[derive(Debug)]
pub(crate) struct Choice {
    /// Which member is there: 0 for none, 1 for the first.
    pub(crate) which: Place,
    pub(crate) name: Place,
    pub(crate) areas: Vec<usize>,
}

impl Node {
    /// True for a single value.
    pub(crate) fn is_single(&self) -> bool {
        self.is_text() || matches!(self, Node::Boolean(_) | Node::Number(_))
    }

    /// True for a value that is a text in JSON.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Node::Text(_) | Node::Octets(_) | Node::LongText { .. } | Node::LongOctets { .. })
    }

    /// The first field in the node that names a container or data area, if there is one.
    pub(crate) fn first_apart(&self) -> Option<&Place> {
        match self {
            Node::Object(object) => object.members.iter().find_map(|member| member.node.first_apart()),
            Node::Table(table) => table.row.first_apart(),
            Node::Rows(Rows { name, .. })
            | Node::One { name, .. }
            | Node::LongText { name, .. }
            | Node::LongOctets { name, .. }
            | Node::Choice(Choice { name, .. }) => Some(name),
            Node::Text(_) | Node::Octets(_) | Node::Boolean(_) | Node::Number(_) => None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) members: Vec<Member>,
    /// The elements of XML come in any order.
    pub(crate) any_order: bool,
    pub(crate) by_name: HashMap<Box<str>, usize>,
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: Box<str>,
    pub(crate) required: bool,
    pub(crate) nullable: bool,
    pub(crate) presence: Option<Place>,
    pub(crate) node: Node,
    pub(crate) xml: Option<Box<XmlName>>,
}

impl Member {
    /// Its form in XML.
    pub(crate) fn form(&self) -> Option<XmlForm> {
        self.xml.as_ref().map(|xml| xml.form)
    }

    /// The value that the schema gives to an empty element, and to an attribute that is missing.
    pub(crate) fn given(&self) -> Option<&str> {
        self.xml.as_ref()?.value.as_deref()
    }

    /// The attributes that its element may have although the record does not have them.
    pub(crate) fn other_attributes(&self) -> Option<&OtherAttributes> {
        self.xml.as_ref().map(|xml| &xml.other_attributes)
    }

    /// The elements that it may be, if it is any XML with such a limit.
    pub(crate) fn wildcard(&self) -> Option<&Wildcard> {
        self.xml.as_ref()?.wildcard.as_ref()
    }

    /// The only value that the schema allows.
    pub(crate) fn fixed(&self) -> Option<&str> {
        self.given().filter(|_| self.xml.as_ref().is_some_and(|xml| xml.fixed))
    }
}

/// What stands for a member in XML.
#[derive(Debug)]
pub(crate) struct XmlName {
    pub(crate) form: XmlForm,
    pub(crate) local: Box<str>,
    /// Empty for none.
    pub(crate) namespace: Box<str>,
    /// The name with its prefix, as it is written.
    pub(crate) tag: Box<str>,
    /// The value of an empty element, and of an attribute that is missing.
    pub(crate) value: Option<Box<str>>,
    /// The value is the only one.
    pub(crate) fixed: bool,
    /// The attributes that the element may have although the record does not have them.
    pub(crate) other_attributes: OtherAttributes,
    /// The elements that any XML may be; none if it may be any.
    pub(crate) wildcard: Option<Wildcard>,
}

/// The element of a message, and the prefixes of its names.
#[derive(Debug)]
pub(crate) struct XmlRoot {
    pub(crate) name: XmlName,
    /// The declarations, each with a blank before it.
    pub(crate) declarations: Box<str>,
}

/// How a reader finds the end of a text in its field.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// The field is full.
    Fixed,
    /// Blanks at the end are not part of the text.
    Blanks,
    /// A null character ends it.
    Null,
    /// Another field says how many bytes count; the others are null.
    Length(Place),
}

/// A field of bytes. Some of them may not count.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) place: Place,
    pub(crate) end: End,
}

#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) field: Field,
    pub(crate) limits: TextLimits,
}

#[derive(Debug)]
pub(crate) struct Octets {
    pub(crate) field: Field,
    pub(crate) encoding: assistant::Encoding,
}

#[derive(Debug)]
pub(crate) struct Number {
    pub(crate) place: Place,
    pub(crate) codec: NumberField,
    pub(crate) limits: NumberLimits,
}

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) count: Option<Place>,
    pub(crate) row_bytes: usize,
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) row: Node,
}

#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) count: Place,
    pub(crate) name: Place,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    pub(crate) area: usize,
}

impl Node {
    /// The node inside a container of one value; any other node itself.
    pub(crate) fn opened<'a>(&'a self, areas: &'a [Area]) -> &'a Node {
        match self {
            Node::One { area, .. } => &areas[*area].node,
            node => node,
        }
    }

    /// The member of this name, if the node is an object.
    pub(crate) fn member(&self, name: &str) -> Option<&Node> {
        let Node::Object(object) = self else { return None };
        object.by_name.get(name).map(|index| &object.members[*index].node)
    }

    /// The members of an object that are always there.
    pub(crate) fn required_members(&self) -> impl Iterator<Item = &str> {
        let members = match self {
            Node::Object(object) => object.members.as_slice(),
            _ => &[],
        };
        members.iter().filter(|member| member.required).map(|member| &*member.name)
    }

    /// Its form in JSON.
    pub(crate) fn form(&self) -> MemberForm {
        match self {
            Node::Object(_) | Node::Choice(_) => MemberForm::Object,
            Node::Table(_) | Node::Rows(_) => MemberForm::Array,
            _ => MemberForm::Single,
        }
    }

    /// The field with the number of elements, for arrays that may be empty.
    pub(crate) fn count(&self) -> Option<&Place> {
        match self {
            Node::Table(table) => table.count.as_ref(),
            Node::Rows(rows) => Some(&rows.count),
            _ => None,
        }
    }
}
