//! The region at the admin address: its state, messages of programs to operators, and operators'
//! commands.

pub(crate) mod dumps;
pub(crate) mod files;
pub(crate) mod links;
pub(crate) mod pending;
pub(crate) mod queues;
pub(crate) mod start;
pub(crate) mod trace;
pub(crate) mod view;

use std::sync::Arc;

use codepage::readable::{hex, text};
use http::StatusCode;
use region::Region;
use serde_json::{Value, json};

use crate::asked::{Answer, Asked, Pending};

/// Answers at once, with the region.
fn with(asked: &Asked<'_>, answer: impl FnOnce(&Arc<Region>) -> Answer) -> Answer {
    asked.gateway.region().map_or_else(none, answer)
}

/// Answers later, with the region.
fn later<'a, F>(asked: &Asked<'a>, answer: impl FnOnce(&'a Arc<Region>) -> F) -> Pending<'a>
where
    F: Future<Output = Answer> + Send + 'a,
{
    match asked.gateway.region() {
        Some(region) => Box::pin(answer(region)),
        None => Box::pin(std::future::ready(none())),
    }
}

fn none() -> Answer {
    not_found("there is no region")
}

/// Shows a part of the region.
pub(crate) fn shown(asked: &Asked<'_>, view: fn(&Region) -> Value) -> Answer {
    with(asked, |region| answered(&view(region)))
}

/// Answers `/region/programs`.
pub(crate) fn programs(asked: &Asked<'_>) -> Answer {
    with(asked, |region| answered(&view::programs(region, &asked.process.state().faulty_programs)))
}

/// Answers `/region/messages`. Without a region there are no messages.
pub(crate) fn messages(asked: &Asked<'_>) -> Answer {
    let region = asked.gateway.region();
    answered(&region.map_or_else(|| json!({ "messages": [] }), |region| view::messages(region)))
}

/// Ends a task.
pub(crate) fn purge(asked: &Asked<'_>) -> Answer {
    with(asked, |region| purge_task(region, asked.name()))
}

fn answered(value: &Value) -> Answer {
    Answer::json(StatusCode::OK, format!("{value}\n"))
}

fn refused(status: StatusCode, reason: &str) -> Answer {
    Answer::text(status, format!("{reason}\n"))
}

/// The answer for a missing object.
pub(crate) fn not_found(reason: &str) -> Answer {
    refused(StatusCode::NOT_FOUND, reason)
}

fn purge_task(region: &Region, number: &str) -> Answer {
    match number.parse::<u32>() {
        Ok(task) => {
            // Look first, because the task may be gone after the purge.
            let seen = region.view().tasks.into_iter().find(|seen| seen.number == task);
            match region.purge(task) {
                true => answered(&json!({
                    "task": task,
                    "purged": true,
                    "transaction": seen.as_ref().map(|seen| name(&seen.transaction)),
                    "program": seen.as_ref().map(|seen| name(&seen.program)),
                    "user": seen.as_ref().map(|seen| name(&seen.user)),
                })),
                false => not_found(&format!("no task {number} runs")),
            }
        }
        Err(_) => not_found(&format!("no task {number} runs")),
    }
}

/// A name without the blanks with which programs fill it.
fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}
