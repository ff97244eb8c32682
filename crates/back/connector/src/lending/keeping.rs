//! The keeper's work for endpoints: it opens, tests and closes connections, and lets endpoints come
//! back.

use std::sync::Arc;
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use super::{Chore, Grant, Health, Idle, Kept, Lending, Pooled, Wish};
use crate::transport::NotOpened;

impl<C: Pooled> Lending<C> {
    /// Lets ejected endpoints serve again when their time is over. If the group can ask servers,
    /// the keeper first opens a connection and sends a heartbeat on it.
    pub(super) fn let_back(&mut self, now: Instant) -> bool {
        let mut is_changed = false;
        let asks = self.settings.asks();
        for endpoint in &mut self.endpoints {
            is_changed |= endpoint.no_sockets_until.take_if(|until| *until <= now).is_some();
            if matches!(endpoint.health, Health::Ejected { until } if until <= now) {
                match asks {
                    true => endpoint.health = Health::Down { tries: 0, next: now },
                    false => endpoint.come_back(now),
                }
                // One more failure ejects it again.
                endpoint.failures = self.settings.ejection.failures.saturating_sub(1);
                is_changed = true;
            }
        }
        is_changed
    }

    /// Takes dead idle connections. The caller closes them.
    pub(crate) fn dead(&mut self, is_alive: impl Fn(&mut C) -> bool) -> Vec<C> {
        let mut dead = Vec::new();
        for endpoint in &mut self.endpoints {
            let gone = endpoint.idle.extract_if(.., |idle| !is_alive(&mut idle.connection));
            dead.extend(gone.map(|idle| idle.connection));
        }
        dead
    }

    /// The work to do now, and when to call again.
    pub(crate) fn chores(&mut self, now: Instant) -> (Vec<Chore>, Vec<C>, Option<Instant>) {
        if self.let_back(now) {
            self.serve_queue(now);
        }
        let (mut chores, mut closed, mut due) = (Vec::new(), Vec::new(), None::<Instant>);
        let idle_timeout = self.settings.idle_timeout;
        let mut sooner = |at: Instant| due = Some(due.map_or(at, |before| before.min(at)));
        let (is_stopped, generation) = (self.is_stopped, self.generation);
        for endpoint in &mut self.endpoints {
            if is_stopped || endpoint.is_removed || endpoint.wish == Wish::Stop {
                continue;
            }
            let missing = endpoint.settings.start_sockets.saturating_sub(endpoint.sessions());
            endpoint.no_sockets_until.iter().for_each(|until| sooner(*until));
            let open = match endpoint.health {
                _ if endpoint.is_opening || endpoint.wish == Wish::Quiesce => 0,
                _ if endpoint.no_sockets_until.is_some() => 0,
                Health::Well => missing,
                Health::Down { next, .. } if next <= now => missing.max(1),
                Health::Down { next: at, .. } | Health::Ejected { until: at } => {
                    sooner(at);
                    0
                }
            };
            if open > 0 {
                endpoint.is_opening = true;
                let destination = Arc::clone(&endpoint.destination);
                let totals = Arc::clone(&endpoint.totals);
                // A trial needs no room. If there is none, its connection is closed again.
                let is_tried = matches!(endpoint.health, Health::Down { .. });
                let max_sockets = if is_tried { usize::MAX } else { endpoint.settings.max_sockets };
                let kept = Kept { endpoint: endpoint.id, generation };
                chores.push(Chore { kept, destination, totals, open, max_sockets });
            }
            if let Some(lanes) = endpoint.lanes {
                closed.extend(endpoint.unused(lanes, idle_timeout, now));
                continue;
            }
            while endpoint.sessions() > endpoint.settings.start_sockets {
                // The first was unused for the longest time.
                match endpoint.idle.first().map(|idle| idle.since + idle_timeout) {
                    Some(end) if end <= now => closed.push(endpoint.idle.remove(0).connection),
                    Some(end) => {
                        sooner(end);
                        break;
                    }
                    None => break,
                }
            }
        }
        (chores, closed, due)
    }

    /// Takes a connection that the keeper opened, or asked whether it is alive. Gives it back if it
    /// is not needed, or if it was made for older settings: it may have no TLS, or another framing.
    pub(crate) fn opened(&mut self, kept: Kept, connection: C, thread: ThreadId, now: Instant) -> Option<C> {
        let is_stopped = self.is_stopped;
        let is_current = kept.generation == self.generation;
        let endpoint = self.endpoints.iter_mut().find(|endpoint| endpoint.id == kept.endpoint);
        let Some(endpoint) = endpoint.filter(|_| is_current) else {
            return Some(connection);
        };
        if matches!(endpoint.health, Health::Down { .. }) {
            endpoint.come_back(now);
            let (group, endpoint) = (&self.settings.name, &*endpoint.name);
            tracing::info!(group, endpoint, "an endpoint can be reached again");
        }
        let closed = match !is_stopped && endpoint.keeps() {
            true => {
                endpoint.idle.push(Idle { connection, owner: thread, since: now });
                endpoint.figures.sessions(endpoint.sessions(), endpoint.under_way.len());
                None
            }
            false => Some(connection),
        };
        self.serve_queue(now);
        closed
    }

    /// Takes the other lanes of a connection that was opened for a request. Gives them back if they
    /// are not needed.
    pub(crate) fn spare(&mut self, grant: &Grant, lanes: Vec<C>, thread: ThreadId, now: Instant) -> Vec<C> {
        let is_current = grant.generation == self.generation && !self.is_stopped;
        let endpoint = self.endpoints.iter_mut().find(|endpoint| endpoint.id == grant.endpoint);
        match endpoint.filter(|endpoint| is_current && endpoint.keeps()) {
            Some(endpoint) => {
                let idle = |connection| Idle { connection, owner: thread, since: now };
                endpoint.idle.extend(lanes.into_iter().map(idle));
                endpoint.figures.sessions(endpoint.sessions(), endpoint.under_way.len());
                Vec::new()
            }
            None => lanes,
        }
    }

    /// Takes connections that were idle for `interval`, to send heartbeats. They come back by
    /// `opened`.
    pub(crate) fn silent(&mut self, interval: Duration, now: Instant) -> Vec<(Kept, C)> {
        let (generation, mut silent) = (self.generation, Vec::new());
        for endpoint in &mut self.endpoints {
            // An answer to a heartbeat could be that to a one-way request.
            let is_asked = |one: &C| !one.is_bound() && !one.is_one_way();
            let is_due = |idle: &mut Idle<C>| is_asked(&idle.connection) && idle.since + interval <= now;
            let due = endpoint.idle.extract_if(.., is_due);
            let kept = Kept { endpoint: endpoint.id, generation };
            silent.extend(due.map(|idle| (kept, idle.connection)));
        }
        silent
    }

    /// Notes that the keeper has ended its work for an endpoint, or why it failed. A failure with
    /// older settings says nothing about the endpoint.
    pub(crate) fn kept(&mut self, kept: Kept, fault: Option<&NotOpened>, now: Instant) {
        let settings = Arc::clone(&self.settings);
        let fault = fault.filter(|_| kept.generation == self.generation);
        if let Some(endpoint) = self.endpoints.iter_mut().find(|endpoint| endpoint.id == kept.endpoint) {
            endpoint.is_opening = false;
            if let Some(fault) = fault {
                match fault {
                    NotOpened::Failed(reason) => endpoint.unreachable(reason, &settings, now),
                    NotOpened::NoSockets(reason) => endpoint.lack_sockets(reason, &settings, now),
                }
                // Without it, a backup may serve.
                self.serve_queue(now);
            }
        }
    }
}
