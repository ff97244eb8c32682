//! Which tasks run, and which wait. Tasks of programs with limited workers wait for those workers, and the
//! number of waiting tasks is limited.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};
use wire::Name;

use crate::region::Failure;
use crate::settings::ProgramLimits;

/// The turns of a region's tasks.
#[derive(Debug)]
pub(crate) struct Turns {
    /// For programs with a limit, one permit for each task that may run at one time.
    programs: HashMap<Name<8>, Semaphore>,
    /// None if no worker is kept for a program.
    kept: Option<Kept>,
    waiting: AtomicUsize,
    /// Tasks that wait and are not limited here.
    waiting_unlimited: AtomicUsize,
    waiting_max: usize,
}

impl Turns {
    /// The turns of tasks on `workers` workers.
    pub(crate) fn new(
        programs: &BTreeMap<Name<8>, ProgramLimits>,
        workers: usize,
        waiting_max: usize,
    ) -> Self {
        let limited = programs.iter().filter_map(|(program, limits)| {
            let most = limits.workers_max?.clamp(1, Semaphore::MAX_PERMITS);
            Some((*program, Semaphore::new(most)))
        });
        Self {
            programs: limited.collect(),
            kept: Kept::new(programs, workers),
            waiting: AtomicUsize::new(0),
            waiting_unlimited: AtomicUsize::new(0),
            waiting_max,
        }
    }

    /// How many tasks wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed) + self.waiting_unlimited.load(Ordering::Relaxed)
    }

    /// A turn of a program, to be held while its task runs.
    ///
    /// # Errors
    /// Too many tasks wait.
    pub(crate) async fn of(&self, program: Name<8>, queueing: Queueing) -> Result<Turn<'_>, Failure> {
        let of_program = match self.programs.get(&program) {
            None => None,
            Some(turns) => Some(self.take(turns, queueing).await?),
        };
        let of_workers = match &self.kept {
            None => None,
            Some(kept) => Some(self.take_worker(kept, program, queueing).await?),
        };
        Ok(Turn { _of_program: of_program, _of_workers: of_workers })
    }

    /// The right to a worker: one that is kept for the program, or one that all programs may use.
    async fn take_worker<'s>(
        &self,
        kept: &'s Kept,
        program: Name<8>,
        queueing: Queueing,
    ) -> Result<SemaphorePermit<'s>, Failure> {
        let Some(own) = kept.programs.get(&program) else { return self.take(&kept.shared, queueing).await };
        if let Ok(permit) = own.try_acquire().or_else(|_| kept.shared.try_acquire()) {
            return Ok(permit);
        }
        let _waits = self.wait(queueing)?;
        let permit = tokio::select! {
            permit = own.acquire() => permit,
            permit = kept.shared.acquire() => permit,
        };
        permit.map_err(|_| stopped())
    }

    async fn take<'s>(
        &self,
        permits: &'s Semaphore,
        queueing: Queueing,
    ) -> Result<SemaphorePermit<'s>, Failure> {
        if let Ok(permit) = permits.try_acquire() {
            return Ok(permit);
        }
        let _waits = self.wait(queueing)?;
        permits.acquire().await.map_err(|_| stopped())
    }

    /// Counts one more waiting task, until the result is dropped.
    ///
    /// # Errors
    /// Too many do.
    pub(crate) fn wait(&self, queueing: Queueing) -> Result<Waiting<'_>, Failure> {
        match queueing {
            Queueing::Limited => Waiting::enter(&self.waiting, self.waiting_max),
            Queueing::Unlimited => Waiting::enter(&self.waiting_unlimited, usize::MAX),
        }
    }
}

/// The right of a task to run now.
#[derive(Debug, Default)]
pub(crate) struct Turn<'t> {
    /// None if any number of the program's tasks may run.
    _of_program: Option<SemaphorePermit<'t>>,
    /// None if no worker is kept for a program.
    _of_workers: Option<SemaphorePermit<'t>>,
}

/// Workers that are kept for single programs, and workers that all programs may use.
#[derive(Debug)]
struct Kept {
    programs: HashMap<Name<8>, Semaphore>,
    shared: Semaphore,
}

impl Kept {
    fn new(programs: &BTreeMap<Name<8>, ProgramLimits>, workers: usize) -> Option<Self> {
        let kept = programs.iter().filter_map(|(program, limits)| Some((*program, limits.workers_kept?)));
        let kept: Vec<(Name<8>, usize)> = kept.filter(|(_, count)| *count > 0).collect();
        let in_all: usize = kept.iter().map(|(_, count)| count).sum();
        let programs = kept.into_iter().map(|(program, count)| (program, Semaphore::new(count))).collect();
        let shared = Semaphore::new(workers.saturating_sub(in_all).max(1));
        (in_all > 0).then_some(Self { programs, shared })
    }
}

/// The failure of waiting tasks when the region stops.
pub(crate) fn stopped() -> Failure {
    Failure::NotBegun("the region is stopped".to_owned())
}

/// Whether a task counts as a waiting one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queueing {
    /// Somebody waits for it, and is refused if too many do.
    Limited,
    /// It has no waiting caller. Such tasks are limited where they are begun.
    Unlimited,
}

/// A call that waits for a worker. The number of waiting calls is limited.
pub(crate) struct Waiting<'w>(&'w AtomicUsize);

impl<'w> Waiting<'w> {
    fn enter(waiting: &'w AtomicUsize, most: usize) -> Result<Self, Failure> {
        if waiting.fetch_add(1, Ordering::AcqRel) >= most {
            waiting.fetch_sub(1, Ordering::AcqRel);
            return Err(Failure::NotBegun(format!("more than {most} tasks wait for a worker")));
        }
        Ok(Self(waiting))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::name;

    #[tokio::test]
    async fn a_turn_is_waited_for_and_few_may_wait() {
        let limits = ProgramLimits { workers_max: Some(1), ..Default::default() };
        let turns = Turns::new(&BTreeMap::from([(name("LIMITED"), limits)]), 4, 1);
        let first = turns.of(name("LIMITED"), Queueing::Limited).await.expect("a turn");
        assert!(turns.of(name("OTHER"), Queueing::Limited).await.is_ok());
        let mut second = std::pin::pin!(turns.of(name("LIMITED"), Queueing::Limited));
        tokio::select! {
            biased;
            turn = &mut second => panic!("expected to wait, found {turn:?}"),
            () = std::future::ready(()) => {}
        }
        // One waits already.
        let refused = turns.of(name("LIMITED"), Queueing::Limited).await;
        assert!(refused.is_err_and(|failure| failure.to_string() == "more than 1 tasks wait for a worker"));
        // A task without a waiting caller is not counted.
        let mut uncounted = std::pin::pin!(turns.of(name("LIMITED"), Queueing::Unlimited));
        tokio::select! {
            biased;
            turn = &mut uncounted => panic!("expected to wait, found {turn:?}"),
            () = std::future::ready(()) => {}
        }
        drop(first);
        assert!(second.await.is_ok());
    }

    #[tokio::test]
    async fn a_worker_that_is_kept_for_a_program_is_there_for_it() {
        let limits = ProgramLimits { workers_kept: Some(1), ..Default::default() };
        let turns = Turns::new(&BTreeMap::from([(name("KEPT"), limits)]), 3, 10);
        let of = |program: &str| turns.of(name(program), Queueing::Limited);
        let now = async |program: &str| {
            let mut turn = std::pin::pin!(of(program));
            tokio::select! {
                biased;
                turn = &mut turn => Some(turn.expect("a turn")),
                () = std::future::ready(()) => None,
            }
        };
        let (first, second) = (now("OTHER").await, now("OTHER").await);
        assert!(first.is_some() && second.is_some());
        // Two of three workers are for all, and the third is not for others.
        assert!(now("OTHER").await.is_none());
        let kept = now("KEPT").await;
        assert!(kept.is_some());
        assert!(now("KEPT").await.is_none());
        // It may also use a worker that all programs may use.
        drop(first);
        assert!(now("KEPT").await.is_some());
    }
}
