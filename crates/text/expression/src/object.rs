//! Objects: members in their order, found by name, and header maps whose names ignore case.

use std::collections::HashMap;
use std::sync::Arc;

use crate::value::{Extent, Value};

/// From this number of members on, an index finds names. Smaller objects are searched in order.
const INDEXED_FROM: usize = 12;

/// The members of an object, shared between copies.
#[derive(Clone, Debug, Default)]
pub struct Object(Arc<Members>);

#[derive(Clone, Debug, Default)]
struct Members {
    entries: Vec<(Arc<str>, Value)>,
    index: HashMap<Arc<str>, usize>,
    ignore_case: bool,
    extent: Extent,
}

impl Object {
    /// An object without members.
    pub fn new() -> Object {
        Object::default()
    }

    /// An object without members whose names ignore case, for headers. Only ASCII letters have case there.
    pub fn ignoring_case() -> Object {
        Object(Arc::new(Members { ignore_case: true, ..Members::default() }))
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.position(name).map(|at| &self.0.entries[at].1)
    }

    /// Sets a member. A new member comes last, and an existing one gets the new value in its place. Undefined
    /// is not a value: the object stays unchanged.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: Value) {
        if value.is_defined() {
            Arc::make_mut(&mut self.0).insert(name.into(), value);
        }
    }

    /// The members in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Value)> {
        self.0.entries.iter().map(|(name, value)| (name, value))
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    /// True if there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }

    pub(crate) fn extent(&self) -> Extent {
        let Extent { depth, bytes } = self.0.extent;
        Extent { depth: depth.max(1), bytes: bytes.saturating_add(2) }
    }

    /// A number that tells the object from equal ones.
    pub(crate) fn identity(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// The same members with other values. Some may be left out.
    pub(crate) fn filter_map(&self, mut change: impl FnMut(&Arc<str>, &Value) -> Option<Value>) -> Object {
        let mut changed = Members { ignore_case: self.0.ignore_case, ..Members::default() };
        for (name, value) in &self.0.entries {
            if let Some(value) = change(name, value) {
                changed.insert(Arc::clone(name), value);
            }
        }
        Object(Arc::new(changed))
    }
}

impl Members {
    fn position(&self, name: &str) -> Option<usize> {
        if self.entries.len() >= INDEXED_FROM {
            return match self.ignore_case {
                true => self.index.get(name.to_ascii_lowercase().as_str()),
                false => self.index.get(name),
            }
            .copied();
        }
        self.entries.iter().position(|(known, _)| match self.ignore_case {
            true => known.eq_ignore_ascii_case(name),
            false => **known == *name,
        })
    }

    fn insert(&mut self, name: Arc<str>, value: Value) {
        self.extent = self.extent.and(name.len() + 4, &value);
        if let Some(at) = self.position(&name) {
            self.entries[at].1 = value;
            return;
        }
        self.entries.push((name, value));
        match self.entries.len() {
            count if count < INDEXED_FROM => {}
            INDEXED_FROM => (0..INDEXED_FROM).for_each(|at| self.enter(at)),
            count => self.enter(count - 1),
        }
    }

    fn enter(&mut self, at: usize) {
        let name = &self.entries[at].0;
        let key = if self.ignore_case { name.to_ascii_lowercase().into() } else { Arc::clone(name) };
        self.index.insert(key, at);
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.len() == other.len()
                && self.iter().all(|(name, value)| other.get(name).is_some_and(|found| found == value)))
    }
}

impl<N: Into<Arc<str>>> FromIterator<(N, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(members: I) -> Object {
        let mut object = Object::new();
        for (name, value) in members {
            object.insert(name, value);
        }
        object
    }
}
