//! Spans as a collector reads them.

use interceptor::otlp::{Span, SpanKind, Value, export};
use interceptor::trace::TraceContext;
use serde_json::json;

#[test]
fn a_span_in_json() {
    let context = TraceContext { trace_id: [0x4B; 16], span_id: [0xF0; 8], sampled: true };
    let span = Span {
        context,
        parent: Some([1; 8]),
        name: "provider".to_owned(),
        kind: SpanKind::Client,
        begun_ns: 1_763_746_205_250_000_001,
        ended_ns: 1_763_746_205_250_000_009,
        attributes: vec![("gantry.service", Value::Text("echo".to_owned())), ("status", Value::Integer(-7))],
        error: Some("BAQR0405I"),
    };
    let first = Span { parent: None, error: None, attributes: Vec::new(), ..span.clone() };
    let body: serde_json::Value =
        serde_json::from_slice(&export("gate", "1.0", &[span, first])).expect("JSON");
    let resource = &body["resourceSpans"][0]["resource"]["attributes"][0];
    assert_eq!(*resource, json!({ "key": "service.name", "value": { "stringValue": "gate" } }));
    let spans = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
    assert_eq!(
        spans[0],
        json!({
            "traceId": "4b".repeat(16),
            "spanId": "f0".repeat(8),
            "parentSpanId": "01".repeat(8),
            "name": "provider",
            "kind": 3,
            "startTimeUnixNano": "1763746205250000001",
            "endTimeUnixNano": "1763746205250000009",
            "attributes": [
                { "key": "gantry.service", "value": { "stringValue": "echo" } },
                { "key": "status", "value": { "intValue": "-7" } },
            ],
            "status": { "code": 2, "message": "BAQR0405I" },
        })
    );
    assert!(spans[1].get("parentSpanId").is_none() && spans[1].get("status").is_none());
}
