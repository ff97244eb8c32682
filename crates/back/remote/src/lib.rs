//! Connections to servers over HTTP, with pools, bounded waiting, retries and tokens, and REST APIs as
//! service providers.
//!
//! A [`Connection`] exchanges an [`Outgoing`] request for an [`Answer`], within a deadline. The configuration names its
//! host; data never does. Data may decide path parameters, query, headers and body. It passes through [`PathTemplate`],
//! [`push_query`] and [`header_value`], which let nothing else through. [`HttpProvider`] makes a service of a
//! connection. It is given a [`PayloadsOverHttp`], which stands between records and HTTP.
//!
//! [`trust`] makes TLS of a client from files of certificates, when a configuration is loaded. A call reads no file.
//!
//! A [`json_server::JsonServer`] is asked by us, not by a service: an interceptor, a collector of spans, a gateway's admin address.
//!
//! [`config`] makes connections of a configuration.
//!
//! Deliberately absent: layouts and JSON of records.

mod auth;
mod base;
pub mod config;
mod connection;
mod connector;
mod error;
pub mod json_server;
mod message;
mod observe;
mod provider;
mod reachable;
mod retry;
mod target;
pub mod trust;

pub use auth::{
    ApiKeyPlace, Auth, ClientAuth, Grant, Jwt, JwtKey, JwtSettings, OAuth, OAuthSettings, basic_value,
};
pub use base::{Base, BaseError};
pub use connection::{Call, CallerName, Connection, ConnectionSettings, Exchange, Redirects};
pub use error::{Error, ErrorKind};
pub use message::{Answer, Outgoing, header_value};
pub use observe::{Observe, Unobserved};
pub use provider::{HttpProvider, PayloadsOverHttp};
pub use reachable::Reachable;
pub use retry::Retry;
pub use target::{PathTemplate, TemplateError, ValueError, push_query};
