//! Functions of arrays.

use std::cmp::Ordering;

use super::Row;
use super::numbers::next_random;
use crate::error::Error;
use crate::evaluate::{Evaluation, Result, compare_text};
use crate::order::merge_sort;
use crate::value::{Array, Value};

pub(super) const TABLE: &[Row] = &[
    ("count", "<a:n>", count),
    ("append", "<xx:a>", append),
    ("reverse", "<a:a>", reverse),
    ("shuffle", "<a:a>", shuffle),
    ("distinct", "<x:x>", distinct),
    ("zip", "<a+>", zip),
    ("sort", "<af?:a>", sort),
];

fn count(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    Ok(Value::Number(arguments[0].elements().len().into()))
}

fn append(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    match (&arguments[0], &arguments[1]) {
        (Value::Undefined, other) | (other, Value::Undefined) => Ok(other.clone()),
        (first, second) => {
            let (first, second) = (first.elements(), second.elements());
            evaluation.purse.elements(first.len() + second.len())?;
            Ok(Value::array(first.iter().chain(second).cloned()))
        }
    }
}

fn reverse(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    match &arguments[0] {
        Value::Array(array) if array.items().len() > 1 => {
            evaluation.purse.elements(array.items().len())?;
            Ok(Value::array(array.items().iter().rev().cloned()))
        }
        other => Ok(other.clone()),
    }
}

fn shuffle(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Value::Array(array) = &arguments[0] else { return Ok(arguments[0].clone()) };
    let mut items = array.items().to_vec();
    evaluation.purse.elements(items.len())?;
    for last in (1..items.len()).rev() {
        let other = (next_random(evaluation) % (last as u64 + 1)) as usize;
        items.swap(last, other);
    }
    Ok(Value::Array(Array::new(items)))
}

fn distinct(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Value::Array(array) = &arguments[0] else { return Ok(arguments[0].clone()) };
    if array.items().len() <= 1 {
        return Ok(arguments[0].clone());
    }
    let mut kept: Vec<Value> = Vec::new();
    for item in array.items() {
        let work = item.extent().bytes as usize / 64 + 1;
        evaluation.purse.steps(kept.len().saturating_add(1).saturating_mul(work))?;
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    }
    evaluation.purse.elements(kept.len())?;
    Ok(match array.flags.sequence {
        true => Value::sequence(kept),
        false => Value::array(kept),
    })
}

fn zip(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let length = arguments.iter().map(|array| array.elements().len()).min().unwrap_or(0);
    evaluation.purse.elements(length.saturating_mul(arguments.len() + 1))?;
    Ok(Value::array(
        (0..length).map(|at| Value::array(arguments.iter().map(|array| array.elements()[at].clone()))),
    ))
}

fn sort(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Value::Array(array) = &arguments[0] else { return Ok(arguments[0].clone()) };
    if array.items().len() <= 1 {
        return Ok(arguments[0].clone());
    }
    evaluation.purse.elements(array.items().len() * 2)?;
    let items = array.items().to_vec();
    let sorted = match &arguments[1] {
        Value::Function(function) => merge_sort(items, &mut |left: &Value, right: &Value| {
            let later = evaluation.apply(function, vec![left.clone(), right.clone()], &Value::Undefined)?;
            Ok(if evaluation.purse.truth(&later)? { Ordering::Greater } else { Ordering::Less })
        })?,
        _ => {
            let numbers = items.iter().all(|item| matches!(item, Value::Number(_)));
            if !numbers && !items.iter().all(|item| matches!(item, Value::String(_))) {
                let message = "$sort: without a function all elements must be numbers, or all strings";
                return Err(Error::new("D3070", message));
            }
            merge_sort(items, &mut |left, right| Ok(natural(left, right)))?
        }
    };
    Ok(Value::array(sorted))
}

fn natural(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.partial_cmp(right).unwrap_or(Ordering::Equal),
        (Value::String(left), Value::String(right)) => compare_text(left, right),
        _ => Ordering::Equal,
    }
}
