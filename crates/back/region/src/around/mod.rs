//! What is around a region: services whose requests its programs answer, and what programs reach through it.
//!
//! `provider.rs` makes a service of a program. What a program may know of its request comes with the call as a view
//! (`service::RequestView`). `context.rs` copies only what a service asks for out of the view.
//!
//! `task.rs` has tasks of several programs, which share a unit of work: those of a SOAP pipeline.
//!
//! `outward.rs` leads from programs to APIs, services and transformations. The ways out are traits of the crate
//! `service`, held weakly, so that the gateway may be gone before the region.

pub(crate) mod context;
pub(crate) mod outward;
pub(crate) mod provider;
pub(crate) mod task;
