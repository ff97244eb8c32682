//! The surroundings of a region: the services that its programs answer, and the servers that its programs
//! call.
//!
//! `provider.rs` makes a service of a program. A view of the request comes with the call
//! (`service::RequestView`). `context.rs` copies out of the view only the parts that a service asks for.
//!
//! `web.rs` has programs that answer requests over HTTP themselves.
//!
//! `web_client.rs` leads from programs to servers over HTTP: EXEC CICS WEB, the client side.
//!
//! `task.rs` has tasks of several programs, which share a unit of work: those of a SOAP pipeline.
//!
//! `outward.rs` leads from programs to APIs, services and transformations. The ways out are traits of the crate
//! `service`, held weakly, so that the gateway may be gone before the region.

pub(crate) mod context;
pub(crate) mod outward;
pub(crate) mod provider;
pub(crate) mod task;
pub(crate) mod web;
pub(crate) mod web_client;
