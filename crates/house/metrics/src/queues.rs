//! The counts of queues as metrics. The queue manager counts for itself. This module copies its
//! figures when metrics are read.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use message::Moment;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use queue::Inquiry;

/// The most queues with shown figures, in the order of names. Models may make many queues.
pub const QUEUES_SHOWN_MAX: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabels {
    queue: String,
}

type Count = Family<QueueLabels, Counter>;
type Now = Family<QueueLabels, Gauge>;

/// The figures of all queues that can hold messages.
#[derive(Debug, Default)]
pub struct QueueMetrics {
    depth: Now,
    uncommitted: Now,
    oldest_age: Now,
    waiters: Now,
    disk: Now,
    memory: Now,
    puts: Count,
    gets: Count,
    backouts: Count,
    expired: Count,
    damaged: Count,
    reports_lost: Count,
    /// The labels at the last reading.
    shown: Mutex<HashSet<QueueLabels>>,
}

impl QueueMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register("gantry_queue_depth", "Messages on a queue", self.depth.clone());
        let help = "Messages of a queue that units of work hold, or that are damaged";
        registry.register("gantry_queue_uncommitted", help, self.uncommitted.clone());
        let help = "Age of the oldest message that can be got; 0 if there is none";
        registry.register_with_unit("gantry_queue_oldest_age", help, Unit::Seconds, self.oldest_age.clone());
        registry.register("gantry_queue_waiters", "Callers that wait for a message", self.waiters.clone());
        registry.register_with_unit("gantry_queue_disk", "Messages on disk", Unit::Bytes, self.disk.clone());
        registry.register_with_unit(
            "gantry_queue_memory",
            "Messages in memory",
            Unit::Bytes,
            self.memory.clone(),
        );
        registry.register("gantry_queue_puts", "Messages put and committed", self.puts.clone());
        registry.register("gantry_queue_gets", "Messages got and committed", self.gets.clone());
        registry.register("gantry_queue_backouts", "Gets that were backed out", self.backouts.clone());
        registry.register("gantry_queue_expired", "Messages whose time was over", self.expired.clone());
        registry.register("gantry_queue_damaged", "Messages that were found damaged", self.damaged.clone());
        let help = "Reports about messages that could go nowhere";
        registry.register("gantry_queue_reports_lost", help, self.reports_lost.clone());
    }

    /// Takes over the present state of the queues. Queues that are gone disappear.
    pub fn show(&self, queues: &[Inquiry], time: Moment) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now = HashSet::new();
        for queue in queues.iter().filter(|queue| queue.is_local()).take(QUEUES_SHOWN_MAX) {
            let labels = QueueLabels { queue: queue.name.as_str().to_owned() };
            let age = queue.oldest.map_or(0, |oldest| time.since_ms(oldest) / 1_000);
            for (family, value) in [
                (&self.depth, queue.depth as u64),
                (&self.uncommitted, queue.uncommitted as u64),
                (&self.oldest_age, age),
                (&self.waiters, queue.waiters as u64),
                (&self.disk, queue.disk_bytes),
                (&self.memory, queue.memory_bytes),
            ] {
                family.get_or_create_owned(&labels).set(i64::try_from(value).unwrap_or(i64::MAX));
            }
            let own = &queue.counters;
            for (family, count) in [
                (&self.puts, own.puts),
                (&self.gets, own.gets),
                (&self.backouts, own.backouts),
                (&self.expired, own.expired),
                (&self.damaged, own.damaged),
                (&self.reports_lost, own.reports_lost),
            ] {
                family.get_or_create_owned(&labels).inner().store(count, Ordering::Relaxed);
            }
            now.insert(labels);
        }
        for gone in shown.difference(&now) {
            for gauges in
                [&self.depth, &self.uncommitted, &self.oldest_age, &self.waiters, &self.disk, &self.memory]
            {
                gauges.remove(gone);
            }
            for counts in
                [&self.puts, &self.gets, &self.backouts, &self.expired, &self.damaged, &self.reports_lost]
            {
                counts.remove(gone);
            }
        }
        *shown = now;
    }
}
