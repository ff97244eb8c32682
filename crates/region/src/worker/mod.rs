//! The worker: a process of its own that runs one program after another, and is not trusted by anybody.
//!
//! It loads GnuCOBOL's library and the programs, exports [`ENTRY_POINT`](program::interface::ENTRY_POINT) to them, and
//! talks to its region alone.

mod address_map;
mod api_calls;
mod arguments;
mod callable;
mod calls;
mod channels;
pub(crate) mod clock;
mod commands;
mod commareas;
mod data_areas;
mod door;
mod eib;
mod entry;
mod handle;
mod identity;
mod libcob;
mod output;
mod probe;
mod programs;
mod sandbox;
mod storage;
mod system_calls;
mod task;
mod watch;

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::ExitCode;

pub use probe::{Tried, probe};
pub use sandbox::{close_others, leave_terminal};
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
    /// Who the worker becomes; none if it stays who it is.
    pub user: Option<WorkerUser>,
    /// Names that a CALL may reach besides programs.
    pub callable: Vec<String>,
}

/// An unprivileged user for workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerUser {
    /// The user id.
    pub uid: u32,
    /// The group id.
    pub gid: u32,
}

impl WorkerOptions {
    /// The options as arguments of a command line.
    #[must_use]
    pub fn arguments(&self) -> Vec<std::ffi::OsString> {
        let user = self.user.map_or("same".to_owned(), |WorkerUser { uid, gid }| format!("{uid}:{gid}"));
        let callable = self.callable.join(",");
        vec![
            self.programs.clone().into(),
            self.memory_max_bytes.to_string().into(),
            user.into(),
            callable.into(),
        ]
    }

    /// The options from the arguments that a worker got.
    #[must_use]
    pub fn from_arguments(arguments: &[std::ffi::OsString]) -> Option<Self> {
        let [programs, memory, user, callable] = arguments else { return None };
        let user = match user.to_str()? {
            "same" => None,
            user => {
                let (uid, gid) = user.split_once(':')?;
                Some(WorkerUser { uid: uid.parse().ok()?, gid: gid.parse().ok()? })
            }
        };
        let callable =
            callable.to_str()?.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Some(Self {
            programs: programs.into(),
            memory_max_bytes: memory.to_str()?.parse().ok()?,
            user,
            callable,
        })
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
    let prepared = sandbox::drop_terminal().map_err(|error| format!("the terminal: {error}"));
    let prepared = prepared.and_then(|()| sandbox::replace_standard_input()).and_then(|()| libcob::load());
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
    task::install(Runtime::new(door, libcob, Programs::new(".".into(), options.callable.clone())));
    let mut shown = identity::ShownName::default();
    while let Some(Some(task)) = task::with(|runtime| runtime.door.next_task()) {
        shown.show(task.program);
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
