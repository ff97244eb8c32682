//! The spans of an answered request: the request, its mappings, and the provider's calls.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use failure::Code;
use http::StatusCode;
use interceptor::otlp::{Span, SpanKind, Value};
use interceptor::trace::TraceContext;

use super::exchange::Exchange;
use crate::gateway::OperationEntry;
use recording::traces::{RequestTrace, span_id};

/// A step and its span.
struct Step {
    name: String,
    kind: SpanKind,
    /// None for a new id.
    id: Option<[u8; 8]>,
    time: Option<(Instant, Instant)>,
    error: Option<&'static str>,
}

impl Exchange<'_> {
    /// Sends the spans of the request to the collector.
    pub(super) fn send_spans(&mut self, status: StatusCode) {
        self.id();
        let (Some(traces), Some(trace)) = (&self.arrival.gateway.traces, self.trace()) else { return };
        let clock = Clock::now();
        let mut spans = vec![self.whole(trace, status, &clock)];
        let mapping = |name: &str, time| Step {
            name: name.to_owned(),
            kind: SpanKind::Internal,
            id: None,
            time,
            error: None,
        };
        let calls = trace.marks.calls.iter().map(|mark| Step {
            name: format!("call {}", self.callee(mark.position)),
            kind: SpanKind::Client,
            id: Some(mark.span_id),
            time: Some(mark.time),
            error: mark.error,
        });
        let steps = std::iter::once(mapping("request mapping", trace.marks.request_mapping))
            .chain(calls)
            .chain([mapping("response mapping", trace.marks.response_mapping)]);
        spans.extend(steps.filter_map(|step| step.span(trace, &clock)));
        traces.send(spans);
    }

    /// The name of a service that the operation calls.
    fn callee(&self, position: usize) -> &str {
        let callee = self.operation().and_then(|entry| entry.target.callees.get(position));
        callee.map(|callee| &*callee.service.name).unwrap_or_default()
    }

    fn whole(&self, trace: &RequestTrace, status: StatusCode, clock: &Clock) -> Span {
        let method = self.arrival.parts.method.as_str();
        let text = |key, value: &str| (key, Value::Text(value.to_owned()));
        let mut attributes = vec![
            text("http.request.method", method),
            text("url.path", self.arrival.parts.uri.path()),
            ("http.response.status_code", Value::Integer(status.as_u16().into())),
            text("gantry.request_id", self.id_if_made().unwrap_or_default()),
        ];
        let mut name = method.to_owned();
        if let Some(OperationEntry { api, operation, .. }) = self.operation() {
            name = format!("{method} {}", operation.path());
            attributes.push(text("http.route", operation.path()));
            attributes.push(text("gantry.api", api.api.name()));
            attributes.push(text("gantry.operation", operation.id()));
            attributes.push(text("gantry.services", &operation.services().collect::<Vec<_>>().join(",")));
        }
        let begun = self.begun().map_or(clock.wall_ns, |begun| clock.at(begun));
        Span {
            context: trace.context,
            parent: trace.parent,
            name,
            kind: SpanKind::Server,
            begun_ns: begun,
            ended_ns: clock.wall_ns,
            attributes,
            // A caller's fault is no error of the server (OpenTelemetry's conventions for HTTP).
            error: self.code().filter(|_| status.is_server_error()).map(Code::as_str),
        }
    }
}

impl Step {
    fn span(self, trace: &RequestTrace, clock: &Clock) -> Option<Span> {
        let (begun, ended) = self.time?;
        let context = TraceContext { span_id: self.id.unwrap_or_else(span_id), ..trace.context };
        Some(Span {
            context,
            parent: Some(trace.context.span_id),
            name: self.name,
            kind: self.kind,
            begun_ns: clock.at(begun),
            ended_ns: clock.at(ended),
            attributes: Vec::new(),
            error: self.error,
        })
    }
}

/// Both clocks at one time. The wall clock is read once. The steady clock gives the distance of all
/// other times.
struct Clock {
    steady: Instant,
    wall_ns: u64,
}

impl Clock {
    fn now() -> Self {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { steady: Instant::now(), wall_ns: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX) }
    }

    fn at(&self, point: Instant) -> u64 {
        let before = self.steady.saturating_duration_since(point).as_nanos();
        self.wall_ns.saturating_sub(u64::try_from(before).unwrap_or(u64::MAX))
    }
}
