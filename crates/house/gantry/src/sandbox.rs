//! `gantry check --sandbox`: checks the isolation of programs from the rest of this machine.

use std::process::{Command, ExitCode};

use wire::WorkerUser;
use worker::probe;

/// Starts a process that enters a worker's sandbox and tries forbidden actions. Prints the results.
///
/// # Errors
/// The process cannot be started.
pub(crate) fn check() -> Result<ExitCode, String> {
    let user = compiling::user::find(None)?;
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    println!("kernel: {}", kernel.trim());
    match user {
        Some(WorkerUser { uid, gid }) => println!("workers run as: user {uid}, group {gid}"),
        None => println!("workers run as: the gateway's own user, {}", rustix::process::geteuid().as_raw()),
    }
    let shown = user.map_or("same".to_owned(), |WorkerUser { uid, gid }| format!("{uid}:{gid}"));
    // It writes to a pipe, because a process in the sandbox can write to no file.
    let output = Command::new("/proc/self/exe").arg("sandbox-probe").arg(shown).env_clear().output();
    let output = output.map_err(|error| format!("the sandbox cannot be tried: {error}"))?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    match output.status.code() {
        Some(0) => Ok(ExitCode::SUCCESS),
        Some(_) => Ok(ExitCode::FAILURE),
        None => Err(format!("the process in the sandbox has ended: {}", output.status)),
    }
}

/// Runs as that process.
///
/// # Errors
/// The sandbox cannot be entered.
pub(crate) fn run_probe(user: &str) -> Result<ExitCode, String> {
    let user = match user.split_once(':') {
        None => None,
        Some((uid, gid)) => {
            let number = |text: &str| text.parse().map_err(|_| format!("expected a number, found {text}"));
            Some(WorkerUser { uid: number(uid)?, gid: number(gid)? })
        }
    };
    let (notes, tried) = probe(user)?;
    for note in notes {
        println!("missing: {note}");
    }
    let mut code = ExitCode::SUCCESS;
    for one in tried {
        match one.denied {
            Some(reason) => println!("denied: {} ({reason})", one.what),
            None => {
                code = ExitCode::FAILURE;
                println!("POSSIBLE: {}", one.what);
            }
        }
    }
    Ok(code)
}
