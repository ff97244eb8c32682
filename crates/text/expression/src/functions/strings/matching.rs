//! Functions that look for a string or a regular expression in a text.

use std::sync::Arc;

use regex::Captures;

use super::text;
use crate::error::Error;
use crate::evaluate::{Evaluation, Result};
use crate::function::{Callable, Function};
use crate::object::Object;
use crate::pattern::Pattern;
use crate::value::Value;

/// The searched string or regular expression.
enum Sought<'a> {
    Text(&'a str),
    Pattern(&'a Arc<Pattern>),
}

impl<'a> Sought<'a> {
    fn of(value: &'a Value, name: &str) -> Result<Option<Sought<'a>>> {
        match value {
            Value::Undefined => Ok(None),
            Value::String(text) => Ok(Some(Sought::Text(text))),
            Value::Function(Function(callable)) => match &**callable {
                Callable::Regex(pattern) => Ok(Some(Sought::Pattern(pattern))),
                _ => Err(Error::new(
                    "T1010",
                    format!("${name} takes a string or a regular expression, not a function"),
                )),
            },
            other => Err(Error::new("T0410", format!("${name} cannot look for a {}", other.type_name()))),
        }
    }
}

/// The number of wanted matches.
fn limit(value: &Value, code: &'static str, name: &str) -> Result<usize> {
    match value {
        Value::Number(number) if number.floor_i64() < 0 => {
            Err(Error::new(code, format!("${name}: the limit must not be negative, found {number}")))
        }
        Value::Number(number) => Ok(usize::try_from(number.floor_i64()).unwrap_or(usize::MAX)),
        _ => Ok(usize::MAX),
    }
}

/// All matches of a pattern, up to a limit.
///
/// # Errors
/// D1004 for a pattern that matches the empty text, because it would be found everywhere.
fn captures<'t>(
    evaluation: &mut Evaluation,
    pattern: &Pattern,
    text: &'t str,
    limit: usize,
) -> Result<Vec<Captures<'t>>> {
    let mut all = Vec::new();
    for found in pattern.regex.captures_iter(text).take(limit) {
        if found.get(0).is_none_or(|whole| whole.is_empty()) {
            let source = &pattern.source;
            return Err(Error::new(
                "D1004",
                format!("the regular expression /{source}/ matches text without characters"),
            ));
        }
        evaluation.purse.elements(found.len())?;
        all.push(found);
    }
    Ok(all)
}

pub(super) fn contains(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(text) = text(arguments) else { return Ok(Value::Undefined) };
    Ok(match Sought::of(&arguments[1], "contains")? {
        None => Value::Undefined,
        Some(Sought::Text(sought)) => Value::Bool(text.contains(sought)),
        Some(Sought::Pattern(pattern)) => Value::Bool(pattern.regex.is_match(text)),
    })
}

pub(super) fn split(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(text) = text(arguments) else { return Ok(Value::Undefined) };
    let limit = limit(&arguments[2], "D3020", "split")?;
    evaluation.purse.built(text.len())?;
    let parts: Vec<Value> = match Sought::of(&arguments[1], "split")? {
        None => return Ok(Value::Undefined),
        Some(Sought::Text("")) => {
            evaluation.purse.room(text.len().min(limit))?;
            text.chars().take(limit).map(|character| Value::from(character.to_string())).collect()
        }
        Some(Sought::Text(separator)) => {
            evaluation.purse.room(text.matches(separator).count())?;
            text.split(separator).take(limit).map(Value::from).collect()
        }
        Some(Sought::Pattern(pattern)) => {
            let mut parts = Vec::new();
            let mut start = 0;
            for found in captures(evaluation, pattern, text, limit)? {
                let Some(whole) = found.get(0) else { continue };
                parts.push(Value::from(&text[start..whole.start()]));
                start = whole.end();
            }
            if parts.len() < limit {
                parts.push(Value::from(&text[start..]));
            }
            parts
        }
    };
    evaluation.purse.elements(parts.len())?;
    Ok(Value::array(parts))
}

/// `{match, index, groups}` for each match. As in JavaScript, the index counts UTF-16 units.
pub(super) fn matches(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(text) = text(arguments) else { return Ok(Value::Undefined) };
    let limit = limit(&arguments[2], "D3040", "match")?;
    let Some(Sought::Pattern(pattern)) = Sought::of(&arguments[1], "match")? else {
        return Ok(Value::Undefined);
    };
    let mut all = Vec::new();
    let (mut units, mut counted) = (0_usize, 0);
    for found in captures(evaluation, pattern, text, limit)? {
        let Some(whole) = found.get(0) else { continue };
        units += text[counted..whole.start()].encode_utf16().count();
        counted = whole.start();
        evaluation.purse.built(whole.len())?;
        let groups = found.iter().skip(1).map(|group| Value::from(group.map_or("", |group| group.as_str())));
        let mut object = Object::new();
        object.insert("match", Value::from(whole.as_str()));
        object.insert("index", Value::Number(units.into()));
        object.insert("groups", Value::array(groups));
        all.push(Value::Object(object));
    }
    Ok(Value::sequence(all))
}

pub(super) fn replace(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(text) = text(arguments) else { return Ok(Value::Undefined) };
    let limit = limit(&arguments[3], "D3011", "replace")?;
    match Sought::of(&arguments[1], "replace")? {
        None => Ok(Value::Undefined),
        Some(Sought::Text("")) => {
            Err(Error::new("D3010", "$replace: the text to be replaced must not be empty"))
        }
        Some(Sought::Text(sought)) => {
            let Some(by) = arguments[2].as_str() else {
                return match &arguments[2] {
                    Value::Undefined => Ok(Value::Undefined),
                    _ => Err(Error::new(
                        "D3012",
                        "$replace: a string is replaced by a string, not by a function",
                    )),
                };
            };
            let count = text.matches(sought).take(limit).count();
            evaluation.purse.built(text.len().saturating_add(count.saturating_mul(by.len())))?;
            Ok(Value::from(text.replacen(sought, by, limit)))
        }
        Some(Sought::Pattern(pattern)) => {
            replace_pattern(evaluation, Replace { text, pattern, limit }, &arguments[2])
        }
    }
}

struct Replace<'a> {
    text: &'a str,
    pattern: &'a Pattern,
    limit: usize,
}

fn replace_pattern(evaluation: &mut Evaluation, replace: Replace, by: &Value) -> Result<Value> {
    let text = replace.text;
    let mut out = String::new();
    let mut start = 0;
    for found in captures(evaluation, replace.pattern, text, replace.limit)? {
        let Some(whole) = found.get(0) else { continue };
        out.push_str(&text[start..whole.start()]);
        let before = out.len();
        match by {
            Value::String(by) => expand(by, &found, &mut out),
            Value::Function(function) => out.push_str(&replaced_by(evaluation, function, text, &found)?),
            _ => return Ok(Value::Undefined),
        }
        evaluation.purse.built(out.len() - before)?;
        start = whole.end();
    }
    out.push_str(&text[start..]);
    evaluation.purse.built(text.len())?;
    Ok(Value::from(out))
}

/// The result of a function for one match.
fn replaced_by(
    evaluation: &mut Evaluation,
    function: &Function,
    text: &str,
    found: &Captures,
) -> Result<Arc<str>> {
    let whole = found.get(0).map_or(0..0, |whole| whole.range());
    let units = |end: usize| Value::Number(text[..end].encode_utf16().count().into());
    let groups = found.iter().skip(1).map(|group| Value::from(group.map_or("", |group| group.as_str())));
    let mut object = Object::new();
    object.insert("match", Value::from(&text[whole.clone()]));
    object.insert("start", units(whole.start));
    object.insert("end", units(whole.end));
    object.insert("groups", Value::array(groups));
    evaluation.purse.steps(text.len() / 64 + 1)?;
    match evaluation.apply(function, vec![Value::Object(object)], &Value::Undefined)? {
        Value::String(text) => Ok(text),
        other => {
            let found = other.type_name();
            Err(Error::new("D3012", format!("$replace: the function must give a string, found {found}")))
        }
    }
}

/// `$0` is the match, `$1` the first group and so on, `$$` a dollar sign. A number is read only as far as
/// there are groups for it.
fn expand(by: &str, found: &Captures, out: &mut String) {
    let mut rest = by;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if rest.starts_with('$') {
            out.push('$');
            rest = &rest[1..];
        } else if digits == 0 {
            out.push('$');
        } else {
            let most = (found.len().max(2) - 1).to_string().len().min(digits);
            let fitting = (1..=most)
                .rev()
                .find(|length| rest[..*length].parse::<usize>().is_ok_and(|group| group < found.len()));
            let taken = fitting.unwrap_or(1);
            if let Some(group) = rest[..taken].parse().ok().and_then(|group| found.get(group)) {
                out.push_str(group.as_str());
            }
            rest = &rest[taken..];
        }
    }
    out.push_str(rest);
}
