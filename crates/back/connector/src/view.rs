//! A group as operators see it.

use std::time::SystemTime;

use crate::balance::Role;

/// The state of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupView {
    /// Its name.
    pub name: String,
    /// True if an operator has stopped it.
    pub is_stopped: bool,
    /// Requests that wait.
    pub queue: usize,
    /// The most that waited at one time since the figures were cleared.
    pub queue_highest: Maximum,
    /// The limit of waiting requests.
    pub queue_max: usize,
    /// Bytes that replies hold while they are received. Less than 64 KiB on a connection does not
    /// count.
    pub receiving: usize,
    /// The most bytes at one time since the figures were cleared.
    pub receiving_highest: Maximum,
    /// The limit of these bytes.
    pub receive_max_bytes: usize,
    /// Connections that are not read because there is no room.
    pub readers_waiting: usize,
    /// Requests that were sent again since the figures were cleared.
    pub retries: u64,
    /// When the figures were cleared.
    pub since: SystemTime,
    /// The endpoints, in the order of the file. Removed endpoints that still have requests come
    /// last.
    pub endpoints: Vec<EndpointView>,
}

/// The state of an endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointView {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Host and port.
    pub destination: String,
    /// Whether it serves.
    pub state: State,
    /// Why it does not serve, or its last failure.
    pub reason: Option<String>,
    /// Connections.
    pub sessions: usize,
    /// The limit of connections.
    pub max_sessions: usize,
    /// Connections with a request under way.
    pub in_use: usize,
    /// Replies since the figures were cleared.
    pub replies: u64,
    /// Replies per second, over the last ten seconds.
    pub rate: f64,
    /// The mean time of a reply since the figures were cleared, in milliseconds.
    pub mean_ms: f64,
    /// Requests without a reply in time.
    pub timeouts: u64,
    /// Connections that broke or did not come up, and bytes that were not a reply.
    pub errors: u64,
    /// Segments that were sent again, over all connections.
    pub retransmits: u64,
    /// Needless ones among them, as the server reported.
    pub dsacks: u64,
    /// The mean smoothed round trip time of the idle connections, in microseconds.
    pub srtt_us: Option<u32>,
    /// The mean time before a retransmission, in microseconds.
    pub rto_us: Option<u32>,
    /// The floor of its connections: the shortest time before a retransmission, in microseconds.
    /// None if the kernel's value is in force.
    pub rto_floor_us: Option<u32>,
    /// How often the floor rose because retransmissions were needless.
    pub rto_floor_rises: u64,
    /// How often the floor fell back.
    pub rto_floor_falls: u64,
    /// The most connections.
    pub sessions_highest: Maximum,
    /// The most requests under way.
    pub in_use_highest: Maximum,
    /// The most replies per second.
    pub rate_highest: Maximum,
    /// The longest time of a reply, in milliseconds.
    pub took_ms_highest: Maximum,
}

/// The highest value since the figures were cleared, and when it was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Maximum {
    /// The value.
    pub value: f64,
    /// The time; none if there was no value.
    pub at: Option<SystemTime>,
}

/// Whether an endpoint serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It serves.
    Active,
    /// It cannot be reached, and is tried again.
    Down,
    /// It failed too often and is left out for a while.
    Ejected,
    /// An operator lets it finish its requests. Its connections stay open.
    Quiesced,
    /// An operator has stopped it.
    Stopped,
    /// It is no longer in the configuration. It finishes its requests.
    Removed,
}

impl State {
    /// The word for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            State::Active => "ACTIVE",
            State::Down => "DOWN",
            State::Ejected => "EJECTED",
            State::Quiesced => "QUIESCED",
            State::Stopped => "STOPPED",
            State::Removed => "REMOVED",
        }
    }
}
