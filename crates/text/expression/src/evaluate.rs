//! One evaluation: walks the tree with a context, frames of variables and a purse of limits.

mod call;
mod frames;
mod operators;
mod path;
mod purse;
mod rows;
mod tail;
mod transform;

use std::sync::Arc;

use crate::error::Error;
use crate::expression::{Context, Expression};
use crate::function::{Callable, Function};
use crate::node::{BlockSlots, Kind, Last, Node, Operator, Variable};
use crate::object::Object;
use crate::value::{Array, Flags, Value};

use frames::Frames;
pub(crate) use operators::compare_text;
pub(crate) use purse::Purse;

pub(crate) type Result<T> = std::result::Result<T, Error>;

pub(crate) struct Evaluation<'a> {
    expression: &'a Expression,
    pub(crate) context: &'a Context<'a>,
    /// `$$`
    root: Value,
    /// The values from the caller, after the first use of each.
    free: Vec<Option<Value>>,
    frames: Frames,
    pub(crate) purse: Purse,
    pub(crate) random: u64,
}

/// Evaluates a whole expression.
pub(crate) fn evaluate(expression: &Expression, context: &Context) -> Result<Value> {
    let root = match &context.input {
        Value::Array(array) => {
            let _ = array;
            let flags = Flags { sequence: true, outer: true, ..Flags::default() };
            Value::Array(Array::new(vec![context.input.clone()]).with(flags))
        }
        other => other.clone(),
    };
    let mut evaluation = Evaluation {
        expression,
        context,
        root,
        free: vec![None; expression.resolved.free.len()],
        frames: Frames::default(),
        purse: Purse::new(&expression.limits),
        random: context.seed,
    };
    let frame = evaluation.frames.open(0, expression.resolved.slots);
    let root = evaluation.root.clone();
    let value = evaluation.node(&expression.node, &root, frame)?;
    if expression.functions && value.has_function() {
        return Err(
            Error::new("T1900", "the result is a function, or has one in it; call it").at(expression.node.at)
        );
    }
    Ok(match value {
        // The way in which the value was made does not matter any more.
        Value::Array(array) => Value::Array(array.with(Flags::default())),
        other => other,
    })
}

impl Evaluation<'_> {
    /// The value of a node in a context.
    pub(crate) fn node(&mut self, node: &Node, input: &Value, frame: usize) -> Result<Value> {
        self.purse.enter().map_err(|error| error.at(node.at))?;
        let value = match self.term(node, input, frame) {
            Ok(value) if node.is_bare() => value,
            Ok(value) => self.behind(node, value, frame)?,
            Err(error) => return Err(error.at(node.at)),
        };
        self.purse.value(&value).map_err(|error| error.at(node.at))?;
        self.purse.leave();
        Ok(settle(value))
    }

    /// Evaluates predicates, `[]` and the group behind a term.
    #[inline(never)]
    fn behind(&mut self, node: &Node, mut value: Value, frame: usize) -> Result<Value> {
        for predicate in &node.predicates {
            value = self.filter(predicate, value, frame)?;
        }
        if let Some(group) = &node.group
            && !matches!(node.kind, Kind::Path(_))
        {
            value = self.group(group, &value, frame)?;
        }
        if node.keep_array
            && let Value::Array(array) = &value
            && array.flags.sequence
        {
            value = Value::Array(array.with(Flags { keep_singleton: true, ..array.flags }));
        }
        Ok(value)
    }

    fn term(&mut self, node: &Node, input: &Value, frame: usize) -> Result<Value> {
        match &node.kind {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Name(name) => self.look_up(input, name),
            Kind::Variable(variable) => Ok(self.variable(variable, frame)),
            Kind::Context => Ok(unwrap_outer(input)),
            Kind::Root => Ok(unwrap_outer(&self.root)),
            Kind::Path(path) => self.path(path, node.group.as_deref(), input, frame),
            Kind::Binary(operator, sides) => self.binary(*operator, sides, input, frame),
            Kind::Condition(parts) => {
                let condition = self.node(&parts.0, input, frame)?;
                if self.purse.truth(&condition)? {
                    return self.node(&parts.1, input, frame);
                }
                match &parts.2 {
                    Some(other) => self.node(other, input, frame),
                    None => Ok(Value::Undefined),
                }
            }
            Kind::Call { function, arguments } => self.call(function, arguments, input, frame),
            Kind::Block { items, slots } => self.block(items, *slots, input, frame),
            _ => self.rare_term(node, input, frame),
        }
    }

    #[inline(never)]
    fn rare_term(&mut self, node: &Node, input: &Value, frame: usize) -> Result<Value> {
        match &node.kind {
            Kind::Bind(variable, value) => {
                let value = self.node(value, input, frame)?;
                if let Some(place) = variable.places.first() {
                    self.frames.set(frame, place.slot, value.clone());
                }
                Ok(value)
            }
            Kind::Array { items, step } => self.array(items, *step, input, frame),
            Kind::Object(members) => self.group(members, input, frame),
            Kind::Negate(of) => match self.node(of, input, frame)? {
                Value::Undefined => Ok(Value::Undefined),
                Value::Number(number) => Ok(number.negate().into()),
                other => Err(Error::new("D1002", format!("cannot negate a {}", other.type_name()))),
            },
            Kind::Wildcard => self.wildcard(input),
            Kind::Descendants => self.descendants(input),
            Kind::Regex(pattern) => Ok(function(Callable::Regex(Arc::clone(pattern)))),
            Kind::Lambda(code) => {
                Ok(function(Callable::Lambda { code: Arc::clone(code), frame, input: input.clone() }))
            }
            Kind::Transform(code) => Ok(function(Callable::Transform { code: Arc::clone(code), frame })),
            Kind::Partial { function, arguments } => self.partial(function, arguments, input, frame),
            Kind::Chain(sides) => self.chain(sides, input, frame),
            Kind::Sort(terms) => self.sort(terms, input, frame),
            _ => Ok(Value::Undefined),
        }
    }

    fn variable(&mut self, variable: &Variable, frame: usize) -> Value {
        for place in &variable.places {
            if let Some(value) = self.frames.get(frame, *place) {
                return value.clone();
            }
        }
        match variable.last {
            Last::Nothing => Value::Undefined,
            Last::Native(native) => function(Callable::Native(native)),
            Last::Free(number) => self.free(number).clone(),
        }
    }

    fn free(&mut self, number: usize) -> &Value {
        let Evaluation { expression, context, free, .. } = self;
        free[number].get_or_insert_with(|| {
            context.bindings.get(&expression.resolved.free[number]).unwrap_or_default()
        })
    }

    fn block(&mut self, items: &[Node], slots: BlockSlots, input: &Value, frame: usize) -> Result<Value> {
        let frame = self.enter_block(slots, frame)?;
        let mut value = Value::Undefined;
        for item in items {
            value = self.node(item, input, frame)?;
        }
        Ok(value)
    }

    /// The frame of a block. Its variables are not bound yet.
    fn enter_block(&mut self, slots: BlockSlots, frame: usize) -> Result<usize> {
        match slots {
            BlockSlots::None => Ok(frame),
            BlockSlots::Shared { first, count } => {
                self.frames.clear(frame, first..first + count);
                Ok(frame)
            }
            BlockSlots::Own { count } => {
                self.purse.elements(count + 1)?;
                Ok(self.frames.open(frame, count))
            }
        }
    }

    fn array(&mut self, items: &[Node], step: bool, input: &Value, frame: usize) -> Result<Value> {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            let value = match &item.kind {
                Kind::Binary(Operator::Range, sides) => {
                    self.range(sides, input, frame).map_err(|e| e.at(item.at))?
                }
                _ => self.node(item, input, frame)?,
            };
            match value {
                Value::Undefined => {}
                Value::Array(array) if !matches!(item.kind, Kind::Array { .. }) => {
                    out.extend(array.into_items())
                }
                other => out.push(other),
            }
            self.purse.room(out.len())?;
        }
        self.purse.elements(out.len())?;
        Ok(Value::Array(Array::new(out).with(Flags { constructed: step, ..Flags::default() })))
    }

    /// The member of an object, or of all objects of an array.
    pub(crate) fn look_up(&mut self, input: &Value, name: &str) -> Result<Value> {
        Ok(match input {
            Value::Object(object) => object.get(name).cloned().unwrap_or_default(),
            Value::Array(array) => {
                self.purse.steps(array.items().len())?;
                let mut found = Vec::new();
                for item in array.items() {
                    match self.look_up(item, name)? {
                        Value::Undefined => {}
                        Value::Array(more) => found.extend_from_slice(more.items()),
                        value => found.push(value),
                    }
                }
                Value::sequence(found)
            }
            _ => Value::Undefined,
        })
    }

    fn wildcard(&mut self, input: &Value) -> Result<Value> {
        let mut found = Vec::new();
        let input = unwrap_outer(input);
        self.purse.walk(&input)?;
        match &input {
            Value::Object(object) => object.iter().for_each(|(_, value)| flatten(value, &mut found)),
            Value::Array(array) => array.items().iter().for_each(|value| flatten(value, &mut found)),
            _ => {}
        }
        self.purse.elements(found.len())?;
        Ok(Value::sequence(found))
    }

    fn descendants(&mut self, input: &Value) -> Result<Value> {
        fn walk(value: &Value, found: &mut Vec<Value>) {
            match value {
                Value::Array(array) => array.items().iter().for_each(|item| walk(item, found)),
                Value::Object(object) => {
                    found.push(value.clone());
                    object.iter().for_each(|(_, value)| walk(value, found));
                }
                Value::Undefined => {}
                other => found.push(other.clone()),
            }
        }
        self.purse.walk(input)?;
        let mut found = Vec::new();
        walk(input, &mut found);
        self.purse.elements(found.len())?;
        Ok(Value::sequence(found))
    }

    pub(crate) fn object(&mut self, members: Vec<(Arc<str>, Value)>) -> Result<Object> {
        self.purse.elements(members.len())?;
        Ok(members.into_iter().collect())
    }
}

fn function(callable: Callable) -> Value {
    Value::Function(Function::new(callable))
}

fn flatten(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Array(array) => array.items().iter().for_each(|item| flatten(item, out)),
        other => out.push(other.clone()),
    }
}

/// A sequence without elements becomes undefined, and a sequence with one value becomes that value.
fn settle(value: Value) -> Value {
    match value {
        Value::Array(array) if array.flags.sequence => match array.items() {
            [] => Value::Undefined,
            [single] if !array.flags.keep_singleton => single.clone(),
            _ => Value::Array(array),
        },
        other => other,
    }
}

/// The input itself, if it is an array with a sequence around it.
fn unwrap_outer(value: &Value) -> Value {
    match value {
        Value::Array(array) if array.flags.outer => array.items().first().cloned().unwrap_or_default(),
        other => other.clone(),
    }
}

/// True if a call is certainly one of a built-in function.
pub(crate) fn calls_native(called: &Node) -> bool {
    call::native(called).is_some()
}
