//! Endpoint groups at the admin address: their state, and operators' commands.

use std::time::{SystemTime, UNIX_EPOCH};

use connector::balance::Role;
use connector::{Act, EndpointView, GroupView, Maximum};
use http::StatusCode;
use serde_json::{Value, json};

use crate::asked::{Answer, Asked};
use crate::region::not_found;

/// The most names that a message lists.
const KNOWN_MAX: usize = 20;

/// Answers `/connector`.
pub(crate) fn all(asked: &Asked<'_>) -> Answer {
    let groups: Vec<Value> = asked.process.groups().view().iter().map(group).collect();
    answered(&json!({ "time": seconds(SystemTime::now()), "kernel": kernel(), "groups": groups }))
}

/// Answers with one group, in a list of the same form as [`all`].
pub(crate) fn one(asked: &Asked<'_>) -> Answer {
    match asked.process.groups().get(asked.name()) {
        Some(found) => {
            let groups = [group(&found.view())];
            answered(&json!({ "time": seconds(SystemTime::now()), "kernel": kernel(), "groups": groups }))
        }
        None => unknown(asked),
    }
}

/// Starts a group or an endpoint.
pub(crate) fn start(asked: &Asked<'_>) -> Answer {
    act(asked, Act::Start, "started")
}

/// Stops a group or an endpoint.
pub(crate) fn stop(asked: &Asked<'_>) -> Answer {
    act(asked, Act::Stop, "stopped")
}

/// Lets an endpoint end its requests.
pub(crate) fn quiesce(asked: &Asked<'_>) -> Answer {
    act(asked, Act::Quiesce, "quiesced")
}

/// Resets the figures of one group.
pub(crate) fn clear(asked: &Asked<'_>) -> Answer {
    match asked.process.groups().clear(Some(asked.name())) {
        true => answered(&json!({ "name": asked.name(), "done": "cleared" })),
        false => unknown(asked),
    }
}

/// Resets the figures of all groups.
pub(crate) fn clear_all(asked: &Asked<'_>) -> Answer {
    asked.process.groups().clear(None);
    answered(&json!({ "done": "cleared" }))
}

fn act(asked: &Asked<'_>, act: Act, done: &str) -> Answer {
    let name = asked.name();
    match asked.process.act_on_group(act, name) {
        Ok(true) => answered(&json!({ "name": name, "done": done })),
        Ok(false) if act == Act::Quiesce && !name.contains('/') => {
            let message = "expected an endpoint: a group can be stopped\n";
            Answer::text(StatusCode::BAD_REQUEST, message)
        }
        Ok(false) => unknown(asked),
        Err(error) => {
            let message = format!("it could not be kept, so nothing was done: {error}\n");
            Answer::text(StatusCode::INTERNAL_SERVER_ERROR, message)
        }
    }
}

fn unknown(asked: &Asked<'_>) -> Answer {
    let groups = asked.process.groups().view();
    let name = asked.name();
    let (group, endpoint) = name.split_once('/').map_or((name, None), |(group, one)| (group, Some(one)));
    let found = groups.iter().find(|one| one.name == group);
    not_found(&match (found, endpoint) {
        (Some(found), Some(endpoint)) => {
            let known = known(found.endpoints.iter().map(|one| one.name.as_str()));
            format!("there is no endpoint '{endpoint}' in the group '{group}'; known: {known}")
        }
        _ => {
            let known = known(groups.iter().map(|one| one.name.as_str()));
            format!("there is no endpoint group '{group}'; known: {known}")
        }
    })
}

/// The names that a command could have meant, the first of them.
fn known<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = names.take(KNOWN_MAX + 1).collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > KNOWN_MAX => {
            names.truncate(KNOWN_MAX);
            format!("{}, ...", names.join(", "))
        }
        _ => names.join(", "),
    }
}

fn answered(value: &Value) -> Answer {
    Answer::json(StatusCode::OK, format!("{value}\n"))
}

/// The socket options that the kernel has.
fn kernel() -> Value {
    let support = connector::support();
    json!({ "rtoMin": support.rto_min, "rtoMax": support.rto_max })
}

fn group(view: &GroupView) -> Value {
    json!({
        "name": view.name,
        "stopped": view.is_stopped,
        "queue": view.queue,
        "queueHighest": highest(&view.queue_highest),
        "queueMax": view.queue_max,
        "receiving": view.receiving,
        "receivingHighest": highest(&view.receiving_highest),
        "receiveMaxBytes": view.receive_max_bytes,
        "readersWaiting": view.readers_waiting,
        "retries": view.retries,
        "since": seconds(view.since),
        "endpoints": view.endpoints.iter().map(endpoint).collect::<Vec<_>>(),
    })
}

fn endpoint(view: &EndpointView) -> Value {
    json!({
        "name": view.name,
        "role": match view.role {
            Role::Primary => "PRIMARY",
            Role::Backup => "BACKUP",
        },
        "destination": view.destination,
        "status": view.state.word(),
        "reason": view.reason,
        "sessions": view.sessions,
        "maxSessions": view.max_sessions,
        "inUse": view.in_use,
        "apis": view.replies,
        "apisPerSecond": view.rate,
        "apiTimeMs": view.mean_ms,
        "timeouts": view.timeouts,
        "errors": view.errors,
        "retransmits": view.retransmits,
        "dsacks": view.dsacks,
        "srttUs": view.srtt_us,
        "rtoUs": view.rto_us,
        "rtoFloorUs": view.rto_floor_us,
        "rtoFloorRises": view.rto_floor_rises,
        "rtoFloorFalls": view.rto_floor_falls,
        "sessionsHighest": highest(&view.sessions_highest),
        "inUseHighest": highest(&view.in_use_highest),
        "apisPerSecondHighest": highest(&view.rate_highest),
        "apiTimeMsHighest": highest(&view.took_ms_highest),
    })
}

fn highest(maximum: &Maximum) -> Value {
    json!({ "value": maximum.value, "time": maximum.at.map(seconds) })
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
