//! Triggers: when a queue starts a transaction.
//!
//! The rules are those of IBM MQ, "Conditions for a trigger event". The manager is its own trigger
//! monitor: it asks its [`Triggering`] to start a transaction, and puts no trigger messages. Only
//! messages that can be got and have at least the trigger's priority count.
//!
//! - FIRST: a message comes to a queue that had none. Or a message comes, and a message last
//!   started something longer ago than the trigger interval.
//! - EVERY: a message comes.
//! - DEPTH: the queue has enough messages. The trigger is then off until MQSET turns it on.
//!
//! FIRST and DEPTH need that nobody has the queue open for input. So the manager checks a queue
//! again when its last reader closes it, when gets are backed out, when its definition changes, and
//! when the process begins.

use std::fmt;
use std::sync::{Arc, PoisonError};

use message::{Moment, QueueName, Reason, Refusal};

use crate::definition::{Process, Trigger, TriggerType};
use crate::index::Slot;
use crate::manager::{Core, Manager, Queue, QueueState};
use crate::waiter::Wake;

/// Starts transactions for queues.
pub trait Triggering: Send + Sync {
    /// How many users have the queue open for input.
    fn inputs(&self, queue: &QueueName) -> u32;

    /// Starts a transaction. It does not block.
    fn start(&self, event: TriggerEvent);
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn Triggering + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Triggering")
    }
}

/// A queue that starts a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriggerEvent {
    /// The queue.
    pub queue: QueueName,
    /// Its trigger.
    pub trigger: Trigger,
    /// The process to start.
    pub process: Process,
}

/// An event of a queue with a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// A message has come at this time. `before` messages were there.
    Put { before: usize, at: Moment },
    /// Another event: only the messages on the queue count.
    Look,
}

impl QueueState {
    /// The trigger in force. MQSET overrides the definition.
    pub(crate) fn trigger(&self) -> Option<&Trigger> {
        let defined = self.definition.as_ref().map(|definition| &definition.attributes.trigger);
        self.trigger_set.as_ref().or(defined)
    }

    /// The trigger, if it is on and gets are enabled.
    fn active_trigger(&self) -> Option<&Trigger> {
        let is_readable = self.definition.as_ref()?.attributes.get_enabled;
        self.trigger().filter(|trigger| trigger.enabled && trigger.kind != TriggerType::None && is_readable)
    }

    /// The messages that count for the trigger. Without an order by priority, all count.
    fn counting(&self, trigger: &Trigger) -> usize {
        let by_priority =
            self.definition.as_ref().is_some_and(|definition| definition.attributes.by_priority);
        self.index.ready_from(if by_priority { trigger.priority.number() } else { 0 })
    }

    /// The event of a message that is about to come, if it matters to the trigger.
    pub(crate) fn put_occasion(&self, slot: Slot) -> Option<Occasion> {
        let trigger = self.active_trigger()?;
        let entry = self.index.entry(slot);
        let by_priority = self.definition.as_ref()?.attributes.by_priority;
        if by_priority && entry.lane < trigger.priority.number() {
            return None;
        }
        Some(Occasion::Put { before: self.counting(trigger), at: entry.put })
    }

    /// The event of a message that is back, if it matters to the trigger.
    pub(crate) fn look_occasion(&self) -> Option<Occasion> {
        let kind = self.active_trigger()?.kind;
        matches!(kind, TriggerType::First | TriggerType::Depth).then_some(Occasion::Look)
    }

    /// The trigger, if it starts something now. `is_closed` says that nobody has the queue open for
    /// input.
    fn fires(&mut self, occasion: Occasion, is_closed: bool, interval_ms: Option<u64>) -> Option<Trigger> {
        let trigger = self.active_trigger()?.clone();
        let count = self.counting(&trigger);
        let fires = match (trigger.kind, occasion) {
            (TriggerType::None, _) | (TriggerType::Every, Occasion::Look) => false,
            (TriggerType::Every, Occasion::Put { .. }) => true,
            (TriggerType::First, Occasion::Put { before, at }) => {
                let last = self.triggered;
                let is_over = || interval_ms.zip(last).is_some_and(|(most, last)| at.since_ms(last) >= most);
                is_closed && (before == 0 || is_over())
            }
            (TriggerType::First, Occasion::Look) => is_closed && count > 0,
            (TriggerType::Depth, _) => is_closed && count >= trigger.depth.max(1) as usize,
        };
        if !fires {
            return None;
        }
        if trigger.kind == TriggerType::Depth {
            self.trigger_set = Some(Trigger { enabled: false, ..trigger.clone() });
        }
        if let Occasion::Put { at, .. } = occasion {
            self.triggered = Some(at);
        }
        Some(trigger)
    }
}

impl Core {
    /// Acts on a change of a queue. Nothing of the queue is locked.
    pub(crate) fn follow(&self, queue: &Queue, wake: Option<Wake>, occasion: Option<Occasion>) {
        let is_served = wake.is_some();
        if let Some(wake) = wake {
            wake();
        }
        let Some(occasion) = occasion else { return };
        // A waiter counts as an open for input. Then only EVERY counts the message.
        let is_every = || queue.state().trigger().is_some_and(|trigger| trigger.kind == TriggerType::Every);
        if !is_served || is_every() {
            self.trigger(queue, occasion);
        }
    }

    /// Starts the transaction of a queue's trigger, if it fires. Nothing of the queue is locked.
    fn trigger(&self, queue: &Queue, occasion: Occasion) {
        let Some(triggering) = self.triggering() else { return };
        let is_closed = triggering.inputs(&queue.name) == 0;
        let interval = self.definitions().trigger_interval_ms;
        let Some(trigger) = queue.state().fires(occasion, is_closed, interval) else { return };
        let process = self.definitions().process(&trigger.process);
        triggering.start(TriggerEvent { queue: queue.name.clone(), trigger, process });
    }

    fn triggering(&self) -> Option<Arc<dyn Triggering>> {
        self.triggering.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn look(&self, queue: &Queue) {
        let occasion = queue.state().look_occasion();
        if let Some(occasion) = occasion {
            self.trigger(queue, occasion);
        }
    }
}

impl Manager {
    /// Sets what starts transactions, and checks all queues. On the first call, each message on a
    /// queue counts as one that comes (EVERY).
    pub fn set_triggering(&self, triggering: Arc<dyn Triggering>) {
        let before = {
            let mut own = self.core.triggering.write().unwrap_or_else(PoisonError::into_inner);
            own.replace(triggering)
        };
        for queue in self.core.all_queues() {
            let every = {
                let state = queue.state();
                match state.active_trigger() {
                    Some(trigger) if trigger.kind == TriggerType::Every && before.is_none() => {
                        state.counting(trigger)
                    }
                    _ => 0,
                }
            };
            for _ in 0..every {
                self.core.trigger(&queue, Occasion::Put { before: 0, at: Moment(0) });
            }
            self.core.look(&queue);
        }
    }

    /// The queue is no longer open for input. Its trigger may start something.
    pub fn was_closed(&self, name: &QueueName) {
        if let Some(queue) = self.core.queue(name) {
            self.core.look(&queue);
        }
    }

    /// Changes the trigger of a queue until its definition changes (MQSET). This works for all
    /// queues, also those of files.
    ///
    /// # Errors
    /// `UnknownObjectName`.
    pub fn set_trigger(&self, name: &QueueName, trigger: Trigger) -> Result<(), Refusal> {
        let queue = self.core.queue(name).filter(|queue| queue.state().definition.is_some());
        let queue = queue.ok_or_else(|| {
            Refusal::failed(Reason::UnknownObjectName, format!("{name}: there is no such queue"))
        })?;
        queue.state().trigger_set = Some(trigger);
        self.core.look(&queue);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use message::{ManagerName, NewMessage, Priority};

    use super::*;
    use crate::definition::{Definition, Definitions, Limits};
    use crate::session::Session;

    /// Notes started transactions. `open` is the number of opens for input.
    #[derive(Debug, Default)]
    struct Noted {
        started: Mutex<Vec<(TriggerType, String)>>,
        open: Mutex<u32>,
    }

    impl Triggering for Noted {
        fn inputs(&self, _queue: &QueueName) -> u32 {
            *self.open.lock().unwrap()
        }

        fn start(&self, event: TriggerEvent) {
            self.started.lock().unwrap().push((event.trigger.kind, event.process.transaction));
        }
    }

    impl Noted {
        fn taken(&self) -> usize {
            std::mem::take(&mut *self.started.lock().unwrap()).len()
        }
    }

    fn name() -> QueueName {
        QueueName::new("Q").unwrap()
    }

    fn begun(trigger: Trigger, interval: Option<u64>) -> (tempfile::TempDir, Manager, Arc<Noted>) {
        let folder = tempfile::tempdir().unwrap();
        let store = store::Store::open(folder.path().join("store"), store::Options::default()).unwrap();
        let mut definition = Definition::local(name());
        definition.attributes.trigger = trigger;
        let mut definitions = Definitions::new(ManagerName::new("QM1").unwrap());
        definitions.queues.push(definition);
        definitions.trigger_interval_ms = interval;
        let opened = Manager::open(Arc::new(store), &definitions, Limits::default(), Moment(1));
        let manager = opened.unwrap().0;
        let noted = Arc::new(Noted::default());
        manager.set_triggering(noted.clone());
        (folder, manager, noted)
    }

    fn put(session: &Session, priority: u8, at: u64) {
        let mut work = session.begin().unwrap();
        let message = NewMessage { priority: Priority::new(priority), ..NewMessage::text("a") };
        session.put(&mut work.scope(), &name(), message, Moment(at)).unwrap();
        work.commit().unwrap();
    }

    fn trigger(kind: TriggerType) -> Trigger {
        Trigger { enabled: true, kind, depth: 3, process: "CODE".to_owned(), ..Trigger::default() }
    }

    #[test]
    fn first_starts_for_a_queue_that_had_none_and_again_when_it_is_closed_or_the_interval_is_over() {
        let (_folder, manager, noted) = begun(trigger(TriggerType::First), Some(1_000));
        let session = manager.session();
        put(&session, 0, 10);
        assert_eq!(*noted.started.lock().unwrap(), [(TriggerType::First, "CODE".to_owned())]);
        assert_eq!(noted.taken(), 1);
        put(&session, 0, 1_009);
        assert_eq!(noted.taken(), 0, "the queue was not empty");
        put(&session, 0, 1_010);
        assert_eq!(noted.taken(), 1, "the interval is over");
        *noted.open.lock().unwrap() = 1;
        put(&session, 0, 5_000);
        assert_eq!(noted.taken(), 0, "somebody has it open");
        *noted.open.lock().unwrap() = 0;
        manager.was_closed(&name());
        assert_eq!(noted.taken(), 1, "messages are left");
        let mut work = session.begin().unwrap();
        session.get(&mut work.scope(), &name(), &message::Selection::ANY, Moment(5_000)).unwrap().unwrap();
        drop(work);
        assert_eq!(noted.taken(), 1, "a get is backed out");
    }

    #[test]
    fn every_starts_for_each_message_of_its_priority() {
        let with_priority = Trigger { priority: Priority::new(5).unwrap(), ..trigger(TriggerType::Every) };
        let (_folder, manager, noted) = begun(with_priority, None);
        let session = manager.session();
        for priority in [4, 5, 9] {
            put(&session, priority, 10);
        }
        assert_eq!(noted.taken(), 2);
        manager.was_closed(&name());
        assert_eq!(noted.taken(), 0);
    }

    #[test]
    fn depth_starts_once_until_it_is_set_on() {
        let (_folder, manager, noted) = begun(trigger(TriggerType::Depth), None);
        let session = manager.session();
        (0..2).for_each(|_| put(&session, 0, 10));
        assert_eq!(noted.taken(), 0);
        (0..4).for_each(|_| put(&session, 0, 10));
        assert_eq!(noted.taken(), 1);
        assert!(!manager.inquire(&name()).unwrap().trigger.enabled);
        manager.set_trigger(&name(), trigger(TriggerType::Depth)).unwrap();
        assert_eq!(noted.taken(), 1, "there are enough");
        // An unchanged definition changes nothing.
        manager.configure(&manager.definitions());
        assert!(!manager.inquire(&name()).unwrap().trigger.enabled);
    }

    #[test]
    fn messages_that_are_there_at_the_start_count() {
        let (_folder, manager, _) = begun(trigger(TriggerType::None), None);
        let session = manager.session();
        (0..3).for_each(|_| put(&session, 0, 10));
        let again = Arc::new(Noted::default());
        manager.set_trigger(&name(), trigger(TriggerType::First)).unwrap();
        manager.set_triggering(again.clone());
        assert_eq!(again.taken(), 1);
    }
}
