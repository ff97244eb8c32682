//! The admin address: metrics, health, the configuration and z/OS Connect's administration interface, apart from the APIs.

#[cfg(test)]
mod callers;
mod deploy;
mod documents;
mod health;
mod region;
pub(crate) mod zos_connect;

use std::fmt::Display;
use std::sync::Arc;

use api::Route;
use bytes::Bytes;
use failure::{Code, Failure};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Body;
use security::{Action, Identity};

use crate::gateway::Gateway;
use crate::handler::{check_head, collect, describe, refuse, turn_away};
use crate::hosts::is_from_elsewhere;
use crate::intercept::Administration;
use crate::live::{Live, Reload, State};
use crate::security::{Admin, Peer, Refusal};
use crate::switches::Kind;

const INDEX: &str = "/metrics\n/health\n/health/live\n/health/ready\n/health/apis\n/configuration\n/configuration/reload (POST)\n/region\n/region/programs\n/region/tasks\n/region/workers\n/region/queues\n/region/links\n/region/units\n/region/trace\n/region/dumps\n/region/messages\n/openapi.json\n/zosConnect/apis\n/zosConnect/services\n/zosConnect/api-docs\n";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The documents: of what is our own, and of z/OS Connect's interface (whose place is z/OS Connect's).
const OPENAPI: &str = "/openapi.json";
const SWAGGER: &str = "/zosConnect/api-docs";
const HEALTH_OF_API: &str = "/health/apis/";

/// An answer: status, content type, body.
type Plain = (StatusCode, &'static str, String);

/// What a request wants, and so who may have it: what is none of these is open to all who reach the address.
fn wanted(method: &Method, uri: &Uri) -> Option<Admin> {
    match uri.path() {
        "/metrics" => Some(Admin::Metrics),
        "/health/apis" | OPENAPI | SWAGGER => Some(Admin::List(Kind::Api, Action::Read)),
        "/configuration/reload" => Some(Admin::Action(Action::Operate)),
        "/configuration" => Some(Admin::Action(Action::Read)),
        path if region::is_here(path) => Some(region::wanted(method, uri)),
        path if zos_connect::is_here(path) => Some(zos_connect::wanted(method, uri)),
        _ => None,
    }
}

/// An act of administration that a request is for: what, of which kind of thing, and which. None if it changes nothing.
struct Act {
    action: &'static str,
    kind: &'static str,
    name: Option<String>,
}

fn act(method: &Method, uri: &Uri) -> Option<Act> {
    match (method, uri.path()) {
        (&Method::POST, "/configuration/reload") => {
            Some(Act { action: "reload", kind: "configuration", name: None })
        }
        (_, path) if region::is_here(path) => region::act(method, uri),
        (_, path) if zos_connect::is_here(path) => zos_connect::act(method, uri),
        _ => None,
    }
}

/// Answers one request, and lets what it did be recorded.
pub(crate) async fn answer<B>(live: &Arc<Live>, peer: &Peer, request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let mut noted = Noted::default();
    let Some(act) = act(request.method(), request.uri()) else {
        return respond(live, (peer, &mut noted), request).await;
    };
    let before = live.gateway();
    let response = respond(live, (peer, &mut noted), request).await;
    live.record(
        &before,
        &Administration {
            user: noted.identity.as_deref().map(|identity| &*identity.name),
            address: Some(peer.address),
            action: act.action,
            kind: act.kind,
            name: act.name.as_deref().or(noted.name.as_deref()),
            status: Some(response.status()),
            succeeded: response.status().is_success(),
        },
    );
    response
}

/// What is learned of a request while it is answered.
#[derive(Debug, Default)]
struct Noted {
    /// Who asks, if that is known.
    identity: Option<Arc<Identity>>,
    /// What it is about, if only its body says that.
    name: Option<String>,
}

/// Answers one request; `noted` becomes what is learned of it. The gateway that serves when it comes decides about
/// it from beginning to end.
async fn respond<B>(
    live: &Arc<Live>,
    (peer, noted): (&Peer, &mut Noted),
    request: Request<B>,
) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let gateway = live.gateway();
    let (parts, body) = request.into_parts();
    let asked = (&parts.method, parts.uri.path());
    let checked = check_head(&gateway, peer, &parts).and_then(|()| check_page(&gateway, peer, &parts));
    if let Err(failure) = checked {
        return refuse(&gateway, asked, &Refusal::new(failure));
    }
    if let Some(wanted) = wanted(&parts.method, &parts.uri) {
        match gateway.security.admit_administrator(&wanted, peer, &parts.headers).await {
            Ok(known) => noted.identity = known,
            Err(refusal) => {
                noted.identity.clone_from(&refusal.identity);
                if let Admin::Invoke(_) = wanted {
                    return turn_away(&gateway, peer, &parts, refusal).await;
                }
                return refuse(&gateway, asked, &refusal);
            }
        }
    }
    if zos_connect::is_here(parts.uri.path()) && parts.uri.path() != SWAGGER {
        let asking = zos_connect::Asking { live, gateway: &gateway, peer, identity: noted.identity.clone() };
        let (status, json) = zos_connect::answer(asking, parts, body).await;
        return response(status, JSON, json);
    }
    if let (&Method::GET, Some(name)) = (&parts.method, parts.uri.path().strip_prefix(HEALTH_OF_API)) {
        let name = zos_connect::decoded(name);
        let (status, kind, body) = match gateway.security.admit_to_health(&name, peer, &parts.headers).await {
            Ok(in_full) => health::api(live, &gateway, (&name, in_full)).await,
            Err(refusal) => return refuse(&gateway, asked, &refusal),
        };
        return response(status, kind, body);
    }
    // Clients take the address that they know and the path of a document.
    if let (&Method::GET, Route::Document { api, document }) =
        (&parts.method, gateway.router.route(&parts.method, parts.uri.path()))
    {
        return match gateway.security.admit_reader(&gateway.apis[api].guard, peer, &parts.headers).await {
            Ok(_) => describe(document),
            Err(refusal) => refuse(&gateway, asked, &refusal),
        };
    }
    let (status, kind, body) = if region::is_here(parts.uri.path()) {
        let body = match region::body_max_bytes(&parts.method, &parts.uri) {
            Some(most) => match read(&gateway, body, most).await {
                Ok(body) => body,
                Err(failure) => return refuse(&gateway, asked, &Refusal::new(failure)),
            },
            None => Bytes::new(),
        };
        noted.name = region::subject(&body);
        region::answer(live, &gateway, region::Asked { method: &parts.method, uri: &parts.uri, body: &body })
            .await
    } else {
        plain(live, &gateway, (&parts, noted.identity.as_deref())).await
    };
    response(status, kind, body)
}

/// A body of at most so many bytes, within the time that bodies have.
async fn read<B>(gateway: &Gateway, body: B, most: usize) -> Result<Bytes, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let time = std::time::Duration::from_millis(gateway.limits.body_read_timeout_ms);
    let read = tokio::time::timeout(time, collect(body, most)).await;
    read.unwrap_or_else(|_| Err(Failure::new(Code::BodyTimeout)))
}

async fn plain(live: &Arc<Live>, gateway: &Gateway, (parts, identity): (&Parts, Option<&Identity>)) -> Plain {
    match (&parts.method, parts.uri.path()) {
        (&Method::GET, "/metrics") => {
            look_at_region(live);
            (StatusCode::OK, OPENMETRICS, live.metrics.text())
        }
        (&Method::GET, "/health" | "/health/live") => health::live(),
        (&Method::GET, "/health/ready") => health::ready(live),
        (&Method::GET, "/health/apis") => health::apis(live, gateway, identity).await,
        (&Method::GET, OPENAPI) => documents::administration(gateway),
        (&Method::GET, SWAGGER) => documents::zos_connect(gateway),
        (&Method::GET, "/configuration") => (StatusCode::OK, JSON, configuration(&live.state())),
        (&Method::POST, "/configuration/reload") => reload(live).await,
        (&Method::GET, "/") => (StatusCode::OK, TEXT, INDEX.to_owned()),
        (_, "/configuration/reload") => (StatusCode::METHOD_NOT_ALLOWED, TEXT, "POST only\n".to_owned()),
        (_, path)
            if path.starts_with(HEALTH_OF_API) || INDEX.lines().any(|known| known == path) || path == "/" =>
        {
            (StatusCode::METHOD_NOT_ALLOWED, TEXT, "GET only\n".to_owned())
        }
        _ => (StatusCode::NOT_FOUND, TEXT, format!("not found; there are:\n{INDEX}")),
    }
}

/// Refuses what a web page of somebody else makes the operator's browser send. Browsers name the page's origin with all
/// that changes something; and where nobody needs to be known, a page could reach this machine under a name of its own
/// (DNS rebinding), so that there the host must be an address, or a name that is not public.
fn check_page(gateway: &Gateway, peer: &Peer, parts: &Parts) -> Result<(), Failure> {
    let refused = |reason: &str| Err(Failure::with_details(Code::CorsRefused, reason));
    let host = host(&parts.uri, &parts.headers);
    if is_from_elsewhere(peer.secure, parts) {
        return refused("the page is of another origin");
    }
    let public = |host: &Authority| {
        let name = host.host().trim_matches(['[', ']']).trim_end_matches('.');
        name.parse::<std::net::IpAddr>().is_err() && name.contains('.') && !name.ends_with(".localhost")
    };
    if gateway.security.knows_nobody() && peer.address.is_loopback() && host.as_ref().is_some_and(public) {
        return refused("without authentication the host is this machine, by its address or as localhost");
    }
    Ok(())
}

/// The host and port for which a request is, as the caller knows them.
fn host(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let named = || headers.get(HOST).and_then(|host| host.to_str().ok()?.parse().ok());
    uri.authority().cloned().or_else(named)
}

fn response(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Loads the files now; faults are a conflict between the files and what serves.
async fn reload(live: &Arc<Live>) -> Plain {
    let loading = Arc::clone(live);
    let outcome = tokio::task::spawn_blocking(move || loading.reload()).await;
    let status = match outcome {
        Ok(Reload::Applied) => StatusCode::OK,
        Ok(Reload::Refused(_)) => StatusCode::CONFLICT,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    (status, JSON, configuration(&live.state()))
}

/// `current` says whether the files as they are now are what serves; `faults` why not, as `gantry check` shows them. `faultyParts` are
/// the programs and packages that are left out.
fn configuration(state: &State) -> String {
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

/// The gauges of the region say how it stands now.
fn look_at_region(live: &Live) {
    let Some(region) = live.gateway().region.clone() else { return };
    let (waiting, busy) = region.load();
    live.metrics.region_tasks_waiting.set(i64::try_from(waiting).unwrap_or(i64::MAX));
    live.metrics.region_workers_busy.set(i64::try_from(busy).unwrap_or(i64::MAX));
}
