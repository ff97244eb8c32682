//! The system calls that a worker may not make: they fail with EPERM (seccomp).
//!
//! It is a list of what is forbidden, not of what is allowed: libraries of programs change what they call. What names
//! files is Landlock's concern.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// Starting programs, talking to others, looking into others, and changing the system.
const FORBIDDEN: [c_long; 54] = [
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_clone3,
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_tkill,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_mknodat,
    libc::SYS_setpriority,
    libc::SYS_sched_setscheduler,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    libc::SYS_personality,
    libc::SYS_setrlimit,
    libc::SYS_futex_waitv,
];

/// What of a futex operation says which it is, and that it is not of one process alone.
const FUTEX_SHARED_MASK: u64 = !(libc::FUTEX_CLOCK_REALTIME as u64) & 0xFFFF_FFFF;

/// Operations on futexes of several processes: moving who waits elsewhere, writing, and lending priority.
const SHARED_FUTEX_FORBIDDEN: [i32; 9] = [
    libc::FUTEX_FD,
    libc::FUTEX_REQUEUE,
    libc::FUTEX_CMP_REQUEUE,
    libc::FUTEX_WAKE_OP,
    libc::FUTEX_LOCK_PI,
    libc::FUTEX_UNLOCK_PI,
    libc::FUTEX_TRYLOCK_PI,
    libc::FUTEX_WAIT_REQUEUE_PI,
    libc::FUTEX_CMP_REQUEUE_PI,
];

/// The calls of older architectures that the others have not.
#[cfg(target_arch = "x86_64")]
const FORBIDDEN_HERE: [c_long; 3] = [libc::SYS_fork, libc::SYS_vfork, libc::SYS_mknod];
#[cfg(not(target_arch = "x86_64"))]
const FORBIDDEN_HERE: [c_long; 0] = [];

/// Forbids the calls for good.
///
/// # Errors
/// The kernel, or the architecture, has no such filter.
pub(super) fn forbid() -> Result<(), String> {
    let program = filter().map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let own = u64::from(std::process::id());
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> =
        FORBIDDEN.into_iter().chain(FORBIDDEN_HERE).map(|call| (call, Vec::new())).collect();
    let unless = |argument, operator, value| {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
        SeccompRule::new(vec![condition])
    };
    // Signals go to the process itself alone, limits are its own, and what is cloned is a thread.
    for call in [libc::SYS_kill, libc::SYS_tgkill] {
        rules.insert(call, vec![unless(0, SeccompCmpOp::Ne, own)?]);
    }
    // The region sets limits; the worker can only read its own.
    let no_new_limit = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    let not_its_own = unless(0, SeccompCmpOp::Ne, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![not_its_own, SeccompRule::new(vec![no_new_limit])?]);
    // A bell is waited for and woken, and nothing else is done with futexes that processes share. Those of a process's
    // own have another bit.
    let shared = |operation: i32| unless(1, SeccompCmpOp::MaskedEq(FUTEX_SHARED_MASK), operation as u64);
    rules.insert(libc::SYS_futex, SHARED_FUTEX_FORBIDDEN.into_iter().map(shared).collect::<Result<_, _>>()?);
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![unless(0, SeccompCmpOp::MaskedEq(thread), 0)?]);
    let forbidden = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, forbidden, std::env::consts::ARCH.try_into()?)?.try_into()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_filter_can_be_made() {
        assert!(super::filter().is_ok_and(|program| program.len() > super::FORBIDDEN.len()));
    }
}
