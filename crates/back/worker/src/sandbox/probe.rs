//! Tries, inside a worker's sandbox, the actions that it should stop, for operators who want to know what
//! holds on their machine.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::process::Command;

use rustix::fs::MemfdFlags;
use rustix::process::{Resource, getppid, getrlimit, setrlimit, test_kill_process};
use wire::{WorkerOptions, WorkerUser};

use crate::sandbox;

/// A folder that every system has, in place of that of programs.
const FOLDER: &str = "/usr/share";

/// The memory limit of the worker here, in bytes.
const MEMORY_MAX_BYTES: u64 = 64 << 20;

/// A file that everybody may change, and that does not change by it.
const HARMLESS: &str = "/dev/null";

/// The name of a try, and its function.
type Try = (&'static str, fn() -> io::Result<()>);

/// The outcome of a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The action that was tried.
    pub what: &'static str,
    /// The reason why it failed; none if it was possible.
    pub denied: Option<String>,
}

/// Enters a worker's sandbox for good, and tries the actions that it should stop. Gives the protections that
/// the kernel lacks, and the outcome of each try. Call it in a process that has just begun and does nothing
/// else.
///
/// # Errors
/// The sandbox cannot be entered.
pub fn probe(user: Option<WorkerUser>) -> Result<(Vec<String>, Vec<Tried>), String> {
    let said = |error: io::Error| error.to_string();
    sandbox::close_others().and_then(|()| sandbox::drop_terminal()).map_err(said)?;
    let options = WorkerOptions {
        programs: PathBuf::from(FOLDER),
        memory_max_bytes: MEMORY_MAX_BYTES,
        user,
        callable: Vec::new(),
    };
    let notes = sandbox::enter(&options)?;
    let tries: [Try; 9] = [
        ("read a file of others", || File::open("/etc/passwd").map(drop)),
        ("write to a file", || OpenOptions::new().write(true).open(HARMLESS).map(drop)),
        ("change a file's mode", || {
            let now = std::fs::metadata(HARMLESS)?.permissions();
            std::fs::set_permissions(HARMLESS, now)
        }),
        ("open a terminal", || OpenOptions::new().read(true).write(true).open("/dev/tty").map(drop)),
        ("start a program", || Command::new("/bin/true").status().map(drop)),
        ("start a thread", || std::thread::Builder::new().spawn(|| ()).map(drop)),
        ("use the network", || std::net::UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("signal the gateway", || {
            let parent = getppid().ok_or(io::ErrorKind::NotFound)?;
            Ok(test_kill_process(parent)?)
        }),
        ("take memory that no limit counts", || {
            Ok(rustix::fs::memfd_create("probe", MemfdFlags::CLOEXEC).map(drop)?)
        }),
    ];
    let mut tried: Vec<Tried> = tries
        .into_iter()
        .map(|(what, does)| Tried { what, denied: does().err().map(|error| error.to_string()) })
        .collect();
    let limit = setrlimit(Resource::Nofile, getrlimit(Resource::Nofile));
    tried.push(Tried { what: "set a limit", denied: limit.err().map(|error| error.to_string()) });
    Ok((notes, tried))
}
