//! The facts about one running request, for metrics, logs, interceptors and answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use calendar::Utc;
use failure::{Code, Failure};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Body;
use security::Identity;
use service::{CallContext, Caller, Payload, ProgramTask, SoapContext};

use super::answer::log_abandoned;
use super::call::{CountedService, Noted, Sending};
use super::request_id::{REQUEST_ID, request_id, taken_over};
use crate::gateway::{Gateway, OperationEntry, ServiceEntry};
use crate::sight::{SeenHeaders, view};
use admission::Peer;
use metrics::Answered;
use recording::chains::{Asked, Called, CalledApi, Chain, Passage, Seen, Stop, Times, now};
use recording::traces::{CallMark, Leg, RequestTrace, Traces};

/// An incoming request: its gateway, its sender, and its head.
#[derive(Clone, Copy)]
pub struct Arrival<'r> {
    /// The gateway that serves it to its end.
    pub gateway: &'r Gateway,
    /// The other end of the connection.
    pub peer: &'r Peer,
    /// Its head.
    pub parts: &'r Parts,
}

/// The target of a request.
#[derive(Clone, Copy)]
pub(crate) enum Destination<'r> {
    Operation(OperationEntry<'r>),
    /// A service, called directly without an API.
    Service(&'r ServiceEntry),
}

/// One request from its head to its answer.
pub(crate) struct Exchange<'r> {
    pub(super) arrival: Arrival<'r>,
    /// None until it is known.
    destination: Option<Destination<'r>>,
    pub(super) identity: Option<Arc<Identity>>,
    id: Option<HeaderValue>,
    figures: Figures,
    watchers: Watchers<'r>,
    /// None if requests are not traced.
    trace: Option<RequestTrace>,
}

/// The measured values of a request.
#[derive(Default)]
struct Figures {
    /// When its head was complete. None if no one wants to know.
    begun: Option<Instant>,
    /// The begin of the first call of a provider and the end of the last one; none if no one wants
    /// to know.
    calls: Option<(Instant, Instant)>,
    request_bytes: usize,
    /// Why it failed; none after a success.
    code: Option<Code>,
}

/// The interceptors of the request, and their state.
struct Watchers<'r> {
    /// None if there are none.
    chain: Option<&'r Chain>,
    passage: Passage,
}

/// Facts for providers beside the caller: the headers that interceptors have left, and properties.
#[derive(Clone, Copy)]
pub(super) struct Told<'o> {
    pub(super) headers: &'o SeenHeaders<'o>,
    pub(super) properties: &'o [(&'o str, &'o str)],
    /// The context of the front SOAP for programs.
    pub(super) soap: Option<SoapContext<'o>>,
    /// The user under whom a handler runs the service, in place of the caller.
    pub(super) user: Option<&'o str>,
    /// The longest time for the service, beside its own limit.
    pub(super) time_left: Duration,
    /// The task of the message that made the request.
    pub(super) task: Option<&'o Arc<dyn ProgramTask>>,
}

impl<'o> Told<'o> {
    pub(super) fn new(headers: &'o SeenHeaders<'o>, properties: &'o [(&'o str, &'o str)]) -> Self {
        Self { headers, properties, soap: None, user: None, time_left: Duration::MAX, task: None }
    }
}

impl<'r> Exchange<'r> {
    /// Starts the exchange of a request from outside.
    pub(crate) fn begin(arrival: Arrival<'r>) -> Self {
        let trace = arrival.gateway.traces.as_ref().map(|traces| traces.of(&arrival.parts.headers));
        Self { trace, ..Self::untraced(arrival) }
    }

    /// Starts an exchange without a trace.
    pub(super) fn untraced(arrival: Arrival<'r>) -> Self {
        let Arrival { gateway, parts, .. } = arrival;
        Self {
            arrival,
            destination: None,
            identity: None,
            id: taken_over(&parts.headers),
            figures: Figures { begun: gateway.watch.times.then(Instant::now), ..Figures::default() },
            watchers: Watchers { chain: gateway.early(), passage: Passage::default() },
            trace: None,
        }
    }

    /// The request as it came in.
    pub(crate) fn arrival(&self) -> Arrival<'r> {
        self.arrival
    }

    /// The caller, if known.
    pub(crate) fn identity(&self) -> Option<&Arc<Identity>> {
        self.identity.as_ref()
    }

    /// Sets the caller.
    pub(crate) fn set_identity(&mut self, identity: Option<Arc<Identity>>) {
        self.identity = identity;
    }

    /// Notes the bytes of the request without its head.
    pub(crate) fn has_read(&mut self, bytes: usize) {
        self.figures.request_bytes = bytes;
    }

    /// Notes that the request has failed, and the code.
    pub(crate) fn fails_with(&mut self, code: Code) {
        self.figures.code = Some(code);
    }

    /// The code of the failure.
    pub(super) fn code(&self) -> Option<Code> {
        self.figures.code
    }

    /// Whether the request has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.figures.code.is_some()
    }

    /// Notes the target of the path.
    pub(crate) fn leads_to(&mut self, destination: Destination<'r>) {
        self.destination = Some(destination);
        if let Destination::Operation(entry) = destination {
            self.watchers.chain = entry.api.chain.as_ref();
        }
    }

    /// Asks the interceptors whether the call is allowed.
    pub(crate) async fn intercept(&mut self, body: &Bytes) -> Result<(), Stop> {
        let Some(chain) = self.watchers.chain else { return Ok(()) };
        let id = self.id().clone();
        let mut passage = std::mem::take(&mut self.watchers.passage);
        let asked = Asked {
            id: id.to_str().unwrap_or_default(),
            parts: self.arrival.parts,
            identity: self.identity.as_deref(),
            call: self.called(),
        };
        let result = chain.before(&asked, &mut passage, body).await;
        self.watchers.passage = passage;
        result
    }

    /// The headers for mappings and policies, if interceptors have changed them.
    pub(crate) fn take_headers(&mut self) -> Option<HeaderMap> {
        self.watchers.passage.take_headers()
    }

    /// The id that connects an answer with the log: the caller's own if it is well formed, else a
    /// new one. It is made at its first use.
    pub(super) fn id(&mut self) -> &HeaderValue {
        self.id.get_or_insert_with(request_id)
    }

    /// The id as text. All our ids are ASCII.
    pub(crate) fn shown_id(&mut self) -> &str {
        self.id().to_str().unwrap_or_default()
    }

    /// The name of the caller, if known.
    pub(super) fn user(&self) -> Option<&str> {
        self.identity.as_deref().map(|identity| &*identity.name)
    }

    /// The caller, if known.
    pub(super) fn caller(&self) -> Option<Caller<'_>> {
        caller(self.identity.as_deref())
    }

    /// The id, if the caller gave one or it was made already.
    pub(super) fn id_if_made(&self) -> Option<&str> {
        self.id.as_ref().and_then(|id| id.to_str().ok())
    }

    /// Begins the part of the trace for one call.
    pub(super) fn leg(&self) -> Option<Leg> {
        self.trace.as_ref().map(RequestTrace::leg)
    }

    /// The context of a call for providers.
    pub(super) fn context<'o>(&'o self, told: Told<'o>, leg: Option<&'o Leg>) -> CallContext<'o> {
        let Arrival { peer, parts, .. } = self.arrival;
        let state = self.trace.as_ref().and_then(|trace| trace.state.as_deref());
        let trace = leg.map(|leg| service::Trace { parent: &leg.parent, state });
        CallContext {
            caller: match told.user {
                Some(user) => Some(Caller { user, groups: &[] }),
                None => caller(self.identity.as_deref()),
            },
            request_id: self.id_if_made(),
            properties: told.properties,
            trace,
            request: Some(view(peer.secure, &parts.method, &parts.uri, told.headers)),
            soap: told.soap,
            time_left: told.time_left,
            task: told.task,
            ..CallContext::default()
        }
    }

    /// Makes the only call of the request.
    pub(super) async fn call(
        &mut self,
        service: CountedService<'_>,
        told: Told<'_>,
        request: Payload,
    ) -> Result<Payload, Failure> {
        let leg = self.leg();
        let sending = Sending { request, timed: self.arrival.gateway.watch.times };
        let sent = service.call(self.context(told, leg.as_ref()), sending).await;
        self.note_call(0, leg, sent.noted());
        sent.result
    }

    /// Notes an ended call, by its index among the operation's calls.
    pub(super) fn note_call(&mut self, position: usize, leg: Option<Leg>, noted: Noted) {
        let Some((begun, ended)) = noted.times else { return };
        let (first, last) = self.figures.calls.unwrap_or((begun, ended));
        self.figures.calls = Some((first.min(begun), last.max(ended)));
        let is_recorded = self.is_recorded();
        if let (true, Some(trace), Some(leg)) = (is_recorded, &mut self.trace, leg) {
            let error = noted.failure.map(Code::as_str);
            trace.marks.calls.push(CallMark { position, span_id: leg.span_id, time: (begun, ended), error });
        }
    }

    /// Runs a mapping, and notes its times for the trace.
    pub(super) fn request_mapping<T>(&mut self, map: impl FnOnce() -> T) -> T {
        let (result, mark) = self.marked(map);
        if let Some(trace) = &mut self.trace {
            trace.marks.request_mapping = mark;
        }
        result
    }

    /// The same for the response.
    pub(super) fn response_mapping<T>(&mut self, map: impl FnOnce() -> T) -> T {
        let (result, mark) = self.marked(map);
        if let Some(trace) = &mut self.trace {
            trace.marks.response_mapping = mark;
        }
        result
    }

    fn marked<T>(&self, map: impl FnOnce() -> T) -> (T, Option<(Instant, Instant)>) {
        if !self.is_recorded() {
            return (map(), None);
        }
        let begun = Instant::now();
        let result = map();
        (result, Some((begun, Instant::now())))
    }

    /// Whether spans of the request are sent.
    fn is_recorded(&self) -> bool {
        let sends = self.arrival.gateway.traces.as_ref().is_some_and(Traces::sends);
        sends && self.trace.as_ref().is_some_and(|trace| trace.context.sampled)
    }

    /// The span that gives the request's id to all log lines meanwhile, if this is wanted.
    pub(crate) fn log_span(&mut self) -> tracing::Span {
        if !self.arrival.gateway.watch.log_spans {
            return tracing::Span::none();
        }
        tracing::error_span!("request", request_id = self.shown_id())
    }

    /// Puts the id into an answer, if every answer needs it.
    pub(crate) fn return_id(&mut self, response: &mut Response<Full<Bytes>>) {
        if self.arrival.gateway.watch.return_request_id && !response.headers().contains_key(REQUEST_ID) {
            let id = self.id().clone();
            response.headers_mut().insert(REQUEST_ID, id);
        }
    }

    /// Reports the end of the request to metrics, traces and interceptors.
    pub(crate) async fn end(&mut self, response: &Response<Full<Bytes>>, cpu: Option<f64>) {
        let passage = self.measured(response, cpu);
        if let Some(chain) = self.watchers.chain {
            let id = self.id().clone();
            chain.after(passage, &self.seen(&id, response), response).await;
        }
    }

    /// Reports the end of a request that gets no answer, because its client has cancelled it or the
    /// process ends.
    pub(crate) fn abandon(&mut self) {
        let mut response = Response::new(Full::default());
        *response.status_mut() = abandoned();
        let passage = self.measured(&response, None);
        let id = self.id().clone();
        log_abandoned(self);
        if let Some(chain) = self.watchers.chain {
            chain.abandoned(passage, &self.seen(&id, &response), &response);
        }
    }

    /// Reports the end of the request to metrics and traces. Gives the state of the interceptors.
    fn measured(&mut self, response: &Response<Full<Bytes>>, cpu: Option<f64>) -> Passage {
        self.count(response, cpu);
        if self.is_recorded() {
            self.send_spans(response.status());
        }
        std::mem::take(&mut self.watchers.passage)
    }

    fn count(&self, response: &Response<Full<Bytes>>, cpu: Option<f64>) {
        let Some(Destination::Operation(OperationEntry { target, .. })) = self.destination else { return };
        target.metrics.answered(Answered {
            status: response.status().as_u16(),
            time: self.time(),
            request_bytes: self.figures.request_bytes,
            response_bytes: length(response),
        });
        if let Some(code) = self.figures.code {
            target.metrics.failed(code.as_str());
        }
        if let Some(seconds) = cpu {
            target.metrics.spent(seconds);
        }
    }

    fn time(&self) -> Option<Duration> {
        self.figures.begun.map(|begun| begun.elapsed())
    }

    /// When its head was complete, if this is wanted.
    pub(super) fn begun(&self) -> Option<Instant> {
        self.figures.begun
    }

    /// The API's name, if the request leads to one of its operations.
    pub(super) fn api_name(&self) -> Option<&'r str> {
        self.operation().map(|entry| entry.api.api.name())
    }

    /// The operation of the request.
    pub(super) fn operation(&self) -> Option<OperationEntry<'r>> {
        match self.destination {
            Some(Destination::Operation(entry)) => Some(entry),
            _ => None,
        }
    }

    /// The request's trace, if it has one.
    pub(super) fn trace(&self) -> Option<&RequestTrace> {
        self.trace.as_ref()
    }

    fn called(&self) -> Option<Called<'r>> {
        match self.destination? {
            Destination::Operation(OperationEntry { api, operation, target, .. }) => {
                let api = &api.api;
                // The system of record is that of the first call. The names are those of all calls.
                let provider = target.callees.first().map(|callee| &callee.service.provider);
                Some(Called {
                    api: Some(CalledApi {
                        name: api.name(),
                        version: api.version(),
                        operation: operation.id(),
                    }),
                    services: &target.services,
                    provider: provider.map(|provider| provider.kind()),
                    system: provider.map(|provider| provider.system_of_record()).unwrap_or_default(),
                })
            }
            Destination::Service(entry) => {
                let service = &entry.running.service;
                Some(Called {
                    api: None,
                    services: &service.name,
                    provider: Some(service.provider.kind()),
                    system: service.provider.system_of_record(),
                })
            }
        }
    }

    /// The request after its call, for interceptors.
    fn seen<'s>(&'s self, id: &'s HeaderValue, response: &Response<Full<Bytes>>) -> Seen<'s> {
        Seen {
            id: id.to_str().unwrap_or_default(),
            trace: self.trace.as_ref().map(|trace| trace.context.trace_hex().to_string()),
            address: self.arrival.peer.address,
            parts: self.arrival.parts,
            identity: self.identity.as_deref(),
            call: self.called(),
            failure: self.figures.code,
            status: response.status(),
            request_bytes: self.figures.request_bytes,
            response_bytes: length(response),
            times: times(self.figures.begun, self.figures.calls),
        }
    }
}

/// The status of requests without an answer, in records and metrics. Proxies use it for the same.
fn abandoned() -> StatusCode {
    StatusCode::from_u16(499).unwrap_or(StatusCode::REQUEST_TIMEOUT)
}

/// The times of a request, computed from the begin and from the times of its calls. The wall clock
/// is read once. The steady clock gives the distance of all other times.
fn times(begun: Option<Instant>, calls: Option<(Instant, Instant)>) -> Times {
    let (clock, answered) = (Instant::now(), now());
    let at = |point: Instant| {
        let before = clock.saturating_duration_since(point).as_micros();
        Utc(answered.0.saturating_sub(u64::try_from(before).unwrap_or(u64::MAX)))
    };
    Times {
        arrived: begun.map_or(answered, at),
        sent: calls.map(|(sent, _)| at(sent)),
        received: calls.map(|(_, received)| at(received)),
        answered,
    }
}

/// A caller, for providers.
pub(super) fn caller(identity: Option<&Identity>) -> Option<service::Caller<'_>> {
    identity.map(|identity| service::Caller { user: &identity.name, groups: &identity.groups })
}

fn length(response: &Response<Full<Bytes>>) -> usize {
    usize::try_from(response.body().size_hint().lower()).unwrap_or(usize::MAX)
}
