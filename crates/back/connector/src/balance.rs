//! Which endpoint gets the next request. Pure: the caller gives the figures and the random number.
//!
//! An endpoint's load is its peak EWMA times its requests in flight. The peak EWMA is a moving
//! average of reply times. It rises at once and falls slowly. The oldest request without a reply
//! counts as a reply that takes at least as long as it has waited. So a server that stopped shows
//! at once. (tower's `PeakEwma` and Finagle use this algorithm.)

use std::time::Duration;

/// The time in which old replies lose most of their weight in the average.
pub const DECAY: Duration = Duration::from_secs(10);

/// Up to this number of endpoints, all are compared to find the least loaded.
pub(crate) const LOOK_AT_ALL_MAX: usize = 4;

/// How a group chooses the endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The less loaded of two random endpoints; of up to 4 endpoints, the least loaded.
    #[default]
    LeastLoaded,
    /// Each in turn.
    RoundRobin,
    /// The one with the fewest requests for its weight.
    LeastConnections,
}

/// What an endpoint is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It serves requests.
    Primary,
    /// It serves while no primary can.
    Backup,
}

/// An endpoint that can take a request now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Its place among the group's endpoints.
    pub place: usize,
    /// Its requests that have no reply yet.
    pub in_flight: usize,
    /// How long its replies take, in microseconds.
    pub average_us: f64,
    /// How long its oldest request has waited for its reply, in microseconds.
    pub oldest_us: f64,
    /// Its share of the requests. An endpoint that has just come back has a smaller share.
    pub weight: f64,
}

impl Candidate {
    fn load(&self) -> f64 {
        // An endpoint without any requests so far counts as no faster than the others.
        let average = self.average_us.max(self.oldest_us).max(1.0);
        average * (self.in_flight as f64 + 1.0) / self.weight.max(f64::MIN_POSITIVE)
    }

    fn requests(&self) -> f64 {
        (self.in_flight as f64 + 1.0) / self.weight.max(f64::MIN_POSITIVE)
    }
}

/// The place of the endpoint that gets the request; none if there are no candidates. `turn` counts
/// the requests of the group, and `random` is a random number.
#[must_use]
pub fn choose(policy: Policy, candidates: &[Candidate], turn: u64, random: u64) -> Option<usize> {
    let count = candidates.len();
    if count < 2 {
        return candidates.first().map(|only| only.place);
    }
    let chosen = match policy {
        Policy::RoundRobin => in_turn(candidates, turn),
        Policy::LeastConnections => least(candidates, turn, Candidate::requests),
        Policy::LeastLoaded if count <= LOOK_AT_ALL_MAX => least(candidates, turn, Candidate::load),
        Policy::LeastLoaded => {
            let first = (random % count as u64) as usize;
            let step = 1 + ((random >> 32) % (count as u64 - 1)) as usize;
            let (one, other) = (&candidates[first], &candidates[(first + step) % count]);
            if other.load() < one.load() { other } else { one }
        }
    };
    Some(chosen.place)
}

/// The candidate with the lowest measure. Turns decide between equal ones.
fn least(candidates: &[Candidate], turn: u64, by: fn(&Candidate) -> f64) -> &Candidate {
    let count = candidates.len();
    let from = (turn % count as u64) as usize;
    let (mut least, mut lowest) = (&candidates[from], by(&candidates[from]));
    for step in 1..count {
        let other = &candidates[(from + step) % count];
        let load = by(other);
        if load < lowest {
            (least, lowest) = (other, load);
        }
    }
    least
}

/// The next candidate in turn. The weight decides how often each comes.
fn in_turn(candidates: &[Candidate], turn: u64) -> &Candidate {
    let all: f64 = candidates.iter().map(|candidate| candidate.weight).sum();
    // The golden ratio spreads the turns evenly for any weights.
    let mut at = (turn as f64 * 0.618_033_988_749_895).fract() * all;
    if candidates.iter().all(|candidate| candidate.weight == candidates[0].weight) {
        return &candidates[(turn % candidates.len() as u64) as usize];
    }
    for candidate in candidates {
        at -= candidate.weight;
        if at < 0.0 {
            return candidate;
        }
    }
    &candidates[candidates.len() - 1]
}

/// The new average after a reply that took `took_us`. The last reply came `since` ago.
#[must_use]
pub fn average(before_us: f64, took_us: f64, since: Duration) -> f64 {
    if before_us <= 0.0 || took_us >= before_us {
        return took_us;
    }
    let kept = (-since.as_secs_f64() / DECAY.as_secs_f64()).exp();
    took_us + (before_us - took_us) * kept
}

/// The share of its weight that an endpoint has after it came back. It has its whole weight after
/// `slow_start`.
#[must_use]
pub fn share(since_back: Duration, slow_start: Duration) -> f64 {
    if since_back >= slow_start {
        return 1.0;
    }
    (since_back.as_secs_f64() / slow_start.as_secs_f64()).max(0.1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidate(place: usize, in_flight: usize, average_us: f64) -> Candidate {
        Candidate { place, in_flight, average_us, oldest_us: 0.0, weight: 1.0 }
    }

    proptest! {
        #[test]
        fn the_chosen_one_is_a_candidate(
            given in proptest::collection::vec((0_usize..50, 0.0_f64..1e6, 0.0_f64..1e7, 0.1_f64..10.0), 0..12),
            turn in any::<u64>(),
            random in any::<u64>(),
        ) {
            let candidates: Vec<Candidate> = given
                .iter()
                .enumerate()
                .map(|(at, (in_flight, average_us, oldest_us, weight))| Candidate {
                    place: at * 3,
                    in_flight: *in_flight,
                    average_us: *average_us,
                    oldest_us: *oldest_us,
                    weight: *weight,
                })
                .collect();
            for policy in [Policy::LeastLoaded, Policy::RoundRobin, Policy::LeastConnections] {
                let chosen = choose(policy, &candidates, turn, random);
                prop_assert_eq!(chosen.is_some(), !candidates.is_empty());
                prop_assert!(chosen.is_none_or(|place| candidates.iter().any(|one| one.place == place)));
            }
        }

        #[test]
        fn an_average_rises_at_once_and_stays_between(
            before in 1.0_f64..1e6, took in 1.0_f64..1e6, since_ms in 0_u64..100_000,
        ) {
            let after = average(before, took, Duration::from_millis(since_ms));
            prop_assert!(after >= took && after <= before.max(took));
        }
    }

    #[test]
    fn a_server_that_stopped_is_avoided_at_once() {
        let stopped = Candidate { oldest_us: 100_000.0, ..candidate(0, 1, 100.0) };
        let busy = candidate(1, 9, 150.0);
        assert_eq!(choose(Policy::LeastLoaded, &[stopped, busy], 0, 0), Some(1));
    }

    #[test]
    fn equal_endpoints_take_turns() {
        let two = [candidate(4, 0, 0.0), candidate(7, 0, 0.0)];
        for policy in [Policy::LeastLoaded, Policy::RoundRobin, Policy::LeastConnections] {
            let chosen: Vec<_> = (0..4).filter_map(|turn| choose(policy, &two, turn, 0)).collect();
            assert_eq!(chosen, [4, 7, 4, 7], "{policy:?}");
        }
    }

    #[test]
    fn weights_count_in_turns_and_connections() {
        let heavy = Candidate { weight: 3.0, ..candidate(1, 0, 0.0) };
        let two = [candidate(0, 0, 0.0), heavy];
        let turns = (0..1_000).filter(|turn| choose(Policy::RoundRobin, &two, *turn, 0) == Some(1)).count();
        assert!((700..800).contains(&turns), "{turns}");
        let loaded = [candidate(0, 1, 0.0), Candidate { in_flight: 4, ..heavy }];
        assert_eq!(choose(Policy::LeastConnections, &loaded, 0, 0), Some(1));
    }

    #[test]
    fn who_comes_back_begins_with_a_tenth() {
        let slow = Duration::from_secs(10);
        assert_eq!(share(Duration::ZERO, slow), 0.1);
        assert_eq!(share(Duration::from_secs(5), slow), 0.5);
        assert_eq!(share(Duration::from_secs(10), slow), 1.0);
        assert_eq!(share(Duration::ZERO, Duration::ZERO), 1.0);
    }
}
