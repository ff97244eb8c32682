//! What was laid out, as data: which field stands for which member, and what containers hold. For those who compile
//! plans instead of reading copybooks.

use crate::shape::{Kind, Xml};

/// One structure of a copybook: a record, or the rows of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// The name of the 01 level.
    pub record: String,
    /// What the record holds.
    pub content: Content,
    /// Bytes without a meaning at its end, which make rows that follow each other start at their boundary.
    pub filler_bytes: u64,
}

/// What stands for a value. Fields are given by the COBOL names that lead to them below the 01 level, such as
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

/// A member of an object and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Its name in the schema.
    pub name: String,
    /// True if the object must have it.
    pub required: bool,
    /// True if it may be null.
    pub nullable: bool,
    /// The field that is 0 where the member is missing or null, and 1 where it is there.
    pub presence: Option<String>,
    /// What stands for it in XML; none if it is a member of JSON.
    pub xml: Option<Xml>,
    /// The value.
    pub content: Content,
}

/// An elementary value and its field.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The field.
    pub field: String,
    /// The field that holds how many bytes of it count.
    pub length: Option<String>,
    /// Text, octets, a date or time, a boolean or a number, with its limits.
    pub kind: Kind,
}

/// A table and the array that it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The field that holds how many rows count; none if all do.
    pub count: Option<String>,
    /// The field that occurs.
    pub field: String,
    /// The least number of elements.
    pub min: u64,
    /// The number of rows, and the greatest number of elements.
    pub max: u64,
    /// What a row holds; its fields are those of the first row.
    pub row: Box<Content>,
}

/// A field that names a container, `PIC X(16)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Container {
    /// The field.
    pub field: String,
    /// What the container holds.
    pub holds: Holds,
}

/// What a container that a field names holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Holds {
    /// The rows of an array.
    Rows {
        /// The field that holds how many.
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
        /// Its structure, likewise.
        area: usize,
    },
    /// One of several values, each of which has a structure of its own.
    Choice {
        /// The field that tells which: X'00' for none, X'01' for the first.
        which: String,
        /// The structures of the values, likewise: each is an object with one member.
        areas: Vec<usize>,
    },
    /// Text, or octets, too long for a field.
    Text {
        /// Which of them, with its limits.
        kind: Kind,
    },
}
