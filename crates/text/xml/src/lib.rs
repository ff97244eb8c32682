//! XML text: a cursor over elements with their namespaces, names, escapes, encodings and limits.
//!
//! Deliberately absent: DTDs, entities of documents, and a tree. So no text can grow, and no text can fetch
//! other documents. The crate does no IO and keeps no values.
//!
//! # The data path
//!
//! [`decode`] makes text of a document's bytes. A [`Cursor`] reads the text once, from start to end:
//! [`Cursor::root`] opens the outermost element, [`Cursor::child`] the elements in it, [`Cursor::text`] takes
//! an element's text, and [`Cursor::skip`] passes over it. A cursor can be passed from one reader to the
//! next. The reader of an envelope opens the body's element, and the reader of the record goes on from there.
//! [`write_text`] and [`write_attribute`] are the way out. [`Events`] is another way in. It gives every piece
//! of a document, comments and instructions too, to programs that read XML themselves.
//!
//! An open element ([`Open`]) has its name as written. The cursor knows its namespace
//! ([`Cursor::namespace`]), the namespaces of prefixes in values ([`Cursor::namespace_of_prefix`]), its
//! attributes ([`Cursor::attributes`]) and the declarations in force around it ([`Cursor::declarations`]).
//!
//! [`own_attribute`] is for small files that are read into a tree.
//!
//! `tokens.rs` finds tags, text and references, and checks that tags match. `cursor.rs` checks names,
//! namespaces, attributes and the prolog. Tests compare both with other readers of XML.

mod attributes;
mod characters;
mod cursor;
mod encoding;
mod error;
mod escape;
mod events;
mod names;
mod others;
mod scopes;
mod tokens;
mod tree;

pub use attributes::Attribute;
pub use characters::{Scan, collapse, is_allowed, is_name, is_name_character, is_space, scan, trim};
pub use cursor::{Cursor, Open, shown};
pub use encoding::{Encoding, declared_charset, decode, decode_as, decode_declared};
pub use error::{Error, ErrorKind};
pub use escape::{is_plain, write_attribute, write_text};
pub use events::{Event, EventKind, Events, Exception, Wrong, XML_EVENT_BYTES_MAX};
pub use names::element_name;
pub use others::OtherAttributes;
pub use tokens::same;
pub use tree::{own_attribute, own_attribute_node};

/// The most levels of elements, in ignored parts too.
pub const XML_DEPTH_MAX: usize = 64;

/// The most attributes of an element, with declarations of namespaces.
pub const XML_ATTRIBUTES_MAX: usize = 64;

/// The most declarations of namespaces in force at one place.
pub const XML_NAMESPACES_MAX: usize = 64;

/// The most bytes of the namespaces in force at one place, all of them together. Messages repeat namespaces, and a
/// short prefix stands for a long one.
pub const XML_NAMESPACE_BYTES_MAX: usize = 16_384;

/// The most bytes of the name of an element or attribute.
pub const XML_NAME_BYTES_MAX: usize = 1_024;

/// The text in front of a document that other readers might otherwise misread.
pub const XML_DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// The namespace of `xsi:nil` and similar attributes.
pub const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The namespace of the prefix `xml`.
pub const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// The namespace of the prefix `xmlns`.
pub const XMLNS: &str = "http://www.w3.org/2000/xmlns/";
