//! Calls of the Message Queue Interface. The crate `message_calls` says what they do; this file awaits locks,
//! commits and waits.
//!
//! Puts and gets belong to the task's unit of work, so messages commit together with files and queues. A get that waits
//! holds the task's worker. It ends with its interval, or shortly before the time of the task does.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use message::{Moment, Reason};
use message_calls::{Step, Surroundings, TaskCalls, Waiting, after_commit};
use queue::{Changes, Manager, Scope, Waiter};
use store::GlobalId;
use tokio::sync::oneshot;
use wire::{MessageAnswer, MessageAsk, shown};

use crate::resources::trouble::Trouble;
use crate::resources::unit::opened;
use crate::work::Work;

/// Who has the queue manager of the process.
pub trait QueueManagers: Send + Sync {
    /// The queue manager; none if the gateway has none.
    fn queue_manager(&self) -> Option<Manager>;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn QueueManagers + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("QueueManagers")
    }
}

/// A task's work with queues of messages.
#[derive(Debug, Default)]
pub(crate) struct TaskMessages {
    calls: TaskCalls,
    /// With the first call.
    manager: Option<Manager>,
    /// The changes of a unit that is being committed. Whoever ends the unit takes them: the store's thread,
    /// or the task.
    ending: Arc<Mutex<Option<Changes>>>,
    /// A unit of the task was backed out.
    pub(crate) was_backed_out: bool,
    /// The unit has prepared, so only its decision ends the changes.
    prepared: Option<GlobalId>,
}

impl TaskMessages {
    /// The steps after the unit has committed. It does not block.
    pub(crate) fn committing(&mut self) -> impl FnOnce() + Send + 'static + use<> {
        let changes = self.calls.take_changes();
        self.prepared = None;
        *self.ending.lock().unwrap_or_else(PoisonError::into_inner) = Some(changes);
        let ending = Arc::clone(&self.ending);
        move || {
            let changes = ending.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(changes) = changes {
                changes.committed();
            }
        }
    }

    /// True if the unit has put or got messages, on disk or in memory.
    pub(crate) fn has_changes(&mut self) -> bool {
        !self.calls.changes().is_empty()
    }

    /// The unit has prepared. If its owner is gone before the decision, its messages keep their places.
    pub(crate) fn prepared(&mut self, unit: &GlobalId) {
        self.prepared = Some(unit.clone());
    }

    /// The decision was to abort, and the store has done so.
    pub(crate) fn aborted(&mut self) {
        self.prepared = None;
    }

    /// The unit was not committed; nobody knows whether if `unknown`.
    pub(crate) fn failed(&mut self, unknown: bool) {
        let changes = self.ending.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(changes), true) = (changes, unknown) {
            changes.forget();
        }
    }

    /// The unit is backed out: gets are counted.
    pub(crate) fn back_out(&mut self) {
        self.was_backed_out = true;
        drop(self.calls.take_changes());
    }

    /// The task ends.
    pub(crate) fn close(&mut self) {
        if let Some(manager) = self.manager.take() {
            self.calls.close_all(&manager);
        }
    }
}

/// A task whose caller has left ends nothing itself.
impl Drop for TaskMessages {
    fn drop(&mut self) {
        // A queue that units still use cannot be deleted.
        let changes = self.calls.take_changes();
        match self.prepared.take() {
            Some(unit) => changes.in_doubt(&unit),
            None => drop(changes),
        }
        self.close();
    }
}

fn now() -> Moment {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into()
}

fn failed(reason: Reason) -> Box<MessageAnswer> {
    Box::new(MessageAnswer::failed(i32::try_from(reason.code()).unwrap_or(i32::MAX)))
}

impl Work {
    /// Goes on with a unit that has got a message.
    ///
    /// # Errors
    /// The region's store cannot be opened, or is not that of the messages; the unit is given back.
    pub(crate) async fn take_over(&mut self, got: queue::Work, manager: &Manager) -> Result<(), queue::Work> {
        match opened(&self.resources).await {
            Ok(opened) if manager.is_on(&opened.store) => {
                let (unit, changes) = got.into_parts();
                self.unit.take_over(opened, unit);
                *self.messages.calls.changes() = changes;
                Ok(())
            }
            _ => Err(got),
        }
    }

    /// Does something with queues in the unit of work.
    ///
    /// # Errors
    /// The task cannot get a unit of work.
    pub(crate) async fn with_messages<T>(
        &mut self,
        act: impl FnOnce(&mut Scope<'_>) -> T,
    ) -> Result<T, Trouble> {
        let (_, unit) = self.unit.begin().await?;
        Ok(act(&mut Scope { unit, changes: self.messages.calls.changes() }))
    }

    /// Backs out, and counts no message for it.
    pub(crate) fn undo(&mut self) {
        let changes = self.messages.calls.take_changes();
        self.back_out();
        changes.undone();
    }

    /// Carries out a call. A call that fails is an answer too.
    pub(crate) async fn message(&mut self, ask: MessageAsk) -> Box<MessageAnswer> {
        if matches!(ask, MessageAsk::Commit | MessageAsk::BackOut) {
            return failed(Reason::Environment);
        }
        let Some(manager) = self.resources.around.queue_manager() else {
            return failed(Reason::AdapterNotAvailable);
        };
        let mut step =
            match self.message_step(&manager, |calls, around, unit| calls.call(ask, around, unit)).await {
                Ok(step) => step,
                Err(reason) => return failed(reason),
            };
        self.messages.manager = Some(manager.clone());
        loop {
            step = match step {
                Step::Answer(answer) => return answer,
                Step::Commit(work, answer) => {
                    let (tell, told) = oneshot::channel();
                    work.commit_then(move |outcome| {
                        // The caller may have gone; the outcome stands.
                        let _ = tell.send(outcome);
                    });
                    return match told.await {
                        Ok(outcome) => after_commit(outcome, answer),
                        Err(_) => failed(Reason::ConnectionBroken),
                    };
                }
                Step::Apart(apart) => {
                    let changing = manager.clone();
                    let changed = tokio::task::spawn_blocking(move || apart.run(&changing)).await;
                    let Ok(changed) = changed else { return failed(Reason::Unexpected) };
                    let next = |calls: &mut TaskCalls, around: Surroundings<'_>, unit: &mut store::Unit| {
                        calls.after_change(changed, around, unit)
                    };
                    match self.message_step(&manager, next).await {
                        Ok(step) => step,
                        Err(reason) => return failed(reason),
                    }
                }
                Step::Wait(waiting) => {
                    let waiter = match self.message_wait(&manager, &waiting).await {
                        Ok(waiter) => waiter,
                        Err(reason) => return failed(reason),
                    };
                    let next = |calls: &mut TaskCalls, around: Surroundings<'_>, unit: &mut store::Unit| {
                        calls.after_wait(waiting, waiter, around, unit)
                    };
                    match self.message_step(&manager, next).await {
                        Ok(step) => step,
                        Err(reason) => return failed(reason),
                    }
                }
            };
        }
    }

    /// Does something with the calls of the task in its unit of work.
    async fn message_step(
        &mut self,
        manager: &Manager,
        act: impl FnOnce(&mut TaskCalls, Surroundings<'_>, &mut store::Unit) -> Step,
    ) -> Result<Step, Reason> {
        let user = shown(&self.task.user);
        let Ok((opened, unit)) = self.unit.begin().await else { return Err(Reason::ConnectionBroken) };
        if !manager.is_on(&opened.store) {
            return Err(Reason::AdapterNotAvailable);
        }
        let around = Surroundings {
            manager,
            opens: &self.resources.opens,
            ccsid: self.task.settings.ccsid,
            user: &user,
            rights: &self.definitions.queue_rights,
            now: now(),
        };
        Ok(act(&mut self.messages.calls, around, unit))
    }

    /// Waits for a message, until the time of the wait, the task or its caller is over; then there is none.
    async fn message_wait(&self, manager: &Manager, waiting: &Waiting) -> Result<Option<Waiter>, Reason> {
        let (tell, told) = oneshot::channel();
        let wake = move || {
            // The caller may have gone.
            let _ = tell.send(());
        };
        let session = manager.session();
        let waiter = session.wait(&waiting.queue, &waiting.selection, wake, now());
        let waiter = waiter.map_err(|refusal| refusal.reason)?;
        let interval =
            waiting.until.map_or(Duration::MAX, |until| Duration::from_millis(until.since_ms(now())));
        let late = tokio::time::timeout(interval.min(self.task.wait_max()), told).await.is_err();
        Ok((!late || waiter.is_over()).then_some(waiter))
    }
}

#[cfg(test)]
mod tests {
    use message::{ManagerName, NewMessage, Persistence, QueueName};
    use message_calls::{Opens, QueueRights};
    use mqi::{Fields, OBJECT};
    use queue::{Attributes, Definition, Definitions, Limits, Origin, QueueKind};
    use wire::ObjectAsk;

    use super::*;

    /// MQOO_INPUT_SHARED and MQOO_OUTPUT.
    const OPTIONS: i32 = 2 + 16;

    /// A manager with a model queue.
    fn manager(folder: &std::path::Path) -> (Manager, Arc<store::Store>) {
        let store = store::Store::open(folder.join("store"), store::Options::default());
        let store = Arc::new(store.expect("a store"));
        let definitions = Definitions::new(ManagerName::new("QM1").expect("a name"));
        let opened = Manager::open(store.clone(), &definitions, Limits::default(), now());
        let (manager, _) = opened.expect("a manager");
        let (name, kind) = (QueueName::new("MODEL").expect("a name"), QueueKind::Model { permanent: false });
        let model = Definition { name, kind, attributes: Attributes::default(), origin: Origin::Command };
        manager.define(model, false).expect("a definition");
        (manager, store)
    }

    /// MQOD of a model queue and of the name for the new queue.
    fn model() -> ObjectAsk {
        let padded = |text: &str| format!("{text:48}").into_bytes();
        let mut object = Fields::initial(&OBJECT, 1, |text, place| {
            place.fill(b' ');
            place[..text.len()].copy_from_slice(text.as_bytes());
        })
        .expect("a version");
        object.set_bytes("OBJECTNAME", &padded("MODEL"));
        object.set_bytes("DYNAMICQNAME", &padded("MADE"));
        ObjectAsk { descriptor: object.into_bytes(), string: Vec::new() }
    }

    #[test]
    fn a_task_that_is_dropped_leaves_no_temporary_queue() {
        let folder = tempfile::tempdir().expect("a folder");
        let (manager, store) = manager(folder.path());
        let (opens, rights, made) =
            (Opens::default(), QueueRights::default(), QueueName::new("MADE").unwrap());
        let mut unit = store.unit().expect("a unit");
        let mut messages = TaskMessages::default();
        messages.manager = Some(manager.clone());
        let around = || Surroundings {
            manager: &manager,
            opens: &opens,
            ccsid: 1252,
            user: "MAUDE",
            rights: &rights,
            now: now(),
        };
        let mut step =
            messages.calls.call(MessageAsk::Open { object: model(), options: OPTIONS }, around(), &mut unit);
        if let Step::Apart(apart) = step {
            step = messages.calls.after_change(apart.run(&manager), around(), &mut unit);
        }
        assert!(matches!(&step, Step::Answer(answer) if answer.reason == 0), "{step:?}");
        assert!(manager.definition(&made).is_ok());
        drop(unit);
        drop(messages);
        assert!(manager.definition(&made).is_err(), "the queue is still there");
    }

    #[test]
    fn messages_of_a_prepared_unit_outlive_its_task() {
        let folder = tempfile::tempdir().expect("a folder");
        let (manager, store) = manager(folder.path());
        let (name, kind) = (QueueName::new("Q").expect("a name"), QueueKind::Local);
        let queue = Definition {
            name: name.clone(),
            kind,
            attributes: Attributes::default(),
            origin: Origin::Command,
        };
        manager.define(queue, false).expect("a definition");
        let id = GlobalId::new(b"unit").expect("an id");
        for (is_aborted, expected) in [(false, 1), (true, 1)] {
            let (mut unit, mut messages) = (store.unit().expect("a unit"), TaskMessages::default());
            let mut scope = Scope { unit: &mut unit, changes: messages.calls.changes() };
            let put =
                NewMessage { persistence: Some(Persistence::Persistent), ..NewMessage::text("message") };
            manager.session().put(&mut scope, &name, put, now()).expect("it is put");
            let Ok(store::Vote::Prepared(prepared)) = unit.prepare(&id, "REGA") else {
                panic!("it prepares")
            };
            messages.prepared(&id);
            if is_aborted {
                prepared.abort().expect("it is backed out");
                messages.aborted();
                drop(messages);
            } else {
                // The link breaks, and the decision comes by another one.
                drop(prepared);
                drop(messages);
                let resolved = store.resolve(&id, store::Decision::Commit, store::Authority::Coordinator);
                resolved.expect("it is committed");
                manager.settle_unit(&id, store::Decision::Commit);
            }
            let inquiry = manager.inquire(&name).expect("a queue");
            assert_eq!((inquiry.depth, inquiry.counters.puts), (expected, 1));
        }
    }

    #[test]
    fn a_unit_without_messages_ends_without_them() {
        let mut messages = TaskMessages::default();
        let then = messages.committing();
        then();
        messages.failed(true);
        messages.back_out();
        messages.close();
        assert!(messages.ending.lock().unwrap().is_none());
    }
}
