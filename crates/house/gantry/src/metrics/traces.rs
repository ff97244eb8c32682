//! Figures of traces: spans that are sent, and spans that are lost.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

/// The figures.
#[derive(Clone, Debug, Default)]
pub(crate) struct TraceMetrics {
    sent: Counter,
    lost: Counter,
}

impl TraceMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("gantry_trace_spans_sent", "Spans that the collector took", self.sent.clone());
        let help = "Spans lost: too many waited, or the collector did not take them";
        registry.register("gantry_trace_spans_lost", help, self.lost.clone());
    }

    pub(crate) fn sent(&self, spans: usize) {
        self.sent.inc_by(spans as u64);
    }

    pub(crate) fn lost(&self, spans: usize) {
        self.lost.inc_by(spans as u64);
    }
}
