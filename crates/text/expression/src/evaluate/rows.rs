//! Groups and orders: work on all rows of a sequence together.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use super::operators::compare_text;
use super::{Evaluation, Result};
use crate::error::Error;
use crate::node::{Node, SortTerm};
use crate::order::merge_sort;
use crate::value::Value;

/// The items of one key.
struct Group {
    key: Arc<str>,
    /// The index of the pair that made the key.
    pair: usize,
    items: Vec<Value>,
}

impl Evaluation<'_> {
    /// An object whose keys are made for each item. Its values are made from all items of a key together.
    #[inline(never)]
    pub(super) fn group(&mut self, pairs: &[(Node, Node)], input: &Value, frame: usize) -> Result<Value> {
        let nothing = [Value::Undefined];
        let items = match input.elements() {
            [] => &nothing[..],
            items => items,
        };
        let mut groups: Vec<Group> = Vec::new();
        let mut known: HashMap<Arc<str>, usize> = HashMap::new();
        for item in items {
            for (pair, (key, _)) in pairs.iter().enumerate() {
                let key = match self.node(key, item, frame)? {
                    Value::String(key) => key,
                    Value::Undefined => continue,
                    other => {
                        let found = other.type_name();
                        let message = format!("the key of an object must be a string, found {found}");
                        return Err(Error::new("T1003", message).at(key.at));
                    }
                };
                if let Some(&at) = known.get(&key) {
                    if groups[at].pair != pair {
                        let message = format!("two members make the same key {key:?}");
                        return Err(Error::new("D1009", message).at(pairs[pair].0.at));
                    }
                    groups[at].items.push(item.clone());
                } else {
                    known.insert(Arc::clone(&key), groups.len());
                    groups.push(Group { key, pair, items: vec![item.clone()] });
                }
            }
            self.purse.elements(pairs.len())?;
        }
        let mut members = Vec::with_capacity(groups.len());
        for group in groups {
            let context = together(group.items);
            members.push((group.key, self.node(&pairs[group.pair].1, &context, frame)?));
        }
        Ok(Value::Object(self.object(members)?))
    }

    /// Sorts the items of a sequence. Equal items keep their order.
    #[inline(never)]
    pub(super) fn sort(&mut self, terms: &[SortTerm], input: &Value, frame: usize) -> Result<Value> {
        let items = input.elements();
        let mut keyed = Vec::with_capacity(items.len());
        for item in items {
            let keys: Result<Vec<Value>> =
                terms.iter().map(|term| self.node(&term.node, item, frame)).collect();
            keyed.push((keys?, item));
        }
        // A single row is not compared with anything.
        for (at, term) in terms.iter().enumerate().filter(|_| keyed.len() > 1) {
            check_keys(keyed.iter().map(|(keys, _)| &keys[at])).map_err(|error| error.at(term.node.at))?;
        }
        self.purse.elements(items.len() * 2)?;
        let sorted = merge_sort(keyed, &mut |(left, _), (right, _)| {
            let orders = terms
                .iter()
                .zip(left.iter().zip(right))
                .map(|(term, (left, right))| order(left, right, term.descending));
            Ok(orders.fold(Ordering::Equal, Ordering::then))
        })?;
        Ok(Value::sequence(sorted.into_iter().map(|(_, item)| item.clone()).collect()))
    }
}

/// One item as itself, several items as a sequence.
fn together(mut items: Vec<Value>) -> Value {
    if items.len() == 1 {
        return items.pop().unwrap_or_default();
    }
    let mut flat = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Value::Array(array) => flat.extend_from_slice(array.items()),
            other => flat.push(other),
        }
    }
    Value::sequence(flat)
}

/// Checks that all keys are numbers, or all are strings. Missing keys come last.
fn check_keys<'v>(keys: impl Iterator<Item = &'v Value>) -> Result<()> {
    let mut kind = None;
    for key in keys {
        match key {
            Value::Undefined => continue,
            Value::Number(_) | Value::String(_) => {}
            other => {
                let found = other.type_name();
                return Err(Error::new(
                    "T2008",
                    format!("an order needs numbers or strings, found a {found}"),
                ));
            }
        }
        let first = *kind.get_or_insert(key.type_name());
        if first != key.type_name() {
            let found = key.type_name();
            return Err(Error::new("T2007", format!("an order cannot compare a {first} with a {found}")));
        }
    }
    Ok(())
}

fn order(left: &Value, right: &Value, descending: bool) -> Ordering {
    let order = match (left, right) {
        (Value::Undefined, Value::Undefined) => Ordering::Equal,
        (Value::Undefined, _) => return Ordering::Greater,
        (_, Value::Undefined) => return Ordering::Less,
        (Value::Number(left), Value::Number(right)) => left.partial_cmp(right).unwrap_or(Ordering::Equal),
        (Value::String(left), Value::String(right)) => compare_text(left, right),
        _ => Ordering::Equal,
    };
    if descending { order.reverse() } else { order }
}
