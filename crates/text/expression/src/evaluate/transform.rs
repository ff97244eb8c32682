//! Transforms: a copy of a value, with changes in the objects that a pattern finds.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Evaluation, Result};
use crate::error::Error;
use crate::node::Transform;
use crate::object::Object;
use crate::value::Value;

/// The changes of one object.
#[derive(Default)]
struct Change {
    set: Vec<Object>,
    delete: HashSet<Arc<str>>,
}

impl Evaluation<'_> {
    #[inline(never)]
    pub(super) fn transform(
        &mut self,
        code: &Transform,
        frame: usize,
        arguments: Vec<Value>,
    ) -> Result<Value> {
        let input = match arguments.into_iter().next() {
            None | Some(Value::Undefined) => return Ok(Value::Undefined),
            Some(value @ (Value::Object(_) | Value::Array(_))) => self.unshared(&value)?,
            Some(other) => {
                let found = other.type_name();
                return Err(Error::new(
                    "T0410",
                    format!("a transform needs an object or an array, found a {found}"),
                ));
            }
        };
        let found = self.node(&code.pattern, &input, frame)?;
        let mut changes: HashMap<usize, Change> = HashMap::new();
        for object in found.elements() {
            let Value::Object(matched) = object else { continue };
            let change = changes.entry(matched.identity()).or_default();
            match self.node(&code.update, object, frame)? {
                Value::Undefined => {}
                Value::Object(update) => {
                    // Each object gets its own members, even if the update is the same.
                    self.purse.elements(update.len())?;
                    change.set.push(update);
                }
                other => {
                    let found = other.type_name();
                    let message = format!("the update of a transform must be an object, found a {found}");
                    return Err(Error::new("T2011", message).at(code.update.at));
                }
            }
            if let Some(delete) = &code.delete {
                let names = self.node(delete, object, frame)?;
                self.purse.elements(names.elements().len())?;
                for name in names.elements() {
                    let Value::String(name) = name else {
                        let found = name.type_name();
                        let message = format!("a transform can delete only names, found a {found}");
                        return Err(Error::new("T2012", message).at(delete.at));
                    };
                    change.delete.insert(Arc::clone(name));
                }
            }
        }
        Ok(changed(&input, &changes))
    }

    /// A copy in which each object occurs only once, so that it can be told from equal ones.
    fn unshared(&mut self, value: &Value) -> Result<Value> {
        self.purse.elements(1)?;
        Ok(match value {
            Value::Array(array) => {
                let items: Result<Vec<Value>> =
                    array.items().iter().map(|item| self.unshared(item)).collect();
                Value::array(items?)
            }
            Value::Object(object) => {
                let mut members = Vec::with_capacity(object.len());
                for (name, member) in object.iter() {
                    members.push((Arc::clone(name), self.unshared(member)?));
                }
                let mut copies = members.into_iter();
                Value::Object(object.filter_map(|_, _| copies.next().map(|(_, value)| value)))
            }
            other => other.clone(),
        })
    }
}

fn changed(value: &Value, changes: &HashMap<usize, Change>) -> Value {
    match value {
        Value::Array(array) => Value::array(array.items().iter().map(|item| changed(item, changes))),
        Value::Object(object) => {
            let mut out = object.filter_map(|_, member| Some(changed(member, changes)));
            if let Some(change) = changes.get(&object.identity()) {
                for (name, value) in change.set.iter().flat_map(Object::iter) {
                    out.insert(Arc::clone(name), value.clone());
                }
                out = out.filter_map(|name, member| (!change.delete.contains(name)).then(|| member.clone()));
            }
            Value::Object(out)
        }
        other => other.clone(),
    }
}
