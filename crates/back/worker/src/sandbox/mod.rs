//! Before it runs any program, a worker gives up the rest of the system.
//!
//! If the kernel lacks a part of this, the worker still runs, and the region says so at start.

#![allow(unsafe_code)]

pub(crate) mod identity;
pub(crate) mod probe;
pub(crate) mod system_calls;

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::process::{Resource, Rlimit, Signal};
use wire::WorkerOptions;

/// The most open files of a worker.
const FILES_MAX: u64 = 256;

/// Address space for mapped programs and libraries, beyond that of the process at its start and of its
/// programs' memory.
const MAPPED_MAX_BYTES: u64 = 1 << 30;

/// The stack that Linux gives a process if nobody says otherwise.
const STACK_USUAL_BYTES: u64 = 8 << 20;

/// Folders that programs and libraries are loaded from, and that they read to know the system.
const READABLE: [&str; 8] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/gnucobol",
    "/usr/share/zoneinfo",
    "/etc/gnucobol",
];

/// Single files that libraries read. The rest of `/etc` may hold secrets of the gateway's user.
const READABLE_FILES: [&str; 3] = ["/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime"];

/// Standard input, output and errors.
const STANDARD: [RawFd; 3] = [0, 1, 2];

/// Closes every file that the process was started with, but for the standard ones. It is for a process that has just begun,
/// and has opened nothing that it needs.
///
/// # Errors
/// The list of open files cannot be read.
pub fn close_others() -> io::Result<()> {
    let mut open = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let number = entry?.file_name().to_str().and_then(|name| name.parse::<RawFd>().ok());
        open.extend(number.filter(|number| !STANDARD.contains(number)));
    }
    for number in open {
        // The list was read through a file of its own, which is closed by now.
        let path = format!("/proc/self/fd/{number}");
        if std::fs::symlink_metadata(path).is_ok() {
            // SAFETY: the process has just begun, and nothing in it owns a file but the standard ones.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
        }
    }
    Ok(())
}

/// Programs that read their standard input find nothing there, rather than the region's socket.
///
/// # Errors
/// `/dev/null` cannot be opened.
pub(crate) fn replace_standard_input() -> Result<(), String> {
    let nothing = std::fs::File::open("/dev/null").map_err(|error| format!("/dev/null: {error}"))?;
    rustix::stdio::dup2_stdin(&nothing).map_err(|error| format!("standard input: {error}"))
}

/// Leaves the session in which the gateway was started: the process then has no terminal, and gets no signals
/// of it.
///
/// # Errors
/// The process already leads a group of processes. A process that was just started does not.
pub fn leave_terminal() -> io::Result<()> {
    rustix::process::setsid()?;
    Ok(())
}

/// Gives up the terminal from which the gateway was started, and its signals, but stays in the session. A
/// session of its own would put the worker into a scheduling group of its own (autogroup), which makes a call
/// several times as dear.
///
/// # Errors
/// The process cannot lead a group of processes.
pub(crate) fn drop_terminal() -> io::Result<()> {
    rustix::process::setpgid(None, None)?;
    // Without a terminal the file does not exist.
    if let Ok(terminal) = std::fs::File::open("/dev/tty") {
        // SAFETY: the request has no argument.
        if unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCNOTTY) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Enters the sandbox for good; gives lines about missing protections.
///
/// # Errors
/// A protection that every Linux has failed.
pub(crate) fn enter(options: &WorkerOptions) -> Result<Vec<String>, String> {
    let mut notes = Vec::new();
    let describe = |what: &'static str| move |error: rustix::io::Errno| format!("{what}: {error}");
    rustix::thread::set_no_new_privs(true).map_err(describe("no_new_privs"))?;
    limit(Resource::Core, 0)?;
    limit(Resource::Nofile, FILES_MAX)?;
    // A worker writes no file.
    limit(Resource::Fsize, 0)?;
    limit(Resource::Memlock, 0)?;
    limit(Resource::Stack, stack_max_bytes(options.memory_max_bytes))?;
    let own = own_bytes()?;
    limit(Resource::Data, own.data.saturating_add(options.memory_max_bytes))?;
    limit(Resource::As, own.all.saturating_add(options.memory_max_bytes).saturating_add(MAPPED_MAX_BYTES))?;
    // The programs are found from here: another user may not come through the folders above.
    std::env::set_current_dir(&options.programs)
        .map_err(|error| format!("{}: {error}", options.programs.display()))?;
    // The folders are opened before the user changes, while the process may still open them.
    let rules = rules(options)?;
    notes.extend(identity::become_user(options.user, &options.programs)?);
    notes.extend(restrict(rules)?);
    // Whoever becomes another user loses this.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(describe("PDEATHSIG"))?;
    if let Err(reason) = system_calls::restrict() {
        notes.push(format!("the kernel has no seccomp: workers can make all system calls ({reason})"));
    }
    Ok(notes)
}

/// The most bytes of stack, which RLIMIT_DATA does not count: the present limit, or the memory for programs if that is less.
fn stack_max_bytes(memory_max_bytes: u64) -> u64 {
    let now = rustix::process::getrlimit(Resource::Stack).current.unwrap_or(u64::MAX);
    now.min(memory_max_bytes.max(STACK_USUAL_BYTES))
}

fn limit(resource: Resource, most: u64) -> Result<(), String> {
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    rustix::process::setrlimit(resource, limit).map_err(|error| format!("{resource:?}: {error}"))
}

/// The sizes of the process.
struct OwnBytes {
    /// All of its address space.
    all: u64,
    /// Memory of its own that it can write to, which RLIMIT_DATA counts.
    data: u64,
}

fn own_bytes() -> Result<OwnBytes, String> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let size = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        kilobytes.map(|count| count * 1024).ok_or_else(|| format!("/proc/self/status has no {name}"))
    };
    Ok(OwnBytes { all: size("VmSize:")?, data: size("VmData:")? })
}

/// Files can be read below the programs' folder and the system's libraries; nothing can be written, no port bound or
/// connected, no process outside signalled.
fn rules(options: &WorkerOptions) -> Result<RulesetCreated, String> {
    let abi = ABI::V6;
    let read = AccessFs::from_read(abi);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))
        .and_then(|rules| rules.handle_access(landlock::AccessNet::from_all(abi)))
        .and_then(|rules| rules.scope(Scope::from_all(abi)))
        .and_then(|rules| rules.create())
        .map_err(failed)?;
    let folders = READABLE.iter().map(std::path::Path::new).chain([options.programs.as_path()]);
    for folder in folders {
        // A link to a folder elsewhere is followed: PathFd opens what the path leads to.
        if let Ok(file) = PathFd::new(folder) {
            rules = rules.add_rule(PathBeneath::new(file, read)).map_err(failed)?;
        }
    }
    for path in READABLE_FILES {
        if let Ok(file) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(file, AccessFs::ReadFile)).map_err(failed)?;
        }
    }
    Ok(rules)
}

fn failed(error: landlock::RulesetError) -> String {
    format!("Landlock: {error}")
}

fn restrict(rules: RulesetCreated) -> Result<Option<String>, String> {
    let status = rules.restrict_self().map_err(failed)?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => None,
        RulesetStatus::PartiallyEnforced => {
            Some("the kernel's Landlock is older than version 6: it restricts workers in part".to_owned())
        }
        RulesetStatus::NotEnforced => {
            Some("the kernel has no Landlock: workers can read and write the gateway's files".to_owned())
        }
    })
}
