//! Dates and times: `$now`, `$millis`, `$fromMillis`, `$toMillis`, by pictures or in ISO 8601.

mod picture;
mod read;
mod write;

use super::Row;
use super::numbers::given;
use super::strings::{built, text};
use crate::error::Error;
use crate::evaluate::{Evaluation, Result};
use crate::value::Value;
use picture::Picture;

pub(super) const TABLE: &[Row] = &[
    ("now", "<s?s?:s>", now),
    ("millis", "<:n>", |evaluation, _| Ok(Value::from(evaluation.context.now_ms))),
    ("fromMillis", "<n-s?s?:s>", from_millis),
    ("toMillis", "<s-s?:n>", to_millis),
];

/// The default picture.
const ISO_8601: &str = "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]";

/// The limit of times in JavaScript.
const TIME_MAX_MS: i64 = 8_640_000_000_000_000;

fn now(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let text = shown(evaluation.context.now_ms, arguments[0].as_str(), arguments[1].as_str())?;
    built(evaluation, Some(text))
}

fn from_millis(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(time) = given(&arguments[0]) else { return Ok(Value::Undefined) };
    let text = shown(time.floor_i64(), arguments[1].as_str(), arguments[2].as_str())?;
    built(evaluation, Some(text))
}

fn shown(time_ms: i64, picture: Option<&str>, zone: Option<&str>) -> Result<String> {
    if !(-TIME_MAX_MS..=TIME_MAX_MS).contains(&time_ms) {
        return Err(Error::new(
            "D3110",
            format!("{time_ms} milliseconds are beyond the times that can be written"),
        ));
    }
    let offset_minutes = match zone {
        Some(zone) => offset(zone).ok_or_else(|| {
            Error::new("D3134", format!("the time zone must be like +0200, found {zone:?}"))
        })?,
        None => 0,
    };
    write::write(&Picture::parse(picture.unwrap_or(ISO_8601))?, time_ms, offset_minutes)
}

/// Minutes east of Greenwich: `-0500`, `+02:00`, `Z`.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "0") {
        return Some(0);
    }
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("-", digits) => (-1, digits),
        ("+", digits) => (1, digits),
        _ => (1, zone),
    };
    let digits = digits.replacen(':', "", 1);
    let number: i64 =
        digits.parse().ok().filter(|_| digits.len() <= 4 && digits.bytes().all(|b| b.is_ascii_digit()))?;
    Some(sign * (number / 100 * 60 + number % 100))
}

fn to_millis(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(text) = text(arguments) else { return Ok(Value::Undefined) };
    match arguments[1].as_str() {
        None => read::iso(text).map(Value::from).ok_or_else(|| {
            Error::new("D3110", format!("$toMillis: expected a time as ISO 8601 writes it, found {text:?}"))
        }),
        Some(picture) => {
            let time = read::read(&Picture::parse(picture)?, text, evaluation.context.now_ms)?;
            Ok(time.map_or(Value::Undefined, Value::from))
        }
    }
}
