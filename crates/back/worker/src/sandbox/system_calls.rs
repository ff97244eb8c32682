//! The system calls that a worker may make (seccomp): a short list; every other call fails with EPERM.
//!
//! Landlock decides which files can be opened. This list decides what can be done at all: there is no way to change a file's
//! metadata, to start a thread or a process, to signal another process, to share memory, or to talk to anybody but the region.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// Calls that are allowed with any arguments, each group with its reason.
const ALLOWED: &[(&str, &[c_long])] = &[
    (
        "the worker's bells, and its socket to the region",
        &[libc::SYS_read, libc::SYS_write, libc::SYS_writev, libc::SYS_sendto, libc::SYS_recvmsg],
    ),
    (
        "programs and libraries are opened and read; Landlock says where",
        &[
            libc::SYS_openat,
            libc::SYS_close,
            libc::SYS_lseek,
            libc::SYS_pread64,
            libc::SYS_readv,
            libc::SYS_getdents64,
            libc::SYS_newfstatat,
            libc::SYS_fstat,
            libc::SYS_statx,
            libc::SYS_fstatfs,
            libc::SYS_faccessat,
            libc::SYS_faccessat2,
            libc::SYS_readlinkat,
            libc::SYS_getcwd,
            libc::SYS_fadvise64,
            libc::SYS_dup,
            libc::SYS_dup3,
        ],
    ),
    (
        "memory of the process's own, within RLIMIT_DATA and RLIMIT_AS",
        &[libc::SYS_brk, libc::SYS_munmap, libc::SYS_mprotect, libc::SYS_mremap, libc::SYS_madvise],
    ),
    (
        "handlers for signals that the process gets from the kernel or sends to itself",
        &[
            libc::SYS_rt_sigaction,
            libc::SYS_rt_sigprocmask,
            libc::SYS_rt_sigreturn,
            libc::SYS_sigaltstack,
            libc::SYS_restart_syscall,
        ],
    ),
    (
        "programs ask for the time, wait, and draw random numbers",
        &[
            libc::SYS_clock_gettime,
            libc::SYS_clock_getres,
            libc::SYS_gettimeofday,
            libc::SYS_nanosleep,
            libc::SYS_clock_nanosleep,
            libc::SYS_ppoll,
            libc::SYS_pselect6,
            libc::SYS_sched_yield,
            libc::SYS_getrandom,
        ],
    ),
    (
        "libraries ask who and where they are; nothing is changed",
        &[
            libc::SYS_getpid,
            libc::SYS_gettid,
            libc::SYS_getppid,
            libc::SYS_getuid,
            libc::SYS_geteuid,
            libc::SYS_getgid,
            libc::SYS_getegid,
            libc::SYS_getrlimit,
            libc::SYS_getrusage,
            libc::SYS_times,
            libc::SYS_uname,
            libc::SYS_sysinfo,
            libc::SYS_sched_getaffinity,
            libc::SYS_getcpu,
        ],
    ),
    ("the mask of new files; a worker can make none", &[libc::SYS_umask]),
    ("the process ends", &[libc::SYS_exit, libc::SYS_exit_group]),
];

/// The calls of older architectures that the C library still makes there, for the same reasons.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[c_long] = &[
    libc::SYS_open,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_dup2,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[c_long] = &[];

/// The allowed uses of `fcntl`: copy a descriptor, its flags, and locks of files. F_SETFL has a rule of its
/// own; F_SETOWN and F_SETSIG, which make the kernel send signals, and F_SETPIPE_SZ, which takes memory, are
/// missing.
const FCNTL_ALLOWED: [i32; 10] = [
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_SETLK,
    libc::F_GET_SEALS,
];

/// The allowed uses of `ioctl`: ask whether a file is a terminal, and how many bytes wait in it.
const IOCTL_ALLOWED: [u64; 2] = [libc::TCGETS, libc::FIONREAD];

/// The allowed uses of a futex: waiting and waking. Futexes of one process also have FUTEX_PRIVATE_FLAG.
const FUTEX_ALLOWED: [i32; 4] =
    [libc::FUTEX_WAIT, libc::FUTEX_WAKE, libc::FUTEX_WAIT_BITSET, libc::FUTEX_WAKE_BITSET];

/// The bits of a futex operation that do not say which operation it is.
const FUTEX_OPTIONS: u64 = (libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) as u64;

/// The bits of `mmap`'s flags that say with whom the mapping is shared, and those that may not be set: memory that grows downwards counts
/// as stack, which RLIMIT_DATA does not bound.
const MAP_KIND: u64 = (libc::MAP_TYPE | libc::MAP_GROWSDOWN) as u64;

/// Allows the calls of the list and refuses all others, for good.
///
/// # Errors
/// The kernel, or the architecture, does not have the filter.
pub(crate) fn restrict() -> Result<(), String> {
    let program = filter().map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let own = u64::from(std::process::id());
    let listed = ALLOWED.iter().flat_map(|(_, calls)| calls.iter()).chain(ALLOWED_HERE);
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> = listed.map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_mmap, vec![only(3, SeccompCmpOp::MaskedEq(MAP_KIND), libc::MAP_PRIVATE as u64)?]);
    let is_command = |command: &i32| only(1, SeccompCmpOp::Eq, *command as u64);
    let mut fcntl = FCNTL_ALLOWED.iter().map(is_command).collect::<Result<Vec<_>, _>>()?;
    // O_ASYNC would make the kernel send signals.
    fcntl.push(SeccompRule::new(vec![
        condition(1, SeccompCmpOp::Eq, libc::F_SETFL as u64)?,
        condition(2, SeccompCmpOp::MaskedEq(libc::O_ASYNC as u64), 0)?,
    ])?);
    rules.insert(libc::SYS_fcntl, fcntl);
    let is_request = |request: &u64| only(1, SeccompCmpOp::Eq, *request);
    rules.insert(libc::SYS_ioctl, IOCTL_ALLOWED.iter().map(is_request).collect::<Result<_, _>>()?);
    let mask = !FUTEX_OPTIONS & 0xFFFF_FFFF;
    let is_operation = |operation: &i32| only(1, SeccompCmpOp::MaskedEq(mask), *operation as u64);
    rules.insert(libc::SYS_futex, FUTEX_ALLOWED.iter().map(is_operation).collect::<Result<_, _>>()?);
    // A process ends itself by a signal; it reaches no other.
    for call in [libc::SYS_kill, libc::SYS_tgkill] {
        rules.insert(call, vec![only(0, SeccompCmpOp::Eq, own)?]);
    }
    // A process may read limits, and only its own.
    let reads_own = vec![
        condition(0, SeccompCmpOp::Eq, 0)?,
        SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)?,
    ];
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(reads_own)?]);
    // The worker shows the program's name in `ps`. PR_SET_PDEATHSIG above all is not allowed: the worker dies with the gateway.
    rules.insert(libc::SYS_prctl, vec![only(0, SeccompCmpOp::Eq, libc::PR_SET_NAME as u64)?]);
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, refused, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?.try_into()
}

fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

fn only(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![condition(argument, operator, value)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_can_be_made() {
        let listed: usize = ALLOWED.iter().map(|(_, calls)| calls.len()).sum();
        assert!(filter().is_ok_and(|program| program.len() > listed));
    }

    #[test]
    fn no_call_is_listed_twice_or_without_a_reason() {
        let mut calls: Vec<c_long> = ALLOWED.iter().flat_map(|(_, calls)| calls.to_vec()).collect();
        calls.extend(ALLOWED_HERE);
        let count = calls.len();
        calls.sort_unstable();
        calls.dedup();
        assert_eq!(calls.len(), count);
        assert!(ALLOWED.iter().all(|(reason, _)| !reason.is_empty()));
    }
}
