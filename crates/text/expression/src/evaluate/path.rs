//! Paths, step by step. Each step is taken from every item that the step before found.

use super::{Evaluation, Result};
use crate::node::{Kind, Last, Node, Path};
use crate::value::{Array, Flags, Value};

impl Evaluation<'_> {
    #[inline(never)]
    pub(super) fn path(
        &mut self,
        path: &Path,
        group: Option<&[(Node, Node)]>,
        input: &Value,
        frame: usize,
    ) -> Result<Value> {
        if path.plain
            && !path.keep_singleton
            && group.is_none()
            && let Some(value) = self.plain_path(path, input, frame)
        {
            return Ok(value);
        }
        let mut found = self.first_step(path, input, frame)?;
        for (at, step) in path.steps.iter().enumerate().skip(1) {
            if matches!(&found, Value::Undefined) || found.as_array().is_some_and(<[Value]>::is_empty) {
                break;
            }
            found = self.step(step, &found, Step { frame, last: at + 1 == path.steps.len() })?;
        }
        if path.keep_singleton && found.is_defined() {
            let array = match found {
                Value::Array(array) => array,
                other => Array::new(vec![other]),
            };
            found = Value::Array(array.with(Flags { sequence: true, keep_singleton: true, ..array.flags }));
        }
        match group {
            Some(group) => self.group(group, &found, frame),
            None => Ok(found),
        }
    }

    /// A path of names through objects, without a sequence; none if it meets an array.
    fn plain_path(&mut self, path: &Path, input: &Value, frame: usize) -> Option<Value> {
        let (first, rest) = path.steps.split_first()?;
        let found = match &first.kind {
            Kind::Variable(variable) if first.is_bare() => {
                let bound = variable.places.iter().find_map(|place| self.frames.get(frame, *place));
                match (bound, variable.last) {
                    (Some(value), _) => value,
                    (None, Last::Free(number)) => self.free(number),
                    (None, _) => &Value::Undefined,
                }
            }
            Kind::Name(name) if first.is_bare() => match input {
                Value::Object(object) => object.get(name).unwrap_or(&Value::Undefined),
                Value::Array(_) => return None,
                _ => &Value::Undefined,
            },
            _ => return None,
        };
        let mut value = found;
        for step in rest {
            let Kind::Name(name) = &step.kind else { return None };
            value = match value {
                Value::Object(object) => object.get(name).unwrap_or(&Value::Undefined),
                Value::Array(_) => return None,
                _ => return Some(Value::Undefined),
            };
        }
        match value {
            // A sequence would become part of the path's own sequence.
            Value::Array(array) if array.flags.sequence || array.flags.outer => None,
            other => Some(other.clone()),
        }
    }

    fn first_step(&mut self, path: &Path, input: &Value, frame: usize) -> Result<Value> {
        let first = &path.steps[0];
        let step = Step { frame, last: path.steps.len() == 1 };
        match (&first.kind, input) {
            (Kind::Array { step: true, .. }, _) => self.node(first, input, frame),
            (Kind::Variable(_), _) => self.step_from(first, std::slice::from_ref(input), step),
            _ => self.step(first, input, step),
        }
    }

    fn step(&mut self, node: &Node, found: &Value, step: Step) -> Result<Value> {
        if matches!(node.kind, Kind::Sort(_)) {
            let mut sorted = self.node(node, found, step.frame)?;
            for stage in &node.stages {
                sorted = self.filter(stage, sorted, step.frame)?;
            }
            return Ok(sorted);
        }
        match found {
            Value::Array(array) => self.step_from(node, array.items(), step),
            single => self.step_from(node, std::slice::from_ref(single), step),
        }
    }

    /// One step from every item. The results are one flat sequence.
    fn step_from(&mut self, node: &Node, items: &[Value], step: Step) -> Result<Value> {
        if let [item] = items {
            let found = self.step_once(node, item, step)?;
            return Ok(match found {
                Value::Array(array) if array.flags.constructed => Value::sequence(vec![Value::Array(array)]),
                Value::Array(array) if step.last && !array.flags.sequence => Value::Array(array),
                Value::Array(array) => {
                    let flags = Flags { sequence: true, keep_singleton: false, ..array.flags };
                    Value::Array(array.with(flags))
                }
                other => other,
            });
        }
        let mut all = Vec::with_capacity(items.len());
        let mut sources = 0;
        let mut only = Value::Undefined;
        for item in items {
            let found = self.step_once(node, item, step)?;
            if found.is_defined() {
                sources += 1;
            }
            match found {
                Value::Undefined => {}
                Value::Array(array) if !array.flags.constructed => {
                    if sources == 1 && step.last && !array.flags.sequence {
                        only = Value::Array(array.clone());
                    }
                    all.extend_from_slice(array.items());
                }
                value => all.push(value),
            }
            self.purse.room(all.len())?;
        }
        if sources == 1 && only.is_defined() {
            return Ok(only);
        }
        self.purse.elements(all.len())?;
        Ok(Value::sequence(all))
    }

    fn step_once(&mut self, node: &Node, item: &Value, step: Step) -> Result<Value> {
        let mut found = match &node.kind {
            // The commonest step is done here, without the general code for nodes.
            Kind::Name(name) if node.group.is_none() => {
                self.purse.steps(1)?;
                super::settle(self.look_up(item, name)?)
            }
            _ => self.node(node, item, step.frame)?,
        };
        for stage in &node.stages {
            found = self.filter(stage, found, step.frame)?;
        }
        Ok(found)
    }

    /// The items for which a predicate holds, or whose positions it gives.
    #[inline(never)]
    pub(super) fn filter(&mut self, predicate: &Node, found: Value, frame: usize) -> Result<Value> {
        if let Kind::Literal(Value::Number(number)) = &predicate.kind
            && predicate.is_bare()
        {
            let items = found.elements();
            let chosen = position(number.floor_i64(), items.len()).map(|at| items[at].clone());
            return Ok(match chosen {
                Some(Value::Array(array)) => Value::Array(array),
                Some(item) => Value::sequence(vec![item]),
                None => Value::sequence(Vec::new()),
            });
        }
        let mut kept = Vec::new();
        let items = found.elements();
        for (at, item) in items.iter().enumerate() {
            let answer = self.node(predicate, item, frame)?;
            let keep = match &answer {
                Value::Number(number) => usize::from(position(number.floor_i64(), items.len()) == Some(at)),
                Value::Array(array) if all_numbers(array.items()) => {
                    self.purse.steps(array.items().len())?;
                    let positions = array.items().iter().filter_map(|item| match item {
                        Value::Number(number) => position(number.floor_i64(), items.len()),
                        _ => None,
                    });
                    positions.filter(|position| *position == at).count()
                }
                other => usize::from(self.purse.truth(other)?),
            };
            kept.extend(std::iter::repeat_n(item, keep).cloned());
            self.purse.room(kept.len())?;
        }
        self.purse.elements(kept.len())?;
        Ok(Value::sequence(kept))
    }
}

/// The place of a step.
#[derive(Clone, Copy)]
struct Step {
    frame: usize,
    /// True for the last step of a path: a single array that it finds stays an array.
    last: bool,
}

/// The position of an index, counted from the end if it is negative.
fn position(index: i64, length: usize) -> Option<usize> {
    let from_start = if index < 0 { index.checked_add(i64::try_from(length).ok()?)? } else { index };
    usize::try_from(from_start).ok().filter(|at| *at < length)
}

fn all_numbers(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(|item| matches!(item, Value::Number(_)))
}
