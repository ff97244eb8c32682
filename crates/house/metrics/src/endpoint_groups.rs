//! The counts of endpoint groups as metrics. Groups count for themselves. This module copies their
//! figures when metrics are read.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use connector::{EndpointView, GroupView, State};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct GroupLabels {
    group: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EndpointLabels {
    group: String,
    endpoint: String,
}

type Count<L> = Family<L, Counter>;

/// The figures of all groups.
#[derive(Debug, Default)]
pub struct GroupMetrics {
    waiting: Family<GroupLabels, Gauge>,
    receiving: Family<GroupLabels, Gauge>,
    readers_waiting: Family<GroupLabels, Gauge>,
    retries: Count<GroupLabels>,
    replies: Count<EndpointLabels>,
    reply_time: Family<EndpointLabels, Counter<f64, AtomicU64>>,
    timeouts: Count<EndpointLabels>,
    errors: Count<EndpointLabels>,
    retransmits: Count<EndpointLabels>,
    dsacks: Count<EndpointLabels>,
    sessions: Family<EndpointLabels, Gauge>,
    in_use: Family<EndpointLabels, Gauge>,
    active: Family<EndpointLabels, Gauge>,
    /// The labels at the last reading.
    shown: Mutex<(HashSet<GroupLabels>, HashSet<EndpointLabels>)>,
}

impl GroupMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register("gantry_group_waiting", "Requests that wait for an endpoint", self.waiting.clone());
        let help = "Memory of replies that are received";
        registry.register_with_unit("gantry_group_receiving", help, Unit::Bytes, self.receiving.clone());
        let help = "Connections that are not read because there is no room";
        registry.register("gantry_group_readers_waiting", help, self.readers_waiting.clone());
        registry.register("gantry_group_retries", "Requests that were sent again", self.retries.clone());
        registry.register("gantry_endpoint_replies", "Replies of an endpoint", self.replies.clone());
        let help = "Time of an endpoint's replies, from the choice of the endpoint to the whole reply";
        registry.register_with_unit("gantry_endpoint_reply", help, Unit::Seconds, self.reply_time.clone());
        let help = "Requests without a reply in time";
        registry.register("gantry_endpoint_timeouts", help, self.timeouts.clone());
        let help = "Connections that broke or did not come up, and replies that were none";
        registry.register("gantry_endpoint_errors", help, self.errors.clone());
        let help = "Segments that TCP sent again";
        registry.register("gantry_endpoint_retransmits", help, self.retransmits.clone());
        let help = "Segments that TCP sent again needlessly, as the server told";
        registry.register("gantry_endpoint_dsacks", help, self.dsacks.clone());
        registry.register("gantry_endpoint_sessions", "Open connections", self.sessions.clone());
        registry.register("gantry_endpoint_in_use", "Requests under way", self.in_use.clone());
        registry.register("gantry_endpoint_active", "1 if the endpoint serves", self.active.clone());
    }

    /// Takes over the present state of the groups. Groups that are gone disappear.
    pub fn show(&self, groups: &[GroupView]) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut now, mut endpoints) = (HashSet::new(), HashSet::new());
        for group in groups {
            let labels = GroupLabels { group: group.name.clone() };
            self.waiting.get_or_create_owned(&labels).set(gauge(group.queue));
            self.receiving.get_or_create_owned(&labels).set(gauge(group.receiving));
            self.readers_waiting.get_or_create_owned(&labels).set(gauge(group.readers_waiting));
            set(&self.retries.get_or_create_owned(&labels), group.retries);
            now.insert(labels);
            for endpoint in &group.endpoints {
                let labels = EndpointLabels { group: group.name.clone(), endpoint: endpoint.name.clone() };
                // A removed endpoint may have the name of one that serves. The serving one comes
                // first.
                if endpoints.insert(labels.clone()) {
                    self.show_endpoint(&labels, endpoint);
                }
            }
        }
        for gone in shown.0.difference(&now) {
            for gauges in [&self.waiting, &self.receiving, &self.readers_waiting] {
                gauges.remove(gone);
            }
            self.retries.remove(gone);
        }
        for gone in shown.1.difference(&endpoints) {
            self.remove(gone);
        }
        *shown = (now, endpoints);
    }

    fn show_endpoint(&self, labels: &EndpointLabels, endpoint: &EndpointView) {
        let counts = [
            (&self.replies, endpoint.replies),
            (&self.timeouts, endpoint.timeouts),
            (&self.errors, endpoint.errors),
            (&self.retransmits, endpoint.retransmits),
            (&self.dsacks, endpoint.dsacks),
        ];
        for (family, count) in counts {
            set(&family.get_or_create_owned(labels), count);
        }
        let seconds = endpoint.mean_ms * endpoint.replies as f64 / 1_000.0;
        self.reply_time.get_or_create_owned(labels).inner().store(seconds.to_bits(), Ordering::Relaxed);
        self.sessions.get_or_create_owned(labels).set(gauge(endpoint.sessions));
        self.in_use.get_or_create_owned(labels).set(gauge(endpoint.in_use));
        self.active.get_or_create_owned(labels).set((endpoint.state == State::Active).into());
    }

    fn remove(&self, gone: &EndpointLabels) {
        for counts in [&self.replies, &self.timeouts, &self.errors, &self.retransmits, &self.dsacks] {
            counts.remove(gone);
        }
        self.reply_time.remove(gone);
        for gauges in [&self.sessions, &self.in_use, &self.active] {
            gauges.remove(gone);
        }
    }
}

fn set(counter: &Counter, value: u64) {
    counter.inner().store(value, Ordering::Relaxed);
}

fn gauge(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
