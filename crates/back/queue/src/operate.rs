//! Operators' commands for queues: define, delete, empty, move messages.

use std::collections::BTreeSet;
use std::sync::{Arc, MutexGuard, PoisonError};

use message::{Message, Moment, QueueName, Reason, Refusal, Selection};

use crate::changes::{Act, Change, End, Scope};
use crate::dead_letter::backed_out;
use crate::definition::{Definition, Origin, QueueKind, encode};
use crate::error::refusal;
use crate::index::{Place, Slot, State};
use crate::manager::{Core, Manager, Queue, Wish};
use crate::news::News;
use crate::session::DeadLetter;

/// Messages that one unit moves or removes.
const BATCH: usize = 500;

/// Characters of the name of a dynamic queue before those that make it new.
const PATTERN_CHARACTERS: usize = 32;

/// True if a later try may delete the queue.
fn is_in_use(refusal: &Refusal) -> bool {
    matches!(refusal.reason, Reason::ObjectInUse | Reason::QueueNotEmpty)
}

impl Core {
    fn leaving(&self) -> MutexGuard<'_, BTreeSet<QueueName>> {
        self.leaving.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Manager {
    /// Defines a queue by a command, and keeps the definition in the store. With `replace` the
    /// queue may exist already.
    ///
    /// # Errors
    /// `ObjectAlreadyExists`; `CommandFailed` if a file defines it, with file and line; `QueueNotEmpty` if a queue with
    /// messages would become an alias; `ResourceProblem` if there are too many queues; those of the store.
    pub fn define(&self, mut definition: Definition, replace: bool) -> Result<(), Refusal> {
        let core = &self.core;
        let _one = core.defining.lock().unwrap_or_else(PoisonError::into_inner);
        let name = definition.name.clone();
        if !definition.origin.is_dynamic() {
            definition.origin = Origin::Command;
        }
        if let Some(queue) = core.queue(&name) {
            let state = queue.state();
            if let Some(old) = &state.definition {
                of_no_file(old)?;
                if !replace {
                    let text = format!("{name}: the queue exists");
                    return Err(Refusal::failed(Reason::ObjectAlreadyExists, text));
                }
                if old.origin.is_dynamic() {
                    definition.origin = old.origin.clone();
                }
            }
            if definition.kind != QueueKind::Local && state.index.depth() > 0 {
                let text = format!("{name}: the queue has {} messages", state.index.depth());
                return Err(Refusal::failed(Reason::QueueNotEmpty, text));
            }
        } else if core.all_queues().len() >= core.limits.queues_max {
            let text = format!("there are {} queues, which is queues_max", core.limits.queues_max);
            return Err(Refusal::failed(Reason::ResourceProblem, text));
        }
        if definition.origin.is_stored() {
            core.keep(&name, Some(encode(&definition)))?;
        }
        let queue = core.queue_or_new(&name);
        let mut state = queue.state();
        let inhibited = !definition.attributes.get_enabled;
        state.definition = Some(Arc::new(definition));
        state.trigger_set = None;
        let wakes = if inhibited { state.waits.end(Some(Reason::GetInhibited)) } else { Vec::new() };
        drop(state);
        wakes.into_iter().for_each(|wake| wake());
        self.was_closed(&name);
        Ok(())
    }

    /// Makes a queue from a model. An asterisk at the end of `pattern` stands for characters that
    /// make its name new.
    ///
    /// # Errors
    /// `UnknownObjectName`; `QueueType` if it is not a model; `DynamicQueueName`; as [`Manager::define`].
    pub fn make_of_model(&self, model: &QueueName, pattern: &str) -> Result<QueueName, Refusal> {
        let definition = self.definition(model)?;
        let QueueKind::Model { permanent } = definition.kind else {
            return Err(Refusal::failed(Reason::QueueType, format!("{model}: it is not a model")));
        };
        let core = &self.core;
        let text = match pattern.strip_suffix('*') {
            None => pattern.to_owned(),
            Some(start) => {
                let id = core.ids.next(&core.store, &core.state).map_err(|error| refusal(&error))?;
                let unique: String = id.0[16..].iter().map(|byte| format!("{byte:02X}")).collect();
                let start: String = start.chars().take(PATTERN_CHARACTERS).collect();
                format!("{start}{unique}")
            }
        };
        let fault =
            |error| Refusal::failed(Reason::DynamicQueueName, format!("name of a dynamic queue: {error}"));
        let name = QueueName::new(&text).map_err(fault)?;
        let origin = if permanent { Origin::Permanent } else { Origin::Temporary };
        let attributes = definition.attributes.clone();
        self.define(Definition { name: name.clone(), kind: QueueKind::Local, attributes, origin }, false)?;
        Ok(name)
    }

    /// Deletes a queue that a command has defined, with its messages if `purge` says so. If it is not deleted, it keeps all its
    /// messages.
    ///
    /// # Errors
    /// `UnknownObjectName`; `CommandFailed` if a file defines it; `QueueNotEmpty`; `ObjectInUse` if units that have not
    /// ended hold messages; those of the store. If the store fails while it removes the messages, the rest is left on a queue
    /// without a definition.
    pub fn delete(&self, name: &QueueName, purge: bool) -> Result<(), Refusal> {
        of_no_file(&*self.definition(name)?)?;
        let core = &self.core;
        let one = core.defining.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = core.queue(name) else { return Ok(()) };
        let definition = {
            let mut state = queue.state();
            let (depth, ready) = (state.index.depth(), state.index.ready());
            if ready > 0 && !purge {
                let text = format!("{name}: the queue has {ready} messages");
                return Err(Refusal::failed(Reason::QueueNotEmpty, text));
            }
            if depth > ready {
                let held = depth - ready;
                let text = format!("{name}: units of work that have not ended hold {held} messages");
                return Err(Refusal::failed(Reason::ObjectInUse, text));
            }
            // From here on nothing is put, so that nothing is left behind.
            state.definition.take()
        };
        if let Err(refusal) = core.keep(name, None) {
            queue.state().definition = definition;
            return Err(refusal);
        }
        let wakes = queue.state().waits.end(Some(Reason::QueueDeleted));
        wakes.into_iter().for_each(|wake| wake());
        drop(one);
        if purge {
            self.empty(&queue)?;
        }
        core.forget_if_gone(name);
        Ok(())
    }

    /// Deletes a queue with its messages now, or, while units hold some of them, with the first sweep after those have
    /// ended. For temporary queues, which would be left behind otherwise.
    pub fn delete_when_free(&self, name: &QueueName) {
        if matches!(self.delete(name, true), Err(refusal) if is_in_use(&refusal)) {
            self.core.leaving().insert(name.clone());
        }
    }

    /// Deletes the queues that are free by now.
    pub(crate) fn delete_leaving(&self) {
        let leaving = std::mem::take(&mut *self.core.leaving());
        // An operator may have defined one of them meanwhile, to keep it.
        let is_temporary = |name: &QueueName| {
            self.definition(name).is_ok_and(|definition| definition.origin == Origin::Temporary)
        };
        leaving.iter().filter(|name| is_temporary(name)).for_each(|name| self.delete_when_free(name));
    }

    /// Removes all messages that can be got, unread, but for those that arrive meanwhile. Gives their
    /// number. It also works for a queue without a definition.
    ///
    /// # Errors
    /// `UnknownObjectName`; those of the store. Messages that earlier units have removed stay gone.
    pub fn purge(&self, name: &QueueName) -> Result<usize, Refusal> {
        self.empty(&self.core.held(name)?)
    }

    fn empty(&self, queue: &Arc<Queue>) -> Result<usize, Refusal> {
        let name = &queue.name;
        let before = queue.next_order();
        let mut removed = 0;
        loop {
            // Without a unit no message is taken.
            let mut work = self.core.work()?;
            let slots = queue.take_some(BATCH, before, &Selection::ANY);
            if slots.is_empty() {
                self.core.forget_if_gone(name);
                return Ok(removed);
            }
            removed += slots.len();
            let scope = work.scope();
            let mut failed = None;
            for slot in slots {
                let place = queue.state().index.entry(slot).place.clone();
                scope.changes.add(&self.core, Change { queue: Arc::clone(queue), slot, act: Act::Get });
                let Place::Disk(position) = place else { continue };
                let log = name.as_str().as_bytes();
                failed = failed.or(scope.unit.remove(&self.core.messages, log, position).err());
            }
            if let Some(error) = failed {
                work.undo();
                return Err(refusal(&error));
            }
            work.commit()?;
        }
    }

    /// Moves at most `limit` matching messages to another queue, but none that arrives meanwhile. Gives
    /// their number. They keep their ids, times and properties. The first queue may have lost its
    /// definition.
    ///
    /// # Errors
    /// Those of both queues and of the store. Messages that earlier units have moved stay moved.
    pub fn move_messages(
        &self,
        (from, to): (&QueueName, &QueueName),
        selection: &Selection,
        limit: usize,
    ) -> Result<usize, Refusal> {
        let (source, target) = (self.core.held(from)?, self.core.resolve(to, Wish::Put)?);
        if Arc::ptr_eq(&source, &target) {
            return Err(Refusal::failed(
                Reason::ObjectInUse,
                format!("{from}: it cannot be moved to itself"),
            ));
        }
        let before = source.next_order();
        let mut moved = 0;
        while moved < limit {
            let mut work = self.core.work()?;
            let mut slots = source.take_some(BATCH.min(limit - moved), before, selection).into_iter();
            if slots.len() == 0 {
                break;
            }
            let mut scope = work.scope();
            while let Some(slot) = slots.next() {
                let done = match self.core.take(&mut scope, &source, slot) {
                    Ok(Some(message)) => self.core.enqueue(&mut scope, &target, message).map(|()| moved += 1),
                    Ok(None) => Ok(()),
                    Err(refusal) => Err(refusal),
                };
                if let Err(refusal) = done {
                    source.give_back(slots);
                    work.undo();
                    return Err(refusal);
                }
            }
            work.commit()?;
        }
        self.core.forget_if_gone(from);
        Ok(moved)
    }

    /// Puts an exported message on a queue, with its ids, its put time and its remaining life. An
    /// expired message is left out.
    ///
    /// # Errors
    /// As [`Session::put`](crate::Session::put).
    pub fn import(
        &self,
        scope: &mut Scope<'_>,
        to: &QueueName,
        message: Message,
        now: Moment,
    ) -> Result<(), Refusal> {
        if message.descriptor.is_expired(now) {
            return Ok(());
        }
        let queue = self.core.resolve(to, Wish::Put)?;
        self.core.enqueue(scope, &queue, message)
    }
}

fn of_no_file(definition: &Definition) -> Result<(), Refusal> {
    let Origin::File { path, line } = &definition.origin else { return Ok(()) };
    let text = format!("{}: {path}:{line} defines the queue; change it there", definition.name);
    Err(Refusal::failed(Reason::CommandFailed, text))
}

impl Queue {
    /// The order of the next message. Messages that are on the queue now have lower ones.
    pub(crate) fn next_order(&self) -> u64 {
        self.state().index.next_order()
    }

    /// Takes the first matching messages with an order below `before`.
    fn take_some(&self, count: usize, before: u64, selection: &Selection) -> Vec<Slot> {
        let mut state = self.state();
        let mut slots = Vec::new();
        while slots.len() < count
            && let Some(slot) = state.index.next(selection, None, before)
        {
            state.index.withdraw(slot, State::Taken);
            slots.push(slot);
        }
        slots
    }

    fn give_back(&self, slots: impl Iterator<Item = Slot>) {
        for slot in slots {
            let wake = self.state().make_ready(slot);
            if let Some(wake) = wake {
                wake();
            }
        }
    }
}

impl Core {
    /// A local queue that is defined or has messages.
    pub(crate) fn held(&self, name: &QueueName) -> Result<Arc<Queue>, Refusal> {
        let unknown =
            || Refusal::failed(Reason::UnknownObjectName, format!("{name}: there is no such queue"));
        let queue = self.queue(name).ok_or_else(unknown)?;
        let (definition, depth) = {
            let state = queue.state();
            (state.definition.clone(), state.index.depth())
        };
        match definition {
            Some(definition) if definition.kind != QueueKind::Local => {
                Err(Refusal::failed(Reason::QueueType, format!("{name}: it is not a local queue")))
            }
            None if depth == 0 => Err(unknown()),
            _ => Ok(queue),
        }
    }

    /// Keeps a definition in the store, or removes it.
    fn keep(&self, name: &QueueName, bytes: Option<Vec<u8>>) -> Result<(), Refusal> {
        let keep = || -> store::Result<()> {
            let mut unit = self.store.unit()?;
            let key = name.as_str().as_bytes();
            let is_there = unit.read(&self.defined, key)?.is_some();
            match (bytes, is_there) {
                (Some(bytes), true) => unit.rewrite(&self.defined, key, bytes)?,
                (Some(bytes), false) => unit.insert(&self.defined, key, bytes)?,
                (None, true) => unit.delete(&self.defined, key)?,
                (None, false) => {}
            }
            unit.syncpoint()
        };
        keep().map_err(|error| refusal(&error))
    }

    /// Moves a message that was backed out too often. It goes to the backout queue that its queue
    /// names, else to the dead-letter queue with the reports that its sender wants. If that fails,
    /// it goes back to its place. `now` is the time of the get.
    pub(crate) fn requeue(self: &Arc<Self>, queue: &Arc<Queue>, slot: Slot, now: Moment) {
        let definition = queue.state().definition.clone();
        let named = definition.and_then(|definition| definition.attributes.backout_queue.clone());
        let wanted = named.clone().or_else(|| self.definitions().dead_letter_queue.clone());
        let found = wanted.as_ref().and_then(|target| self.resolve(target, Wish::Put).ok());
        // A message that is already on the dead-letter queue stays there.
        let target = found.filter(|target| !Arc::ptr_eq(target, queue));
        let goes_nowhere = wanted.is_some() && target.is_none();
        let Some(mut work) = self.work().ok().filter(|_| !goes_nowhere) else {
            let back = Change { queue: Arc::clone(queue), slot, act: Act::Get };
            return self.settle(vec![back], now, End::Failed);
        };
        let mut scope = work.scope();
        let moved = match (self.take(&mut scope, queue, slot), target.filter(|_| named.is_some())) {
            (Ok(Some(message)), Some(target)) => self.put_backed_out(&mut scope, queue, message, &target),
            (Ok(Some(message)), None) => {
                let count = message.descriptor.backout_count;
                let text = format!("{}: the message was backed out too often ({count})", queue.name);
                let why = Refusal::failed(Reason::BackoutThresholdReached, text);
                let went = self.put_dead(&mut scope, ((&queue.name).into(), message), &why, now);
                went.is_ok_and(|went| went != DeadLetter::NoQueue)
            }
            // The message is gone, damaged or held. `take` has handled it.
            (Ok(None) | Err(_), _) => false,
        };
        if moved {
            work.commit_then(|_| ());
        } else {
            work.undo();
        }
    }

    /// Puts a message on the backout queue of its queue. True if this works.
    fn put_backed_out(
        self: &Arc<Self>,
        scope: &mut Scope<'_>,
        from: &Queue,
        message: Message,
        target: &Arc<Queue>,
    ) -> bool {
        let (id, count) = (message.descriptor.message_id, message.descriptor.backout_count);
        let is_put = self.enqueue(scope, target, backed_out(message, &from.name)).is_ok();
        if is_put {
            let (from, queue) = (from.name.clone(), target.name.clone());
            scope.changes.tell(News::BackedOut { message: id, from, queue, count });
        }
        is_put
    }
}
