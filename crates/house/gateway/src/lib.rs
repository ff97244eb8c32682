//! The running gateway: takes a request from its head to its answer, for all fronts.
//!
//! [`Gateway`] has everything that a request needs. It is made from [`GatewaySettings`] and never
//! changes. A changed configuration makes another gateway. A request keeps its gateway to the end.
//!
//! [`answer`] gives each request over HTTP to its front: MCP, messaging, a web service (SOAP), a program that answers it
//! itself (EXEC CICS WEB), or REST with [`handle`]. Administration makes a [`Direct`] call of a service. Programs call through
//! a front outside of this crate. All of them are a [`Front`], and [`run`] calls its steps in
//! order: head, route, admit, started, read, intercept, call, answer. CONTRIBUTING.md has a page on
//! writing one.
//!
//! Each front has its own part. The common parts are in `handler`: reading within limits
//! (`receive`), calls within their time limits (`call`), the only function that turns failures into
//! answers (`answer`), and the `Exchange`. The `Exchange` collects the facts for metrics, logs,
//! traces and interceptors.

mod gateway;
mod handler;
mod loaded;
mod mcp;
mod messaging;
mod sight;
mod uri_maps;

pub use crate::gateway::{ApiEntry, Gateway, Kept, RequesterEntry, ServiceEntry, Serving};
pub use handler::{
    Answered, Arrival, Direct, Form, Front, answer, check_head, collect, describe, handle, handle_message,
    handle_soap_message, refuse, run, turn_away,
};
pub use loaded::{
    GatewaySettings, Limits, LoadedApi, LoadedPipeline, LoadedUriMap, LoadedWebService, LogFormat,
    LogSection, McpSettings, Offered, RunningService,
};
pub use messaging::{Grant, MessagingLimits, MessagingSettings, Right, messaging_operations};
