//! MQSC: commands as text or as JSON, and their answers.
//!
//! A command comes as text, which the crate `mqsc` reads, or as JSON (`json`). Both become [`::mqsc::Words`], and these a
//! [`Command`]. `attributes` has what is shown. `reply` writes what came of a command, in the form in which it was asked.

pub(crate) mod attributes;
mod command;
mod json;
mod reply;

pub use ::mqsc::{kept, usual};
pub use command::{Command, Display, Filter, Operator, Verb, Wanted, What};
pub use json::{Asked, Form, MQSC_BYTES_MAX};
pub use reply::{Done, Failed, Item, Reply};
