//! One request from HTTP to HTTP: this is "Life of a request" in ARCHITECTURE.md, to be read from top to bottom.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use api::{Answer, Code, Document, Failure, JSON, Operation, PathValues, Route};
use bytes::{Bytes, BytesMut};
use http::header::{ALLOW, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use security::{Identity, Preflight};
use service::{Outcome, Payload, Service};

use crate::gateway::{Gateway, Target};
use crate::metrics::ServiceMetrics;
use crate::security::{Admitted, Peer, Refusal};

/// Seconds after which a caller may try a refused request again.
const RETRY_AFTER_S: u32 = 1;

/// Answers one request. It never fails: what goes wrong becomes an answer too.
pub(crate) async fn handle(
    gateway: &Gateway,
    peer: &Peer,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    if let Err(failure) = check_head(gateway, &parts) {
        return failed(gateway, &parts, None, &failure);
    }
    let cors = |api: usize, mut response: Response<Full<Bytes>>| {
        if let Some(cors) = &gateway.guard(api).cors {
            cors.answer(&parts.headers, response.headers_mut());
        }
        response
    };
    match gateway.router.route(&parts.method, parts.uri.path()) {
        Route::Operation { api, index, operation, path } => {
            let target = gateway.target(api, index);
            let guard = gateway.operation_guard(api, index);
            let response = match gateway.security.admit(guard, peer, &parts.headers).await {
                Ok(admitted) => {
                    let user = user(&admitted.identity);
                    if !target.is_started() {
                        return cors(api, failed(gateway, &parts, user, &Failure::new(Code::Stopped)));
                    }
                    let work = Work { target, operation, path: &path, admitted: &admitted };
                    match run(gateway, work, &parts, body).await {
                        Ok(answer) => {
                            log_access(&parts, user, answer.status);
                            success(answer)
                        }
                        Err(failure) => {
                            let status = operation.status_of(failure.code);
                            let failed = Failed { user, failure: &failure, status };
                            fail(gateway, (&parts.method, parts.uri.path()), failed)
                        }
                    }
                }
                Err(refusal) => refuse(gateway, (&parts.method, parts.uri.path()), &refusal),
            };
            target.metrics.answered(response.status().as_u16());
            cors(api, response)
        }
        Route::Document { api, document } => {
            let admitted = gateway.security.admit_reader(gateway.guard(api), peer, &parts.headers).await;
            let response = match admitted {
                Ok(_) => describe(document),
                Err(refusal) => refuse(gateway, (&parts.method, parts.uri.path()), &refusal),
            };
            cors(api, response)
        }
        Route::WrongMethod { api, allow } => {
            let guard = gateway.guard(api);
            if let (&Method::OPTIONS, Some(rules)) = (&parts.method, &guard.cors) {
                match rules.preflight(&parts.headers, allow) {
                    Preflight::Allowed(headers) => return preflight(headers),
                    Preflight::Refused => {
                        return cors(api, failed(gateway, &parts, None, &Failure::new(Code::CorsRefused)));
                    }
                    Preflight::Not => {}
                }
            }
            let mut response = failed(gateway, &parts, None, &Failure::new(Code::WrongMethod));
            if let Ok(allow) = HeaderValue::from_str(allow) {
                response.headers_mut().insert(ALLOW, allow);
            }
            cors(api, response)
        }
        Route::Unknown => failed(gateway, &parts, None, &Failure::new(Code::UnknownPath)),
    }
}

/// A call that has been let in.
struct Work<'w> {
    target: &'w Target,
    operation: &'w Operation,
    path: &'w PathValues<'w>,
    admitted: &'w Admitted<'w>,
}

fn user(identity: &Option<Arc<Identity>>) -> Option<&str> {
    identity.as_deref().map(|identity| &*identity.name)
}

/// The answer to a browser that asks before it sends (no credentials come with that).
fn preflight(headers: HeaderMap) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    *response.headers_mut() = headers;
    response
}

/// What HTTP asks of every request, whatever it is for. HTTP/1.1 headers are counted while they are read; those of
/// HTTP/2 are not.
fn check_head(gateway: &Gateway, parts: &Parts) -> Result<(), Failure> {
    if parts.headers.len() > gateway.limits.header_count_max {
        return Err(Failure::new(Code::TooManyHeaders));
    }
    // RFC 9112, section 3.2; HTTP/2 has the host in a pseudo-header.
    if parts.version == Version::HTTP_11 && parts.headers.get_all(HOST).iter().count() != 1 {
        return Err(Failure::new(Code::BadHost));
    }
    Ok(())
}

/// Request mapping, call, response mapping.
async fn run(gateway: &Gateway, work: Work<'_>, parts: &Parts, body: Incoming) -> Result<Answer, Failure> {
    let Work { target, operation, path, admitted } = work;
    let body = receive(gateway, operation, parts, body).await?;
    let record = operation.request(path, parts.uri.query(), &parts.headers, &body)?;
    let callee = (&*target.service, &target.service_metrics);
    let Payload::Record(record) = call(callee, admitted.caller(), Payload::Record(record)).await? else {
        return Err(Failure::new(Code::BadRecord));
    };
    operation.response(&record)
}

/// Reads the whole body, within the limits of size and time.
async fn receive(
    gateway: &Gateway,
    operation: &Operation,
    parts: &Parts,
    body: Incoming,
) -> Result<Bytes, Failure> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    if operation.takes_body() {
        check_content_type(parts)?;
    }
    if parts.headers.contains_key(CONTENT_ENCODING) {
        return Err(Failure::with_details(Code::WrongContentType, "content-encoding is not supported"));
    }
    let limit = gateway.limits.request_body_max_bytes;
    if declared_length(parts).is_some_and(|length| length > limit as u64) {
        return Err(too_large(limit));
    }
    let time = Duration::from_millis(gateway.limits.body_read_timeout_ms);
    within(time, collect(body, limit)).await.unwrap_or_else(|| Err(Failure::new(Code::BodyTimeout)))
}

fn too_large(limit: usize) -> Failure {
    Failure::with_details(Code::BodyTooLarge, format!("the limit is {limit} bytes"))
}

fn declared_length(parts: &Parts) -> Option<u64> {
    parts.headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A body needs no content type, but one that is given must be JSON in UTF-8.
fn check_content_type(parts: &Parts) -> Result<(), Failure> {
    let mut values = parts.headers.get_all(CONTENT_TYPE).iter();
    let Some(value) = values.next() else { return Ok(()) };
    if values.next().is_some() {
        return Err(Failure::with_details(Code::WrongContentType, "content-type is given more than once"));
    }
    if value.as_bytes() == JSON.as_bytes() || value.to_str().is_ok_and(is_json) {
        return Ok(());
    }
    Err(Failure::new(Code::WrongContentType))
}

fn is_json(content_type: &str) -> bool {
    let mut pieces = content_type.split(';').map(str::trim);
    let charset_is_utf8 = |piece: &str| match piece.split_once('=') {
        Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
            value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    };
    pieces.next().is_some_and(|kind| kind.eq_ignore_ascii_case(JSON)) && pieces.all(charset_is_utf8)
}

/// Joins the frames of a body; mostly there is one, which is taken as it is.
pub(crate) async fn collect(mut body: Incoming, limit: usize) -> Result<Bytes, Failure> {
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame
            .map_err(|error| Failure { log: Some(error.to_string()), ..Failure::new(Code::BodyBroken) })?;
        let Ok(data) = frame.into_data() else { continue };
        if first.len() + joined.len() + data.len() > limit {
            return Err(too_large(limit));
        }
        if first.is_empty() && joined.is_empty() {
            first = data;
        } else {
            joined.extend_from_slice(&std::mem::take(&mut first));
            joined.extend_from_slice(&data);
        }
    }
    Ok(if joined.is_empty() { first } else { joined.freeze() })
}

/// Calls the service within its time.
pub(crate) async fn call(
    (service, metrics): (&Service, &ServiceMetrics),
    caller: Option<service::Caller<'_>>,
    request: Payload,
) -> Result<Payload, Failure> {
    let outcome = match metrics.measure(|| service.call(caller, request)) {
        Outcome::Ready(result) => result,
        Outcome::Pending(future) => {
            let mut future = future;
            let measured =
                std::future::poll_fn(|context| metrics.measure_more(|| future.as_mut().poll(context)));
            within(service.timeout, measured).await.unwrap_or_else(|| Err(service::Error::timed_out()))
        }
    };
    outcome.map_err(|error| {
        let mut failure = Failure::from_service(&error);
        if failure.code == Code::ProviderTimeout {
            failure.details = Some(format!("the limit is {} ms", service.timeout.as_millis()));
        }
        failure
    })
}

/// Waits for something; none if it takes longer. A timer is only made if there is any waiting.
async fn within<T>(time: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let first = std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await;
    match first {
        Poll::Ready(value) => Some(value),
        Poll::Pending => tokio::time::timeout(time, future).await.ok(),
    }
}

const JSON_VALUE: HeaderValue = HeaderValue::from_static(JSON);

fn success(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = answer.status;
    response.headers_mut().insert(CONTENT_TYPE, JSON_VALUE);
    for (name, value) in answer.headers {
        response.headers_mut().insert(name, value);
    }
    response
}

fn describe(document: &Document) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_owner(std::sync::Arc::clone(&document.text))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(document.content_type));
    response
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The one function that turns failures into answers: the caller gets code and place, the log gets the rest, and an
/// id leads from one to the other.
fn failed(gateway: &Gateway, parts: &Parts, user: Option<&str>, failure: &Failure) -> Response<Full<Bytes>> {
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
struct Failed<'f> {
    user: Option<&'f str>,
    failure: &'f Failure,
    status: StatusCode,
}

fn fail(gateway: &Gateway, request: (&Method, &str), failed: Failed<'_>) -> Response<Full<Bytes>> {
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
fn log_access(parts: &Parts, user: Option<&str>, status: StatusCode) {
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
