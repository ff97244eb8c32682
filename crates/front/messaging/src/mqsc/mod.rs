//! MQSC: commands as text or as JSON, and their answers.
//!
//! A command comes as text (`text`) or as JSON (`json`). Both become [`words::Words`], and these a [`Command`]. `attributes`
//! has the names of attributes. `reply` writes what came of a command, in the form in which it was asked.

pub(crate) mod attributes;
mod command;
mod json;
mod reply;
mod text;
mod words;

pub use attributes::{kept, usual};
pub use command::{Command, Display, Filter, Operator, Verb, Wanted, What};
pub use json::{Asked, Form, MQSC_BYTES_MAX};
pub use reply::{Done, Failed, Item, Reply};
