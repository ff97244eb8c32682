//! The running configuration, and the metrics.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use calendar::Utc;
use http::StatusCode;
use serde_json::json as object;

use crate::asked::{Answer, Asked, Pending};
use crate::process::{ScannedFile, State};

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Answers `/metrics`.
pub(crate) fn metrics(asked: &Asked<'_>) -> Answer {
    Answer::new(StatusCode::OK, OPENMETRICS, asked.process.figures())
}

/// Answers `/configuration`.
pub(crate) fn shown(asked: &Asked<'_>) -> Answer {
    Answer::json(StatusCode::OK, json(&asked.process.state()))
}

/// Loads the files now. Faulty files are a conflict with the running configuration.
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

/// Takes new bind files, and reports the result for each.
pub(crate) fn scan(asked: Asked<'_>) -> Pending<'_> {
    Box::pin(async move {
        let scanning = Arc::clone(asked.process);
        let scan = match tokio::task::spawn_blocking(move || scanning.scan()).await {
            Ok(Ok(scan)) => scan,
            Ok(Err(message)) => {
                let error = serde_json::json!({ "errorMessage": message });
                return Answer::json(StatusCode::CONFLICT, format!("{error}\n"));
            }
            Err(_) => {
                let error = serde_json::json!({ "errorMessage": "the scan has broken off" });
                return Answer::json(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n"));
            }
        };
        let state = asked.process.state();
        if !scan.serves {
            let faults = state.faults.unwrap_or_default();
            let error = serde_json::json!({
                "errorMessage": "the configuration has faults; the one before still serves",
                "errorDetails": faults,
            });
            return Answer::json(StatusCode::CONFLICT, format!("{error}\n"));
        }
        let files: Vec<_> = scan.files.iter().map(scanned).collect();
        let value = serde_json::json!({ "generation": state.generation, "files": files });
        Answer::json(StatusCode::OK, format!("{value}\n"))
    })
}

fn scanned(file: &ScannedFile) -> serde_json::Value {
    let ScannedFile { pipeline, file, outcome, faults } = file;
    serde_json::json!({ "pipeline": pipeline, "file": file, "outcome": outcome, "faults": faults })
}

/// `current` says whether the present files serve. If not, `faults` has the reasons, in the form of
/// `gantry check`. `faultyParts` has the programs and packages that are left out.
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

/// The longest name of a copy.
const NAME_BYTES_MAX: usize = 128;

/// Copies the store while it is in use.
pub(crate) fn backup(asked: Asked<'_>) -> Pending<'_> {
    let name = asked.parameter("name");
    Box::pin(async move {
        let name = name.unwrap_or_else(|| {
            let now = Utc::of_seconds(
                SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            );
            now.plain().replace([':', '-'], "").replace(' ', "T") + "Z.store"
        });
        let is_name = (1..=NAME_BYTES_MAX).contains(&name.len())
            && !name.starts_with('.')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if !is_name {
            let message = "name: expected letters, digits, '.', '_' and '-', and no '.' at first\n";
            return Answer::text(StatusCode::BAD_REQUEST, message);
        }
        let process = Arc::clone(asked.process);
        let copied = tokio::task::spawn_blocking(move || process.backup(&name)).await;
        match copied.unwrap_or_else(|_| Err("the copy broke off".to_owned())) {
            Ok(path) => {
                let path = path.display().to_string();
                tracing::info!("the store is copied to {path}");
                Answer::json(StatusCode::OK, format!("{}\n", object!({ "path": path, "done": "copied" })))
            }
            Err(reason) => Answer::text(StatusCode::CONFLICT, format!("{reason}\n")),
        }
    })
}
