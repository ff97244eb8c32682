//! z/OS Connect's administration interface: its JSON keys and statuses, for clients that know it.
//!
//! APIs, services and API requesters: lists, details, deployment of packages, start and stop; of services schemas,
//! statistics and direct calls too.

pub(super) mod packages;
pub(super) mod services;

use http::StatusCode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use security::Action;
use serde_json::{Value, json};

use super::asked::{Answer, Asked};
use super::paths;
use crate::gateway::{ApiEntry, Gateway, RequesterEntry};
use crate::live::Listening;
use switches::{Kind, Switch};

/// When a PUT has no package and does not say what to do.
const NEITHER: &str = "send a package as application/zip, or set ?status= or ?action=";

/// Answers with the APIs that the caller may see.
pub(super) fn apis(asked: &Asked<'_>) -> Answer {
    let apis: Vec<Value> = asked
        .gateway
        .apis
        .iter()
        .filter(|entry| asked.may(Kind::Api, entry.api.name(), Action::Read))
        .map(|ApiEntry { api, .. }| {
            json!({
                "name": api.name(),
                "version": api.version(),
                "description": api.description(),
                "adminUrl": url_of(asked, paths::API, api.name()),
            })
        })
        .collect();
    rendered(&json!({ "apis": apis }))
}

/// Answers with one API.
pub(super) fn api(asked: &Asked<'_>) -> Answer {
    detail(asked, Kind::Api, asked.name())
}

/// Answers with the API requesters that the caller may see.
pub(super) fn requesters(asked: &Asked<'_>) -> Answer {
    let requesters: Vec<Value> = asked
        .gateway
        .requesters
        .values()
        .filter(|entry| asked.may(Kind::Requester, &entry.requester.name, Action::Read))
        .map(|RequesterEntry { requester, switch, .. }| {
            json!({
                "name": requester.name,
                "version": requester.version,
                "description": requester.description,
                "status": status(switch),
                "connectionRef": requester.connection_name,
                "adminUrl": url_of(asked, paths::REQUESTER, &requester.name),
            })
        })
        .collect();
    rendered(&json!({ "apiRequesters": requesters }))
}

/// Answers with one API requester.
pub(super) fn requester(asked: &Asked<'_>) -> Answer {
    detail(asked, Kind::Requester, asked.name())
}

/// The details of an API, service or API requester.
fn detail(asked: &Asked<'_>, kind: Kind, name: &str) -> Answer {
    let gateway = asked.gateway;
    let detail = match kind {
        Kind::Api => api_of(gateway, name).map(|entry| api_detail(asked, entry)),
        Kind::Service => gateway.services.get(name).map(|entry| services::detail(asked, entry)),
        Kind::Requester => gateway.requesters.get(name).map(requester_detail),
    };
    detail.map_or_else(|| unknown(name), |detail| rendered(&detail))
}

fn api_of<'g>(gateway: &'g Gateway, name: &str) -> Option<&'g ApiEntry> {
    gateway.apis.iter().find(|entry| entry.api.name() == name)
}

fn api_detail(asked: &Asked<'_>, entry: &ApiEntry) -> Value {
    let api = &entry.api;
    let mut names: Vec<&str> = api.operations().iter().flat_map(|operation| operation.services()).collect();
    names.sort_unstable();
    names.dedup();
    let services: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": name, "uri": url_of(asked, paths::SERVICE, name) }))
        .collect();
    json!({
        "name": api.name(),
        "version": api.version(),
        "description": api.description(),
        "status": status(&entry.switch),
        "apiUrl": api_url(asked, api.base_path()),
        "documentation": { "swagger": api_url(asked, &format!("{}/api-docs", api.base_path())) },
        "services": services,
    })
}

fn requester_detail(entry: &RequesterEntry) -> Value {
    let requester = &entry.requester;
    json!({
        "name": requester.name,
        "version": requester.version,
        "description": requester.description,
        "status": status(&entry.switch),
        "connection": requester.connection_name,
    })
}

/// The URL of a path where APIs are served: at the host that the caller knows, and the port of the first listener,
/// unless the request came to a port of APIs itself.
fn api_url(asked: &Asked<'_>, path: &str) -> String {
    let listening = asked.live.listening();
    let base = asked.url("");
    let Some((scheme, authority)) = base.split_once("://") else { return asked.url(path) };
    let known = authority.parse::<http::uri::Authority>().ok();
    let host = known.as_ref().map_or("localhost", http::uri::Authority::host);
    let default_port = if scheme == "https" { 443 } else { 80 };
    let port = known.as_ref().and_then(http::uri::Authority::port_u16).unwrap_or(default_port);
    let is_here = listening.iter().any(|listener| listener.address.port() == port);
    match listening.first().filter(|_| !is_here) {
        Some(Listening { address, tls }) => {
            let scheme = if *tls { "https" } else { "http" };
            format!("{scheme}://{host}:{}{path}", address.port())
        }
        None => asked.url(path),
    }
}

/// The switch of an API, service or API requester, if it is there.
fn switch_of<'g>(gateway: &'g Gateway, kind: Kind, name: &str) -> Option<&'g Switch> {
    match kind {
        Kind::Api => api_of(gateway, name).map(|entry| &entry.switch),
        Kind::Service => gateway.services.get(name).map(|entry| &entry.switch),
        Kind::Requester => gateway.requesters.get(name).map(|entry| &entry.switch),
    }
}

/// Starts or stops what the path names, as `?status=` says, and answers with its detail.
fn switch_by_status(asked: &Asked<'_>, kind: Kind) -> Answer {
    let name = asked.name();
    let Some(switch) = switch_of(asked.gateway, kind, name) else { return unknown(name) };
    match asked.parameter("status").as_deref() {
        Some("started") => set(asked, (kind, switch), true),
        Some("stopped") => set(asked, (kind, switch), false),
        Some(_) => error(StatusCode::BAD_REQUEST, "status is 'started' or 'stopped'"),
        None => error(StatusCode::UNSUPPORTED_MEDIA_TYPE, NEITHER),
    }
}

/// Starts or stops what the path names, and answers with its detail.
fn set(asked: &Asked<'_>, (kind, switch): (Kind, &Switch), started: bool) -> Answer {
    let name = asked.name();
    if switch.is_started() != started
        && let Err(cause) = asked.live.switches.set(kind, name, started)
    {
        tracing::error!("whether {name} is started cannot be kept: {cause}");
        return error(StatusCode::INTERNAL_SERVER_ERROR, "the state cannot be kept");
    }
    tracing::info!(?kind, name, started, "switched");
    detail(asked, kind, name)
}

fn status(switch: &Switch) -> &'static str {
    if switch.is_started() { "Started" } else { "Stopped" }
}

fn rendered(value: &Value) -> Answer {
    Answer::json(StatusCode::OK, value.to_string())
}

/// Says that there is nothing of this name.
pub(super) fn unknown(name: &str) -> Answer {
    let message = format!("BAQR0431W: The resource {name} is not available.");
    error(StatusCode::NOT_FOUND, &message)
}

/// An answer that says why not.
pub(super) fn error(status: StatusCode, message: &str) -> Answer {
    Answer::json(status, json!({ "errorMessage": message }).to_string())
}

/// The URL of a thing of administration.
fn url_of(asked: &Asked<'_>, template: &str, name: &str) -> String {
    asked.url(&paths::with_name(template, &encoded(name)))
}

/// A name in a path: slashes and all else that is not plain are escaped.
fn encoded(name: &str) -> String {
    let escaped = utf8_percent_encode(name, NON_ALPHANUMERIC).to_string();
    escaped.replace("%2D", "-").replace("%5F", "_").replace("%2E", ".")
}
