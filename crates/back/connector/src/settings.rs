//! The settings of a group, ready to run.

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
    /// How messages lie in the stream.
    pub framing: Framing,
    /// Bytes of a frame.
    pub frame_max_bytes: usize,
    /// Bytes that replies may hold while they are received, over all connections.
    pub receive_max_bytes: usize,
    /// Requests that wait at one time; more are refused at once.
    pub queue_max: usize,
    /// The log warns when this percentage of `queue_max` waits.
    pub queue_threshold_percent: u32,
    /// Time of one attempt, from connecting to the end of the reply; none for the rest of the
    /// call's time.
    pub sync_timeout: Option<Duration>,
    /// Requests under way on one connection. With more than one, and without correlation ids, servers answer in order.
    pub in_flight_max: usize,
    /// The silence of a connection before the group asks whether the server is there; none for
    /// never.
    pub heartbeat_interval: Option<Duration>,
    /// The message that asks the server; none for the framing's heartbeat, or TCP's keepalive.
    pub heartbeat: Option<Heartbeat>,
    /// TLS to all servers; none for plain TCP.
    pub tls: Option<Tls>,
    /// The rate of requests from all callers; more are refused at once. None for no limit.
    pub rate: Option<Rate>,
    /// Options of the sockets.
    pub sockets: SocketSettings,
    /// Time for a connection to come up. It is tried twice.
    pub connect_timeout: Duration,
    /// How long connections beyond the first ones are kept without use.
    pub idle_timeout: Duration,
    /// How a group chooses the endpoint.
    pub policy: Policy,
    /// The time in which an endpoint that has come back grows to its whole share.
    pub slow_start: Duration,
    /// True if backups also serve when all sockets of the primaries are in use.
    pub backup_when_full: bool,
    /// True if requests are refused at once while no endpoint is well. Otherwise they wait.
    pub fail_fast: bool,
    /// When failing endpoints are left out.
    pub ejection: EjectionSettings,
    /// The pauses before an unreachable server is tried again.
    pub reconnect: Pauses,
    /// Requests of 100 that may be sent again.
    pub retry_percent: u32,
}

impl GroupSettings {
    /// Whether requests share connections.
    pub(crate) fn shares(&self) -> bool {
        self.framing.correlates() || self.in_flight_max > 1
    }

    /// The most bytes that the replies of one connection may hold: the frame being read, and
    /// messages in parts.
    pub(crate) fn connection_max_bytes(&self) -> usize {
        let frame = self.frame_max_bytes.saturating_add(FIRST_READ_BYTES);
        let messages = if self.framing.correlates() { self.in_flight_max } else { 0 };
        self.frame_max_bytes.saturating_mul(messages).saturating_add(frame)
    }

    /// The silence of a connection before the group sends a heartbeat message; none if TCP does
    /// this.
    pub(crate) fn heartbeats(&self) -> Option<Duration> {
        self.heartbeat_interval.filter(|_| self.asks())
    }

    /// Whether the group sends a heartbeat on a new connection before its use.
    pub(crate) fn asks(&self) -> bool {
        self.framing.correlates() || self.heartbeat.is_some()
    }
}

/// A message that asks whether a server is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// The message, without its frame.
    pub request: Vec<u8>,
    /// The expected answer; none if any answer is right.
    pub reply: Option<Vec<u8>>,
}

/// Options of sockets. An option that the kernel lacks is skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocketSettings {
    /// The shortest time before a retransmission, 8 to 200 ms; none for the kernel's value.
    pub rto_min: Option<Duration>,
    /// The longest time between retransmissions, at least 1 s; none for the kernel's value.
    pub rto_max: Option<Duration>,
    /// How long sent bytes may stay without an acknowledgement; none for the kernel's value.
    pub user_timeout: Option<Duration>,
    /// The congestion control, for example `bbr`; none for the system's.
    pub congestion: Option<String>,
    /// Bytes that wait in the kernel before they are sent, at most; none for no limit.
    pub notsent_low_water_bytes: Option<u32>,
}

/// An endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointSettings {
    /// Its name, unique in the group.
    pub name: String,
    /// Its role.
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

/// When failing endpoints are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EjectionSettings {
    /// Failures in a row; 0 for never.
    pub failures: u32,
    /// Endpoints of 100 that may be left out at one time.
    pub percent_max: u32,
    /// The first time of being left out. Each further time in a row adds this time again.
    pub time: Duration,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A group whose first failure ejects an endpoint.
    pub(crate) fn settings(endpoints: Vec<EndpointSettings>) -> GroupSettings {
        GroupSettings {
            name: "GROUP".to_owned(),
            endpoints,
            framing: Framing::Llzz,
            frame_max_bytes: 1 << 16,
            receive_max_bytes: 1 << 20,
            queue_max: 3,
            queue_threshold_percent: 100,
            sync_timeout: None,
            in_flight_max: 1,
            heartbeat_interval: None,
            heartbeat: None,
            tls: None,
            rate: None,
            sockets: SocketSettings::default(),
            connect_timeout: Duration::from_secs(1),
            idle_timeout: Duration::from_secs(1),
            policy: Policy::LeastLoaded,
            slow_start: Duration::ZERO,
            backup_when_full: false,
            fail_fast: false,
            ejection: EjectionSettings { failures: 1, percent_max: 100, time: Duration::from_secs(1) },
            reconnect: Pauses { first: Duration::from_millis(1), longest: Duration::from_millis(1) },
            retry_percent: 0,
        }
    }
}
