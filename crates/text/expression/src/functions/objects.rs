//! Functions of objects and of any value: its type, and whether it exists.

use std::sync::Arc;

use super::Row;
use crate::error::Error;
use crate::evaluate::{Evaluation, Result};
use crate::object::Object;
use crate::value::Value;

pub(super) const TABLE: &[Row] = &[
    ("keys", "<x-:a<s>>", keys),
    ("lookup", "<x-s:x>", lookup),
    ("spread", "<x-:a<o>>", spread),
    ("merge", "<a<o>:o>", merge),
    ("clone", "<(oa)-:o>", |_, arguments| Ok(arguments[0].clone())),
    ("error", "<s?:x>", error),
    ("assert", "<bs?:x>", assert),
    ("type", "<x:s>", type_of),
    ("exists", "<x:b>", |_, arguments| Ok(Value::Bool(arguments[0].is_defined()))),
    ("boolean", "<x-:b>", |evaluation, arguments| truth(evaluation, &arguments[0], |truth| truth)),
    ("not", "<x-:b>", |evaluation, arguments| truth(evaluation, &arguments[0], |truth| !truth)),
    ("eval", "<sx?:x>", eval),
];

fn keys(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let mut found = Object::new();
    let mut objects = vec![arguments[0].elements().iter()];
    while let Some(items) = objects.last_mut() {
        match items.next() {
            None => drop(objects.pop()),
            Some(Value::Array(array)) => objects.push(array.items().iter()),
            Some(Value::Object(object)) => {
                evaluation.purse.elements(object.len())?;
                object.iter().for_each(|(name, _)| found.insert(Arc::clone(name), Value::Null));
            }
            Some(_) => {}
        }
    }
    Ok(Value::sequence(found.iter().map(|(name, _)| Value::String(Arc::clone(name))).collect()))
}

fn lookup(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    match arguments[1].as_str() {
        Some(name) => evaluation.look_up(&arguments[0], name),
        None => Ok(Value::Undefined),
    }
}

fn spread(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    fn walk(value: &Value, out: &mut Vec<Value>) {
        match value {
            Value::Array(array) => array.items().iter().for_each(|item| walk(item, out)),
            Value::Object(object) => out.extend(object.iter().map(|(name, value)| {
                Value::Object([(Arc::clone(name), value.clone())].into_iter().collect())
            })),
            other => out.push(other.clone()),
        }
    }
    match &arguments[0] {
        value @ (Value::Array(_) | Value::Object(_)) => {
            let mut out = Vec::new();
            walk(value, &mut out);
            evaluation.purse.elements(out.len() * 2)?;
            Ok(Value::sequence(out))
        }
        other => Ok(other.clone()),
    }
}

fn merge(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    if !arguments[0].is_defined() {
        return Ok(Value::Undefined);
    }
    let mut merged = Object::new();
    for object in arguments[0].elements().iter().filter_map(Value::as_object) {
        evaluation.purse.elements(object.len())?;
        object.iter().for_each(|(name, value)| merged.insert(Arc::clone(name), value.clone()));
    }
    Ok(Value::Object(merged))
}

fn error(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    Err(Error::new("D3137", arguments[0].as_str().unwrap_or("$error() was called")))
}

fn assert(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    if evaluation.purse.truth(&arguments[0])? {
        return Ok(Value::Undefined);
    }
    Err(Error::new("D3141", arguments[1].as_str().unwrap_or("$assert() found its condition false")))
}

fn type_of(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Undefined => Value::Undefined,
        other => Value::from(other.type_name()),
    })
}

fn truth(evaluation: &mut Evaluation, value: &Value, change: fn(bool) -> bool) -> Result<Value> {
    Ok(match value {
        Value::Undefined => Value::Undefined,
        other => Value::Bool(change(evaluation.purse.truth(other)?)),
    })
}

fn eval(_: &mut Evaluation, _: &[Value]) -> Result<Value> {
    Err(Error::new(
        "D3122",
        "$eval is not supported: an expression is compiled when it is loaded, never from data",
    ))
}
