//! One request from HTTP to HTTP: this is "Life of a request" in ARCHITECTURE.md, to be read from top to bottom.

mod answer;
mod call;
mod flow;
mod receive;

use std::fmt::Display;

use api::{Answer, Code, Failure, Inputs, Operation, PathValues, Route};
use bytes::Bytes;
use http::header::ALLOW;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response};
use http_body_util::Full;
use hyper::body::Body;
use security::Preflight;
use service::Payload;

use crate::gateway::{Gateway, Target};
use crate::security::{Admitted, Peer};
pub(crate) use answer::refuse;
use answer::{Failed, describe, fail, failed, log_access, preflight, success, user};
pub(crate) use call::call;
use flow::drive;
pub(crate) use receive::collect;
use receive::{check_head, receive};

/// Answers one request. It never fails: what goes wrong becomes an answer too.
pub(crate) async fn handle<B>(gateway: &Gateway, peer: &Peer, request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let (parts, body) = request.into_parts();
    if let Err(failure) = check_head(gateway, &parts) {
        return failed(gateway, &parts, None, &failure);
    }
    let (api, mut response) = match gateway.router.route(&parts.method, parts.uri.path()) {
        Route::Operation { api, index, operation, path } => {
            let place = Place { api, index, operation, path: &path };
            (api, operate(gateway, peer, place, (&parts, body)).await)
        }
        Route::Document { api, document } => {
            let admitted = gateway.security.admit_reader(gateway.guard(api), peer, &parts.headers).await;
            let response = match admitted {
                Ok(_) => describe(document),
                Err(refusal) => refuse(gateway, (&parts.method, parts.uri.path()), &refusal),
            };
            (api, response)
        }
        Route::WrongMethod { api, allow } => match wrong_method(gateway, api, (&parts, allow)) {
            Asked::Preflight(response) => return response,
            Asked::Wrong(response) => (api, response),
        },
        Route::Unknown => return failed(gateway, &parts, None, &Failure::new(Code::UnknownPath)),
    };
    if let Some(cors) = &gateway.guard(api).cors {
        cors.answer(&parts.headers, response.headers_mut());
    }
    response
}

/// The operation that a path leads to.
#[derive(Clone, Copy)]
struct Place<'p> {
    /// The API's place among all.
    api: usize,
    /// The operation's place in its API.
    index: usize,
    operation: &'p Operation,
    path: &'p PathValues<'p>,
}

/// Answers a request for an operation: lets it in, runs it, counts it.
async fn operate<B>(
    gateway: &Gateway,
    peer: &Peer,
    place: Place<'_>,
    (parts, body): (&Parts, B),
) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let target = gateway.target(place.api, place.index);
    let guard = gateway.operation_guard(place.api, place.index);
    let response = match gateway.security.admit(guard, peer, &parts.headers).await {
        Ok(admitted) => {
            let user = user(&admitted.identity);
            let work = Work { target, operation: place.operation, path: place.path, admitted: &admitted };
            match run(gateway, work, parts, body).await {
                Ok(answer) => {
                    log_access(parts, user, answer.status);
                    success(answer)
                }
                Err(failure) => {
                    let status = place.operation.status_of(failure.code);
                    let failed = Failed { user, failure: &failure, status };
                    fail(gateway, (&parts.method, parts.uri.path()), failed)
                }
            }
        }
        Err(refusal) => refuse(gateway, (&parts.method, parts.uri.path()), &refusal),
    };
    target.metrics.answered(response.status().as_u16());
    response
}

/// A call that has been let in.
struct Work<'w> {
    target: &'w Target,
    operation: &'w Operation,
    path: &'w PathValues<'w>,
    admitted: &'w Admitted<'w>,
}

/// Request mapping, call, response mapping.
async fn run<B>(gateway: &Gateway, work: Work<'_>, parts: &Parts, body: B) -> Result<Answer, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let Work { target, operation, path, admitted } = work;
    if !target.is_started() {
        return Err(Failure::new(Code::Stopped));
    }
    let body = receive(gateway, operation, parts, body).await?;
    let request = Inputs { path, query: parts.uri.query(), headers: &parts.headers, body: &body };
    match operation {
        Operation::Mapped(mapped) => {
            let [callee] = &*target.callees else { return Err(Failure::new(Code::Internal)) };
            let record = mapped.request(&request)?;
            let (service, caller) = (&*callee.service, admitted.caller());
            let payload = Payload::Record(record);
            let Payload::Record(record) =
                call((service, &callee.metrics), caller, payload, service.timeout).await?
            else {
                return Err(Failure::new(Code::BadRecord));
            };
            mapped.response(&record)
        }
        Operation::Flow(flow) => drive(target, flow, &request, admitted).await,
    }
}

/// What a method that a path does not offer is answered with.
enum Asked {
    /// A browser asked before it sends: that answer is complete.
    Preflight(Response<Full<Bytes>>),
    Wrong(Response<Full<Bytes>>),
}

fn wrong_method(gateway: &Gateway, api: usize, (parts, allow): (&Parts, &str)) -> Asked {
    if let (&Method::OPTIONS, Some(rules)) = (&parts.method, &gateway.guard(api).cors) {
        match rules.preflight(&parts.headers, allow) {
            Preflight::Allowed(headers) => return Asked::Preflight(preflight(headers)),
            Preflight::Refused => {
                return Asked::Wrong(failed(gateway, parts, None, &Failure::new(Code::CorsRefused)));
            }
            Preflight::Not => {}
        }
    }
    let mut response = failed(gateway, parts, None, &Failure::new(Code::WrongMethod));
    if let Ok(allow) = HeaderValue::from_str(allow) {
        response.headers_mut().insert(ALLOW, allow);
    }
    Asked::Wrong(response)
}
