//! The effects of time: messages expire, and reservations end.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, PoisonError};

use message::{Moment, QueueName, Reason, Refusal, ReportKind, feedback};
use store::ErrorKind;

use crate::changes::{Act, Change, Scope, Work};
use crate::error::refusal;
use crate::index::{Place, Slot};
use crate::manager::{Core, Manager, Queue};
use crate::reports::Due;
use crate::session::Session;

/// Messages that one unit discards.
const BATCH: usize = 1_000;

/// The name of a reservation. Nobody can guess it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReservationId(pub [u8; 24]);

/// Units that wait for a confirmation, each with the queue of its messages.
#[derive(Default)]
pub(crate) struct Reservations {
    by_id: HashMap<ReservationId, (QueueName, Moment, Work)>,
    by_end: BTreeSet<(Moment, ReservationId)>,
}

/// The result of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Messages that have expired.
    pub expired: usize,
    /// Reservations that nobody confirmed.
    pub reservations: usize,
}

impl Manager {
    /// Discards expired messages, ends reservations, deletes queues that nobody needs, and checks whether units in doubt have ended.
    /// The caller has the clock, and calls it about every second.
    ///
    /// # Errors
    /// Those of the store; the next sweep tries again.
    pub fn sweep(&self, now: Moment) -> Result<Swept, Refusal> {
        let mut swept = Swept::default();
        self.core.settle_doubts()?;
        self.delete_leaving();
        for queue in self.core.all_queues() {
            swept.expired += self.core.sweep(&queue, now)?;
        }
        let ended = {
            let mut reservations = self.core.reservations.lock().unwrap_or_else(PoisonError::into_inner);
            let mut ended = Vec::new();
            while let Some(&(end, id)) = reservations.by_end.first().filter(|(end, _)| *end <= now) {
                reservations.by_end.remove(&(end, id));
                ended.extend(reservations.by_id.remove(&id));
            }
            ended
        };
        self.sweep_subscriptions(now)?;
        swept.reservations = ended.len();
        // Back them out here, where nothing is locked.
        drop(ended);
        Ok(swept)
    }
}

impl Session {
    /// Keeps a unit with its messages until somebody confirms or releases it, or until `end`.
    ///
    /// # Errors
    /// `ResourceProblem` if there are too many; the unit is undone.
    pub fn reserve(&self, work: Work, queue: &QueueName, end: Moment) -> Result<ReservationId, Refusal> {
        let limit = self.core.limits.reservations_max;
        let mut reservations = self.core.reservations.lock().unwrap_or_else(PoisonError::into_inner);
        if reservations.by_id.len() >= limit {
            drop(reservations);
            work.undo();
            let text = format!("{limit} reservations are open, which is reservations_max");
            return Err(Refusal::failed(Reason::ResourceProblem, text));
        }
        let id = unguessable();
        reservations.by_id.insert(id, (queue.clone(), end, work));
        reservations.by_end.insert((end, id));
        Ok(id)
    }

    /// Ends a reservation of a queue. Gives its unit, to commit or drop. None if the reservation no
    /// longer exists.
    #[must_use]
    pub fn reserved(&self, queue: &QueueName, id: ReservationId) -> Option<Work> {
        let mut reservations = self.core.reservations.lock().unwrap_or_else(PoisonError::into_inner);
        if reservations.by_id.get(&id).is_none_or(|(of, ..)| of != queue) {
            return None;
        }
        let (_, end, work) = reservations.by_id.remove(&id)?;
        reservations.by_end.remove(&(end, id));
        Some(work)
    }
}

/// 24 bytes from the keys that the system gives to each hasher.
fn unguessable() -> ReservationId {
    let mut id = [0; 24];
    for (nth, part) in id.chunks_exact_mut(8).enumerate() {
        part.copy_from_slice(&RandomState::new().hash_one(nth).to_be_bytes());
    }
    ReservationId(id)
}

impl Core {
    /// Discards the expired messages of one queue. Gives their number.
    fn sweep(self: &Arc<Self>, queue: &Arc<Queue>, now: Moment) -> Result<usize, Refusal> {
        let (expired, wakes) = {
            let mut state = queue.state();
            while let Some(slot) = state.index.expired(now) {
                state.expire(slot);
            }
            let held = std::mem::take(&mut state.held);
            let wakes: Vec<_> = held.into_iter().filter_map(|slot| state.make_ready(slot)).collect();
            (std::mem::take(&mut state.expired), wakes)
        };
        wakes.into_iter().for_each(|wake| wake());
        // Reports need room. On a full disk, messages without a report must not wait for those with
        // one.
        let (told, silent): (Vec<Slot>, Vec<Slot>) = {
            let state = queue.state();
            expired.iter().partition(|slot| state.index.entry(**slot).reports_expiry)
        };
        let mut batches = silent.chunks(BATCH).chain(told.chunks(BATCH));
        let outcome = batches.by_ref().try_for_each(|batch| self.discard(queue, batch, now));
        // The messages of later batches wait for the next sweep, like those of the failed unit.
        queue.state().expired.extend(batches.flatten());
        outcome.map(|()| expired.len())
    }

    fn discard(self: &Arc<Self>, queue: &Arc<Queue>, batch: &[Slot], now: Moment) -> Result<(), Refusal> {
        let mut work = match self.work() {
            Ok(work) => work,
            Err(refusal) => {
                queue.state().expired.extend(batch);
                return Err(refusal);
            }
        };
        let mut scope = work.scope();
        let mut failed = None;
        for &slot in batch {
            let (place, reports) = {
                let state = queue.state();
                let entry = state.index.entry(slot);
                (entry.place.clone(), entry.reports_expiry)
            };
            if reports {
                self.report_expiration(&mut scope, queue, &place, now);
            }
            scope.changes.add(self, Change { queue: Arc::clone(queue), slot, act: Act::Expire });
            let Place::Disk(position) = place else { continue };
            match scope.unit.remove(&self.messages, queue.name.as_str().as_bytes(), position) {
                Err(error) if error.kind() != ErrorKind::NotFound => failed = Some(refusal(&error)),
                _ => {}
            }
        }
        match failed {
            Some(refusal) => Err(refusal),
            None => {
                work.commit_then(|_| ());
                Ok(())
            }
        }
    }

    /// Puts the report that a message has expired. If the message cannot be read, its report is
    /// lost, too.
    fn report_expiration(self: &Arc<Self>, scope: &mut Scope<'_>, queue: &Queue, place: &Place, now: Moment) {
        if let Ok(Some(message)) = self.read(scope.unit, queue, place) {
            let due = Due::of(&message, ReportKind::Expiration, feedback::EXPIRATION, now);
            self.put_report(scope, &queue.name, due, now);
        }
    }
}
