//! The gateway as it runs: the way of a request from its head to its answer, whichever front it comes by.
//!
//! [`Gateway`] has all that a request needs. It is made once of [`GatewaySettings`] and never changed: a changed configuration
//! is another gateway, and a request keeps the one with which it began.
//!
//! [`answer`] takes each request over HTTP to its front: MCP, messaging, a web service (SOAP), or REST with [`handle`]. Administration makes a [`Direct`] call of
//! a service. Programs call through a front of their own, outside of this crate. All of them are a [`Front`], and [`run`] calls
//! its steps in their order: head, route, admit, started, read, intercept, call, answer. CONTRIBUTING.md has a page on writing
//! one.
//!
//! What differs between fronts stands in the front; what is the same stands in `handler`: reading within limits
//! (`receive`), calls within their time (`call`), the one function that turns failures into answers (`answer`), and the
//! `Exchange`, which notes all that figures, logs, traces and interceptors want to know.

mod gateway;
mod handler;
mod loaded;
mod mcp;
mod messaging;
mod sight;

pub use crate::gateway::{ApiEntry, Gateway, Kept, RequesterEntry, ServiceEntry};
pub use handler::{
    Answered, Arrival, Direct, Form, Front, answer, check_head, collect, describe, handle, handle_message,
    handle_soap_message, refuse, run, turn_away,
};
pub use loaded::{
    GatewaySettings, Limits, LoadedApi, LoadedPipeline, LoadedWebService, LogFormat, LogSection, McpSettings,
    Offered, RunningService,
};
pub use messaging::{Grant, MessagingLimits, MessagingSettings, Right, messaging_operations};
