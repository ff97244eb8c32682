//! Functions of numbers, and functions that sum them up.

use super::Row;
use crate::error::Error;
use crate::evaluate::{Evaluation, Result};
use crate::number::Number;
use crate::value::Value;

pub(super) const TABLE: &[Row] = &[
    ("number", "<(nsb)-:n>", number),
    ("abs", "<n-:n>", |_, arguments| each(arguments, Number::abs)),
    ("floor", "<n-:n>", |_, arguments| each(arguments, Number::floor)),
    ("ceil", "<n-:n>", |_, arguments| each(arguments, Number::ceil)),
    ("round", "<n-n?:n>", round),
    ("power", "<n-n:n>", power),
    ("sqrt", "<n-:n>", sqrt),
    ("random", "<:n>", random),
    ("formatBase", "<n-n?:s>", format_base),
    ("sum", "<a<n>:n>", sum),
    ("max", "<a<n>:n>", |evaluation, arguments| extreme(evaluation, arguments, |found, best| found > best)),
    ("min", "<a<n>:n>", |evaluation, arguments| extreme(evaluation, arguments, |found, best| found < best)),
    ("average", "<a<n>:n>", average),
];

pub(super) fn given(value: &Value) -> Option<&Number> {
    match value {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

fn each(arguments: &[Value], change: fn(&Number) -> Number) -> Result<Value> {
    Ok(given(&arguments[0]).map_or(Value::Undefined, |number| change(number).into()))
}

fn number(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    match &arguments[0] {
        Value::String(text) => match written(text).filter(|number| number.to_f64().is_finite()) {
            Some(number) => Ok(number.into()),
            None => Err(Error::new("D3030", format!("$number: {text:?} is not a number"))),
        },
        Value::Bool(value) => Ok(Value::from(i64::from(*value))),
        other => Ok(other.clone()),
    }
}

/// The number of a text. Texts of records have zeros in front, such as `002.90`. z/OS Connect reads them too.
fn written(text: &str) -> Option<Number> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let rest = digits.trim_start_matches('0');
    if rest.len() == digits.len() {
        return Number::parse(text);
    }
    let zero = if rest.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    Number::parse(&format!("{sign}{zero}{rest}"))
}

fn round(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let places = given(&arguments[1]).map_or(0, Number::floor_i64);
    Ok(given(&arguments[0]).map_or(Value::Undefined, |number| number.round(places).into()))
}

fn power(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    match (given(&arguments[0]), given(&arguments[1])) {
        (Some(base), Some(exponent)) => base.power(exponent).map(Value::Number),
        _ => Ok(Value::Undefined),
    }
}

fn sqrt(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    match given(&arguments[0]) {
        None => Ok(Value::Undefined),
        Some(number) if *number < Number::ZERO => {
            Err(Error::new("D3060", format!("$sqrt: a negative number has no root, found {number}")))
        }
        Some(number) => Number::from_float(number.to_f64().sqrt()).map(Value::Number),
    }
}

/// A number between zero and one, from the caller's seed.
fn random(evaluation: &mut Evaluation, _: &[Value]) -> Result<Value> {
    Number::from_float((next_random(evaluation) >> 11) as f64 / (1_u64 << 53) as f64).map(Value::Number)
}

/// SplitMix64 (Steele, Lea, Flood 2014): enough for samples, not for secrets.
pub(super) fn next_random(evaluation: &mut Evaluation) -> u64 {
    evaluation.random = evaluation.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut bits = evaluation.random;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

fn format_base(_: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(number) = given(&arguments[0]) else { return Ok(Value::Undefined) };
    let radix = given(&arguments[1]).map_or(10, |radix| radix.round(0).floor_i64());
    if !(2..=36).contains(&radix) {
        return Err(Error::new(
            "D3100",
            format!("$formatBase: the radix must be from 2 to 36, found {radix}"),
        ));
    }
    let rounded = number.round(0);
    let Some((units, 0)) = rounded.as_decimal() else {
        return Err(Error::new("D3101", format!("$formatBase: {number} has more than 38 digits")));
    };
    let mut rest = units.unsigned_abs();
    let mut digits = Vec::new();
    while rest > 0 || digits.is_empty() {
        let digit = (rest % radix as u128) as u32;
        digits.push(char::from_digit(digit, radix as u32).unwrap_or('0'));
        rest /= radix as u128;
    }
    if units < 0 {
        digits.push('-');
    }
    Ok(Value::from(digits.iter().rev().collect::<String>()))
}

/// The numbers of an array that has only numbers; none if it is undefined.
fn numbers(value: &Value) -> Result<Option<Vec<&Number>>> {
    if !value.is_defined() {
        return Ok(None);
    }
    let numbers = value.elements().iter().map(|item| {
        given(item)
            .ok_or_else(|| Error::new("T0412", format!("expected numbers, found a {}", item.type_name())))
    });
    numbers.collect::<Result<Vec<&Number>>>().map(Some)
}

fn total(numbers: &[&Number]) -> Result<Number> {
    numbers.iter().try_fold(Number::ZERO, |sum, number| sum.add(number))
}

fn sum(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(numbers) = numbers(&arguments[0])? else { return Ok(Value::Undefined) };
    evaluation.purse.steps(numbers.len())?;
    total(&numbers).map(Value::Number)
}

fn average(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    match numbers(&arguments[0])? {
        Some(numbers) if !numbers.is_empty() => {
            evaluation.purse.steps(numbers.len())?;
            total(&numbers)?.divide(&numbers.len().into()).map(Value::Number)
        }
        _ => Ok(Value::Undefined),
    }
}

fn extreme(
    evaluation: &mut Evaluation,
    arguments: &[Value],
    better: fn(&Number, &Number) -> bool,
) -> Result<Value> {
    let Some(numbers) = numbers(&arguments[0])? else { return Ok(Value::Undefined) };
    evaluation.purse.steps(numbers.len())?;
    let best = numbers.into_iter().reduce(|best, found| if better(found, best) { found } else { best });
    Ok(best.map_or(Value::Undefined, |number| number.clone().into()))
}
