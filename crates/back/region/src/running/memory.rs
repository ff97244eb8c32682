//! How much memory a worker may take (RLIMIT_DATA), set from outside: the worker may not change it.
//!
//! Root without CAP_SYS_RESOURCE, as containers have it, may not set limits of another user's process. Then
//! the thread that watches checks how much memory the worker has.

use std::io;

use rustix::process::{Pid, Resource, Rlimit};

/// The limit of one worker's memory.
#[derive(Debug)]
pub(crate) struct MemoryLimit {
    worker: Pid,
    /// The memory of the worker before any program ran in it, in bytes.
    base_bytes: u64,
    /// The limit that no task's may exceed, with the base.
    hard_bytes: u64,
    /// The most bytes for programs now.
    now_bytes: u64,
    /// The kernel does not let this process set it.
    is_watched: bool,
}

impl MemoryLimit {
    /// The limit of a worker that has set its own to the ceiling, and has not run a program yet.
    ///
    /// # Errors
    /// It has none, or is gone.
    pub(crate) fn of(pid: u32, ceiling_bytes: u64) -> io::Result<Self> {
        let missing = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
        let worker =
            i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(|| missing("a process id"))?;
        let limits = std::fs::read_to_string(format!("/proc/{pid}/limits"))?;
        let line = limits.lines().find_map(|line| line.strip_prefix("Max data size"));
        // The first number is the limit that can be lowered, the next is the one that cannot be raised.
        let hard = line.and_then(|line| line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok());
        let hard_bytes = hard.ok_or_else(|| missing("expected a limit of the worker's memory"))?;
        let base_bytes = hard_bytes.saturating_sub(ceiling_bytes);
        Ok(Self { worker, base_bytes, hard_bytes, now_bytes: ceiling_bytes, is_watched: false })
    }

    /// Sets the most bytes for the programs of the next task. If the limit must be watched, gives the most
    /// bytes of the whole worker.
    pub(crate) fn set(&mut self, bytes: u64) -> Option<u64> {
        let all = self.base_bytes.saturating_add(bytes).min(self.hard_bytes);
        if !self.is_watched && self.now_bytes != bytes {
            let limit = Rlimit { current: Some(all), maximum: Some(self.hard_bytes) };
            // It also fails if the worker is gone, which the caller will soon notice.
            self.is_watched = rustix::process::prlimit(Some(self.worker), Resource::Data, limit).is_err();
            self.now_bytes = bytes;
        }
        self.is_watched.then_some(all)
    }
}

/// A process's own memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnMemory {
    /// The bytes that it has asked for: the limit counts these. Allocators ask for much more than they use.
    pub(crate) data_bytes: u64,
    /// The bytes of it that are in memory, without shared ones.
    pub(crate) resident_bytes: u64,
}

/// The memory of a process; none if the process is gone.
pub(crate) fn own_memory(pid: u32) -> Option<OwnMemory> {
    let sizes = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: Vec<u64> = sizes.split_ascii_whitespace().map_while(|pages| pages.parse().ok()).collect();
    // The sizes: all, resident, shared, text, 0, data.
    let &[_, resident, shared, _, _, data, ..] = pages.as_slice() else { return None };
    let bytes = |pages: u64| pages * rustix::param::page_size() as u64;
    Some(OwnMemory { data_bytes: bytes(data), resident_bytes: bytes(resident.saturating_sub(shared)) })
}
