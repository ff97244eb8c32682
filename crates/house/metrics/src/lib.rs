//! The metrics of the gateway: requests by API, operation and status, their times and sizes,
//! failures, and CPU time.
//!
//! The configuration or a closed table limits the values of every label: names of APIs, operations
//! and services, statuses, codes. Callers cannot invent labels.
//!
//! [`Metrics`] has all figures. It gives out **handles**: [`OperationMetrics`], [`ServiceMetrics`],
//! [`ConnectionMetrics`], [`JournalMetrics`], [`InterceptorMetrics`] and [`TraceMetrics`]. A handle
//! is made when the configuration is loaded, so a request counts without a look-up.
//! [`Metrics::text`] writes all figures for the admin address. This crate decides nothing: callers
//! report events.

mod certificates;
mod connections;
mod cpu;
mod endpoint_groups;
mod histogram;
mod journal;
mod programs;
mod queues;
mod traces;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

pub use certificates::CertificateMetrics;
pub use connections::ConnectionMetrics;
use connections::OutboundMetrics;
pub use cpu::{CPU_SAMPLE_EVERY, CpuSampling};
pub use endpoint_groups::GroupMetrics;
use histogram::Histogram;
pub use journal::{InterceptorMetrics, JournalMetrics, Lost};
pub use programs::{ProgramCounts, ProgramMetrics};
pub use queues::{QUEUES_SHOWN_MAX, QueueMetrics};
pub use traces::TraceMetrics;

/// For this long, a refused call is a sign that the provider refuses all calls.
const REFUSING_MS: u64 = 10_000;

type Seconds = Counter<f64, AtomicU64>;
type Distribution<L> = Family<L, Histogram, fn() -> Histogram>;

/// Optional measurements of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricsSettings {
    /// Times of requests and provider calls.
    pub times: bool,
    /// Sizes of requests and responses.
    pub sizes: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    api: String,
    operation: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    api: String,
    operation: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TransactionLabels {
    api: String,
    service: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ServiceLabels {
    service: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FailureLabels {
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ApiFailureLabels {
    api: String,
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReloadLabels {
    outcome: &'static str,
}

/// All figures of the process.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    failures: Family<FailureLabels, Counter>,
    api_failures: Family<ApiFailureLabels, Counter>,
    violations: Family<OperationLabels, Counter>,
    request_times: Distribution<OperationLabels>,
    request_sizes: Distribution<OperationLabels>,
    response_sizes: Distribution<OperationLabels>,
    request_cpu: Family<TransactionLabels, Seconds>,
    provider_calls: Family<ServiceLabels, Counter>,
    provider_failures: Family<ServiceLabels, Counter>,
    provider_times: Distribution<ServiceLabels>,
    provider_cpu: Family<ServiceLabels, Seconds>,
    /// Open connections.
    pub connections: Gauge,
    /// Connections refused because their address has too many.
    pub connections_refused: Counter,
    /// Bytes of answers that wait for their clients.
    pub answers_waiting: Gauge,
    /// Tasks that waited for a worker of the region, at the last reading.
    pub region_tasks_waiting: Gauge,
    /// Workers of the region with a running task, at the last reading.
    pub region_workers_busy: Gauge,
    /// Answers whose clients did not take them in time.
    pub answers_not_taken: Counter,
    reloads: Family<ReloadLabels, Counter>,
    configuration_current: Gauge,
    journals: journal::Families,
    /// Figures of traces.
    pub traces: TraceMetrics,
    outbound: OutboundMetrics,
    /// Figures of endpoint groups, at the last reading.
    pub groups: GroupMetrics,
    /// The figures of the region's programs.
    pub programs: ProgramMetrics,
    /// Figures of queues, at the last reading.
    pub queues: QueueMetrics,
    /// The ends of certificates, at the last reading.
    pub certificates: CertificateMetrics,
    settings: MetricsSettings,
    /// The choice of requests and calls whose CPU time is measured.
    pub sampling: CpuSampling,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

/// Handles of one operation, so that a request counts without a look-up.
#[derive(Debug)]
pub struct OperationMetrics {
    labels: OperationLabels,
    requests: Family<RequestLabels, Counter>,
    failures: Family<ApiFailureLabels, Counter>,
    violations: Family<OperationLabels, Counter>,
    succeeded: Counter,
    times: Option<Histogram>,
    sizes: Option<[Histogram; 2]>,
    cpu: Seconds,
}

/// Handles of one service.
#[derive(Clone, Debug)]
pub struct ServiceMetrics {
    calls: Counter,
    failures: Counter,
    times: Option<Histogram>,
    cpu: Seconds,
    /// When the provider refused a call, in milliseconds of the process; 0 after it has taken one
    /// again.
    refused_at_ms: Arc<AtomicU64>,
    sampling: CpuSampling,
}

/// The figures of one request.
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    /// The status of the answer.
    pub status: u16,
    /// The time from the head's arrival to the answer; none if times are not measured.
    pub time: Option<Duration>,
    /// Bytes of the request's body.
    pub request_bytes: usize,
    /// Bytes of the answer's body.
    pub response_bytes: usize,
}

impl Metrics {
    /// Makes the figures.
    pub fn new(settings: MetricsSettings) -> Self {
        let mut registry = Registry::default();
        let configuration_current = Gauge::default();
        configuration_current.set(1);
        let metrics = Self {
            requests: Family::default(),
            failures: Family::default(),
            api_failures: Family::default(),
            violations: Family::default(),
            request_times: Family::new_with_constructor(Histogram::times),
            request_sizes: Family::new_with_constructor(Histogram::sizes),
            response_sizes: Family::new_with_constructor(Histogram::sizes),
            request_cpu: Family::default(),
            provider_calls: Family::default(),
            provider_failures: Family::default(),
            provider_times: Family::new_with_constructor(Histogram::times),
            provider_cpu: Family::default(),
            connections: Gauge::default(),
            connections_refused: Counter::default(),
            answers_waiting: Gauge::default(),
            region_tasks_waiting: Gauge::default(),
            region_workers_busy: Gauge::default(),
            answers_not_taken: Counter::default(),
            reloads: Family::default(),
            configuration_current,
            journals: journal::Families::default(),
            traces: TraceMetrics::default(),
            outbound: OutboundMetrics::new(&mut registry),
            groups: GroupMetrics::default(),
            programs: ProgramMetrics::default(),
            queues: QueueMetrics::default(),
            certificates: CertificateMetrics::default(),
            sampling: CpuSampling::new(if settings.times { CPU_SAMPLE_EVERY } else { 0 }),
            settings,
            registry: Registry::default(),
        };
        metrics.register_requests(&mut registry);
        metrics.register_providers(&mut registry);
        metrics.register_process(&mut registry);
        Self { registry, ..metrics }
    }

    fn register_requests(&self, registry: &mut Registry) {
        let help = "Requests answered, by operation and status";
        registry.register("gantry_requests", help, self.requests.clone());
        registry.register("gantry_failures", "Requests that failed, by code", self.failures.clone());
        let help = "Requests for operations that failed, by API and code";
        registry.register("gantry_api_failures", help, self.api_failures.clone());
        let help = "Differences between responses and their contract, by operation";
        registry.register("gantry_contract_violations", help, self.violations.clone());
        if self.settings.times {
            let help = "Time from a request's head to its answer, by operation";
            let times = self.request_times.clone();
            registry.register_with_unit("gantry_request_duration", help, Unit::Seconds, times);
        }
        if self.settings.sizes {
            let sizes = self.request_sizes.clone();
            let help = "Bytes of request bodies, by operation";
            registry.register_with_unit("gantry_request_body", help, Unit::Bytes, sizes);
            let sizes = self.response_sizes.clone();
            let help = "Bytes of response bodies, by operation";
            registry.register_with_unit("gantry_response_body", help, Unit::Bytes, sizes);
        }
        let help = "CPU time of the gateway's threads from a request's head to its answer, from samples";
        registry.register_with_unit("gantry_request_cpu", help, Unit::Seconds, self.request_cpu.clone());
    }

    fn register_providers(&self, registry: &mut Registry) {
        let help = "Calls of a service's provider";
        registry.register("gantry_provider_calls", help, self.provider_calls.clone());
        let help = "Calls of a service's provider that failed";
        registry.register("gantry_provider_failures", help, self.provider_failures.clone());
        if self.settings.times {
            let help = "Time of calls of a service's provider";
            let times = self.provider_times.clone();
            registry.register_with_unit("gantry_provider_duration", help, Unit::Seconds, times);
        }
        let help = "CPU time of the gateway's threads within calls of a service's provider, from samples";
        registry.register_with_unit("gantry_provider_cpu", help, Unit::Seconds, self.provider_cpu.clone());
    }

    fn register_process(&self, registry: &mut Registry) {
        registry.register("gantry_connections", "Open connections", self.connections.clone());
        registry.register(
            "gantry_connections_refused",
            "Connections that were closed because their address has too many",
            self.connections_refused.clone(),
        );
        registry.register(
            "gantry_answers_waiting_bytes",
            "Bytes of answers that wait for their clients",
            self.answers_waiting.clone(),
        );
        registry.register(
            "gantry_answers_not_taken",
            "Answers that ended because their clients did not take them in time, or too many waited",
            self.answers_not_taken.clone(),
        );
        registry.register(
            "gantry_region_tasks_waiting",
            "Tasks that wait for a worker of the region",
            self.region_tasks_waiting.clone(),
        );
        registry.register(
            "gantry_region_workers_busy",
            "Workers of the region that run a task",
            self.region_workers_busy.clone(),
        );
        let help = "Changed configurations, by outcome";
        registry.register("gantry_configuration_reloads", help, self.reloads.clone());
        let help =
            "1 if the files as they are now serve, 0 if they have faults and an older configuration serves";
        registry.register("gantry_configuration_current", help, self.configuration_current.clone());
        self.journals.register(registry);
        self.traces.register(registry);
        self.groups.register(registry);
        self.programs.register(registry);
        self.queues.register(registry);
        self.certificates.register(registry);
    }

    /// The handles of an operation and of the service that it calls.
    pub fn operation(&self, api: &str, operation: &str, service: &str) -> OperationMetrics {
        let (api, operation) = (api.to_owned(), operation.to_owned());
        let succeeded = RequestLabels { api: api.clone(), operation: operation.clone(), status: 200 };
        let transaction = TransactionLabels { api: api.clone(), service: service.to_owned() };
        let labels = OperationLabels { api, operation };
        let times = || self.request_times.get_or_create_owned(&labels);
        let sizes = || {
            [
                self.request_sizes.get_or_create_owned(&labels),
                self.response_sizes.get_or_create_owned(&labels),
            ]
        };
        OperationMetrics {
            succeeded: self.requests.get_or_create_owned(&succeeded),
            requests: self.requests.clone(),
            failures: self.api_failures.clone(),
            violations: self.violations.clone(),
            times: self.settings.times.then(times),
            sizes: self.settings.sizes.then(sizes),
            cpu: self.request_cpu.get_or_create_owned(&transaction),
            labels,
        }
    }

    /// The handles of a service.
    pub fn service(&self, service: &str) -> ServiceMetrics {
        let labels = ServiceLabels { service: service.to_owned() };
        ServiceMetrics {
            calls: self.provider_calls.get_or_create_owned(&labels),
            failures: self.provider_failures.get_or_create_owned(&labels),
            times: self.settings.times.then(|| self.provider_times.get_or_create_owned(&labels)),
            cpu: self.provider_cpu.get_or_create_owned(&labels),
            refused_at_ms: Arc::default(),
            sampling: self.sampling,
        }
    }

    /// The figures of a file that an interceptor writes.
    pub fn journal(&self, interceptor: &str) -> JournalMetrics {
        self.journals.of(interceptor)
    }

    /// The figures of an interceptor that asks another server.
    pub fn interceptor(&self, name: &str) -> InterceptorMetrics {
        self.journals.external(name)
    }

    /// Whether times of requests are measured.
    pub fn wants_times(&self) -> bool {
        self.settings.times
    }

    /// Handles of one outgoing connection.
    pub fn connection(&self, name: &str) -> ConnectionMetrics {
        self.outbound.connection(name)
    }

    /// Counts a changed configuration as applied or refused.
    pub fn reloaded(&self, applied: bool) {
        let outcome = if applied { "applied" } else { "refused" };
        self.reloads.get_or_create_owned(&ReloadLabels { outcome }).inc();
        self.configuration_current.set(applied.into());
    }

    /// Counts a failure by its code.
    pub fn failed(&self, code: &'static str) {
        self.failures.get_or_create_owned(&FailureLabels { code }).inc();
    }

    /// All figures in the OpenMetrics text format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        text
    }
}

impl OperationMetrics {
    /// Counts a request with its answer.
    pub fn answered(&self, answered: Answered) {
        let Answered { status, time, request_bytes, response_bytes } = answered;
        if status == 200 {
            self.succeeded.inc();
        } else {
            let OperationLabels { api, operation } = self.labels.clone();
            self.requests.get_or_create_owned(&RequestLabels { api, operation, status }).inc();
        }
        if let (Some(times), Some(time)) = (&self.times, time) {
            times.observe(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        }
        if let Some([requests, responses]) = &self.sizes {
            requests.observe(request_bytes as u64);
            responses.observe(response_bytes as u64);
        }
    }

    /// Counts a failure of the API by its code.
    pub fn failed(&self, code: &'static str) {
        let labels = ApiFailureLabels { api: self.labels.api.clone(), code };
        self.failures.get_or_create_owned(&labels).inc();
    }

    /// Counts a difference between an answer and its contract.
    pub fn broke_contract(&self) {
        self.violations.get_or_create_owned(&self.labels).inc();
    }

    /// Adds CPU time.
    pub fn spent(&self, seconds: f64) {
        self.cpu.inc_by(seconds);
    }
}

impl ServiceMetrics {
    /// The number of calls of the provider.
    pub fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// The number of failed calls.
    pub fn failures(&self) -> u64 {
        self.failures.get()
    }

    /// Counts a failed call.
    pub fn failed(&self) {
        self.failures.inc();
    }

    /// The time of all calls, in seconds; none if times are not measured.
    pub fn seconds(&self) -> Option<f64> {
        self.times.as_ref().map(|times| times.totals().1)
    }

    /// Counts the time of a call.
    pub fn took(&self, time: Duration) {
        if let Some(times) = &self.times {
            times.observe(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    /// Notes whether the provider takes calls.
    pub fn ended(&self, refused: bool) {
        if refused {
            self.refused_at_ms.store(process_ms().max(1), Ordering::Relaxed);
        } else if self.refused_at_ms.load(Ordering::Relaxed) != 0 {
            self.refused_at_ms.store(0, Ordering::Relaxed);
        }
    }

    /// Whether the provider refused a call recently and has taken none since. This state ends by
    /// itself, because a caller that sends no calls would never see the end.
    pub fn is_refusing(&self) -> bool {
        let refused_at = self.refused_at_ms.load(Ordering::Relaxed);
        refused_at != 0 && process_ms() < refused_at.saturating_add(REFUSING_MS)
    }

    /// Counts and runs a call of the provider.
    pub fn measure<T>(&self, call: impl FnOnce() -> T) -> T {
        self.calls.inc();
        self.measure_more(call)
    }

    /// Runs a provider's work on this thread, and measures its CPU time if this is a sample.
    pub fn measure_more<T>(&self, call: impl FnOnce() -> T) -> T {
        let (result, seconds) = self.sampling.call(call);
        if let Some(seconds) = seconds {
            self.cpu.inc_by(seconds);
        }
        result
    }
}

/// Milliseconds since the first call of this function.
fn process_ms() -> u64 {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(BEGUN.get_or_init(Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX)
}
