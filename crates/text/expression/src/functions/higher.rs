//! Functions that take functions as arguments.

use std::sync::Arc;

use super::Row;
use crate::error::Error;
use crate::evaluate::{Evaluation, Result};
use crate::function::Function;
use crate::object::Object;
use crate::value::{Array, Value};

pub(super) const TABLE: &[Row] = &[
    ("map", "<af>", map),
    ("filter", "<af>", filter),
    ("single", "<af?>", single),
    ("reduce", "<afj?:j>", reduce),
    ("sift", "<o-f?:o>", sift),
    ("each", "<o-f:a>", each),
];

fn function(value: &Value) -> Option<&Function> {
    match value {
        Value::Function(function) => Some(function),
        _ => None,
    }
}

/// Calls a function with the first of the offered values: one for each of its parameters, and at least one.
fn call(evaluation: &mut Evaluation, function: &Function, offered: [Value; 3]) -> Result<Value> {
    let count = function.arity().clamp(1, offered.len());
    evaluation.apply(function, offered.into_iter().take(count).collect(), &Value::Undefined)
}

fn offered(array: &Array, at: usize) -> [Value; 3] {
    [array.items()[at].clone(), Value::Number(at.into()), Value::Array(array.clone())]
}

fn map(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let (Value::Array(array), Some(function)) = (&arguments[0], function(&arguments[1])) else {
        return Ok(Value::Undefined);
    };
    let mut out = Vec::with_capacity(array.items().len());
    for at in 0..array.items().len() {
        let value = call(evaluation, function, offered(array, at))?;
        if value.is_defined() {
            out.push(value);
        }
    }
    evaluation.purse.elements(out.len())?;
    Ok(Value::sequence(out))
}

fn filter(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let (Value::Array(array), Some(function)) = (&arguments[0], function(&arguments[1])) else {
        return Ok(Value::Undefined);
    };
    let mut out = Vec::new();
    for (at, item) in array.items().iter().enumerate() {
        let holds = call(evaluation, function, offered(array, at))?;
        if evaluation.purse.truth(&holds)? {
            out.push(item.clone());
        }
    }
    evaluation.purse.elements(out.len())?;
    Ok(Value::sequence(out))
}

fn single(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Value::Array(array) = &arguments[0] else { return Ok(Value::Undefined) };
    let mut found = None;
    for (at, item) in array.items().iter().enumerate() {
        let holds = match function(&arguments[1]) {
            Some(function) => {
                let holds = call(evaluation, function, offered(array, at))?;
                evaluation.purse.truth(&holds)?
            }
            None => true,
        };
        if holds && found.replace(item.clone()).is_some() {
            return Err(Error::new("D3138", "$single: expected one element that fits, found more"));
        }
    }
    found.ok_or_else(|| Error::new("D3139", "$single: expected one element that fits, found none"))
}

fn reduce(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let (Value::Array(array), Some(function)) = (&arguments[0], function(&arguments[1])) else {
        return Ok(Value::Undefined);
    };
    let arity = function.arity();
    if arity < 2 {
        return Err(Error::new(
            "D3050",
            format!("$reduce needs a function of two parameters or more, found {arity}"),
        ));
    }
    let (mut result, first) = match (&arguments[2], array.items().first()) {
        (Value::Undefined, Some(item)) => (item.clone(), 1),
        (start, _) => (start.clone(), 0),
    };
    for (at, item) in array.items().iter().enumerate().skip(first) {
        let all = [result, item.clone(), Value::Number(at.into()), Value::Array(array.clone())];
        result = evaluation.apply(function, all.into_iter().take(arity).collect(), &Value::Undefined)?;
    }
    Ok(result)
}

fn sift(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let (Value::Object(object), Some(function)) = (&arguments[0], function(&arguments[1])) else {
        return Ok(Value::Undefined);
    };
    let mut kept = Object::new();
    for (name, value) in object.iter() {
        let holds = call(evaluation, function, member(object, name, value))?;
        if evaluation.purse.truth(&holds)? {
            kept.insert(Arc::clone(name), value.clone());
        }
    }
    evaluation.purse.elements(kept.len())?;
    Ok(if kept.is_empty() { Value::Undefined } else { Value::Object(kept) })
}

fn each(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let (Value::Object(object), Some(function)) = (&arguments[0], function(&arguments[1])) else {
        return Ok(Value::Undefined);
    };
    let mut out = Vec::with_capacity(object.len());
    for (name, value) in object.iter() {
        let result = call(evaluation, function, member(object, name, value))?;
        if result.is_defined() {
            out.push(result);
        }
    }
    evaluation.purse.elements(out.len())?;
    Ok(Value::sequence(out))
}

fn member(object: &Object, name: &Arc<str>, value: &Value) -> [Value; 3] {
    [value.clone(), Value::String(Arc::clone(name)), Value::Object(object.clone())]
}
