//! Calls at the end of a function. They replace the function, so recursion of this form costs no depth.

use std::sync::Arc;

use super::call::{Closure, checked, native};
use super::{Evaluation, Result};
use crate::function::Callable;
use crate::node::{Kind, Node};
use crate::value::Value;

/// The result of a function's body.
pub(super) enum Outcome {
    Value(Value),
    /// The value is the result of this call.
    Call(Closure),
}

impl Evaluation<'_> {
    /// Evaluates the body of a function, or its last part.
    #[inline(never)]
    pub(super) fn tail(&mut self, node: &Node, input: &Value, frame: usize) -> Result<Outcome> {
        if !node.is_bare() {
            return self.node(node, input, frame).map(Outcome::Value);
        }
        match &node.kind {
            Kind::Block { items, slots } => {
                let Some((last, before)) = items.split_last() else {
                    return Ok(Outcome::Value(Value::Undefined));
                };
                let frame = self.enter_block(*slots, frame)?;
                for item in before {
                    self.node(item, input, frame)?;
                }
                self.deeper(last, input, frame)
            }
            Kind::Condition(parts) => {
                let condition = self.node(&parts.0, input, frame)?;
                match (self.purse.truth(&condition)?, &parts.2) {
                    (true, _) => self.deeper(&parts.1, input, frame),
                    (false, Some(other)) => self.deeper(other, input, frame),
                    (false, None) => Ok(Outcome::Value(Value::Undefined)),
                }
            }
            Kind::Call { function, arguments } if native(function).is_none() => {
                self.purse.steps(1)?;
                let called = self.callee(function, input, frame)?;
                let arguments = self.arguments(arguments, input, frame)?;
                match &*called.0 {
                    Callable::Lambda { code, frame, input: made_in } => Ok(Outcome::Call(Closure {
                        code: Arc::clone(code),
                        frame: *frame,
                        input: made_in.clone(),
                        arguments: checked(code, arguments, input).map_err(|error| error.at(node.at))?,
                    })),
                    _ => self.apply(&called, arguments, input).map(Outcome::Value),
                }
            }
            _ => self.node(node, input, frame).map(Outcome::Value),
        }
    }

    fn deeper(&mut self, node: &Node, input: &Value, frame: usize) -> Result<Outcome> {
        self.purse.enter().map_err(|error| error.at(node.at))?;
        let outcome = self.tail(node, input, frame)?;
        self.purse.leave();
        Ok(outcome)
    }
}
