//! The view of a group for operators.

use std::collections::HashSet;
use std::time::{Instant, SystemTime};

use sockets::Wire;

use super::{Endpoint, Idle, Lending, Pooled};
use crate::figures::{Figures, Highest};
use crate::view::{EndpointView, GroupView, Maximum, State};

impl<C: Pooled> Lending<C> {
    /// Resets all figures. Segments of a connection that is lent now count again when it is back.
    pub(crate) fn clear(&mut self, now: Instant, wire: impl Fn(&C) -> Wire) {
        for endpoint in &mut self.endpoints {
            endpoint.figures = Figures::new(now);
            endpoint.segments_cleared = endpoint.segments(&endpoint.told(&wire));
        }
        (self.queue_highest, self.retries) = (Highest::NONE, 0);
        self.room.clear();
        self.since = SystemTime::now();
    }

    pub(crate) fn view(&mut self, now: Instant, wire: impl Fn(&C) -> Wire) -> GroupView {
        if self.let_back(now) {
            self.serve_queue(now);
        }
        let is_stopped = self.is_stopped;
        let shown = |highest: Highest| Maximum { value: highest.value, at: highest.at };
        let one = |endpoint: &mut Endpoint<C>| {
            let rate = endpoint.figures.rate(now);
            let told = endpoint.told(&wire);
            let (again, needless) = endpoint.segments(&told);
            let (again_cleared, needless_cleared) = endpoint.segments_cleared;
            let floor = endpoint.totals.floors.stands();
            let (sessions, figures) = (endpoint.sessions(), &endpoint.figures);
            let state = if is_stopped { State::Stopped } else { endpoint.state() };
            let reason = endpoint.why(state).map(str::to_owned);
            EndpointView {
                name: endpoint.name.to_string(),
                role: endpoint.settings.role,
                destination: endpoint.destination.to_string(),
                state,
                reason,
                sessions,
                max_sessions: endpoint.settings.max_sockets,
                in_use: endpoint.under_way.len(),
                replies: figures.replies,
                rate,
                mean_ms: figures.mean_ms(),
                timeouts: figures.timeouts,
                errors: figures.errors,
                retransmits: again.saturating_sub(again_cleared),
                dsacks: needless.saturating_sub(needless_cleared),
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

impl<C: Pooled> Endpoint<C> {
    /// The kernel's figures of the connections that are not lent.
    fn told(&self, wire: impl Fn(&C) -> Wire) -> Vec<Wire> {
        let mut seen = HashSet::new();
        let is_first = |idle: &&Idle<C>| idle.connection.session().is_none_or(|one| seen.insert(one));
        self.idle.iter().filter(is_first).map(|idle| wire(&idle.connection)).collect()
    }

    /// Segments that were sent again, and the needless ones among them, over these connections and those that are closed.
    fn segments(&self, told: &[Wire]) -> (u64, u64) {
        let (again, needless) = self.totals.counts();
        let sum = |of: fn(&Wire) -> u64| told.iter().map(of).sum::<u64>();
        (again + sum(|one| one.retransmits), needless + sum(|one| one.dsacks))
    }
}

/// The mean; none if there are no values.
fn mean(values: impl ExactSizeIterator<Item = u32>) -> Option<u32> {
    let count = u64::try_from(values.len()).ok().filter(|count| *count > 0)?;
    u32::try_from(values.map(u64::from).sum::<u64>() / count).ok()
}
