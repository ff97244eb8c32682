//! The table of locks: holders and queues by resource, and the search for a circle that a new waiter would
//! close.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::ticket::{Answer, Waiting, Woken};
use super::{Mode, Patience, refusal};
use crate::error::{ErrorKind, Result};

/// The number of a unit of work while the store is open.
pub(crate) type UnitId = u64;

/// A request for a lock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) unit: UnitId,
    pub(crate) resource: &'a [u8],
    pub(crate) mode: Mode,
}

/// The answer of the table to a request that it does not refuse.
#[derive(Debug)]
pub(super) enum Reply {
    Granted,
    Waiting(Arc<Waiting>),
}

#[derive(Debug)]
struct Waiter {
    unit: UnitId,
    mode: Mode,
    waiting: Arc<Waiting>,
}

#[derive(Debug, Default)]
struct Entry {
    holders: Vec<(UnitId, Mode)>,
    queue: VecDeque<Waiter>,
}

fn conflict(one: Mode, other: Mode) -> bool {
    one == Mode::Exclusive || other == Mode::Exclusive
}

impl Entry {
    fn held(&self, unit: UnitId) -> Option<Mode> {
        self.holders.iter().find(|(holder, _)| *holder == unit).map(|(_, mode)| *mode)
    }

    /// The holders that block `unit`.
    fn against(&self, unit: UnitId, mode: Mode) -> impl Iterator<Item = UnitId> + '_ {
        let in_the_way = move |(holder, held): &&(UnitId, Mode)| *holder != unit && conflict(*held, mode);
        self.holders.iter().filter(in_the_way).map(|(holder, _)| *holder)
    }

    fn grant(&mut self, unit: UnitId, mode: Mode) {
        match self.holders.iter_mut().find(|(holder, _)| *holder == unit) {
            Some(held) => held.1 = held.1.max(mode),
            None => self.holders.push((unit, mode)),
        }
    }

    /// The place of a new waiter in the queue. A waiter that already holds the lock, and wants it alone,
    /// comes before those that hold nothing.
    fn place(&self, upgrade: bool) -> usize {
        if !upgrade {
            return self.queue.len();
        }
        let holds = |waiter: &Waiter| self.held(waiter.unit).is_some();
        self.queue.iter().position(|waiter| !holds(waiter)).unwrap_or(self.queue.len())
    }
}

/// All locks of a store.
#[derive(Debug)]
pub(super) struct Table {
    entries: HashMap<Arc<[u8]>, Entry>,
    held: HashMap<UnitId, HashSet<Arc<[u8]>>>,
    /// The resource that each waiting unit waits for. It is one at a time.
    waits: HashMap<UnitId, Arc<[u8]>>,
    retained: HashSet<UnitId>,
    unit_locks_max: usize,
}

impl Table {
    pub(super) fn new(unit_locks_max: usize) -> Self {
        Self {
            entries: HashMap::new(),
            held: HashMap::new(),
            waits: HashMap::new(),
            retained: HashSet::new(),
            unit_locks_max,
        }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.held.is_empty() && self.waits.is_empty() && self.retained.is_empty()
    }

    pub(super) fn each_held(&self, each: impl FnMut(&[u8])) {
        let held = self.entries.iter().filter(|(_, entry)| !entry.holders.is_empty());
        held.map(|(resource, _)| &**resource).for_each(each);
    }

    pub(super) fn request(&mut self, request: Request<'_>, patience: Patience) -> Result<Reply> {
        let Request { unit, resource, mode } = request;
        let held = self.entries.get(resource).and_then(|entry| entry.held(unit));
        if held.is_some_and(|held| held >= mode) {
            return Ok(Reply::Granted);
        }
        self.check(unit, held.is_none())?;
        let key: Arc<[u8]> = match self.entries.get_key_value(resource) {
            Some((key, _)) => Arc::clone(key),
            None => Arc::from(resource),
        };
        let entry = self.entries.entry(Arc::clone(&key)).or_default();
        if let Some(holder) = entry.against(unit, mode).find(|holder| self.retained.contains(holder)) {
            let message = format!("held by unit {holder}, which is in doubt");
            return Err(refusal(ErrorKind::Locked, &message));
        }
        let free = entry.against(unit, mode).next().is_none();
        if free && (held.is_some() || entry.queue.is_empty()) {
            entry.grant(unit, mode);
            self.held.entry(unit).or_default().insert(key);
            return Ok(Reply::Granted);
        }
        if patience == Patience::Refuse {
            return Err(refusal(ErrorKind::Busy, "held or awaited by another unit"));
        }
        let place = entry.place(held.is_some());
        let waiting = Waiting::new(unit);
        entry.queue.insert(place, Waiter { unit, mode, waiting: Arc::clone(&waiting) });
        self.waits.insert(unit, Arc::clone(&key));
        if let Some(units) = self.circle(unit) {
            self.entries.get_mut(&key).expect("just filled").queue.remove(place);
            self.waits.remove(&unit);
            let message =
                format!("deadlock: unit {unit} would wait for itself, in a circle of {units} units");
            return Err(refusal(ErrorKind::Deadlock, &message));
        }
        Ok(Reply::Waiting(waiting))
    }

    fn check(&self, unit: UnitId, new: bool) -> Result<()> {
        if self.waits.contains_key(&unit) {
            return Err(refusal(ErrorKind::Misuse, "the unit waits for another lock already"));
        }
        let count = self.held.get(&unit).map_or(0, HashSet::len);
        if new && count >= self.unit_locks_max {
            let message = format!("the unit holds {count} locks, unit_locks_max is {}", self.unit_locks_max);
            return Err(refusal(ErrorKind::Limit, &message));
        }
        Ok(())
    }

    /// The units that block a waiting one: holders, and waiters before it.
    fn blockers(&self, unit: UnitId) -> Vec<UnitId> {
        let Some(entry) = self.waits.get(&unit).and_then(|key| self.entries.get(key)) else {
            return Vec::new();
        };
        let Some(place) = entry.queue.iter().position(|waiter| waiter.unit == unit) else {
            return Vec::new();
        };
        let mode = entry.queue[place].mode;
        let ahead = entry.queue.iter().take(place).filter(|waiter| conflict(waiter.mode, mode));
        entry.against(unit, mode).chain(ahead.map(|waiter| waiter.unit)).collect()
    }

    /// The number of units in the shortest circle through `start`, if there is one.
    fn circle(&self, start: UnitId) -> Option<usize> {
        let mut seen = HashSet::from([start]);
        let mut front = VecDeque::from([(start, 1)]);
        while let Some((unit, length)) = front.pop_front() {
            for next in self.blockers(unit) {
                if next == start {
                    return Some(length);
                }
                if seen.insert(next) {
                    front.push_back((next, length + 1));
                }
            }
        }
        None
    }

    pub(super) fn holds(&self, request: Request<'_>) -> bool {
        let held = self.entries.get(request.resource).and_then(|entry| entry.held(request.unit));
        held.is_some_and(|held| held >= request.mode)
    }

    pub(super) fn held_by(&self, unit: UnitId) -> Vec<(Vec<u8>, Mode)> {
        let resources = self.held.get(&unit).into_iter().flatten();
        let mode = |key: &Arc<[u8]>| self.entries.get(key).and_then(|entry| entry.held(unit));
        let mut held: Vec<(Vec<u8>, Mode)> =
            resources.filter_map(|key| mode(key).map(|mode| (key.to_vec(), mode))).collect();
        held.sort();
        held
    }

    pub(super) fn release(&mut self, unit: UnitId, resource: &[u8]) -> Woken {
        let mut woken = Woken::default();
        if let Some(held) = self.held.get_mut(&unit) {
            held.remove(resource);
        }
        self.let_go(unit, resource, &mut woken);
        woken
    }

    pub(super) fn release_all(&mut self, unit: UnitId) -> Woken {
        let mut woken = Woken::default();
        if let Some(key) = self.waits.remove(&unit) {
            self.leave(&key, |waiter| waiter.unit == unit, &mut woken);
        }
        self.retained.remove(&unit);
        for key in self.held.remove(&unit).into_iter().flatten() {
            self.let_go(unit, &key, &mut woken);
        }
        woken
    }

    pub(super) fn retain(&mut self, unit: UnitId) -> Woken {
        let mut woken = Woken::default();
        self.retained.insert(unit);
        for key in self.held.get(&unit).cloned().into_iter().flatten() {
            let Some(mode) = self.entries.get(&key).and_then(|entry| entry.held(unit)) else { continue };
            let message = format!("held by unit {unit}, which has gone into doubt");
            let entry = self.entries.get_mut(&key).expect("it was there");
            let hopeless = |waiter: &Waiter| waiter.unit != unit && conflict(waiter.mode, mode);
            let (refused, kept): (VecDeque<Waiter>, VecDeque<Waiter>) =
                entry.queue.drain(..).partition(hopeless);
            entry.queue = kept;
            for waiter in refused {
                self.waits.remove(&waiter.unit);
                woken.add(waiter.waiting, Answer::Refused(refusal(ErrorKind::Locked, &message)));
            }
            self.serve(&key, &mut woken);
        }
        woken
    }

    /// Takes a waiter out; none if it is no longer in a queue.
    pub(super) fn cancel(&mut self, waiting: &Arc<Waiting>) -> Option<Woken> {
        let same = |waiter: &Waiter| Arc::ptr_eq(&waiter.waiting, waiting);
        let key = Arc::clone(self.waits.get(&waiting.unit)?);
        if !self.entries.get(&key)?.queue.iter().any(same) {
            return None;
        }
        let mut woken = Woken::default();
        self.leave(&key, same, &mut woken);
        Some(woken)
    }

    /// Ends the waiting of those in a queue that `who` selects.
    fn leave(&mut self, key: &Arc<[u8]>, who: impl Fn(&Waiter) -> bool, woken: &mut Woken) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        while let Some(place) = entry.queue.iter().position(&who) {
            let waiter = entry.queue.remove(place).expect("it was found");
            self.waits.remove(&waiter.unit);
            woken.add(waiter.waiting, Answer::Refused(refusal(ErrorKind::Stopped, "the wait was given up")));
        }
        self.serve(key, woken);
    }

    fn let_go(&mut self, unit: UnitId, resource: &[u8], woken: &mut Woken) {
        let Some((key, _)) = self.entries.get_key_value(resource) else { return };
        let key = Arc::clone(key);
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.holders.retain(|(holder, _)| *holder != unit);
        }
        self.serve(&key, woken);
    }

    /// Grants what can be granted, in the order of the queue.
    fn serve(&mut self, key: &Arc<[u8]>, woken: &mut Woken) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        while let Some(first) = entry.queue.front() {
            if entry.against(first.unit, first.mode).next().is_some() {
                break;
            }
            let waiter = entry.queue.pop_front().expect("it was looked at");
            entry.grant(waiter.unit, waiter.mode);
            self.held.entry(waiter.unit).or_default().insert(Arc::clone(key));
            self.waits.remove(&waiter.unit);
            woken.add(waiter.waiting, Answer::Granted);
        }
        if entry.holders.is_empty() && entry.queue.is_empty() {
            self.entries.remove(key);
        }
    }
}
