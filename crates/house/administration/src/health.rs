//! Health for monitoring: probes get a status and a word, operators get the reasons.
//!
//! Unknown callers get only `up`, `down` and `ready`. An API that could not be loaded never counts
//! as started. A provider that refused a call recently shows in the report.

use std::sync::Arc;

use http::StatusCode;
use security::{Action, Kind};
use serde_json::{Value, json};
use service::ServiceProvider;

use crate::asked::{Answer, Asked, Pending};
use crate::process::{ApiView, Gateway, Process, ServiceView};

/// Answers `/health` and `/health/live`: the process serves.
pub(crate) fn live(_: &Asked<'_>) -> Answer {
    Answer::text(StatusCode::OK, "up\n")
}

/// Answers `/health/ready`: whether requests may be sent here. A gateway that serves has loaded all
/// its APIs. A stopping gateway wants no new requests. After a failure of the disk, queues do not
/// work until the process starts again.
pub(crate) fn ready(asked: &Asked<'_>) -> Answer {
    if asked.process.is_stopping() {
        return Answer::text(StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    if asked.process.queue_manager().is_some_and(|manager| !manager.is_working()) {
        return Answer::text(StatusCode::SERVICE_UNAVAILABLE, "the store has stopped\n");
    }
    Answer::text(StatusCode::OK, "ready\n")
}

/// Answers `/health/apis` with the APIs that the caller may see.
pub(crate) fn apis(asked: Asked<'_>) -> Pending<'_> {
    Box::pin(async move {
        let (process, gateway) = (asked.process, asked.gateway);
        let seen = |name: &&str| asked.may(Kind::Api, name, Action::Read);
        let in_files = in_files(process).await;
        let loaded: Vec<&str> = gateway.apis().iter().map(|view| view.api.name()).collect();
        let missing = in_files.iter().map(String::as_str).filter(|name| !loaded.contains(name));
        let names = loaded.iter().copied().chain(missing).filter(seen);
        let reports: Vec<Value> = names.map(|name| Report::of(&**process, gateway, name).json()).collect();
        Answer::json(StatusCode::OK, format!("{}\n", json!({ "apis": reports })))
    })
}

/// Answers `/health/apis/NAME`: 200 if calls of the API should work, else 503.
pub(crate) fn api(asked: Asked<'_>) -> Pending<'_> {
    Box::pin(async move {
        let (process, name) = (asked.process, asked.name());
        let report = Report::of(&**process, asked.gateway, name);
        let status = if report.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        if !asked.in_full {
            return Answer::text(status, if report.ready { "up\n" } else { "down\n" });
        }
        if report.api.is_none() && !in_files(process).await.iter().any(|known| known == name) {
            let message = format!("BAQR0431W: The resource {name} is not available.");
            let body = format!("{}\n", json!({ "errorMessage": message }));
            return Answer::json(StatusCode::NOT_FOUND, body);
        }
        Answer::json(status, format!("{}\n", report.json()))
    })
}

/// The names in the files. None if the files cannot be read; a reload reports the reasons.
async fn in_files(process: &Arc<dyn Process>) -> Vec<String> {
    let process = Arc::clone(process);
    tokio::task::spawn_blocking(move || process.apis_in_files()).await.unwrap_or_default()
}

/// The facts about one API.
struct Report<'g> {
    name: &'g str,
    /// None if it could not be loaded, or does not exist.
    api: Option<ApiView<'g>>,
    services: Vec<ServiceView<'g>>,
    /// True if the present files serve.
    current: bool,
    /// True if the API and its services are loaded and started, and no service refuses calls.
    ready: bool,
}

impl<'g> Report<'g> {
    fn of(process: &dyn Process, gateway: &'g dyn Gateway, name: &'g str) -> Self {
        let api = gateway.api(name);
        let operations = api.iter().flat_map(|view| view.api.operations());
        let mut names: Vec<&str> = operations.flat_map(|operation| operation.services()).collect();
        names.sort_unstable();
        names.dedup();
        let services: Vec<_> = names.iter().filter_map(|name| gateway.service(name)).collect();
        let works = |view: &ServiceView<'_>| view.is_started && !is_refusing(view);
        let ready = api.is_some_and(|view| view.is_started) && services.iter().all(works);
        Self { name, api, services, current: process.state().faults.is_none(), ready }
    }

    fn json(&self) -> Value {
        let service = |view: &ServiceView<'_>| {
            json!({
                "name": view.service.name,
                "started": view.is_started,
                "provider": view.service.provider.kind(),
                "refusing": is_refusing(view),
            })
        };
        json!({
            "name": self.name,
            "loaded": self.api.is_some(),
            "current": self.current,
            "started": self.api.is_some_and(|view| view.is_started),
            "ready": self.ready,
            "services": self.services.iter().map(service).collect::<Vec<_>>(),
        })
    }
}

/// Whether the provider probably refuses calls. Either it refused one recently and has taken none
/// since, or there is no provider.
fn is_refusing(view: &ServiceView<'_>) -> bool {
    view.metrics.is_refusing() || view.service.provider.kind() == service::Unbound.kind()
}
