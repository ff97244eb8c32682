//! Operations as tools of the Model Context Protocol (MCP): how a tool is described, and which request its call is.
//!
//! A tool is compiled when it is loaded. Its definition is JSON text that only has to be sent, and a call fills in a
//! request. Values pass as their text, never through a tree of values. A tree's numbers would be inexact.
//!
//! Deliberately absent: the protocol itself, IO, and any decision about who may call. A call becomes a request like any
//! other, and the guards of requests guard it.

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
