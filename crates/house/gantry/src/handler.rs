//! One request from HTTP to HTTP: this is "Life of a request" in ARCHITECTURE.md, to be read from top to bottom.

mod answer;
mod call;
mod exchange;
mod flow;
mod receive;
mod request_id;
mod spans;

use std::fmt::Display;

use api::{Answer, Inputs, MappedOperation, Operation, Route};
use bytes::Bytes;
use conversion::StatedStatus;
use failure::{Code, Failure};
use http::header::ALLOW;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response};
use http_body_util::Full;
use hyper::body::Body;
use security::Preflight;
use service::Payload;
use tracing::Instrument;

use crate::gateway::{Gateway, OperationEntry, Target};
use crate::intercept::Stop;
use crate::security::{Peer, Refusal};
use crate::sight::SeenHeaders;
pub(crate) use answer::{describe, preflight, refuse};
use answer::{failed, failed_with, log_access, success, turned_away};
pub(crate) use call::{Sending, call};
pub(crate) use exchange::times;
use exchange::{Exchange, Place};
use flow::drive;
pub(crate) use receive::{check_head, collect, receive_json};
use receive::{check_page, receive};
pub(crate) use request_id::id_of;

/// Answers one request. It never fails: what goes wrong becomes an answer too.
pub(crate) async fn handle<B>(gateway: &Gateway, peer: &Peer, request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let (parts, body) = request.into_parts();
    let mut exchange = Exchange::begin(gateway, peer, &parts);
    let span = exchange.log_span();
    let answering = answer(&mut exchange, body).instrument(span);
    let (mut response, cpu) = gateway.metrics.sampling.request(answering).await;
    exchange.end(&mut response, cpu).await;
    response
}

/// Answers a request that is turned away before it leads to an operation. Those who watch see it as any other.
pub(crate) async fn turn_away(
    gateway: &Gateway,
    peer: &Peer,
    parts: &Parts,
    refusal: Refusal,
) -> Response<Full<Bytes>> {
    end_turned_away(Exchange::begin(gateway, peer, parts), refusal).await
}

/// Refuses a request for an operation. Those who watch see it as any other.
pub(crate) async fn turn_away_from(
    gateway: &Gateway,
    (peer, parts): (&Peer, &Parts),
    entry: OperationEntry<'_>,
    refusal: Refusal,
) -> Response<Full<Bytes>> {
    let mut exchange = Exchange::begin(gateway, peer, parts);
    exchange.leads_to(entry);
    end_turned_away(exchange, refusal).await
}

async fn end_turned_away(mut exchange: Exchange<'_>, refusal: Refusal) -> Response<Full<Bytes>> {
    let span = exchange.log_span();
    let mut response = span.in_scope(|| turned_away(&mut exchange, refusal));
    exchange.end(&mut response, None).await;
    response
}

async fn answer<B>(exchange: &mut Exchange<'_>, body: B) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let (gateway, peer, parts) = (exchange.gateway, exchange.peer, exchange.parts);
    if let Err(failure) = check_head(gateway, peer, parts) {
        return failed(exchange, &failure);
    }
    let (api, mut response) = match gateway.router.route(&parts.method, parts.uri.path()) {
        Route::Operation { api, index, path, .. } => {
            let entry = gateway.operation(api, index);
            exchange.leads_to(entry);
            (api, operate(exchange, Place { entry, path: &path }, body).await)
        }
        Route::Document { api, document } => {
            let response =
                match gateway.security.admit_reader(&gateway.apis[api].guard, peer, &parts.headers).await {
                    Ok(_) => describe(document),
                    Err(refusal) => turned_away(exchange, refusal),
                };
            (api, response)
        }
        Route::WrongMethod { api, allow } => match wrong_method(exchange, api, allow) {
            Asked::Preflight(response) => return response,
            Asked::Wrong(response) => (api, response),
        },
        Route::Unknown => return failed(exchange, &Failure::new(Code::UnknownPath)),
    };
    if let Some(cors) = &gateway.apis[api].guard.cors {
        cors.answer(&parts.headers, response.headers_mut());
    }
    response
}

/// Answers a request for an operation: lets it in, or not, and runs it.
async fn operate<B>(exchange: &mut Exchange<'_>, place: Place<'_>, body: B) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let (gateway, peer, parts) = (exchange.gateway, exchange.peer, exchange.parts);
    let OperationEntry { api, operation, guard, .. } = place.entry;
    if let Err(failure) = check_page(&api.guard, peer, parts) {
        return failed(exchange, &failure);
    }
    // What it counts against its limits lasts until the answer.
    let admitted = match gateway.security.admit(guard, peer, &parts.headers).await {
        Ok(admitted) => admitted,
        Err(refusal) => return turned_away(exchange, refusal),
    };
    exchange.identity.clone_from(&admitted.identity);
    match run(exchange, place, body).await {
        Ok(answer) => {
            log_access(exchange, answer.status);
            success(answer)
        }
        Err(Stop { failure, status }) => {
            let status = status.unwrap_or_else(|| operation.status_of(failure.code));
            failed_with(exchange, &failure, status)
        }
    }
}

/// Interceptors, request mapping, call, response mapping.
async fn run<B>(exchange: &mut Exchange<'_>, place: Place<'_>, body: B) -> Result<Answer, Stop>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let Place { entry: OperationEntry { api, operation, target, .. }, path } = place;
    let (gateway, parts) = (exchange.gateway, exchange.parts);
    if !target.is_started() {
        return Err(Failure::new(Code::Stopped).into());
    }
    let body = receive(gateway, operation, parts, body).await?;
    exchange.request_bytes = body.len();
    exchange.intercept(&body).await?;
    let changed = exchange.take_headers();
    let headers = changed.as_ref().unwrap_or(&parts.headers);
    let properties = api.properties(headers);
    let properties: Vec<(&str, &str)> = properties.iter().map(|(name, value)| (*name, &**value)).collect();
    if !properties.is_empty() {
        // Shown escaped, as all that comes from outside.
        tracing::debug!(id = exchange.id_if_made(), ?properties, "properties set by the policy");
    }
    let request = Inputs { path, query: parts.uri.query(), headers, body: &body };
    let answer = match operation {
        Operation::Mapped(mapped) => map(exchange, (target, mapped), (&request, &properties)).await,
        Operation::Flow(flow) => drive(exchange, (target, flow), (&request, &properties)).await,
    };
    Ok(answer?)
}

/// Request mapping, call, response mapping.
async fn map(
    exchange: &mut Exchange<'_>,
    (target, mapped): (&Target, &MappedOperation),
    (request, properties): (&Inputs<'_>, &[(&str, &str)]),
) -> Result<Answer, Failure> {
    let [callee] = &*target.callees else { return Err(Failure::new(Code::Internal)) };
    let record = exchange.request_mapping(|| mapped.request(request))?;
    let (leg, headers) = (exchange.leg(), SeenHeaders(request.headers));
    let request = Payload::Record(record);
    let sending = Sending { request, timed: exchange.gateway.watch.times };
    let callee = (&*callee.service, &callee.metrics);
    let sent = call(callee, exchange.context((&headers, properties), leg.as_ref()), sending).await;
    let (Payload::Record(record), stated) = exchange.note(0, leg, sent)?.apart() else {
        return Err(Failure::new(Code::BadRecord));
    };
    let stated = stated.map(|line| StatedStatus::parse(&line)).transpose()?;
    let mut answer = exchange.response_mapping(|| mapped.response(&record))?;
    if let Some(stated) = stated {
        answer.state(stated);
    }
    Ok(answer)
}

/// What a method that a path does not offer is answered with.
enum Asked {
    /// A browser asked before it sends: that answer is complete.
    Preflight(Response<Full<Bytes>>),
    Wrong(Response<Full<Bytes>>),
}

fn wrong_method(exchange: &mut Exchange<'_>, api: usize, allow: &str) -> Asked {
    let (gateway, parts) = (exchange.gateway, exchange.parts);
    if let (&Method::OPTIONS, Some(rules)) = (&parts.method, &gateway.apis[api].guard.cors) {
        match rules.preflight(&parts.headers, allow) {
            Preflight::Allowed(headers) => return Asked::Preflight(preflight(headers)),
            Preflight::Refused => {
                return Asked::Wrong(failed(exchange, &Failure::new(Code::CorsRefused)));
            }
            Preflight::Not => {}
        }
    }
    let mut response = failed(exchange, &Failure::new(Code::WrongMethod));
    if let Ok(allow) = HeaderValue::from_str(allow) {
        response.headers_mut().insert(ALLOW, allow);
    }
    Asked::Wrong(response)
}
