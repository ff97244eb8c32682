//! The shortest time before a retransmission, adapted to each endpoint. It rises while the server
//! reports needless retransmissions. Later it falls back.
//!
//! A packet can be sent again although the server has it. This happens if the server delays its
//! acknowledgements, or if its replies take longer than the floor. The server reports it (DSACK).
//! Its answers are right, but the network carries more than it must. A floor above the delay ends
//! that.
//!
//! A link that loses packets causes DSACKs, too. If it loses an acknowledgement, the packet is sent
//! again needlessly. But such a link loses about as many packets themselves, and these must be sent
//! again. So the floor rises only if nearly all retransmissions were needless.
//!
//! `Floor` is the rule, on given figures and times. `Floors` holds the floor that the connections
//! of an endpoint share.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The highest floor. It is the kernel's default; sockets cannot set a higher one.
pub(crate) const HIGHEST: Duration = Duration::from_millis(200);

/// With fewer needless retransmissions than this, the floor does not rise.
const NEEDLESS_MIN: u64 = 16;

/// The floor may be too low if more than this many of 1,000 segments were needless.
const NEEDLESS_PER_MILLE: u64 = 15;

/// The floor is too low if at least this many of 100 retransmissions were needless. Under loss
/// about half of them are.
const NEEDLESS_PERCENT: u64 = 90;

/// Figures count for this time, so old ones have no weight. While there are few, they count for the
/// longer time.
const SLICE: Duration = Duration::from_secs(2);
const SLICE_MAX: Duration = Duration::from_secs(60);

/// This many retransmissions are enough to end a slice.
const ENOUGH: u64 = 20;

/// Counts of segments that connections sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// All segments.
    pub(crate) segments: u64,
    /// Segments that were sent again.
    pub(crate) again: u64,
    /// Segments that were sent again needlessly.
    pub(crate) needless: u64,
}

/// After this time without a rise, the floor falls by one step. If a rise follows the fall, the
/// time doubles.
const QUIET: Duration = Duration::from_secs(60);

/// The longest time without a rise.
const QUIET_MAX: Duration = Duration::from_secs(3_600);

/// The state of an endpoint's floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stands {
    /// The floor now.
    pub(crate) floor: Duration,
    /// How often it rose.
    pub(crate) rises: u64,
    /// How often it fell.
    pub(crate) falls: u64,
}

/// The rule.
#[derive(Debug)]
pub(crate) struct Floor {
    /// The floor of the configuration.
    own: Duration,
    now: Duration,
    /// The begin of the slice, and its counts.
    begun: Instant,
    slice: Sent,
    /// When the floor last rose or fell.
    changed: Instant,
    /// True if the last change was a fall.
    fell: bool,
    quiet: Duration,
    rises: u64,
    falls: u64,
}

impl Floor {
    pub(crate) fn new(own: Duration, at: Instant) -> Self {
        Self {
            own,
            now: own,
            begun: at,
            slice: Sent::default(),
            changed: at,
            fell: false,
            quiet: QUIET,
            rises: 0,
            falls: 0,
        }
    }

    /// Takes the counts since the last call. Gives the floor from now on.
    pub(crate) fn see(&mut self, new: Sent, at: Instant) -> Duration {
        self.slice.segments += new.segments;
        self.slice.again += new.again;
        self.slice.needless += new.needless;
        let Sent { segments, again, needless } = self.slice;
        let long = at.saturating_duration_since(self.begun);
        if needless >= NEEDLESS_MIN
            && needless * 1_000 > segments * NEEDLESS_PER_MILLE
            && needless * 100 >= again * NEEDLESS_PERCENT
        {
            self.rise(at);
        } else if (long >= SLICE && again >= ENOUGH) || long >= SLICE_MAX {
            self.begin(at);
        }
        if self.now > self.own && at.saturating_duration_since(self.changed) >= self.quiet {
            (self.now, self.changed, self.fell) = ((self.now / 2).max(self.own), at, true);
            self.falls += 1;
        }
        self.now
    }

    fn rise(&mut self, at: Instant) {
        self.begin(at);
        if self.now >= HIGHEST {
            self.changed = at;
            return;
        }
        if self.fell {
            // The floor was right before it fell.
            self.quiet = (self.quiet * 2).min(QUIET_MAX);
        }
        (self.now, self.changed, self.fell) = ((self.now * 2).min(HIGHEST), at, false);
        self.rises += 1;
    }

    fn begin(&mut self, at: Instant) {
        (self.begun, self.slice) = (at, Sent::default());
    }

    fn stands(&self) -> Stands {
        Stands { floor: self.now, rises: self.rises, falls: self.falls }
    }
}

/// The floor that the connections of an endpoint share; none until a connection sets its own floor.
#[derive(Debug, Default)]
pub(crate) struct Floors(Mutex<Option<Floor>>);

impl Floors {
    fn floor(&self) -> MutexGuard<'_, Option<Floor>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The floor of a new connection. `own` is the floor of its configuration.
    pub(crate) fn of_new(&self, own: Duration, at: Instant) -> Duration {
        let mut kept = self.floor();
        // Begin again if the configuration has changed.
        if kept.as_ref().is_none_or(|floor| floor.own != own) {
            *kept = Some(Floor::new(own, at));
        }
        kept.as_ref().map_or(own, |floor| floor.now)
    }

    /// The state of the floor; none if there is no floor.
    pub(crate) fn stands(&self) -> Option<Stands> {
        self.floor().as_ref().map(Floor::stands)
    }
}

/// The time between two looks at a connection.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The state of a connection's floor.
#[derive(Debug)]
pub(crate) struct Watched {
    own: Duration,
    /// The floor of its socket.
    set: Duration,
    looked: Instant,
    sent: Sent,
}

impl Watched {
    /// A new connection. `set` is the floor of its socket, `own` the floor of the configuration.
    pub(crate) fn new(own: Duration, set: Duration, at: Instant) -> Self {
        Self { own, set, looked: at, sent: Sent::default() }
    }

    /// Whether it is time to look again.
    pub(crate) fn is_due(&self, at: Instant) -> bool {
        at.saturating_duration_since(self.looked) >= LOOK_EVERY
    }

    /// Reports the connection's counts to the endpoint. Gives the new floor of its socket, if it
    /// must change.
    pub(crate) fn look(&mut self, floors: &Floors, sent: Sent, at: Instant) -> Option<Duration> {
        let new = Sent {
            segments: sent.segments.saturating_sub(self.sent.segments),
            again: sent.again.saturating_sub(self.sent.again),
            needless: sent.needless.saturating_sub(self.sent.needless),
        };
        (self.looked, self.sent) = (at, sent);
        let mut kept = floors.floor();
        let floor = kept.as_mut().filter(|floor| floor.own == self.own)?.see(new, at);
        (floor != self.set).then(|| {
            self.set = floor;
            floor
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Duration = Duration::from_millis(20);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A server that acknowledges after `delay`, with ten requests a second. Each request is sent
    /// again if the floor is lower.
    struct Peer {
        begun: Instant,
        delay: Duration,
        floor: Floor,
        segments: u64,
        needless: u64,
    }

    impl Peer {
        fn new(delay: Duration) -> Self {
            let begun = Instant::now();
            Self { begun, delay, floor: Floor::new(OWN, begun), segments: 0, needless: 0 }
        }

        /// Runs from one second to another. Gives the needless segments of 1,000.
        fn run(&mut self, from_s: u64, to_s: u64) -> u64 {
            let before = (self.segments, self.needless);
            for tenth in from_s * 10..to_s * 10 {
                let is_needless = self.floor.now < self.delay;
                let (segments, needless) = if is_needless { (3, 1) } else { (2, 0) };
                (self.segments, self.needless) = (self.segments + segments, self.needless + needless);
                self.floor.see(Sent { segments, again: needless, needless }, self.begun + ms(tenth * 100));
            }
            (self.needless - before.1) * 1_000 / (self.segments - before.0)
        }
    }

    #[test]
    fn a_floor_that_needs_nothing_stays() {
        let mut peer = Peer::new(ms(5));
        assert_eq!(peer.run(0, 600), 0);
        assert_eq!(peer.floor.stands(), Stands { floor: OWN, rises: 0, falls: 0 });
    }

    #[test]
    fn it_rises_above_the_delay_within_seconds_and_no_higher() {
        for (delay, floor, rises) in [(30, 40, 1), (41, 80, 2), (150, 160, 3), (190, 200, 4)] {
            let mut peer = Peer::new(ms(delay));
            peer.run(0, 2 * rises);
            assert_eq!(peer.floor.stands(), Stands { floor: ms(floor), rises, falls: 0 }, "{delay} ms");
            assert_eq!(peer.run(2 * rises, 60), 0, "{delay} ms");
        }
    }

    #[test]
    fn it_tries_a_lower_floor_ever_less_often() {
        let mut peer = Peer::new(ms(30));
        // From the fifth second on, for two hours, fewer than two of a thousand are needless.
        peer.run(0, 5);
        assert!(peer.run(5, 7_200) < 2, "of 1,000");
        let stands = peer.floor.stands();
        assert!((3..12).contains(&stands.falls) && stands.rises >= stands.falls, "{stands:?}");
    }

    #[test]
    fn it_falls_back_when_the_server_delays_no_more() {
        let mut peer = Peer::new(ms(150));
        peer.run(0, 10);
        assert_eq!(peer.floor.now, ms(160));
        peer.delay = ms(1);
        peer.run(10, 100);
        assert_eq!(peer.floor.now, ms(80));
        peer.run(100, 300);
        assert_eq!(peer.floor.stands(), Stands { floor: OWN, rises: 3, falls: 3 });
    }

    #[test]
    fn a_few_among_many_change_nothing() {
        let mut floor = Floor::new(OWN, Instant::now());
        let begun = Instant::now();
        for tenth in 0..1_000 {
            floor.see(Sent { segments: 1_000, again: 5, needless: 5 }, begun + ms(tenth * 100));
        }
        assert_eq!(floor.now, OWN);
        // A few of them each minute do not raise it either, even if little else is sent.
        for minute in 2..30 {
            floor.see(Sent { segments: 15, again: 15, needless: 15 }, begun + ms(minute * 61_000));
        }
        assert_eq!(floor.now, OWN);
    }

    #[test]
    fn a_link_that_loses_packets_does_not_raise_it() {
        // 1, 3, 5 and 10 of 100 packets are lost each way. Half of the retransmitted packets were
        // lost, half had arrived.
        for percent in [1, 3, 5, 10] {
            let (begun, mut chance) = (Instant::now(), 0x9E37_79B9_7F4A_7C15_u64);
            let mut is_lost = || {
                chance ^= chance << 13;
                chance ^= chance >> 7;
                chance ^= chance << 17;
                (chance >> 20) % 100 < percent
            };
            let mut floor = Floor::new(OWN, begun);
            for tenth in 0..6_000 {
                let mut sent = Sent::default();
                for _ in 0..20 {
                    let (request, reply) = (is_lost(), is_lost());
                    sent.segments += 2 + u64::from(request) + u64::from(reply);
                    sent.again += u64::from(request) + u64::from(reply);
                    sent.needless += u64::from(reply);
                }
                floor.see(sent, begun + ms(tenth * 100));
            }
            assert_eq!(floor.stands(), Stands { floor: OWN, rises: 0, falls: 0 }, "{percent}%");
        }
    }

    #[test]
    fn connections_share_the_floor_of_their_endpoint() {
        let (floors, begun) = (Floors::default(), Instant::now());
        let mut one = Watched::new(OWN, floors.of_new(OWN, begun), begun);
        let mut other = Watched::new(OWN, floors.of_new(OWN, begun), begun);
        assert!(!one.is_due(begun + ms(50)) && one.is_due(begun + ms(100)));
        let sent = |segments, needless| Sent { segments, again: needless, needless };
        assert_eq!(one.look(&floors, sent(10, 8), begun + ms(100)), None);
        assert_eq!(other.look(&floors, sent(10, 8), begun + ms(100)), Some(ms(40)));
        assert_eq!(one.look(&floors, sent(12, 8), begun + ms(200)), Some(ms(40)));
        assert_eq!(one.look(&floors, sent(14, 8), begun + ms(300)), None, "only what is new counts");
        assert_eq!(floors.of_new(OWN, begun), ms(40), "new connections begin there");
        assert_eq!(floors.of_new(ms(50), begun), ms(50), "another configuration does not");
        assert_eq!(
            one.look(&floors, sent(99, 50), begun + ms(400)),
            None,
            "nor do old connections change it"
        );
        assert_eq!(floors.stands(), Some(Stands { floor: ms(50), rises: 0, falls: 0 }));
    }
}
