//! Who a worker is: an unprivileged user where the region is root, and a name for `ps`.

use std::ffi::CString;
use std::path::Path;

use rustix::process::{DumpableBehavior, Gid, Uid};
use wire::{Name, WorkerUser};

/// How names of workers begin in `ps`; the program's follows, and both together are as long as the kernel allows.
const NAME_BEGINS: &str = "gantry:";

/// Becomes this user for good: without other groups, and so without capabilities. Gives a line about missing
/// protection.
///
/// # Errors
/// The process has threads, which would keep their user. Or the user may not read the programs in the current
/// folder.
pub(crate) fn become_user(user: Option<WorkerUser>, programs: &Path) -> Result<Option<String>, String> {
    let Some(WorkerUser { uid, gid }) = user else {
        let own = rustix::process::geteuid().as_raw();
        return Ok(Some(format!(
            "workers run as user {own}, as the gateway does: only root can give them another"
        )));
    };
    let threads =
        std::fs::read_dir("/proc/self/task").map_err(|error| format!("/proc/self/task: {error}"))?.count();
    if threads != 1 {
        return Err(format!("expected one thread before the user is changed, found {threads}"));
    }
    let (group, id) = (Gid::from_raw(gid), Uid::from_raw(uid));
    let changed = rustix::thread::set_thread_groups(&[])
        .and_then(|()| rustix::thread::set_thread_res_gid(group, group, group))
        .and_then(|()| rustix::thread::set_thread_res_uid(id, id, id));
    if let Err(error) = changed {
        return Ok(Some(format!("workers run as the gateway's own user: user {uid}, group {gid}: {error}")));
    }
    // Else its own files below /proc, through which copies of programs are loaded, would be root's.
    rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable)
        .map_err(|error| format!("dumpable: {error}"))?;
    readable(programs).map_err(|error| {
        format!(
            "user {uid}, as whom workers run, cannot read the programs in {}: {error}",
            programs.display()
        )
    })?;
    Ok(None)
}

fn readable(shown: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(".")? {
        let name = entry?.file_name();
        let named = |error: std::io::Error| {
            std::io::Error::new(error.kind(), format!("{}: {error}", shown.join(&name).display()))
        };
        // It may be in a folder of the user's own making, with other things in it.
        if Path::new(&name).extension().is_some_and(|ending| ending == "so") {
            std::fs::File::open(&name).map_err(named)?;
        }
    }
    Ok(())
}

/// The name that `ps` shows: `gantry:PROGRAM`.
#[derive(Debug, Default)]
pub(crate) struct ShownName {
    program: Name<8>,
}

impl ShownName {
    /// Shows the program that runs now. The kernel is only asked if it is another one than before.
    pub(crate) fn show(&mut self, program: Name<8>) {
        if self.program == program {
            return;
        }
        self.program = program;
        let text = format!("{NAME_BEGINS}{}", String::from_utf8_lossy(&program).trim_end());
        if let Ok(name) = CString::new(text) {
            // It is for people alone.
            let _ = rustix::thread::set_name(&name);
        }
    }
}
