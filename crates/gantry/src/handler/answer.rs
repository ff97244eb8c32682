//! What goes out: successes, documents and failures, and what the log says of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use api::{Answer, Code, Document, Failure, JSON};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use http_body_util::Full;
use security::Identity;

use crate::gateway::Gateway;
use crate::security::Refusal;

/// Seconds after which a caller may try a refused request again.
const RETRY_AFTER_S: u32 = 1;

/// The user's name, for logs.
pub(super) fn user(identity: &Option<Arc<Identity>>) -> Option<&str> {
    identity.as_deref().map(|identity| &*identity.name)
}

/// The answer to a browser that asks before it sends (no credentials come with that).
pub(super) fn preflight(headers: HeaderMap) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    *response.headers_mut() = headers;
    response
}

const JSON_VALUE: HeaderValue = HeaderValue::from_static(JSON);

pub(super) fn success(answer: Answer) -> Response<Full<Bytes>> {
    let is_json = !answer.body.is_empty();
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = answer.status;
    if is_json {
        response.headers_mut().insert(CONTENT_TYPE, JSON_VALUE);
    }
    for (name, value) in answer.headers {
        response.headers_mut().insert(name, value);
    }
    response
}

pub(super) fn describe(document: &Document) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_owner(Arc::clone(&document.text))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(document.content_type));
    response
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The one function that turns failures into answers: the caller gets code and place, the log gets the rest, and an
/// id leads from one to the other.
pub(super) fn failed(
    gateway: &Gateway,
    parts: &Parts,
    user: Option<&str>,
    failure: &Failure,
) -> Response<Full<Bytes>> {
    let failed = Failed { user, failure, status: failure.code.status() };
    fail(gateway, (&parts.method, parts.uri.path()), failed)
}

/// The answer to a request that is not let in, with its challenges or the time to wait.
pub(crate) fn refuse(
    gateway: &Gateway,
    request: (&Method, &str),
    refusal: &Refusal,
) -> Response<Full<Bytes>> {
    let failure = &refusal.failure;
    let failed = Failed { user: user(&refusal.identity), failure, status: failure.code.status() };
    let mut response = fail(gateway, request, failed);
    for (name, value) in &refusal.headers {
        response.headers_mut().append(name, value.clone());
    }
    response
}

/// What failed, for whom, and the status that the API has for it.
pub(super) struct Failed<'f> {
    pub(super) user: Option<&'f str>,
    pub(super) failure: &'f Failure,
    pub(super) status: StatusCode,
}

pub(super) fn fail(gateway: &Gateway, request: (&Method, &str), failed: Failed<'_>) -> Response<Full<Bytes>> {
    let Failed { user, failure, status } = failed;
    let id = request_id();
    log(&id, request, (user, status), failure);
    gateway.metrics.failed(failure.code.as_str());
    let mut response = Response::new(Full::new(Bytes::from(failure.body())));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON_VALUE);
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    if failure.code == Code::ProviderRefused {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(RETRY_AFTER_S));
    }
    response
}

/// The access log: who called what. Failures have a line of their own.
pub(super) fn log_access(parts: &Parts, user: Option<&str>, status: StatusCode) {
    let (method, path, status) = (&parts.method, parts.uri.path(), status.as_u16());
    let user = user.unwrap_or_default();
    tracing::debug!(target: "gantry::access", %method, path, status, ?user, "request answered");
}

fn log(
    id: &str,
    (method, path): (&Method, &str),
    (user, status): (Option<&str>, StatusCode),
    failure: &Failure,
) {
    // What comes from outside is shown escaped, so that it cannot make a line of its own.
    let Failure { code, details, log } = failure;
    let (code, status) = (code.as_str(), status.as_u16());
    let user = user.unwrap_or_default();
    let (details, cause) = (details.as_deref().unwrap_or_default(), log.as_deref().unwrap_or_default());
    if status >= 500 {
        tracing::warn!(id, %method, path, status, ?user, code, ?details, ?cause, "request failed");
    } else {
        tracing::debug!(id, %method, path, status, ?user, code, ?details, ?cause, "request refused");
    }
}

/// An id that no other failure of this process has, and hardly one of another process.
fn request_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    static PROCESS: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    let process = PROCESS.get_or_init(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        (now.as_millis() as u64) << 16 | u64::from(std::process::id() & 0xFFFF)
    });
    format!("{process:x}-{:x}", NEXT.fetch_add(1, Ordering::Relaxed))
}
