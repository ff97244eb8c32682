//! The worker: a process of its own that runs one program after another, and is not trusted by anybody.
//!
//! It loads GnuCOBOL's library and the programs, exports [`ENTRY_POINT`](program::interface::ENTRY_POINT) to them, and
//! talks to its region alone.

mod address_map;
mod arguments;
mod channels;
mod clock;
mod commands;
mod door;
mod eib;
mod entry;
mod handle;
mod libcob;
mod programs;
mod sandbox;
mod storage;
mod system_calls;
mod task;

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::ExitCode;

pub use entry::EXPORTS;
pub use task::LINK_LEVELS_MAX;

use crate::wire::FromWorker;
use door::Door;
use programs::Programs;
use task::Runtime;

/// What a worker is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerOptions {
    /// The folder of the programs, `NAME.so`.
    pub programs: PathBuf,
    /// The most bytes of memory that programs may take, of all tasks; the region may set less.
    pub memory_max_bytes: u64,
}

impl WorkerOptions {
    /// The options as arguments of a command line.
    #[must_use]
    pub fn arguments(&self) -> Vec<std::ffi::OsString> {
        vec![self.programs.clone().into(), self.memory_max_bytes.to_string().into()]
    }

    /// The options from the arguments that a worker got.
    #[must_use]
    pub fn from_arguments(arguments: &[std::ffi::OsString]) -> Option<Self> {
        let [programs, memory] = arguments else { return None };
        Some(Self { programs: programs.into(), memory_max_bytes: memory.to_str()?.parse().ok()? })
    }
}

/// Runs as a worker until the region is gone: standard input is the socket to it.
#[must_use]
pub fn run(options: &WorkerOptions) -> ExitCode {
    let opened = sandbox::close_others().and_then(|()| std::io::stdin().as_fd().try_clone_to_owned());
    let Ok(mut door) = opened.and_then(|socket: OwnedFd| Door::open(socket)) else {
        eprintln!("a worker is started by a region: expected its socket as standard input");
        return ExitCode::FAILURE;
    };
    let prepared = sandbox::replace_standard_input().and_then(|()| libcob::load());
    let prepared = prepared.and_then(|libcob| Ok((libcob, sandbox::enter(options)?)));
    let (libcob, notes) = match prepared {
        Ok(prepared) => prepared,
        Err(reason) => {
            door.tell(&FromWorker::Unfit { reason });
            return ExitCode::FAILURE;
        }
    };
    if !door.tell(&FromWorker::Ready { notes }) {
        return ExitCode::FAILURE;
    }
    task::install(Runtime::new(door, libcob, Programs::new(options.programs.clone())));
    while let Some(Some(task)) = task::with(|runtime| runtime.door.next_task()) {
        let end = task::run(task);
        if task::with(|runtime| runtime.door.tell(&end)) != Some(true) {
            break;
        }
    }
    end()
}

/// Ends the process at once, without what libcob or programs have registered for the end.
fn end() -> ! {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort()
}
