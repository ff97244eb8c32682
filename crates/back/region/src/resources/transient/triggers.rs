//! Trigger levels of transient data queues: the number of records at which a task is started for them.
//!
//! Rules are those of CICS TS, "Automatic transaction initiation (ATI)", for queues without terminals. One
//! task is started when a queue has reached its level. The next one starts only in the next cycle. A cycle
//! begins when the queue has been read to its end or deleted, or when the task has ended. For a logically
//! recoverable queue it begins only when the task has ended. Changes of a logically recoverable queue count
//! when their unit of work has committed.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use wire::{Interface, Name, shown};

use crate::region::{Beginning, Region, Request};
use crate::resources::Resources;
use crate::rights::TaskCaller;
use crate::starts::{Whose, place_for};

/// When a task is started for a queue, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// How many records there must be, at least 1.
    pub level: u32,
    /// The task's transaction.
    pub transaction: Name<4>,
    /// The user of the task; none for the region's default user.
    pub user: Option<Name<8>>,
}

/// Where the cycles of all queues are that have a level.
#[derive(Debug, Default)]
pub(crate) struct Triggers(Mutex<HashMap<Name<4>, Cycle>>);

/// The cycle of a queue.
#[derive(Clone, Copy, Debug, Default)]
struct Cycle {
    /// Counts the tasks that were started.
    number: u64,
    /// Its task was started: no other one is.
    is_triggered: bool,
    /// The queue has been emptied since then.
    is_emptied: bool,
}

/// A unit's changes of logically recoverable queues with levels.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    written: BTreeSet<Name<4>>,
    emptied: BTreeSet<Name<4>>,
}

impl Touched {
    pub(crate) fn write(&mut self, queue: Name<4>) {
        self.emptied.remove(&queue);
        self.written.insert(queue);
    }

    pub(crate) fn empty(&mut self, queue: Name<4>) {
        self.emptied.insert(queue);
    }

    /// True if there is nothing to do when it has committed.
    pub(crate) fn is_empty(&self) -> bool {
        self.written.is_empty() && self.emptied.is_empty()
    }

    /// The unit has committed. Does not block.
    pub(crate) fn committed(self, resources: &Arc<Resources>) {
        for queue in self.emptied {
            resources.triggers.note_emptied(queue);
        }
        for queue in self.written {
            check_soon(resources, queue);
        }
    }
}

impl Triggers {
    fn cycles(&self) -> MutexGuard<'_, HashMap<Name<4>, Cycle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A queue that is not logically recoverable is at its end: the next cycle begins. The caller then checks
    /// the queue, because it may have got records before this call.
    pub(crate) fn emptied(&self, queue: Name<4>) {
        if let Some(cycle) = self.cycles().get_mut(&queue) {
            cycle.is_triggered = false;
        }
    }

    fn note_emptied(&self, queue: Name<4>) {
        if let Some(cycle) = self.cycles().get_mut(&queue) {
            cycle.is_emptied = true;
        }
    }

    fn is_triggered(&self, queue: Name<4>) -> bool {
        self.cycles().get(&queue).is_some_and(|cycle| cycle.is_triggered)
    }

    /// The number of the cycle that begins with a task. None if the queue has one.
    fn begin(&self, queue: Name<4>) -> Option<u64> {
        let mut cycles = self.cycles();
        let cycle = cycles.entry(queue).or_default();
        if cycle.is_triggered {
            return None;
        }
        *cycle = Cycle { number: cycle.number + 1, is_triggered: true, is_emptied: false };
        Some(cycle.number)
    }

    /// The task of a cycle has ended. True if its queue was emptied and may have got records since.
    fn end(&self, queue: Name<4>, number: u64) -> bool {
        let mut cycles = self.cycles();
        let Some(cycle) = cycles.get_mut(&queue).filter(|cycle| cycle.number == number) else { return false };
        cycle.is_triggered = false;
        cycle.is_emptied
    }
}

/// Soon starts the task of a queue, if the queue has reached its level.
pub(crate) fn check_soon(resources: &Arc<Resources>, queue: Name<4>) {
    if resources.triggers.is_triggered(queue) {
        return;
    }
    let weak = Arc::downgrade(resources);
    let began = resources.starts.unattended.run_task(check(weak, queue));
    if let Err(error) = began {
        tracing::error!("transient data queue {}: its task cannot run: {error}", shown(&queue));
    }
}

/// The same for all queues that have a level.
pub(crate) fn check_all_soon(region: &Region) {
    for queue in region.defined().transients.with_triggers() {
        check_soon(region.resources(), queue);
    }
}

/// Starts the task of a queue that has reached its level, and waits for its end; and so on.
async fn check(resources: Weak<Resources>, queue: Name<4>) {
    loop {
        let Some((trigger, number)) = resources.upgrade().and_then(|resources| reached(&resources, queue))
        else {
            return;
        };
        let is_done = run(&resources, queue, &trigger).await;
        let Some(resources) = resources.upgrade() else { return };
        // A task that has failed is not started again for the records that it has left: the next write starts it.
        if !(resources.triggers.end(queue, number) && is_done) {
            return;
        }
    }
}

/// The task to be started and the number of its cycle, if the queue has reached its level and has no task.
fn reached(resources: &Arc<Resources>, queue: Name<4>) -> Option<(Trigger, u64)> {
    let region = resources.starts.region()?;
    let (trigger, logs) = region.defined().transients.trigger(queue)?;
    let unit = resources.durable.get()?.store.unit();
    match unit.and_then(|unit| unit.extent(logs, &queue)) {
        Ok(extent) if extent.count >= u64::from(trigger.level) => {
            Some((trigger.clone(), resources.triggers.begin(queue)?))
        }
        Ok(_) => None,
        Err(error) => {
            tracing::error!("transient data queue {}: {error}", shown(&queue));
            None
        }
    }
}

/// Runs a task for a queue. True if it has ended well.
async fn run(resources: &Weak<Resources>, queue: Name<4>, trigger: &Trigger) -> bool {
    let Trigger { transaction, user, .. } = *trigger;
    let Some(starts) = resources.upgrade().map(|resources| Arc::downgrade(&resources.starts)) else {
        return false;
    };
    let Some((region, _place)) = place_for(&starts, transaction).await else { return false };
    let told = |reason: &dyn std::fmt::Display| {
        let (queue, id) = (shown(&queue), shown(&transaction));
        tracing::error!("transaction {id}, started for the transient data queue {queue}: {reason}");
        false
    };
    let request = match request(&region, transaction, user) {
        Ok(request) => request,
        Err(reason) => return told(&reason),
    };
    match region.run_unattended(request, Beginning::Trigger(queue)).await {
        Ok(_) => true,
        Err(failure) => told(&failure),
    }
}

/// The request that starts a transaction without a waiting caller.
pub(crate) fn request(region: &Region, id: Name<4>, user: Option<Name<8>>) -> Result<Request, &'static str> {
    let settings = region.settings();
    let transaction = settings.transactions.get(&id).filter(|transaction| transaction.enabled);
    let transaction = transaction.ok_or("it is not defined, or not enabled")?;
    let caller = user.map(|user| Arc::new(TaskCaller { user: shown(&user).into(), groups: Box::default() }));
    let whose = Whose::known(caller, settings);
    if !whose.may_run(id, settings) {
        return Err("its user may not run it, or its program");
    }
    Ok(Request {
        program: transaction.program,
        transaction: id,
        user,
        refused_programs: whose.refused_programs,
        caller: whose.caller,
        until: None,
        interface: Interface::None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUE: Name<4> = *b"ORDR";

    #[test]
    fn a_cycle_has_one_task() {
        let triggers = Triggers::default();
        assert_eq!((triggers.begin(QUEUE), triggers.begin(QUEUE)), (Some(1), None));
        assert!(!triggers.end(QUEUE, 1), "nobody has emptied it");
        assert_eq!(triggers.begin(QUEUE), Some(2));
        triggers.note_emptied(QUEUE);
        assert!(triggers.is_triggered(QUEUE), "the task has not ended");
        assert!(triggers.end(QUEUE, 2));
    }

    #[test]
    fn an_empty_queue_begins_a_cycle_though_the_task_before_has_not_ended() {
        let triggers = Triggers::default();
        assert_eq!(triggers.begin(QUEUE), Some(1));
        triggers.emptied(QUEUE);
        assert_eq!(triggers.begin(QUEUE), Some(2));
        assert!(!triggers.end(QUEUE, 1), "the cycle has another task now");
        assert!(triggers.is_triggered(QUEUE));
    }

    #[test]
    fn who_writes_after_the_end_of_the_queue_has_not_emptied_it() {
        let mut touched = Touched::default();
        touched.empty(QUEUE);
        touched.write(QUEUE);
        assert!(touched.emptied.is_empty() && touched.written.contains(&QUEUE));
    }
}
