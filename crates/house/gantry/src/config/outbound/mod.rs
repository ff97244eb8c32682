//! Calls of other servers in the configuration: connections, the provider `http`, API requesters.

mod connection;
mod requester;
mod written;

pub(super) use connection::{Connections, IDLE_CONNECTIONS_MAX, REFRESH_BEFORE, RETRY_BACKOFF_MAX};
pub(crate) use written::ConnectionSection;
