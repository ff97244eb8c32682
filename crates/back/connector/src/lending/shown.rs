//! The view of a group for operators.

use std::collections::HashSet;
use std::time::{Instant, SystemTime};

use sockets::Wire;

use super::{Endpoint, Idle, Lending, Pooled};
use crate::figures::{Figures, Highest};
use crate::view::{EndpointView, GroupView, Maximum};

impl<C: Pooled> Lending<C> {
    /// Resets all figures.
    pub(crate) fn clear(&mut self, now: Instant) {
        for endpoint in &mut self.endpoints {
            endpoint.figures = Figures::new(now);
        }
        (self.queue_highest, self.retries) = (Highest::NONE, 0);
        self.room.clear();
        self.since = SystemTime::now();
    }

    pub(crate) fn view(&mut self, now: Instant, wire: impl Fn(&C) -> Wire) -> GroupView {
        self.let_back(now);
        let shown = |highest: Highest| Maximum { value: highest.value, at: highest.at };
        let one = |endpoint: &mut Endpoint<C>| {
            let rate = endpoint.figures.rate(now);
            let mut seen = HashSet::new();
            let is_first = |idle: &&Idle<C>| idle.connection.session().is_none_or(|one| seen.insert(one));
            let told: Vec<Wire> =
                endpoint.idle.iter().filter(is_first).map(|idle| wire(&idle.connection)).collect();
            let (closed, floor) = (endpoint.totals.counts(), endpoint.totals.floors.stands());
            let (state, sessions, figures) = (endpoint.state(), endpoint.sessions(), &endpoint.figures);
            EndpointView {
                name: endpoint.name.to_string(),
                role: endpoint.settings.role,
                destination: endpoint.destination.to_string(),
                state,
                reason: endpoint.reason.clone(),
                sessions,
                max_sessions: endpoint.settings.max_sockets,
                in_use: endpoint.under_way.len(),
                replies: figures.replies,
                rate,
                mean_ms: figures.mean_ms(),
                timeouts: figures.timeouts,
                errors: figures.errors,
                retransmits: closed.0 + told.iter().map(|one| one.retransmits).sum::<u64>(),
                dsacks: closed.1 + told.iter().map(|one| one.dsacks).sum::<u64>(),
                srtt_us: mean(told.iter().map(|one| one.srtt_us)),
                rto_us: mean(told.iter().map(|one| one.rto_us)),
                rto_floor_us: floor.and_then(|floor| u32::try_from(floor.floor.as_micros()).ok()),
                rto_floor_rises: floor.map_or(0, |floor| floor.rises),
                rto_floor_falls: floor.map_or(0, |floor| floor.falls),
                sessions_highest: shown(figures.sessions_highest),
                in_use_highest: shown(figures.in_use_highest),
                rate_highest: shown(figures.rate_highest),
                took_ms_highest: shown(figures.took_ms_highest),
            }
        };
        let room = self.room.view();
        GroupView {
            name: self.settings.name.clone(),
            is_stopped: self.is_stopped,
            queue: self.waiting.len(),
            queue_highest: shown(self.queue_highest),
            queue_max: self.settings.queue_max,
            receiving: room.receiving,
            receiving_highest: shown(room.highest),
            receive_max_bytes: room.most,
            readers_waiting: room.waiting,
            retries: self.retries,
            since: self.since,
            endpoints: self.endpoints.iter_mut().map(one).collect(),
        }
    }
}

/// The mean; none if there are no values.
fn mean(values: impl ExactSizeIterator<Item = u32>) -> Option<u32> {
    let count = u64::try_from(values.len()).ok().filter(|count| *count > 0)?;
    u32::try_from(values.map(u64::from).sum::<u64>() / count).ok()
}
