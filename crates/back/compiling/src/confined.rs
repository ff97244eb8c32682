//! The limits of the compiler: it runs in a process that gives up the rest of the system before it becomes
//! `cobc`.
//!
//! Sources are translated before, with all members that they copy, so that the compiler reads nothing but its own folder.
//! The C compiler that it starts has the same limits.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope,
};
use rustix::process::{Gid, Resource, Rlimit, Uid};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use wire::WorkerUser;

/// The places of compilers and their libraries.
const READABLE: [&str; 9] =
    ["/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/opt", "/proc/self", "/dev/urandom"];

/// The limits of each process of the compiler.
const MEMORY_MAX_BYTES: u64 = 2 << 30;
pub(crate) const FILE_MAX_BYTES: u64 = 256 << 20;
const CPU_MAX_S: u64 = 120;
const FILES_MAX: u64 = 256;

/// Processes of its user, which others may have too.
const PROCESSES_MAX: u64 = 1024;

/// Calls to talk to others, by any protocol, and calls to change owners or attributes of files. The linker
/// sets modes of what it writes, so `chmod` is not here.
const FORBIDDEN: [i64; 13] = [
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_ptrace,
    libc::SYS_io_uring_setup,
    libc::SYS_pidfd_send_signal,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_memfd_create,
    libc::SYS_shmget,
    libc::SYS_userfaultfd,
];

/// Commands of `fcntl` that make the kernel send signals.
const FCNTL_FORBIDDEN: [i32; 3] = [libc::F_SETOWN, F_SETSIG, F_SETOWN_EX];
const F_SETSIG: i32 = 10;
const F_SETOWN_EX: i32 = 15;

/// Requests of `ioctl` that type into a terminal, or make the kernel send signals: TIOCSTI, TIOCLINUX, FIOSETOWN, FIOASYNC.
const IOCTL_FORBIDDEN: [u64; 4] = [0x5412, 0x541C, 0x8901, 0x5452];

/// The arguments of this process for a command: `compiler USER FOLDER PROGRAM ARGUMENTS...`.
pub(crate) fn command(user: Option<WorkerUser>, folder: &Path, program: &str) -> Command {
    let user = user.map_or("same".to_owned(), |WorkerUser { uid, gid }| format!("{uid}:{gid}"));
    let mut command = Command::new("/proc/self/exe");
    command.arg("compiler").arg(user).arg(folder).arg(program);
    command
}

/// Gives up the rest of the system and becomes the compiler. It only comes back if that cannot be: with the reason.
#[must_use]
pub fn run(arguments: &[OsString]) -> String {
    let [user, folder, program, arguments @ ..] = arguments else {
        return "the compiler is started by the gateway".to_owned();
    };
    match confine(&user.to_string_lossy(), Path::new(folder)) {
        Ok(()) => format!("{}: {}", program.display(), Command::new(program).args(arguments).exec()),
        Err(reason) => reason,
    }
}

fn confine(user: &str, folder: &Path) -> Result<(), String> {
    worker::close_others().map_err(|error| format!("the files of others: {error}"))?;
    worker::leave_terminal().map_err(|error| format!("a session of its own: {error}"))?;
    for (resource, most) in [
        (Resource::Core, 0),
        (Resource::Data, MEMORY_MAX_BYTES),
        (Resource::Fsize, FILE_MAX_BYTES),
        (Resource::Cpu, CPU_MAX_S),
        (Resource::Nofile, FILES_MAX),
        (Resource::Nproc, PROCESSES_MAX),
    ] {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        // A limit that is already lower stays.
        let _ = rustix::process::setrlimit(resource, limit);
    }
    let described = |what: &'static str| move |error: rustix::io::Errno| format!("{what}: {error}");
    rustix::thread::set_no_new_privs(true).map_err(described("no_new_privs"))?;
    std::env::set_current_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let rules = rules(folder).map_err(|error| format!("Landlock: {error}"))?;
    if let Some((uid, gid)) = user.split_once(':')
        && let (Ok(uid), Ok(gid)) = (uid.parse(), gid.parse())
    {
        let (group, id) = (Gid::from_raw(gid), Uid::from_raw(uid));
        rustix::thread::set_thread_groups(&[])
            .and_then(|()| rustix::thread::set_thread_res_gid(group, group, group))
            .and_then(|()| rustix::thread::set_thread_res_uid(id, id, id))
            .map_err(described("the compiler's user"))?;
    }
    rules.restrict_self().map_err(|error| format!("Landlock: {error}"))?;
    // Where the kernel has no filters, the other limits hold.
    let _ = filter().map(|program| seccompiler::apply_filter(&program));
    Ok(())
}

/// Everything that compilers need can be read; only the folder can be written to.
fn rules(folder: &Path) -> Result<RulesetCreated, landlock::RulesetError> {
    let abi = ABI::V6;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let more = ["COB_CONFIG_DIR", "COB_COPY_DIR", "LD_LIBRARY_PATH"]
        .map(|name| std::env::var_os(name).unwrap_or_default());
    let mut readable: Vec<std::path::PathBuf> = READABLE.iter().map(std::path::PathBuf::from).collect();
    for list in more.iter().chain([&path]) {
        readable.extend(std::env::split_paths(list).filter(|folder| folder.is_absolute()));
    }
    for place in readable {
        if let Ok(file) = PathFd::new(&place) {
            rules = rules.add_rule(PathBeneath::new(file, AccessFs::from_read(abi)))?;
        }
    }
    for place in [Path::new("/dev/null"), folder] {
        if let Ok(file) = PathFd::new(place) {
            rules = rules.add_rule(PathBeneath::new(file, AccessFs::from_all(abi)))?;
        }
    }
    Ok(rules)
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        FORBIDDEN.into_iter().map(|call| (call, Vec::new())).collect();
    let only = |value: u64| {
        let is_it = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)?;
        SeccompRule::new(vec![is_it])
    };
    let commands = FCNTL_FORBIDDEN.into_iter().map(|command| only(command as u64));
    rules.insert(libc::SYS_fcntl, commands.collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_ioctl, IOCTL_FORBIDDEN.into_iter().map(only).collect::<Result<_, _>>()?);
    let forbidden = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, forbidden, std::env::consts::ARCH.try_into()?)?.try_into()
}
