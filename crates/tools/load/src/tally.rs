//! Counts what happened to requests: pure accounting on given times, without IO or clock.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// The longest time that the histograms tell exactly; longer ones count as this.
const RECORDED_MAX_NS: u64 = 3_600_000_000_000;
/// Significant digits of the histograms: an error of at most 0.1 %.
const RECORDED_DIGITS: u8 = 3;

/// The measured part of a round, in nanoseconds of the driver's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first nanosecond that counts.
    pub start_ns: u64,
    /// The first nanosecond that counts no more.
    pub end_ns: u64,
}

impl Window {
    fn contains(self, time_ns: u64) -> bool {
        self.start_ns <= time_ns && time_ns < self.end_ns
    }
}

/// The times of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// When the client meant to send: the end of its think time.
    pub intended_ns: u64,
    /// When the driver began to send (or to connect, if the connection was gone).
    pub sent_ns: u64,
    /// When the last byte of the answer was read, or the client gave up.
    pub done_ns: u64,
}

/// Why a request did not count as a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The connection could not be opened.
    Connect,
    /// No complete answer within the time limit.
    Timeout,
    /// Another status than the expected one.
    Status(u16),
    /// Another length of the body than the expected one.
    BodyLength,
    /// Another body than the expected one.
    Content,
    /// The connection ended within the answer, or the answer was not HTTP.
    BrokenAnswer,
}

/// Failed requests by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// Connections that could not be opened.
    pub connect: u64,
    /// Requests without a complete answer within the time limit.
    pub timeout: u64,
    /// Answers with another status than the expected one.
    pub status: u64,
    /// Answers with another length than the expected one.
    pub body_length: u64,
    /// Answers with another body than the expected one.
    #[serde(default)]
    pub content: u64,
    /// Answers that were cut off or were not HTTP.
    pub broken_answer: u64,
}

impl Failures {
    /// All failures together.
    pub fn total(&self) -> u64 {
        self.connect + self.timeout + self.status + self.body_length + self.content + self.broken_answer
    }

    /// Adds the failures of another tally.
    pub fn add(&mut self, other: &Failures) {
        self.connect += other.connect;
        self.timeout += other.timeout;
        self.status += other.status;
        self.body_length += other.body_length;
        self.content += other.content;
        self.broken_answer += other.broken_answer;
    }
}

/// The distribution of a time, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Number of times recorded.
    pub count: u64,
    /// The exact mean.
    pub mean_us: f64,
    /// The smallest.
    pub min_us: f64,
    /// The median.
    pub p50_us: f64,
    /// The 90th percentile.
    pub p90_us: f64,
    /// The 99th percentile.
    pub p99_us: f64,
    /// The 99.9th percentile.
    pub p99_9_us: f64,
    /// The largest.
    pub max_us: f64,
}

/// A histogram that also keeps the exact sum and maximum.
#[derive(Debug, Clone)]
struct Recorder {
    histogram: Histogram<u64>,
    sum_ns: u128,
    max_ns: u64,
}

impl Recorder {
    fn new() -> Recorder {
        let histogram = Histogram::new_with_bounds(1, RECORDED_MAX_NS, RECORDED_DIGITS);
        // Unwrapped: the bounds are constants that the library accepts, as every test shows.
        Recorder { histogram: histogram.expect("valid bounds"), sum_ns: 0, max_ns: 0 }
    }

    fn record(&mut self, time_ns: u64) {
        self.histogram.saturating_record(time_ns);
        self.sum_ns += u128::from(time_ns);
        self.max_ns = self.max_ns.max(time_ns);
    }

    fn add(&mut self, other: &Recorder) {
        // Unwrapped: both histograms were made with the same bounds.
        self.histogram.add(&other.histogram).expect("same bounds");
        self.sum_ns += other.sum_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    fn times(&self) -> Times {
        let count = self.histogram.len();
        if count == 0 {
            return Times::default();
        }
        // The histogram answers with the upper end of a bucket, which may lie above the exact maximum.
        let at = |quantile| self.histogram.value_at_quantile(quantile).min(self.max_ns) as f64 / 1e3;
        Times {
            count,
            mean_us: self.sum_ns as f64 / count as f64 / 1e3,
            min_us: self.histogram.min() as f64 / 1e3,
            p50_us: at(0.50),
            p90_us: at(0.90),
            p99_us: at(0.99),
            p99_9_us: at(0.999),
            max_us: self.max_ns as f64 / 1e3,
        }
    }
}

/// The counts of one thread of the driver in one round.
///
/// *Transactions* are the correct answers that were complete within the window: they make the transaction rate and
/// divide the CPU time. *Times* are those of every request whose intended start lies in the window, even if its
/// answer came after the end: a server that stalls at the end of a round cannot hide it.
#[derive(Debug, Clone)]
pub struct Tally {
    window: Window,
    response: Recorder,
    service: Recorder,
    lateness: Recorder,
    /// Correct answers complete within the window.
    pub transactions: u64,
    /// Correct answers complete before the window.
    pub warmup_transactions: u64,
    /// Failed requests that ended after the start of the window.
    pub failures: Failures,
    /// The last unexpected status, to be shown to the user.
    pub unexpected_status: Option<u16>,
    /// Connections that had to be opened again after the first one of each client.
    pub reconnects: u64,
}

impl Tally {
    /// An empty tally for this window.
    pub fn new(window: Window) -> Tally {
        Tally {
            window,
            response: Recorder::new(),
            service: Recorder::new(),
            lateness: Recorder::new(),
            transactions: 0,
            warmup_transactions: 0,
            failures: Failures::default(),
            unexpected_status: None,
            reconnects: 0,
        }
    }

    /// Counts a correct answer.
    pub fn answered(&mut self, exchange: Exchange) {
        if self.window.contains(exchange.done_ns) {
            self.transactions += 1;
        } else if exchange.done_ns < self.window.start_ns {
            self.warmup_transactions += 1;
        }
        self.record(exchange);
    }

    /// Counts a failed request. Of the failures only a time-out enters the times, with the time waited: leaving it
    /// out would make a stalled server look fast; a refused connection or a quick wrong answer would too.
    pub fn failed(&mut self, exchange: Exchange, failure: Failure) {
        if exchange.done_ns < self.window.start_ns {
            return;
        }
        match failure {
            Failure::Connect => self.failures.connect += 1,
            Failure::Timeout => {
                self.failures.timeout += 1;
                self.record(exchange);
            }
            Failure::Status(status) => {
                self.failures.status += 1;
                self.unexpected_status = Some(status);
            }
            Failure::BodyLength => self.failures.body_length += 1,
            Failure::Content => self.failures.content += 1,
            Failure::BrokenAnswer => self.failures.broken_answer += 1,
        }
    }

    /// Counts a connection that was opened again.
    pub fn reconnected(&mut self, time_ns: u64) {
        self.reconnects += u64::from(self.window.contains(time_ns));
    }

    fn record(&mut self, exchange: Exchange) {
        if !self.window.contains(exchange.intended_ns) {
            return;
        }
        self.response.record(exchange.done_ns.saturating_sub(exchange.intended_ns));
        self.service.record(exchange.done_ns.saturating_sub(exchange.sent_ns));
        self.lateness.record(exchange.sent_ns.saturating_sub(exchange.intended_ns));
    }

    /// Adds what another thread counted in the same window.
    pub fn add(&mut self, other: &Tally) {
        self.response.add(&other.response);
        self.service.add(&other.service);
        self.lateness.add(&other.lateness);
        self.transactions += other.transactions;
        self.warmup_transactions += other.warmup_transactions;
        self.failures.add(&other.failures);
        self.unexpected_status = self.unexpected_status.or(other.unexpected_status);
        self.reconnects += other.reconnects;
    }

    /// Times from the intended start to the end of the answer.
    pub fn response(&self) -> Times {
        self.response.times()
    }

    /// Times from the actual start to the end of the answer.
    pub fn service(&self) -> Times {
        self.service.times()
    }

    /// How late the driver itself was: actual start minus intended start.
    pub fn lateness(&self) -> Times {
        self.lateness.times()
    }
}
