//! On which processors threads and workers run that wait for each other.
//!
//! While one thread waits for another, it is cheapest to run both on one processor. Waking an idle processor
//! costs several times the run of a short program. The kernel does not know that one of them will wait soon,
//! and would choose the idle processor.

use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::Pid;
use rustix::thread::CpuSet;

use crate::quick::pace::QUICK_FAR_MAX;

/// Where a worker may run.
#[derive(Debug)]
pub(crate) struct Processors {
    worker: Option<Pid>,
    /// All that the gateway may use.
    all: CpuSet,
    /// The only one that the worker may use now.
    only: Option<usize>,
}

impl Processors {
    pub(crate) fn of(pid: u32) -> Self {
        // Without the set, or with a single processor, there is nothing to choose.
        let all = rustix::thread::sched_getaffinity(None).unwrap_or_default();
        let worker = i32::try_from(pid).ok().and_then(Pid::from_raw).filter(|_| all.count() > 1);
        Self { worker, all, only: None }
    }

    pub(crate) fn that_of_this_thread(&mut self) {
        let here = rustix::thread::sched_getcpu();
        if self.only == Some(here) {
            return;
        }
        let (Some(worker), Some(only)) = (self.worker, only(here)) else { return };
        self.only = rustix::thread::sched_setaffinity(Some(worker), &only).is_ok().then_some(here);
    }

    pub(crate) fn all(&mut self) {
        if self.only.take().is_some() {
            // It only fails for a worker that is gone.
            let _ = rustix::thread::sched_setaffinity(self.worker, &self.all);
        }
    }
}

/// In place of a processor: the other side may run anywhere.
const ANYWHERE: u16 = u16::MAX;

/// The processors that the gateway may use.
static ALL: OnceLock<Option<CpuSet>> = OnceLock::new();

/// Notes which processors the gateway may use, while this thread may still use all of them.
pub(crate) fn note_all() {
    ALL.get_or_init(|| rustix::thread::sched_getaffinity(None).ok());
}

/// Lets a new thread run on any processor. The thread that started it may be bound to one processor, and the
/// new thread inherits that.
pub(crate) fn free_this_thread() {
    if let Some(Some(all)) = ALL.get() {
        // Without this it runs, and more slowly.
        let _ = rustix::thread::sched_setaffinity(None, all);
    }
}

/// A thread must begin this many waits in a row on a processor before the other side hears of it.
const STEADY_WAITS: u8 = 4;

/// A thread that stays on its processor until this is dropped.
#[derive(Debug)]
pub(crate) struct Stay {
    processor: u16,
    /// All that the thread may use.
    all: CpuSet,
}

impl Stay {
    /// This thread, which is about to wait for another one. None if it has no other processor anyway.
    pub(crate) fn here() -> Option<Self> {
        let all = rustix::thread::sched_getaffinity(None).ok().filter(|all| all.count() > 1)?;
        let here = rustix::thread::sched_getcpu();
        let only = only(here)?;
        rustix::thread::sched_setaffinity(None, &only).ok()?;
        Some(Self { processor: u16::try_from(here).ok()?, all })
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        // It was allowed to be there before.
        let _ = rustix::thread::sched_setaffinity(None, &self.all);
    }
}

/// The processor on which a session's caller waits, as the other side knows it.
#[derive(Debug, Default)]
pub(crate) struct Whereabouts {
    told: Option<u16>,
    seen: Option<u16>,
    times: u8,
    /// The other side knows a processor, and was slow on it.
    was_slow: bool,
}

impl Whereabouts {
    /// A wait begins; gives the processor if the other side should hear of it now.
    pub(crate) fn news(&mut self, stay: &Stay) -> Option<u16> {
        self.waits_on(stay.processor)
    }

    fn waits_on(&mut self, processor: u16) -> Option<u16> {
        if std::mem::take(&mut self.was_slow) {
            return Some(ANYWHERE);
        }
        if self.told == Some(processor) {
            self.times = 0;
            return None;
        }
        self.times = if self.seen == Some(processor) { self.times.saturating_add(1) } else { 1 };
        self.seen = Some(processor);
        if self.times < STEADY_WAITS {
            return None;
        }
        self.told = Some(processor);
        self.told
    }

    /// A wait took so long; the other side is not to stay where one is slow.
    pub(crate) fn took(&mut self, time: Duration) {
        if time > QUICK_FAR_MAX {
            *self = Self { was_slow: self.told.is_some() || self.was_slow, ..Self::default() };
        }
    }
}

/// A thread that runs where it is waited for, as long as it is quick.
#[derive(Debug, Default)]
pub(crate) struct Guest {
    /// All that it may use, while it stays on one of them.
    all: Option<CpuSet>,
}

impl Guest {
    /// The other side waits for this thread on that processor, or on one that does not matter.
    pub(crate) fn goes_to(&mut self, processor: u16) {
        let Some(only) = only(processor.into()) else { return self.leaves() };
        let all = match self.all.take() {
            Some(all) => all,
            None => match rustix::thread::sched_getaffinity(None) {
                Ok(all) => all,
                Err(_) => return,
            },
        };
        if all.count() > 1
            && all.is_set(processor.into())
            && rustix::thread::sched_setaffinity(None, &only).is_ok()
        {
            self.all = Some(all);
        } else {
            let _ = rustix::thread::sched_setaffinity(None, &all);
        }
    }

    /// The time that the other side waited for this thread.
    pub(crate) fn took(&mut self, time: Duration) {
        if time > QUICK_FAR_MAX {
            self.leaves();
        }
    }

    fn leaves(&mut self) {
        if let Some(all) = self.all.take() {
            let _ = rustix::thread::sched_setaffinity(None, &all);
        }
    }
}

fn only(processor: usize) -> Option<CpuSet> {
    if processor >= CpuSet::MAX_CPU {
        return None;
    }
    let mut only = CpuSet::new();
    only.set(processor);
    Some(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed() -> usize {
        rustix::thread::sched_getaffinity(None).expect("processors").count() as usize
    }

    #[test]
    fn a_thread_stays_while_it_waits_and_no_longer() {
        let before = allowed();
        let stay = Stay::here();
        assert_eq!((stay.is_some(), allowed()), (before > 1, 1));
        drop(stay);
        assert_eq!(allowed(), before);
    }

    #[test]
    fn the_other_side_is_told_of_a_processor_that_is_not_left_at_once() {
        let mut whereabouts = Whereabouts::default();
        let mut told = |processors: &[u16]| {
            processors.iter().map(|processor| whereabouts.waits_on(*processor)).collect::<Vec<_>>()
        };
        assert_eq!(told(&[0, 0, 0, 0, 0]), [None, None, None, Some(0), None]);
        assert_eq!(told(&[1, 1, 0, 1, 1, 1, 1]), [None, None, None, None, None, None, Some(1)]);
        whereabouts.took(QUICK_FAR_MAX);
        assert_eq!(whereabouts.waits_on(1), None);
        // After a slow call it may run anywhere until it hears of a processor again.
        whereabouts.took(QUICK_FAR_MAX * 2);
        whereabouts.took(QUICK_FAR_MAX * 2);
        let told: Vec<_> = (0..6).map(|_| whereabouts.waits_on(1)).collect();
        assert_eq!(told, [Some(ANYWHERE), None, None, None, Some(1), None]);
    }

    #[test]
    fn threads_that_a_guest_starts_stay_nowhere() {
        let before = allowed();
        note_all();
        let mut guest = Guest::default();
        guest.goes_to(u16::try_from(rustix::thread::sched_getcpu()).expect("a processor"));
        let allowed_there = std::thread::spawn(|| (allowed(), free_this_thread(), allowed()));
        assert_eq!(allowed_there.join().expect("it ends"), (1, (), before));
        let unattended = crate::starts::unattended::Unattended::default();
        let (tell, told) = std::sync::mpsc::channel();
        unattended.run(async move { tell.send(allowed()).unwrap_or_default() }).expect("a thread");
        assert_eq!(told.recv(), Ok(before));
        guest.goes_to(ANYWHERE);
        assert_eq!(allowed(), before);
    }

    #[test]
    fn a_guest_goes_where_it_may_and_leaves_when_it_is_slow() {
        let before = allowed();
        let mut guest = Guest::default();
        guest.goes_to(u16::MAX);
        assert_eq!(allowed(), before);
        let here = u16::try_from(rustix::thread::sched_getcpu()).expect("a processor");
        guest.goes_to(here);
        guest.took(QUICK_FAR_MAX);
        assert_eq!(allowed(), 1);
        // One that there is not.
        guest.goes_to(1_000);
        assert_eq!(allowed(), before);
        guest.goes_to(here);
        guest.took(QUICK_FAR_MAX * 2);
        assert_eq!(allowed(), before);
    }
}
