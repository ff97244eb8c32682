//! The region on the admin address: its state now, what programs have told the operators, and what operators do to it.

pub(super) mod dumps;
pub(super) mod links;
pub(super) mod queues;
pub(super) mod trace;
pub(super) mod view;

use std::sync::Arc;

use codepage::readable::{hex, text};
use http::StatusCode;
use region::Region;
use serde_json::{Value, json};

use super::asked::{Answer, Asked, Pending};

/// Answers at once, with the region.
fn with(asked: &Asked<'_>, answer: impl FnOnce(&Arc<Region>) -> Answer) -> Answer {
    asked.gateway.region.as_ref().map_or_else(none, answer)
}

/// Answers later, with the region.
fn later<'a, F>(asked: &Asked<'a>, answer: impl FnOnce(&'a Arc<Region>) -> F) -> Pending<'a>
where
    F: Future<Output = Answer> + Send + 'a,
{
    match &asked.gateway.region {
        Some(region) => Box::pin(answer(region)),
        None => Box::pin(std::future::ready(none())),
    }
}

fn none() -> Answer {
    not_found("there is no region")
}

/// Shows something of the region.
pub(super) fn shown(asked: &Asked<'_>, view: fn(&Region) -> Value) -> Answer {
    with(asked, |region| answered(&view(region)))
}

/// Answers `/region/programs`.
pub(super) fn programs(asked: &Asked<'_>) -> Answer {
    with(asked, |region| answered(&view::programs(region, &asked.live.state().faulty_files)))
}

/// Answers `/region/messages`. Without a region there are no messages.
pub(super) fn messages(asked: &Asked<'_>) -> Answer {
    let region = asked.gateway.region.as_ref();
    answered(&region.map_or_else(|| json!({ "messages": [] }), |region| view::messages(region)))
}

/// Ends a task.
pub(super) fn purge(asked: &Asked<'_>) -> Answer {
    with(asked, |region| purge_task(region, asked.name()))
}

fn answered(value: &Value) -> Answer {
    Answer::json(StatusCode::OK, format!("{value}\n"))
}

fn refused(status: StatusCode, reason: &str) -> Answer {
    Answer::text(status, format!("{reason}\n"))
}

/// Says what is not there.
pub(super) fn not_found(reason: &str) -> Answer {
    refused(StatusCode::NOT_FOUND, reason)
}

fn purge_task(region: &Region, number: &str) -> Answer {
    match number.parse::<u32>() {
        Ok(task) => {
            // Seen before: it may be gone when it has been told.
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

/// A name that programs fill with blanks.
fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}
