//! Functions of strings.

mod matching;

use super::Row;
use crate::error::Error;
use crate::evaluate::{Evaluation, Result};
use crate::value::Value;

pub(super) const TABLE: &[Row] = &[
    ("string", "<x-b?:s>", string),
    ("length", "<s-:n>", length),
    ("substring", "<s-nn?:s>", substring),
    ("substringBefore", "<s-s:s>", substring_before),
    ("substringAfter", "<s-s:s>", substring_after),
    ("uppercase", "<s-:s>", uppercase),
    ("lowercase", "<s-:s>", lowercase),
    ("trim", "<s-:s>", trim),
    ("pad", "<s-ns?:s>", pad),
    ("contains", "<s-(sf):b>", matching::contains),
    ("split", "<s-(sf)n?:a<s>>", matching::split),
    ("join", "<a<s>s?:s>", join),
    ("match", "<s-f<s:o>n?:a<o>>", matching::matches),
    ("replace", "<s-(sf)(sf)n?:s>", matching::replace),
];

/// The text of the first argument; none if it is undefined. No other value is possible.
pub(super) fn text(arguments: &[Value]) -> Option<&str> {
    arguments[0].as_str()
}

fn string(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    match &arguments[0] {
        Value::Undefined => Ok(Value::Undefined),
        value @ Value::String(_) => Ok(value.clone()),
        value if arguments[1].truth() => {
            let text = value.to_pretty_text();
            evaluation.purse.built(text.len())?;
            Ok(Value::from(text))
        }
        value => Ok(Value::from(evaluation.text(value)?)),
    }
}

fn length(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    Ok(text(arguments).map_or(Value::Undefined, |text| Value::Number(text.chars().count().into())))
}

/// Characters are code points. A negative start counts from the end.
fn substring(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(text) = text(arguments) else { return Ok(Value::Undefined) };
    let Value::Number(start) = &arguments[1] else { return Ok(Value::Undefined) };
    let count = text.chars().count();
    let start = match start.floor_i64() {
        start if start < 0 => {
            count.saturating_sub(usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX))
        }
        start => usize::try_from(start).unwrap_or(usize::MAX),
    };
    let length = match &arguments[2] {
        Value::Number(length) => usize::try_from(length.ceil().floor_i64().max(0)).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    let part: String = text.chars().skip(start).take(length).collect();
    evaluation.purse.built(part.len())?;
    Ok(Value::from(part))
}

fn substring_before(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    Ok(around(arguments, |text, mark| text.split_once(mark).map(|(before, _)| before)))
}

fn substring_after(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    Ok(around(arguments, |text, mark| text.split_once(mark).map(|(_, after)| after)))
}

fn around(arguments: &[Value], cut: for<'t> fn(&'t str, &str) -> Option<&'t str>) -> Value {
    match (text(arguments), arguments[1].as_str()) {
        (None, _) => Value::Undefined,
        (Some(text), Some(mark)) => cut(text, mark).map_or_else(|| arguments[0].clone(), Value::from),
        (Some(_), None) => arguments[0].clone(),
    }
}

fn uppercase(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    built(evaluation, text(arguments).map(str::to_uppercase))
}

fn lowercase(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    built(evaluation, text(arguments).map(str::to_lowercase))
}

/// Removes blanks at both ends, and makes one blank of each run inside.
fn trim(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let trimmed = text(arguments).map(|text| {
        let words = text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ")
    });
    built(evaluation, trimmed)
}

pub(super) fn built(evaluation: &mut Evaluation, text: Option<String>) -> Result<Value> {
    match text {
        None => Ok(Value::Undefined),
        Some(text) => {
            evaluation.purse.built(text.len())?;
            Ok(Value::from(text))
        }
    }
}

/// Pads on the right up to a width, or on the left for a negative one.
fn pad(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let (Some(text), Value::Number(width)) = (text(arguments), &arguments[1]) else {
        return Ok(Value::Undefined);
    };
    let filler = arguments[2].as_str().filter(|filler| !filler.is_empty()).unwrap_or(" ");
    let width = width.floor_i64();
    let wanted = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
    let missing = wanted.saturating_sub(text.chars().count());
    evaluation.purse.built(text.len().saturating_add(missing.saturating_mul(4)))?;
    let padding: String = filler.chars().cycle().take(missing).collect();
    Ok(Value::from(if width < 0 { padding + text } else { text.to_string() + &padding }))
}

fn join(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    if !arguments[0].is_defined() {
        return Ok(Value::Undefined);
    }
    let separator = arguments[1].as_str().unwrap_or("");
    let mut out = String::new();
    for (at, item) in arguments[0].elements().iter().enumerate() {
        let Value::String(item) = item else {
            return Err(Error::new(
                "T0412",
                format!("$join: expected strings, found a {}", item.type_name()),
            ));
        };
        if at > 0 {
            out.push_str(separator);
        }
        out.push_str(item);
        evaluation.purse.built(item.len() + separator.len())?;
    }
    Ok(Value::from(out))
}
