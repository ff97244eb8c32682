//! Triggers of queues of messages: the region starts the transactions, which RETRIEVE the trigger message (MQTM).
//!
//! The queue manager says when (crate `queue`, `triggers.rs`). This file begins the tasks. Each queue has one
//! line of starts. A start of FIRST or DEPTH that has not begun stands for all. After a task that has failed
//! or got no message, the next task for its queue waits. So a message that no task can handle does not keep
//! the region busy.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use message::QueueName;
use message_calls::{Opens, trigger_message};
use queue::{Manager, TriggerEvent, TriggerType, Triggering};
use wire::{StartedData, name};

use crate::region::{Beginning, Region};
use crate::resources::Resources;
use crate::resources::transient::triggers::request;
use crate::starts::{Starts, place_for};

/// The first pause after a task in vain, and the longest.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// The lines of all queues.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageTriggers(Arc<Mutex<HashMap<QueueName, Line>>>);

/// The starts of one queue.
#[derive(Debug, Default)]
struct Line {
    /// Those that have not begun.
    wanted: u64,
    /// The last event.
    event: Option<TriggerEvent>,
    /// Somebody lets them begin.
    is_served: bool,
    /// Tasks that run.
    running: u64,
    /// Tasks in vain since the last that was not.
    vain: u32,
}

impl Line {
    /// True if nothing is lost without it. Queues come and go.
    fn is_idle(&self) -> bool {
        !self.is_served && self.wanted == 0 && self.running == 0 && self.vain == 0
    }
}

/// The region as a queue manager sees it.
#[derive(Debug)]
struct Starter {
    starts: Weak<Starts>,
    opens: Opens,
    lines: MessageTriggers,
    manager: Manager,
}

impl Triggering for Starter {
    fn inputs(&self, queue: &QueueName) -> u32 {
        self.opens.inputs(queue)
    }

    fn start(&self, event: TriggerEvent) {
        let queue = event.queue.clone();
        if !self.lines.add(event) {
            return;
        }
        let served = Served { lines: self.lines.clone(), queue: queue.clone(), is_served: true };
        let serving = serve(self.starts.clone(), served, self.manager.clone());
        let Some(starts) = self.starts.upgrade() else { return };
        // If it cannot run, it is dropped, and nobody serves the line.
        if let Err(error) = starts.unattended.run_task(serving) {
            tracing::error!("queue {queue}: the task of its trigger cannot run: {error}");
        }
    }
}

impl MessageTriggers {
    fn lines(&self) -> MutexGuard<'_, HashMap<QueueName, Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a start. True if nobody serves the line yet, so that somebody must.
    fn add(&self, event: TriggerEvent) -> bool {
        let mut lines = self.lines();
        let line = lines.entry(event.queue.clone()).or_default();
        if event.trigger.kind == TriggerType::Every || line.wanted == 0 {
            line.wanted += 1;
        }
        line.event = Some(event);
        !std::mem::replace(&mut line.is_served, true)
    }

    /// The next start, and its delay. None if there is no start, and the line then has no task.
    fn next(&self, queue: &QueueName) -> Option<(TriggerEvent, Duration)> {
        let mut lines = self.lines();
        let line = lines.get_mut(queue)?;
        let event = line.event.clone().filter(|_| line.wanted > 0);
        if let Some(event) = event {
            return Some((event, pause(line.vain)));
        }
        line.is_served = false;
        if line.is_idle() {
            lines.remove(queue);
        }
        None
    }

    /// Nobody serves the line any more. Its starts wait for the next event.
    fn left(&self, queue: &QueueName) {
        if let Some(line) = self.lines().get_mut(queue) {
            line.is_served = false;
        }
    }

    /// A start begins.
    fn begins(&self, queue: &QueueName) {
        if let Some(line) = self.lines().get_mut(queue) {
            line.wanted = line.wanted.saturating_sub(1);
            line.running += 1;
        }
    }

    fn ended(&self, queue: &QueueName, in_vain: bool) {
        let mut lines = self.lines();
        let Some(line) = lines.get_mut(queue) else { return };
        line.running = line.running.saturating_sub(1);
        line.vain = if in_vain { line.vain.saturating_add(1) } else { 0 };
        if line.is_idle() {
            lines.remove(queue);
        }
    }
}

/// The line of a queue, while somebody serves it. However that ends, the next event finds somebody else.
struct Served {
    lines: MessageTriggers,
    queue: QueueName,
    is_served: bool,
}

impl Served {
    /// As [`MessageTriggers::next`].
    fn next(&mut self) -> Option<(TriggerEvent, Duration)> {
        let next = self.lines.next(&self.queue);
        // From then on somebody else may serve it.
        self.is_served = next.is_some();
        next
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if self.is_served {
            self.lines.left(&self.queue);
        }
    }
}

fn pause(vain: u32) -> Duration {
    match vain {
        0 => Duration::ZERO,
        vain => PAUSE.saturating_mul(1 << (vain - 1).min(10)).min(PAUSE_MAX),
    }
}

/// Lets the queue manager start transactions in this region from now on. Each configuration calls it, because
/// definitions may have changed.
pub(crate) fn begin(resources: &Arc<Resources>) {
    let Some(manager) = resources.around.queue_manager() else { return };
    resources.opens.tell(manager.clone());
    let starter = Starter {
        starts: Arc::downgrade(&resources.starts),
        opens: resources.opens.clone(),
        lines: resources.message_triggers.clone(),
        manager: manager.clone(),
    };
    manager.set_triggering(Arc::new(starter));
}

/// Lets the starts of a queue begin, one after the other; each task runs by itself.
async fn serve(starts: Weak<Starts>, mut served: Served, manager: Manager) {
    while let Some((event, pause)) = served.next() {
        tokio::time::sleep(pause).await;
        let transaction = name(&event.process.transaction);
        let Some((region, place)) = place_for(&starts, transaction).await else { return };
        served.lines.begins(&served.queue);
        let (lines, manager, queue) = (served.lines.clone(), manager.clone(), served.queue.clone());
        let task = async move {
            let got = || manager.inquire(&queue).map_or(0, |inquiry| inquiry.counters.gets);
            let before = got();
            let is_done = run(&region, &event).await;
            drop(place);
            lines.ended(&queue, !is_done || got() == before);
        };
        let Some(starts) = starts.upgrade() else { return };
        if starts.unattended.run_task(task).is_err() {
            return;
        }
        // The new task runs first: a message that it gets needs no other start.
        tokio::task::yield_now().await;
    }
}

/// Runs the transaction of a queue. True if it has ended well.
async fn run(region: &Arc<Region>, event: &TriggerEvent) -> bool {
    let transaction = name(&event.process.transaction);
    let told = |reason: &dyn std::fmt::Display| {
        let (queue, id) = (&event.queue, &event.process.transaction);
        tracing::error!("transaction {id}, started for the queue {queue}: {reason}");
        false
    };
    let request = match request(region, transaction, None) {
        Ok(request) => request,
        Err(reason) => return told(&reason),
    };
    let data = StartedData { data: Some(trigger_message(event)), ..StartedData::default() };
    match region.clone().run_unattended(request, Beginning::Start(data, None)).await {
        Ok(_) => true,
        Err(failure) => told(&failure),
    }
}

#[cfg(test)]
mod tests {
    use queue::{Process, Trigger};

    use super::*;

    fn event(kind: TriggerType) -> TriggerEvent {
        let trigger = Trigger { kind, ..Trigger::default() };
        TriggerEvent { queue: QueueName::new("Q").unwrap(), trigger, process: Process::default() }
    }

    #[test]
    fn starts_of_first_are_one_and_those_of_every_are_counted() {
        let queue = QueueName::new("Q").unwrap();
        for (kind, expected) in [(TriggerType::First, 1), (TriggerType::Every, 3)] {
            let lines = MessageTriggers::default();
            let added: Vec<bool> = (0..3).map(|_| lines.add(event(kind))).collect();
            assert_eq!(added, [true, false, false], "one serves the line");
            let mut begun = 0;
            while lines.next(&queue).is_some() {
                lines.begins(&queue);
                begun += 1;
            }
            assert_eq!(begun, expected, "{kind:?}");
            assert!(lines.add(event(kind)), "nobody serves an empty line");
        }
    }

    #[test]
    fn a_line_whose_server_is_gone_gets_another() {
        let queue = QueueName::new("Q").unwrap();
        let lines = MessageTriggers::default();
        let served = || Served { lines: lines.clone(), queue: queue.clone(), is_served: true };
        assert!(lines.add(event(TriggerType::First)));
        drop(served());
        assert!(lines.add(event(TriggerType::First)), "its task could not run");
        let mut serving = served();
        assert!(serving.next().is_some());
        lines.begins(&queue);
        assert!(serving.next().is_none());
        assert!(lines.add(event(TriggerType::First)));
        drop(serving);
        assert!(!lines.add(event(TriggerType::First)), "another one serves it already");
    }

    #[test]
    fn nothing_is_kept_of_a_queue_whose_tasks_have_ended_well() {
        let queue = QueueName::new("Q").unwrap();
        let lines = MessageTriggers::default();
        for in_vain in [true, false] {
            lines.add(event(TriggerType::First));
            let mut served = Served { lines: lines.clone(), queue: queue.clone(), is_served: true };
            assert!(served.next().is_some());
            lines.begins(&queue);
            assert!(served.next().is_none());
            drop(served);
            assert_eq!(lines.lines().len(), 1, "its task runs");
            lines.ended(&queue, in_vain);
            assert_eq!(lines.lines().len(), usize::from(in_vain));
        }
    }

    #[test]
    fn pauses_grow_while_tasks_are_in_vain() {
        let queue = QueueName::new("Q").unwrap();
        let lines = MessageTriggers::default();
        lines.add(event(TriggerType::First));
        let mut pauses = Vec::new();
        for in_vain in [true, true, false] {
            lines.ended(&queue, in_vain);
            pauses.push(lines.next(&queue).unwrap().1);
        }
        assert_eq!(pauses, [PAUSE, PAUSE * 2, Duration::ZERO]);
        assert_eq!(pause(u32::MAX), PAUSE_MAX);
    }
}
