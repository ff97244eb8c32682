//! The manager: its queues and their common parts.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use message::{Message, Moment, Priority, QueueName, Reason, Refusal, Selection};
use store::{Collation, ErrorKind, Keyed, Logs, Organization, Positions, Recovery, Store};

use crate::changes::{Act, Change, End, Scope, Work};
use crate::codec::{self, decode};
use crate::definition::{
    Definition, Definitions, Limits, Origin, QueueKind, Trigger, decode as decode_definition,
};
use crate::error::{OpenError, refusal};
use crate::finding::Doubt;
use crate::ids::Ids;
use crate::index::{Cursor, Index, Place, Slot, State};
use crate::inquiry::Counters;
use crate::news::Hearing;
use crate::session::Session;
use crate::subscription::Subscriptions;
use crate::sweep::Reservations;
use crate::triggers::Triggering;
use crate::waiter::{Waits, Wake};

/// A queue manager on an open store.
#[derive(Clone)]
pub struct Manager {
    pub(crate) core: Arc<Core>,
}

impl std::fmt::Debug for Manager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manager").field("name", &self.core.definitions().name).finish_non_exhaustive()
    }
}

/// News for an operator after a change of definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A queue without a definition has messages. They stay until it is defined again.
    Kept {
        /// Its name.
        queue: QueueName,
        /// The number of its messages.
        messages: usize,
    },
    /// A message in the store is damaged.
    Damaged {
        /// Its queue.
        queue: QueueName,
        /// Its position in the queue's log.
        position: u64,
    },
    /// A command had defined this queue. Now a file defines it, and the file counts.
    Replaced(QueueName),
    /// This version does not know a definition in the store.
    UnknownDefinition(String),
}

/// The common state of all sessions.
pub(crate) struct Core {
    pub(crate) store: Arc<Store>,
    pub(crate) messages: Logs,
    pub(crate) defined: Keyed,
    pub(crate) state: Keyed,
    pub(crate) ids: Ids,
    pub(crate) limits: Limits,
    pub(crate) memory_bytes: AtomicU64,
    /// Callers that wait, in all queues.
    pub(crate) waiters: AtomicUsize,
    /// Waits that were left behind, in all queues.
    pub(crate) left_waits: AtomicUsize,
    pub(crate) reservations: Mutex<Reservations>,
    pub(crate) subscriptions: RwLock<Subscriptions>,
    /// Messages of units in doubt.
    pub(crate) doubts: Mutex<Vec<Doubt>>,
    /// Queues that are to be deleted as soon as no unit holds their messages.
    pub(crate) leaving: Mutex<BTreeSet<QueueName>>,
    /// Starts transactions; none before there is a region.
    pub(crate) triggering: RwLock<Option<Arc<dyn Triggering>>>,
    /// Gets a call for each message that goes to another queue; none until it is set.
    pub(crate) hearing: RwLock<Option<Hearing>>,
    /// Held while definitions change.
    pub(crate) defining: Mutex<()>,
    definitions: RwLock<Definitions>,
    queues: RwLock<HashMap<QueueName, Arc<Queue>>>,
    stopping: AtomicBool,
}

/// A queue, defined or dropped.
pub(crate) struct Queue {
    pub(crate) name: QueueName,
    state: Mutex<QueueState>,
}

/// The changing part of a queue.
#[derive(Default)]
pub(crate) struct QueueState {
    pub(crate) definition: Option<Arc<Definition>>,
    pub(crate) index: Index,
    pub(crate) waits: Waits,
    pub(crate) counters: Counters,
    pub(crate) disk_bytes: u64,
    pub(crate) memory_bytes: u64,
    /// The trigger that MQSET has set, in place of the definition's.
    pub(crate) trigger_set: Option<Trigger>,
    /// When a message last started a transaction.
    pub(crate) triggered: Option<Moment>,
    /// Expired messages. The next sweep removes them.
    pub(crate) expired: Vec<Slot>,
    /// Messages that a unit in doubt holds. The next sweep tries them again.
    pub(crate) held: Vec<Slot>,
}

/// Why the manager could not read a message.
pub(crate) enum Unread {
    /// Its bytes have changed.
    Damaged(String),
    /// A unit in doubt holds it.
    Held,
    /// The store has failed, or has no room in the unit.
    Store(store::Error),
}

impl From<store::Error> for Unread {
    fn from(error: store::Error) -> Self {
        match error.kind() {
            ErrorKind::Corrupt => Self::Damaged(error.to_string()),
            ErrorKind::Busy | ErrorKind::Locked => Self::Held,
            _ => Self::Store(error),
        }
    }
}

impl Unread {
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Self::Damaged(text) => Refusal::failed(Reason::ObjectDamaged, text),
            Self::Held => Refusal::failed(Reason::ObjectInUse, "a unit of work in doubt holds the message"),
            Self::Store(error) => refusal(&error),
        }
    }
}

/// The purpose for which a caller names a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Put,
    Get,
}

impl Queue {
    pub(crate) fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    /// The definition.
    pub(crate) fn definition(&self, name: &QueueName) -> Result<&Arc<Definition>, Refusal> {
        let unknown =
            || Refusal::failed(Reason::UnknownObjectName, format!("{name}: there is no such queue"));
        self.definition.as_ref().ok_or_else(unknown)
    }

    /// Whether messages can be got.
    pub(crate) fn may_get(&self, name: &QueueName) -> Result<(), Refusal> {
        if self.definition(name)?.attributes.get_enabled {
            return Ok(());
        }
        Err(Refusal::failed(Reason::GetInhibited, format!("{name}: gets are inhibited")))
    }

    /// The lane of a priority in the order of delivery.
    pub(crate) fn lane(&self, priority: Priority) -> u8 {
        match &self.definition {
            Some(definition) if !definition.attributes.by_priority => 0,
            _ => priority.number(),
        }
    }

    /// Takes the first matching message out.
    pub(crate) fn take_first(&mut self, selection: &Selection, now: Moment) -> Option<Slot> {
        let slot = self.first(selection, now)?;
        self.index.withdraw(slot, State::Taken);
        Some(slot)
    }

    /// The first matching message. Those before it that have expired are taken out.
    pub(crate) fn first(&mut self, selection: &Selection, now: Moment) -> Option<Slot> {
        loop {
            let slot = self.index.first(selection)?;
            if self.index.entry(slot).expires > now {
                return Some(slot);
            }
            self.expire(slot);
        }
    }

    /// Takes a ready message out because it has expired.
    pub(crate) fn expire(&mut self, slot: Slot) {
        self.index.withdraw(slot, State::Expired);
        self.expired.push(slot);
    }

    /// Makes a message ready, or gives it to a waiter. The caller must call the result when the
    /// state is unlocked.
    #[must_use]
    pub(crate) fn make_ready(&mut self, slot: Slot) -> Option<Wake> {
        if let Some(wake) = self.waits.give(slot, self.index.entry(slot)) {
            self.index.entry_mut(slot).state = State::Taken;
            return Some(wake);
        }
        self.index.publish(slot);
        None
    }

    /// Forgets a message.
    pub(crate) fn free(&mut self, core: &Core, slot: Slot) {
        let entry = self.index.free(slot);
        match entry.place {
            Place::Disk(_) => self.disk_bytes -= u64::from(entry.bytes),
            Place::Memory(_) => {
                self.memory_bytes -= u64::from(entry.bytes);
                core.memory_bytes.fetch_sub(u64::from(entry.bytes), Ordering::Relaxed);
            }
            Place::None => {}
        }
    }
}

impl Manager {
    /// Opens a manager, and finds all messages in the store. The time grows with their number.
    ///
    /// # Errors
    /// Those of the store. This does not find definitions that contradict each other.
    pub fn open(
        store: Arc<Store>,
        definitions: &Definitions,
        limits: Limits,
        now: Moment,
    ) -> Result<(Manager, Vec<Notice>), OpenError> {
        let records = |name: &str| {
            store.keyed(&store::Definition {
                name: name.to_owned(),
                organization: Organization::KeySequenced(Collation::Binary),
                recovery: Recovery::Recoverable,
            })
        };
        let (defined, state) = (records("mq.queues")?, records("mq.state")?);
        let messages = store.logs(&store::Definition {
            name: "mq.messages".to_owned(),
            organization: Organization::Logs(Positions::Unique),
            recovery: Recovery::Recoverable,
        })?;
        let subscriptions = records("mq.subscriptions")?;
        let ids = Ids::open(&definitions.name, &store, &state, now)?;
        let subscriptions = RwLock::new(Subscriptions::open(&store, subscriptions)?);
        let core = Arc::new(Core {
            messages,
            defined,
            state,
            ids,
            limits,
            memory_bytes: AtomicU64::new(0),
            waiters: AtomicUsize::new(0),
            left_waits: AtomicUsize::new(0),
            reservations: Mutex::default(),
            subscriptions,
            triggering: RwLock::default(),
            hearing: RwLock::default(),
            doubts: Mutex::default(),
            leaving: Mutex::default(),
            defining: Mutex::default(),
            definitions: RwLock::new(definitions.clone()),
            queues: RwLock::default(),
            stopping: AtomicBool::new(false),
            store,
        });
        let mut notices = Vec::new();
        core.find_definitions(&mut notices)?;
        let manager = Manager { core };
        notices.extend(manager.configure(definitions));
        manager.core.find_messages(&mut notices)?;
        notices.extend(manager.core.kept());
        Ok((manager, notices))
    }

    /// A session, which puts and gets.
    #[must_use]
    pub fn session(&self) -> Session {
        Session::new(Arc::clone(&self.core))
    }

    /// The current configuration.
    #[must_use]
    pub fn definitions(&self) -> Definitions {
        self.core.definitions().clone()
    }

    /// Takes over a configuration. Queues that it no longer has are dropped, and keep their
    /// messages.
    pub fn configure(&self, definitions: &Definitions) -> Vec<Notice> {
        let core = &self.core;
        let _one = core.defining.lock().unwrap_or_else(PoisonError::into_inner);
        let mut notices = Vec::new();
        *core.definitions.write().unwrap_or_else(PoisonError::into_inner) = definitions.clone();
        let mut wakes = Vec::new();
        for definition in &definitions.queues {
            let queue = core.queue_or_new(&definition.name);
            let mut state = queue.state();
            let by_command = state.definition.as_ref().is_some_and(|old| old.origin.is_stored());
            if by_command {
                notices.push(Notice::Replaced(definition.name.clone()));
            }
            if !definition.attributes.get_enabled {
                wakes.extend(state.waits.end(Some(Reason::GetInhibited)));
            }
            let old = state.definition.replace(Arc::new(definition.clone()));
            if old.is_none_or(|old| old.attributes.trigger != definition.attributes.trigger) {
                state.trigger_set = None;
            }
        }
        for queue in core.all_queues() {
            let mut state = queue.state();
            let of_a_file = |old: &Arc<Definition>| matches!(old.origin, Origin::File { .. });
            let named = || definitions.queues.iter().any(|definition| definition.name == queue.name);
            if state.definition.as_ref().is_some_and(of_a_file) && !named() {
                state.definition = None;
                wakes.extend(state.waits.end(Some(Reason::QueueDeleted)));
            }
        }
        notices.extend(core.kept());
        wakes.into_iter().for_each(|wake| wake());
        notices
    }

    /// Ends all waits and allows no new ones. Puts and gets still work.
    pub fn stop(&self) {
        self.core.stopping.store(true, Ordering::SeqCst);
        for queue in self.core.all_queues() {
            let wakes = queue.state().waits.end(None);
            wakes.into_iter().for_each(|wake| wake());
        }
    }

    /// True if its messages are in this store.
    #[must_use]
    pub fn is_on(&self, store: &Arc<Store>) -> bool {
        Arc::ptr_eq(&self.core.store, store)
    }

    /// Bytes of messages in memory.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        self.core.memory_bytes.load(Ordering::Relaxed)
    }
}

impl Core {
    pub(crate) fn definitions(&self) -> RwLockReadGuard<'_, Definitions> {
        self.definitions.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// A unit of its own.
    pub(crate) fn work(&self) -> Result<Work, Refusal> {
        self.store.unit().map(Work::new).map_err(|error| refusal(&error))
    }

    /// A queue by its name, defined or not.
    pub(crate) fn queue(&self, name: &QueueName) -> Option<Arc<Queue>> {
        self.queues.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn queue_or_new(&self, name: &QueueName) -> Arc<Queue> {
        let mut queues = self.queues.write().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Queue { name: name.clone(), state: Mutex::default() });
        Arc::clone(queues.entry(name.clone()).or_insert_with(new))
    }

    /// Forgets a queue that has no definition and no messages.
    pub(crate) fn forget_if_gone(&self, name: &QueueName) {
        let mut queues = self.queues.write().unwrap_or_else(PoisonError::into_inner);
        let gone = |queue: &Arc<Queue>| {
            let state = queue.state();
            state.definition.is_none() && state.index.depth() == 0
        };
        if queues.get(name).is_some_and(gone) {
            queues.remove(name);
        }
    }

    /// All queues, by their names.
    pub(crate) fn all_queues(&self) -> Vec<Arc<Queue>> {
        let queues = self.queues.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Arc<Queue>> = queues.values().cloned().collect();
        drop(queues);
        all.sort_by(|one, two| one.name.cmp(&two.name));
        all
    }

    /// The local queue that a name means.
    pub(crate) fn resolve(&self, name: &QueueName, wish: Wish) -> Result<Arc<Queue>, Refusal> {
        let unknown =
            || Refusal::failed(Reason::UnknownObjectName, format!("{name}: there is no such queue"));
        let queue = self.queue(name).ok_or_else(unknown)?;
        let definition = Arc::clone(queue.state().definition(name)?);
        let target = match &definition.kind {
            QueueKind::Local => return Ok(queue),
            QueueKind::Model { .. } => {
                let text = format!("{name}: it is a model, which holds no messages");
                return Err(Refusal::failed(Reason::QueueType, text));
            }
            QueueKind::Alias(target) => target,
        };
        let attributes = &definition.attributes;
        match wish {
            Wish::Put if !attributes.put_enabled => {
                return Err(Refusal::failed(Reason::PutInhibited, format!("{name}: puts are inhibited")));
            }
            Wish::Get if !attributes.get_enabled => {
                return Err(Refusal::failed(Reason::GetInhibited, format!("{name}: gets are inhibited")));
            }
            Wish::Put | Wish::Get => {}
        }
        let missing = || {
            let text = format!("{name}: it stands for {target}, which is not there");
            Refusal::failed(Reason::UnknownAliasBaseQueue, text)
        };
        let base = self.queue(target).ok_or_else(missing)?;
        let kind = base.state().definition.as_ref().ok_or_else(missing)?.kind.clone();
        match kind {
            QueueKind::Local => Ok(base),
            _ => {
                let text = format!("{name}: it stands for {target}, which is not a local queue");
                Err(Refusal::failed(Reason::AliasBaseQueueType, text))
            }
        }
    }

    /// Gets a taken message in a unit. None if it no longer exists.
    pub(crate) fn take(
        self: &Arc<Self>,
        scope: &mut Scope<'_>,
        queue: &Arc<Queue>,
        slot: Slot,
    ) -> Result<Option<Message>, Refusal> {
        match self.read_and_remove(scope, queue, slot) {
            Ok(Some(message)) => {
                scope.changes.add(self, Change { queue: Arc::clone(queue), slot, act: Act::Get });
                Ok(Some(message))
            }
            Ok(None) => {
                queue.state().free(self, slot);
                Ok(None)
            }
            Err(unread) => {
                let mut state = queue.state();
                let mut wake = None;
                match &unread {
                    Unread::Damaged(_) => {
                        state.index.entry_mut(slot).state = State::Damaged;
                        state.counters.damaged += 1;
                    }
                    Unread::Held => state.held.push(slot),
                    Unread::Store(_) => wake = state.make_ready(slot),
                }
                drop(state);
                if let Some(wake) = wake {
                    wake();
                }
                match unread {
                    Unread::Held => Ok(None),
                    unread => Err(unread.refusal()),
                }
            }
        }
    }

    fn read_and_remove(
        &self,
        scope: &mut Scope<'_>,
        queue: &Queue,
        slot: Slot,
    ) -> Result<Option<Message>, Unread> {
        let (place, backouts) = {
            let state = queue.state();
            let entry = state.index.entry(slot);
            (entry.place.clone(), entry.backouts)
        };
        let found = self.read(scope.unit, queue, &place)?;
        if let (Some(_), Place::Disk(position)) = (&found, &place) {
            scope.unit.remove(&self.messages, queue.name.as_str().as_bytes(), *position)?;
        }
        Ok(found.map(|mut message| {
            message.descriptor.backout_count = backouts;
            message
        }))
    }

    /// Reads a message for a browse. None if it can no longer be got. A damaged one is reported once, as
    /// for a get: the next browse goes on behind it.
    pub(crate) fn read_ready(
        &self,
        unit: &store::Unit,
        queue: &Queue,
        place: &Place,
        cursor: Cursor,
    ) -> Result<Option<Message>, Refusal> {
        match self.read(unit, queue, place) {
            Ok(read) => Ok(read),
            Err(Unread::Held) => Ok(None),
            Err(unread) => {
                let mut state = queue.state();
                if matches!(unread, Unread::Damaged(_)) && state.index.is_at(cursor) {
                    state.index.withdraw(cursor.slot, State::Damaged);
                    state.counters.damaged += 1;
                }
                Err(unread.refusal())
            }
        }
    }

    /// Reads a message.
    pub(crate) fn read(
        &self,
        unit: &store::Unit,
        queue: &Queue,
        place: &Place,
    ) -> Result<Option<Message>, Unread> {
        match place {
            Place::Memory(message) => Ok(Some(Message::clone(message))),
            Place::None => Ok(None),
            Place::Disk(position) => {
                let name = queue.name.as_str().as_bytes();
                let Some(bytes) = unit.item(&self.messages, name, *position)? else { return Ok(None) };
                decode(&bytes).map(Some).map_err(|codec::Damaged| {
                    Unread::Damaged(format!(
                        "{}: the message at {position} has other bytes than were put",
                        queue.name
                    ))
                })
            }
        }
    }

    /// Updates the queues after the end of a unit. `now` is the time of its last get.
    pub(crate) fn settle(self: &Arc<Self>, list: Vec<Change>, now: Moment, end: End) {
        let mut over_threshold = Vec::new();
        for Change { queue, slot, act } in list {
            let mut state = queue.state();
            let mut occasion = None;
            let wake = match (act, end) {
                (Act::Put, End::Committed) => {
                    state.counters.puts += 1;
                    occasion = state.put_occasion(slot);
                    state.make_ready(slot)
                }
                (Act::Get, End::Committed) => {
                    state.counters.gets += 1;
                    state.free(self, slot);
                    None
                }
                (Act::Expire, End::Committed) => {
                    state.counters.expired += 1;
                    state.free(self, slot);
                    None
                }
                (Act::Expire, _) => {
                    state.expired.push(slot);
                    None
                }
                (Act::Put, _) => {
                    state.free(self, slot);
                    None
                }
                (Act::Get, End::Failed) => state.make_ready(slot),
                (Act::Get, End::BackedOut) => {
                    state.counters.backouts += 1;
                    let threshold = state
                        .definition
                        .as_ref()
                        .map_or(0, |definition| definition.attributes.backout_threshold);
                    let entry = state.index.entry_mut(slot);
                    entry.backouts = entry.backouts.saturating_add(1);
                    if threshold > 0 && entry.backouts >= threshold {
                        over_threshold.push((Arc::clone(&queue), slot));
                        None
                    } else {
                        occasion = state.look_occasion();
                        state.make_ready(slot)
                    }
                }
            };
            drop(state);
            self.follow(&queue, wake, occasion);
        }
        for (queue, slot) in over_threshold {
            self.requeue(&queue, slot, now);
        }
    }

    /// The queues that have messages and no definition.
    fn kept(&self) -> Vec<Notice> {
        let kept = |queue: Arc<Queue>| {
            let state = queue.state();
            let messages = state.index.depth();
            let is_kept = state.definition.is_none() && messages > 0;
            is_kept.then(|| Notice::Kept { queue: queue.name.clone(), messages })
        };
        self.all_queues().into_iter().filter_map(kept).collect()
    }

    fn find_definitions(&self, notices: &mut Vec<Notice>) -> Result<(), OpenError> {
        let unit = self.store.unit()?;
        let mut last: Option<Vec<u8>> = None;
        loop {
            let from = last.as_deref().map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
            let Some(record) = unit.browse(&self.defined, from, store::Direction::Forward)? else {
                return Ok(());
            };
            let name = std::str::from_utf8(&record.key).ok().and_then(|name| QueueName::new(name).ok());
            match name.and_then(|name| decode_definition(name, &record.value)) {
                Some(definition) => {
                    let queue = self.queue_or_new(&definition.name);
                    queue.state().definition = Some(Arc::new(definition));
                }
                None => {
                    let shown = String::from_utf8_lossy(&record.key).into_owned();
                    notices.push(Notice::UnknownDefinition(shown));
                }
            }
            last = Some(record.key);
        }
    }
}
