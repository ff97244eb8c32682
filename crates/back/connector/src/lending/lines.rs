//! The calls that wait for an endpoint. Calls for any endpoint stand in one line, and calls that name
//! an endpoint stand in a line of their own for each name. So a line never holds up another.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use super::Waiter;

/// The search for a call that can be answered in time stops after this many.
const LOOK_MAX: usize = 64;

/// The calls in the queue. Their ids rise in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Lines {
    any: VecDeque<Waiter>,
    /// The lines of endpoints by name. None of them is empty.
    named: BTreeMap<Arc<str>, VecDeque<Waiter>>,
    count: usize,
}

impl Lines {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Whether a call waits for this endpoint, or with no name for any.
    pub(super) fn has(&self, wanted: Option<&str>) -> bool {
        match wanted {
            None => !self.any.is_empty(),
            Some(name) => self.named.contains_key(name),
        }
    }

    /// Adds a call, which is younger than all others.
    pub(super) fn add(&mut self, wanted: Option<&str>, waiter: Waiter) {
        match wanted {
            None => self.any.push_back(waiter),
            Some(name) => match self.named.get_mut(name) {
                Some(line) => line.push_back(waiter),
                None => drop(self.named.insert(name.into(), VecDeque::from([waiter]))),
            },
        }
        self.count += 1;
    }

    /// The line whose first call is the oldest among those from the id `from` on, with the id of that
    /// call.
    pub(super) fn next(&self, from: u64) -> Option<(Option<&Arc<str>>, u64)> {
        let named = self.named.iter().map(|(name, line)| (Some(name), line));
        let all = std::iter::once((None, &self.any)).chain(named);
        let firsts = all.filter_map(|(name, line)| Some((name, line.front()?.id)));
        firsts.filter(|(_, id)| *id >= from).min_by_key(|(_, id)| *id)
    }

    /// Takes the first call of a line that waits at least until `needed`. The calls before it make
    /// room for it, and come with it. If no call waits that long, the first one comes alone.
    pub(super) fn take(&mut self, wanted: Option<&str>, needed: Instant) -> (Vec<Waiter>, Option<Waiter>) {
        let line = match wanted {
            None => Some(&mut self.any),
            Some(name) => self.named.get_mut(name),
        };
        let Some(line) = line else { return (Vec::new(), None) };
        let in_time = line.iter().take(LOOK_MAX).position(|one| one.deadline >= needed).unwrap_or(0);
        let late: Vec<Waiter> = line.drain(..in_time).collect();
        let taken = line.pop_front();
        self.count -= late.len() + usize::from(taken.is_some());
        self.forget_empty(wanted);
        (late, taken)
    }

    /// Takes the call with this id out. False if it is not here.
    pub(super) fn remove(&mut self, id: u64) -> bool {
        let in_line = |line: &mut VecDeque<Waiter>| match line.binary_search_by_key(&id, |waiter| waiter.id) {
            Ok(at) => line.remove(at).is_some(),
            Err(_) => false,
        };
        let is_removed = in_line(&mut self.any) || self.named.values_mut().any(in_line);
        if is_removed {
            self.count -= 1;
            self.named.retain(|_, line| !line.is_empty());
        }
        is_removed
    }

    /// Drops the calls that wait for this endpoint only.
    pub(super) fn drop_named(&mut self, name: &str) {
        self.count -= self.named.remove(name).map_or(0, |line| line.len());
    }

    fn forget_empty(&mut self, wanted: Option<&str>) {
        if let Some(name) = wanted
            && self.named.get(name).is_some_and(VecDeque::is_empty)
        {
            self.named.remove(name);
        }
    }
}
