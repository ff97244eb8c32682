//! The committer: many units, one batch, one wait for the disk.
//!
//! Units that reach their syncpoint queue up. A batch takes the waiting units, up to its limits. While it is
//! written, the next batch gathers. Then four steps follow in this order: the batch is on disk, readers see
//! it, locks are free, the callers get their outcomes.

mod batch;
mod counters;
mod outcome;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::engine::{Change, Engine, Force};
use crate::error::{Error, ErrorKind, Result};
use crate::options::{Drive, Options};
use crate::writes::Writes;

use batch::Batch;
pub(crate) use batch::{State, read_header};
pub use counters::Counters;
use counters::Counting;
pub(crate) use outcome::Outcome;

/// The most batches in a row that are not forced. The next one is forced, so that the engine can use its
/// pages again.
const LAZY_BATCHES_MAX: u32 = 1_000;

/// The time after which the store looks for room again on a full disk.
const TIGHT_MIN: Duration = Duration::from_secs(1);

/// The room that a submission needs, or gives back.
#[derive(Clone, Debug)]
pub(crate) enum Room {
    /// Its writes must keep the store within `store_bytes_max`.
    Limited,
    /// It is a record of the store itself, and is not counted.
    Uncounted,
    /// A unit prepares: its decision will find the room for these writes. They must keep the store within the limit.
    Promise(Arc<Writes>),
    /// The unit with these writes gets its decision, and no longer needs the promise.
    Promised(Arc<Writes>),
}

/// The changes that the committer applies together.
pub(crate) struct Submission {
    pub(crate) writes: Arc<Writes>,
    /// Records of the store itself that are written together with it.
    pub(crate) system: Vec<Change>,
    pub(crate) force: Force,
    pub(crate) room: Room,
    /// Called with the outcome, once: when readers see the changes, or when they never will.
    pub(crate) finish: Finish,
}

impl Submission {
    /// The changes of a unit. They must reach the disk, and count against the room that is left.
    pub(crate) fn of_unit(
        writes: Writes,
        system: Vec<Change>,
        then: impl FnOnce(Result<()>) + Send + 'static,
    ) -> Self {
        let (writes, finish) = (Arc::new(writes), Finish::new(then));
        Self { writes, system, force: Force::Disk, room: Room::Limited, finish }
    }
}

/// The receiver of a submission's outcome. If it is dropped without one, because the applying thread has
/// panicked, it reports a failure. So nobody waits for ever.
pub(crate) struct Finish(Option<Box<dyn FnOnce(Result<()>) + Send>>);

impl Finish {
    pub(crate) fn new(tell: impl FnOnce(Result<()>) + Send + 'static) -> Self {
        Self(Some(Box::new(tell)))
    }

    fn tell(mut self, result: Result<()>) {
        if let Some(tell) = self.0.take() {
            tell(result);
        }
    }
}

impl Drop for Finish {
    fn drop(&mut self) {
        if let Some(tell) = self.0.take() {
            tell(Err(Error::new(ErrorKind::Unknown, "store: it broke down while it applied the unit")));
        }
    }
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Submission>,
    closed: bool,
}

/// Runs at the end of the committer's thread, however it ends.
struct End<'a>(&'a Committer);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Applies submissions in the order in which they come.
pub(crate) struct Committer {
    engine: Arc<dyn Engine>,
    options: Options,
    queue: Mutex<Queue>,
    arrived: Condvar,
    /// The holder of this lock applies submissions.
    state: Mutex<State>,
    pub(crate) counting: Counting,
}

impl Committer {
    /// A committer for an engine whose state is `state`.
    pub(crate) fn new(engine: Arc<dyn Engine>, options: Options, state: State) -> Self {
        let (queue, arrived) = (Mutex::default(), Condvar::new());
        let counting = Counting::new(state.used_bytes);
        Self { engine, options, queue, arrived, state: Mutex::new(state), counting }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Promises room to a unit that was prepared before the store was opened.
    ///
    /// # Errors
    /// Those of the disk.
    pub(crate) fn promise(&self, writes: &Writes) -> Result<()> {
        let growth = writes.growth(|log| read_header(&*self.engine, log))?;
        self.state().promise(growth);
        Ok(())
    }

    /// Runs a function that sees one state of the store. Units that reach their syncpoint wait meanwhile.
    pub(crate) fn while_nothing_commits<T>(&self, run: impl FnOnce() -> T) -> T {
        let _state = self.state();
        run()
    }

    /// Queues a submission.
    pub(crate) fn submit(&self, submission: Submission) {
        let mut queue = self.queue();
        if queue.closed {
            drop(queue);
            submission.finish.tell(Err(Error::new(ErrorKind::Stopped, "store: it has been closed")));
            return;
        }
        queue.waiting.push_back(submission);
        drop(queue);
        self.arrived.notify_one();
    }

    /// Waits for an outcome. Without a thread of the store's own, it applies the queue itself.
    pub(crate) fn wait(&self, outcome: &Outcome) -> Result<()> {
        if self.options.drive == Drive::Caller {
            while !outcome.is_known() && self.drive() {}
        }
        outcome.wait()
    }

    /// Applies one batch; false if nothing was queued.
    pub(crate) fn drive(&self) -> bool {
        let mut state = self.state();
        if state.tight.is_some_and(|since| since.elapsed() > TIGHT_MIN) {
            self.keep_reserve(&mut state);
        }
        let batch = self.gather();
        if batch.is_empty() {
            return false;
        }
        let outcomes = self.apply(&mut state, batch);
        drop(state);
        for (submission, outcome) in outcomes {
            submission.finish.tell(outcome);
        }
        true
    }

    /// The thread of the store. It applies submissions until the store is closed and the queue is empty.
    pub(crate) fn run(&self) {
        let _end = End(self);
        let idle = Duration::from_millis(self.options.idle_flush_ms.max(1));
        let mut flushed = Instant::now();
        loop {
            let mut queue = self.queue();
            if queue.waiting.is_empty() && !queue.closed {
                let empty = |queue: &mut Queue| queue.waiting.is_empty() && !queue.closed;
                let waited = self.arrived.wait_timeout_while(queue, idle, empty);
                queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            let (is_empty, closed) = (queue.waiting.is_empty(), queue.closed);
            if !is_empty && !closed {
                queue = self.linger(queue);
            }
            drop(queue);
            if is_empty {
                // If the disk fails here, the next unit finds the failure and can report it.
                let _ = self.flush();
                self.tidy();
                if closed {
                    return;
                }
                flushed = Instant::now();
            }
            self.drive();
            // While units come all the time, none of them waits longer for the disk.
            if flushed.elapsed() > idle {
                let _ = self.flush();
                flushed = Instant::now();
            }
        }
    }

    /// Takes no more submissions, and gives up the waiting ones.
    fn end(&self) {
        self.close();
        let left = std::mem::take(&mut self.queue().waiting);
        drop(left);
    }

    /// Gives other units the time to join the batch.
    fn linger<'a>(&self, queue: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
        let delay = Duration::from_micros(self.options.batch_delay_us);
        if delay.is_zero() {
            return queue;
        }
        let until = Instant::now() + delay;
        let few = |queue: &mut Queue| queue.waiting.len() < self.options.batch_units_max && !queue.closed;
        let waited =
            self.arrived.wait_timeout_while(queue, until.saturating_duration_since(Instant::now()), few);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Forces the applied batches that were not forced.
    pub(crate) fn flush(&self) -> Result<()> {
        let mut state = self.state();
        if state.lazy_batches == 0 {
            return Ok(());
        }
        match self.force(&mut state) {
            // The reserve is for units that add nothing.
            Err(error) if error.kind() == ErrorKind::NoSpace && self.may_use_reserve(&mut state) => {
                self.force(&mut state)
            }
            outcome => outcome,
        }
    }

    fn force(&self, state: &mut State) -> Result<()> {
        let mut batch = Batch::new(state, &*self.engine);
        batch.force(Force::Disk);
        self.commit(state, batch)
    }

    /// Gives room back, and keeps a reserve, while the store is idle. If the disk fails here, the next unit
    /// finds the failure and can report it.
    pub(crate) fn tidy(&self) {
        let mut state = self.state();
        let _ = self.engine.tidy(state.used_bytes);
        self.keep_reserve(&mut state);
    }

    fn keep_reserve(&self, state: &mut State) {
        state.tight = (!self.engine.keep_reserve()).then(Instant::now);
    }

    /// Takes no more submissions; those that came are still applied.
    pub(crate) fn close(&self) {
        self.queue().closed = true;
        self.arrived.notify_all();
    }

    fn gather(&self) -> Vec<Submission> {
        let mut queue = self.queue();
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while let Some(next) = queue.waiting.front() {
            let full = batch.len() >= self.options.batch_units_max.max(1)
                || bytes + next.writes.bytes() > self.options.batch_bytes_max;
            if full && !batch.is_empty() {
                break;
            }
            bytes += next.writes.bytes();
            batch.extend(queue.waiting.pop_front());
        }
        batch
    }

    /// Applies submissions together; if there is no room for all, one by one.
    fn apply(&self, state: &mut State, submissions: Vec<Submission>) -> Vec<(Submission, Result<()>)> {
        let mut batch = Batch::new(state, &*self.engine);
        let mut outcomes = Vec::with_capacity(submissions.len());
        let mut taken = Vec::with_capacity(submissions.len());
        for submission in submissions {
            match batch.add(&submission, self.options.store_bytes_max) {
                Ok(()) => taken.push(submission),
                Err(error) => outcomes.push((submission, Err(error))),
            }
        }
        if taken.is_empty() {
            return outcomes;
        }
        if state.lazy_batches >= LAZY_BATCHES_MAX {
            batch.force(Force::Disk);
        }
        let outcome = self.commit(state, batch);
        let alone = taken.len() == 1;
        match outcome {
            Err(error) if error.kind() == ErrorKind::NoSpace && (!alone || self.may_use_reserve(state)) => {
                for submission in taken {
                    outcomes.extend(self.apply(state, vec![submission]));
                }
            }
            outcome => {
                for submission in taken {
                    if outcome.is_ok() {
                        self.counting.unit(&submission);
                    }
                    outcomes.push((submission, outcome.clone()));
                }
            }
        }
        outcomes
    }

    /// The disk is full: from now on the rest is for units that add nothing. True if there was a reserve.
    fn may_use_reserve(&self, state: &mut State) -> bool {
        let freed = self.engine.free_reserve();
        state.tight = freed.then(Instant::now).or(state.tight);
        freed
    }

    fn commit(&self, state: &mut State, batch: Batch<'_>) -> Result<()> {
        let (changes, force, next) = batch.finish();
        self.counting.batch(&changes, force);
        let Err(error) = self.engine.commit(changes, force) else {
            self.counting.set_used_bytes(next.used_bytes);
            *state = next;
            return Ok(());
        };
        if error.kind() != ErrorKind::NoSpace {
            return Err(error);
        }
        match self.look_again(state, next) {
            Ok(true) => Ok(()),
            Ok(false) => Err(error),
            Err(failure) => {
                // Readers may see a batch that a crash takes back.
                self.engine.close();
                let message = format!("{}; then {}; the store stops", error, failure.bare());
                Err(Error::new(ErrorKind::Unknown, message).caused(failure))
            }
        }
    }

    /// After a failure for lack of room: the engine has perhaps opened its file again. True if the batch is in the
    /// file, and on disk; false if it is not there.
    ///
    /// # Errors
    /// Nobody knows.
    fn look_again(&self, state: &mut State, next: State) -> Result<bool> {
        let found = State::read(&*self.engine)?;
        self.counting.set_used_bytes(found.used_bytes);
        if found.batch < next.batch {
            // Earlier batches may still wait for the disk.
            *state = State { batch: found.batch, used_bytes: found.used_bytes, ..*state };
            return Ok(false);
        }
        self.engine.commit(Vec::new(), Force::Disk)?;
        *state = next;
        Ok(true)
    }
}
