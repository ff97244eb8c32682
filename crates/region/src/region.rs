//! A region: takes tasks, gives each to a worker, and says truly what came of it.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};
use std::task::Poll;
use std::time::Instant;

use store::{Authority, Decision, GlobalId, InDoubt};
use tokio::sync::SemaphorePermit;

use crate::bells::{Pace, Paces};
use crate::board::{LastAbend, Occupation, TaskLabel};
use crate::children::Parents;
use crate::definitions::Defined;
use crate::dumps::{Evidence, Material};
use crate::ending::{abend, last_abend, lost};
use crate::idle::Haste;
use crate::link::LinkState;
use crate::link::shared::Links;
use crate::operators::OperatorMessage;
use crate::pool::Pool;
use crate::process::{Status, WaitsAt};
use crate::ready::{Idle, Running};
use crate::resources::Resources;
use crate::rights::TaskCaller;
use crate::settings::{Settings, TaskLimits};
use crate::starts::{self, Kept, Slots};
use crate::surroundings::Surroundings;
use crate::triggers;
use crate::turns::{self, Queueing, Turns};
use crate::waits::WaitsFor;
use crate::wire::{
    Answer, Ask, COMMAREA_MAX_BYTES, FromWorker, Interface, Name, StartedData, Task, ToWorker, Told, Watch,
    name,
};
use crate::work::{TaskContext, TaskEnd, Work};

/// The abend of a task that an operator purges (CICS TS, abend codes: AKC3).
const PURGED: &str = "AKC3";

/// The largest task number: EIBTASKN has seven digits.
const TASK_NUMBER_MAX: u32 = 9_999_999;

/// A region.
#[derive(Debug)]
pub struct Region {
    settings: Arc<Settings>,
    pool: Pool,
    resources: Arc<Resources>,
    defined: Defined,
    task_number: AtomicU32,
    turns: Turns,
    paces: Paces,
    slots: Slots,
    /// Tasks that wait for their children without an end.
    parents: Arc<Parents>,
    notes: Vec<String>,
    links: OnceLock<Arc<Links>>,
    /// The programs of its folder, which does not change.
    installed: BTreeSet<Name<8>>,
}

/// A program to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The program.
    pub program: Name<8>,
    /// The transaction that it runs under.
    pub transaction: Name<4>,
    /// Who calls; none for the region's default user.
    pub user: Option<Name<8>>,
    /// Programs that its user may not run ([`Rights`](crate::Rights) knows): LINK and its like to one raise NOTAUTH.
    pub refused_programs: Vec<Name<8>>,
    /// For whom it runs; none if nobody needed to be known.
    pub caller: Option<Arc<TaskCaller>>,
    /// What the program gets.
    pub interface: Interface,
}

/// How a task is begun.
#[derive(Debug)]
pub(crate) enum Beginning {
    /// By a call at the region's door.
    Call,
    /// By START.
    Start(StartedData, Option<Kept>),
    /// By RUN TRANSID.
    Child,
    /// Because this transient data queue has reached its trigger level.
    Trigger(Name<4>),
}

impl Beginning {
    /// What ASSIGN STARTCODE gives (CICS TS, ASSIGN).
    fn startcode(&self) -> Name<2> {
        match self {
            Beginning::Call => *b"D ",
            Beginning::Start(StartedData { data: Some(_), .. }, _) => *b"SD",
            Beginning::Start(..) => *b"S ",
            Beginning::Child => *b"U ",
            Beginning::Trigger(_) => *b"QD",
        }
    }

    /// What ASSIGN QNAME gives; blanks if it has nothing to give.
    fn queue(&self) -> Name<4> {
        match self {
            Beginning::Trigger(queue) => *queue,
            _ => [b' '; 4],
        }
    }
}

/// A task on its way to its end.
pub(crate) type UnattendedTask = Pin<Box<dyn Future<Output = Result<Interface, Failure>> + Send>>;

/// Why a task has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It was never begun.
    NotBegun(String),
    /// It ended with an abend.
    Abend {
        /// The code.
        code: String,
        /// The program in which it happened.
        program: String,
        /// What happened, for operators.
        message: String,
    },
    /// It took longer than the region allows; whether it did what it should is not known.
    TimedOut,
    /// The disk failed while its changes were written: only opening the store again tells whether they are there.
    OutcomeUnknown(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NotBegun(reason) => f.write_str(reason),
            Failure::Abend { code, program, message } => {
                write!(f, "abend {code} in program {program}: {message}")
            }
            Failure::TimedOut => f.write_str("the task took longer than the region allows"),
            Failure::OutcomeUnknown(message) => {
                write!(f, "outcome unknown: whether the task's changes are kept is not known: {message}")
            }
        }
    }
}

impl std::error::Error for Failure {}

impl Region {
    /// Starts a region.
    ///
    /// # Errors
    /// No worker can run here: the reason for people.
    pub fn start(settings: Settings) -> Result<Arc<Self>, String> {
        let resources = Arc::new(Resources::new(&settings));
        let region = Self::with(settings, resources)?;
        region.resources.starts.serve(&region);
        Ok(region)
    }

    /// Lets the tasks begin that were started with PROTECT and have not come to their ends: those of a region that was
    /// killed, above all; and those of transient data queues that have reached their trigger levels. To be called when programs
    /// have what they need, links and the way out.
    pub fn recall(&self) {
        starts::recall(&self.resources);
        triggers::check_all_soon(self);
    }

    /// Starts a region in place of this one, with its queues and the tasks that are to be started: programs or limits have
    /// changed. Tasks of this one run to their ends with the programs that they began with.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn successor(&self, settings: Settings) -> Result<Arc<Self>, String> {
        let (store, before) = (&settings.store, self.resources.durable.path());
        if store != before {
            return Err(format!(
                "the region's store is {}, and becomes {} only after a restart",
                before.display(),
                store.display()
            ));
        }
        let names = |settings: &Settings| (settings.sysid, settings.applid, settings.ccsid);
        if self.links.get().is_some() && names(&settings) != names(&self.settings) {
            return Err(
                "sysid, applid and ccsid of a region with links change only after a restart".to_owned()
            );
        }
        if !self.settings.definitions.has_same_indexes(&settings.definitions) {
            return Err(
                "paths of a file that there is change only after a restart: its tasks would not keep \
                        their indexes up to date"
                    .to_owned(),
            );
        }
        let next = Self::with(settings, self.resources.clone())?;
        if let Some(links) = self.links.get() {
            let _ = next.links.set(links.clone());
        }
        next.task_number.store(self.task_number.load(Ordering::Relaxed), Ordering::Relaxed);
        let max_bytes = next.settings.limits.queues_max_bytes;
        next.resources.queues.lock().unwrap_or_else(PoisonError::into_inner).set_max_bytes(max_bytes);
        next.resources.starts.serve(&next);
        Ok(next)
    }

    fn with(settings: Settings, resources: Arc<Resources>) -> Result<Arc<Self>, String> {
        let settings = Arc::new(settings);
        let defined = Defined::open(&settings.definitions, &resources.durable)?;
        let (pool, notes) = Pool::start(settings.clone(), resources.board.clone())?;
        let kept = resources.counters.keep(settings.counters(), &resources.durable);
        kept.map_err(|trouble| format!("the region's store: {}", trouble.message))?;
        let region = Arc::new(Self {
            installed: installed(&settings.programs),
            resources,
            defined,
            turns: Turns::new(&settings.programs_limits, settings.limits.waiting_max),
            slots: Slots::new(&settings),
            parents: Arc::new(Parents::new(settings.limits.workers)),
            settings,
            pool,
            task_number: AtomicU32::new(0),
            paces: Paces::default(),
            notes,
            links: OnceLock::new(),
        });
        Ok(region)
    }

    /// Gives the programs their way out, now and in all regions that take this one's place.
    pub fn surround(&self, surroundings: Surroundings) {
        self.resources.around.set(surroundings);
    }

    /// True if its store keeps named counters; else they are in memory, and gone with the region.
    pub fn keeps_counters(&self) -> bool {
        self.settings.counters().reserve.is_some()
    }

    /// Tells the store how far the named counters have gone, so that none has a gap when the region is stopped now. Blocks.
    ///
    /// # Errors
    /// The store cannot be written: the reason for people.
    pub fn settle_counters(&self) -> Result<(), String> {
        self.resources.counters.settle(&self.resources.durable).map_err(|trouble| trouble.message)
    }

    /// What programs have written to the operators last, oldest first.
    pub fn operator_messages(&self) -> Vec<OperatorMessage> {
        self.resources.operators.lock().unwrap_or_else(PoisonError::into_inner).messages()
    }

    pub(crate) fn resources(&self) -> &Arc<Resources> {
        &self.resources
    }

    /// What is defined, and open.
    pub(crate) fn defined(&self) -> &Defined {
        &self.defined
    }

    /// The programs that it has.
    pub(crate) fn installed(&self) -> &BTreeSet<Name<8>> {
        &self.installed
    }

    /// How many tasks wait for a worker.
    pub(crate) fn waiting(&self) -> usize {
        self.turns.waiting()
    }

    /// Who may run as a started task.
    pub(crate) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Opens the links to other regions, or takes over those of the region before this one and gives them this one's
    /// configuration: from now on they reach this one, and it them.
    ///
    /// # Errors
    /// An address where it cannot listen, a certificate that cannot be read: the reason for people.
    pub fn open_links(self: &Arc<Self>) -> Result<(), String> {
        match self.links.get() {
            None if self.settings.links.peers.is_empty() => return Ok(()),
            None => {
                let _ = self.links.set(Arc::new(Links::open(&self.settings, self.resources.clone())?));
            }
            Some(links) => links.configure(&self.settings.links)?,
        }
        if let Some(links) = self.links.get() {
            links.shared.set_region(self);
        }
        Ok(())
    }

    /// How the links to other regions stand.
    pub fn links(&self) -> Vec<LinkState> {
        self.links.get().map(|links| links.shared.states()).unwrap_or_default()
    }

    /// Units of work whose end another region decides, and has not told. They keep their locks.
    pub fn in_doubt(&self) -> Vec<InDoubt> {
        self.resources.durable.get().map(|opened| opened.store.in_doubt()).unwrap_or_default()
    }

    /// Ends a unit in doubt as an operator says, who cannot wait for the region that decides. Blocks until it is on disk.
    ///
    /// # Errors
    /// Those of [`store::Store::resolve`].
    pub fn force(&self, unit: &GlobalId, decision: Decision) -> Result<(), String> {
        let opened = self.resources.durable.get().ok_or("the region has no store")?;
        let resolved = opened.store.resolve(unit, decision, Authority::Operator);
        self.recall();
        if let Some(links) = self.links.get() {
            links.shared.tell_of_ends();
        }
        resolved.map(|_| ()).map_err(|error| error.to_string())
    }

    /// What was forced and the region that decides has not confirmed.
    pub fn forced(&self) -> Vec<(GlobalId, Decision)> {
        self.resources.durable.get().map(|opened| opened.store.forced()).unwrap_or_default()
    }

    /// What it was started with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the system lacks to keep workers apart from it; one line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Runs a program to its end. If the future is dropped before, the task's worker is killed.
    ///
    /// # Errors
    /// The task was not begun, or has failed.
    pub async fn run(&self, request: Request) -> Result<Interface, Failure> {
        self.carry(request, Beginning::Call).await
    }

    /// Runs a program for nobody who waits at the region's door, however many others do.
    pub(crate) fn run_unattended(self: Arc<Self>, request: Request, beginning: Beginning) -> UnattendedTask {
        Box::pin(async move { self.carry(request, beginning).await })
    }

    async fn carry(&self, request: Request, beginning: Beginning) -> Result<Interface, Failure> {
        let mut work = self.work(request.user);
        if self.defined.definitions.remote_program(request.program).is_some() {
            let user = request.user.unwrap_or(self.settings.default_user);
            work.partners.begin(user, self.settings.task_limits(request.program).wall_max);
            if let Beginning::Start(data, kept) = beginning {
                work.was_started_with(data, kept);
            }
            return Box::pin(crate::link::remote::run(work, request)).await;
        }
        let mut conversed = self.converse_with_worker((request, beginning), &mut work).await?;
        let end = match &conversed.said {
            Ok(FromWorker::Returned(_)) => TaskEnd::Normal,
            _ => TaskEnd::Abnormal,
        };
        let label = conversed.label;
        let worked = work.end(end).await;
        let evidence = conversed.evidence(worked.is_err(), self.dump_max_bytes());
        let ended = self.ended(conversed).await;
        self.noted(label, worked.and(ended), evidence)
    }

    /// Runs a program as a part of work that goes on after it.
    pub(crate) async fn run_joined(&self, request: Request, work: &mut Work) -> Result<Interface, Failure> {
        let mut conversed = self.converse_with_worker((request, Beginning::Call), work).await?;
        let label = conversed.label;
        let evidence = conversed.evidence(false, self.dump_max_bytes());
        let ended = self.ended(conversed).await;
        self.noted(label, ended, evidence)
    }

    /// How many bytes a dump may have of what a program works with.
    fn dump_max_bytes(&self) -> usize {
        self.settings.dumps.state_max_bytes() as usize
    }

    /// Notes how a task has ended, for operators.
    fn noted(
        &self,
        task: TaskLabel,
        ended: Result<Interface, Failure>,
        evidence: Option<Evidence>,
    ) -> Result<Interface, Failure> {
        let Err(failure) = &ended else { return ended };
        let LastAbend { time, code, message, .. } = last_abend(failure, task.number);
        let abend = LastAbend { time, task: task.number, code: code.clone(), message: message.clone() };
        self.resources.board.programs.of(task.program).note(abend);
        let is_wanted = self.settings.dumps.state_max_bytes() > 0;
        if let Some(evidence) = evidence.filter(|evidence| is_wanted && !evidence.is_unwanted) {
            let program = match failure {
                Failure::Abend { program, .. } => program.clone(),
                _ => String::new(),
            };
            let settings = self.settings.clone();
            self.resources.dumps.write(Material { settings, task, time, code, program, message, evidence });
        }
        ended
    }

    /// The work of a new task.
    pub(crate) fn work(&self, user: Option<Name<8>>) -> Work {
        let context = TaskContext {
            settings: self.settings.clone(),
            parents: self.parents.clone(),
            number: 0,
            transaction: [b' '; 4],
            user: user.unwrap_or(self.settings.default_user),
            refused_programs: Vec::new(),
            caller: None,
            began: Instant::now(),
            wall_max: self.settings.limits.wall_max,
        };
        let mut work = Work::new(self.resources.clone(), &self.defined, context);
        if let Some(links) = self.links.get() {
            work.partners.attach(&links.shared);
        }
        work
    }

    /// Gives a program to a worker, and answers what it asks until the task has ended.
    async fn converse_with_worker(
        &self,
        (mut request, beginning): (Request, Beginning),
        work: &mut Work,
    ) -> Result<Conversed<'_>, Failure> {
        if let Interface::Commarea(bytes) = &request.interface
            && bytes.len() > COMMAREA_MAX_BYTES
        {
            let found = bytes.len();
            let reason = format!("expected a commarea of at most {COMMAREA_MAX_BYTES} bytes, found {found}");
            return Err(Failure::NotBegun(reason));
        }
        let queueing = match beginning {
            Beginning::Call => Queueing::Limited,
            Beginning::Start(..) | Beginning::Child | Beginning::Trigger(_) => Queueing::Unlimited,
        };
        let turn = self.turns.of(request.program, queueing).await?;
        let limits = self.settings.task_limits(request.program);
        let pace = self.paces.of(request.program);
        let (waits_at, haste) = match pace.is_quick() {
            true => (WaitsAt::Bell, Haste::Quick),
            false => (WaitsAt::Socket, Haste::Slow),
        };
        let caller = request.caller.take();
        let mut task = self.task(request, &beginning);
        let context = &mut work.task;
        (context.number, context.transaction, context.user) = (task.number, task.transaction, task.user);
        context.refused_programs.clone_from(&task.refused_programs);
        (context.caller, context.wall_max) = (caller, limits.wall_max);
        let label = TaskLabel {
            number: task.number,
            transaction: task.transaction,
            program: task.program,
            user: task.user,
        };
        work.partners.begin(task.user, limits.wall_max);
        if let Beginning::Start(data, kept) = beginning {
            work.was_started_with(data, kept);
        }
        let figures = self.resources.board.programs.of(label.program);
        let measures = figures.measures();
        task.watch = Watch {
            tracing: self.resources.tracer.of(&label),
            measures_cpu: measures.cpu,
            state_max_bytes: self.settings.dumps.state_max_bytes(),
        };
        let task = ToWorker::Task(task);
        let (mut running, began) = loop {
            let idle = self.worker(queueing, haste).await?;
            let Some(mut running) = Running::new(idle, self.pool.shared.clone()) else { continue };
            if let Err(too_long) = running.line().write(&task) {
                running.finish(self.settings.limits.tasks_max);
                return Err(Failure::NotBegun(too_long.to_string()));
            }
            // A worker that died while it had nothing to do has not begun this: another one takes it.
            let line = running.line();
            let began = Instant::now();
            line.status.begin(self.pool.shared.milliseconds_at(began), &limits);
            line.status.occupation.begin(&label);
            line.limit_memory(limits.memory_max_bytes);
            if line.ring(waits_at) {
                break (running, began);
            }
            line.status.occupation.end();
            line.status.end();
        };
        drop(task);
        figures.tasks.fetch_add(1, Ordering::Relaxed);
        let status = running.line().status.clone();
        work.task.began = began;
        let mut followed =
            Followed { region: self, label, running: Some(running), told: Evidence::default() };
        let said = self.converse(&mut followed, (work, &status), pace).await;
        let (mut running, told) = followed.ended();
        figures.measured(measures, running.line(), &limits);
        status.occupation.end();
        status.end();
        Ok(Conversed { running, said, label, limits, told, _turn: turn })
    }

    /// What came of a task, and what becomes of its worker.
    async fn ended(&self, conversed: Conversed<'_>) -> Result<Interface, Failure> {
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
            Ok(_) => {
                Err(Box::pin(lost(&mut running, &limits, "the worker said something out of turn")).await)
            }
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

    /// Keeps what a worker tells of its task, and says whether it should tell more.
    fn told(&self, news: Told, label: &TaskLabel, evidence: &mut Evidence) -> Answer {
        match news {
            Told::Command(command) => match self.resources.tracer.keep(label, *command) {
                true => Answer::Done,
                false => Answer::Enough,
            },
            Told::State(mut state) => {
                // The worker was told how much; whether it kept to that nobody knows.
                state.clip(self.dump_max_bytes());
                evidence.state = Some(state);
                Answer::Done
            }
            Told::NoDump => {
                evidence.is_unwanted = true;
                Answer::Done
            }
        }
    }

    fn task(&self, request: Request, beginning: &Beginning) -> Task {
        let number = self.task_number.fetch_add(1, Ordering::Relaxed) % TASK_NUMBER_MAX + 1;
        Task {
            number,
            program: request.program,
            transaction: request.transaction,
            user: request.user.unwrap_or(self.settings.default_user),
            applid: self.settings.applid,
            sysid: self.settings.sysid,
            startcode: beginning.startcode(),
            queue: beginning.queue(),
            ccsid: self.settings.ccsid,
            containers_max_bytes: self.settings.limits.containers_max_bytes(),
            refused_programs: request.refused_programs,
            watch: Watch::default(),
            interface: request.interface,
        }
    }

    /// Answers what the worker asks, until its task has ended.
    async fn converse(
        &self,
        followed: &mut Followed<'_>,
        (work, status): (&mut Work, &Status),
        pace: &Pace,
    ) -> Result<FromWorker, Cut> {
        let label = followed.label;
        let (occupation, task) = (&status.occupation, label.number);
        let mut rung = work.task.began;
        loop {
            // What the worker says at its bell is there at the first look; nobody waits for a purge then.
            let message = tokio::select! {
                biased;
                message = followed.running().message(pace, rung) => message?,
                () = occupation.purged(task) => return Err(Cut::Purged),
            };
            let answer = match message {
                FromWorker::Ask(ask) => carry_out(work, ask, (occupation, task), pace).await?,
                FromWorker::Told(news) => {
                    // A worker that always has something to tell keeps nobody else from this thread, nor a purge from it.
                    tokio::task::yield_now().await;
                    if occupation.is_purged(task) {
                        return Err(Cut::Purged);
                    }
                    self.told(news, &label, &mut followed.told)
                }
                other => return Ok(other),
            };
            let line = followed.running().line();
            let too_long = line.write(&ToWorker::Answer(answer)).is_err();
            if too_long {
                let none = Answer::Condition { resp: program::conditions::LENGERR.number, resp2: 0 };
                line.write(&ToWorker::Answer(none))
                    .map_err(|_| Cut::Lost("the shared memory is too small"))?;
            }
            rung = Instant::now();
            if !line.ring(line.waits_at()) {
                return Err(Cut::Lost("the worker is gone"));
            }
        }
    }
}

/// A task while its worker has it. Dropped before its end, because the time of who waits for it is up or they have gone, it is told to
/// operators like one that they have purged: its worker is killed, and its unit of work backed out.
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
        let message =
            "nobody waits for the task any more: the caller's time is up, or it has gone".to_owned();
        // There is nobody to be told of it but operators.
        let _ = self.region.noted(self.label, Err(Failure::Abend { code, program, message }), Some(evidence));
    }
}

/// A task that has come to its end in its worker.
struct Conversed<'r> {
    running: Running,
    /// The last that the worker said.
    said: Result<FromWorker, Cut>,
    label: TaskLabel,
    limits: TaskLimits,
    /// What the worker has told of its end.
    told: Evidence,
    _turn: Option<SemaphorePermit<'r>>,
}

impl Conversed<'_> {
    /// What is left of a task that has failed; none if it has not.
    fn evidence(&mut self, work_failed: bool, dump_max_bytes: usize) -> Option<Evidence> {
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

/// Why a task has not come to its end by itself.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// An operator wanted it so.
    Purged,
    /// Its worker is gone, or is not to be trusted any more.
    Lost(&'static str),
}

impl From<&'static str> for Cut {
    fn from(reason: &'static str) -> Self {
        Cut::Lost(reason)
    }
}

/// Carries out what the worker asks, and says meanwhile what the task waits for, if it must wait.
async fn carry_out(
    work: &mut Work,
    ask: Ask,
    (occupation, task): (&Occupation, u32),
    pace: &Pace,
) -> Result<Answer, Cut> {
    let waits = WaitsFor::of(&ask);
    let mut answering = std::pin::pin!(work.carry_out(ask));
    let first = std::future::poll_fn(|context| Poll::Ready(answering.as_mut().poll(context))).await;
    let answer = match first {
        Poll::Ready(answer) => answer,
        Poll::Pending => {
            occupation.set_waits(Some(waits));
            pace.waited();
            let answer = tokio::select! {
                biased;
                answer = &mut answering => Some(answer),
                () = occupation.purged(task), if waits.may_be_cut() => None,
            };
            occupation.set_waits(None);
            answer.ok_or(Cut::Purged)?
        }
    };
    match occupation.is_purged(task) {
        true => Err(Cut::Purged),
        false => Ok(answer),
    }
}

/// The programs `NAME.so` of a folder. One that cannot be read has none: whoever runs a program is told.
fn installed(folder: &Path) -> BTreeSet<Name<8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let program = |entry: std::fs::DirEntry| {
        let file = entry.file_name();
        let text = file.to_str()?.strip_suffix(".so")?;
        (text.len() <= 8).then(|| name(text))
    };
    entries.filter_map(program).collect()
}
