//! The trace of a region at the admin address: on, off, and its commands.

use std::time::{Duration, SystemTime};

use http::StatusCode;
use region::{
    Region, TRACE_RECORDS_MAX, TRACE_SECONDS_MAX, TraceRecord, TraceRequest, TraceSubject, condition_name,
};
use serde::Deserialize;
use serde_json::{Value, json};
use wire::{CommandEnd, TracedValue};

use super::{answered, hex, name, not_found, refused, text, with};
use crate::asked::{Answer, Asked};
use crate::routes::Small;

/// Starts a trace. The body names the traced tasks.
pub(crate) const BEGIN: Small = Small { max_bytes: 4_096, run: begin, subject };

/// The default time of a trace, and its default number of records.
const SECONDS_DEFAULT: u64 = 300;
const RECORDS_DEFAULT: usize = 1_000;

/// The code page of most mainframe regions. Data are shown in it, too.
const US_EBCDIC: u16 = 37;

/// The tasks to trace.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    program: Option<String>,
    user: Option<String>,
    #[serde(default)]
    data: bool,
    #[serde(default = "seconds_default")]
    seconds: u64,
    #[serde(default = "records_default")]
    records: usize,
}

fn seconds_default() -> u64 {
    SECONDS_DEFAULT
}

fn records_default() -> usize {
    RECORDS_DEFAULT
}

impl Wanted {
    fn read(body: &[u8]) -> Result<TraceRequest, String> {
        let wanted: Wanted = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        let subject = match (&wanted.program, &wanted.user) {
            (Some(program), None) => TraceSubject::Program(named("program", program)?),
            // In upper case, as in tasks.
            (None, Some(user)) => TraceSubject::User(named("user", &user.to_uppercase())?),
            _ => return Err("expected either 'program' or 'user'".to_owned()),
        };
        if !(1..=TRACE_SECONDS_MAX).contains(&wanted.seconds) {
            return Err(format!("expected 1 to {TRACE_SECONDS_MAX} in 'seconds', found {}", wanted.seconds));
        }
        if !(1..=TRACE_RECORDS_MAX).contains(&wanted.records) {
            return Err(format!("expected 1 to {TRACE_RECORDS_MAX} in 'records', found {}", wanted.records));
        }
        let time = Duration::from_secs(wanted.seconds);
        Ok(TraceRequest { subject, with_data: wanted.data, time, records_max: wanted.records })
    }
}

fn named(what: &str, text: &str) -> Result<[u8; 8], String> {
    match (1..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(wire::name(text)),
        false => Err(format!("expected a {what} of 1 to 8 characters without blanks, found '{text}'")),
    }
}

/// The subject of a trace request, for the audit.
fn subject(body: &[u8]) -> Option<String> {
    let TraceRequest { subject, with_data, .. } = Wanted::read(body).ok()?;
    let (what, of) = match subject {
        TraceSubject::Program(program) => ("program", name(&program)),
        TraceSubject::User(user) => ("user", name(&user)),
    };
    Some(format!("{what} {of}{}", if with_data { " with data" } else { "" }))
}

/// Starts the trace of the body.
fn begin(asked: &Asked<'_>, body: &[u8]) -> Answer {
    with(asked, |region| match Wanted::read(body) {
        Ok(request) => {
            region.trace(request);
            answered(&state(region))
        }
        Err(reason) => refused(StatusCode::BAD_REQUEST, &format!("the trace: {reason}")),
    })
}

/// Ends the trace.
pub(crate) fn end(asked: &Asked<'_>) -> Answer {
    with(asked, |region| match region.trace_nothing() {
        true => answered(&state(region)),
        false => not_found("nothing is traced"),
    })
}

fn state(region: &Region) -> Value {
    let mut shown = shown(region);
    if let Some(members) = shown.as_object_mut() {
        members.remove("records");
    }
    shown
}

/// The trace with its records.
pub(crate) fn shown(region: &Region) -> Value {
    let (view, ccsid) = (region.traced(), region.settings().ccsid);
    let subject = view.request.as_ref().map(|request| request.subject);
    let (program, user) = match subject {
        Some(TraceSubject::Program(program)) => (Some(name(&program)), None),
        Some(TraceSubject::User(user)) => (None, Some(name(&user))),
        None => (None, None),
    };
    json!({
        "on": view.time_left.is_some(),
        "program": program,
        "user": user,
        "data": view.request.as_ref().is_some_and(|request| request.with_data),
        "secondsLeft": view.time_left.map(|left| left.as_secs()),
        "tasks": view.tasks,
        "dropped": view.dropped,
        "records": view.records.iter().map(|shown| record(shown, ccsid)).collect::<Vec<_>>(),
    })
}

fn record(record: &TraceRecord, ccsid: u16) -> Value {
    let told = &record.told;
    let (resp, resp2, abend) = match told.end {
        CommandEnd::Condition { resp, resp2 } => (Some(resp), Some(resp2), None),
        CommandEnd::Abend(code) => (None, None, Some(name(&code))),
        CommandEnd::Running => (None, None, None),
    };
    // The return value of a CALLed function is not a condition.
    let condition = resp.filter(|_| told.function != 0).map(condition_name);
    let options: Vec<Value> = record.options().map(|(name, value)| option(name, value, ccsid)).collect();
    json!({
        "unixMilliseconds": unix_milliseconds(record.time),
        "task": record.task,
        "transaction": name(&record.transaction),
        "user": name(&record.user),
        "number": told.number,
        "level": told.level,
        "program": name(&told.program),
        "line": told.line,
        "command": record.command(),
        "options": options,
        "resp": resp,
        "condition": condition,
        "resp2": resp2,
        "abend": abend,
        "beganMicroseconds": told.began_us,
        "microseconds": told.took_us,
    })
}

fn unix_milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn option(name: &str, value: &TracedValue, ccsid: u16) -> Value {
    match value {
        TracedValue::Nothing => json!({ "name": name }),
        TracedValue::Name(bytes) => json!({ "name": name, "value": text(bytes, ccsid).trim_end() }),
        TracedValue::Number(number) => json!({ "name": name, "number": number }),
        TracedValue::Label(label) => json!({ "name": name, "label": label }),
        TracedValue::Data { bytes, first } if first.is_empty() => json!({ "name": name, "bytes": bytes }),
        TracedValue::Data { bytes, first } => json!({
            "name": name,
            "bytes": bytes,
            "hex": hex(first),
            "text": text(first, ccsid),
            "text037": text(first, US_EBCDIC),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_traced_is_one_program_or_one_user_within_the_limits() {
        let read = |text: &str| Wanted::read(text.as_bytes());
        let request = read(r#"{"user":"maude","data":true}"#).expect("a request");
        assert_eq!(request.subject, TraceSubject::User(*b"MAUDE   "));
        assert_eq!((request.time, request.records_max), (Duration::from_secs(300), 1_000));
        assert_eq!(subject(br#"{"user":"maude","data":true}"#).as_deref(), Some("user MAUDE with data"));
        assert_eq!(subject(br#"{"program":"PAY"}"#).as_deref(), Some("program PAY"));
        for (text, expected) in [
            ("", "EOF while parsing"),
            ("{}", "expected either 'program' or 'user'"),
            (r#"{"program":"A","user":"B"}"#, "expected either 'program' or 'user'"),
            (
                r#"{"program":"NINELONGS"}"#,
                "expected a program of 1 to 8 characters without blanks, found 'NINELONGS'",
            ),
            (r#"{"program":"A","seconds":0}"#, "expected 1 to 3600 in 'seconds', found 0"),
            (r#"{"program":"A","records":10001}"#, "expected 1 to 10000 in 'records', found 10001"),
            (r#"{"program":"A","other":1}"#, "unknown field `other`"),
        ] {
            let refused = read(text).expect_err("it is refused");
            assert!(refused.starts_with(expected), "{text}: {refused}");
            assert_eq!(subject(text.as_bytes()), None);
        }
    }
}
