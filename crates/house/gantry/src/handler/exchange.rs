//! What is known of one request while it runs, for those who watch: figures, logs, interceptors and answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use api::Operation;
use bytes::Bytes;
use failure::{Code, Failure};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response};
use http_body_util::Full;
use hyper::body::Body;
use interceptor::time::Time;
use routing::PathValues;
use security::Identity;
use service::{CallContext, Payload};

use super::call::{Noted, Sent};
use super::request_id::{REQUEST_ID, request_id, taken_over};
use crate::gateway::{Gateway, OperationEntry};
use crate::intercept::{Asked, Called, CalledApi, Chain, Passage, Seen, Stop, Times, now};
use crate::security::Peer;
use crate::sight::{SeenHeaders, view};
use crate::traces::{CallMark, Leg, RequestTrace, Traces};
use metrics::Answered;

/// The operation that a path leads to.
#[derive(Clone, Copy)]
pub(super) struct Place<'r> {
    pub(super) entry: OperationEntry<'r>,
    /// The values of its parameters.
    pub(super) path: &'r PathValues<'r>,
}

/// One request from its head to its answer.
pub(super) struct Exchange<'r> {
    pub(super) gateway: &'r Gateway,
    pub(super) peer: &'r Peer,
    pub(super) parts: &'r Parts,
    /// The operation that it calls; none until that is known.
    call: Option<OperationEntry<'r>>,
    pub(super) identity: Option<Arc<Identity>>,
    /// Why it failed; none if it did not.
    pub(super) code: Option<Code>,
    pub(super) request_bytes: usize,
    /// When the first call of a provider began, and the last one ended; none if nobody wants to know.
    call_times: Option<(Instant, Instant)>,
    id: Option<HeaderValue>,
    /// None if nobody wants to know.
    begun: Option<Instant>,
    /// Who is asked before the call and told after it; none if there are none.
    chain: Option<&'r Chain>,
    passage: Passage,
    /// None if requests are not traced.
    pub(super) trace: Option<RequestTrace>,
}

impl<'r> Exchange<'r> {
    pub(super) fn begin(gateway: &'r Gateway, peer: &'r Peer, parts: &'r Parts) -> Self {
        let wanted = gateway.watch.times;
        Self {
            gateway,
            peer,
            parts,
            call: None,
            identity: None,
            code: None,
            request_bytes: 0,
            call_times: None,
            id: taken_over(&parts.headers),
            begun: wanted.then(Instant::now),
            chain: gateway.early(),
            passage: Passage::default(),
            trace: gateway.traces.as_ref().map(|traces| traces.of(&parts.headers)),
        }
    }

    /// The path leads to this operation.
    pub(super) fn leads_to(&mut self, entry: OperationEntry<'r>) {
        self.call = Some(entry);
        self.chain = entry.api.chain.as_ref();
    }

    /// Asks the interceptors of the API whether the call may be.
    pub(super) async fn intercept(&mut self, body: &Bytes) -> Result<(), Stop> {
        let Some(chain) = self.chain else { return Ok(()) };
        let id = self.id().clone();
        let mut passage = std::mem::take(&mut self.passage);
        let asked = Asked {
            id: id.to_str().unwrap_or_default(),
            parts: self.parts,
            identity: self.identity.as_deref(),
            call: self.called(),
        };
        let result = chain.before(&asked, (&mut passage, body)).await;
        self.passage = passage;
        result
    }

    /// The headers for mappings and policies, if interceptors have made others of those that came.
    pub(super) fn take_headers(&mut self) -> Option<HeaderMap> {
        self.passage.take_headers()
    }

    /// The id that leads from an answer to the log: the caller's own if it is well formed, else one of ours. It is made
    /// when somebody asks for it.
    pub(super) fn id(&mut self) -> &HeaderValue {
        self.id.get_or_insert_with(request_id)
    }

    /// The id as text; all that are given out are ASCII.
    pub(super) fn shown_id(&mut self) -> &str {
        self.id().to_str().unwrap_or_default()
    }

    /// The name of the caller, if that is known.
    pub(super) fn user(&self) -> Option<&str> {
        self.identity.as_deref().map(|identity| &*identity.name)
    }

    /// The id, if the caller gave one or somebody has asked for one.
    pub(super) fn id_if_made(&self) -> Option<&str> {
        self.id.as_ref().and_then(|id| id.to_str().ok())
    }

    /// The part of the trace that is one call.
    pub(super) fn leg(&self) -> Option<Leg> {
        self.trace.as_ref().map(RequestTrace::leg)
    }

    /// What providers see of a call, with the headers that interceptors have left.
    pub(super) fn context<'o>(
        &'o self,
        (headers, properties): (&'o SeenHeaders<'o>, &'o [(&'o str, &'o str)]),
        leg: Option<&'o Leg>,
    ) -> CallContext<'o> {
        let state = self.trace.as_ref().and_then(|trace| trace.state.as_deref());
        let trace = leg.map(|leg| service::Trace { parent: &leg.parent, state });
        CallContext {
            caller: caller(self.identity.as_deref()),
            request_id: self.id_if_made(),
            properties,
            trace,
            request: Some(view(self.peer.secure, (&self.parts.method, &self.parts.uri), headers)),
            ..CallContext::default()
        }
    }

    /// Notes a call that has ended, by its position in the operation; gives what it came to.
    pub(super) fn note(&mut self, position: usize, leg: Option<Leg>, sent: Sent) -> Result<Payload, Failure> {
        self.note_call(position, leg, sent.noted());
        sent.result
    }

    /// The same where the result has gone elsewhere.
    pub(super) fn note_call(&mut self, position: usize, leg: Option<Leg>, noted: Noted) {
        let Some((begun, ended)) = noted.times else { return };
        let (first, last) = self.call_times.unwrap_or((begun, ended));
        self.call_times = Some((first.min(begun), last.max(ended)));
        let is_recorded = self.is_recorded();
        if let (true, Some(trace), Some(leg)) = (is_recorded, &mut self.trace, leg) {
            let error = noted.failure.map(Code::as_str);
            trace.marks.calls.push(CallMark { position, span_id: leg.span_id, time: (begun, ended), error });
        }
    }

    /// Runs a mapping, and notes when for the trace.
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
        let sends = self.gateway.traces.as_ref().is_some_and(Traces::sends);
        sends && self.trace.as_ref().is_some_and(|trace| trace.context.sampled)
    }

    /// What gives every line of the log that is written meanwhile the request's id, if that is wanted.
    pub(super) fn log_span(&mut self) -> tracing::Span {
        if !self.gateway.watch.log_spans {
            return tracing::Span::none();
        }
        tracing::error_span!("request", request_id = self.shown_id())
    }

    /// Tells all who watch that the request has its answer.
    pub(super) async fn end(&mut self, response: &mut Response<Full<Bytes>>, cpu: Option<f64>) {
        if self.gateway.watch.return_request_id && !response.headers().contains_key(REQUEST_ID) {
            let id = self.id().clone();
            response.headers_mut().insert(REQUEST_ID, id);
        }
        self.count(response, cpu);
        if self.is_recorded() {
            self.send_spans(response.status());
        }
        let passage = std::mem::take(&mut self.passage);
        if let Some(chain) = self.chain {
            let id = self.id().clone();
            chain.after(passage, &self.seen(&id, response), response).await;
        }
    }

    fn count(&self, response: &Response<Full<Bytes>>, cpu: Option<f64>) {
        let Some(OperationEntry { target, .. }) = self.call else { return };
        target.metrics.answered(Answered {
            status: response.status().as_u16(),
            time: self.time(),
            request_bytes: self.request_bytes,
            response_bytes: length(response),
        });
        if let Some(code) = self.code {
            target.metrics.failed(code.as_str());
        }
        if let Some(seconds) = cpu {
            target.metrics.spent(seconds);
        }
    }

    fn time(&self) -> Option<Duration> {
        self.begun.map(|begun| begun.elapsed())
    }

    /// When its head was there, if somebody wants to know.
    pub(super) fn begun(&self) -> Option<Instant> {
        self.begun
    }

    /// The API's name, if the path leads to one.
    pub(super) fn api_name(&self) -> Option<&'r str> {
        self.operation().map(|(api, _)| api)
    }

    /// The API's name and the operation.
    pub(super) fn operation(&self) -> Option<(&'r str, &'r Operation)> {
        self.call.map(|entry| (entry.api.api.name(), entry.operation))
    }

    /// The name of a service that the operation calls.
    pub(super) fn service(&self, position: usize) -> Option<&'r str> {
        self.call.and_then(|entry| entry.target.callees.get(position)).map(|callee| &*callee.service.name)
    }

    fn called(&self) -> Option<Called<'r>> {
        let OperationEntry { api, operation, target, .. } = self.call?;
        let api = &api.api;
        // Of several calls the first tells what stands behind; the names are those of all.
        let provider = target.callees.first().map(|callee| &callee.service.provider);
        Some(Called {
            api: Some(CalledApi { name: api.name(), version: api.version(), operation: operation.id() }),
            services: &target.services,
            provider: provider.map(|provider| provider.kind()),
            system: provider.map(|provider| provider.system_of_record()).unwrap_or_default(),
        })
    }

    /// The request as interceptors see it.
    fn seen<'s>(&'s self, id: &'s HeaderValue, response: &Response<Full<Bytes>>) -> Seen<'s> {
        Seen {
            id: id.to_str().unwrap_or_default(),
            trace: self.trace.as_ref().map(|trace| trace.context.trace_hex().to_string()),
            peer: self.peer,
            parts: self.parts,
            identity: self.identity.as_deref(),
            call: self.called(),
            failure: self.code,
            status: response.status(),
            request_bytes: self.request_bytes,
            response_bytes: length(response),
            times: times(self.begun, self.call_times),
        }
    }
}

/// When a request passed which point, by when its head was there and its calls began and ended. The wall clock is read once;
/// all other points are as far from it as the steady clock says.
pub(crate) fn times(begun: Option<Instant>, calls: Option<(Instant, Instant)>) -> Times {
    let (clock, answered) = (Instant::now(), now());
    let at = |point: Instant| {
        let before = clock.saturating_duration_since(point).as_micros();
        Time(answered.0.saturating_sub(u64::try_from(before).unwrap_or(u64::MAX)))
    };
    Times {
        arrived: begun.map_or(answered, at),
        sent: calls.map(|(sent, _)| at(sent)),
        received: calls.map(|(_, received)| at(received)),
        answered,
    }
}

/// A caller as providers see it.
pub(super) fn caller(identity: Option<&Identity>) -> Option<service::Caller<'_>> {
    identity.map(|identity| service::Caller { user: &identity.name, groups: &identity.groups })
}

fn length(response: &Response<Full<Bytes>>) -> usize {
    usize::try_from(response.body().size_hint().lower()).unwrap_or(usize::MAX)
}
