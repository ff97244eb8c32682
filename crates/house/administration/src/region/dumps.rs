//! Dumps of abends at the admin address.

use std::sync::Arc;

use http::StatusCode;
use region::{DumpView, Region};
use serde_json::{Value, json};

use super::{answered, later, not_found, refused};
use crate::asked::{Answer, Asked, Pending};

fn view(dump: &DumpView) -> Value {
    json!({
        "id": dump.id,
        "time": dump.time,
        "task": dump.task,
        "program": dump.program,
        "code": dump.code,
        "bytes": dump.bytes,
    })
}

/// The existing dumps, oldest first.
pub(crate) fn all(asked: Asked<'_>) -> Pending<'_> {
    later(&asked, |region| async move {
        let folder = region.settings().dumps.folder.as_ref().map(|folder| folder.display().to_string());
        match read(region, |region| region.dumps()).await {
            Ok(dumps) => {
                let dumps: Vec<Value> = dumps.iter().map(view).collect();
                answered(&json!({ "folder": folder, "dumps": dumps }))
            }
            Err(reason) => failed(&reason),
        }
    })
}

/// One dump, as it was written.
pub(crate) fn one(asked: Asked<'_>) -> Pending<'_> {
    later(&asked, move |region| async move {
        let (id, wanted) = (asked.name(), asked.name().to_owned());
        match read(region, move |region| region.dump(&wanted)).await {
            Ok(Some(text)) => Answer::json(StatusCode::OK, text),
            Ok(None) => not_found(&format!("there is no dump '{id}'")),
            Err(reason) => failed(&reason),
        }
    })
}

async fn read<T: Send + 'static>(
    region: &Arc<Region>,
    what: impl FnOnce(&Region) -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let region = region.clone();
    let read = tokio::task::spawn_blocking(move || what(&region)).await;
    read.unwrap_or_else(|error| Err(error.to_string()))
}

fn failed(reason: &str) -> Answer {
    refused(StatusCode::INTERNAL_SERVER_ERROR, reason)
}
