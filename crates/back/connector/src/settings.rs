//! What is configured of a group, as it runs.

use std::time::Duration;

use security::Rate;
use waiting::Pauses;

use crate::balance::{Policy, Role};
use crate::framing::Framing;
use crate::tls::Tls;
use crate::transport::FIRST_READ_BYTES;

/// A group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupSettings {
    /// Its name.
    pub name: String,
    /// Its endpoints, in the order of the file.
    pub endpoints: Vec<EndpointSettings>,
    /// How messages stand in the stream.
    pub framing: Framing,
    /// Bytes of a frame.
    pub frame_max_bytes: usize,
    /// Bytes that replies may hold while they are received, over all connections.
    pub receive_max_bytes: usize,
    /// Requests that wait at one time; more are refused at once.
    pub queue_max: usize,
    /// The log has a warning when so many percent of them wait.
    pub queue_threshold_percent: u32,
    /// Time for one attempt, from the connection to the end of the reply; none for all the time that the call has.
    pub sync_timeout: Option<Duration>,
    /// Requests under way on one connection. With more than one, and without correlation ids, servers answer in order.
    pub in_flight_max: usize,
    /// How long a connection is silent before the group asks whether the server is there; none for never.
    pub heartbeat_interval: Option<Duration>,
    /// What the server is asked then; none for what the framing has, or what TCP does.
    pub heartbeat: Option<Heartbeat>,
    /// TLS to all servers; none for plain TCP.
    pub tls: Option<Tls>,
    /// Requests in a time, of all callers; more are refused at once. None for no limit.
    pub rate: Option<Rate>,
    /// How the sockets are set.
    pub sockets: SocketSettings,
    /// Time for a connection to come up; it is tried twice.
    pub connect_timeout: Duration,
    /// How long connections beyond those of the start are kept while nobody uses them.
    pub idle_timeout: Duration,
    /// How the endpoint is chosen.
    pub policy: Policy,
    /// How long an endpoint that has come back takes to have its whole share.
    pub slow_start: Duration,
    /// Backups serve, too, when all sockets of the primaries are in use.
    pub backup_when_full: bool,
    /// Requests are refused at once while no endpoint is well. Otherwise they wait.
    pub fail_fast: bool,
    /// When endpoints are left out that fail.
    pub ejection: EjectionSettings,
    /// How long it takes until a server is tried again that could not be reached.
    pub reconnect: Pauses,
    /// Of 100 requests, so many may be sent again.
    pub retry_percent: u32,
}

impl GroupSettings {
    /// Whether requests share connections.
    pub(crate) fn shares(&self) -> bool {
        self.framing.correlates() || self.in_flight_max > 1
    }

    /// The most bytes that the replies of one connection may hold: a frame that is read, and parts if messages come in such.
    pub(crate) fn connection_max_bytes(&self) -> usize {
        let frame = self.frame_max_bytes.saturating_add(FIRST_READ_BYTES);
        let messages = if self.framing.correlates() { self.in_flight_max } else { 0 };
        self.frame_max_bytes.saturating_mul(messages).saturating_add(frame)
    }

    /// How long a connection is silent before it is asked with a message; none if that is TCP's business.
    pub(crate) fn heartbeats(&self) -> Option<Duration> {
        self.heartbeat_interval.filter(|_| self.asks())
    }

    /// Whether a new connection is asked with a message before it is used.
    pub(crate) fn asks(&self) -> bool {
        self.framing.correlates() || self.heartbeat.is_some()
    }
}

/// A message that asks whether a server is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// The message, without its frame.
    pub request: Vec<u8>,
    /// What the server answers; none for anything.
    pub reply: Option<Vec<u8>>,
}

/// Options of sockets. What the kernel does not have stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocketSettings {
    /// The shortest time before a retransmission, 8 to 200 ms; none for the kernel's.
    pub rto_min: Option<Duration>,
    /// The longest time between retransmissions, at least 1 s; none for the kernel's.
    pub rto_max: Option<Duration>,
    /// How long bytes that were sent may stay without an acknowledgement; none for the kernel's time.
    pub user_timeout: Option<Duration>,
    /// The congestion control, as `bbr`; none for the system's.
    pub congestion: Option<String>,
    /// Bytes that wait in the kernel and are not on their way, at most; none for no limit.
    pub notsent_low_water_bytes: Option<u32>,
}

/// An endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointSettings {
    /// Its name, unique in the group.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Host and port.
    pub destination: String,
    /// Connections that are opened at the start and kept.
    pub start_sockets: usize,
    /// Connections at one time.
    pub max_sockets: usize,
    /// Its share of the requests.
    pub weight: f64,
}

/// When endpoints are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EjectionSettings {
    /// Failures one after the other; 0 for never.
    pub failures: u32,
    /// Of 100 endpoints, so many at most are left out.
    pub percent_max: u32,
    /// How long the first time; each further time in a row it is longer by as much.
    pub time: Duration,
}
