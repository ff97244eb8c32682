//! A task in its worker, from its first message to its last.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Instant;

use wire::{Answer, Ask, COMMAREA_MAX_BYTES, FromWorker, Interface, Name, Task, Told, Tracing, Watch};

use crate::link::session_thread;
use crate::quick::batch::{Membership, Outcome};
use crate::quick::pace::Pace;
use crate::region::{Beginning, Failure, Region, Request};
use crate::rights::TaskCaller;
use crate::running::ending::{abend, lost};
use crate::running::idle::Haste;
use crate::running::process::{Received, Status, WaitsAt};
use crate::running::ready::{Idle, Running};
use crate::running::turns::{self, Queueing, Turn};
use crate::settings::TaskLimits;
use crate::watching::board::{Measures, Occupation, ProgramFigures, TaskLabel};
use crate::watching::dumps::Evidence;
use crate::watching::waits::WaitsFor;
use crate::work::Work;

/// The abend of a task that an operator purges (CICS TS, abend codes: AKC3).
const PURGED: &str = "AKC3";

/// A worker is not trusted after a message that is not an answer.
const OUT_OF_TURN: &str = "the worker sent an unexpected message";

impl Region {
    /// Makes a task of a request that has its turn.
    ///
    /// # Errors
    /// Its commarea is longer than any can be.
    pub(crate) fn prepare<'r>(
        &'r self,
        mut request: Request,
        beginning: &Beginning,
        turn: Turn<'r>,
    ) -> Result<Prepared<'r>, Failure> {
        if let Interface::Commarea(bytes) = &request.interface
            && bytes.len() > COMMAREA_MAX_BYTES
        {
            let found = bytes.len();
            let reason = format!("expected a commarea of at most {COMMAREA_MAX_BYTES} bytes, found {found}");
            return Err(Failure::NotBegun(reason));
        }
        let pace = self.paces.of(request.program);
        let limits = self.settings.task_limits(request.program);
        let (caller, until) = (request.caller.take(), request.until);
        let mut task = self.task(request, beginning);
        let label = TaskLabel::of(&task);
        let figures = self.resources.board.programs.of(label.program);
        let measures = figures.measures();
        task.watch = Watch {
            tracing: self.resources.tracer.of(&label),
            measures_cpu: measures.cpu,
            state_max_bytes: self.settings.dumps.state_max_bytes(),
        };
        let refused_programs = task.refused_programs.clone();
        let (waits_at, is_back_at_once) = (pace.next_wait(), pace.is_back_at_once());
        Ok(Prepared {
            task,
            label,
            limits,
            pace,
            figures,
            measures,
            caller,
            until,
            refused_programs,
            queueing: beginning.queueing(),
            waits_at,
            is_back_at_once,
            turn,
        })
    }

    /// Lets a task of a quick program go to a worker and come back, together with others if that seems worth
    /// it. A task that only returns needs no unit of work. Any other task gets one, and goes on.
    ///
    /// # Errors
    /// It was not begun, or has failed.
    pub(crate) async fn go(&self, prepared: &mut Prepared<'_>) -> Result<Gone, Failure> {
        if prepared.haste() != Haste::Quick {
            return Ok(Gone::On(None));
        }
        let goes_with_others = prepared.task.watch.tracing == Tracing::No
            && !prepared.measures.memory
            && !session_thread::is_this_thread()
            && self.batches.are_worth_it(prepared.pace);
        if goes_with_others { self.go_with_others(prepared).await } else { self.go_alone(prepared) }
    }

    async fn go_with_others(&self, prepared: &mut Prepared<'_>) -> Result<Gone, Failure> {
        let membership = self.batches.join(std::mem::take(&mut prepared.task), &prepared.limits);
        let mut joined = Joined { region: self, label: prepared.label, membership };
        match (&mut joined.membership).await {
            Outcome::NotBegun(task) => {
                prepared.task = task;
                // The tasks before it may have shown that the program is slow, or waits.
                prepared.waits_at = prepared.pace.next_wait();
                prepared.is_back_at_once = prepared.pace.is_back_at_once();
                Ok(Gone::On(None))
            }
            Outcome::Begun(begun) => Ok(Gone::On(Some(begun))),
            Outcome::Returned(interface) => Ok(Gone::Returned(interface)),
            Outcome::Lost(reason) => {
                let failure = abend(b"ASRA", &[b' '; 8], reason.to_owned());
                self.noted(prepared.label, Err(failure), Some(Evidence::default())).map(Gone::Returned)
            }
        }
    }

    /// Runs one task on this thread. The other tasks of the thread wait until the worker answers, or the short wait for it ends.
    fn go_alone(&self, prepared: &Prepared<'_>) -> Result<Gone, Failure> {
        let (mut running, began) = loop {
            let Some(idle) = self.pool.shared.idle.take(Haste::Quick) else { return Ok(Gone::On(None)) };
            if let Some(handed) = self.hand_to(idle, prepared)? {
                break handed;
            }
        };
        let Prepared { pace, figures, measures, limits, .. } = prepared;
        let line = running.line();
        let received = line.receive_at_bell();
        pace.took(began.elapsed());
        match received {
            Received::Message(FromWorker::Returned(interface)) => {
                figures.measured(*measures, line, limits);
                line.status.ends();
                running.finish(self.settings.limits.tasks_max);
                pace.came_back_at_once();
                Ok(Gone::Returned(interface))
            }
            received => {
                let said = match received {
                    Received::Nothing => None,
                    received => Some(received.message()),
                };
                Ok(Gone::On(Some(Begun { running: Box::new(running), began, said })))
            }
        }
    }

    /// Gives a task to a worker, if it has none yet, and answers the worker's requests until the task has
    /// ended.
    pub(crate) async fn converse_with_worker<'r>(
        &'r self,
        prepared: Prepared<'r>,
        begun: Option<Begun>,
        work: &mut Work,
    ) -> Result<Conversed<'r>, Failure> {
        let (mut running, began, first) = match begun {
            None => {
                let (running, began) = self.begin(&prepared).await?;
                (running, began, None)
            }
            Some(Begun { running, began, said }) => (*running, began, said),
        };
        let Prepared { task, label, limits, pace, figures, measures, turn, .. } = prepared;
        // The worker has it, and it may be large.
        drop(task);
        work.task.began = began;
        let status = running.line().status.clone();
        let mut followed =
            Followed { region: self, label, running: Some(running), told: Evidence::default() };
        let said = self.converse(&mut followed, work, &status, pace, first).await;
        let (mut running, told) = followed.ended();
        figures.measured(measures, running.line(), &limits);
        status.ends();
        Ok(Conversed { running, said, label, limits, told, _turn: turn })
    }

    /// Gives a task to a worker that has no other, and waits for one.
    async fn begin(&self, prepared: &Prepared<'_>) -> Result<(Running, Instant), Failure> {
        loop {
            let idle = self.worker(prepared.queueing, prepared.haste()).await?;
            if let Some(handed) = self.hand_to(idle, prepared)? {
                return Ok(handed);
            }
        }
    }

    /// Gives a task to this worker. None if it died while it had nothing to do, or cannot be reached from here, so that it has not
    /// begun the task: another one takes it.
    fn hand_to(
        &self,
        idle: Idle,
        Prepared { task, label, limits, figures, waits_at, .. }: &Prepared<'_>,
    ) -> Result<Option<(Running, Instant)>, Failure> {
        let Some(mut running) = Running::new(idle, self.pool.shared.clone()) else { return Ok(None) };
        if let Err(too_long) = running.line().write_task(task) {
            running.finish(self.settings.limits.tasks_max);
            return Err(Failure::NotBegun(too_long.to_string()));
        }
        let (line, began) = (running.line(), Instant::now());
        if !self.pool.shared.shows(&line.status, label, limits, began) {
            return Ok(None);
        }
        line.limit_memory(limits.memory_max_bytes);
        if line.ring(*waits_at) {
            figures.tasks.fetch_add(1, Ordering::Relaxed);
            return Ok(Some((running, began)));
        }
        line.status.ends();
        Ok(None)
    }

    /// Takes the outcome of a task, and gives its worker back or ends it.
    pub(crate) async fn ended(&self, conversed: Conversed<'_>) -> Result<Interface, Failure> {
        let Conversed { mut running, said, limits, _turn, .. } = conversed;
        match said {
            Ok(FromWorker::Returned(interface)) => {
                running.finish(self.settings.limits.tasks_max);
                Ok(interface)
            }
            Ok(FromWorker::Abended { code, program, message, last }) => {
                if last {
                    let _ = running.gone().await;
                } else {
                    running.finish(self.settings.limits.tasks_max);
                }
                Err(abend(&code, &program, message))
            }
            Ok(_) => Err(Box::pin(lost(&mut running, &limits, OUT_OF_TURN)).await),
            Err(Cut::Lost(reason)) => Err(Box::pin(lost(&mut running, &limits, reason)).await),
            Err(Cut::Purged) => {
                // Dropped, it is killed and replaced.
                drop(running);
                let (code, program) = (PURGED.to_owned(), String::new());
                Err(Failure::Abend { code, program, message: "an operator has purged the task".to_owned() })
            }
        }
    }

    /// A worker that has nothing to do, with the programs of now.
    async fn worker(&self, queueing: Queueing, haste: Haste) -> Result<Idle, Failure> {
        let idle = &self.pool.shared.idle;
        if let Some(worker) = idle.take(haste) {
            return Ok(worker);
        }
        let _waits = self.turns.wait(queueing)?;
        idle.wait().await.ok_or_else(turns::stopped)
    }

    /// Keeps the worker's news of its task, and answers whether the worker should send more.
    fn told(&self, news: Told, label: &TaskLabel, evidence: &mut Evidence) -> Answer {
        match news {
            Told::Command(command) => yes_or_enough(self.resources.tracer.keep(label, *command)),
            Told::Output(text) => yes_or_enough(self.pool.shared.output.of_task(label, &text)),
            Told::State(mut state) => {
                // The worker may have sent more than it was asked for.
                state.clip(self.dump_max_bytes());
                evidence.state = Some(state);
                Answer::Done
            }
            Told::NoDump => {
                evidence.is_unwanted = true;
                Answer::Done
            }
            // To answer it makes room. A copy and a dump are made where the worker's line is at hand.
            Told::NeedsRoom | Told::WantsCopy(_) | Told::Dump(_) => Answer::Done,
        }
    }

    /// Answers the worker's requests until its task has ended.
    async fn converse(
        &self,
        followed: &mut Followed<'_>,
        work: &mut Work,
        status: &Status,
        pace: &Pace,
        mut first: Option<Result<FromWorker, &'static str>>,
    ) -> Result<FromWorker, Cut> {
        let label = followed.label;
        let (occupation, task) = (&status.occupation, label.number);
        let mut rung = work.task.began;
        loop {
            let message = match first.take() {
                Some(first) => first?,
                // A message at the worker's bell is there at the first look, so that no purge is awaited
                // then.
                None => tokio::select! {
                    biased;
                    message = followed.running().message(pace, rung) => message?,
                    () = occupation.purged(task) => return Err(Cut::Purged),
                },
            };
            let answer = match message {
                FromWorker::Ask(ask) => carry_out(work, ask, followed, occupation, pace).await?,
                FromWorker::Told(news) => {
                    // A worker that always has something to tell keeps nobody else from this thread, nor a purge from it.
                    tokio::task::yield_now().await;
                    if occupation.is_purged(task) {
                        return Err(Cut::Purged);
                    }
                    match news {
                        Told::WantsCopy(program) => {
                            let folder = &self.settings.programs;
                            yes_or_enough(followed.running().line().send_copy(folder, &program))
                        }
                        Told::Dump(dump) => {
                            let commands = followed.running().line().last_commands();
                            yes_or_enough(self.dumped(label, *dump, commands, &mut followed.told))
                        }
                        news => self.told(news, &label, &mut followed.told),
                    }
                }
                other => return Ok(other),
            };
            let line = followed.running().line();
            let too_long = line.write_answer(&answer).is_err();
            if too_long {
                let none = Answer::Condition { resp: program::conditions::LENGERR.number, resp2: 0 };
                line.write_answer(&none).map_err(|_| Cut::Lost("the shared memory is too small"))?;
            }
            rung = Instant::now();
            if !line.ring(line.waits_at()) {
                return Err(Cut::Lost("the worker is gone"));
            }
        }
    }
}

fn yes_or_enough(is_done: bool) -> Answer {
    if is_done { Answer::Done } else { Answer::Enough }
}

/// A task that is about to begin.
#[derive(Debug)]
pub(crate) struct Prepared<'r> {
    task: Task,
    label: TaskLabel,
    limits: TaskLimits,
    pace: &'r Pace,
    figures: &'r ProgramFigures,
    measures: Measures,
    caller: Option<Arc<TaskCaller>>,
    /// When the caller stops waiting, if it does so.
    until: Option<Instant>,
    refused_programs: Vec<Name<8>>,
    queueing: Queueing,
    waits_at: WaitsAt,
    is_back_at_once: bool,
    turn: Turn<'r>,
}

impl Prepared<'_> {
    /// A task may overtake others only if it gives its worker back before its thread does anything else.
    fn haste(&self) -> Haste {
        if self.waits_at == WaitsAt::Bell && self.is_back_at_once { Haste::Quick } else { Haste::Slow }
    }

    /// It is a further program of the task of this number.
    pub(crate) fn is_part_of(&mut self, number: u32) {
        self.task.number = number;
        self.label.number = number;
    }

    /// From now on the work is that of this task.
    pub(crate) fn gives_to(&mut self, work: &mut Work) {
        let (task, label) = (&mut work.task, &self.label);
        (task.number, task.transaction, task.user) = (label.number, label.transaction, label.user);
        task.refused_programs = std::mem::take(&mut self.refused_programs);
        (task.caller, task.until) = (self.caller.take(), self.until);
        task.wall_max = self.limits.wall_max;
        let most = task.wall_max.min(task.time_of_caller());
        work.partners.begin(task.caller.as_deref(), label.user, most);
    }
}

/// A task that has begun in a worker, and has not returned at once.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) running: Box<Running>,
    /// The time when it got its worker, or when it went on there after others.
    pub(crate) began: Instant,
    /// The worker's first message about it, if one has come, or why the worker is not trusted.
    pub(crate) said: Option<Result<FromWorker, &'static str>>,
}

/// The outcome of a task that might have returned at once.
pub(crate) enum Gone {
    /// It has.
    Returned(Interface),
    /// It goes on, or begins.
    On(Option<Begun>),
}

/// A task in a batch. If it is dropped after it has begun, it is ended and reported like a task that is
/// followed ([`Followed`]).
struct Joined<'r> {
    region: &'r Region,
    label: TaskLabel,
    membership: Membership,
}

impl Drop for Joined<'_> {
    fn drop(&mut self) {
        if let Some(Outcome::Begun(begun)) = self.membership.take() {
            let (region, label) = (self.region, self.label);
            drop(Followed { region, label, running: Some(*begun.running), told: Evidence::default() });
        }
    }
}

/// A task while its worker has it. It is dropped before its end if its caller's time is up or the caller has
/// left. Then it is reported like a task that operators have purged: its worker is killed, and its unit of
/// work backed out.
struct Followed<'r> {
    region: &'r Region,
    label: TaskLabel,
    /// None when the task has ended.
    running: Option<Running>,
    told: Evidence,
}

impl Followed<'_> {
    fn running(&mut self) -> &mut Running {
        self.running.as_mut().expect("the worker is only given away at the end")
    }

    fn ended(mut self) -> (Running, Evidence) {
        let running = self.running.take().expect("the worker is only given away at the end");
        (running, std::mem::take(&mut self.told))
    }
}

impl Drop for Followed<'_> {
    fn drop(&mut self) {
        let Some(running) = &mut self.running else { return };
        let (mut evidence, line) = (std::mem::take(&mut self.told), running.line());
        evidence.commands = line.last_commands();
        let most = self.region.dump_max_bytes();
        evidence.begun = (most > 0).then(|| line.task_begun(most)).flatten().map(Box::new);
        let (code, program) = (PURGED.to_owned(), String::new());
        let message = "the task has no caller any more: its time is up, or it has disconnected".to_owned();
        // Only operators are left to hear of it.
        let _ = self.region.noted(self.label, Err(Failure::Abend { code, program, message }), Some(evidence));
    }
}

/// A task that has ended in its worker.
pub(crate) struct Conversed<'r> {
    running: Running,
    /// The last that the worker said.
    pub(crate) said: Result<FromWorker, Cut>,
    pub(crate) label: TaskLabel,
    limits: TaskLimits,
    /// The worker's news of its end.
    told: Evidence,
    _turn: Turn<'r>,
}

impl Conversed<'_> {
    /// The evidence of a task that has failed; none if it has not failed.
    pub(crate) fn evidence(&mut self, work_failed: bool, dump_max_bytes: usize) -> Option<Evidence> {
        if let Ok(FromWorker::Returned(_)) = self.said
            && !work_failed
        {
            return None;
        }
        let mut evidence = std::mem::take(&mut self.told);
        let line = self.running.line();
        evidence.commands = line.last_commands();
        if self.said.is_err() {
            // A worker that is gone has asked for nothing if its task still lies there.
            evidence.begun = line.task_begun(dump_max_bytes).map(Box::new);
        }
        Some(evidence)
    }
}

/// Why a task was ended from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cut {
    /// An operator wanted it so.
    Purged,
    /// Its worker is gone, or is no longer trusted.
    Lost(&'static str),
}

impl From<&'static str> for Cut {
    fn from(reason: &'static str) -> Self {
        Cut::Lost(reason)
    }
}

/// Carries out the worker's request. Meanwhile the board shows what the task waits for. A wait that may be cut ends with its
/// worker: a task without a worker keeps no locks and no place.
async fn carry_out(
    work: &mut Work,
    ask: Ask,
    followed: &mut Followed<'_>,
    occupation: &Occupation,
    pace: &Pace,
) -> Result<Answer, Cut> {
    let (waits, task) = (WaitsFor::of(&ask), followed.label.number);
    let mut answering = std::pin::pin!(work.carry_out(ask));
    let first = std::future::poll_fn(|context| Poll::Ready(answering.as_mut().poll(context))).await;
    let answer = match first {
        Poll::Ready(answer) => answer,
        Poll::Pending => {
            occupation.set_waits(Some(waits));
            pace.waited();
            let answer = tokio::select! {
                biased;
                answer = &mut answering => Ok(answer),
                () = occupation.purged(task), if waits.may_be_cut() => Err(Cut::Purged),
                reason = followed.running().breaks_off(), if waits.may_be_cut() => Err(Cut::Lost(reason)),
            };
            occupation.set_waits(None);
            answer?
        }
    };
    match occupation.is_purged(task) {
        true => Err(Cut::Purged),
        false => Ok(answer),
    }
}
