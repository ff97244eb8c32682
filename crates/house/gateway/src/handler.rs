//! One request from HTTP to HTTP: "Life of a request" in ARCHITECTURE.md. `front.rs` has the order
//! of the steps. `rest.rs` has the steps of REST.

mod answer;
mod call;
mod direct;
mod exchange;
mod flow;
mod front;
mod log_limit;
mod messaging;
mod receive;
mod request_id;
mod rest;
mod soap;
mod spans;
mod web;

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Body;

use self::answer::turned_away;
pub use self::answer::{describe, refuse};
pub(crate) use self::answer::{ended, failed, preflight};
use crate::gateway::{Gateway, OperationEntry, WebServiceEntry};
use crate::messaging::Desk;
use crate::uri_maps::UriMapEntry;
use admission::{Peer, Refusal};
pub(crate) use call::CountedService;
pub use direct::{Answered, Direct, Form};
pub use exchange::Arrival;
use exchange::Destination;
pub(crate) use exchange::Exchange;
pub(crate) use front::Ending;
use front::run_watched;
pub use front::{Front, run};

use messaging::Messaging;
pub(crate) use receive::receive_any;
pub use receive::{check_head, collect};
use rest::Rest;
use service::ProgramTask;
use soap::Soap;
use web::Web;

/// Answers one request, in the front of its path: MCP, messaging, a web service, or a program that
/// answers it itself. REST has all other paths. It never fails, because a failure also becomes an answer.
pub async fn answer<B>(gateway: &Arc<Gateway>, peer: &Arc<Peer>, request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    // Boxed, because these are rare and would enlarge the future of every other request.
    if let Some(mcp) = &gateway.mcp
        && mcp.has(request.uri().path())
    {
        return Box::pin(mcp.answer(gateway, peer, request)).await;
    }
    if let Some(desk) = &gateway.desk
        && messaging::has(request.uri().path())
    {
        return Box::pin(ask(gateway, peer, desk, request)).await;
    }
    if let Some(entry) = gateway.web_services.at(request.uri().path()) {
        return Box::pin(take(gateway, peer, entry, request)).await;
    }
    if gateway.uri_maps.has_any() {
        return Box::pin(answer_mapped(gateway, peer, request)).await;
    }
    handle(gateway, peer, request).await
}

/// Answers one request where programs answer requests themselves. They get what no API has.
async fn answer_mapped<B>(gateway: &Gateway, peer: &Peer, request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let (parts, body) = request.into_parts();
    let is_unknown = || matches!(gateway.router.route(&parts.method, parts.uri.path()), api::Route::Unknown);
    match gateway.uri_maps.of(&parts).filter(|_| is_unknown()) {
        Some(entry) => serve(Arrival { gateway, peer, parts: &parts }, entry, body).await,
        None => handle(gateway, peer, Request::from_parts(parts, body)).await,
    }
}

/// Answers one request by the program of a URIMAP.
async fn serve<B>(arrival: Arrival<'_>, entry: &UriMapEntry, body: B) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    run_watched(&mut Web::new(arrival, entry, body)).await
}

/// Answers one request for a web service.
async fn take<B>(
    gateway: &Gateway,
    peer: &Peer,
    entry: &WebServiceEntry,
    request: Request<B>,
) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let (parts, body) = request.into_parts();
    run_watched(&mut Soap::new(Arrival { gateway, peer, parts: &parts }, entry, body)).await
}

/// Answers one request for the queue manager.
async fn ask<B>(gateway: &Gateway, peer: &Peer, desk: &Desk, request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let (parts, body) = request.into_parts();
    run_watched(&mut Messaging::new(Arrival { gateway, peer, parts: &parts }, desk, body)).await
}

/// Answers one request for an API. It never fails, because a failure also becomes an answer.
pub async fn handle<B>(gateway: &Gateway, peer: &Peer, request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    let (parts, body) = request.into_parts();
    let mut rest = Rest::new(Arrival { gateway, peer, parts: &parts }, body);
    run_watched(&mut rest).await
}

/// Calls an operation of an API for a message.
pub async fn handle_message(gateway: &Gateway, peer: &Peer, request: Request<Full<Bytes>>) -> Answered {
    let (parts, body) = request.into_parts();
    let mut rest = Rest::new(Arrival { gateway, peer, parts: &parts }, body);
    let response = run_watched(&mut rest).await;
    Answered::of(response, rest.code()).await
}

/// Calls a web service for a message. Its service runs in the task that has got the message, if
/// there is one. None if the path has no web service.
pub async fn handle_soap_message(
    gateway: &Gateway,
    peer: &Peer,
    request: Request<Full<Bytes>>,
    task: Option<&Arc<dyn ProgramTask>>,
) -> Option<Answered> {
    let entry = gateway.web_services.at(request.uri().path())?;
    let (parts, body) = request.into_parts();
    let mut soap = Soap::new(Arrival { gateway, peer, parts: &parts }, entry, body).in_task(task);
    let response = run_watched(&mut soap).await;
    let answered = Answered::of(response, soap.code()).await;
    Some(Answered { names_caller: soap.names_caller(), ..answered })
}

/// Answers a request that is refused before it leads to an operation. It is counted and recorded
/// like any other.
pub async fn turn_away(arrival: Arrival<'_>, refusal: Refusal) -> Response<Full<Bytes>> {
    end_turned_away(Exchange::begin(arrival), refusal).await
}

/// Refuses a request for an operation. It is counted and recorded like any other.
pub(crate) async fn turn_away_from(
    arrival: Arrival<'_>,
    entry: OperationEntry<'_>,
    refusal: Refusal,
) -> Response<Full<Bytes>> {
    let mut exchange = Exchange::begin(arrival);
    exchange.leads_to(Destination::Operation(entry));
    end_turned_away(exchange, refusal).await
}

async fn end_turned_away(mut exchange: Exchange<'_>, refusal: Refusal) -> Response<Full<Bytes>> {
    let span = exchange.log_span();
    let response = span.in_scope(|| turned_away(&mut exchange, refusal));
    exchange.end(&response, None).await;
    response
}
