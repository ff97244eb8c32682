//! The worker: a process of its own that runs one program after another. Nobody trusts it.
//!
//! It loads GnuCOBOL's library and the programs, exports [`ENTRY_POINT`](program::interface::ENTRY_POINT) to them, and
//! talks to its region alone.
//!
//! # Where to look
//!
//! - `entry.rs` has the functions that programs call.
//! - `cobol/arguments.rs` is the only way to the memory of programs, and `cobol/libcob.rs` is the way to GnuCOBOL.
//! - `task.rs` has the link levels. It calls programs, frees their storage when they have returned, and
//!   handles conditions and abends.
//! - `cobol/commareas.rs` puts zeros behind a commarea that is shorter than a program's own.
//! - `commands/` carries out each command. It knows no addresses.
//! - `called/` has the names that programs CALL. `called/api_calls.rs` reads areas by offsets, which the
//!   copybooks in the crate `program` and a test keep true.
//! - `watch.rs` tells the region of a task besides its result.
//! - `sandbox/` gives up the rest of the system before any program runs.

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

/// Ends the process at once, without the end functions that libcob or programs have registered.
fn end() -> ! {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort()
}
