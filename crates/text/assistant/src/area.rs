//! The layout as data: the field for each member, and the content of containers. It is for code that compiles
//! plans and does not read copybooks.

use crate::shape::{Kind, Xml};

/// One structure of a copybook: a record, or the rows of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// The name of the 01 level.
    pub record: String,
    /// The content of the record.
    pub content: Content,
    /// Bytes without a meaning at its end. They make rows that follow each other start at their boundary.
    pub filler_bytes: u64,
}

/// The fields of a value. Each is given by the COBOL names that lead to it below the 01 level, such as
/// `customer.name-length`.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// The members of an object, in the order of the schema.
    Object(Vec<Placed>),
    /// An elementary value.
    Value(Value),
    /// An array as a table of the record.
    Table(Table),
    /// A value that a further container holds.
    Container(Container),
}

/// A member of an object, and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Its name in the schema.
    pub name: String,
    /// True if the object must have it.
    pub required: bool,
    /// True if it may be null.
    pub nullable: bool,
    /// The field with 0 if the member is missing or null, and 1 if it is there.
    pub presence: Option<String>,
    /// The member in XML; none if it is a member of JSON.
    pub xml: Option<Xml>,
    /// The value.
    pub content: Content,
}

/// An elementary value and its field.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The field.
    pub field: String,
    /// The field with the number of its used bytes.
    pub length: Option<String>,
    /// Text, octets, a date or time, a boolean or a number, with its limits.
    pub kind: Kind,
}

/// A table, and the array that it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The field with the number of used rows; none if all are used.
    pub count: Option<String>,
    /// The field that occurs.
    pub field: String,
    /// The least number of elements.
    pub min: u64,
    /// The number of rows, and the greatest number of elements.
    pub max: u64,
    /// The content of a row. Its fields are those of the first row.
    pub row: Box<Content>,
}

/// A field that names a container, `PIC X(16)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Container {
    /// The field.
    pub field: String,
    /// The content of the container.
    pub holds: Holds,
}

/// The content of a container that a field names.
#[derive(Clone, Debug, PartialEq)]
pub enum Holds {
    /// The rows of an array.
    Rows {
        /// The field with the number of rows.
        count: String,
        /// The least number of elements.
        min: u64,
        /// The greatest number of elements; none if there is no limit.
        max: Option<u64>,
        /// The structure of a row, as its position in [`crate::Copybook::areas`].
        area: usize,
    },
    /// One value, if its member is there.
    One {
        /// Its structure, in the same way.
        area: usize,
    },
    /// One of several values. Each has a structure of its own.
    Choice {
        /// The field that selects the value: X'00' for none, X'01' for the first.
        which: String,
        /// The structures of the values, in the same way. Each is an object with one member.
        areas: Vec<usize>,
    },
    /// Text or octets that are too long for a field.
    Text {
        /// The kind, with its limits.
        kind: Kind,
    },
}
