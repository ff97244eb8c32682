//! A layout and options become a bind: the compiled plan that turns JSON into record bytes and back.
//!
//! The crate does no IO, knows no clock and keeps no state between records. Deliberately absent: a tree of JSON
//! values, floating point, and conversion of a record as a whole; every field is converted by its own type.

mod bind;
mod decimal;
mod decode;
mod encode;
mod error;
mod json;
mod lookup;
mod model;
mod names;
mod number;
mod options;
mod schema;
mod shape;
mod slot;
mod template;
mod text;

pub use bind::{Bind, FieldSlot};
pub use decimal::{Decimal, NUMBER_DIGITS_MAX, NumberError};
pub use error::{CompileError, Error, ErrorKind};
pub use json::{JSON_DEPTH_MAX, write_string};
pub use options::{
    BinaryRange, DataTruncation, FieldOptions, Filler, Naming, Options, TrimText, UnknownFields, ZeroOccurs,
};
pub use schema::Schema;
