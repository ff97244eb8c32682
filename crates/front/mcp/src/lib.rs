//! Operations as tools of the Model Context Protocol (MCP): how a tool is described, and which request its call is.
//!
//! A tool is compiled when it is loaded: its definition is JSON text that only has to be sent, and a call fills in a
//! request. Values pass as the text that they are, never through a tree of values, whose numbers would be inexact.
//! Deliberately absent: the protocol itself, IO, and any decision about who may call; a call becomes a request like any
//! other, and what guards requests guards it.

mod call;
mod members;
mod message;
mod names;
mod schema;
mod tool;

pub use call::Call;
pub use message::{MessageError, arguments, error_message, with_members};
pub use names::{TOOL_NAME_CHARS_MAX, Wanted, check_name, names};
pub use tool::{Presentation, Tool};
