//! Spans as OTLP's JSON (opentelemetry-proto, "JSON Protobuf Encoding"): ids in hexadecimal, 64-bit numbers as text.

use serde::Serialize;

use crate::trace::{Hex, TraceContext};

/// The kind of a span, seen from the gateway. The numbers are those of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// Work within the gateway.
    Internal = 1,
    /// A request that came.
    Server = 2,
    /// A call that went out.
    Client = 3,
}

/// A span that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The trace and the span itself.
    pub context: TraceContext,
    /// The span above it; none for the first of a trace.
    pub parent: Option<[u8; 8]>,
    /// A name for the work.
    pub name: String,
    /// Its kind.
    pub kind: SpanKind,
    /// Nanoseconds since 1970.
    pub begun_ns: u64,
    /// Nanoseconds since 1970.
    pub ended_ns: u64,
    /// Further facts.
    pub attributes: Vec<(&'static str, Value)>,
    /// Why it failed; none if it succeeded.
    pub error: Option<&'static str>,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Text.
    Text(String),
    /// A number.
    Integer(i64),
}

/// The body of a request to a collector, `ExportTraceServiceRequest`.
#[must_use]
pub fn export(service_name: &str, version: &str, spans: &[Span]) -> Vec<u8> {
    let spans = spans.iter().map(WireSpan::of).collect();
    let attribute = |key, value: &str| Attribute { key, value: AnyValue::Text(value.to_owned()) };
    let resource = Resource {
        attributes: vec![attribute("service.name", service_name), attribute("service.version", version)],
    };
    let scope_spans = [ScopeSpans { scope: Scope { name: "gantry", version }, spans }];
    let request = Export { resource_spans: [ResourceSpans { resource, scope_spans }] };
    // Writing texts and numbers to a buffer cannot fail.
    serde_json::to_vec(&request).unwrap_or_default()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Export<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Resource,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct Resource {
    attributes: Vec<Attribute>,
}

#[derive(Serialize)]
struct ScopeSpans<'a> {
    scope: Scope<'a>,
    spans: Vec<WireSpan<'a>>,
}

#[derive(Serialize)]
struct Scope<'a> {
    name: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct Attribute {
    key: &'static str,
    value: AnyValue,
}

#[derive(Serialize)]
enum AnyValue {
    #[serde(rename = "stringValue")]
    Text(String),
    #[serde(rename = "intValue")]
    Integer(String),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireSpan<'a> {
    trace_id: Hex<'a>,
    span_id: Hex<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<Hex<'a>>,
    name: &'a str,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
}

#[derive(Serialize)]
struct Status {
    code: u8,
    message: &'static str,
}

/// STATUS_CODE_ERROR.
const ERROR: u8 = 2;

impl<'a> WireSpan<'a> {
    fn of(span: &'a Span) -> Self {
        let attribute = |(key, value): &(&'static str, Value)| Attribute {
            key,
            value: match value {
                Value::Text(text) => AnyValue::Text(text.clone()),
                Value::Integer(number) => AnyValue::Integer(number.to_string()),
            },
        };
        Self {
            trace_id: span.context.trace_hex(),
            span_id: span.context.span_hex(),
            parent_span_id: span.parent.as_ref().map(|parent| Hex::of(parent)),
            name: &span.name,
            kind: span.kind as u8,
            start_time_unix_nano: span.begun_ns.to_string(),
            end_time_unix_nano: span.ended_ns.to_string(),
            attributes: span.attributes.iter().map(attribute).collect(),
            status: span.error.map(|message| Status { code: ERROR, message }),
        }
    }
}
