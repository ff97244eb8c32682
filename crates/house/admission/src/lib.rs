//! Admission: who calls, whether they may, and how often.
//!
//! The crate `security` decides. This crate adds what that crate does not have: the clock, the threads and the files. A
//! request goes this way:
//!
//! 1. [`Hosts::take`] and [`is_from_elsewhere`] keep out what a web page of another site sends.
//! 2. [`Security::admit`] checks TLS, identity, role, scopes and limits, in this order. [`Admitted`] lasts as long as the
//!    request, because it counts.
//! 3. Who is not let in gets a [`Refusal`]: a failure, and the headers of its answer.
//!
//! The administration asks [`Security::admit_administrator`], tools ask [`Security::would_admit`], and documents of APIs tell
//! what [`Security::protection`] says.
//!
//! A **peer** is the other end of a connection. A **guard** is what an API or an operation asks of its callers. A **watched**
//! file is read again when it changes. An **issuer** signs tokens. `jwks` fetches its keys over
//! HTTPS: [`Security::keep_fresh`] in the background, and a request if its token names an unknown key.
//!
//! [`config`] has the sections of a configuration that are about security, and makes of them what runs.
//!
//! Deliberately absent: listeners, and what a request does once it is let in.

mod admit;
pub mod config;
mod ended;
mod hosts;
mod jwks;
mod presence;
mod reload;

pub use admit::{
    Admin, Admitted, ApiGuard, Issuer, LoggedIn, OperationGuard, Peer, Refusal, Security, SecuritySettings,
    Way,
};
pub use hosts::{Hosts, is_from_elsewhere};
pub use jwks::{HttpKeys, HttpKeysSettings};
pub use presence::Presence;
pub use reload::Watched;
