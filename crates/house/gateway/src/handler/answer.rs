//! Answers: successes, documents and failures, and their log lines.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use api::{Answer, Document};
use bytes::Bytes;
use failure::{Code, Failure, JSON};
use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use http_body_util::Full;
use hyper::ext::ReasonPhrase;
use security::{Cors, Preflight};

use super::exchange::{Arrival, Exchange};
use super::front::Ending;
use super::log_limit::LogLimit;
use super::request_id::{REQUEST_ID, request_id};
use crate::gateway::Gateway;
use admission::Refusal;
use recording::chains::Stop;

/// The seconds after which a caller may repeat a refused request.
const RETRY_AFTER_S: u32 = 1;

/// The answer to a browser's preflight, which has no credentials.
pub(crate) fn preflight(headers: HeaderMap) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    *response.headers_mut() = headers;
    response
}

/// The answer for a method that a path does not offer. `cors` says which pages may see the answer.
/// It becomes none if the answer is complete without it.
pub(super) fn wrong_method(
    exchange: &mut Exchange<'_>,
    cors: &mut Option<&Cors>,
    allow: &str,
) -> Response<Full<Bytes>> {
    let parts = exchange.arrival.parts;
    if let (&Method::OPTIONS, Some(rules)) = (&parts.method, *cors) {
        match rules.preflight(&parts.headers, allow) {
            Preflight::Allowed(headers) => {
                *cors = None;
                return preflight(headers);
            }
            Preflight::Refused(why) => {
                return failed(exchange, &Failure::with_details(Code::CorsRefused, why));
            }
            Preflight::Not => {}
        }
    }
    let mut response = failed(exchange, &Failure::new(Code::WrongMethod));
    if let Ok(allow) = HeaderValue::from_str(allow) {
        response.headers_mut().insert(ALLOW, allow);
    }
    response
}

/// The answer to a request for the gateway itself, without a path (RFC 9110, section 9.3.7).
pub(super) fn options_of_server() -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static("DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"));
    response
}

const JSON_VALUE: HeaderValue = HeaderValue::from_static(JSON);

pub(super) fn success(answer: Answer) -> Response<Full<Bytes>> {
    let is_json = !answer.body.is_empty();
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = answer.status;
    if let Some(reason) = answer.reason.and_then(|reason| ReasonPhrase::try_from(reason).ok()) {
        response.extensions_mut().insert(reason);
    }
    if is_json {
        response.headers_mut().insert(CONTENT_TYPE, JSON_VALUE);
    }
    for (name, value) in answer.headers {
        // There may be several cookies.
        response.headers_mut().append(name, value);
    }
    response
}

/// The answer to a request for a document of an API.
pub fn describe(document: &Document) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_owner(Arc::clone(&document.text))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(document.content_type));
    response
}

/// A failure: the request, its caller, and the status of the answer.
pub(super) struct Failed<'f> {
    /// The operation of the request, and the services that it calls.
    pub(super) called: Option<(&'f str, &'f str)>,
    pub(super) id: &'f HeaderValue,
    pub(super) method: &'f Method,
    pub(super) path: &'f str,
    pub(super) user: Option<&'f str>,
    pub(super) failure: &'f Failure,
    pub(super) status: StatusCode,
}

/// The answer to a failed request, with the status of its code.
pub(crate) fn failed(exchange: &mut Exchange<'_>, failure: &Failure) -> Response<Full<Bytes>> {
    failed_with(exchange, failure, failure.code.status())
}

/// The answer to a failed request, with a status of the API.
pub(super) fn failed_with(
    exchange: &mut Exchange<'_>,
    failure: &Failure,
    status: StatusCode,
) -> Response<Full<Bytes>> {
    exchange.fails_with(failure.code);
    let id = &exchange.id().clone();
    let Arrival { gateway, parts, .. } = exchange.arrival;
    let (method, path) = (&parts.method, parts.uri.path());
    // Before a call, the operation may not be clear yet.
    let called = exchange.operation().filter(|_| !failure.code.is_of_caller());
    let called = called.map(|entry| (entry.operation.id(), entry.target.services.as_str()));
    fail(gateway, &Failed { called, id, method, path, user: exchange.user(), failure, status })
}

/// The answer to a request that ended before its call.
pub(crate) fn ended(exchange: &mut Exchange<'_>, ending: Ending) -> Response<Full<Bytes>> {
    match ending {
        Ending::Failed(Stop { failure, status }) => {
            let status = status.unwrap_or_else(|| match exchange.operation() {
                Some(entry) => entry.operation.status_of(failure.code),
                None => failure.code.status(),
            });
            failed_with(exchange, &failure, status)
        }
        Ending::Refused(refusal) => turned_away(exchange, refusal),
        Ending::Answered(response) => *response,
    }
}

/// The answer to a refused request, with its challenges or the time to wait.
pub(super) fn turned_away(exchange: &mut Exchange<'_>, refusal: Refusal) -> Response<Full<Bytes>> {
    let status = refusal.failure.code.status();
    turned_away_with(exchange, refusal, status)
}

/// The same with another status.
pub(super) fn turned_away_with(
    exchange: &mut Exchange<'_>,
    refusal: Refusal,
    status: StatusCode,
) -> Response<Full<Bytes>> {
    exchange.identity = refusal.identity;
    let mut response = failed_with(exchange, &refusal.failure, status);
    extend(&mut response, &refusal.headers);
    response
}

/// The same for a request at the admin address, which has no operation.
pub fn refuse(
    gateway: &Gateway,
    (method, path): (&Method, &str),
    refusal: &Refusal,
) -> Response<Full<Bytes>> {
    let (id, failure) = (&request_id(), &refusal.failure);
    let user = refusal.identity.as_deref().map(|identity| &*identity.name);
    let status = failure.code.status();
    let mut response = fail(gateway, &Failed { called: None, id, method, path, user, failure, status });
    extend(&mut response, &refusal.headers);
    response
}

fn extend(response: &mut Response<Full<Bytes>>, headers: &[(HeaderName, HeaderValue)]) {
    for (name, value) in headers {
        response.headers_mut().append(name, value.clone());
    }
}

/// The only function that turns failures into answers. The caller gets code and place, the log gets
/// the rest, and an id connects both.
fn fail(gateway: &Gateway, failed: &Failed<'_>) -> Response<Full<Bytes>> {
    let Failed { id, failure, status, .. } = *failed;
    log(failed);
    gateway.metrics.failed(failure.code.as_str());
    let mut response = Response::new(Full::new(Bytes::from(failure.body())));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON_VALUE);
    response.headers_mut().insert(REQUEST_ID, id.clone());
    if failure.code.may_retry_later() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(RETRY_AFTER_S));
    }
    response
}

/// The target of the access log: all requests that succeed or are refused. Failures of the gateway
/// and of providers are logged as warnings.
pub(super) const ACCESS: &str = "gantry::access";

/// Writes the access log: callers and their calls. Failures have other lines.
pub(super) fn log_access(exchange: &mut Exchange<'_>, status: StatusCode) {
    if !tracing::enabled!(target: ACCESS, tracing::Level::DEBUG) {
        return;
    }
    let id = exchange.id().clone();
    let (id, method, path) = (shown(&id), &exchange.arrival.parts.method, exchange.arrival.parts.uri.path());
    let (status, user) = (status.as_u16(), exchange.user().unwrap_or_default());
    tracing::debug!(target: ACCESS, id, %method, path, status, user, "request answered");
}

/// Writes the access log of a request that gets no answer.
pub(super) fn log_abandoned(exchange: &mut Exchange<'_>) {
    if !tracing::enabled!(target: ACCESS, tracing::Level::DEBUG) {
        return;
    }
    let id = exchange.id().clone();
    let (id, method, path) = (shown(&id), &exchange.arrival.parts.method, exchange.arrival.parts.uri.path());
    let user = exchange.user().unwrap_or_default();
    tracing::debug!(target: ACCESS, id, %method, path, user, "request cancelled");
}

fn log(failed: &Failed<'_>) {
    // Outside texts are shown escaped, so that they cannot forge log lines.
    let Failed { called, id, method, path, user, failure, status } = *failed;
    let Failure { code, details, log } = failure;
    let is_of_caller = status.is_client_error() || code.is_of_caller();
    // `written` is none for a line that is left out, and says how many were left out before one that is not.
    let written = limit_of(failed).map_or(Some(0), |limit| limit.line(now_s()));
    let left_out = written.filter(|left_out| *left_out > 0);
    let (id, code, status) = (shown(id), code.as_str(), status.as_u16());
    let (operation, service) = called.unzip();
    let user = user.unwrap_or_default();
    let (details, cause) = (details.as_deref().unwrap_or_default(), log.as_deref().unwrap_or_default());
    if is_of_caller || written.is_none() {
        tracing::debug!(target: ACCESS, id, %method, path, operation, service, status, user, code, details, cause, "request refused");
    } else {
        tracing::warn!(id, %method, path, operation, service, status, user, code, details, cause, left_out, "request failed");
    }
}

/// The limits of lines that requests of one kind have together.
const PLACES: usize = 256;

/// The limit of lines that each request would have: under overload, if a mapping has a fault, and if a queue
/// takes nothing.
fn limit_of(failed: &Failed<'_>) -> Option<&'static LogLimit> {
    static OVERLOAD: LogLimit = LogLimit::new();
    match failed.failure.code {
        Code::TooManyAtOnce | Code::NotRecorded | Code::AuthenticationBusy => Some(&OVERLOAD),
        Code::MappingFailed => Some(limit_of_mapping(failed)),
        Code::QueueUnavailable => Some(limit_of_queue(failed)),
        _ => None,
    }
}

/// Different queues have different limits, as far as places go.
fn limit_of_queue(failed: &Failed<'_>) -> &'static LogLimit {
    static QUEUES: [LogLimit; PLACES] = [const { LogLimit::new() }; PLACES];
    place_of(&QUEUES, failed.path)
}

/// Different faults have different limits, as far as places go. The end of the cause has the expression and its line; what
/// stands before may have data of the request.
fn limit_of_mapping(failed: &Failed<'_>) -> &'static LogLimit {
    static MAPPINGS: [LogLimit; PLACES] = [const { LogLimit::new() }; PLACES];
    let expression = failed.failure.log.as_deref().and_then(|cause| cause.rsplit_once(", in "));
    let operation = failed.called.map(|(operation, _)| operation);
    place_of(&MAPPINGS, (operation, expression.map(|(_, expression)| expression)))
}

fn place_of(limits: &'static [LogLimit; PLACES], key: impl Hash) -> &'static LogLimit {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    &limits[(hasher.finish() % PLACES as u64) as usize]
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// An id as text. All our ids are ASCII.
fn shown(id: &HeaderValue) -> &str {
    id.to_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use http::header::SET_COOKIE;

    use super::*;

    #[test]
    fn an_answer_has_all_cookies_that_its_mapping_sets() {
        let cookies = ["a=1", "b=2"].map(HeaderValue::from_static);
        let headers = cookies.clone().map(|cookie| (SET_COOKIE, cookie)).into();
        let response = success(Answer { status: StatusCode::OK, reason: None, headers, body: Vec::new() });
        assert!(response.headers().get_all(SET_COOKIE).iter().eq(&cookies));
    }
}
