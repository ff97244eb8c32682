//! Another region that calls this one: the messages on its connection, and its rights.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use program::conditions::{INVREQ, NOTAUTH, SYSIDERR};
use service::Caller as User;
use store::{Decision, GlobalId};
use tokio::sync::{Mutex as AsyncMutex, oneshot};
use tokio::task::AbortHandle;
use waiting::Places;
use wire::{Cargo, Name, QueueAsk, shown};

use super::border;
use super::connection::SILENT_HEARTBEATS_MAX;
use super::definition::{LinkLimits, Peer, begins};
use super::frame::Unsent;
use super::message::{Answer, Hello, InUnit, Link, Message, Request};
use super::middle::Presence;
use super::mirror::{self, Mirror};
use super::outbox::Outbox;
use super::session_thread::SessionThreads;
use super::shared::{RESP2_NO_SESSION, RESP2_NOT_IN_SERVICE, Shared};
use super::stream::Reading;
use crate::region::{Region, Request as Task};
use crate::rights::{TaskCaller, user_id};
use crate::work::NOT_COMMITTED;

/// The transaction of a program that another region links to, if the link names none: CICS's own mirror.
const MIRROR_TRANSACTION: [u8; 4] = *b"CSMI";

/// RESP2 of NOTAUTH: the other region may not use the named resource.
pub(super) const RESP2_RESOURCE: u32 = 101;

/// RESP2 of INVREQ, our own number: the unit of work has already come to this region by another way.
const RESP2_OTHER_WAY: u32 = 214;

/// The abend of a program whose answer is longer than a link carries.
const TOO_LONG: [u8; 4] = *b"GLEN";

/// How long after the caller's time is up a task ends by itself, if the caller has not called it back.
const CALL_BACK_MAX: Duration = Duration::from_secs(1);

/// The most requests that a connection may have here for each session. Ends of units are not counted.
const REQUESTS_PER_SESSION: usize = 4;

/// A region that has identified itself.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) shared: Arc<Shared>,
    standing: RwLock<Standing>,
    /// Those when it came.
    pub(super) limits: LinkLimits,
    sessions: Places,
    pub(super) hello: Hello,
    pub(super) outbox: Outbox,
    mirrors: Mutex<HashMap<GlobalId, Arc<Here>>>,
    running: Mutex<HashMap<u64, Running>>,
    pub(super) session_threads: SessionThreads,
    ended: AtomicBool,
}

/// A unit of work that has come by this region's connection.
#[derive(Debug)]
pub(super) struct Here {
    pub(super) work: AsyncMutex<Mirror>,
    _presence: Presence,
}

/// The rights of another region here.
#[derive(Clone, Debug)]
struct Standing {
    peer: Arc<Peer>,
    /// True if the region is no longer configured.
    leaves: bool,
}

/// A request that is being carried out.
#[derive(Debug)]
struct Running {
    by: Runner,
    unit: Option<GlobalId>,
    /// Ends of units are never called back.
    may_be_cancelled: bool,
}

/// Who carries a request out.
#[derive(Debug)]
enum Runner {
    Task(AbortHandle),
    /// The thread of a session, which hears of it when this is dropped.
    Session(#[expect(dead_code, reason = "its end is what tells")] oneshot::Sender<()>),
}

impl Runner {
    fn stop(self) {
        if let Runner::Task(task) = self {
            task.abort();
        }
    }
}

impl Caller {
    pub(super) fn new(shared: Arc<Shared>, peer: Peer, hello: Hello, outbox: Outbox) -> Self {
        let limits = shared.definition().limits.clone();
        Self {
            shared,
            standing: RwLock::new(Standing { peer: Arc::new(peer), leaves: false }),
            sessions: Places::new(limits.sessions_max, 0),
            limits,
            hello,
            outbox,
            mirrors: Mutex::default(),
            running: Mutex::default(),
            session_threads: SessionThreads::default(),
            ended: AtomicBool::new(false),
        }
    }

    fn standing(&self) -> Standing {
        self.standing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The region as it is configured now.
    pub(super) fn peer(&self) -> Arc<Peer> {
        self.standing().peer
    }

    /// Takes the rights of a changed configuration. None if the region was removed from it, or is now another
    /// one.
    pub(super) fn set_peer(&self, peer: Option<&Peer>) {
        let mut standing = self.standing.write().unwrap_or_else(PoisonError::into_inner);
        standing.leaves = peer.is_none();
        if let Some(peer) = peer {
            standing.peer = Arc::new(peer.clone());
        }
    }

    /// The rights of a request for this unit of work. A region that is no longer configured may end units of
    /// work that it has begun, and begins nothing new.
    pub(super) fn rights(&self, unit: Option<&GlobalId>) -> Option<Arc<Peer>> {
        let Standing { peer, leaves } = self.standing();
        let may = !leaves || unit.is_some_and(|unit| self.mirrors().contains_key(unit));
        may.then_some(peer)
    }

    /// True if the region is to go, and has nothing under way.
    fn has_left(&self) -> bool {
        self.standing().leaves && self.running().is_empty() && self.mirrors().is_empty()
    }

    fn running(&self) -> MutexGuard<'_, HashMap<u64, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mirrors(&self) -> MutexGuard<'_, HashMap<GlobalId, Arc<Here>>> {
        self.mirrors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries out requests until the connection breaks; gives the reason.
    pub(super) async fn read(self: &Arc<Self>, reading: &mut Reading) -> String {
        let mut ticks = tokio::time::interval(self.limits.heartbeat);
        let mut silent = 0;
        loop {
            let message = tokio::select! {
                message = reading.message() => message,
                _ = ticks.tick() => {
                    if reading.has_heard() {
                        silent = 0;
                    }
                    silent += 1;
                    if self.has_left() {
                        return "it is not configured any more".to_owned();
                    }
                    match silent > SILENT_HEARTBEATS_MAX {
                        true => return "the other region is silent".to_owned(),
                        false => continue,
                    }
                }
            };
            match message {
                Ok(Message::Request { id, request }) => {
                    if let Err(reason) = self.begin(id, request) {
                        return reason;
                    }
                }
                Ok(Message::Cancel { id }) => self.cancel(id),
                Ok(Message::Forget { unit }) => self.forget(&unit),
                Ok(Message::Ping) => {
                    // The next read finds out if the connection is broken.
                    let _ = self.outbox.send(&Message::Pong);
                }
                Ok(_) => return "the other region sent an unexpected message".to_owned(),
                Err(reason) => return reason,
            }
        }
    }

    /// Ends the requests of a broken connection. Units that have not prepared are backed out; others are in
    /// doubt.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.outbox.close();
        self.session_threads.end();
        self.running().drain().for_each(|(_, running)| running.by.stop());
        self.mirrors().clear();
        // Another connection may have brought decisions meanwhile, which let tasks start.
        crate::starts::recall_soon(&self.shared.resources);
    }

    pub(super) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    fn begin(self: &Arc<Self>, id: u64, request: Request) -> Result<(), String> {
        let mut running = self.running();
        self.check_room(&running, id)?;
        let (unit, may_be_cancelled) = cancellable(&request);
        let this = self.clone();
        let task = tokio::spawn(async move {
            let answer = this.carry_out(request).await;
            this.running().remove(&id);
            // A broken connection needs no answer.
            let _ = answered(id, answer, |message| this.outbox.send(message));
        });
        running.insert(id, Running { by: Runner::Task(task.abort_handle()), unit, may_be_cancelled });
        Ok(())
    }

    fn check_room(&self, running: &HashMap<u64, Running>, id: u64) -> Result<(), String> {
        let most = self.limits.sessions_max.saturating_mul(REQUESTS_PER_SESSION);
        match running.len() >= most || running.contains_key(&id) {
            true => Err("it has more requests at a time than sessions_max allows".to_owned()),
            false => Ok(()),
        }
    }

    /// Marks a session as busy with a request, and gives the receiver that hears a cancellation. None if
    /// there is no room or the connection has ended.
    pub(super) fn enter(&self, id: u64, request: &Request) -> Option<oneshot::Receiver<()>> {
        let (sender, cancelled) = oneshot::channel();
        let (unit, may_be_cancelled) = cancellable(request);
        let mut running = self.running();
        // The end of a connection first sets this mark and then looks at running requests.
        if self.is_ended() || self.check_room(&running, id).is_err() {
            return None;
        }
        running.insert(id, Running { by: Runner::Session(sender), unit, may_be_cancelled });
        Some(cancelled)
    }

    /// A session has carried out a request.
    pub(super) fn leave(&self, id: u64) {
        self.running().remove(&id);
    }

    /// The caller no longer waits for the last answer of a session: backs its unit of work out, unless the
    /// unit waits for a decision.
    pub(super) fn drop_unprepared(&self, unit: &GlobalId) {
        let mut mirrors = self.mirrors();
        let is_prepared = |mirror: &Arc<Here>| match mirror.work.try_lock() {
            Ok(mirror) => mirror.is_prepared(),
            Err(_) => false,
        };
        if mirrors.get(unit).is_some_and(|mirror| !is_prepared(mirror)) {
            mirrors.remove(unit);
        }
    }

    fn cancel(&self, id: u64) {
        let mut running = self.running();
        if running.get(&id).is_none_or(|running| !running.may_be_cancelled) {
            return;
        }
        let Some(cancelled) = running.remove(&id) else { return };
        drop(running);
        cancelled.by.stop();
        if let Some(unit) = cancelled.unit {
            self.mirrors().remove(&unit);
        }
    }

    fn forget(&self, unit: &GlobalId) {
        let Some(mirror) = self.mirrors().remove(unit) else { return };
        // The next request must find its locks free, if nothing stands in the way of that.
        let at_once =
            mirror.work.try_lock().ok().map(|mut mirror| std::mem::replace(&mut *mirror, Mirror::Ended));
        match at_once {
            Some(ended @ Mirror::Prepared(..)) => drop(tokio::spawn(ended.abort())),
            Some(ended) => drop(ended),
            None => drop(tokio::spawn(async move {
                let ended = std::mem::replace(&mut *mirror.work.lock().await, Mirror::Ended);
                ended.abort().await;
            })),
        }
    }

    pub(super) async fn carry_out(&self, request: Request) -> Answer {
        match request {
            Request::Link(link) => {
                let Some(_session) = self.sessions.free_place() else {
                    return raised(&SYSIDERR, RESP2_NO_SESSION);
                };
                self.link(*link).await
            }
            Request::Queue { unit, ask } => self.queue(unit, ask).await,
            Request::Start(start) => self.start(*start).await,
            Request::Prepare { unit, coordinator } if !self.speaks_for(&coordinator) => {
                self.mirrors().remove(&unit);
                raised(&INVREQ, 0)
            }
            Request::Prepare { unit, coordinator } => self.prepare(&unit, &coordinator).await,
            Request::Decide { unit, decision } => self.decide(unit, decision).await,
            Request::InDoubt { coordinator } if !self.speaks_for(&coordinator) => raised(&INVREQ, 0),
            Request::InDoubt { coordinator } => {
                Answer::InDoubt { units: mirror::in_doubt(&self.shared, &coordinator) }
            }
        }
    }

    /// The second phase. Once begun it runs to its end, even if the connection ends. The store commits in any
    /// case, and trigger levels, tasks and the regions below depend on the steps after that.
    async fn decide(&self, unit: GlobalId, decision: Decision) -> Answer {
        let here = self.mirrors().remove(&unit);
        let (shared, sysid) = (self.shared.clone(), self.hello.sysid);
        let deciding = tokio::spawn(async move {
            let Some(here) = here else {
                return mirror::resolve(&shared, &unit, decision, |name| is_name_of(name, sysid)).await;
            };
            let mirror = std::mem::replace(&mut *here.work.lock().await, Mirror::Ended);
            mirror.decide(decision).await
        });
        deciding.await.unwrap_or_else(|_| {
            let message = "work after the decision did not finish".to_owned();
            Answer::Abend { code: NOT_COMMITTED, message }
        })
    }

    /// True if the name of a coordinator is one of this region's.
    fn speaks_for(&self, coordinator: &str) -> bool {
        is_name_of(coordinator, self.hello.sysid)
    }

    async fn prepare(&self, unit: &GlobalId, coordinator: &str) -> Answer {
        let mirror = self.mirrors().get(unit).cloned();
        let Some(mirror) = mirror else {
            return Answer::UnitUnknown;
        };
        let (id, coordinator) = (unit.clone(), coordinator.to_owned());
        // Once begun it runs to its end, even if the connection ends: what follows a vote must not be lost.
        let preparing = tokio::spawn(async move {
            let mut mirror = mirror.work.lock().await;
            (mirror.prepare(&id, &coordinator).await, mirror.is_prepared())
        });
        let (answer, is_prepared) = preparing.await.unwrap_or_else(|_| {
            let message = "the work of preparing did not finish".to_owned();
            (Answer::Abend { code: NOT_COMMITTED, message }, false)
        });
        if !is_prepared {
            self.mirrors().remove(unit);
        }
        answer
    }

    pub(super) fn forget_mirror(&self, unit: &GlobalId) {
        self.mirrors().remove(unit);
    }

    async fn link(&self, link: Link) -> Answer {
        let Some(region) = self.shared.region() else { return raised(&SYSIDERR, RESP2_NOT_IN_SERVICE) };
        let Some(peer) = self.rights(link.unit.as_ref().map(|unit| &unit.id)) else {
            return raised(&SYSIDERR, RESP2_NOT_IN_SERVICE);
        };
        let allowed = &peer.allowed;
        let names_transaction = link.transaction.is_none_or(|name| begins(&name, &allowed.transactions));
        if !begins(&link.program, &allowed.programs) || !names_transaction {
            return raised(&NOTAUTH, RESP2_RESOURCE);
        }
        let transaction = link.transaction.unwrap_or(MIRROR_TRANSACTION);
        let user = peer.user_of(link.user);
        let caller = user.as_deref().map(|user| User { user, groups: &[] });
        let rights = &region.settings().rights;
        let refused_programs = rights.refused_programs(caller);
        if refused_programs.contains(&link.program) || !rights.allow_transaction(transaction, caller) {
            return raised(&NOTAUTH, RESP2_RESOURCE);
        }
        let mut cargo = link.cargo;
        if peer.converts_containers {
            border::receive(&mut cargo, self.shared.own.ccsid);
        }
        let interface = cargo.into_interface();
        let given = match &interface {
            wire::Interface::Channel { containers, .. } => containers.clone(),
            _ => Vec::new(),
        };
        let caller = user.as_deref().map(|user| Arc::new(TaskCaller::named(user)));
        let user = user.as_deref().map(user_id);
        let remaining = Duration::from_millis(link.remaining_ms.into());
        let until = Instant::now().checked_add(remaining);
        let task =
            Task { program: link.program, transaction, user, refused_programs, caller, until, interface };
        let most = remaining + CALL_BACK_MAX;
        let (answer, held) = match link.unit {
            None => (mirror::run_alone(&region, task, most).await, false),
            Some(unit) => match self.mirror(&region, &unit) {
                Ok(mirror) => self.run_joined(&region, &unit.id, &mirror, task, most).await,
                Err(refused) => return refused,
            },
        };
        match answer {
            Ok(interface) => Answer::Linked { cargo: Cargo::changes(&given, interface), held },
            Err(Answer::Condition { resp, resp2, .. }) => Answer::Condition { resp, resp2, held },
            Err(answer) => answer,
        }
    }

    async fn run_joined(
        &self,
        region: &Arc<Region>,
        unit: &GlobalId,
        mirror: &Here,
        task: Task,
        most: Duration,
    ) -> (Result<wire::Interface, Answer>, bool) {
        let mut mirror = mirror.work.lock().await;
        let ran = mirror.run(region, task, most).await;
        let held = mirror.is_held();
        if !held {
            self.mirrors().remove(unit);
        }
        (ran, held)
    }

    /// The mirror of a unit; a new one for the first request of a unit.
    ///
    /// # Errors
    /// The answer for the other region: the unit's mirror is gone, belongs to another region, or the unit
    /// began here. Two mirrors of one unit would wait for each other's locks.
    pub(super) fn mirror(&self, region: &Region, unit: &InUnit) -> Result<Arc<Here>, Answer> {
        let mut mirrors = self.mirrors();
        if let Some(mirror) = mirrors.get(&unit.id) {
            return Ok(mirror.clone());
        }
        if unit.is_there {
            return Err(Answer::UnitUnknown);
        }
        let _presence = self.shared.admit_unit(&unit.id).ok_or(raised(&INVREQ, RESP2_OTHER_WAY))?;
        let mirror = Arc::new(Here { work: AsyncMutex::new(Mirror::new(region, &unit.id)), _presence });
        mirrors.insert(unit.id.clone(), mirror.clone());
        Ok(mirror)
    }

    async fn queue(&self, unit: InUnit, ask: QueueAsk) -> Answer {
        let Some(region) = self.shared.region() else { return raised(&SYSIDERR, RESP2_NOT_IN_SERVICE) };
        let (QueueAsk::Write { queue, .. } | QueueAsk::Read { queue, .. } | QueueAsk::Delete { queue }) =
            &ask;
        let Some(peer) = self.rights(Some(&unit.id)) else { return raised(&SYSIDERR, RESP2_NOT_IN_SERVICE) };
        if !begins(queue, &peer.allowed.queues) {
            return raised(&NOTAUTH, RESP2_RESOURCE);
        }
        let mirror = match self.mirror(&region, &unit) {
            Ok(mirror) => mirror,
            Err(refused) => return refused,
        };
        let mut mirror = mirror.work.lock().await;
        let answer = mirror.queue(ask).await;
        if !mirror.is_held() {
            self.mirrors().remove(&unit.id);
        }
        answer
    }
}

/// Sends an answer. An answer that the other region would not take is replaced by an abend. That backs the
/// unit of work out, unless SYNCONRETURN has committed it.
///
/// # Errors
/// The connection is broken.
pub(super) fn answered(
    id: u64,
    answer: Answer,
    mut send: impl FnMut(&Message) -> Result<(), Unsent>,
) -> Result<(), Unsent> {
    match send(&Message::Answer { id, answer }) {
        Err(Unsent::TooLong { bytes, most }) => {
            let message = format!("its answer has {bytes} bytes; a link carries at most {most}");
            tracing::warn!("{message}");
            send(&Message::Answer { id, answer: Answer::Abend { code: TOO_LONG, message } })
        }
        sent => sent,
    }
}

/// True if the name of a coordinator is one of the region's.
fn is_name_of(coordinator: &str, sysid: Name<4>) -> bool {
    coordinator.split_once('/').is_some_and(|(region, _)| region == shown(&sysid))
}

/// The unit of a request, and whether it may be called back.
fn cancellable(request: &Request) -> (Option<GlobalId>, bool) {
    match request {
        Request::Link(link) => (link.unit.as_ref().map(|unit| unit.id.clone()), true),
        Request::Queue { unit, .. } => (Some(unit.id.clone()), true),
        // There is nothing in it to wait for.
        _ => (None, false),
    }
}

/// A condition that leaves the unit of work as it was.
pub(super) fn raised(condition: &program::conditions::Condition, resp2: u32) -> Answer {
    Answer::Condition { resp: condition.number, resp2, held: false }
}
