//! The changes that the log has and the file beneath does not have yet, in memory, in the order of their
//! keys.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::super::{Change, Direction, Edit, Span};
use crate::writes::is_empty;

/// The approximate bytes of an entry besides its key and value.
const ENTRY_BYTES: usize = 96;

/// A changed key.
#[derive(Debug)]
pub(super) struct Entry {
    /// None: it is deleted.
    pub(super) value: Option<Vec<u8>>,
    /// True if the key does not exist beneath. If such a key is deleted again, its entry leaves no trace.
    fresh: bool,
}

/// Changes over the file beneath: first the clears, then the entries.
#[derive(Debug, Default)]
pub(super) struct Overlay {
    entries: BTreeMap<Vec<u8>, Entry>,
    /// Ranges of keys that hide everything beneath: from the key to before the value. They do not touch each
    /// other.
    cleared: BTreeMap<Vec<u8>, Vec<u8>>,
    bytes: usize,
}

impl Overlay {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.cleared.is_empty()
    }

    /// The approximate memory of the overlay.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + (self.entries.len() + self.cleared.len()) * ENTRY_BYTES
    }

    /// Takes a change in.
    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Put { key, value } => self.put(key, value, false),
            Change::Add { key, value } => self.put(key, value, true),
            Change::Delete { key } => self.delete(key),
            Change::Clear { from, to } => self.clear(from, to),
        }
    }

    fn put(&mut self, key: Vec<u8>, value: Vec<u8>, is_new: bool) {
        self.bytes += key.len() + value.len();
        match self.entries.get_mut(&key) {
            Some(entry) => {
                let old = entry.value.replace(value);
                self.bytes -= key.len() + old.map_or(0, |old| old.len());
            }
            None => drop(self.entries.insert(key, Entry { value: Some(value), fresh: is_new })),
        }
    }

    fn delete(&mut self, key: Vec<u8>) {
        match self.entries.get_mut(&key) {
            Some(Entry { fresh: true, .. }) => self.forget(&key),
            Some(entry) => self.bytes -= entry.value.take().map_or(0, |old| old.len()),
            None => {
                self.bytes += key.len();
                self.entries.insert(key, Entry { value: None, fresh: false });
            }
        }
    }

    fn forget(&mut self, key: &[u8]) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes -= key.len() + entry.value.map_or(0, |old| old.len());
        }
    }

    fn clear(&mut self, mut from: Vec<u8>, mut to: Vec<u8>) {
        if from >= to {
            return;
        }
        let within: Vec<Vec<u8>> =
            self.entries.range(from.clone()..to.clone()).map(|(key, _)| key.clone()).collect();
        within.iter().for_each(|key| self.forget(key));
        // Joins the ranges that it touches.
        while let Some((first, last)) = self.cleared.range(..=to.clone()).next_back() {
            if *last < from {
                break;
            }
            let (first, last) = (first.clone(), last.clone());
            self.cleared.remove(&first);
            self.bytes -= first.len() + last.len();
            from = from.min(first);
            to = to.max(last);
        }
        self.bytes += from.len() + to.len();
        self.cleared.insert(from, to);
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// The cleared range around a key.
    pub(super) fn cleared(&self, key: &[u8]) -> Option<(&[u8], &[u8])> {
        let upto = (Bound::Unbounded, Bound::Included(key));
        let (from, to) = self.cleared.range::<[u8], _>(upto).next_back()?;
        (key < to.as_slice()).then_some((from.as_slice(), to.as_slice()))
    }

    /// True if the overlay hides this key of the file beneath.
    pub(super) fn hides(&self, key: &[u8]) -> bool {
        self.entries.contains_key(key) || self.cleared(key).is_some()
    }

    /// The first entry of a span, in its direction.
    pub(super) fn first(&self, span: Span<'_>) -> Option<(&Vec<u8>, &Entry)> {
        if is_empty(span) {
            return None;
        }
        let mut range = self.entries.range::<[u8], _>((span.from, span.to));
        match span.direction {
            Direction::Forward => range.next(),
            Direction::Backward => range.next_back(),
        }
    }

    /// The entries of a span, from small to large keys.
    pub(super) fn pairs(&self, span: Span<'_>) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        let range = (!is_empty(span)).then(|| self.entries.range::<[u8], _>((span.from, span.to)));
        range.into_iter().flatten().map(|(key, entry)| (key.as_slice(), entry.value.as_deref()))
    }

    /// All changes, in the form for the file beneath.
    pub(super) fn edits(&self) -> impl Iterator<Item = Edit<'_>> {
        let cleared = self.cleared.iter().map(|(from, to)| Edit::Clear { from, to });
        cleared.chain(self.entries.iter().map(|(key, entry)| match &entry.value {
            Some(value) => Edit::Put { key, value },
            None => Edit::Delete { key },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn changes() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
        proptest::collection::vec((0..4u8, 0..20u8, 0..20u8), 0..80)
    }

    proptest! {
        /// For every content beneath, reading through the overlay gives the same as applying its changes.
        #[test]
        fn an_overlay_is_what_its_changes_make(beneath in proptest::collection::btree_set(0..20u8, 0..20), changes in changes()) {
            let base: BTreeMap<Vec<u8>, Vec<u8>> = beneath.iter().map(|key| (vec![*key], vec![0])).collect();
            let (mut model, mut overlay) = (base.clone(), Overlay::default());
            for (kind, one, other) in changes {
                let key = vec![one];
                let change = match kind {
                    0 | 1 => {
                        let is_new = !model.contains_key(&key);
                        model.insert(key.clone(), vec![other]);
                        let value = vec![other];
                        if is_new { Change::Add { key, value } } else { Change::Put { key, value } }
                    }
                    2 => {
                        model.remove(&key);
                        Change::Delete { key }
                    }
                    _ => {
                        let (from, to) = (one.min(other), one.max(other));
                        model.retain(|key, _| !(from..to).contains(&key[0]));
                        Change::Clear { from: vec![from], to: vec![to] }
                    }
                };
                overlay.apply(change);
            }
            for key in 0..20u8 {
                let key = vec![key];
                let seen = match overlay.get(&key) {
                    Some(entry) => entry.value.clone(),
                    None if overlay.cleared(&key).is_some() => None,
                    None => base.get(&key).cloned(),
                };
                prop_assert_eq!(seen.as_ref(), model.get(&key));
            }
            let mut applied = base;
            for edit in overlay.edits() {
                match edit {
                    Edit::Put { key, value } => drop(applied.insert(key.to_vec(), value.to_vec())),
                    Edit::Delete { key } => drop(applied.remove(key)),
                    Edit::Clear { from, to } => applied.retain(|key, _| key.as_slice() < from || key.as_slice() >= to),
                }
            }
            prop_assert_eq!(applied, model);
            let bytes: usize = overlay.entries.iter().map(|(key, entry)| key.len() + entry.value.as_ref().map_or(0, Vec::len)).sum();
            let cleared: usize = overlay.cleared.iter().map(|(from, to)| from.len() + to.len()).sum();
            prop_assert_eq!(overlay.bytes, bytes + cleared);
        }
    }
}
