//! Figures of interceptors: waiting, written and lost lines, and servers that do not answer.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct InterceptorLabels {
    interceptor: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LostLabels {
    interceptor: String,
    reason: &'static str,
}

/// Why a line is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The queue was full.
    Overflow,
    /// The file could not be written.
    WriteError,
}

/// The families. Each file has its members in them.
#[derive(Default)]
pub(super) struct Families {
    depth: Family<InterceptorLabels, Gauge>,
    written: Family<InterceptorLabels, Counter>,
    failures: Family<InterceptorLabels, Counter>,
    lost: Family<LostLabels, Counter>,
    unanswered: Family<InterceptorLabels, Counter>,
}

/// The figures of an interceptor that asks another server.
#[derive(Clone, Debug)]
pub struct InterceptorMetrics(Counter);

impl InterceptorMetrics {
    /// Counts a question without a usable answer, or a report of a call's end that failed.
    pub fn failed(&self) {
        self.0.inc();
    }
}

/// The figures of one file.
#[derive(Clone, Debug)]
pub struct JournalMetrics {
    depth: Gauge,
    written: Counter,
    failures: Counter,
    overflow: Counter,
    write_error: Counter,
}

impl Families {
    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Lines that wait to be written";
        registry.register("gantry_journal_queue_lines", help, self.depth.clone());
        registry.register("gantry_journal_written_lines", "Lines written", self.written.clone());
        let help = "Attempts to write or sync a file that failed";
        registry.register("gantry_journal_write_failures", help, self.failures.clone());
        let help = "Lines lost: the queue was full, or the file could not be written";
        registry.register("gantry_journal_lost_lines", help, self.lost.clone());
        let help = "Calls of interceptors without a usable answer, and call ends that could not be sent";
        registry.register("gantry_interceptor_failures", help, self.unanswered.clone());
    }

    pub(super) fn external(&self, interceptor: &str) -> InterceptorMetrics {
        let labels = InterceptorLabels { interceptor: interceptor.to_owned() };
        InterceptorMetrics(self.unanswered.get_or_create_owned(&labels))
    }

    pub(super) fn of(&self, interceptor: &str) -> JournalMetrics {
        let labels = InterceptorLabels { interceptor: interceptor.to_owned() };
        let lost = |reason| LostLabels { interceptor: interceptor.to_owned(), reason };
        JournalMetrics {
            depth: self.depth.get_or_create_owned(&labels),
            written: self.written.get_or_create_owned(&labels),
            failures: self.failures.get_or_create_owned(&labels),
            overflow: self.lost.get_or_create_owned(&lost("overflow")),
            write_error: self.lost.get_or_create_owned(&lost("write_error")),
        }
    }
}

impl JournalMetrics {
    /// Counts lines that go into the queue.
    pub fn queued(&self, lines: usize) {
        self.depth.inc_by(lines as i64);
    }

    /// Counts lines that leave the queue unwritten.
    pub fn dequeued(&self, lines: usize) {
        self.depth.dec_by(lines as i64);
    }

    /// Counts lines that leave the queue and are written.
    pub fn written(&self, lines: usize) {
        self.dequeued(lines);
        self.written.inc_by(lines as u64);
    }

    /// Counts a failed attempt to write or sync the file.
    pub fn write_failed(&self) {
        self.failures.inc();
    }

    /// Counts lost lines.
    pub fn lost(&self, reason: Lost, lines: usize) {
        let counter = match reason {
            Lost::Overflow => &self.overflow,
            Lost::WriteError => &self.write_error,
        };
        counter.inc_by(lines as u64);
    }

    /// All lost lines, for any reason.
    pub fn lost_in_all(&self) -> u64 {
        self.overflow.get() + self.write_error.get()
    }

    /// The number of waiting lines.
    pub fn depth(&self) -> i64 {
        self.depth.get()
    }
}
