//! The worker: a process of its own that runs one program after another, and is not trusted by anybody.
//!
//! It loads GnuCOBOL's library and the programs, exports [`ENTRY_POINT`](program::interface::ENTRY_POINT) to them, and
//! talks to its region alone.

mod called;
mod channels;
mod clock;
mod cobol;
mod commands;
mod door;
mod eib;
mod entry;
mod handle;
mod sandbox;
mod task;
mod watch;

use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;

pub use sandbox::probe::{Tried, probe};
pub use sandbox::{close_others, leave_terminal};
pub use task::LINK_LEVELS_MAX;

use cobol::programs::Programs;
use door::Door;
use task::Runtime;
use wire::{FromWorker, WorkerOptions};

/// Runs as a worker until the region is gone: standard input is the socket to it.
#[must_use]
pub fn run(options: &WorkerOptions) -> ExitCode {
    let opened = sandbox::close_others().and_then(|()| std::io::stdin().as_fd().try_clone_to_owned());
    let Ok(mut door) = opened.and_then(|socket: OwnedFd| Door::open(socket)) else {
        eprintln!("a worker is started by a region: expected its socket as standard input");
        return ExitCode::FAILURE;
    };
    let prepared = sandbox::drop_terminal().map_err(|error| format!("the terminal: {error}"));
    let prepared =
        prepared.and_then(|()| sandbox::replace_standard_input()).and_then(|()| cobol::libcob::load());
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
    let mut shown = sandbox::identity::ShownName::default();
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
