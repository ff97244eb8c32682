//! Traces: the context of each request, its spans, and where the spans are sent.

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

/// How requests are traced.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// Of traces that begin here, this part is recorded; for others who began them decides.
    pub(crate) ratio: f64,
    /// Where spans are sent; none if contexts are only passed on.
    pub(crate) collector: Option<CollectorSettings>,
}

/// How spans are sent.
#[derive(Clone, Debug)]
pub(crate) struct CollectorSettings {
    /// Who takes them.
    pub(crate) server: JsonServer,
    /// The name of the gateway in its spans.
    pub(crate) service_name: String,
    /// Requests whose spans wait at most; those of more are lost and counted.
    pub(crate) queue_max_requests: usize,
}

/// Traces as they run.
#[derive(Debug)]
pub struct Traces {
    ratio: f64,
    exporter: Option<Exporter>,
}

/// The trace of one request.
#[derive(Debug)]
pub struct RequestTrace {
    /// With the span of the request as a whole.
    pub context: TraceContext,
    /// The caller's span; none if the trace begins here.
    pub parent: Option<[u8; 8]>,
    /// `tracestate` as it came.
    pub state: Option<String>,
    /// When its steps began and ended.
    pub marks: Marks,
}

/// When the steps of a request began and ended; none for those that it did not reach.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The request mapping.
    pub request_mapping: Option<(Instant, Instant)>,
    /// Calls of providers, in the order in which they ended.
    pub calls: Vec<CallMark>,
    /// The response mapping.
    pub response_mapping: Option<(Instant, Instant)>,
}

/// A call of a provider, while it runs.
#[derive(Debug)]
pub struct Leg {
    /// The id of its span.
    pub span_id: [u8; 8],
    /// `traceparent` for the provider, with this span.
    pub parent: String,
}

/// A call of a provider that has ended.
#[derive(Clone, Copy, Debug)]
pub struct CallMark {
    /// Its place among the calls of the operation.
    pub position: usize,
    /// The id of its span.
    pub span_id: [u8; 8],
    /// When it began and ended.
    pub time: (Instant, Instant),
    /// The code of its failure; none if it succeeded.
    pub error: Option<&'static str>,
}

impl RequestTrace {
    /// The part of the trace that is one call.
    pub fn leg(&self) -> Leg {
        let span_id = span_id();
        Leg { span_id, parent: TraceContext { span_id, ..self.context }.to_string() }
    }
}

impl Traces {
    /// Begins to send spans, if they are to be sent.
    ///
    /// # Errors
    /// A thread cannot be made.
    pub fn start(settings: TraceSettings, metrics: TraceMetrics) -> std::io::Result<Self> {
        let TraceSettings { ratio, collector } = settings;
        let exporter = collector.map(|collector| Exporter::start(collector, metrics)).transpose()?;
        Ok(Self { ratio, exporter })
    }

    /// The trace of a request: the caller's if it brings one, else a new one.
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
            // Without the context that it belongs to it means nothing.
            state: callers.and_then(|_| state(headers)).map(str::to_owned),
            marks: Marks::default(),
        }
    }

    /// Whether spans of recorded traces are sent anywhere.
    pub fn sends(&self) -> bool {
        self.exporter.is_some()
    }

    /// Sends the spans of a request, soon.
    pub fn send(&self, spans: Vec<Span>) {
        if let Some(exporter) = &self.exporter {
            exporter.send(spans);
        }
    }

    /// Waits until all that waits is sent, so long at most.
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

/// A number that nobody needs to be unable to guess, and that is not zero: ids of spans and traces.
fn random() -> u64 {
    thread_local! {
        // Keyed by the system's randomness, and differently for each thread.
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
