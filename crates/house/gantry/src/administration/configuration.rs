//! The configuration that serves, and the figures.

use std::sync::Arc;

use http::StatusCode;

use super::asked::{Answer, Asked, Pending};
use crate::live::{Live, Reload, State};

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Answers `/metrics`.
pub(super) fn metrics(asked: &Asked<'_>) -> Answer {
    look_at_region(asked.live);
    Answer::new(StatusCode::OK, OPENMETRICS, asked.live.metrics.text())
}

/// The gauges of the region say how it stands now.
fn look_at_region(live: &Live) {
    let Some(region) = live.gateway().region.clone() else { return };
    let (waiting, busy) = region.load();
    live.metrics.region_tasks_waiting.set(i64::try_from(waiting).unwrap_or(i64::MAX));
    live.metrics.region_workers_busy.set(i64::try_from(busy).unwrap_or(i64::MAX));
}

/// Answers `/configuration`.
pub(super) fn shown(asked: &Asked<'_>) -> Answer {
    Answer::json(StatusCode::OK, json(&asked.live.state()))
}

/// Loads the files now; faults are a conflict between the files and what serves.
pub(super) fn reload(asked: Asked<'_>) -> Pending<'_> {
    Box::pin(async move {
        let loading = Arc::clone(asked.live);
        let outcome = tokio::task::spawn_blocking(move || loading.reload()).await;
        let status = match outcome {
            Ok(Reload::Applied) => StatusCode::OK,
            Ok(Reload::Refused(_)) => StatusCode::CONFLICT,
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Answer::json(status, json(&asked.live.state()))
    })
}

/// `current` says whether the files as they are now are what serves; `faults` why not, as `gantry check` shows them. `faultyParts` are
/// the programs and packages that are left out.
fn json(state: &State) -> String {
    let since = state.since.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let value = serde_json::json!({
        "generation": state.generation,
        "servingSinceUnixSeconds": since.as_secs(),
        "current": state.faults.is_none(),
        "faults": state.faults,
        "faultyParts": state.parts.faulty,
    });
    format!("{value}\n")
}
