//! Figures of a measured window: replies, CPU time of processes, and how busy their core was.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::Options;

/// Raises the limit of open files to the highest value that the process may have.
pub(crate) fn raise_open_files() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// Nanoseconds of a clock that all processes share.
pub(crate) fn clock_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// CPU time of this thread.
fn thread_cpu_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// Above this size, the client's CPU time leaves out the comparison of replies.
const LARGE_BYTES: usize = 64 * 1024;

/// CPU time of all threads of a process, in microseconds.
pub(crate) fn cpu_us(pid: u32) -> f64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of_task = |task: fs::DirEntry| {
        let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default()
    };
    tasks.map(of_task).sum::<f64>() / 1_000.0
}

/// Resident memory of this process, in MB.
pub(crate) fn memory_mb() -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or_default() * 1_024.0 / 1e6
}

/// Ticks of a core: the busy ones, and all of them.
fn ticks(core: u64) -> (f64, f64) {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let name = format!("cpu{core} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&name)).unwrap_or_default();
    let ticks: Vec<f64> = line.split_whitespace().take(8).filter_map(|word| word.parse().ok()).collect();
    let idle: f64 = ticks.iter().skip(3).take(2).sum();
    let all: f64 = ticks.iter().sum();
    (all - idle, all)
}

/// Counts of the running clients.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) replies: AtomicU64,
    pub(crate) wrong: AtomicU64,
    pub(crate) errors: AtomicU64,
    /// CPU time for comparing large replies. It does not belong to the connector.
    compare_ns: AtomicU64,
    /// Long replies, in a run that measures short ones.
    pub(crate) large: AtomicU64,
    /// System calls that write, except those that the kernel counts (`syscw`).
    pub(crate) writes: AtomicU64,
    /// How long senders waited until their messages were written.
    waited_ns: AtomicU64,
    /// Microseconds of each reply.
    latencies: Mutex<Vec<u32>>,
}

impl Counts {
    /// Compares all bytes of a reply.
    pub(crate) fn compare(&self, reply: &[u8], expected: &[u8]) {
        let is_large = expected.len() > LARGE_BYTES;
        let begun = if is_large { thread_cpu_ns() } else { 0 };
        self.count(reply == expected);
        if is_large {
            self.compare_ns.fetch_add(thread_cpu_ns() - begun, Ordering::Relaxed);
        }
    }

    /// Notes the time of a reply.
    pub(crate) fn took(&self, time: Duration) {
        let us = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
        self.latencies.lock().unwrap_or_else(PoisonError::into_inner).push(us);
    }

    /// Counts a one-way message as written or failed.
    pub(crate) fn sent(&self, is_sent: bool, waited: Duration) {
        let counter = if is_sent { &self.replies } else { &self.errors };
        counter.fetch_add(1, Ordering::Relaxed);
        self.waited_ns.fetch_add(waited.as_nanos() as u64, Ordering::Relaxed);
    }

    /// The times of replies since the last call, sorted.
    fn latencies(&self) -> Vec<u32> {
        let mut found = std::mem::take(&mut *self.latencies.lock().unwrap_or_else(PoisonError::into_inner));
        found.sort_unstable();
        found
    }

    pub(crate) fn count(&self, is_right: bool) {
        let counter = if is_right { &self.replies } else { &self.wrong };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// System calls by which this process wrote.
fn writes() -> u64 {
    let text = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let count = text.lines().find_map(|line| line.strip_prefix("syscw: "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or_default()
}

struct Sample {
    at: Instant,
    replies: u64,
    large: u64,
    writes: u64,
    waited_ns: u64,
    latencies: Vec<u32>,
    own_us: f64,
    others_us: f64,
    core: (f64, f64),
}

fn sample(counts: &Counts, options: &Options) -> Sample {
    Sample {
        at: Instant::now(),
        replies: counts.replies.load(Ordering::Relaxed),
        large: counts.large.load(Ordering::Relaxed),
        writes: counts.writes.load(Ordering::Relaxed) + writes(),
        waited_ns: counts.waited_ns.load(Ordering::Relaxed),
        latencies: counts.latencies(),
        own_us: cpu_us(std::process::id()) - counts.compare_ns.load(Ordering::Relaxed) as f64 / 1e3,
        others_us: options.pids().into_iter().map(cpu_us).sum(),
        core: ticks(options.number("core", 0)),
    }
}

/// Measures one window and prints its line. `sleep` waits while the window runs.
pub(crate) async fn window<S: Future<Output = ()>>(
    counts: &Counts,
    options: &Options,
    sleep: impl Fn(Duration) -> S,
) {
    sleep(options.seconds("warmup_s", 0.5)).await;
    let before = sample(counts, options);
    sleep(options.seconds("seconds", 5.0)).await;
    let after = sample(counts, options);
    let replies = (after.replies - before.replies) as f64;
    let seconds = (after.at - before.at).as_secs_f64();
    let (own, others) = (after.own_us - before.own_us, after.others_us - before.others_us);
    let core = after.core.1 - before.core.1;
    let busy_pct = 100.0 * (after.core.0 - before.core.0) / core.max(1.0);
    let foreign_pct = busy_pct - (own + others) / 1e4 / seconds;
    println!(
        "{{\"replies_per_s\": {:.1}, \"cpu_us\": {:.4}, \"client_cpu_us\": {:.4}, \"busy_pct\": {busy_pct:.2}, \
         \"foreign_pct\": {foreign_pct:.2}, \"replies\": {replies}, \"wrong\": {}, \"errors\": {}, \"large_per_s\": {:.2}, \
         \"writes_per_message\": {:.4}, \"waited_us\": {:.2}, \"p50_us\": {}, \"p99_us\": {}}}",
        replies / seconds,
        (own + others) / replies.max(1.0),
        own / replies.max(1.0),
        counts.wrong.load(Ordering::Relaxed),
        counts.errors.load(Ordering::Relaxed),
        (after.large - before.large) as f64 / seconds,
        (after.writes - before.writes) as f64 / replies.max(1.0),
        (after.waited_ns - before.waited_ns) as f64 / 1e3 / replies.max(1.0),
        percentile(&after.latencies, 50),
        percentile(&after.latencies, 99),
    );
}

/// The value below which `percent` of 100 values lie; 0 if there are no values.
fn percentile(sorted: &[u32], percent: usize) -> u32 {
    sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0)
}
