//! The connection of a request: its own, or a lane of a shared one.

use std::io;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Instant;

use crate::lending::Pooled;
use crate::session::{Lane, Session};
use crate::settings::GroupSettings;
use crate::transport::{Connection, Exchange, Fault, Progress};
use sockets::Wire;

/// The connection of a request. It is in a box, because it moves between its group and each request.
#[derive(Debug)]
pub(crate) enum Link {
    /// A connection with one request at a time.
    Own(Box<Connection>),
    /// An unused connection that will be shared.
    Fresh(Box<Connection>),
    Lane(Lane),
}

impl Link {
    /// Wraps a new connection for a group with these settings.
    pub(crate) fn new(connection: Connection, settings: &GroupSettings) -> Self {
        let connection = Box::new(connection);
        if settings.shares() { Link::Fresh(connection) } else { Link::Own(connection) }
    }

    /// Whether it is open and has no unexpected bytes.
    pub(crate) fn is_alive(&mut self) -> bool {
        match self {
            Link::Own(connection) | Link::Fresh(connection) => connection.is_alive(),
            Link::Lane(lane) => lane.is_alive(),
        }
    }

    /// Whether it may be used again after its last request.
    pub(crate) fn is_reusable(&self) -> bool {
        match self {
            Link::Own(connection) | Link::Fresh(connection) => connection.is_reusable(),
            Link::Lane(lane) => lane.is_alive(),
        }
    }

    /// Whether it takes one-way requests only.
    pub(crate) fn takes_one_way_only(&self) -> bool {
        match self {
            Link::Own(connection) | Link::Fresh(connection) => connection.is_one_way(),
            Link::Lane(lane) => lane.is_one_way(),
        }
    }

    /// Gives it up, to make room for another connection.
    pub(crate) fn give_up(self) {
        if let Link::Lane(lane) = &self {
            lane.retire();
        }
    }

    /// The thread whose runtime watches it from now on.
    pub(crate) fn owner(&self) -> ThreadId {
        match self {
            Link::Own(_) | Link::Fresh(_) => thread::current().id(),
            Link::Lane(lane) => lane.owner(),
        }
    }

    /// Checks for needless retransmissions, if it is time.
    pub(crate) fn watch(&self, now: Instant) {
        match self {
            Link::Own(connection) | Link::Fresh(connection) => connection.watch(now),
            Link::Lane(lane) => lane.watch(now),
        }
    }

    /// Its figures on the wire.
    pub(crate) fn wire(&self) -> Wire {
        match self {
            Link::Own(connection) | Link::Fresh(connection) => connection.wire(),
            Link::Lane(lane) => lane.wire(),
        }
    }

    /// Prepares it for a request on this thread. A connection to share gives further lanes.
    ///
    /// # Errors
    /// The runtime cannot watch it.
    pub(crate) fn ready(self, settings: &Arc<GroupSettings>, is_own: bool) -> io::Result<(Self, Vec<Self>)> {
        let here = |connection: &mut Connection| if is_own { Ok(()) } else { connection.take_over() };
        match self {
            Link::Own(mut connection) => {
                here(&mut connection)?;
                Ok((Link::Own(connection), Vec::new()))
            }
            Link::Fresh(mut connection) => {
                here(&mut connection)?;
                let mut lanes = Session::begin(*connection, settings).into_iter().map(Link::Lane);
                let first = lanes.next().ok_or(io::ErrorKind::InvalidInput)?;
                Ok((first, lanes.collect()))
            }
            Link::Lane(lane) => Ok((Link::Lane(lane), Vec::new())),
        }
    }

    /// Sends a heartbeat, unless this is a lane. Sessions send their own heartbeats.
    ///
    /// # Errors
    /// The server does not answer, or the runtime cannot watch the connection.
    pub(crate) async fn asked(mut self, settings: &GroupSettings) -> Result<Self, Fault> {
        if let Link::Own(connection) | Link::Fresh(connection) = &mut self {
            connection.take_over().map_err(|error| Fault::Broken(error.to_string()))?;
            connection.heartbeat(settings).await?;
        }
        Ok(self)
    }

    /// Sends a request and waits for its reply.
    ///
    /// # Errors
    /// There is no reply.
    pub(crate) async fn exchange(
        &mut self,
        exchange: Exchange<'_>,
        progress: &mut Progress,
    ) -> Result<Vec<u8>, Fault> {
        match self {
            Link::Own(connection) | Link::Fresh(connection) => connection.exchange(exchange, progress).await,
            Link::Lane(lane) => lane.exchange(exchange, progress).await,
        }
    }
}

impl Pooled for Link {
    fn is_bound(&self) -> bool {
        matches!(self, Link::Lane(_))
    }

    fn is_one_way(&self) -> bool {
        self.takes_one_way_only()
    }

    fn session(&self) -> Option<usize> {
        match self {
            Link::Lane(lane) => Some(lane.session()),
            Link::Own(_) | Link::Fresh(_) => None,
        }
    }
}
