//! Finds the messages in the store when a manager opens, and keeps those of units in doubt.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

use message::{Moment, QueueName, Refusal, ReportKind};
use store::{Decision, ErrorKind, GlobalId, LogChange, Seen};

use crate::changes::{Act, Change, End};
use crate::codec::{Head, head};
use crate::error::{OpenError, refusal};
use crate::index::{Entry, Place, Slot, State};
use crate::manager::{Core, Manager, Notice, Queue};

/// A message that a unit in doubt has put or got.
pub(crate) struct Doubt {
    unit: GlobalId,
    queue: Arc<Queue>,
    slot: Slot,
    act: Act,
}

/// A queue's log and a position in it.
type Item = (Vec<u8>, u64);

/// Changes of units in doubt, by log and position.
#[derive(Default)]
struct Doubtful {
    /// Each with the fields for the index; none if its bytes are not a message.
    puts: BTreeMap<Item, (GlobalId, Option<(Head, u32)>)>,
    gets: BTreeMap<Item, GlobalId>,
}

/// Builds the index.
struct Finding<'c> {
    core: &'c Core,
    doubtful: Doubtful,
    doubts: Vec<Doubt>,
    notices: &'c mut Vec<Notice>,
    /// The queue of the previous item.
    queue: Option<Arc<Queue>>,
}

impl Core {
    /// Builds the index from the store. It copies no bodies.
    pub(crate) fn find_messages(&self, notices: &mut Vec<Notice>) -> Result<(), OpenError> {
        let mut doubtful = Doubtful::default();
        self.store.walk_in_doubt(&self.messages, |unit, change| doubtful.note(unit, change));
        let mut finding = Finding { core: self, doubtful, doubts: Vec::new(), notices, queue: None };
        let mut outcome = Ok(());
        self.store.walk(&self.messages, |item| {
            outcome = finding.item(item);
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        outcome?;
        finding.puts_before(None)?;
        let doubts = finding.doubts;
        self.doubts.lock().unwrap_or_else(PoisonError::into_inner).extend(doubts);
        Ok(())
    }

    /// Checks which units in doubt have ended. After a commit, put messages can be got and got
    /// messages are gone. After a backout, put messages are gone and got messages are back in their
    /// places.
    ///
    /// # Errors
    /// Those of the store; the next call tries again.
    pub(crate) fn settle_doubts(self: &Arc<Self>) -> Result<(), Refusal> {
        let mut doubts = self.doubts.lock().unwrap_or_else(PoisonError::into_inner);
        if doubts.is_empty() {
            return Ok(());
        }
        let in_doubt: HashSet<GlobalId> = self.store.in_doubt().into_iter().map(|unit| unit.id).collect();
        let unit = self.store.unit().map_err(|error| refusal(&error))?;
        let (still, ended): (Vec<Doubt>, Vec<Doubt>) =
            std::mem::take(&mut *doubts).into_iter().partition(|doubt| in_doubt.contains(&doubt.unit));
        *doubts = still;
        let mut outcome = Ok(());
        let mut settled = Vec::new();
        for doubt in ended {
            match self.is_there(&unit, &doubt) {
                Ok(is_there) => {
                    let committed = is_there == (doubt.act == Act::Put);
                    settled.push((doubt, if committed { End::Committed } else { End::Failed }));
                }
                Err(error) => {
                    outcome = Err(refusal(&error));
                    doubts.push(doubt);
                }
            }
        }
        drop(doubts);
        for (Doubt { queue, slot, act, .. }, end) in settled {
            self.settle(vec![Change { queue, slot, act }], Moment(0), end);
        }
        outcome
    }

    /// Keeps the changes of a unit in doubt.
    pub(crate) fn doubt(&self, unit: &GlobalId, list: Vec<Change>) {
        let of_unit = |Change { queue, slot, act }| Doubt { unit: unit.clone(), queue, slot, act };
        self.doubts.lock().unwrap_or_else(PoisonError::into_inner).extend(list.into_iter().map(of_unit));
    }

    /// Ends the changes of a unit that was in doubt.
    fn settle_unit(self: &Arc<Self>, unit: &GlobalId, end: End) {
        let mut doubts = self.doubts.lock().unwrap_or_else(PoisonError::into_inner);
        let (ended, still): (Vec<Doubt>, Vec<Doubt>) =
            std::mem::take(&mut *doubts).into_iter().partition(|doubt| doubt.unit == *unit);
        *doubts = still;
        drop(doubts);
        let list = ended.into_iter().map(|Doubt { queue, slot, act, .. }| Change { queue, slot, act });
        self.settle(list.collect(), Moment(0), end);
    }

    fn is_there(&self, unit: &store::Unit, doubt: &Doubt) -> store::Result<bool> {
        let place = doubt.queue.state().index.entry(doubt.slot).place.clone();
        let Place::Disk(position) = place else { return Ok(false) };
        match unit.item(&self.messages, doubt.queue.name.as_str().as_bytes(), position) {
            Ok(item) => Ok(item.is_some()),
            // A later get reports the damage.
            Err(error) if error.kind() == ErrorKind::Corrupt => Ok(true),
            Err(error) => Err(error),
        }
    }
}

impl Manager {
    /// A unit that was in doubt has ended in the store. Its put messages can be got, and got messages are gone; or the
    /// reverse.
    pub fn settle_unit(&self, unit: &GlobalId, decision: Decision) {
        let end = if decision == Decision::Commit { End::Committed } else { End::Failed };
        self.core.settle_unit(unit, end);
    }
}

impl Doubtful {
    fn note(&mut self, unit: &GlobalId, change: LogChange<'_>) {
        match change {
            LogChange::Put { log, position, value, .. } => {
                let known = head(value).ok().zip(u32::try_from(value.len()).ok());
                self.puts.insert((log.to_vec(), position), (unit.clone(), known));
            }
            LogChange::Removed { log, position } => {
                self.gets.insert((log.to_vec(), position), unit.clone());
            }
            LogChange::Cleared { .. } => {}
        }
    }
}

impl Finding<'_> {
    /// Takes an item into the index. Items come by log, then by position.
    fn item(&mut self, item: Seen<'_>) -> Result<(), OpenError> {
        if !self.doubtful.puts.is_empty() {
            self.puts_before(Some((item.log, item.position)))?;
        }
        let queue = self.queue(item.log)?;
        let known = item.value.and_then(|bytes| head(bytes).ok().zip(u32::try_from(bytes.len()).ok()));
        let Some(known) = known else {
            queue.state().counters.damaged += 1;
            self.notices.push(Notice::Damaged { queue: queue.name.clone(), position: item.position });
            return Ok(());
        };
        let slot = add(&queue, item.position, known);
        // The key is only made if there are gets to compare it with.
        let taken = (!self.doubtful.gets.is_empty())
            .then(|| self.doubtful.gets.remove(&(item.log.to_vec(), item.position)))
            .flatten();
        match taken {
            Some(unit) => {
                queue.state().index.entry_mut(slot).state = State::Taken;
                self.doubts.push(Doubt { unit, queue, slot, act: Act::Get });
            }
            None => queue.state().index.publish(slot),
        }
        Ok(())
    }

    /// Takes the puts of units in doubt that stand on a log before a position; without a position,
    /// all other puts.
    fn puts_before(&mut self, end: Option<(&[u8], u64)>) -> Result<(), OpenError> {
        loop {
            let next = match end {
                Some((log, position)) => {
                    self.doubtful.puts.range((log.to_vec(), 0)..(log.to_vec(), position)).next()
                }
                None => self.doubtful.puts.iter().next(),
            };
            let Some(item) = next.map(|(item, _)| item.clone()) else { return Ok(()) };
            let Some((unit, known)) = self.doubtful.puts.remove(&item) else { return Ok(()) };
            let (log, position) = item;
            let queue = self.queue(&log)?;
            // Bytes that are not a message are reported when they are found in the store.
            let Some(known) = known else { continue };
            let slot = add(&queue, position, known);
            self.doubts.push(Doubt { unit, queue, slot, act: Act::Put });
        }
    }

    /// The queue of a log.
    fn queue(&mut self, log: &[u8]) -> Result<Arc<Queue>, OpenError> {
        if let Some(queue) = self.queue.as_ref().filter(|queue| queue.name.as_str().as_bytes() == log) {
            return Ok(Arc::clone(queue));
        }
        let name = std::str::from_utf8(log).ok().and_then(|name| QueueName::new(name).ok());
        let name = name.ok_or_else(|| OpenError::new("mq.messages: a log has a name that no queue has"))?;
        let queue = self.core.queue_or_new(&name);
        self.queue = Some(Arc::clone(&queue));
        Ok(queue)
    }
}

/// Adds a message of the store to the index, last in the order. It cannot be got yet.
fn add(queue: &Queue, position: u64, (head, bytes): (Head, u32)) -> Slot {
    let mut state = queue.state();
    let lane = state.lane(head.priority);
    let mut entry = Entry::new((head.message_id, head.correlation_id), lane);
    entry.place = Place::Disk(position);
    (entry.expires, entry.put, entry.backouts) = (head.expires, head.put, head.backouts);
    entry.bytes = bytes;
    entry.reports_expiry = head.report.wants(ReportKind::Expiration);
    state.disk_bytes += u64::from(bytes);
    state.index.add(entry)
}
