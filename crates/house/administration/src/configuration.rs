//! The configuration that serves, and the figures.

use std::sync::Arc;

use http::StatusCode;

use crate::asked::{Answer, Asked, Pending};
use crate::process::State;

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Answers `/metrics`.
pub(crate) fn metrics(asked: &Asked<'_>) -> Answer {
    Answer::new(StatusCode::OK, OPENMETRICS, asked.process.figures())
}

/// Answers `/configuration`.
pub(crate) fn shown(asked: &Asked<'_>) -> Answer {
    Answer::json(StatusCode::OK, json(&asked.process.state()))
}

/// Loads the files now; faults are a conflict between the files and what serves.
pub(crate) fn reload(asked: Asked<'_>) -> Pending<'_> {
    Box::pin(async move {
        let loading = Arc::clone(asked.process);
        let outcome = tokio::task::spawn_blocking(move || loading.reload()).await;
        let status = match outcome {
            Ok(true) => StatusCode::OK,
            Ok(false) => StatusCode::CONFLICT,
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Answer::json(status, json(&asked.process.state()))
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
        "faultyParts": state.faulty_parts,
    });
    format!("{value}\n")
}
