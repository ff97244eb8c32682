//! Whether the cores run what is due: on a virtual machine they may stand still for a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};

const SLEEP: Duration = Duration::from_millis(2);

/// Watches until it is dropped.
pub(crate) struct Stalls {
    ended: Arc<AtomicBool>,
    longest_us: Arc<AtomicU64>,
}

/// Lets this thread, and those that it starts, run on one core.
pub(crate) fn run_on(core: usize) {
    let mut cores = CpuSet::new();
    cores.set(core);
    if let Err(error) = sched_setaffinity(None, &cores) {
        eprintln!("warning: not on core {core}: {error}");
    }
}

impl Stalls {
    /// Watches the gateway's core and the driver's.
    pub(crate) fn watch(core: Option<usize>) -> Self {
        let stalls = Self { ended: Arc::default(), longest_us: Arc::default() };
        for core in core.into_iter().flat_map(|core| [core, core + 1]) {
            let (ended, longest_us) = (Arc::clone(&stalls.ended), Arc::clone(&stalls.longest_us));
            std::thread::spawn(move || {
                run_on(core);
                while !ended.load(Ordering::Relaxed) {
                    let begun = Instant::now();
                    std::thread::sleep(SLEEP);
                    let late = begun.elapsed().saturating_sub(SLEEP);
                    longest_us
                        .fetch_max(u64::try_from(late.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
                }
            });
        }
        stalls
    }

    /// The longest time that a thread which was due did not run.
    pub(crate) fn longest(&self) -> Duration {
        Duration::from_micros(self.longest_us.load(Ordering::Relaxed))
    }
}

impl Drop for Stalls {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}
