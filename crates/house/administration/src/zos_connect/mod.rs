//! z/OS Connect's administration interface: its JSON keys and statuses, for its clients.
//!
//! APIs, services and API requesters: lists, details, deployment of packages, start and stop.
//! Services also have schemas, statistics and direct calls.

pub(crate) mod packages;
pub(crate) mod services;

use http::StatusCode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use security::{Action, Kind};
use serde_json::{Value, json};

use crate::asked::{Answer, Asked};
use crate::paths;
use crate::process::{ApiPort, ApiView, Gateway, RequesterView};

/// The text for a PUT without a package and without an action.
const NEITHER: &str = "send a package as application/zip, or set ?status= or ?action=";

/// Answers with the APIs that the caller may see.
pub(crate) fn apis(asked: &Asked<'_>) -> Answer {
    let apis: Vec<Value> = asked
        .gateway
        .apis()
        .iter()
        .filter(|view| asked.may(Kind::Api, view.api.name(), Action::Read))
        .map(|ApiView { api, .. }| {
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
pub(crate) fn api(asked: &Asked<'_>) -> Answer {
    detail(asked, Kind::Api, asked.name())
}

/// Answers with the API requesters that the caller may see.
pub(crate) fn requesters(asked: &Asked<'_>) -> Answer {
    let requesters: Vec<Value> = asked
        .gateway
        .requesters()
        .iter()
        .filter(|requester| asked.may(Kind::Requester, requester.name, Action::Read))
        .map(|requester| {
            json!({
                "name": requester.name,
                "version": requester.version,
                "description": requester.description,
                "status": status(requester.is_started),
                "connectionRef": requester.connection,
                "adminUrl": url_of(asked, paths::REQUESTER, requester.name),
            })
        })
        .collect();
    rendered(&json!({ "apiRequesters": requesters }))
}

/// Answers with one API requester.
pub(crate) fn requester(asked: &Asked<'_>) -> Answer {
    detail(asked, Kind::Requester, asked.name())
}

/// The details of an API, service or API requester.
fn detail(asked: &Asked<'_>, kind: Kind, name: &str) -> Answer {
    let gateway = asked.gateway;
    let detail = match kind {
        Kind::Api => gateway.api(name).map(|view| api_detail(asked, &view)),
        Kind::Service => gateway.service(name).map(|view| services::detail(asked, &view)),
        Kind::Requester => gateway.requesters().iter().find(|view| view.name == name).map(requester_detail),
    };
    detail.map_or_else(|| unknown(name), |detail| rendered(&detail))
}

fn api_detail(asked: &Asked<'_>, view: &ApiView<'_>) -> Value {
    let api = view.api;
    let mut names: Vec<&str> = api.operations().iter().flat_map(|operation| operation.services()).collect();
    names.sort_unstable();
    names.dedup();
    let services: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": name, "uri": url_of(asked, paths::SERVICE, name) }))
        .collect();
    // A web service has one document, which is not in Swagger's form.
    let (kind, path) = match api.documents() {
        [wsdl] if wsdl.path.ends_with("?wsdl") => ("wsdl", wsdl.path.clone()),
        // Other fronts have one document, too.
        [other] if api.is_elsewhere() => ("swagger", other.path.clone()),
        // A program that answers requests itself has none.
        [] if api.is_elsewhere() => ("none", String::new()),
        _ => ("swagger", format!("{}/api-docs", api.base_path())),
    };
    json!({
        "name": api.name(),
        "version": api.version(),
        "description": api.description(),
        "status": status(view.is_started),
        "apiUrl": api_url(asked, api.base_path()),
        "documentation": match path.is_empty() {
            true => json!({}),
            false => json!({ kind: api_url(asked, &path) }),
        },
        "services": services,
    })
}

fn requester_detail(requester: &RequesterView<'_>) -> Value {
    json!({
        "name": requester.name,
        "version": requester.version,
        "description": requester.description,
        "status": status(requester.is_started),
        "connection": requester.connection,
    })
}

/// The URL of a path of APIs. It has the host that the caller used. The port is that of the first
/// listener, unless the request came to a port of APIs.
fn api_url(asked: &Asked<'_>, path: &str) -> String {
    let ports = asked.process.api_ports();
    let base = asked.url("");
    let Some((scheme, authority)) = base.split_once("://") else { return asked.url(path) };
    let known = authority.parse::<http::uri::Authority>().ok();
    let host = known.as_ref().map_or("localhost", http::uri::Authority::host);
    let default_port = if scheme == "https" { 443 } else { 80 };
    let port = known.as_ref().and_then(http::uri::Authority::port_u16).unwrap_or(default_port);
    let is_here = ports.iter().any(|known| known.port == port);
    match ports.first().filter(|_| !is_here) {
        Some(ApiPort { port, tls }) => {
            let scheme = if *tls { "https" } else { "http" };
            format!("{scheme}://{host}:{port}{path}")
        }
        None => asked.url(path),
    }
}

/// Whether an API, service or API requester is started; none if it does not exist.
fn is_started(gateway: &dyn Gateway, kind: Kind, name: &str) -> Option<bool> {
    match kind {
        Kind::Api => gateway.api(name).map(|view| view.is_started),
        Kind::Service => gateway.service(name).map(|view| view.is_started),
        Kind::Requester => {
            gateway.requesters().iter().find(|view| view.name == name).map(|view| view.is_started)
        }
    }
}

/// Starts or stops the object in the path, by `?status=`, and answers with its details.
fn switch_by_status(asked: &Asked<'_>, kind: Kind) -> Answer {
    let name = asked.name();
    if is_started(asked.gateway, kind, name).is_none() {
        return unknown(name);
    }
    match asked.parameter("status").as_deref() {
        Some("started") => set(asked, kind, true),
        Some("stopped") => set(asked, kind, false),
        Some(_) => error(StatusCode::BAD_REQUEST, "status is 'started' or 'stopped'"),
        None => error(StatusCode::UNSUPPORTED_MEDIA_TYPE, NEITHER),
    }
}

/// Starts or stops the object in the path, and answers with its details.
fn set(asked: &Asked<'_>, kind: Kind, started: bool) -> Answer {
    let name = asked.name();
    if is_started(asked.gateway, kind, name) != Some(started)
        && let Err(cause) = asked.process.switch(kind, name, started)
    {
        tracing::error!("whether {name} is started cannot be kept: {cause}");
        return error(StatusCode::INTERNAL_SERVER_ERROR, "the state cannot be kept");
    }
    tracing::info!(?kind, name, started, "switched");
    detail(asked, kind, name)
}

fn status(is_started: bool) -> &'static str {
    if is_started { "Started" } else { "Stopped" }
}

fn rendered(value: &Value) -> Answer {
    Answer::json(StatusCode::OK, value.to_string())
}

/// The answer for an object that does not exist.
#[must_use]
pub fn unknown(name: &str) -> Answer {
    let message = format!("BAQR0431W: The resource {name} is not available.");
    error(StatusCode::NOT_FOUND, &message)
}

/// An error answer with its reason.
pub(crate) fn error(status: StatusCode, message: &str) -> Answer {
    Answer::json(status, json!({ "errorMessage": message }).to_string())
}

/// The URL of an object of administration.
fn url_of(asked: &Asked<'_>, template: &str, name: &str) -> String {
    asked.url(&paths::with_name(template, &encoded(name)))
}

/// A name in a path. Slashes and all special characters are escaped.
fn encoded(name: &str) -> String {
    let escaped = utf8_percent_encode(name, NON_ALPHANUMERIC).to_string();
    escaped.replace("%2D", "-").replace("%5F", "_").replace("%2E", ".")
}
