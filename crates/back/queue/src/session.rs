//! Putting, getting and browsing.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use message::{
    CorrelationId, Message, MessageId, Moment, NewMessage, Persistence, Priority, QueueName, Reason, Refusal,
    ReportKind, Selection,
};

use crate::changes::{Act, Change, Scope, Work};
use crate::codec::encode;
use crate::dead_letter::{Destination, length_without_headers};
use crate::definition::{LENGTH_BYTES_MAX, Origin};
use crate::error::refusal;
use crate::index::{Cursor, Entry, Place, Slot, State};
use crate::manager::{Core, Queue, QueueState, Wish};
use crate::news::News;
use crate::reports::Due;
use crate::waiter::{Rank, Waiter, Wake};

/// Memory of a message beside its body, as limits count it.
const MEMORY_OVERHEAD_BYTES: usize = 256;

/// Puts and gets messages. Copies are cheap.
#[derive(Clone)]
pub struct Session {
    pub(crate) core: Arc<Core>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// A message that was put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put {
    /// Its id.
    pub message_id: MessageId,
    /// The queue that has it. With an alias, this is the queue behind it.
    pub queue: QueueName,
    /// Whether it is on disk after the commit.
    pub persistence: Persistence,
}

/// The outcome for a message that cannot reach its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadLetter {
    /// It is on the dead-letter queue.
    Put,
    /// It is gone when its unit commits, as its sender wishes.
    Discarded,
    /// There is no dead-letter queue, so the message is lost when its unit commits.
    NoQueue,
}

/// The outcome of [`Session::get_within`].
#[derive(Clone, Debug, PartialEq)]
pub enum Within {
    /// There is no message.
    None,
    /// A message. It is in the unit.
    Message(Box<Message>),
    /// There is a message that may be too long. It stays on its queue.
    Longer,
}

/// The place of a browse. It stays valid after the message has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position(pub(crate) Cursor);

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cursor { lane, order, slot } = self.0;
        write!(f, "{lane}.{order}.{slot}")
    }
}

impl Position {
    /// Reads a position that [`fmt::Display`] wrote; none if the text is not a position. An old or
    /// invented position is safe: a browse then goes on behind the same place in the order of
    /// delivery.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        let (lane, rest) = text.split_once('.')?;
        let (order, slot) = rest.split_once('.')?;
        let lane = lane.parse().ok().filter(|lane| *lane <= Priority::MAX.number())?;
        Some(Self(Cursor { lane, order: order.parse().ok()?, slot: slot.parse().ok()? }))
    }
}

/// A message that was browsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Browsed {
    /// Its place.
    pub position: Position,
    /// The message. It stays on its queue.
    pub message: Message,
}

impl Session {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }

    /// Begins a unit of work.
    ///
    /// # Errors
    /// `SyncpointLimitReached` if the store has too many units.
    pub fn begin(&self) -> Result<Work, Refusal> {
        self.core.work()
    }

    /// A new id for a message that is put later. No other message has it.
    ///
    /// # Errors
    /// Those of the store.
    pub fn new_id(&self) -> Result<MessageId, Refusal> {
        self.core.ids.next(&self.core.store, &self.core.state).map_err(|error| refusal(&error))
    }

    /// Puts a message. Others can get it after the unit has committed.
    ///
    /// # Errors
    /// `UnknownObjectName`, `UnknownAliasBaseQueue`, `AliasBaseQueueType`, `QueueType`; `PutInhibited`; `QueueFull`,
    /// `QueueSpaceNotAvailable`, `StorageNotAvailable`; `MessageTooBigForQueue`, `MessageTooBigForManager`;
    /// `PersistentNotAllowed`; those of the store. The unit goes on without the message.
    pub fn put(
        &self,
        scope: &mut Scope<'_>,
        name: &QueueName,
        new: NewMessage,
        now: Moment,
    ) -> Result<Put, Refusal> {
        let core = &self.core;
        let queue = core.resolve(name, Wish::Put)?;
        let (persistence, priority) = {
            let state = queue.state();
            let definition = state.definition(&queue.name)?;
            let attributes = &definition.attributes;
            (new.persistence.unwrap_or(attributes.persistence), new.priority.unwrap_or(attributes.priority))
        };
        let new = NewMessage { persistence: Some(persistence), priority: Some(priority), ..new };
        let message = core.complete(new, now)?;
        let message_id = message.descriptor.message_id;
        let arrival = Due::arrival(&message, now);
        core.check_length(&queue, message.body.len())?;
        core.enqueue(scope, &queue, message)?;
        core.put_report(scope, &queue.name, arrival, now);
        Ok(Put { message_id, queue: queue.name.clone(), persistence })
    }

    /// Gets the first matching message, if there is one. Nobody else can get it. It is gone when
    /// the unit has committed.
    ///
    /// # Errors
    /// `UnknownObjectName`, `UnknownAliasBaseQueue`, `AliasBaseQueueType`, `QueueType`; `GetInhibited`;
    /// `ObjectDamaged` if its bytes have changed (the next get goes on behind it); those of the
    /// store.
    pub fn get(
        &self,
        scope: &mut Scope<'_>,
        name: &QueueName,
        selection: &Selection,
        now: Moment,
    ) -> Result<Option<Message>, Refusal> {
        self.get_by(scope, name, now, |state| state.take_first(selection, now))
    }

    /// Like [`Session::get`], for a caller with `room` for the bytes of a body. A message that may be
    /// longer stays. A browse tells its length.
    ///
    /// # Errors
    /// As [`Session::get`].
    pub fn get_within(
        &self,
        scope: &mut Scope<'_>,
        name: &QueueName,
        (selection, room): (&Selection, usize),
        now: Moment,
    ) -> Result<Within, Refusal> {
        let mut is_longer = false;
        let got = self.get_by(scope, name, now, |state| {
            let slot = state.first(selection, now)?;
            is_longer = !state.fits(slot, room);
            if is_longer {
                return None;
            }
            state.index.withdraw(slot, State::Taken);
            Some(slot)
        })?;
        Ok(match got {
            Some(message) => Within::Message(Box::new(message)),
            None if is_longer => Within::Longer,
            None => Within::None,
        })
    }

    /// Gets the message that `take` takes out of the queue. If its bytes are gone, `take` is asked again.
    fn get_by(
        &self,
        scope: &mut Scope<'_>,
        name: &QueueName,
        now: Moment,
        mut take: impl FnMut(&mut QueueState) -> Option<Slot>,
    ) -> Result<Option<Message>, Refusal> {
        let queue = self.core.resolve(name, Wish::Get)?;
        loop {
            let taken = {
                let mut state = queue.state();
                state.may_get(&queue.name)?;
                take(&mut state)
            };
            let Some(slot) = taken else { return Ok(None) };
            if let Some(message) = self.core.take(scope, &queue, slot)? {
                self.core.report_delivery(scope, &queue.name, &message, now);
                return Ok(Some(message));
            }
        }
    }

    /// Gets the message at the place of a browse, if it can still be got.
    ///
    /// # Errors
    /// As [`Session::get`].
    pub fn get_at(
        &self,
        scope: &mut Scope<'_>,
        name: &QueueName,
        position: Position,
        now: Moment,
    ) -> Result<Option<Message>, Refusal> {
        let queue = self.core.resolve(name, Wish::Get)?;
        queue.state().may_get(&queue.name)?;
        let message = self.core.take_at(scope, &queue, position.0, now)?;
        if let Some(message) = &message {
            self.core.report_delivery(scope, &queue.name, message, now);
        }
        Ok(message)
    }

    /// The first matching message, behind a place if one is given. It stays on its queue, and
    /// others may get it.
    ///
    /// # Errors
    /// As [`Session::get`].
    pub fn browse(
        &self,
        name: &QueueName,
        selection: &Selection,
        after: Option<Position>,
        now: Moment,
    ) -> Result<Option<Browsed>, Refusal> {
        let queue = self.core.resolve(name, Wish::Get)?;
        let unit = self.core.store.unit().map_err(|error| refusal(&error))?;
        let mut after = after.map(|position| position.0);
        loop {
            let (cursor, place, backouts) = {
                let state = queue.state();
                state.may_get(&queue.name)?;
                let next = match after {
                    None => state.index.first(selection),
                    Some(cursor) => state.index.after(selection, cursor),
                };
                let Some(slot) = next else { return Ok(None) };
                let cursor = state.index.cursor(slot);
                let entry = state.index.entry(slot);
                if entry.expires <= now {
                    after = Some(cursor);
                    continue;
                }
                (cursor, entry.place.clone(), entry.backouts)
            };
            if let Some(mut message) = self.core.read_ready(&unit, &queue, &place, cursor)? {
                message.descriptor.backout_count = backouts;
                return Ok(Some(Browsed { position: Position(cursor), message }));
            }
            // Another session or a unit in doubt has got it since it was found.
            after = Some(cursor);
        }
    }

    /// The message at the place of a browse, if it can still be got. It stays on its queue.
    ///
    /// # Errors
    /// As [`Session::get`].
    pub fn browse_at(
        &self,
        name: &QueueName,
        position: Position,
        now: Moment,
    ) -> Result<Option<Message>, Refusal> {
        let queue = self.core.resolve(name, Wish::Get)?;
        let (place, backouts) = {
            let state = queue.state();
            state.may_get(&queue.name)?;
            if !state.index.is_at(position.0) {
                return Ok(None);
            }
            let entry = state.index.entry(position.0.slot);
            if entry.expires <= now {
                return Ok(None);
            }
            (entry.place.clone(), entry.backouts)
        };
        let unit = self.core.store.unit().map_err(|error| refusal(&error))?;
        let read = self.core.read_ready(&unit, &queue, &place, position.0)?;
        Ok(read.map(|mut message| {
            message.descriptor.backout_count = backouts;
            message
        }))
    }

    /// A new id for a correlation. Nobody else has it.
    ///
    /// # Errors
    /// Those of the store.
    pub fn new_correlation_id(&self) -> Result<CorrelationId, Refusal> {
        let id = self.core.ids.next(&self.core.store, &self.core.state).map_err(|error| refusal(&error))?;
        Ok(CorrelationId(id.0))
    }

    /// Commits a unit that has only gets, as the manager is configured. It calls `then` when the
    /// unit is on disk; with lazy gets, at once. A lazy unit reaches the disk with the next unit
    /// that waits for the disk, or after about a second. After a crash before that, the messages
    /// are there again.
    pub fn commit_gets_then(&self, work: Work, then: impl FnOnce(Result<(), Refusal>) + Send + 'static) {
        if self.core.definitions().lazy_gets {
            work.commit_lazily_then(|_| ());
            then(Ok(()));
        } else {
            work.commit_then(then);
        }
    }

    /// Waits for a message. `wake` is called once when the wait is over: at once if there is a
    /// message, else on the thread that commits one. Then [`Waiter::get`] gets it. The longest wait
    /// is served first.
    ///
    /// # Errors
    /// Those of names; `GetInhibited`; `ManagerQuiescing`; `ResourceProblem` if too many callers
    /// wait.
    pub fn wait(
        &self,
        name: &QueueName,
        selection: &Selection,
        wake: impl FnOnce() + Send + 'static,
        now: Moment,
    ) -> Result<Waiter, Refusal> {
        self.begin_wait(name, (*selection, Rank::Caller), Box::new(wake), now)
    }

    /// Like [`Session::wait`], for messages that no caller waits for, such as replies that come too late. All
    /// waits of callers are served first. It does not count as a caller.
    ///
    /// # Errors
    /// As [`Session::wait`]; `ResourceProblem` if `waiters_max` such waits are open.
    pub fn look_out(
        &self,
        name: &QueueName,
        selection: &Selection,
        wake: impl FnOnce() + Send + 'static,
        now: Moment,
    ) -> Result<Waiter, Refusal> {
        self.begin_wait(name, (*selection, Rank::Left), Box::new(wake), now)
    }

    fn begin_wait(
        &self,
        name: &QueueName,
        wanted: (Selection, Rank),
        wake: Wake,
        now: Moment,
    ) -> Result<Waiter, Refusal> {
        let queue = self.core.resolve(name, Wish::Get)?;
        Waiter::begin(Arc::clone(&self.core), queue, wanted, wake, now)
    }

    /// Puts a message that cannot reach its queue on the dead-letter queue. MQDLH before its body
    /// tells the queue and the reason. If its sender wants that, it is discarded instead. The sender
    /// gets an exception report if it wants one. `of` is the queue that had the message, or should get
    /// it.
    ///
    /// # Errors
    /// As [`Session::put`].
    pub fn put_dead(
        &self,
        scope: &mut Scope<'_>,
        (of, message): (Destination<'_>, Message),
        why: &Refusal,
        now: Moment,
    ) -> Result<DeadLetter, Refusal> {
        self.core.put_dead(scope, (of, message), why, now)
    }
}

/// A message for a dead-letter queue.
pub(crate) struct Letter<'l> {
    /// The dead-letter queue.
    pub(crate) on: &'l QueueName,
    /// The queue that the message was for.
    pub(crate) of: Destination<'l>,
    pub(crate) message: Message,
}

impl Core {
    /// See [`Session::put_dead`].
    pub(crate) fn put_dead(
        self: &Arc<Self>,
        scope: &mut Scope<'_>,
        (of, message): (Destination<'_>, Message),
        why: &Refusal,
        now: Moment,
    ) -> Result<DeadLetter, Refusal> {
        let id = message.descriptor.message_id;
        let exception = Due::of(&message, ReportKind::Exception, why.reason.code(), now);
        let name = self.definitions().dead_letter_queue.clone();
        let went = if message.descriptor.report.discards() {
            scope.changes.tell(News::Discarded { message: id, why: why.clone() });
            DeadLetter::Discarded
        } else if let Some(name) = name {
            self.put_letter(scope, Letter { on: &name, of, message }, why, now)?;
            DeadLetter::Put
        } else {
            DeadLetter::NoQueue
        };
        self.put_report(scope, of.queue, exception, now);
        Ok(went)
    }

    /// Puts a message with MQDLH on a dead-letter queue.
    pub(crate) fn put_letter(
        self: &Arc<Self>,
        scope: &mut Scope<'_>,
        Letter { on, of, message }: Letter<'_>,
        why: &Refusal,
        now: Moment,
    ) -> Result<(), Refusal> {
        let id = message.descriptor.message_id;
        let queue = self.resolve(on, Wish::Put)?;
        self.enqueue(scope, &queue, self.dead_letter(message, of, why.reason, now))?;
        scope.changes.tell(News::Dead { message: id, queue: queue.name.clone(), why: why.clone() });
        Ok(())
    }

    /// Takes the message at a place in a unit, without a report. None if it cannot be got any more.
    pub(crate) fn take_at(
        self: &Arc<Self>,
        scope: &mut Scope<'_>,
        queue: &Arc<Queue>,
        at: Cursor,
        now: Moment,
    ) -> Result<Option<Message>, Refusal> {
        {
            let mut state = queue.state();
            if !state.index.is_at(at) {
                return Ok(None);
            }
            if state.index.entry(at.slot).expires <= now {
                state.expire(at.slot);
                return Ok(None);
            }
            state.index.withdraw(at.slot, State::Taken);
        }
        self.take(scope, queue, at.slot)
    }

    /// Puts a complete message. The headers of a dead letter do not count in its length, so the longest message can become one,
    /// and go on to other queues.
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        scope: &mut Scope<'_>,
        queue: &Arc<Queue>,
        message: Message,
    ) -> Result<(), Refusal> {
        self.check_length(queue, length_without_headers(&message))?;
        let descriptor = &message.descriptor;
        let (ids, priority) = ((descriptor.message_id, descriptor.correlation_id), descriptor.priority);
        let (expires, put, backouts) =
            (descriptor.expires.unwrap_or(crate::index::NEVER), descriptor.put, descriptor.backout_count);
        let on_disk = descriptor.persistence == Persistence::Persistent;
        let reports_expiry = descriptor.report.wants(ReportKind::Expiration);
        let encoded = on_disk.then(|| encode(&message));
        let bytes = encoded.as_ref().map_or(message.body.len() + MEMORY_OVERHEAD_BYTES, Vec::len);
        let bytes = u32::try_from(bytes).expect("the length was checked");
        let slot = {
            let mut state = queue.state();
            state.check_room(queue, on_disk, bytes)?;
            if !on_disk {
                self.take_memory(queue, bytes)?;
                state.memory_bytes += u64::from(bytes);
            }
            let mut entry = Entry::new(ids, state.lane(priority));
            (entry.expires, entry.put, entry.bytes, entry.backouts) = (expires, put, bytes, backouts);
            entry.reports_expiry = reports_expiry;
            if !on_disk {
                entry.place = Place::Memory(Arc::new(message));
            }
            state.index.add(entry)
        };
        if let Some(encoded) = encoded {
            let appended = scope.unit.append(&self.messages, queue.name.as_str().as_bytes(), encoded);
            let mut state = queue.state();
            match appended {
                Ok(position) => {
                    state.index.entry_mut(slot).place = Place::Disk(position);
                    state.disk_bytes += u64::from(bytes);
                }
                Err(error) => {
                    state.free(self, slot);
                    return Err(refusal(&error));
                }
            }
        }
        scope.changes.add(self, Change { queue: Arc::clone(queue), slot, act: Act::Put });
        Ok(())
    }

    /// Refuses a message of this length if it is too long for its queue or for the queue manager.
    fn check_length(&self, queue: &Queue, found: usize) -> Result<(), Refusal> {
        let (of_manager, of_queue) = {
            let state = queue.state();
            let attributes = &state.definition(&queue.name)?.attributes;
            (self.definitions().length_bytes_max.min(LENGTH_BYTES_MAX), attributes.length_bytes_max)
        };
        let too_long = |limit: u32| found > limit as usize;
        if too_long(of_queue) {
            let text = format!(
                "{}: the message has {found} bytes, {of_queue} is the most (length_bytes_max)",
                queue.name
            );
            return Err(Refusal::failed(Reason::MessageTooBigForQueue, text));
        }
        if too_long(of_manager) {
            let text = format!(
                "{}: the message has {found} bytes, {of_manager} is the queue manager's most (length_bytes_max)",
                queue.name
            );
            return Err(Refusal::failed(Reason::MessageTooBigForManager, text));
        }
        Ok(())
    }

    fn take_memory(&self, queue: &Queue, bytes: u32) -> Result<(), Refusal> {
        let (bytes, limit) = (u64::from(bytes), self.limits.memory_bytes_max);
        let used = self.memory_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if used <= limit {
            return Ok(());
        }
        self.memory_bytes.fetch_sub(bytes, Ordering::Relaxed);
        let text = format!("{}: messages in memory may have {limit} bytes (memory_bytes_max)", queue.name);
        Err(Refusal::failed(Reason::StorageNotAvailable, text))
    }
}

impl crate::manager::QueueState {
    /// True if the body of a message surely has no more bytes than this. The stored form of a
    /// message is longer than its body.
    pub(crate) fn fits(&self, slot: crate::index::Slot, room: usize) -> bool {
        self.index.entry(slot).bytes as usize <= room
    }

    /// Refuses a message that the queue may not have or has no room for. All ways onto a queue lead
    /// through here.
    fn check_room(&self, queue: &Queue, on_disk: bool, bytes: u32) -> Result<(), Refusal> {
        let name = &queue.name;
        let definition = self.definition(name)?;
        let attributes = &definition.attributes;
        if on_disk && definition.origin == Origin::Temporary {
            let text = format!("{name}: a temporary queue has no persistent messages");
            return Err(Refusal::failed(Reason::PersistentNotAllowed, text));
        }
        if !attributes.put_enabled {
            return Err(Refusal::failed(Reason::PutInhibited, format!("{name}: puts are inhibited")));
        }
        let depth = self.index.depth();
        if depth >= attributes.depth_max as usize {
            let text =
                format!("{name}: it has {depth} messages, {} is the most (depth_max)", attributes.depth_max);
            return Err(Refusal::failed(Reason::QueueFull, text));
        }
        let (used, limit, key, reason) = if on_disk {
            (self.disk_bytes, attributes.disk_bytes_max, "disk_bytes_max", Reason::QueueSpaceNotAvailable)
        } else {
            (self.memory_bytes, attributes.memory_bytes_max, "memory_bytes_max", Reason::StorageNotAvailable)
        };
        match limit {
            Some(limit) if used + u64::from(bytes) > limit => {
                let text = format!("{name}: its messages have {used} bytes, {limit} is the most ({key})");
                Err(Refusal::failed(reason, text))
            }
            _ => Ok(()),
        }
    }
}
