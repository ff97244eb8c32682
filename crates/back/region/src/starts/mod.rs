//! Tasks that programs start at a time: START, RETRIEVE, CANCEL, and DELAY with a name, in a region.
//!
//! Rules are those of CICS TS, "START", for tasks without terminals. Each START is a task of its own, which
//! gets its data with one RETRIEVE. Tasks that have not begun are kept in memory. They survive a change of
//! the configuration, but not the process. Only STARTs with PROTECT are in the store too (`kept`).
//!
//! Tasks that programs begin, by START or as children (`children.rs`), run on a thread of the region (`unattended.rs`).
//! A caller's own runtime would end them with the caller. They begin in the region that serves then.

pub(crate) mod children;
pub(crate) mod unattended;

mod complaints;
mod kept;
pub(crate) mod operated;
pub(crate) mod pending;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use program::conditions::{Condition, ENDDATA, ENVDEFERR, INVREQ, IOERR, NOTAUTH, NOTFND, TRANSIDERR};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::Instant;
use wire::{Answer, Interface, Name, Start, StartAnswer, StartAsk, StartedData, WantedData};

pub(crate) use self::kept::{Kept, recall, recall_soon};
use self::kept::{Known, Later, Record, recall_later};
use crate::region::{Beginning, Failure, Region, Request};
use crate::resources::Resources;
use crate::resources::trouble::Trouble;
use crate::resources::unit::UnitOfWork;
use crate::rights::{TaskCaller, whole_name};
use crate::settings::{Limits, Settings};
use crate::starts::unattended::Unattended;
use crate::work::TaskContext;

/// NOTAUTH: the user may not run the transaction or its program; the task may not start others under that user.
pub(crate) const RESP2_NOT_ALLOWED: u32 = 7;
pub(crate) const RESP2_SURROGATE: u32 = 9;

/// The longest time that a task is put off: an hour more than CICS lets programs say. A worker may say anything.
const DELAY_MAX: Duration = Duration::from_secs(101 * 60 * 60);

/// The cost of a task besides its bytes, for the limit.
const ENTRY_BYTES: usize = 512;

/// The tasks of a region that have not begun, and the way to let them run.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    pub(crate) unattended: Unattended,
    /// The region of now, and older ones that still exist.
    serving: Mutex<Vec<Weak<Region>>>,
    waiting: Mutex<Waiting>,
    /// The records of the store that this process handles.
    known: Arc<Known>,
    /// Programs have what they need, so that STARTs of the store may begin.
    recalled: AtomicBool,
    /// Somebody wants the records of the store to be looked at, and that has not begun.
    recall_wanted: AtomicBool,
    /// Protected STARTs whose tasks could not begin.
    later: Later,
    /// Children that have not ended, of all tasks.
    children: Arc<AtomicUsize>,
}

/// The end of a region.
impl Drop for Starts {
    fn drop(&mut self) {
        let waiting = self.waiting.get_mut().unwrap_or_else(PoisonError::into_inner);
        let is_lost = |entry: &&Entry| entry.entered.begins.is_some() && entry.entered.kept.is_none();
        match waiting.all.values().filter(is_lost).count() {
            0 => {}
            count => {
                tracing::warn!("{count} STARTs that waited for their time are lost: they are not protected")
            }
        }
    }
}

/// A child that has not ended.
#[derive(Debug)]
pub(crate) struct ChildPlace(Arc<AtomicUsize>);

impl Drop for ChildPlace {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[derive(Debug, Default)]
struct Waiting {
    all: HashMap<u64, Entry>,
    next: u64,
    bytes: usize,
}

/// Something that waits for its time, and can be cancelled until it begins.
#[derive(Debug)]
struct Entry {
    entered: Entering,
    /// Dropped when it is cancelled.
    #[expect(dead_code, reason = "its end is what tells")]
    cancelled: oneshot::Sender<()>,
}

/// The content of a new [`Entry`].
#[derive(Debug)]
struct Entering {
    request: Name<8>,
    /// The task that will begin; none for a DELAY.
    begins: Option<Begins>,
    bytes: usize,
    has_data: bool,
    /// Its record in the store, if it is protected.
    kept: Option<Kept>,
}

/// The facts about a task that will begin, for operators.
#[derive(Clone, Copy, Debug)]
struct Begins {
    transaction: Name<4>,
    user: Option<Name<8>>,
    at: Instant,
    /// FROM.
    data_bytes: Option<usize>,
    /// The containers of its channel, together.
    channel_bytes: Option<usize>,
    /// RTERMID.
    return_terminal: Option<Name<4>>,
}

/// Places for started tasks that run at once, so that they leave workers to callers.
#[derive(Debug)]
pub(crate) struct Slots {
    all: Arc<Semaphore>,
    by_transaction: HashMap<Name<4>, Arc<Semaphore>>,
}

/// A place among the started tasks that run at once, until it is dropped.
pub(crate) type Place = [Option<OwnedSemaphorePermit>; 2];

impl Slots {
    pub(crate) fn new(settings: &Settings) -> Self {
        let semaphore = |most: usize| Arc::new(Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)));
        let limited = settings
            .transactions
            .iter()
            .filter_map(|(id, transaction)| transaction.tasks_max.map(|most| (*id, semaphore(most))));
        Self { all: semaphore(settings.limits.starts_running_max), by_transaction: limited.collect() }
    }

    /// A place for a task of the transaction: first one of the transaction's, so that it does not hold up others.
    async fn enter(&self, transaction: Name<4>) -> Place {
        let own = match self.by_transaction.get(&transaction) {
            Some(own) => own.clone().acquire_owned().await.ok(),
            None => None,
        };
        [own, self.all.clone().acquire_owned().await.ok()]
    }
}

/// The starts that a task has to do with.
#[derive(Debug, Default)]
pub(crate) struct TaskStarts {
    /// Its data from START, until it retrieves them.
    pub(crate) retrievable: Option<StartedData>,
    /// The record that started it. The first unit of work that commits deletes it.
    began_by: Option<Kept>,
    /// Its program is in another region, in the unit of work that deletes the record.
    is_elsewhere: bool,
    /// The tasks that it starts if its unit of work commits.
    protected: Vec<Protected>,
}

/// A task that is started if a unit of work commits.
#[derive(Debug)]
struct Protected {
    due: Due,
    kept: Kept,
}

/// A START with its caller, its name and its time.
#[derive(Debug)]
struct Due {
    start: Start,
    whose: Whose,
    request: Name<8>,
    at: Instant,
}

/// The resources that commands of a task change besides its own starts.
pub(crate) struct Reach<'t> {
    pub(crate) resources: &'t Arc<Resources>,
    pub(crate) unit: &'t mut UnitOfWork,
    pub(crate) task: &'t TaskContext,
}

impl TaskStarts {
    /// Carries out the worker's request.
    pub(crate) async fn carry_out(&mut self, ask: StartAsk, reach: Reach<'_>) -> Answer {
        let done = match ask {
            StartAsk::Start(start) => self.start(start, reach).await,
            StartAsk::Retrieve(wanted) => self.retrieve(wanted),
            StartAsk::Cancel { request } => self.cancel(request, reach).await,
            StartAsk::Delay { request, milliseconds } => {
                let time = Duration::from_millis(milliseconds).min(DELAY_MAX);
                reach.resources.starts.delay(request, time, &reach.task.settings).await
            }
        };
        done.map_or_else(
            |(condition, resp2)| Answer::Condition { resp: condition.number, resp2 },
            Answer::Start,
        )
    }

    /// The task was begun by START.
    pub(crate) fn began(&mut self, data: StartedData, kept: Option<Kept>) {
        self.retrievable = Some(data);
        self.began_by = kept;
    }

    /// The task's program is in another region. True if it was started with PROTECT: then its record is deleted in the same unit of
    /// work.
    pub(crate) fn join_elsewhere(&mut self) -> bool {
        self.is_elsewhere = self.began_by.is_some();
        self.is_elsewhere
    }

    /// True if the task is in another region, and its record is there.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.is_elsewhere && self.began_by.is_some()
    }

    /// The unit of work is about to commit, and deletes the record that started the task.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn settle(&self, unit: &mut UnitOfWork) -> Result<(), Trouble> {
        match &self.began_by {
            Some(kept) => kept.delete_with(unit).await,
            None => Ok(()),
        }
    }

    /// The function that begins the protected tasks of the unit of work. Call it after the commit.
    pub(crate) fn beginning(&mut self, starts: &Arc<Starts>) -> impl FnOnce() + Send + 'static {
        let (protected, starts) = (std::mem::take(&mut self.protected), starts.clone());
        move || {
            for Protected { due, kept } in protected {
                let transaction = String::from_utf8_lossy(&due.start.transaction).into_owned();
                // The program has committed, so that it can no longer get an error.
                if let Err((condition, _)) = starts.schedule(due, Some(kept), None) {
                    tracing::error!(
                        "a protected START of {transaction} is put off until a restart: {}",
                        condition.name
                    );
                }
            }
        }
    }

    /// The unit of work has committed, and has deleted the record that started the task.
    pub(crate) fn settled(&mut self) {
        self.began_by = None;
    }

    /// The unit of work was backed out: its protected tasks are not started.
    pub(crate) fn back_out(&mut self) {
        self.protected.clear();
    }

    /// The task has failed: it is not started again.
    pub(crate) async fn give_up(&mut self, resources: &Arc<Resources>) {
        let Some(kept) = self.began_by.take() else { return };
        if let Err(trouble) = kept.delete(resources).await {
            tracing::error!("a task that has failed begins again after a restart: {}", trouble.message);
        }
    }

    async fn start(&mut self, mut start: Start, reach: Reach<'_>) -> Done {
        if is_of_web(&start.interface) {
            return Err((&INVREQ, 0));
        }
        let Reach { resources, unit, task } = reach;
        let (starts, settings) = (&resources.starts, &task.settings);
        if !settings.transactions.get(&start.transaction).is_some_and(|transaction| transaction.enabled) {
            return Err((&TRANSIDERR, 0));
        }
        let user = *start.user.get_or_insert(task.user);
        if user != task.user && !settings.start_users.contains(&user) {
            return Err((&NOTAUTH, RESP2_SURROGATE));
        }
        let whose = Whose::of(user, task);
        if !whose.may_run(start.transaction, settings) {
            return Err((&NOTAUTH, RESP2_NOT_ALLOWED));
        }
        let request = start.request.unwrap_or_else(|| starts.new_request());
        let after = Duration::from_millis(start.milliseconds).min(DELAY_MAX);
        let at = Instant::now() + after;
        if start.protect {
            // A syncpoint cannot report a lack of room, so it is checked here.
            let own = self.protected.iter().map(|known| start_bytes(&known.due.start)).sum::<usize>();
            let limits = &settings.limits;
            let has_data = start.data.data.is_some();
            let is_own =
                |known: &Protected| known.due.request == request && known.due.start.data.data.is_some();
            let is_refused = {
                let waiting = starts.waiting();
                !waiting.has_room(self.protected.len(), own + start_bytes(&start), limits)
                    || has_data && (waiting.has_data_for(request) || self.protected.iter().any(is_own))
            };
            if is_refused {
                return Err((&IOERR, 0));
            }
            let time = SystemTime::now() + after;
            let record = Record { start: start.clone(), request, due: time, caller: whose.caller.clone() };
            let kept = kept::write(unit, resources, record).await.map_err(io_error)?;
            let due = Due { start, whose, request, at };
            self.protected.push(Protected { due, kept });
        } else {
            starts.schedule(Due { start, whose, request, at }, None, Some(settings))?;
        }
        Ok(StartAnswer::Started { request })
    }

    fn retrieve(&mut self, wanted: WantedData) -> Done {
        let nothing = |data: &StartedData| *data == StartedData::default();
        let Some(data) = self.retrievable.as_ref().filter(|data| !nothing(data)) else {
            return Err((&ENDDATA, 0));
        };
        let lacks = (wanted.data && data.data.is_none())
            || (wanted.return_transaction && data.return_transaction.is_none())
            || (wanted.return_terminal && data.return_terminal.is_none())
            || (wanted.queue && data.queue.is_none());
        if lacks {
            return Err((&ENVDEFERR, 0));
        }
        Ok(StartAnswer::Retrieved(self.retrievable.take().unwrap_or_default()))
    }

    async fn cancel(&mut self, request: Name<8>, reach: Reach<'_>) -> Done {
        if let Some(place) = self.protected.iter().position(|known| known.due.request == request) {
            // If this fails, the START still begins with the commit.
            self.protected[place].kept.delete_with(reach.unit).await.map_err(io_error)?;
            self.protected.remove(place);
            return Ok(StartAnswer::Done);
        }
        let cancelled = reach.resources.starts.waiting().cancel(request).ok_or((&NOTFND, 0))?;
        if let Some(kept) = cancelled.kept {
            kept.cancel(reach.resources).await.map_err(io_error)?;
        }
        Ok(StartAnswer::Done)
    }
}

/// The condition for programs when the store fails.
fn io_error(trouble: Trouble) -> (&'static Condition, u32) {
    tracing::error!("protected STARTs: {}", trouble.message);
    (&IOERR, 0)
}

/// The caller of a task that another task begins, and the programs that this caller may not run.
#[derive(Debug)]
pub(crate) struct Whose {
    pub(crate) caller: Option<Arc<TaskCaller>>,
    pub(crate) refused_programs: Vec<Name<8>>,
}

impl Whose {
    /// The task's own caller, or a caller with a name and no groups.
    pub(crate) fn of(user: Name<8>, task: &TaskContext) -> Self {
        if user == task.user {
            return Self { caller: task.caller.clone(), refused_programs: task.refused_programs.clone() };
        }
        let caller = TaskCaller::named(String::from_utf8_lossy(&user).trim_end());
        Self::known(Some(Arc::new(caller)), &task.settings)
    }

    /// The whole name of the user. If the caller is not known, the name that programs see.
    pub(crate) fn name(&self, user: Name<8>) -> Box<str> {
        whole_name(self.caller.as_deref(), user)
    }

    /// A caller with the programs that the region refuses it now.
    pub(crate) fn known(caller: Option<Arc<TaskCaller>>, settings: &Settings) -> Self {
        let refused_programs =
            settings.rights.refused_programs(caller.as_ref().map(|caller| caller.caller()));
        Self { caller, refused_programs }
    }

    /// The same caller in a region that may have other rules. It gets no program that it was refused before.
    fn in_region(mut self, settings: &Settings) -> Self {
        let now = Self::known(self.caller.take(), settings);
        self.refused_programs.retain(|program| !now.refused_programs.contains(program));
        self.refused_programs.extend(now.refused_programs);
        Self { caller: now.caller, refused_programs: self.refused_programs }
    }

    /// True if they may run the transaction and its program.
    pub(crate) fn may_run(&self, id: Name<4>, settings: &Settings) -> bool {
        let caller = self.caller.as_ref().map(|caller| caller.caller());
        let program = settings.transactions.get(&id).map(|transaction| transaction.program);
        settings.rights.allow_transaction(id, caller)
            && program.is_none_or(|program| !self.refused_programs.contains(&program))
    }
}

type Done = Result<StartAnswer, (&'static Condition, u32)>;

impl Starts {
    /// Tasks run in this region from now on, as long as it is there.
    pub(crate) fn serve(&self, region: &Arc<Region>) {
        let mut serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
        let region = Arc::downgrade(region);
        serving.retain(|known| known.strong_count() > 0 && !known.ptr_eq(&region));
        serving.push(region);
    }

    /// The region in which tasks begin now.
    pub(crate) fn region(&self) -> Option<Arc<Region>> {
        let serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
        serving.iter().rev().find_map(Weak::upgrade)
    }

    /// True if STARTs of the store may begin.
    pub(crate) fn is_recalled(&self) -> bool {
        self.recalled.load(Ordering::Acquire)
    }

    /// A place for a child; none if there are already `starts_max` children.
    pub(crate) fn child_place(&self, limits: &Limits) -> Option<ChildPlace> {
        let before = self.children.fetch_add(1, Ordering::AcqRel);
        let place = ChildPlace(self.children.clone());
        (before < limits.starts_max).then_some(place)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A name for a request that has none.
    fn new_request(&self) -> Name<8> {
        let mut waiting = self.waiting();
        loop {
            // After a restart, older tasks may wait under such names.
            let name = wire::name(&format!("DF{:06X}", waiting.number() & 0xFF_FFFF));
            if waiting.first(name).is_none() {
                break name;
            }
        }
    }

    /// Lets a task begin at its time. Limits hold only where the program can still get an error.
    fn schedule(
        self: &Arc<Self>,
        due: Due,
        kept: Option<Kept>,
        limits: Option<&Settings>,
    ) -> Result<(), (&'static Condition, u32)> {
        let Due { start, whose, request, at } = due;
        let entering = Entering {
            request,
            begins: Some(Begins::of(&start, at)),
            bytes: start_bytes(&start),
            has_data: start.data.data.is_some(),
            kept,
        };
        let (id, cancelled) = self.waiting().enter(entering, limits)?;
        let starts = Arc::downgrade(self);
        let began = self.unattended.run(async move {
            // Whoever cancels has taken the entry away.
            if tokio::time::timeout_at(at, cancelled).await.is_err() {
                // It counts as busy before it leaves the waiting tasks, so that a reader finds it in one of
                // the two.
                let busy = starts.upgrade().map(|starts| starts.unattended.busy());
                begin(starts, id, start, whose).await;
                drop(busy);
            }
        });
        began.map_err(|error| {
            self.waiting().leave(id);
            tracing::error!("started tasks cannot run: {error}");
            (&IOERR, 0)
        })
    }

    /// The transaction that CANCEL would cancel; the inner none is a DELAY, the outer one an unknown name.
    pub(crate) fn transaction_of(&self, request: Name<8>) -> Option<Option<Name<4>>> {
        let waiting = self.waiting();
        let id = waiting.first(request)?;
        waiting.all.get(&id).map(|entry| entry.entered.begins.map(|begins| begins.transaction))
    }

    /// Waits for a time, or for somebody to cancel it.
    async fn delay(&self, request: Name<8>, time: Duration, settings: &Settings) -> Done {
        let entering = Entering { request, begins: None, bytes: ENTRY_BYTES, has_data: false, kept: None };
        let (id, cancelled) = self.waiting().enter(entering, Some(settings))?;
        let _left = Left { starts: self, id };
        let _ = tokio::time::timeout(time, cancelled).await;
        Ok(StartAnswer::Done)
    }
}

/// An entry that goes when its waiter does.
struct Left<'s> {
    starts: &'s Starts,
    id: u64,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        self.starts.waiting().leave(self.id);
    }
}

/// Waits for a place in the region of now, for a task that should run at once. None if no region serves any
/// more.
pub(crate) async fn place_for(starts: &Weak<Starts>, transaction: Name<4>) -> Option<(Arc<Region>, Place)> {
    loop {
        let region = starts.upgrade()?.region()?;
        let place = region.slots().enter(transaction).await;
        // The configuration may have changed during the wait.
        let now = starts.upgrade().and_then(|starts| starts.region());
        if now.is_some_and(|now| Arc::ptr_eq(&now, &region)) {
            return Some((region, place));
        }
    }
}

/// Runs a task at its time, as soon as it has a place.
async fn begin(starts: Weak<Starts>, id: u64, start: Start, whose: Whose) {
    let shown = String::from_utf8_lossy(&start.transaction).trim_end().to_owned();
    let Some((region, _place)) = place_for(&starts, start.transaction).await else { return };
    // From here on it cannot be cancelled; it may have been cancelled while it waited.
    let Some(entry) = starts.upgrade().and_then(|starts| starts.waiting().leave(id)) else { return };
    let settings = region.settings();
    let transaction = settings.transactions.get(&start.transaction).filter(|transaction| transaction.enabled);
    let trying = entry.kept.as_ref().map(Kept::trying);
    let failed = |message: String| match &trying {
        Some(trying) => trying.failed(&message),
        None => tracing::error!("{message}"),
    };
    let Some(transaction) = transaction else {
        failed(format!("transaction {shown} was to start, and is not defined any more, or not enabled"));
        return;
    };
    // The configuration may have changed since START.
    let whose = whose.in_region(settings);
    if !whose.may_run(start.transaction, settings) {
        failed(format!(
            "transaction {shown} was to start, and its user may not run it any more, or its program"
        ));
        return;
    }
    let Start { transaction: id, user, interface, data, .. } = start;
    let request = Request {
        program: transaction.program,
        transaction: id,
        user,
        refused_programs: whose.refused_programs,
        caller: whose.caller,
        until: None,
        interface,
    };
    let resources = region.resources().clone();
    let ended = region.run_unattended(request, Beginning::Start(data, entry.kept)).await;
    match (ended, trying) {
        (Err(failure @ Failure::NotBegun(_)), Some(trying)) => {
            trying.failed(&format!("started transaction {shown}: {failure}"));
            recall_later(&resources);
        }
        (ended, trying) => {
            if let Err(failure) = &ended {
                tracing::error!("started transaction {shown}: {failure}");
            }
            if let Some(trying) = trying {
                trying.is_over();
                resources.starts.later.has_begun();
            }
        }
    }
}

/// True for what only the gateway gives to programs, or takes from them. No limit of waiting tasks counts its bytes.
fn is_of_web(interface: &Interface) -> bool {
    matches!(interface, Interface::Web(_) | Interface::WebAnswer(_))
}

/// The memory that a task takes until it begins.
fn start_bytes(start: &Start) -> usize {
    let data = start.data.data.as_ref().map_or(0, Vec::len) + ENTRY_BYTES;
    data + match &start.interface {
        // No task is started with a request over HTTP.
        Interface::None | Interface::Web(_) | Interface::WebAnswer(_) => 0,
        Interface::Commarea(bytes) => bytes.len(),
        Interface::Channel { containers, .. } => {
            containers.iter().map(|container| container.bytes.len() + ENTRY_BYTES).sum()
        }
    }
}

impl Waiting {
    /// True if `more` + 1 further entries, with `bytes` bytes in all, are within the limits.
    fn has_room(&self, more: usize, bytes: usize, limits: &Limits) -> bool {
        self.all.len() + more < limits.starts_max && self.bytes + bytes <= limits.starts_max_bytes
    }

    /// True if data are kept under the name. A name may occur twice otherwise.
    fn has_data_for(&self, request: Name<8>) -> bool {
        let mut known = self.all.values().map(|entry| &entry.entered);
        known.any(|known| known.has_data && known.request == request)
    }

    /// A number that none had before.
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Adds an entry; gives its number, and a receiver that ends when the entry is cancelled.
    fn enter(
        &mut self,
        entering: Entering,
        limits: Option<&Settings>,
    ) -> Result<(u64, oneshot::Receiver<()>), (&'static Condition, u32)> {
        if let Some(Settings { limits, .. }) = limits {
            let is_full = !self.has_room(0, entering.bytes, limits);
            if is_full || entering.has_data && self.has_data_for(entering.request) {
                return Err((&IOERR, 0));
            }
        }
        let (sender, cancelled) = oneshot::channel();
        self.bytes += entering.bytes;
        let id = self.number();
        self.all.insert(id, Entry { entered: entering, cancelled: sender });
        Ok((id, cancelled))
    }

    /// Takes an entry away. None if it was cancelled.
    fn leave(&mut self, id: u64) -> Option<Entering> {
        let Entry { entered, .. } = self.all.remove(&id)?;
        self.bytes -= entered.bytes;
        Some(entered)
    }

    /// The first entry of a name.
    fn first(&self, request: Name<8>) -> Option<u64> {
        let named = self.all.iter().filter(|(_, entry)| entry.entered.request == request);
        named.map(|(id, _)| *id).min()
    }

    /// Cancels the first entry of a name. None if there is none.
    fn cancel(&mut self, request: Name<8>) -> Option<Entering> {
        let id = self.first(request)?;
        self.leave(id)
    }
}

#[cfg(test)]
mod tests {
    use wire::{Ask, ChildAsk};

    use super::*;
    use crate::definitions::Defined;
    use crate::resources::files::property::{context, settings};
    use crate::work::Work;

    #[tokio::test]
    async fn no_task_is_started_with_what_only_the_gateway_gives() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Arc::new(settings(folder.path(), Vec::new()));
        let resources = Arc::new(Resources::new(&settings));
        let defined = Defined::open(&settings, &resources.durable).expect("definitions");
        let mut work = Work::new(resources, &defined, context(&settings));
        let interface = || Interface::WebAnswer(Box::default());
        let start = Start { transaction: *b"TRN1", interface: interface(), ..Start::default() };
        let run = ChildAsk::Run { transaction: *b"TRN1", interface: interface() };
        for ask in [Ask::Start(StartAsk::Start(start)), Ask::Child(run)] {
            let answer = work.carry_out(ask).await;
            assert_eq!(answer, Answer::Condition { resp: INVREQ.number, resp2: 0 });
        }
    }
}
