//! Tasks of one program that go to a worker together: two switches between processes for all of them, not for each.
//!
//! A task that is likely to be quick joins a batch of its thread. A task of the runtime carries the batch to
//! a worker. It runs after all tasks that were ready when the first member joined. So the batch gathers
//! members without a clock. The worker takes one turn after the other. Each task is begun by exactly one
//! worker, or by none:
//!
//! - A task that has returned has its result, whatever happens to the tasks after it.
//! - A task that asks for something, or abends, goes on alone with the worker. The tasks after it have not
//!   begun.
//! - A task that does not end in time, or whose worker is gone, also goes on with the worker, which may be
//!   dead. The turns of the tasks after it are taken back before another thread can have them.
//!
//! Tasks that have not begun go alone. A batch has tasks of one program only. The program is given the data
//! in the shared memory anyway, though for another user.
//!
//! On a runtime with several threads batches are small, for it runs new tasks first.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, Id};
use wire::{FromWorker, Interface, Name, Task, spread};

use crate::quick::pace::{Pace, Paces};
use crate::running::conversation::Begun;
use crate::running::idle::Haste;
use crate::running::pool::Shared;
use crate::running::process::{BatchEnd, WaitsAt};
use crate::running::ready::Running;
use crate::settings::{Limits, TaskLimits};
use crate::watching::board::{Board, TaskLabel};

/// Batches that can gather at a time, of all threads and programs. Those that share a place go alone, which costs time and
/// nothing else.
const PLACES: usize = 256;

/// The failure of a task that the worker left out.
const NOTHING_SAID: &str = "the worker sent no result for the task";

/// The batches of a region that gather now.
#[derive(Debug)]
pub(crate) struct Batches {
    shared: Arc<Shared>,
    paces: Arc<Paces>,
    board: Arc<Board>,
    worker_tasks_max: u32,
    tasks_max: usize,
    /// How long the tasks of a batch may take together.
    time_max: Duration,
    places: Box<[Mutex<Option<Arc<Batch>>>]>,
}

/// Tasks that go together.
#[derive(Debug)]
struct Batch {
    runtime: Id,
    program: Name<8>,
    place: usize,
    limits: TaskLimits,
    tasks_max: usize,
    members: Mutex<Vec<Member>>,
}

#[derive(Debug)]
struct Member {
    state: MemberState,
    waker: Option<Waker>,
}

#[derive(Debug)]
enum MemberState {
    Waits(Task),
    Came(Outcome),
    /// The caller has left, or has its outcome.
    Gone,
}

/// The outcome of a task in a batch.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It has returned.
    Returned(Interface),
    /// It goes on alone.
    Begun(Begun),
    /// It has not begun.
    NotBegun(Task),
    /// Nobody knows how far it came, and its worker is ended: why.
    Lost(&'static str),
}

impl Batches {
    pub(crate) fn new(
        shared: Arc<Shared>,
        board: Arc<Board>,
        paces: Arc<Paces>,
        limits: &Limits,
    ) -> Arc<Self> {
        let places = std::iter::repeat_with(Mutex::default).take(PLACES).collect();
        let worker_tasks_max = limits.tasks_max;
        let tasks_max = limits.batch_tasks_max.min(worker_tasks_max as usize).min(u16::MAX.into());
        let time_max = limits.batch_time_max;
        Arc::new(Self { shared, paces, board, worker_tasks_max, tasks_max, time_max, places })
    }

    /// True if tasks of this pace go with others.
    pub(crate) fn are_worth_it(&self, pace: &Pace) -> bool {
        self.tasks_max > 1 && pace.time() * 2 <= self.time_max && pace.is_for_batches()
    }

    /// Lets a task go with others of its program, which have the same limits.
    pub(crate) fn join(self: &Arc<Self>, task: Task, limits: &TaskLimits) -> Membership {
        let runtime = Handle::current().id();
        let program = task.program;
        let place = ((spread(program) >> 56) as usize ^ SEAT.with(|seat| *seat)) % PLACES;
        let mut task = MemberState::Waits(task);
        let mut gathering = locked(&self.places[place]);
        if let Some(batch) = &*gathering
            && batch.runtime == runtime
            && batch.program == program
            && let Some(number) = batch.enter(&mut task)
        {
            let membership = Membership { batch: batch.clone(), number };
            if number + 1 == batch.tasks_max {
                *gathering = None;
            }
            return membership;
        }
        let task = std::mem::replace(&mut task, MemberState::Gone);
        let members = Mutex::new(vec![Member { state: task, waker: None }]);
        let fitting = self.time_max.as_nanos() / self.paces.of(program).time().as_nanos().max(1);
        let tasks_max = usize::try_from(fitting).unwrap_or(usize::MAX).min(self.tasks_max);
        let batch = Arc::new(Batch { runtime, program, place, limits: *limits, tasks_max, members });
        // Another program's batch goes on without its place.
        *gathering = Some(batch.clone());
        drop(gathering);
        let leaving = Leaving { batches: self.clone(), batch: batch.clone() };
        tokio::spawn(async move { leaving.leave() });
        Membership { batch, number: 0 }
    }

    /// Closes a batch to further tasks.
    fn close(&self, batch: &Arc<Batch>) {
        locked(&self.places[batch.place]).take_if(|gathering| Arc::ptr_eq(gathering, batch));
    }

    /// Gives tasks to a worker, and tells the callers of begun tasks the outcome.
    fn carry(&self, batch: &Batch, members: &mut [&mut Member]) {
        let Some((mut running, count)) = self.depart(batch, members) else { return };
        let pace = self.paces.of(batch.program);
        let began = Instant::now();
        let mut said = Vec::with_capacity(count);
        let end = match running.line().receive_batch(count, &mut said) {
            BatchEnd::At(task) => BatchEnd::At(task.min(count - 1)),
            end => end,
        };
        let took = began.elapsed();
        pace.took(if end == BatchEnd::Rung { took / (said.len() as u32).max(1) } else { took });
        let is_result = |(_, message): &&(u64, FromWorker)| matches!(message, FromWorker::Returned(_));
        let returned = said.iter().take(count).take_while(is_result).count();
        // The outcome of the task that the worker is at comes again.
        let returned = if let BatchEnd::At(task) = end { returned.min(task) } else { returned };
        let mut said = said.into_iter();
        self.give_results(batch, count, &mut members[..returned], said.by_ref().take(returned));
        let status = &running.line().status;
        status.occupation.have_ended(returned as u32);
        status.end();
        match Next::of(end, returned, count, said.next()) {
            Next::Nobody => {
                pace.went_together(count);
                pace.came_back_at_once();
                running.finish(self.worker_tasks_max);
            }
            Next::Task(at, first) => {
                if matches!(first, Some(Ok(_))) {
                    pace.asked_in_batch();
                }
                self.go_on(batch, &mut members[returned..=at], running, first);
            }
            // Dropped, the worker is ended.
            Next::Distrusted => {}
        }
    }

    /// The last of these tasks goes on with its worker; the tasks before it are lost.
    fn go_on(
        &self,
        batch: &Batch,
        members: &mut [&mut Member],
        mut running: Running,
        first: Option<Result<FromWorker, &'static str>>,
    ) {
        let figures = self.board.programs.of(batch.program);
        figures.tasks.fetch_add(members.len() as u64, Ordering::Relaxed);
        let Some((last, lost)) = members.split_last_mut() else { return };
        lost.iter_mut().for_each(|member| member.tell(Outcome::Lost(NOTHING_SAID)));
        let began = Instant::now();
        if let Some(task) = last.waits() {
            let (status, task) = (&running.line().status, TaskLabel::of(task));
            // A worker that is killed meanwhile is found to be gone.
            let _ = self.shared.shows(status, &task, &batch.limits, began);
        }
        last.tell(Outcome::Begun(Begun { running: Box::new(running), began, said: first }));
    }

    /// Tells tasks that they have returned, and counts them.
    fn give_results(
        &self,
        batch: &Batch,
        count: usize,
        members: &mut [&mut Member],
        said: impl Iterator<Item = (u64, FromWorker)>,
    ) {
        let figures = self.board.programs.of(batch.program);
        figures.tasks.fetch_add(members.len() as u64, Ordering::Relaxed);
        if count > 1 {
            figures.batched.fetch_add(members.len() as u64, Ordering::Relaxed);
        }
        for (member, (cpu_nanoseconds, message)) in members.iter_mut().zip(said) {
            if member.waits().is_some_and(|task| task.watch.measures_cpu) {
                figures.measured_cpu(cpu_nanoseconds, &batch.limits);
            }
            if let FromWorker::Returned(interface) = message {
                member.tell(Outcome::Returned(interface));
            }
        }
    }

    /// A worker and the number of tasks that it has. None if no worker is free now, or if the first task is
    /// too long for a batch.
    fn depart(&self, batch: &Batch, members: &[&mut Member]) -> Option<(Running, usize)> {
        loop {
            let Some(mut running) = Running::new(self.shared.idle.take(Haste::Quick)?, self.shared.clone())
            else {
                continue;
            };
            let line = running.line();
            let left = self.worker_tasks_max.saturating_sub(line.tasks).max(1) as usize;
            let mut tasks = members.iter().filter_map(|member| member.waits()).take(left);
            let count = line.write_batch(tasks.clone());
            if count == 0 {
                self.paces.of(batch.program).went_together(0);
                running.finish(self.worker_tasks_max);
                return None;
            }
            // The end of the batch counts one.
            line.tasks = line.tasks.saturating_add(count as u32 - 1);
            line.limit_memory(batch.limits.memory_max_bytes);
            if let Some(first) = tasks.next()
                && !self.shared.shows(&line.status, &TaskLabel::of(first), &batch.limits, Instant::now())
            {
                continue;
            }
            // One that died while it had nothing to do has begun none of them.
            if line.ring(WaitsAt::Bell) {
                return Some((running, count));
            }
            line.status.occupation.have_ended(0);
            line.status.end();
        }
    }
}

/// The task that goes on when a batch has come back.
enum Next {
    /// All have returned.
    Nobody,
    /// The task at this place, and the worker's first message about it, if one has come.
    Task(usize, Option<Result<FromWorker, &'static str>>),
    /// The worker has left some out, or said too much.
    Distrusted,
}

impl Next {
    /// `returned` of `count` tasks have returned; `said` is the message about the next one.
    fn of(end: BatchEnd, returned: usize, count: usize, said: Option<(u64, FromWorker)>) -> Self {
        match (end, said) {
            // The next message would be about a task that is lost.
            (BatchEnd::At(task), _) if returned < task => Self::Task(task, Some(Err(NOTHING_SAID))),
            (BatchEnd::At(task), _) => Self::Task(task, None),
            (BatchEnd::Bad(reason), _) if returned < count => Self::Task(returned, Some(Err(reason))),
            (BatchEnd::Rung, None) if returned == count => Self::Nobody,
            (BatchEnd::Rung, Some((_, message))) if returned < count => {
                Self::Task(returned, Some(Ok(message)))
            }
            _ => Self::Distrusted,
        }
    }
}

/// A batch that gathers. Dropped before it leaves, none of its tasks has begun.
struct Leaving {
    batches: Arc<Batches>,
    batch: Arc<Batch>,
}

impl Leaving {
    /// The batch goes to a worker, and comes back.
    fn leave(self) {
        self.batches.close(&self.batch);
        let mut carried = Carried(locked(&self.batch.members));
        let mut going: Vec<&mut Member> =
            carried.0.iter_mut().filter(|member| member.waits().is_some()).collect();
        if !going.is_empty() {
            self.batches.carry(&self.batch, &mut going);
        }
        // Whoever has nothing yet has not begun.
        going.into_iter().for_each(Member::has_not_begun);
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.batches.close(&self.batch);
        locked(&self.batch.members).iter_mut().for_each(Member::has_not_begun);
    }
}

/// The members of a batch on its way; whatever happens on it, none is left without an outcome.
struct Carried<'b>(MutexGuard<'b, Vec<Member>>);

impl Drop for Carried<'_> {
    fn drop(&mut self) {
        let waiting = self.0.iter_mut().filter(|member| member.waits().is_some());
        waiting.for_each(|member| member.tell(Outcome::Lost(NOTHING_SAID)));
    }
}

impl Batch {
    /// Takes the task and gives its number; none if it may not join.
    fn enter(&self, task: &mut MemberState) -> Option<usize> {
        let mut members = locked(&self.members);
        let number = members.len();
        if number >= self.tasks_max {
            return None;
        }
        let state = std::mem::replace(task, MemberState::Gone);
        members.push(Member { state, waker: None });
        Some(number)
    }
}

impl Member {
    fn waits(&self) -> Option<&Task> {
        match &self.state {
            MemberState::Waits(task) => Some(task),
            _ => None,
        }
    }

    fn take(&mut self) -> Option<Outcome> {
        match std::mem::replace(&mut self.state, MemberState::Gone) {
            MemberState::Came(outcome) => Some(outcome),
            other => {
                self.state = other;
                None
            }
        }
    }

    fn tell(&mut self, outcome: Outcome) {
        self.state = MemberState::Came(outcome);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn has_not_begun(&mut self) {
        match std::mem::replace(&mut self.state, MemberState::Gone) {
            MemberState::Waits(task) => self.tell(Outcome::NotBegun(task)),
            other => self.state = other,
        }
    }
}

/// A task in a batch, which waits for its outcome. If it is dropped before that, the task does not begin, or
/// is ended.
#[derive(Debug)]
pub(crate) struct Membership {
    batch: Arc<Batch>,
    number: usize,
}

impl Membership {
    /// The outcome of the task, if it is there; it is given once.
    pub(crate) fn take(&mut self) -> Option<Outcome> {
        locked(&self.batch.members)[self.number].take()
    }
}

impl Future for Membership {
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let mut members = locked(&self.batch.members);
        let member = &mut members[self.number];
        match member.take() {
            Some(outcome) => Poll::Ready(outcome),
            None => {
                member.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        locked(&self.batch.members)[self.number].state = MemberState::Gone;
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// Keeps the batches of threads apart.
    static SEAT: usize = SEATS.fetch_add(1, Ordering::Relaxed);
}

static SEATS: AtomicUsize = AtomicUsize::new(0);
