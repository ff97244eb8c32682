//! Health for those who watch the gateway: probes get a status and a word, operators learn why.
//!
//! Without authentication only `up`, `down` and `ready` are told. What could not be loaded is never said to be started,
//! and a provider that refused a call lately shows.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::StatusCode;
use security::Action;
use serde_json::{Value, json};
use service::ServiceProvider;
use settings::Files;

use super::asked::{Answer, Asked, Pending};
use crate::config::PACKAGES;
use crate::gateway::{ApiEntry, Gateway, ServiceEntry};
use crate::live::Live;
use switches::Kind;

/// Answers `/health` and `/health/live`: the process serves.
pub(super) fn live(_: &Asked<'_>) -> Answer {
    Answer::text(StatusCode::OK, "up\n")
}

/// Answers `/health/ready`: requests may be sent here. A gateway that serves has loaded all its APIs; one that stops
/// wants no new requests.
pub(super) fn ready(asked: &Asked<'_>) -> Answer {
    if asked.live.stopping.load(Ordering::Relaxed) {
        return Answer::text(StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    Answer::text(StatusCode::OK, "ready\n")
}

/// Answers `/health/apis` with the APIs that the caller may see.
pub(super) fn apis(asked: Asked<'_>) -> Pending<'_> {
    Box::pin(async move {
        let (live, gateway) = (asked.live, asked.gateway);
        let seen = |name: &&str| asked.may(Kind::Api, name, Action::Read);
        let in_files = in_files(live).await;
        let loaded = gateway.apis.iter().map(|entry| entry.api.name());
        let missing = in_files.iter().map(String::as_str).filter(|name| find(gateway, name).is_none());
        let reports: Vec<Value> =
            loaded.chain(missing).filter(seen).map(|name| Report::of(live, gateway, name).json()).collect();
        Answer::json(StatusCode::OK, format!("{}\n", json!({ "apis": reports })))
    })
}

/// Answers `/health/apis/NAME`: 200 if calls of the API can be expected to work, else 503.
pub(super) fn api(asked: Asked<'_>) -> Pending<'_> {
    Box::pin(async move {
        let (live, name) = (asked.live, asked.name());
        let report = Report::of(live, asked.gateway, name);
        let status = if report.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        if !asked.in_full {
            return Answer::text(status, if report.ready { "up\n" } else { "down\n" });
        }
        if report.entry.is_none() && !in_files(live).await.iter().any(|known| known == name) {
            let message = format!("BAQR0431W: The resource {name} is not available.");
            let body = format!("{}\n", json!({ "errorMessage": message }));
            return Answer::json(StatusCode::NOT_FOUND, body);
        }
        Answer::json(status, format!("{}\n", report.json()))
    })
}

/// The names that the files have; none if they cannot be read, which a reload tells in full.
async fn in_files(live: &Arc<Live>) -> Vec<String> {
    let live = Arc::clone(live);
    let names = tokio::task::spawn_blocking(move || apis_in_files(live.files())).await;
    names.ok().and_then(Result::ok).unwrap_or_default()
}

/// The names of the APIs that files have, whether or not they could be loaded: folders of text files and packages. Reads
/// folders.
fn apis_in_files(files: &Files) -> io::Result<Vec<String>> {
    let mut names = files.list("apis")?;
    let packages = files.list(PACKAGES)?;
    names.extend(packages.iter().filter_map(|file| file.strip_suffix(".aar")).map(str::to_owned));
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

fn find<'g>(gateway: &'g Gateway, name: &str) -> Option<&'g ApiEntry> {
    gateway.apis.iter().find(|entry| entry.api.name() == name)
}

/// What is known of one API.
struct Report<'g> {
    name: &'g str,
    /// None if it could not be loaded, or is not there.
    entry: Option<&'g ApiEntry>,
    services: Vec<&'g ServiceEntry>,
    /// Whether the files as they are now are what serves.
    current: bool,
    /// It is loaded and started, and so are its services, of which none refuses calls.
    ready: bool,
}

impl<'g> Report<'g> {
    fn of(live: &Live, gateway: &'g Gateway, name: &'g str) -> Self {
        let entry = find(gateway, name);
        let operations = entry.iter().flat_map(|entry| entry.api.operations());
        let mut names: Vec<&str> = operations.flat_map(|operation| operation.services()).collect();
        names.sort_unstable();
        names.dedup();
        let services: Vec<_> = names.iter().filter_map(|name| gateway.services.get(*name)).collect();
        let works = |entry: &&ServiceEntry| entry.switch.is_started() && !is_refusing(entry);
        let ready = entry.is_some_and(|entry| entry.switch.is_started()) && services.iter().all(works);
        Self { name, entry, services, current: live.state().faults.is_none(), ready }
    }

    fn json(&self) -> Value {
        let service = |entry: &&ServiceEntry| {
            json!({
                "name": entry.running.service.name,
                "started": entry.switch.is_started(),
                "provider": entry.running.service.provider.kind(),
                "refusing": is_refusing(entry),
            })
        };
        json!({
            "name": self.name,
            "loaded": self.entry.is_some(),
            "current": self.current,
            "started": self.entry.is_some_and(|entry| entry.switch.is_started()),
            "ready": self.ready,
            "services": self.services.iter().map(service).collect::<Vec<_>>(),
        })
    }
}

/// Whether the provider refuses calls as far as is known: it refused one lately and has taken none since, or there is
/// no provider.
fn is_refusing(entry: &ServiceEntry) -> bool {
    entry.metrics.is_refusing() || entry.running.service.provider.kind() == service::Unbound.kind()
}
