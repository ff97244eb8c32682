//! Admission: decides who calls, whether they may, and how often.
//!
//! The crate `security` decides. This crate adds the clock, the threads and the files. A request
//! goes this way:
//!
//! 1. [`Hosts::take`] and [`is_from_elsewhere`] refuse requests from web pages of other sites.
//! 2. [`Security::admit`] checks TLS, identity, role, scopes and limits, in this order.
//!    [`Admitted`] must live as long as the request, because it counts the request.
//! 3. A refused request gets a [`Refusal`]: a failure, and the headers of its answer.
//!
//! The administration asks [`Security::admit_administrator`], and tools ask
//! [`Security::would_admit`]. Documents of APIs show the content of [`Security::protection`].
//!
//! A **peer** is the other end of a connection. A **guard** holds the demands of an API or an
//! operation on its callers. A **watched** file is read again when it changes.
//! [`CertificateFiles`] know when certificates end. An **issuer** signs
//! tokens. `jwks` fetches its keys over HTTPS: [`Security::keep_fresh`] does so in the background,
//! and a request does so if its token names an unknown key.
//!
//! [`config`] turns the security sections of a configuration into running parts.
//!
//! Deliberately absent: listeners, and the work of an admitted request.

mod admit;
mod certificates;
pub mod config;
mod ended;
mod hosts;
mod jwks;
mod presence;
mod reload;

pub use admit::{
    Admin, Admitted, ApiGuard, Issuer, LoggedIn, OperationGuard, Peer, Refusal, Security, SecuritySettings,
    Standing, Way, keep_limiter,
};
pub use certificates::CertificateFiles;
pub use hosts::{Hosts, is_from_elsewhere};
pub use jwks::{HttpKeys, HttpKeysSettings};
pub use presence::Presence;
pub use reload::{Unread, Watched};
