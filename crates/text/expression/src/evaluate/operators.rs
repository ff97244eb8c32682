//! Operators between two values, and ranges.

use std::cmp::Ordering;

use super::{Evaluation, Result};
use crate::error::Error;
use crate::node::{Node, Operator};
use crate::number::Number;
use crate::value::Value;

impl Evaluation<'_> {
    #[inline(never)]
    pub(super) fn binary(
        &mut self,
        operator: Operator,
        sides: &[Node; 2],
        input: &Value,
        frame: usize,
    ) -> Result<Value> {
        use Operator::*;
        if operator == Range {
            return self.range(sides, input, frame);
        }
        let left = self.node(&sides[0], input, frame)?;
        match operator {
            // The right side is not evaluated if the left one decides.
            And if !self.purse.truth(&left)? => return Ok(Value::Bool(false)),
            Or if self.purse.truth(&left)? => return Ok(Value::Bool(true)),
            _ => {}
        }
        let right = self.node(&sides[1], input, frame)?;
        if matches!(operator, Equal | NotEqual | In) {
            self.purse.walk(&left)?;
            self.purse.walk(&right)?;
        }
        match operator {
            And | Or => Ok(Value::Bool(self.purse.truth(&right)?)),
            Add | Subtract | Multiply | Divide | Remainder => arithmetic(operator, &left, &right),
            Equal => Ok(Value::Bool(left.is_defined() && right.is_defined() && left == right)),
            NotEqual => Ok(Value::Bool(left.is_defined() && right.is_defined() && left != right)),
            Less | LessOrEqual | Greater | GreaterOrEqual => ordering(operator, &left, &right),
            In => {
                Ok(Value::Bool(left.is_defined() && right.elements().iter().any(|item| is_same(&left, item))))
            }
            Concatenate => self.concatenate(left, right),
            Range => Ok(Value::Undefined),
        }
    }

    fn concatenate(&mut self, left: Value, right: Value) -> Result<Value> {
        let text = [self.text(&left)?, self.text(&right)?].concat();
        self.purse.built(text.len())?;
        Ok(Value::from(text))
    }

    #[inline(never)]
    pub(super) fn range(&mut self, sides: &[Node; 2], input: &Value, frame: usize) -> Result<Value> {
        let from = self.node(&sides[0], input, frame)?;
        let to = self.node(&sides[1], input, frame)?;
        let (Some(from), Some(to)) = (integer(&from, "T2003", "left")?, integer(&to, "T2004", "right")?)
        else {
            return Ok(Value::Undefined);
        };
        if from > to {
            return Ok(Value::Undefined);
        }
        let count = usize::try_from(i128::from(to) - i128::from(from) + 1).unwrap_or(usize::MAX);
        self.purse.room(count)?;
        self.purse.elements(count)?;
        Ok(Value::sequence((from..=to).map(Value::from).collect()))
    }
}

fn integer(value: &Value, code: &'static str, side: &str) -> Result<Option<i64>> {
    match value {
        Value::Undefined => Ok(None),
        Value::Number(number) if number.is_integer() => Ok(Some(number.floor_i64())),
        other => {
            Err(Error::new(code, format!("the {side} side of .. must be an integer, found {}", found(other))))
        }
    }
}

fn found(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        other => format!("a {}", other.type_name()),
    }
}

fn arithmetic(operator: Operator, left: &Value, right: &Value) -> Result<Value> {
    for (code, side, value) in [("T2001", "left", left), ("T2002", "right", right)] {
        if !matches!(value, Value::Number(_) | Value::Undefined) {
            let (found, sign) = (value.type_name(), sign(operator));
            return Err(Error::new(
                code,
                format!("the {side} side of {sign} must be a number, found a {found}"),
            ));
        }
    }
    let (Value::Number(left), Value::Number(right)) = (left, right) else { return Ok(Value::Undefined) };
    let result: Result<Number> = match operator {
        Operator::Add => left.add(right),
        Operator::Subtract => left.subtract(right),
        Operator::Multiply => left.multiply(right),
        Operator::Divide => left.divide(right),
        _ => left.remainder(right),
    };
    result.map(Value::Number)
}

fn ordering(operator: Operator, left: &Value, right: &Value) -> Result<Value> {
    for value in [left, right] {
        if !matches!(value, Value::Number(_) | Value::String(_) | Value::Undefined) {
            let (found, sign) = (value.type_name(), sign(operator));
            return Err(Error::new("T2010", format!("{sign} compares numbers and strings, found a {found}")));
        }
    }
    let order = match (left, right) {
        (Value::Undefined, _) | (_, Value::Undefined) => return Ok(Value::Undefined),
        (Value::Number(left), Value::Number(right)) => left.partial_cmp(right),
        (Value::String(left), Value::String(right)) => Some(compare_text(left, right)),
        _ => {
            let (left, right, sign) = (left.type_name(), right.type_name(), sign(operator));
            return Err(Error::new("T2009", format!("{sign} cannot compare a {left} with a {right}")));
        }
    };
    Ok(Value::Bool(match operator {
        Operator::Less => order == Some(Ordering::Less),
        Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
        Operator::Greater => order == Some(Ordering::Greater),
        _ => order.is_some_and(Ordering::is_ge),
    }))
}

/// Compares by UTF-16 units, like JavaScript.
pub(crate) fn compare_text(left: &str, right: &str) -> Ordering {
    left.encode_utf16().cmp(right.encode_utf16())
}

/// The equality of `in`: arrays, objects and functions are only the same if they are identical.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Array(a), Value::Array(b)) => a.is(b),
        (Value::Object(a), Value::Object(b)) => a.identity() == b.identity(),
        _ => left == right,
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
        Operator::Less => "<",
        Operator::LessOrEqual => "<=",
        Operator::Greater => ">",
        _ => ">=",
    }
}
