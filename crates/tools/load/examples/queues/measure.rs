//! The measured window: times, CPU of the broker, of this process and of other processes.

use std::fs;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use load::process::{self, CpuSample};

/// Where a run stands, for its clients.
pub(crate) struct Phase(AtomicU8);

const WARMING: u8 = 0;
const MEASURING: u8 = 1;
const OVER: u8 = 2;

impl Phase {
    pub(crate) fn new() -> Self {
        Self(AtomicU8::new(WARMING))
    }

    pub(crate) fn is_measuring(&self) -> bool {
        self.0.load(Ordering::Relaxed) == MEASURING
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed) == OVER
    }

    pub(crate) fn begin(&self) {
        self.0.store(MEASURING, Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.0.store(OVER, Ordering::Relaxed);
    }
}

/// The times that one client has measured.
pub(crate) struct Times(Histogram<u64>);

impl Times {
    pub(crate) fn new() -> Self {
        Self(Histogram::new_with_bounds(1, 60_000_000, 3).expect("bounds that fit"))
    }

    pub(crate) fn note(&mut self, time: Duration) {
        self.0.saturating_record(u64::try_from(time.as_micros()).unwrap_or(u64::MAX).max(1));
    }

    pub(crate) fn add(&mut self, other: &Times) {
        self.0.add(&other.0).expect("the same bounds");
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.len()
    }

    pub(crate) fn at(&self, quantile: f64) -> f64 {
        self.0.value_at_quantile(quantile) as f64 / 1_000.0
    }
}

/// A reading of all clocks.
pub(crate) struct Reading {
    at: Instant,
    members: Vec<u32>,
    broker: CpuSample,
    own_ticks: u64,
    busy_ticks: u64,
}

fn ticks_of(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    process::parse_stat_ticks(&stat).unwrap_or(0)
}

/// Ticks of all cores in which they were not idle, and did not wait for a disk.
fn busy_ticks() -> u64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = stat.lines().next().unwrap_or_default();
    let fields: Vec<u64> = line.split_whitespace().skip(1).filter_map(|text| text.parse().ok()).collect();
    // user, nice, system, idle, iowait, irq, softirq, steal
    fields.iter().take(8).sum::<u64>() - fields.iter().skip(3).take(2).sum::<u64>()
}

impl Reading {
    pub(crate) fn take(group: u32) -> Result<Self, String> {
        let members = process::group(group);
        let broker = process::sample_group(group, &members, 0).map_err(|error| error.to_string())?;
        Ok(Self {
            at: Instant::now(),
            broker,
            members,
            own_ticks: ticks_of(std::process::id()),
            busy_ticks: busy_ticks(),
        })
    }

    /// The figures since the start of the window, as members of JSON.
    pub(crate) fn since(&self, times: &Times) -> Result<serde_json::Value, String> {
        let group = self.members.first().copied().unwrap_or_default();
        let now = Self::take(group)?;
        let ticks_per_s = rustix::param::clock_ticks_per_second();
        let seconds = now.at.duration_since(self.at).as_secs_f64();
        let broker_s = process::used(&self.broker, &now.broker, ticks_per_s).cpu_ns as f64 / 1e9;
        let in_seconds = |ticks: u64| ticks as f64 / ticks_per_s as f64;
        let own_s = in_seconds(now.own_ticks.saturating_sub(self.own_ticks));
        let busy_s = in_seconds(now.busy_ticks.saturating_sub(self.busy_ticks));
        let count = times.count();
        let per = |value: f64| if count == 0 { 0.0 } else { value / count as f64 };
        Ok(serde_json::json!({
            "count": count,
            "seconds": seconds,
            "per_s": count as f64 / seconds,
            "p50_ms": times.at(0.5),
            "p99_ms": times.at(0.99),
            "max_ms": times.at(1.0),
            "broker_cores": broker_s / seconds,
            "broker_us_each": per(broker_s * 1e6),
            "driver_cores": own_s / seconds,
            "foreign_cores": ((busy_s - broker_s - own_s) / seconds).max(0.0),
            "memory_mib": process::memory_mib(&now.members),
        }))
    }
}
