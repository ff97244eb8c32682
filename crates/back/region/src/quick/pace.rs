//! Which programs are quick, so that the region's thread waits for them at the bell.
//!
//! A region's thread serves many callers. When it waits at a bell, all its callers wait with it. So it does
//! this only for programs that have been quick before ([`Pace`]), and for [`AT_THE_BELL_MAX`] at most.
//! Otherwise it waits at the socket, asynchronously.

use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::time::Duration;

use wire::{Name, spread};

use crate::running::process::WaitsAt;

/// The most time that a region's thread waits at a bell. It is longer than the clock tick of usual kernels (1
/// or 4 ms). A timer that ends before the next tick must be set in hardware, which costs more than the call
/// in a virtual machine.
pub(crate) const AT_THE_BELL_MAX: Duration = Duration::from_millis(5);

/// A program of another region on this machine is slow if it takes longer than this. It may take longer than
/// one of this region ([`Limits::quick_max`](crate::Limits::quick_max)), because of two more switches and
/// copied data.
pub(crate) const QUICK_FAR_MAX: Duration = Duration::from_micros(200);

/// After a slow call, this many calls of the program are not waited for at the bell. If the next one is slow
/// too, the number doubles, up to the second number.
const CALLS_AFTER_SLOW: (u16, u16) = (8, 4096);

/// The same for batches, after a call that waited for others of its program and found none.
const CALLS_AFTER_ALONE: (u16, u16) = (1, 64);

/// The same for batches, after a call in a batch has asked for something, so that the calls after it had to
/// go again.
const CALLS_AFTER_ASKING: (u16, u16) = (8, 4096);

/// After a call that kept its worker while it waited, this many calls of the program wait for a worker in the
/// queue.
const CALLS_AFTER_WAITING: (u16, u16) = (8, 4096);

/// Programs with a pace of their own. Programs beyond these share a place, which costs only time.
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

/// The pace of a program. Threads may miss each other's notes, which costs only time.
#[derive(Debug)]
pub(crate) struct Pace {
    /// The program is slow if it takes longer.
    quick_max: Duration,
    /// Calls that are not waited for at the bell.
    bell: Skips,
    /// Calls that do not wait for others.
    batch: Skips,
    /// Calls that are not expected back at once.
    at_once: Skips,
    /// The time of the last wait at the bell: for a whole call, or for its part between two requests to the region.
    took_ns: AtomicU32,
}

/// Skips calls for which an attempt has not paid off.
#[derive(Debug)]
struct Skips {
    /// How many of the next calls are skipped.
    left: AtomicU16,
    /// How many calls are skipped after the next failed attempt.
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

    /// True if this call most likely gives its worker back at once. Other calls may still be waited for at
    /// the bell, because their steps between two waits may be quick.
    pub(crate) fn is_back_at_once(&self) -> bool {
        self.at_once.is_due()
    }

    /// The program waits for an answer, and keeps its worker meanwhile.
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

    /// The time of the last call that its caller waited for at the bell.
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

    /// A call in a batch has asked for something, so that the calls after it have not begun.
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
