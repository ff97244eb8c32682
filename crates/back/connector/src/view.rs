//! A group as operators see it.

use std::time::SystemTime;

use crate::balance::Role;

/// A group now.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupView {
    /// Its name.
    pub name: String,
    /// An operator has stopped it.
    pub is_stopped: bool,
    /// Requests that wait.
    pub queue: usize,
    /// The most that waited at one time since the figures were cleared.
    pub queue_highest: Maximum,
    /// As many may wait.
    pub queue_max: usize,
    /// Bytes that replies hold while they are received. What is less than 64 KiB on a connection does not count.
    pub receiving: usize,
    /// The most of them at one time since the figures were cleared.
    pub receiving_highest: Maximum,
    /// As many may be held.
    pub receive_max_bytes: usize,
    /// Connections that are not read, because there is no room.
    pub readers_waiting: usize,
    /// Requests that were sent again since the figures were cleared.
    pub retries: u64,
    /// Since when figures are counted.
    pub since: SystemTime,
    /// The endpoints, in the order of the file; those that were removed and still have requests come last.
    pub endpoints: Vec<EndpointView>,
}

/// An endpoint now.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointView {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Host and port.
    pub destination: String,
    /// Whether it serves.
    pub state: State,
    /// Why it does not, or the last thing that went wrong.
    pub reason: Option<String>,
    /// Connections.
    pub sessions: usize,
    /// As many may be open.
    pub max_sessions: usize,
    /// Connections with a request under way.
    pub in_use: usize,
    /// Replies since the figures were cleared.
    pub replies: u64,
    /// Replies in a second, over the last ten.
    pub rate: f64,
    /// The mean time of a reply since the figures were cleared, in milliseconds.
    pub mean_ms: f64,
    /// Requests without a reply in time.
    pub timeouts: u64,
    /// Connections that broke or did not come up, and replies that were none.
    pub errors: u64,
    /// Segments that were sent again, over all connections.
    pub retransmits: u64,
    /// How many of them were needless, as the server told.
    pub dsacks: u64,
    /// The mean smoothed round trip time of the idle connections, in microseconds.
    pub srtt_us: Option<u32>,
    /// The mean time before a retransmission, in microseconds.
    pub rto_us: Option<u32>,
    /// The shortest time before a retransmission that its connections have, in microseconds; none if the kernel's is left.
    pub rto_floor_us: Option<u32>,
    /// How often it rose because retransmissions were needless.
    pub rto_floor_rises: u64,
    /// How often it fell back.
    pub rto_floor_falls: u64,
    /// The most connections.
    pub sessions_highest: Maximum,
    /// The most requests under way.
    pub in_use_highest: Maximum,
    /// The most replies in a second.
    pub rate_highest: Maximum,
    /// The longest time of a reply, in milliseconds.
    pub took_ms_highest: Maximum,
}

/// The highest value since the figures were cleared, and when it was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Maximum {
    /// The value.
    pub value: f64,
    /// When; none if there was none.
    pub at: Option<SystemTime>,
}

/// Whether an endpoint serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It does.
    Active,
    /// It cannot be reached, and is tried again.
    Down,
    /// It failed too often, and is left out for a while.
    Ejected,
    /// An operator lets it end its requests; its connections stay open.
    Quiesced,
    /// An operator has stopped it.
    Stopped,
    /// The configuration has it no more; it ends its requests.
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
