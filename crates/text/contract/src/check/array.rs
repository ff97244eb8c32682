//! Rules of arrays: the number of elements, their schemas, and that no two are equal.

use std::collections::HashSet;

use expression::Value;

use super::{Check, Fault, Path, counted};
use crate::schema::{ArrayRules, Counts, SchemaId};
use crate::violation::ViolationKind;

impl Check<'_> {
    pub(super) fn array(&mut self, rules: Option<&ArrayRules>, items: &[Value], path: &Path<'_>) -> bool {
        let Some(rules) = rules else { return true };
        let mut fits = true;
        if !holds(rules.items, items.len()) {
            fits = self.elements(path, counted(rules.items, "elements"), items.len().to_string());
        }
        for (at, item) in items.iter().enumerate() {
            if self.is_over() {
                return false;
            }
            let Some(schema) = rules.first.get(at).copied().or(rules.rest) else { break };
            fits &= self.value(schema, item, &Path::Element(path, at));
            if !fits && self.quiet > 0 {
                return false;
            }
        }
        if rules.unique
            && let Some(at) = repeated(items)
        {
            let expected = "expected elements that are all different".to_owned();
            fits = self.elements(path, expected, format!("element {at} a second time"));
        }
        match rules.contains {
            Some((schema, counts)) => fits & self.contains(schema, counts, items, path),
            None => fits,
        }
    }

    fn contains(&mut self, schema: SchemaId, counts: Counts, items: &[Value], path: &Path<'_>) -> bool {
        self.quiet += 1;
        let mut count = 0;
        for (at, item) in items.iter().enumerate() {
            count += usize::from(self.value(schema, item, &Path::Element(path, at)));
        }
        self.quiet -= 1;
        holds(counts, count)
            || self.elements(
                path,
                counted(counts, "elements of the kind that must be there"),
                count.to_string(),
            )
    }

    fn elements(&mut self, path: &Path<'_>, expected: String, found: String) -> bool {
        self.fails(path, || Fault { kind: ViolationKind::Elements, expected, found })
    }
}

pub(super) fn holds(counts: Counts, found: usize) -> bool {
    counts.least.is_none_or(|least| found >= least) && counts.most.is_none_or(|most| found <= most)
}

/// The first element that is equal to an earlier one. It compares texts, so many elements cost no more than
/// their sum.
fn repeated(items: &[Value]) -> Option<usize> {
    let mut known = HashSet::with_capacity(items.len());
    items.iter().position(|item| {
        let mut key = Vec::new();
        write_key(item, &mut key);
        !known.insert(key)
    })
}

/// Writes a value so that equal values have equal texts: members in the order of their names.
fn write_key(value: &Value, key: &mut Vec<u8>) {
    match value {
        Value::Array(array) => {
            key.push(b'[');
            for item in array.items() {
                write_key(item, key);
                key.push(b',');
            }
            key.push(b']');
        }
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_by(|one, other| one.0.cmp(other.0));
            key.push(b'{');
            for (name, value) in members {
                Value::String(name.clone()).write_json(key);
                write_key(value, key);
                key.push(b',');
            }
            key.push(b'}');
        }
        other => other.write_json(key),
    }
}
