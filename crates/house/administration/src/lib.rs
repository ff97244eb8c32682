//! Administration: one table of routes, and the functions that answer.
//!
//! Metrics, health, the configuration, the region, and z/OS Connect's administration interface. A request goes this way:
//!
//! 1. [`find`] finds the row of the table by method, path and query, or says what does not exist
//!    ([`Target`]).
//! 2. The house admits callers that have the row's [`Right`].
//! 3. [`RouteSpec::run`] names the function that answers, and says what happens to the body. The
//!    functions get the request as [`Asked`], the process as [`Process`], and the running gateway as
//!    [`Gateway`].
//! 4. If the row is an act, the house records it.
//!
//! A **row** is one route. A **right** is a condition for callers. An **act** is an entry of the
//! audit. A **view** is the form in which administration sees an API, a service or an API
//! requester.
//!
//! Deliberately absent: listeners, authentication, and calls of services. The house does these.

mod asked;
mod configuration;
mod documents;
mod endpoint_groups;
mod health;
mod message_queues;
mod message_text;
pub mod paths;
mod process;
mod region;
mod routes;
mod zos_connect;

pub use asked::{Answer, Asked, Incoming, Pending, host};
pub use process::{
    ApiPort, ApiView, Deployment, Gateway, Process, Refusal, RequesterView, Scan, ScannedFile, ServiceView,
    State,
};
pub use routes::{
    ActName, ActSpec, Found, Function, ROUTES, Right, RouteSpec, Run, Section, Small, Target, Verb, find,
};
pub use zos_connect::unknown;
