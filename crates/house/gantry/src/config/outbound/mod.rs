//! Calls of other servers in the configuration: connections, the provider `http`, API requesters.

mod areas;
mod connection;
mod exchange;
mod requester;
mod written;

pub(super) use connection::{Connections, IDLE_CONNECTIONS_MAX, REFRESH_BEFORE, RETRY_BACKOFF_MAX};
pub(super) use exchange::{OperationReader, Sides};
pub(crate) use written::{ConnectionSection, HttpSection};
