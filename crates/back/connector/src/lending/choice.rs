//! Which endpoint gets a request: by name, by role, and by load.

use std::sync::Arc;
use std::time::Instant;

use waiting::random;

use super::{Endpoint, Grant, Lending, Pooled, UnderWay, Wanted};
use crate::balance::{LOOK_AT_ALL_MAX, Role, choose};

impl<C: Pooled> Lending<C> {
    /// The endpoint for the next request, if one has room.
    pub(super) fn pick(&mut self, wanted: Wanted<'_>, now: Instant) -> Option<Grant> {
        let place = match wanted.endpoint {
            Some(name) => self
                .endpoints
                .iter()
                .position(|endpoint| &*endpoint.name == name && endpoint.serves() && endpoint.has_room())?,
            None => self.pick_by_role(wanted.tried, now)?,
        };
        let lease = self.number();
        let endpoint = &mut self.endpoints[place];
        endpoint.under_way.push(UnderWay { lease, begun: now, is_connected: false });
        let (name, destination) = (Arc::clone(&endpoint.name), Arc::clone(&endpoint.destination));
        let totals = Arc::clone(&endpoint.totals);
        let max_sockets = endpoint.settings.max_sockets;
        let (endpoint, generation) = (endpoint.id, self.generation);
        let settings = Arc::clone(&self.settings);
        Some(Grant {
            endpoint,
            lease,
            name,
            destination,
            totals,
            settings,
            max_sockets,
            begun: now,
            generation,
        })
    }

    pub(super) fn pick_by_role(&mut self, tried: &[u64], now: Instant) -> Option<usize> {
        let chosen = self.pick_of(Role::Primary, tried, now);
        if chosen.is_some() {
            return chosen;
        }
        let is_primary =
            |endpoint: &Endpoint<C>| endpoint.settings.role == Role::Primary && endpoint.serves();
        let is_full =
            self.endpoints.iter().any(|endpoint| is_primary(endpoint) && !tried.contains(&endpoint.id));
        if is_full && !self.settings.backup_when_full {
            return None;
        }
        self.pick_of(Role::Backup, tried, now)
    }

    pub(super) fn pick_of(&mut self, role: Role, tried: &[u64], now: Instant) -> Option<usize> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let slow_start = self.settings.slow_start;
        candidates.extend(self.endpoints.iter().enumerate().filter_map(|(place, endpoint)| {
            let may = endpoint.settings.role == role && endpoint.serves() && endpoint.has_room();
            (may && !tried.contains(&endpoint.id)).then(|| endpoint.candidate(place, slow_start, now))
        }));
        self.turn = self.turn.wrapping_add(1);
        // Chance matters only if not all candidates are compared.
        let chance = if candidates.len() > LOOK_AT_ALL_MAX {
            u64::from(random()) << 32 | u64::from(random())
        } else {
            0
        };
        let chosen = choose(self.settings.policy, &candidates, self.turn, chance);
        self.candidates = candidates;
        chosen
    }
}
