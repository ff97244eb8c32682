//! An endpoint as the group knows it: whether it serves, its room, and the effect of its failures.

use std::collections::BTreeMap;
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use waiting::random;

use super::{Endpoint, Health, Idle, Pooled, UnderWay, Wish};
use crate::balance::{Candidate, share};
use crate::settings::GroupSettings;
use crate::view::State;

/// The pause before the next connection when there were no more sockets.
const NO_SOCKETS_PAUSE: Duration = Duration::from_millis(200);

impl<C> Endpoint<C> {
    /// Whether it may get requests, if it has room.
    pub(super) fn serves(&self) -> bool {
        self.wish == Wish::Start && !self.is_removed && matches!(self.health, Health::Well)
    }

    pub(super) fn has_room(&self) -> bool {
        // Without more sockets, each request needs an idle connection.
        let connecting = self.under_way.len() - self.connected;
        let may_connect = self.no_sockets_until.is_none() || connecting < self.idle.len();
        may_connect && self.under_way.len() < self.room()
    }

    /// The limit of its requests under way.
    pub(super) fn room(&self) -> usize {
        self.settings.max_sockets * self.lanes.unwrap_or(1)
    }

    pub(super) fn sessions(&self) -> usize {
        match self.lanes {
            None => self.idle.len() + self.connected,
            Some(_) => self.totals.open(),
        }
    }

    /// The place of an idle connection for a request, see [`super::Lending::idle`].
    pub(super) fn find_idle(&self, lease: u64, is_one_way: bool, thread: ThreadId) -> Option<usize>
    where
        C: Pooled,
    {
        // The request itself may count as connected, if this is not its first look.
        let is_counted = |one: &UnderWay| one.lease == lease && one.is_connected && self.lanes.is_none();
        let others = self.sessions() - usize::from(self.under_way.iter().any(is_counted));
        let is_full = others >= self.settings.max_sockets || self.no_sockets_until.is_some();
        let find = |only: bool| {
            let fits = |idle: &Idle<C>| idle.connection.is_one_way() == only;
            let own = self.idle.iter().rposition(|idle| idle.owner == thread && fits(idle));
            let may_move = |idle: &Idle<C>| self.lanes.is_none() || is_full || !idle.connection.is_bound();
            own.or_else(|| self.idle.iter().rposition(|idle| may_move(idle) && fits(idle)))
        };
        match is_one_way {
            true => find(true).or_else(|| find(false)),
            false => find(false).or_else(|| if is_full { find(true) } else { None }),
        }
    }

    /// Whether it keeps an idle connection. A shared one is in the count already.
    pub(super) fn keeps(&self) -> bool {
        let most = self.settings.max_sockets;
        let has_room = if self.lanes.is_some() { self.sessions() <= most } else { self.sessions() < most };
        self.wish != Wish::Stop && !self.is_removed && has_room
    }

    /// Takes all lanes of one shared connection that nobody needs, if there is one.
    pub(super) fn unused(&mut self, lanes: usize, idle_timeout: Duration, now: Instant) -> Vec<C>
    where
        C: Pooled,
    {
        if self.sessions() <= self.settings.start_sockets {
            return Vec::new();
        }
        let mut sessions: BTreeMap<usize, (usize, Instant)> = BTreeMap::new();
        for idle in &self.idle {
            if let Some(session) = idle.connection.session() {
                let (count, since) = sessions.entry(session).or_insert((0, idle.since));
                (*count, *since) = (*count + 1, (*since).max(idle.since));
            }
        }
        let is_unused = |(count, since): &(usize, Instant)| *count == lanes && *since + idle_timeout <= now;
        let Some((unused, _)) = sessions.into_iter().find(|(_, one)| is_unused(one)) else {
            return Vec::new();
        };
        let taken = self.idle.extract_if(.., |idle| idle.connection.session() == Some(unused));
        taken.map(|idle| idle.connection).collect()
    }

    pub(super) fn come_back(&mut self, now: Instant) {
        if !matches!(self.health, Health::Well) {
            self.health = Health::Well;
            self.back_since = Some(now);
            self.average_us = 0.0;
            self.reason = None;
        }
    }

    pub(super) fn state(&self) -> State {
        match (&self.health, self.wish) {
            _ if self.is_removed => State::Removed,
            (_, Wish::Stop) => State::Stopped,
            (_, Wish::Quiesce) => State::Quiesced,
            (Health::Well, Wish::Start) => State::Active,
            (Health::Down { .. }, Wish::Start) => State::Down,
            (Health::Ejected { .. }, Wish::Start) => State::Ejected,
        }
    }

    /// The reason for a state. What operators have ended has no failure to tell of.
    pub(super) fn why(&self, state: State) -> Option<&str> {
        match state {
            State::Stopped | State::Quiesced => Some("by an operator"),
            State::Removed => Some("no longer in the configuration"),
            _ => self.reason.as_deref(),
        }
    }

    pub(super) fn candidate(&self, place: usize, slow_start: Duration, now: Instant) -> Candidate {
        let since = |then: Instant| now.saturating_duration_since(then);
        let share = self.back_since.map_or(1.0, |back| share(since(back), slow_start));
        Candidate {
            place,
            in_flight: self.under_way.len(),
            average_us: self.average_us,
            oldest_us: self.under_way.first().map_or(0.0, |first| since(first.begun).as_micros() as f64),
            weight: self.settings.weight * share,
        }
    }

    /// Counts a failure. Too many failures in a row eject the endpoint for a while.
    pub(super) fn fail(&mut self, reason: &str, may_eject: bool, settings: &GroupSettings, now: Instant) {
        self.reason = Some(reason.to_owned());
        self.failures += 1;
        let ejection = settings.ejection;
        let is_enough = ejection.failures > 0 && self.failures >= ejection.failures;
        if is_enough && may_eject && matches!(self.health, Health::Well) {
            self.ejections += 1;
            self.health = Health::Ejected { until: now + ejection.time * self.ejections };
            let (group, endpoint, failures) = (&settings.name, &*self.name, self.failures);
            tracing::warn!(group, endpoint, failures, reason, "an endpoint failed too often and is left out");
        }
    }

    /// Notes that this process may open no more sockets. Requests then wait for idle connections, and
    /// for a trial after a pause.
    pub(super) fn lack_sockets(&mut self, reason: &str, settings: &GroupSettings, now: Instant) {
        if self.no_sockets_until.is_none() {
            let (group, endpoint) = (&settings.name, &*self.name);
            tracing::warn!(group, endpoint, reason, "an endpoint gets no more connections");
        }
        self.reason = Some(reason.to_owned());
        self.no_sockets_until = Some(now + NO_SOCKETS_PAUSE);
    }

    /// Notes that no connection comes up. The endpoint is tried again after a pause.
    pub(super) fn unreachable(&mut self, reason: &str, settings: &GroupSettings, now: Instant) {
        self.reason = Some(reason.to_owned());
        let tries = match self.health {
            // Another call has noted it, and its pause still runs.
            Health::Down { next, .. } if next > now => return,
            Health::Down { tries, .. } => tries + 1,
            _ => {
                let (group, endpoint) = (&settings.name, &*self.name);
                tracing::warn!(group, endpoint, reason, "an endpoint cannot be reached");
                0
            }
        };
        // The idle connections led to a server that is gone.
        self.idle.clear();
        self.health = Health::Down { tries, next: now + settings.reconnect.pause(tries, random()) };
    }
}
