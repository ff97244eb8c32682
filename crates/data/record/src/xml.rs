//! XML, from the same plans as JSON: elements to record, record to elements, and the XSD of both.
//!
//! A member is an element of its name, a group nests, a table is one element for each row. Deliberately absent: DTDs,
//! entities of documents, processing instructions, mixed content, and a tree. So no text can grow or fetch anything.
//!
//! When a record is read, `JsonReader` and `XmlReader` differ only in how they find names and values. Both write into
//! one `Sink`. It knows rows, counters, views and the fields that tell views apart. When a record is written, the steps
//! are the same for both: tags are literals, as braces are, and a `Dialect` says how a value is written.
//!
//! Elements have the names of the members, unless XML does not allow them. Only then XML has object plans of its own.
//!
//! The tokens of XML come from quick-xml. `xml/cursor.rs` checks what quick-xml leaves to its users: names, namespaces,
//! characters, attributes and the prolog.

mod attributes;
mod characters;
mod cursor;
mod encoding;
mod names;
mod options;
mod plan;
mod read;
mod records;
mod write;
mod xsd;

pub(crate) use cursor::{Cursor, Open};
pub(crate) use encoding::{Encoding, text_of};
pub use options::{ElementOrder, XmlOptions};
pub(crate) use plan::XmlPlan;
pub use records::{XmlRecords, XmlText};
pub(crate) use xsd::{XsdRules, schema};

/// How deep elements may nest, those that are passed over too.
pub const XML_DEPTH_MAX: usize = 64;

/// How many attributes an element may have, declarations of namespaces among them.
pub const XML_ATTRIBUTES_MAX: usize = 64;

/// How many declarations of namespaces may be in force at one place.
pub const XML_NAMESPACES_MAX: usize = 64;

/// How many bytes the name of an element or attribute may have.
pub const XML_NAME_BYTES_MAX: usize = 1_024;

/// What stands in front of a document that other readers may take for something else: `decode_xml` leaves it out.
pub const XML_DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// The namespace of `xsi:nil` and its like.
pub(crate) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// The namespace of the prefix `xml`.
const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// The namespace of the prefix `xmlns`.
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";
