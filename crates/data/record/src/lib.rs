//! A layout and options become a bind: the compiled plan that turns JSON or XML into record bytes and back.
//!
//! The crate does no IO, knows no clock and keeps no state between records. Deliberately absent: a tree of
//! values, floating point, and conversion of a record as a whole. Every field is converted by its own type.
//!
//! # How it works
//!
//! A layout becomes a `Model` of members, names and slots. The model is the view that JSON and XML have. From
//! the model come the `ObjectPlan`s that read (`encode.rs`), the `DecodePlan` that writes (`decode.rs`), and
//! the schemas.
//!
//! A `Slot` is the typed place of one field. JSON and XML plans, parameter moves and response headers read
//! and set fields through it. A slot has one of three codecs:
//!
//! - `TextCodec` and `NumberCodec` are the plain cases under strict policies. Nearly all fields are plain.
//!   Their code has nothing else.
//! - `Rich` is for all other fields. `rich.rs` describes its parts.
//!
//! `Shape` knows the parts that vary: OCCURS DEPENDING ON, nested and in the middle of a record too. A record
//! is written with all tables at their largest, and compacted at the end. Reading carries along how many
//! bytes are missing so far.
//!
//! `views.rs` says how a record tells views of redefined bytes apart. `decode/shortcuts.rs` makes the usual
//! values fast. `xml.rs` describes the XML side.

mod bind;
mod characters;
mod columns;
mod date;
mod decimal;
mod decode;
mod edited;
mod encode;
mod error;
mod fields;
mod float;
mod json;
mod lookup;
mod model;
mod names;
mod number;
mod number_field;
mod options;
mod out;
pub mod path;
mod policies;
mod rich;
mod schema;
mod shape;
mod slot;
mod template;
mod text;
mod views;
mod xml;

pub use crate::xml::{
    ElementOrder, Nil, PROGRAM_INTERFACE, ProgramInterface, XmlContent, XmlField, XmlForm, XmlMember,
    XmlNumber, XmlOptions, XmlOutline, XmlRecords, XmlText, XmlValue,
};
pub use ::xml::{XML_ATTRIBUTES_MAX, XML_DECLARATION, XML_DEPTH_MAX, XML_NAME_BYTES_MAX, XML_NAMESPACES_MAX};
pub use bind::{Bind, FieldSlot};
pub use columns::Columns;
pub use date::{CENTURY_WINDOW_DEFAULT, DateFormat};
pub use decimal::{Decimal, NUMBER_DIGITS_MAX, NumberError};
pub use error::{Cause, CompileError, Error, ErrorKind};
pub use json::{Cursor as JsonCursor, JSON_DEPTH_MAX, write_string};
pub use number_field::NumberField;
pub use options::{
    BinaryRange, ByteOrder, Conditions, Counters, DataTruncation, DuplicateFields, EditedValue, EmptyRows,
    FieldOptions, Filler, FloatForm, Format, Initialise, MissingFields, MissingRows, Naming, Options,
    TableRoom, UnknownFields, UnmatchedViews, ViewRule, ZeroOccurs,
};
pub use policies::{
    BadNumber, ControlCharacters, LongText, LowValueText, Nulls, NumberStyle, OmitEmpty, PaddedNumbers,
    Policies, Substitution, TextNumbers, TrimText,
};
pub use schema::Schema;
