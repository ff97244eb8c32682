//! Which endpoint gets the next request. Pure: the figures come from outside, and so does chance.
//!
//! An endpoint's load is its peak EWMA: a moving average of how long its replies took that rises at once and falls slowly,
//! times the requests that it has. The oldest request that has no reply yet counts as a reply that takes at least as long, so
//! that a server that stopped shows at once. (The algorithm is that of tower's `PeakEwma` and Finagle's.)

use std::time::Duration;

/// The time in which old replies lose most of their weight in the average.
pub const DECAY: Duration = Duration::from_secs(10);

/// With so many endpoints at most, the least loaded is looked for among all of them.
const LOOK_AT_ALL_MAX: usize = 4;

/// How the endpoint is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The less loaded of two that chance names; of up to 4 endpoints, the least loaded.
    #[default]
    LeastLoaded,
    /// One after the other.
    RoundRobin,
    /// The one with the fewest requests for its weight.
    LeastConnections,
}

/// What an endpoint is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It serves.
    Primary,
    /// It serves when no primary can.
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
    /// Its share of the requests. One that has just come back has less.
    pub weight: f64,
}

impl Candidate {
    fn load(&self) -> f64 {
        // One that was never asked is no faster than any other.
        let average = self.average_us.max(self.oldest_us).max(1.0);
        average * (self.in_flight as f64 + 1.0) / self.weight.max(f64::MIN_POSITIVE)
    }

    fn requests(&self) -> f64 {
        (self.in_flight as f64 + 1.0) / self.weight.max(f64::MIN_POSITIVE)
    }
}

/// The place of the endpoint that gets the request; none if there are no candidates. `turn` counts the requests of the group,
/// and `random` is chance.
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

/// The least by a measure. Of those that are equal, turns decide.
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

/// The next in turn, each as often as its weight says.
fn in_turn(candidates: &[Candidate], turn: u64) -> &Candidate {
    let all: f64 = candidates.iter().map(|candidate| candidate.weight).sum();
    // The golden ratio spreads the turns evenly, whatever the weights are.
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

/// The average after another reply that took so long, when the one before came that long ago.
#[must_use]
pub fn average(before_us: f64, took_us: f64, since: Duration) -> f64 {
    if before_us <= 0.0 || took_us >= before_us {
        return took_us;
    }
    let kept = (-since.as_secs_f64() / DECAY.as_secs_f64()).exp();
    took_us + (before_us - took_us) * kept
}

/// The share of its weight that an endpoint has so long after it came back, when it has its whole weight after `slow_start`.
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
