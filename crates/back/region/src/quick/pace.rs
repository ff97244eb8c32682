//! Which programs are quick, so that the region's thread waits for them at the bell.
//!
//! A region's thread serves many callers. It only waits at a bell itself, in which all others wait with it, for programs
//! that have been quick before ([`Pace`]), and then for [`AT_THE_BELL_MAX`] at most; else it waits at the socket,
//! asynchronously.

use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::time::Duration;

use wire::{Name, spread};

use crate::running::process::WaitsAt;

/// The most time that a region's thread waits at a bell. It is longer than the clock tick of usual kernels (1 or 4 ms), for
/// a timer that ends before the next tick must be set in hardware, which costs more than the call in a virtual machine.
pub(crate) const AT_THE_BELL_MAX: Duration = Duration::from_millis(5);

/// A program of another region on this machine that takes longer than this is slow: it has two more switches than one of this region,
/// for which [`Limits::quick_max`](crate::Limits::quick_max) says it, and its data is copied.
pub(crate) const QUICK_FAR_MAX: Duration = Duration::from_micros(200);

/// How many calls of a program go by after one that was slow, before the next one is waited for at the bell. If that is
/// slow too, twice as many go by, up to the second number.
const CALLS_AFTER_SLOW: (u16, u16) = (8, 4096);

/// The same after a call for which others of the same program were looked for, and there were none: calls that go alone.
const CALLS_AFTER_ALONE: (u16, u16) = (1, 64);

/// The same after one in a batch has asked for something, so that those after it had to go again.
const CALLS_AFTER_ASKING: (u16, u16) = (8, 4096);

/// How many calls of a program take a worker in their turn after one that has kept its worker while it waited.
const CALLS_AFTER_WAITING: (u16, u16) = (8, 4096);

/// Programs that are told apart. Others share a place, which costs time and nothing else.
const PLACES: usize = 256;

/// Which programs are quick.
#[derive(Debug)]
pub(crate) struct Paces([Pace; PLACES]);

impl Paces {
    /// Programs that take longer than this are slow.
    pub(crate) fn new(quick_max: Duration) -> Self {
        Self(std::array::from_fn(|_| Pace {
            quick_max,
            bell: Skips::new(CALLS_AFTER_SLOW),
            batch: Skips::new(CALLS_AFTER_ALONE),
            at_once: Skips::new(CALLS_AFTER_WAITING),
            took_ns: AtomicU32::new(0),
        }))
    }

    /// The pace of a program.
    pub(crate) fn of(&self, program: Name<8>) -> &Pace {
        &self.0[(spread(program) >> 56) as usize % PLACES]
    }
}

/// The pace of a program. Threads may miss what others note at the same time, which costs time and nothing else.
#[derive(Debug)]
pub(crate) struct Pace {
    /// The program is slow if it takes longer.
    quick_max: Duration,
    /// Calls that are not to be waited for at the bell.
    bell: Skips,
    /// Calls that are not to wait for others.
    batch: Skips,
    /// Calls that are not to be expected back at once.
    at_once: Skips,
    /// The time of the last wait at the bell: for a whole call, or for its part between two requests to the region.
    took_ns: AtomicU32,
}

/// Calls of which something is not tried, because it has not been worth it.
#[derive(Debug)]
struct Skips {
    /// How many of the next calls are skipped.
    left: AtomicU16,
    /// How many that will be after the next one that is not worth it.
    next: AtomicU16,
}

impl Skips {
    const fn new((first, _): (u16, u16)) -> Self {
        Self { left: AtomicU16::new(0), next: AtomicU16::new(first) }
    }

    /// False if this call is skipped.
    fn is_due(&self) -> bool {
        match self.left.load(Ordering::Relaxed) {
            0 => true,
            left => {
                self.left.store(left - 1, Ordering::Relaxed);
                false
            }
        }
    }

    /// It was not worth it.
    fn skip(&self, (first, most): (u16, u16)) {
        let next = self.next.load(Ordering::Relaxed).clamp(first, most);
        self.left.store(next, Ordering::Relaxed);
        self.next.store(most.min(next.saturating_mul(2)), Ordering::Relaxed);
    }

    /// It was worth it.
    fn reset(&self, (first, _): (u16, u16)) {
        if self.next.load(Ordering::Relaxed) != first {
            self.next.store(first, Ordering::Relaxed);
        }
    }
}

impl Pace {
    /// True if this call is to be waited for at the bell.
    pub(crate) fn is_quick(&self) -> bool {
        self.bell.is_due()
    }

    /// Where this call is to be waited for.
    pub(crate) fn next_wait(&self) -> WaitsAt {
        if self.is_quick() { WaitsAt::Bell } else { WaitsAt::Socket }
    }

    /// True if this call, which is quick, is to wait for others that can go with it.
    pub(crate) fn is_for_batches(&self) -> bool {
        self.batch.is_due()
    }

    /// True if this call most likely gives its worker back at once. Those that do not may still be waited for at the bell: what they do
    /// between two waits may be quick.
    pub(crate) fn is_back_at_once(&self) -> bool {
        self.at_once.is_due()
    }

    /// The program waits for what it has asked for, and keeps its worker meanwhile.
    pub(crate) fn waited(&self) {
        self.at_once.skip(CALLS_AFTER_WAITING);
    }

    /// A call has given its worker back at once.
    pub(crate) fn came_back_at_once(&self) {
        self.at_once.reset(CALLS_AFTER_WAITING);
    }

    /// A call was waited for so long.
    pub(crate) fn took(&self, time: Duration) {
        self.took_ns.store(u32::try_from(time.as_nanos()).unwrap_or(u32::MAX), Ordering::Relaxed);
        match time > self.quick_max {
            true => self.bell.skip(CALLS_AFTER_SLOW),
            false => self.bell.reset(CALLS_AFTER_SLOW),
        }
    }

    /// What a call takes that is waited for at the bell.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_nanos(self.took_ns.load(Ordering::Relaxed).into())
    }

    /// So many calls have gone together to their ends.
    pub(crate) fn went_together(&self, calls: usize) {
        match calls > 1 {
            true => self.batch.reset(CALLS_AFTER_ALONE),
            false => self.batch.skip(CALLS_AFTER_ALONE),
        }
    }

    /// A call in a batch has asked for something, so that those after it have not begun.
    pub(crate) fn asked_in_batch(&self) {
        self.batch.skip(CALLS_AFTER_ASKING);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::name;

    const QUICK_MAX: Duration = Duration::from_micros(50);

    #[test]
    fn slow_programs_are_not_waited_for_at_the_bell() {
        let paces = Paces::new(QUICK_MAX);
        let (slow, other) = (paces.of(name("SLOW")), paces.of(name("OTHER")));
        for calls in [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096] {
            assert!(slow.is_quick() && other.is_quick());
            slow.took(QUICK_MAX * 2);
            assert!((0..calls).all(|_| !slow.is_quick()));
        }
        // It may have become quick.
        assert!(slow.is_quick() && other.is_quick());
        slow.took(QUICK_MAX);
        assert!(slow.is_quick());
        slow.took(AT_THE_BELL_MAX);
        assert!((0..8).all(|_| !slow.is_quick()) && slow.is_quick());
    }

    #[test]
    fn programs_that_wait_are_quick_between_their_waits_and_do_not_come_back_at_once() {
        let paces = Paces::new(QUICK_MAX);
        let pace = paces.of(name("ASKER"));
        for calls in [8, 16, 32] {
            assert!(pace.is_back_at_once());
            pace.waited();
            pace.took(QUICK_MAX);
            assert!((0..calls).all(|_| pace.is_quick() && !pace.is_back_at_once()));
        }
        assert!(pace.is_back_at_once());
        pace.came_back_at_once();
        pace.waited();
        assert!((0..8).all(|_| !pace.is_back_at_once()) && pace.is_back_at_once());
    }

    #[test]
    fn calls_without_company_look_for_it_more_and_more_seldom() {
        let paces = Paces::new(QUICK_MAX);
        let pace = paces.of(name("LONELY"));
        for calls in [1, 2, 4, 8, 16, 32, 64, 64] {
            assert!(pace.is_for_batches());
            pace.went_together(1);
            assert!((0..calls).all(|_| !pace.is_for_batches()));
        }
        assert!(pace.is_for_batches());
        pace.went_together(2);
        assert!(pace.is_for_batches());
        // Those that ask do so again, most likely.
        for calls in [8, 16, 32] {
            pace.asked_in_batch();
            assert!((0..calls).all(|_| !pace.is_for_batches()) && pace.is_for_batches());
        }
        pace.took(Duration::from_micros(7));
        assert_eq!(pace.time(), Duration::from_micros(7));
    }
}
