//! Figures of traces: sent and lost spans.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

/// The figures.
#[derive(Clone, Debug, Default)]
pub struct TraceMetrics {
    sent: Counter,
    lost: Counter,
}

impl TraceMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("gantry_trace_spans_sent", "Spans that the collector took", self.sent.clone());
        let help = "Spans lost: too many waited, or the collector did not take them";
        registry.register("gantry_trace_spans_lost", help, self.lost.clone());
    }

    /// Counts spans that the collector took.
    pub fn sent(&self, spans: usize) {
        self.sent.inc_by(spans as u64);
    }

    /// Counts lost spans.
    pub fn lost(&self, spans: usize) {
        self.lost.inc_by(spans as u64);
    }
}
