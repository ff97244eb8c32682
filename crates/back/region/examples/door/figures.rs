//! Time and processor time of this process and its children.

use std::time::Instant;

use rustix::time::ClockId;

/// Both at one moment.
pub(crate) struct Figures {
    at: Instant,
    cpu_ns: u64,
}

impl Figures {
    pub(crate) fn now() -> Self {
        let own = rustix::time::clock_gettime(ClockId::ProcessCPUTime);
        let own = own.tv_sec as u64 * 1_000_000_000 + own.tv_nsec as u64;
        Self { cpu_ns: own + children_cpu_ns(), at: Instant::now() }
    }

    /// Microseconds of time and of processor time since then, for each call.
    pub(crate) fn since(&self, calls: usize) -> (f64, f64) {
        let now = Self::now();
        let wall = now.at.duration_since(self.at).as_secs_f64() * 1e6 / calls as f64;
        (wall, (now.cpu_ns - self.cpu_ns) as f64 / 1e3 / calls as f64)
    }

    pub(crate) fn show(&self, what: &str, calls: usize) {
        let (wall, cpu) = self.since(calls);
        println!("{what}: {wall:.2} µs, {cpu:.2} µs of processor time, {calls} calls");
    }
}

/// The children have one thread each, whose time the kernel tells to the nanosecond.
fn children_cpu_ns() -> u64 {
    let own = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    // There are links to this process among the entries, which are not numbers.
    let processes =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok()));
    let time = processes.filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?;
        if parent != own {
            return None;
        }
        let schedstat = std::fs::read_to_string(entry.path().join("schedstat")).ok()?;
        schedstat.split_ascii_whitespace().next()?.parse::<u64>().ok()
    });
    time.sum()
}
