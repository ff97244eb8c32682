//! What the gateway counts: requests by API, operation and status, and the CPU time of providers.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use rustix::time::{ClockId, clock_gettime};

type Seconds = Counter<f64, AtomicU64>;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    api: String,
    operation: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ServiceLabels {
    service: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FailureLabels {
    code: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReloadLabels {
    outcome: &'static str,
}

/// All figures of the process.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    failures: Family<FailureLabels, Counter>,
    provider_calls: Family<ServiceLabels, Counter>,
    provider_cpu: Family<ServiceLabels, Seconds>,
    pub(crate) connections: Gauge,
    reloads: Family<ReloadLabels, Counter>,
    configuration_current: Gauge,
    sampling: CpuSampling,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

/// Handles of one operation, so that a request counts without looking anything up.
#[derive(Debug)]
pub(crate) struct OperationMetrics {
    api: String,
    operation: String,
    requests: Family<RequestLabels, Counter>,
    succeeded: Counter,
}

/// Handles of one service.
#[derive(Clone, Debug)]
pub(crate) struct ServiceMetrics {
    calls: Counter,
    cpu: Seconds,
    sampling: CpuSampling,
}

/// How often a provider's CPU time is measured, and what measuring costs.
#[derive(Clone, Copy, Debug)]
struct CpuSampling {
    every: u32,
    overhead: Duration,
}

impl Metrics {
    /// Makes the figures. Every `sample_every`th call of a provider has its thread CPU time measured, and stands for
    /// all; 0 measures none. Reading the clock costs about as much as a simulated call, hence the sampling.
    pub(crate) fn new(sample_every: u32) -> Self {
        let mut registry = Registry::default();
        let requests = Family::default();
        registry.register("gantry_requests", "Requests answered, by operation and status", requests.clone());
        let failures = Family::default();
        registry.register("gantry_failures", "Requests that failed, by code", failures.clone());
        let provider_calls = Family::default();
        registry.register("gantry_provider_calls", "Calls of a service's provider", provider_calls.clone());
        let provider_cpu = Family::default();
        let help = "CPU time of the gateway's threads within calls of a service's provider, from samples";
        registry.register_with_unit("gantry_provider_cpu", help, Unit::Seconds, provider_cpu.clone());
        let connections = Gauge::default();
        registry.register("gantry_connections", "Open connections", connections.clone());
        let reloads = Family::default();
        registry.register(
            "gantry_configuration_reloads",
            "Changed configurations, by outcome",
            reloads.clone(),
        );
        let configuration_current = Gauge::default();
        let help =
            "1 if the files as they are now serve, 0 if they have faults and an older configuration serves";
        registry.register("gantry_configuration_current", help, configuration_current.clone());
        configuration_current.set(1);
        let sampling = CpuSampling { every: sample_every, overhead: clock_overhead() };
        Self {
            registry,
            requests,
            failures,
            provider_calls,
            provider_cpu,
            connections,
            reloads,
            configuration_current,
            sampling,
        }
    }

    pub(crate) fn operation(&self, api: &str, operation: &str) -> OperationMetrics {
        let labels = RequestLabels { api: api.to_owned(), operation: operation.to_owned(), status: 200 };
        OperationMetrics {
            api: labels.api.clone(),
            operation: labels.operation.clone(),
            succeeded: self.requests.get_or_create_owned(&labels),
            requests: self.requests.clone(),
        }
    }

    pub(crate) fn service(&self, service: &str) -> ServiceMetrics {
        let labels = ServiceLabels { service: service.to_owned() };
        ServiceMetrics {
            calls: self.provider_calls.get_or_create_owned(&labels),
            cpu: self.provider_cpu.get_or_create_owned(&labels),
            sampling: self.sampling,
        }
    }

    /// Counts a changed configuration that serves now, or was refused.
    pub(crate) fn reloaded(&self, applied: bool) {
        let outcome = if applied { "applied" } else { "refused" };
        self.reloads.get_or_create_owned(&ReloadLabels { outcome }).inc();
        self.configuration_current.set(applied.into());
    }

    /// Counts a failure by its code.
    pub(crate) fn failed(&self, code: &str) {
        self.failures.get_or_create_owned(&FailureLabels { code: code.to_owned() }).inc();
    }

    /// Everything in the OpenMetrics text format.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        text
    }
}

impl OperationMetrics {
    pub(crate) fn answered(&self, status: u16) {
        if status == 200 {
            self.succeeded.inc();
            return;
        }
        let labels = RequestLabels { api: self.api.clone(), operation: self.operation.clone(), status };
        self.requests.get_or_create_owned(&labels).inc();
    }
}

impl ServiceMetrics {
    /// How often the provider has been called.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// Counts and runs a call of the provider.
    pub(crate) fn measure<T>(&self, call: impl FnOnce() -> T) -> T {
        self.calls.inc();
        self.measure_more(call)
    }

    /// Runs what a provider does on this thread, and measures its CPU time if this is a sample.
    pub(crate) fn measure_more<T>(&self, call: impl FnOnce() -> T) -> T {
        thread_local! {
            static CALLS: Cell<u32> = const { Cell::new(0) };
        }
        if self.sampling.every == 0 {
            return call();
        }
        let number = CALLS.get().wrapping_add(1);
        CALLS.set(number);
        if !number.is_multiple_of(self.sampling.every) {
            return call();
        }
        let start = thread_cpu_time();
        let result = call();
        let spent = thread_cpu_time().saturating_sub(start).saturating_sub(self.sampling.overhead);
        self.cpu.inc_by(spent.as_secs_f64() * f64::from(self.sampling.every));
        result
    }
}

fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// What two readings of the clock have between them when nothing is done: the median of some.
fn clock_overhead() -> Duration {
    let mut readings: Vec<Duration> = (0..101)
        .map(|_| {
            let start = thread_cpu_time();
            thread_cpu_time().saturating_sub(start)
        })
        .collect();
    readings.sort_unstable();
    readings[readings.len() / 2]
}
