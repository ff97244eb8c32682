//! MQSC, the language of commands of IBM MQ, as values.
//!
//! [`script`] splits a script into commands. [`parse`] reads a command into [`Words`]: a verb, an object,
//! parameters. [`change`] reads a parameter of a queue into a [`Change`] of its definition.
//!
//! There are three kinds of attributes: some change a queue, some are **fixed** (queues here have one value),
//! and some are **kept** (they have no effect here).
//!
//! Deliberately absent: the work of a command, objects other than queues, and answers.

mod attributes;
mod queue;
mod text;
mod words;

pub use attributes::{Domain, FIXED, KEPT, Taken, change, kept, usual};
pub use queue::{Change, Kind, TriggerType};
pub use text::{parse, script};
pub use words::{OTHER_OBJECTS, Parameter, Syntax, VERBS, Words};
