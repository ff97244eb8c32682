//! XML, from the same plans as JSON: elements to record, record to elements, and the XSD of both.
//!
//! A member is an element of its name, a group nests, a table is one element for each row. Deliberately
//! absent: DTDs, entities of documents, processing instructions, mixed content, and a tree. So no text can
//! grow, and no text can fetch other documents.
//!
//! When a record is read, `JsonReader` and `XmlReader` differ only in how they find names and values. Both
//! write into one `Sink`, which knows rows, counters, views and the fields that tell views apart. When a
//! record is written, the steps are the same for both: tags are literals, as braces are, and a `Dialect`
//! writes the values.
//!
//! The crate `xml` reads the text: names, namespaces, characters and encodings.
//!
//! Foreign schemas have elements in several namespaces, and attributes. `qualified.rs` has the parts that
//! only such binds need.
//!
//! Elements have the names of the members, unless XML does not allow them. Only then XML has object plans of
//! its own.

mod names;
mod options;
mod outline;
mod plan;
mod qualified;
mod read;
mod records;
mod write;
mod xsd;

pub use options::{ElementOrder, Nil, XmlField, XmlForm, XmlOptions};
pub use outline::{XmlContent, XmlMember, XmlNumber, XmlOutline, XmlValue};
pub(crate) use plan::XmlPlan;
pub(crate) use qualified::Tags;
pub(crate) use read::plain_number;
pub use records::{XmlRecords, XmlText};
pub use xsd::{PROGRAM_INTERFACE, ProgramInterface};
pub(crate) use xsd::{Shape, XsdRules, schema};
