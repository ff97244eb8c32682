//! How a region and a worker take turns: what the bells in the shared memory mean, and when the region's thread waits at
//! one.
//!
//! The region's bell counts its messages; the worker waits for it to change. The worker's bell says where the region waits
//! for it. A region's thread serves many callers. It only waits at a bell itself, in which all others wait with it, for
//! programs that have been quick before ([`Pace`]), and then for [`AT_THE_BELL_MAX`] at most; else it waits at the socket,
//! asynchronously.

use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use crate::wire::Name;

/// The region's thread waits at the bell: it is to be woken.
pub const AT_THE_BELL: u32 = 1;

/// The region waits for a byte on the socket.
pub const AT_THE_SOCKET: u32 = 2;

/// There is a message for the region.
pub const RUNG: u32 = 3;

/// The most time that a region's thread waits at a bell. It is longer than the clock tick of usual kernels (1 or 4 ms), for
/// a timer that ends before the next tick must be set in hardware, which costs more than the call in a virtual machine.
pub(crate) const AT_THE_BELL_MAX: Duration = Duration::from_millis(5);

/// A program that takes longer than this is slow. A program and the two switches to it and back take some 4 µs.
pub(crate) const QUICK_MAX: Duration = Duration::from_micros(50);

/// The same for a program of another region on this machine, which has two more switches and its data copied.
pub(crate) const QUICK_FAR_MAX: Duration = Duration::from_micros(200);

/// How many calls of a program go by after one that was slow, before the next one is waited for at the bell. If that is
/// slow too, twice as many go by, up to the second number.
const CALLS_AFTER_SLOW: (u16, u16) = (8, 4096);

/// Programs that are told apart. Others share a place, which costs time and nothing else.
const PLACES: usize = 256;

/// Which programs are quick.
#[derive(Debug)]
pub(crate) struct Paces([Pace; PLACES]);

impl Default for Paces {
    fn default() -> Self {
        Self([const { Pace { left: AtomicU16::new(0), next: AtomicU16::new(CALLS_AFTER_SLOW.0) } }; PLACES])
    }
}

impl Paces {
    /// The pace of a program.
    pub(crate) fn of(&self, program: Name<8>) -> &Pace {
        // Fibonacci hashing: the upper bits depend on all of the name.
        let mixed = u64::from_le_bytes(program).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &self.0[(mixed >> 56) as usize % PLACES]
    }
}

/// The pace of a program. Threads may miss what others note at the same time, which costs time and nothing else.
#[derive(Debug)]
pub(crate) struct Pace {
    /// How many calls are not to be waited for at the bell.
    left: AtomicU16,
    /// How many that will be after the next slow one.
    next: AtomicU16,
}

impl Pace {
    /// True if this call is to be waited for at the bell.
    pub(crate) fn is_quick(&self) -> bool {
        match self.left.load(Ordering::Relaxed) {
            0 => true,
            left => {
                self.left.store(left - 1, Ordering::Relaxed);
                false
            }
        }
    }

    /// The program waits for what it has asked for: it is slow, and keeps its worker meanwhile.
    pub(crate) fn waited(&self) {
        self.took(QUICK_MAX * 2, QUICK_MAX);
    }

    /// A call was waited for so long; it is slow if that is more than `quick_max`.
    pub(crate) fn took(&self, time: Duration, quick_max: Duration) {
        let (first, most) = CALLS_AFTER_SLOW;
        let next = self.next.load(Ordering::Relaxed);
        if time > quick_max {
            self.left.store(next, Ordering::Relaxed);
            self.next.store(most.min(next.saturating_mul(2)), Ordering::Relaxed);
        } else if next != first {
            self.next.store(first, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::name;

    #[test]
    fn slow_programs_are_not_waited_for_at_the_bell() {
        let paces = Paces::default();
        let (slow, other) = (paces.of(name("SLOW")), paces.of(name("OTHER")));
        for calls in [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096] {
            assert!(slow.is_quick() && other.is_quick());
            slow.took(QUICK_MAX * 2, QUICK_MAX);
            assert!((0..calls).all(|_| !slow.is_quick()));
        }
        // It may have become quick.
        assert!(slow.is_quick() && other.is_quick());
        slow.took(QUICK_MAX, QUICK_MAX);
        assert!(slow.is_quick());
        slow.took(AT_THE_BELL_MAX, QUICK_MAX);
        assert!((0..8).all(|_| !slow.is_quick()) && slow.is_quick());
        // So is one that waits in the region, whatever time its own commands take.
        other.waited();
        assert!((0..8).all(|_| !other.is_quick()) && other.is_quick());
    }
}
