//! MQSC, the language of commands of IBM MQ, as values.
//!
//! [`script`] takes a script apart into commands. [`parse`] reads a command to [`Words`]: a verb, an object, parameters.
//! [`change`] reads a parameter of a queue to a [`Change`] of its definition.
//!
//! An attribute is one of three: it changes what a queue here is, it is **fixed** (queues here have one value), or it is **kept** (it has
//! no effect here).
//!
//! Deliberately absent: what a command does, objects other than queues, and answers.

mod attributes;
mod queue;
mod text;
mod words;

pub use attributes::{Domain, FIXED, KEPT, Taken, change, kept, usual};
pub use queue::{Change, Kind, TriggerType};
pub use text::{parse, script};
pub use words::{OTHER_OBJECTS, Parameter, Syntax, VERBS, Words};
