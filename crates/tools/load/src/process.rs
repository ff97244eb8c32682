//! The CPU time of a process and the busy time of its core, read from `/proc`.

use std::collections::BTreeMap;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use crate::error::{Error, ErrorKind};

/// CPU time of a process at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuSample {
    /// When it was read, in nanoseconds of the driver's clock.
    pub at_ns: u64,
    /// Each thread's time on a core, and its time waiting for one, in nanoseconds.
    pub threads: BTreeMap<u32, Schedstat>,
    /// User and system time of the process, threads that ended included, in ticks.
    pub ticks: u64,
    /// Busy and total ticks of the process's core, if it is bound to one.
    pub core: Option<CoreTicks>,
}

/// The two times of a `schedstat` file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Schedstat {
    /// Time on a core.
    pub running_ns: u64,
    /// Time ready to run without a core.
    pub waiting_ns: u64,
}

/// Ticks of one core since the machine started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoreTicks {
    /// Not idle.
    pub busy: u64,
    /// Busy and idle.
    pub total: u64,
}

/// The CPU time that a process used between two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuUse {
    /// Time on cores, in nanoseconds.
    pub cpu_ns: u64,
    /// Time ready to run without a core, in nanoseconds: not zero when others use the same core.
    pub waiting_ns: u64,
    /// Length of the interval, in nanoseconds.
    pub interval_ns: u64,
    /// Share of the interval in which the process's core was busy, in percent, if it is bound to one.
    pub core_busy_pct: Option<f64>,
}

/// Reads the CPU time of the process.
///
/// # Errors
/// [`ErrorKind::Server`] when the process does not exist (any more) or cannot be read.
pub fn sample(pid: u32, at_ns: u64) -> Result<CpuSample, Error> {
    let gone = |what: &str, error: std::io::Error| {
        Error::new(ErrorKind::Server, format!("cannot read the CPU time of process {pid}: {what}: {error}"))
    };
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).map_err(|error| gone("stat", error))?;
    let ticks = parse_stat_ticks(&stat)
        .ok_or_else(|| Error::new(ErrorKind::Server, format!("/proc/{pid}/stat has an unknown form")))?;
    let mut threads = BTreeMap::new();
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).map_err(|error| gone("task", error))?;
    for task in tasks.flatten() {
        // A thread may end between the listing and the reading, and some kernels have no schedstat: both leave the
        // thread out, and the use then counts in ticks.
        let Some(tid) = task.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(text) = fs::read_to_string(task.path().join("schedstat")) else { continue };
        if let Some(stat) = parse_schedstat(&text) {
            threads.insert(tid, stat);
        }
    }
    Ok(CpuSample { at_ns, threads, ticks, core: only_core(pid).and_then(core_ticks) })
}

/// As [`sample`], of the leader of a process group together with the members that [`group`] found. Processes that ended and
/// were awaited count in the ticks of those that awaited them.
///
/// # Errors
/// [`ErrorKind::Server`] when the leader is gone.
pub fn sample_group(leader: u32, members: &[u32], at_ns: u64) -> Result<CpuSample, Error> {
    let mut sum = sample(leader, at_ns)?;
    let ended_ticks = |pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        parse_stat(&stat).map_or(0, |stat| stat.ended_children_ticks)
    };
    sum.ticks += ended_ticks(leader);
    for &pid in members {
        // A process may end between the listing and the reading.
        if pid != leader
            && let Ok(member) = sample(pid, at_ns)
        {
            sum.threads.extend(member.threads);
            sum.ticks += member.ticks + ended_ticks(pid);
        }
    }
    Ok(sum)
}

/// The processes of the leader's group and all that descend from it, the leader too.
pub fn group(leader: u32) -> Vec<u32> {
    let stat = |pid: u32| Some((pid, parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?));
    let all: Vec<(u32, Stat)> = processes().filter_map(stat).collect();
    let mut members: Vec<u32> = all
        .iter()
        .filter(|(pid, stat)| *pid == leader || stat.group == leader)
        .map(|(pid, _)| *pid)
        .collect();
    let mut next = 0;
    while let Some(&parent) = members.get(next) {
        let children = all.iter().filter(|(_, stat)| stat.parent == parent).map(|(pid, _)| *pid);
        let new: Vec<u32> = children.filter(|pid| !members.contains(pid)).collect();
        members.extend(new);
        next += 1;
    }
    members
}

/// The resident memory of these processes in mebibytes, pages that they share counted for each; `None` if none of them
/// can be read.
pub fn memory_mib(pids: &[u32]) -> Option<f64> {
    let resident_kib = |pid: &u32| -> Option<f64> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    let known: Vec<f64> = pids.iter().filter_map(resident_kib).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / 1024.0)
}

/// The CPU time between the samples. Times come from `schedstat` in nanoseconds; when a thread ended meanwhile, or
/// the kernel has none, from the process's ticks of `ticks_per_s`.
pub fn used(before: &CpuSample, after: &CpuSample, ticks_per_s: u64) -> CpuUse {
    let all_there =
        !after.threads.is_empty() && before.threads.keys().all(|tid| after.threads.contains_key(tid));
    let delta = |field: fn(&Schedstat) -> u64| -> u64 {
        let of = |sample: &CpuSample| sample.threads.values().map(field).sum::<u64>();
        of(after).saturating_sub(of(before))
    };
    let from_ticks = after.ticks.saturating_sub(before.ticks) * 1_000_000_000 / ticks_per_s.max(1);
    CpuUse {
        cpu_ns: if all_there { delta(|stat| stat.running_ns) } else { from_ticks },
        waiting_ns: if all_there { delta(|stat| stat.waiting_ns) } else { 0 },
        interval_ns: after.at_ns.saturating_sub(before.at_ns),
        core_busy_pct: before.core.zip(after.core).and_then(|(before, after)| busy_pct(before, after)),
    }
}

/// The busy share between two readings of a core, in percent; `None` if no time passed.
pub fn busy_pct(before: CoreTicks, after: CoreTicks) -> Option<f64> {
    let total = after.total.checked_sub(before.total).filter(|total| *total > 0)?;
    Some(after.busy.saturating_sub(before.busy) as f64 * 100.0 / total as f64)
}

/// User and system ticks in `/proc/PID/stat`: fields 14 and 15, counted after the name, which may hold blanks and
/// parentheses itself.
pub fn parse_stat_ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// Who a process is: parts of `/proc/PID/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Its parent.
    pub parent: u32,
    /// The leader of its process group.
    pub group: u32,
    /// User and system ticks of children that ended and were awaited.
    pub ended_children_ticks: u64,
}

/// Parent, group and ticks of ended children in `/proc/PID/stat`: fields 4, 5, 16 and 17.
pub fn parse_stat(stat: &str) -> Option<Stat> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        ended_children_ticks: ticks(13)? + ticks(14)?,
    })
}

/// The first two fields of a `schedstat` file.
pub fn parse_schedstat(text: &str) -> Option<Schedstat> {
    let mut fields = text.split_ascii_whitespace().map(str::parse);
    Some(Schedstat { running_ns: fields.next()?.ok()?, waiting_ns: fields.next()?.ok()? })
}

/// The ticks of a core in the text of `/proc/stat`. Idle and waiting for a disk are not busy.
pub fn parse_core_ticks(text: &str, core: usize) -> Option<CoreTicks> {
    let name = format!("cpu{core} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&name))?;
    // user nice system idle iowait irq softirq steal; guest times are within user.
    let ticks: Vec<u64> =
        line.split_ascii_whitespace().take(8).filter_map(|field| field.parse().ok()).collect();
    let idle = ticks.get(3)? + ticks.get(4).unwrap_or(&0);
    let total: u64 = ticks.iter().sum();
    Some(CoreTicks { busy: total - idle, total })
}

/// The core of `Cpus_allowed_list` in the text of `/proc/PID/status`, if it is a single one.
pub fn parse_only_core(status: &str) -> Option<usize> {
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim().parse().ok()
}

/// The ticks of a core now.
pub fn core_ticks(core: usize) -> Option<CoreTicks> {
    parse_core_ticks(&fs::read_to_string("/proc/stat").ok()?, core)
}

fn only_core(pid: u32) -> Option<usize> {
    parse_only_core(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
}

/// The process that listens on the address, found among those that this user may look into.
///
/// # Errors
/// [`ErrorKind::Server`] when the address is another machine's, nobody listens there, or the process belongs to
/// someone else.
pub fn listener(address: SocketAddr) -> Result<u32, Error> {
    let failed = |why: &str| {
        Error::new(ErrorKind::Server, format!("cannot find the server process of {address}: {why}"))
    };
    // Only an address of this machine can be bound; without this look, a process here that listens on the same
    // port of all addresses would be taken for the other machine's server.
    if UdpSocket::bind((address.ip(), 0)).is_err() {
        return Err(failed("the address is not one of this machine"));
    }
    let mut sockets = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let text = fs::read_to_string(table).unwrap_or_default();
        sockets.extend(parse_listeners(&text).into_iter().filter(|found| serves(found.address, address)));
    }
    if sockets.is_empty() {
        return Err(failed("no process on this machine listens there"));
    }
    // The kernel prefers a socket on just this address, then one of its family.
    sockets.sort_by_key(|found| (found.address != address, found.address.is_ipv4() != address.is_ipv4()));
    let owner = sockets.iter().find_map(|found| processes().find(|pid| holds_socket(*pid, found.inode)));
    owner.ok_or_else(|| failed("its process is not visible"))
}

/// A listening socket of `/proc/net/tcp` or `/proc/net/tcp6`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listener {
    /// The address that it listens on.
    pub address: SocketAddr,
    /// The inode that the owner's descriptor points at.
    pub inode: u64,
}

/// The listening sockets in the text of `/proc/net/tcp` or `/proc/net/tcp6`.
pub fn parse_listeners(text: &str) -> Vec<Listener> {
    text.lines().filter_map(parse_listener).collect()
}

fn parse_listener(line: &str) -> Option<Listener> {
    const STATE_LISTEN: &str = "0A";
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    if *fields.get(3)? != STATE_LISTEN {
        return None;
    }
    let (host, port) = fields.get(1)?.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    // Each group of eight digits is one word of the address in the machine's byte order.
    let mut bytes = Vec::with_capacity(16);
    for group in host.as_bytes().chunks(8) {
        let word = u32::from_str_radix(std::str::from_utf8(group).ok()?, 16).ok()?;
        bytes.extend_from_slice(&word.to_ne_bytes());
    }
    let ip = match bytes.len() {
        4 => IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?)),
        _ => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?)),
    };
    Some(Listener { address: SocketAddr::new(ip, port), inode: fields.get(9)?.parse().ok()? })
}

/// Whether a socket that listens on `listening` takes connections to `target`.
fn serves(listening: SocketAddr, target: SocketAddr) -> bool {
    let ip = listening.ip();
    listening.port() == target.port()
        && (ip.is_unspecified() || ip.to_canonical() == target.ip().to_canonical())
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn holds_socket(pid: u32, inode: u64) -> bool {
    let Ok(descriptors) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let socket = format!("socket:[{inode}]");
    descriptors.flatten().any(|descriptor| {
        fs::read_link(descriptor.path()).is_ok_and(|link| link.as_os_str() == socket.as_str())
    })
}
