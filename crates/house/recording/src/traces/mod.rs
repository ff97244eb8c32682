//! Traces: the context of each request, its spans, and the collector of the spans.

mod export;

use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::{Duration, Instant};

use http::HeaderMap;
use interceptor::otlp::Span;
use interceptor::trace::{TraceContext, is_chosen, state};

use export::Exporter;
pub(crate) use export::{BATCH_MAX_SPANS, BATCH_WAIT};
use metrics::TraceMetrics;
use remote::json_server::JsonServer;

/// The settings of traces.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// The share of recorded traces, among those that begin here. Other traces follow the choice of
    /// their origin.
    pub(crate) ratio: f64,
    /// The collector of spans; none if contexts are only passed on.
    pub(crate) collector: Option<CollectorSettings>,
}

/// The settings for sending spans.
#[derive(Clone, Debug)]
pub(crate) struct CollectorSettings {
    /// The server that takes them.
    pub(crate) server: JsonServer,
    /// The name of the gateway in its spans.
    pub(crate) service_name: String,
    /// The most requests with waiting spans. Spans of further requests are lost and counted.
    pub(crate) queue_max_requests: usize,
}

/// Running traces.
#[derive(Debug)]
pub struct Traces {
    ratio: f64,
    exporter: Option<Exporter>,
}

/// The trace of one request.
#[derive(Debug)]
pub struct RequestTrace {
    /// The context, with the span of the request as a whole.
    pub context: TraceContext,
    /// The caller's span; none if the trace begins here.
    pub parent: Option<[u8; 8]>,
    /// `tracestate` of the request.
    pub state: Option<String>,
    /// The times of its steps.
    pub marks: Marks,
}

/// The begin and the end of each step of a request; none for steps that it did not reach.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The request mapping.
    pub request_mapping: Option<(Instant, Instant)>,
    /// Calls of providers, in the order of their ends.
    pub calls: Vec<CallMark>,
    /// The response mapping.
    pub response_mapping: Option<(Instant, Instant)>,
}

/// A running call of a provider.
#[derive(Debug)]
pub struct Leg {
    /// The id of its span.
    pub span_id: [u8; 8],
    /// `traceparent` for the provider, with this span.
    pub parent: String,
}

/// An ended call of a provider.
#[derive(Clone, Copy, Debug)]
pub struct CallMark {
    /// Its index among the calls of the operation.
    pub position: usize,
    /// The id of its span.
    pub span_id: [u8; 8],
    /// When it began and ended.
    pub time: (Instant, Instant),
    /// The code of its failure; none if it succeeded.
    pub error: Option<&'static str>,
}

impl RequestTrace {
    /// Begins the part of the trace for one call.
    pub fn leg(&self) -> Leg {
        let span_id = span_id();
        Leg { span_id, parent: TraceContext { span_id, ..self.context }.to_string() }
    }
}

impl Traces {
    /// Starts to send spans, if there is a collector.
    ///
    /// # Errors
    /// A thread cannot be made.
    pub fn start(settings: TraceSettings, metrics: TraceMetrics) -> std::io::Result<Self> {
        let TraceSettings { ratio, collector } = settings;
        let exporter = collector.map(|collector| Exporter::start(collector, metrics)).transpose()?;
        Ok(Self { ratio, exporter })
    }

    /// The trace of a request: the caller's, or else a new one.
    pub fn of(&self, headers: &HeaderMap) -> RequestTrace {
        let callers = TraceContext::of(headers);
        let context = match callers {
            Some(callers) => TraceContext { span_id: span_id(), ..callers },
            None => {
                let mut trace_id = [0; 16];
                trace_id[..8].copy_from_slice(&random().to_be_bytes());
                trace_id[8..].copy_from_slice(&random().to_be_bytes());
                let sampled = is_chosen(trace_id, self.ratio);
                TraceContext { trace_id, span_id: span_id(), sampled }
            }
        };
        RequestTrace {
            context,
            parent: callers.map(|callers| callers.span_id),
            // Without its context it has no meaning.
            state: callers.and_then(|_| state(headers)).map(str::to_owned),
            marks: Marks::default(),
        }
    }

    /// Whether recorded spans are sent to a collector.
    pub fn sends(&self) -> bool {
        self.exporter.is_some()
    }

    /// Sends the spans of a request soon.
    pub fn send(&self, spans: Vec<Span>) {
        if let Some(exporter) = &self.exporter {
            exporter.send(spans);
        }
    }

    /// Waits until all waiting spans are sent, at most for `time`.
    pub async fn flush(&self, time: Duration) {
        if let Some(exporter) = &self.exporter
            && tokio::time::timeout(time, exporter.flush()).await.is_err()
        {
            tracing::warn!("some spans were not sent in time");
        }
    }
}

/// The id of a new span.
pub fn span_id() -> [u8; 8] {
    random().to_be_bytes()
}

/// A random number that is not zero, for ids of spans and traces. It need not be secret.
fn random() -> u64 {
    thread_local! {
        // The system's randomness gives the key, different for each thread.
        static STATE: Cell<u64> = Cell::new(RandomState::new().build_hasher().finish());
    }
    loop {
        // SplitMix64 (Steele, Lea and Flood, 2014).
        let next = STATE.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        STATE.set(next);
        let mixed = (next ^ (next >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let mixed = mixed ^ (mixed >> 31);
        if mixed != 0 {
            return mixed;
        }
    }
}
