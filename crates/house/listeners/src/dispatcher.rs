//! One listener: chooses when each message is processed.

use std::collections::{HashMap, VecDeque};
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use message::{CorrelationId, Message, Property, Reason, Refusal, Selection};
use queue::{Manager, Session, Waiter, Work};
use queue_config::{ListenerPlan, OrderBy, now};
use region::ProgramProvider;
use tokio::sync::{Notify, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use crate::delivery::{End, Holder, Why, deliver};
use crate::{Around, LoadedListener};

/// A listener may hold this many messages of busy keys for each message in progress.
const HELD_FACTOR: usize = 4;

/// The pause before a listener tries an unreadable queue again.
const UNREADABLE: Duration = Duration::from_secs(1);

/// A listener, as long as its definition does not change.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) plan: ListenerPlan,
    provider: Mutex<Option<Arc<ProgramProvider>>>,
    around: Weak<dyn Around>,
}

impl Listener {
    pub(crate) fn new(loaded: LoadedListener, around: Weak<dyn Around>) -> Self {
        Self { plan: loaded.plan, provider: Mutex::new(loaded.provider), around }
    }

    /// Sets the provider of a new configuration, which has another region.
    pub(crate) fn set_provider(&self, provider: Option<Arc<ProgramProvider>>) {
        *self.provider.lock().unwrap_or_else(PoisonError::into_inner) = provider;
    }

    pub(crate) fn provider(&self) -> Option<Arc<ProgramProvider>> {
        self.provider.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn around(&self) -> Option<Arc<dyn Around>> {
        self.around.upgrade()
    }

    /// Starts to wait for a message.
    fn wait(&self) -> Result<Waiting, Refusal> {
        let none = || Refusal::failed(Reason::ManagerNotAvailable, "there is no queue manager");
        let manager = self.around().and_then(|around| around.manager()).ok_or_else(none)?;
        let session = manager.session();
        let woken = Arc::new(Notify::new());
        let wake = Arc::clone(&woken);
        let waiter = session.wait(&self.plan.queue, &Selection::ANY, move || wake.notify_one(), now())?;
        Ok(Waiting { manager, session, waiter, woken })
    }
}

/// A wait for a message.
struct Waiting {
    manager: Manager,
    session: Session,
    waiter: Waiter,
    woken: Arc<Notify>,
}

impl Waiting {
    /// Gets the message in a unit of work; none if there is none after all.
    fn take(self) -> Result<Option<Taken>, Refusal> {
        let Self { manager, session, waiter, .. } = self;
        let mut work = session.begin()?;
        let got = waiter.get(&mut work.scope(), now())?;
        Ok(got.map(|message| Taken { message, work, manager }))
    }
}

/// Ends when there may be a message.
async fn woken(waiting: Option<&Waiting>) {
    match waiting {
        Some(waiting) => waiting.woken.notified().await,
        None => pending().await,
    }
}

/// Ends at a time, or never.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => pending().await,
    }
}

/// A message, and the unit of work that has got it.
pub(crate) struct Taken {
    pub(crate) message: Message,
    pub(crate) work: Work,
    pub(crate) manager: Manager,
}

/// The key of messages that must be processed one after another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// No common key: no other message has this number.
    Alone(u64),
    Correlation(CorrelationId),
    /// A property's value.
    Value(String),
}

/// Runs a listener until it is stopped. Then its begun messages end.
pub(crate) async fn run(listener: Arc<Listener>, mut stop: watch::Receiver<bool>) {
    let (queue, target) = (listener.plan.queue.clone(), listener.plan.target.shown());
    tracing::info!(%queue, target, "listening");
    let mut own = Dispatcher::new(listener);
    let mut waiting: Option<Waiting> = None;
    while !*stop.borrow() {
        if own.may_take() && waiting.is_none() {
            match own.listener.wait() {
                Ok(begun) => waiting = Some(begun),
                Err(refusal) => own.cannot_read(&refusal),
            }
        }
        tokio::select! {
            biased;
            changed = stop.changed() => if changed.is_err() { break },
            Some(ended) = own.running.join_next_with_id() => {
                let ended = task_and_end(ended);
                if !matches!(ended.1, End::Done) {
                    // All messages that go back must be on the queue before this listener gets the
                    // next one.
                    waiting = None;
                }
                own.ended(ended).await;
            }
            () = woken(waiting.as_ref()) => if let Some(waiting) = waiting.take() { own.take(waiting) },
            () = until(own.paused_until) => own.paused_until = None,
        }
    }
    drop(waiting);
    own.give_back_held();
    while let Some(ended) = own.running.join_next_with_id().await {
        own.ended(task_and_end(ended)).await;
    }
    tracing::info!(%queue, target, "no longer listening");
}

/// The task of a delivery, and how that ended. If the task has panicked, its message went back to the queue with its unit of work.
fn task_and_end(ended: Result<(Id, End), JoinError>) -> (Id, End) {
    ended.unwrap_or_else(|error| (error.id(), End::Back { holder: None, backouts: 0, why: Why::Failed }))
}

struct Dispatcher {
    listener: Arc<Listener>,
    running: JoinSet<End>,
    /// The keys of the messages in progress, by their tasks.
    keys: HashMap<Id, Key>,
    /// By key of each message in progress: the messages that wait for its end.
    busy: HashMap<Key, VecDeque<Taken>>,
    held: usize,
    /// The number of messages so far.
    number: u64,
    /// Failures since the last success.
    failures: u32,
    paused_until: Option<Instant>,
    /// The last reported reason why the queue cannot be read. The same reason is reported only
    /// once.
    told: Option<Reason>,
}

impl Dispatcher {
    fn new(listener: Arc<Listener>) -> Self {
        Self {
            listener,
            running: JoinSet::new(),
            keys: HashMap::new(),
            busy: HashMap::new(),
            held: 0,
            number: 0,
            failures: 0,
            paused_until: None,
            told: None,
        }
    }

    fn may_take(&self) -> bool {
        let most = self.listener.plan.concurrency;
        self.paused_until.is_none() && self.running.len() < most && self.held < most * HELD_FACTOR
    }

    /// Takes the message of a wait, if it has one.
    fn take(&mut self, waiting: Waiting) {
        match waiting.take() {
            Ok(Some(taken)) => {
                self.told = None;
                let key = self.key(&taken.message);
                match self.busy.get_mut(&key) {
                    Some(behind) => {
                        behind.push_back(taken);
                        self.held += 1;
                    }
                    None => self.begin(key, taken),
                }
            }
            Ok(None) => {}
            Err(refusal) if refusal.reason == Reason::ObjectDamaged => {
                tracing::error!(queue = %self.listener.plan.queue, "a message is left out: {refusal}");
            }
            Err(refusal) => self.cannot_read(&refusal),
        }
    }

    fn begin(&mut self, key: Key, taken: Taken) {
        self.busy.entry(key.clone()).or_default();
        let listener = Arc::clone(&self.listener);
        let task = self.running.spawn_local(async move { deliver(&listener, taken).await });
        self.keys.insert(task.id(), key);
    }

    fn key(&mut self, message: &Message) -> Key {
        self.number += 1;
        let key = match &self.listener.plan.order_by {
            None => None,
            Some(OrderBy::CorrelationId) => {
                let id = message.descriptor.correlation_id;
                (!id.is_none()).then_some(Key::Correlation(id))
            }
            Some(OrderBy::Property(name)) => {
                let found = |property: &&Property| property.name() == name;
                let property = message.properties.iter().find(found);
                property.map(|property| Key::Value(format!("{:?}", property.value())))
            }
        };
        key.unwrap_or(Key::Alone(self.number))
    }

    /// Handles the end of a message's delivery.
    async fn ended(&mut self, (task, end): (Id, End)) {
        let Some(key) = self.keys.remove(&task) else { return };
        let behind = self.busy.remove(&key).unwrap_or_default();
        match end {
            End::Done => self.failures = 0,
            End::Expired(holder) => holder.undo().await,
            End::Back { holder, backouts, why } => {
                self.give_back(behind);
                match (holder, why) {
                    (Some(holder), Why::Failed) => holder.back_out().await,
                    (Some(holder), Why::NotNow) => holder.undo().await,
                    (None, _) => {}
                }
                return self.pause(backouts);
            }
        }
        let mut behind = behind;
        if let Some(next) = behind.pop_front() {
            self.held -= 1;
            self.busy.insert(key.clone(), behind);
            self.begin(key, next);
        }
    }

    fn give_back(&mut self, taken: VecDeque<Taken>) {
        self.held -= taken.len();
        taken.into_iter().for_each(|taken| taken.work.undo());
    }

    fn give_back_held(&mut self) {
        let held: Vec<_> = self.busy.values_mut().map(std::mem::take).collect();
        held.into_iter().for_each(|taken| self.give_back(taken));
    }

    /// Gets no message for a while. The pause grows with each failure, and for a message that has
    /// failed before.
    fn pause(&mut self, backouts: u32) {
        let ListenerPlan { backoff, backoff_max, .. } = self.listener.plan;
        self.failures = self.failures.saturating_add(1);
        let doublings = (self.failures - 1).max(backouts).min(20);
        let pause = backoff.saturating_mul(1 << doublings).min(backoff_max);
        self.paused_until = Some(Instant::now() + pause);
    }

    fn cannot_read(&mut self, refusal: &Refusal) {
        if self.told != Some(refusal.reason) {
            tracing::warn!(queue = %self.listener.plan.queue, "the listener gets no messages: {refusal}");
            self.told = Some(refusal.reason);
        }
        self.paused_until = Some(Instant::now() + UNREADABLE);
    }
}

impl Holder {
    /// Backs out. The backout counts.
    async fn back_out(self) {
        match self {
            Self::Work(work) => drop(work),
            Self::Task(task) => task.back_out().await,
        }
    }

    /// Backs out. The backout does not count.
    async fn undo(self) {
        match self {
            Self::Work(work) => work.undo(),
            Self::Task(task) => task.undo().await,
        }
    }
}
