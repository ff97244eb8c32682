//! Counts of outgoing connections, for each: answers, failures, retries, waits for a place, tokens.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::{Registry, Unit};
use remote::{ErrorKind, Observe};

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ConnectionLabels {
    connection: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabels {
    connection: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FailureLabels {
    connection: String,
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TokenLabels {
    connection: String,
    outcome: &'static str,
}

/// The figures of all connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutboundMetrics {
    answers: Family<AnswerLabels, Counter>,
    failures: Family<FailureLabels, Counter>,
    retries: Family<ConnectionLabels, Counter>,
    waits: Family<ConnectionLabels, Counter>,
    wait_time: Family<ConnectionLabels, Counter<f64, AtomicU64>>,
    tokens: Family<TokenLabels, Counter>,
}

/// The figures of one connection.
#[derive(Clone, Debug)]
pub struct ConnectionMetrics {
    connection: String,
    figures: OutboundMetrics,
}

impl OutboundMetrics {
    pub(crate) fn new(registry: &mut Registry) -> Self {
        let figures = Self::default();
        let Self { answers, failures, retries, waits, wait_time, tokens } = figures.clone();
        registry.register("gantry_connection_answers", "Answers of remote APIs, by status", answers);
        let help = "Requests to remote APIs that had no answer, by reason";
        registry.register("gantry_connection_failures", help, failures);
        registry.register("gantry_connection_retries", "Requests that were sent again", retries);
        registry.register("gantry_connection_waits", "Requests that waited for a place", waits);
        let help = "Time that requests waited for a place";
        registry.register_with_unit("gantry_connection_wait", help, Unit::Seconds, wait_time);
        registry.register("gantry_connection_tokens", "Tokens that were fetched, by outcome", tokens);
        figures
    }

    pub(crate) fn connection(&self, name: &str) -> ConnectionMetrics {
        ConnectionMetrics { connection: name.to_owned(), figures: self.clone() }
    }
}

impl ConnectionMetrics {
    fn labels(&self) -> ConnectionLabels {
        ConnectionLabels { connection: self.connection.clone() }
    }
}

impl Observe for ConnectionMetrics {
    fn answered(&self, status: u16) {
        let labels = AnswerLabels { connection: self.connection.clone(), status };
        self.figures.answers.get_or_create_owned(&labels).inc();
    }

    fn failed(&self, kind: ErrorKind) {
        let labels = FailureLabels { connection: self.connection.clone(), reason: kind.as_str() };
        self.figures.failures.get_or_create_owned(&labels).inc();
    }

    fn retried(&self) {
        self.figures.retries.get_or_create_owned(&self.labels()).inc();
    }

    fn waited(&self, time: Duration) {
        let labels = self.labels();
        self.figures.waits.get_or_create_owned(&labels).inc();
        self.figures.wait_time.get_or_create_owned(&labels).inc_by(time.as_secs_f64());
    }

    fn token(&self, fetched: bool) {
        let outcome = if fetched { "fetched" } else { "refused" };
        let labels = TokenLabels { connection: self.connection.clone(), outcome };
        self.figures.tokens.get_or_create_owned(&labels).inc();
    }
}
