//! A region: takes tasks, gives each to a worker, and returns the outcome.

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use store::{Authority, Decision, GlobalId, InDoubt};
use wire::{FromWorker, Interface, Name, StartedData, Task, Watch, shown};

use crate::around::outward::Surroundings;
use crate::definitions::Defined;
use crate::link::LinkState;
use crate::link::shared::Links;
use crate::quick::batch::Batches;
use crate::quick::pace::Paces;
use crate::quick::processors;
use crate::resources::Resources;
use crate::resources::catalogue::Catalogue;
use crate::resources::message_triggers;
use crate::resources::operators::OperatorMessage;
use crate::resources::temporary::sweep;
use crate::resources::transient::triggers;
use crate::rights::TaskCaller;
use crate::running::conversation::{Begun, Gone, Prepared};
use crate::running::ending::last_abend;
use crate::running::pool::Pool;
use crate::running::turns::{Queueing, Turns};
use crate::settings::Settings;
use crate::starts::children::Parents;
use crate::starts::{self, Kept, Slots};
use crate::watching::board::{LastAbend, TaskLabel};
use crate::watching::dumps::{self, Cause, Evidence, Material};
use crate::work::{TaskContext, TaskEnd, Work};

/// The largest task number: EIBTASKN has seven digits.
const TASK_NUMBER_MAX: u32 = 9_999_999;

/// A region.
#[derive(Debug)]
pub struct Region {
    pub(crate) settings: Arc<Settings>,
    pub(crate) pool: Pool,
    pub(crate) resources: Arc<Resources>,
    defined: Defined,
    task_number: AtomicU32,
    pub(crate) turns: Turns,
    pub(crate) paces: Arc<Paces>,
    pub(crate) batches: Arc<Batches>,
    slots: Slots,
    /// Tasks that wait for their children without an end.
    parents: Arc<Parents>,
    notes: Vec<String>,
    links: OnceLock<Arc<Links>>,
}

/// A program to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The program.
    pub program: Name<8>,
    /// The transaction that it runs under.
    pub transaction: Name<4>,
    /// The user of the task; none for the region's default user.
    pub user: Option<Name<8>>,
    /// Programs that its user may not run ([`Rights`](crate::Rights) knows): LINK and its like to one raise NOTAUTH.
    pub refused_programs: Vec<Name<8>>,
    /// The caller of the task; none if no rule needs to know it.
    pub caller: Option<Arc<TaskCaller>>,
    /// When its caller stops waiting; none if nobody waits, or the caller waits as long as the task runs.
    pub until: Option<Instant>,
    /// The data for the program.
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
    /// The value of ASSIGN STARTCODE (CICS TS, ASSIGN).
    fn startcode(&self) -> Name<2> {
        match self {
            Beginning::Call => *b"D ",
            Beginning::Start(StartedData { data: Some(_), .. }, _) => *b"SD",
            Beginning::Start(..) => *b"S ",
            Beginning::Child => *b"U ",
            Beginning::Trigger(_) => *b"QD",
        }
    }

    /// Whether its task counts among those that wait.
    pub(crate) fn queueing(&self) -> Queueing {
        match self {
            Beginning::Call => Queueing::Limited,
            Beginning::Start(..) | Beginning::Child | Beginning::Trigger(_) => Queueing::Unlimited,
        }
    }

    /// The value of ASSIGN QNAME; blanks if there is none.
    fn queue(&self) -> Name<4> {
        match self {
            Beginning::Trigger(queue) => *queue,
            _ => [b' '; 4],
        }
    }
}

/// A task on its way to its end.
pub(crate) type UnattendedTask = Running<'static>;

/// A task that is under way.
type Running<'a> = Pin<Box<dyn Future<Output = Result<Interface, Failure>> + Send + 'a>>;

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
        /// A description for operators.
        message: String,
    },
    /// It took longer than the region allows. It is not known whether it did its work.
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
                write!(f, "outcome unknown: the task's changes may or may not be kept: {message}")
            }
        }
    }
}

impl std::error::Error for Failure {}

impl Region {
    /// Starts a region. Tasks begin in it, for no region was there before it.
    ///
    /// # Errors
    /// No worker can run here: the reason for people.
    pub fn start(settings: Settings) -> Result<Arc<Self>, String> {
        let resources = Arc::new(Resources::new(&settings));
        dumps::delete_unfinished(&settings.dumps);
        let region = Self::with(settings, resources)?;
        region.resources.starts.serve(&region);
        sweep::begin(&region);
        Ok(region)
    }

    /// Lets tasks begin that were waiting for this region: tasks started with PROTECT that have not ended
    /// (above all those of a killed region), tasks of transient data queues at their trigger levels, and
    /// tasks that triggers of message queues start. Call it when links and the way out are there, because
    /// programs need them.
    pub fn recall(&self) {
        starts::recall(&self.resources);
        triggers::check_all_soon(self);
        message_triggers::begin(&self.resources);
    }

    /// From now on the configuration of this region counts. Started tasks, tasks of triggers and tasks of other regions begin in
    /// it. A file whose status differs from the region before begins anew. Call it when nothing can keep the region from serving
    /// any more, and before [`recall`](Self::recall).
    pub fn begin_serving(self: &Arc<Self>) {
        let max_bytes = self.settings.limits.queues_max_bytes;
        self.resources.queues.lock().unwrap_or_else(PoisonError::into_inner).set_max_bytes(max_bytes);
        if let Some(opened) = self.resources.durable.get() {
            self.defined.files.begin(&opened.file_states);
        }
        self.resources.starts.serve(self);
        if let Some(links) = self.links.get() {
            links.shared.set_region(self);
        }
        sweep::begin(self);
    }

    /// Starts a region in place of this one, with its queues and the tasks that are to be started: programs or limits have
    /// changed. Tasks of this one run to their ends with the programs that they began with. Until the new region
    /// [serves](Self::begin_serving), tasks begin in this one, and states of files stay as they are: the new region may be refused.
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
        Ok(next)
    }

    fn with(settings: Settings, resources: Arc<Resources>) -> Result<Arc<Self>, String> {
        processors::note_all();
        let settings = Arc::new(settings);
        let defined = Defined::open(&settings, &resources.durable)?;
        let (pool, notes) = Pool::start(settings.clone(), resources.board.clone())?;
        let kept = resources.counters.keep(settings.counters(), &resources.durable);
        kept.map_err(|trouble| trouble.of_store())?;
        let paces = Arc::new(Paces::new(settings.limits.quick_max));
        let batches =
            Batches::new(pool.shared.clone(), resources.board.clone(), paces.clone(), &settings.limits);
        let region = Arc::new(Self {
            resources,
            defined,
            turns: Turns::new(
                &settings.programs_limits,
                settings.limits.workers,
                settings.limits.waiting_max,
            ),
            slots: Slots::new(&settings),
            parents: Arc::new(Parents::new(settings.limits.workers.saturating_sub(settings.workers_kept()))),
            settings,
            pool,
            task_number: AtomicU32::new(0),
            batches,
            paces,
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
        self.resources.counters.are_kept()
    }

    /// Tells the store how far the named counters have gone, so that none has a gap when the region is stopped now. Blocks.
    ///
    /// # Errors
    /// The store cannot be written: the reason for people.
    pub fn settle_counters(&self) -> Result<(), String> {
        self.resources.counters.settle(&self.resources.durable).map_err(|trouble| trouble.message)
    }

    /// The last messages of programs to the operators, oldest first.
    pub fn operator_messages(&self) -> Vec<OperatorMessage> {
        self.resources.operators.lock().unwrap_or_else(PoisonError::into_inner).messages()
    }

    pub(crate) fn resources(&self) -> &Arc<Resources> {
        &self.resources
    }

    /// The definitions, with their open files and queues.
    pub(crate) fn defined(&self) -> &Defined {
        &self.defined
    }

    /// The programs and transactions that tasks can name.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.defined.catalogue
    }

    /// How many tasks wait for a worker.
    pub(crate) fn waiting(&self) -> usize {
        self.turns.waiting()
    }

    /// Who may run as a started task.
    pub(crate) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Opens the links to other regions, or takes over those of the region before this one with this region's
    /// configuration. From then on this region reaches others. They reach it as soon as tasks begin in it.
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
        let serves = self.resources.starts.region().is_some_and(|region| Arc::ptr_eq(&region, self));
        if let Some(links) = self.links.get().filter(|_| serves) {
            links.shared.set_region(self);
        }
        Ok(())
    }

    /// How the links to other regions stand.
    pub fn links(&self) -> Vec<LinkState> {
        self.links.get().map(|links| links.shared.states()).unwrap_or_default()
    }

    /// Units of work whose end another region decides and has not sent. They keep their locks.
    pub fn in_doubt(&self) -> Vec<InDoubt> {
        self.resources.durable.get().map(|opened| opened.store.in_doubt()).unwrap_or_default()
    }

    /// Ends a unit in doubt for an operator who cannot wait for the region that decides. Blocks until it is
    /// on disk.
    ///
    /// # Errors
    /// Those of [`store::Store::resolve`].
    pub fn force(&self, unit: &GlobalId, decision: Decision) -> Result<(), String> {
        let opened = self.resources.durable.get().ok_or("the region has no store")?;
        let resolved = opened.store.resolve(unit, decision, Authority::Operator);
        if resolved.is_ok() {
            self.resources.settle_messages(unit, decision);
        }
        self.recall();
        if let Some(links) = self.links.get() {
            links.shared.tell_of_ends();
        }
        resolved.map(|_| ()).map_err(|error| error.to_string())
    }

    /// Forced decisions that the deciding region has not confirmed.
    pub fn forced(&self) -> Vec<(GlobalId, Decision)> {
        self.resources.durable.get().map(|opened| opened.store.forced()).unwrap_or_default()
    }

    /// The settings that it was started with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The protections that the system lacks to keep workers apart from it; one line each.
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

    /// Runs a program without a waiting caller. The limit of waiting callers does not count for it.
    pub(crate) fn run_unattended(self: Arc<Self>, request: Request, beginning: Beginning) -> UnattendedTask {
        Box::pin(async move { self.carry(request, beginning).await })
    }

    async fn carry(&self, request: Request, beginning: Beginning) -> Result<Interface, Failure> {
        if self.defined.definitions.remote_program(request.program).is_some() {
            return self.elsewhere(request, beginning).await;
        }
        let turn = self.turns.of(request.program, beginning.queueing()).await?;
        let mut prepared = self.prepare(request, &beginning, turn)?;
        let gone = match beginning {
            Beginning::Call => self.go(&mut prepared).await?,
            _ => Gone::On(None),
        };
        match gone {
            Gone::Returned(interface) => Ok(interface),
            // Boxed, because this is most of the future, and calls that return at once do not need it.
            Gone::On(begun) => self.rest(prepared, begun, beginning).await,
        }
    }

    // The code of async functions is compiled again in each crate that awaits them, down to a function such as these two,
    // whose code is here alone.
    fn rest<'a>(&'a self, prepared: Prepared<'a>, begun: Option<Begun>, beginning: Beginning) -> Running<'a> {
        Box::pin(self.carry_on(prepared, begun, beginning))
    }

    fn elsewhere(&self, request: Request, beginning: Beginning) -> Running<'_> {
        Box::pin(self.carry_elsewhere(request, beginning))
    }

    /// Runs a task to its end as a unit of work.
    async fn carry_on(
        &self,
        mut prepared: Prepared<'_>,
        begun: Option<Begun>,
        beginning: Beginning,
    ) -> Result<Interface, Failure> {
        let mut work = self.work(None);
        prepared.gives_to(&mut work);
        if let Beginning::Start(data, kept) = beginning {
            work.was_started_with(data, kept);
        }
        let mut conversed = self.converse_with_worker(prepared, begun, &mut work).await?;
        let end = match &conversed.said {
            Ok(FromWorker::Returned(_)) => TaskEnd::Normal,
            _ => TaskEnd::Abnormal,
        };
        let label = conversed.label;
        let worked = work.end(end).await;
        let evidence = conversed.evidence(worked.is_err(), self.dump_max_bytes());
        let ended = self.ended(conversed).await;
        let noted = self.noted(label, worked.and(ended), evidence);
        // An answer that is sent stands, whatever the task has done after it.
        work.web_sent.map_or(noted, |answer| Ok(Interface::WebAnswer(answer)))
    }

    /// Runs a program that another region has.
    async fn carry_elsewhere(&self, request: Request, beginning: Beginning) -> Result<Interface, Failure> {
        let mut work = self.work(request.user);
        let (user, most) = (work.task.user, self.settings.task_limits(request.program).wall_max);
        work.partners.begin(request.caller.as_deref(), user, most);
        if let Beginning::Start(data, kept) = beginning {
            work.was_started_with(data, kept);
        }
        crate::link::remote::run(work, request).await
    }

    /// Runs a program as a part of work that goes on after it.
    pub(crate) async fn run_joined(&self, request: Request, work: &mut Work) -> Result<Interface, Failure> {
        if self.defined.definitions.remote_program(request.program).is_some() {
            return self.link_on(request, work).await;
        }
        let beginning = Beginning::Call;
        let turn = self.turns.of(request.program, beginning.queueing()).await?;
        let prepared = self.prepare(request, &beginning, turn)?;
        self.converse_joined(prepared, None, work).await
    }

    /// Runs a program of a task that has run others before it, under the number of that task. Its changes stay in the work,
    /// whether it returns or fails.
    ///
    /// # Errors
    /// It was not begun, or has failed.
    pub(crate) async fn run_within(
        &self,
        request: Request,
        number: u32,
        work: &mut Work,
    ) -> Result<Interface, Failure> {
        if self.defined.definitions.remote_program(request.program).is_some() {
            return self.link_on(request, work).await;
        }
        let beginning = Beginning::Call;
        let turn = self.turns.of(request.program, beginning.queueing()).await?;
        let mut prepared = self.prepare(request, &beginning, turn)?;
        prepared.is_part_of(number);
        match self.go(&mut prepared).await? {
            Gone::Returned(interface) => Ok(interface),
            Gone::On(begun) => Box::pin(self.converse_joined(prepared, begun, work)).await,
        }
    }

    /// Runs a program that another region has, as a part of work that goes on after it.
    async fn link_on(&self, request: Request, work: &mut Work) -> Result<Interface, Failure> {
        let user = request.user.unwrap_or(self.settings.default_user);
        let left =
            request.until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        let most = self.settings.task_limits(request.program).wall_max.min(left);
        work.partners.begin(request.caller.as_deref(), user, most);
        Box::pin(crate::link::remote::link(work, request, false)).await
    }

    /// The number of a new task.
    pub(crate) fn next_task_number(&self) -> u32 {
        self.task_number.fetch_add(1, Ordering::Relaxed) % TASK_NUMBER_MAX + 1
    }

    async fn converse_joined(
        &self,
        mut prepared: Prepared<'_>,
        begun: Option<Begun>,
        work: &mut Work,
    ) -> Result<Interface, Failure> {
        prepared.gives_to(work);
        let mut conversed = self.converse_with_worker(prepared, begun, work).await?;
        let label = conversed.label;
        let evidence = conversed.evidence(false, self.dump_max_bytes());
        let ended = self.ended(conversed).await;
        self.noted(label, ended, evidence)
    }

    /// The most bytes of a program's data in a dump.
    pub(crate) fn dump_max_bytes(&self) -> usize {
        self.settings.dumps.state_max_bytes() as usize
    }

    /// Notes how a task has ended, for operators.
    pub(crate) fn noted(
        &self,
        task: TaskLabel,
        ended: Result<Interface, Failure>,
        evidence: Option<Evidence>,
    ) -> Result<Interface, Failure> {
        let Err(mut failure) = ended else { return ended };
        // A worker that is gone cannot say which program it was in. The first one of the task is known.
        if let Failure::Abend { program, .. } = &mut failure
            && program.is_empty()
        {
            *program = shown(&task.program);
        }
        let abend = last_abend(&failure, &task);
        let LastAbend { time, code, message, .. } = abend.clone();
        self.resources.board.programs.of(task.program).note(abend);
        let is_wanted = self.settings.dumps.state_max_bytes() > 0;
        if let Some(evidence) = evidence.filter(|evidence| is_wanted && !evidence.is_unwanted) {
            let program = match &failure {
                Failure::Abend { program, .. } => program.clone(),
                _ => String::new(),
            };
            let settings = self.settings.clone();
            let cause = Cause::Abend;
            self.resources.dumps.write(Material {
                settings,
                task,
                time,
                cause,
                code,
                program,
                message,
                evidence,
            });
        }
        Err(failure)
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
            until: None,
        };
        let mut work = Work::new(self.resources.clone(), &self.defined, context);
        if let Some(links) = self.links.get() {
            work.partners.attach(&links.shared);
        }
        work
    }

    pub(crate) fn task(&self, request: Request, beginning: &Beginning) -> Task {
        Task {
            number: self.next_task_number(),
            program: request.program,
            transaction: request.transaction,
            user: request.user.unwrap_or(self.settings.default_user),
            applid: self.settings.applid,
            sysid: self.settings.sysid,
            startcode: beginning.startcode(),
            queue: beginning.queue(),
            ccsid: self.settings.ccsid,
            containers_max_bytes: self.settings.limits.containers_max_bytes(),
            work_area_bytes: self.settings.work_area_bytes,
            refused_programs: request.refused_programs,
            watch: Watch::default(),
            interface: request.interface,
        }
    }
}
