//! Administration: one table of routes, and what they answer.
//!
//! Metrics, health, the configuration, the region, and z/OS Connect's administration interface. A request goes this way:
//!
//! 1. [`find`] finds the row of the table by method, path and query, or says what is not there ([`Target`]).
//! 2. The house lets the caller in who has the row's [`Right`].
//! 3. [`RouteSpec::run`] says which function answers, and what happens to the body. The functions see the request as
//!    [`Asked`], the process as [`Process`], and what serves as [`Gateway`].
//! 4. The house records what the row names as an act.
//!
//! A **row** is one route. A **right** is what a caller needs. An **act** is what the audit records. A **view** is what
//! administration sees of an API, a service or an API requester.
//!
//! Deliberately absent: listeners, who callers are, and how a service is called. The house does that.

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
