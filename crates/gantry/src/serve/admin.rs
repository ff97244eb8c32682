//! The admin address: metrics, health and the configuration, apart from the APIs and on this machine only.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use security::{Action, Identity};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::accept::ACCEPT_RETRY;
use super::zos_connect;
use crate::handler::refuse;
use crate::intercept::Administration;
use crate::live::{Live, Reload, State};
use crate::security::{Admin, Peer};

const INDEX: &str = "/metrics\n/health\n/configuration\n/configuration/reload (POST)\n/zosConnect/apis\n/zosConnect/services\n";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves until the gateway stops.
pub(super) async fn serve(socket: TcpListener, live: Arc<Live>, mut stopping: watch::Receiver<bool>) {
    loop {
        let (stream, peer) = tokio::select! {
            () = super::stopped(&mut stopping) => return,
            accepted = socket.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    tokio::time::sleep(ACCEPT_RETRY).await;
                    continue;
                }
            },
        };
        let live = Arc::clone(&live);
        let peer = Arc::new(Peer { address: peer.ip(), secure: false, certificate: None });
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let (live, peer) = (Arc::clone(&live), Arc::clone(&peer));
                async move { Ok::<_, Infallible>(recorded(&live, &peer, request).await) }
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            let connection = http.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                tracing::debug!("admin connection ended: {error}");
            }
        });
    }
}

/// What a request wants, and so who may have it: health is open to all who reach the address.
fn wanted(method: &Method, uri: &Uri) -> Option<Admin> {
    match uri.path() {
        "/metrics" => Some(Admin::Metrics),
        "/configuration/reload" => Some(Admin::Action(Action::Operate)),
        "/configuration" => Some(Admin::Action(Action::Read)),
        path if path.starts_with(zos_connect::ROOT) => Some(zos_connect::wanted(method, uri)),
        _ => None,
    }
}

/// An act of administration that a request is for: what, of which kind of thing, and which. None if it changes nothing.
pub(super) struct Act {
    pub(super) action: &'static str,
    pub(super) kind: &'static str,
    pub(super) name: Option<String>,
}

fn act(method: &Method, uri: &Uri) -> Option<Act> {
    match (method, uri.path()) {
        (&Method::POST, "/configuration/reload") => {
            Some(Act { action: "reload", kind: "configuration", name: None })
        }
        (_, path) if path.starts_with(zos_connect::ROOT) => zos_connect::act(method, uri),
        _ => None,
    }
}

/// Answers a request, and lets what it did be recorded.
async fn recorded(live: &Arc<Live>, peer: &Peer, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let Some(act) = act(request.method(), request.uri()) else {
        return answer(live, (peer, &mut None), request).await;
    };
    let (before, mut identity) = (live.gateway(), None);
    let response = answer(live, (peer, &mut identity), request).await;
    live.record(
        &before,
        &Administration {
            user: identity.as_deref().map(|identity| &*identity.name),
            address: Some(peer.address),
            action: act.action,
            kind: act.kind,
            name: act.name.as_deref(),
            status: Some(response.status()),
            succeeded: response.status().is_success(),
        },
    );
    response
}

/// An answer: status, content type, body.
type Plain = (StatusCode, &'static str, String);

/// Answers a request; `identity` becomes who asked, if that is known.
async fn answer(
    live: &Arc<Live>,
    (peer, identity): (&Peer, &mut Option<Arc<Identity>>),
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let path = request.uri().path();
    if let Some(wanted) = wanted(request.method(), request.uri()) {
        let gateway = live.gateway();
        match gateway.security.admit_administrator(&wanted, peer, request.headers()).await {
            Ok(known) => *identity = known,
            Err(refusal) => {
                identity.clone_from(&refusal.identity);
                return refuse(&gateway, (request.method(), path), &refusal);
            }
        }
    }
    if path.starts_with(zos_connect::ROOT) {
        let (status, value) = zos_connect::answer(live, identity.clone(), request).await;
        return response(status, JSON, value.to_string());
    }
    let (status, kind, body) = match (request.method(), request.uri().path()) {
        (&Method::GET, "/metrics") => (StatusCode::OK, OPENMETRICS, live.metrics.text()),
        (&Method::GET, "/health") => (StatusCode::OK, TEXT, "up\n".to_owned()),
        (&Method::GET, "/configuration") => (StatusCode::OK, JSON, configuration(&live.state())),
        (&Method::POST, "/configuration/reload") => reload(live).await,
        (&Method::GET, "/") => (StatusCode::OK, TEXT, INDEX.to_owned()),
        (_, "/metrics" | "/health" | "/" | "/configuration") => {
            (StatusCode::METHOD_NOT_ALLOWED, TEXT, "GET only\n".to_owned())
        }
        (_, "/configuration/reload") => (StatusCode::METHOD_NOT_ALLOWED, TEXT, "POST only\n".to_owned()),
        _ => (StatusCode::NOT_FOUND, TEXT, format!("not found; there are:\n{INDEX}")),
    };
    response(status, kind, body)
}

fn response(status: StatusCode, kind: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
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

/// `current` says whether the files as they are now are what serves; `faults` why not, as `gantry check` shows them.
fn configuration(state: &State) -> String {
    let since = state.since.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let value = serde_json::json!({
        "generation": state.generation,
        "servingSinceUnixSeconds": since.as_secs(),
        "current": state.faults.is_none(),
        "faults": state.faults,
    });
    format!("{value}\n")
}
