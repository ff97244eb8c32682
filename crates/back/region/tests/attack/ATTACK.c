/* A program that attacks whatever is around its worker. It tries each call and writes a line for it into the commarea: the call's name
 * and `denied`, or `reached` with what came back. A call that no filter stops is harmless here: its arguments are wrong, or it asks.
 *
 * The commarea begins with the path of a file that the worker's user could change, ended by a zero byte. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COMMAREA_BYTES = 16000 };

static char *to;
static size_t left;

static void say(const char *name, long result)
{
    int error = errno;
    int is_denied = result == -1 && (error == EPERM || error == EACCES);
    int count = is_denied ? snprintf(to, left, "%s denied\n", name)
                          : snprintf(to, left, "%s reached %ld errno %d\n", name, result, error);
    if (count > 0 && (size_t)count < left) {
        to += count;
        left -= (size_t)count;
    }
}

#define CALL(name, ...) (errno = 0, say(name, (long)(__VA_ARGS__)))
#define RAW(name, ...) CALL(#name, syscall(SYS_##name, __VA_ARGS__))

static long mapped(int flags)
{
    void *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
    return place == MAP_FAILED ? -1 : 1;
}

static void terminals(void)
{
    char byte = 'x';
    for (int fd = 0; fd <= 3; fd++) {
        CALL("TIOCSTI", ioctl(fd, TIOCSTI, &byte));
        CALL("TIOCLINUX", ioctl(fd, 0x541C, &byte));
        CALL("TIOCSCTTY", ioctl(fd, TIOCSCTTY, 0));
    }
    CALL("open /dev/tty", open("/dev/tty", O_RDWR));
    CALL("open /dev/ptmx", open("/dev/ptmx", O_RDWR));
}

static void signals(void)
{
    int parent = getppid();
    struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = parent};
    for (int fd = 1; fd <= 3; fd++) {
        CALL("F_SETOWN", fcntl(fd, F_SETOWN, parent));
        CALL("F_SETOWN_EX", fcntl(fd, F_SETOWN_EX, &owner));
        CALL("F_SETSIG", fcntl(fd, F_SETSIG, SIGKILL));
        CALL("F_SETFL O_ASYNC", fcntl(fd, F_SETFL, O_ASYNC));
        CALL("F_SETPIPE_SZ", fcntl(fd, F_SETPIPE_SZ, 1 << 20));
        CALL("FIOSETOWN", ioctl(fd, 0x8901, &parent));
        CALL("FIOASYNC", ioctl(fd, FIOASYNC, &parent));
    }
    CALL("kill the region", kill(parent, 0));
    CALL("kill all", kill(-1, 0));
    RAW(tgkill, parent, parent, 0);
    RAW(tkill, parent, 0);
    RAW(rt_sigqueueinfo, parent, 0, NULL);
    RAW(pidfd_open, parent, 0);
    RAW(pidfd_send_signal, 1, 0, NULL, 0);
    RAW(ptrace, 16, parent, 0, 0);
    RAW(process_vm_readv, parent, NULL, 0, NULL, 0, 0);
    RAW(process_vm_writev, parent, NULL, 0, NULL, 0, 0);
    RAW(kcmp, parent, getpid(), 0, 0, 0);
    CALL("prctl PR_SET_PDEATHSIG", prctl(PR_SET_PDEATHSIG, 0));
    CALL("prctl PR_SET_DUMPABLE", prctl(PR_SET_DUMPABLE, 1));
    RAW(timer_create, 0, NULL, NULL);
    RAW(setitimer, 0, NULL, NULL);
    RAW(alarm, 0);
}

static void metadata(const char *file)
{
    CALL("open to write", open(file, O_WRONLY));
    CALL("open to read", open(file, O_RDONLY));
    CALL("create beside", open("/tmp/gantry-attack", O_CREAT | O_WRONLY, 0600));
    CALL("create in /dev/shm", open("/dev/shm/gantry-attack", O_CREAT | O_WRONLY, 0600));
    RAW(chmod, file, 0666);
    RAW(fchmod, 1, 0666);
    RAW(fchmodat, AT_FDCWD, file, 0666);
    RAW(chown, file, -1, -1);
    RAW(fchown, 1, -1, -1);
    RAW(lchown, file, -1, -1);
    RAW(fchownat, AT_FDCWD, file, -1, -1, 0);
    RAW(utime, file, NULL);
    RAW(utimes, file, NULL);
    RAW(utimensat, AT_FDCWD, file, NULL, 0);
    RAW(futimesat, AT_FDCWD, file, NULL);
    RAW(setxattr, file, "user.a", "b", 1, 0);
    RAW(lsetxattr, file, "user.a", "b", 1, 0);
    RAW(fsetxattr, 1, "user.a", "b", 1, 0);
    RAW(removexattr, file, "user.a");
    RAW(truncate, file, 0);
    RAW(ftruncate, 1, 0);
    RAW(ftruncate, 2, 0);
    RAW(unlink, file);
    RAW(rename, file, "/tmp/gantry-attack");
    RAW(link, file, "/tmp/gantry-attack");
    RAW(symlink, file, "/tmp/gantry-attack");
    RAW(mkdir, "/tmp/gantry-attack", 0700);
    RAW(mknod, "/tmp/gantry-attack", 0600, 0);
    RAW(chdir, "/");
    RAW(chroot, "/");
}

static void memory(void)
{
    CALL("mmap shared", mapped(MAP_SHARED | MAP_ANONYMOUS));
    CALL("mmap growing down", mapped(MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN));
    RAW(memfd_create, "a", 0);
    RAW(memfd_secret, 0);
    RAW(shmget, 0, 4096, 0600);
    RAW(shmat, 0, NULL, 0);
    RAW(msgget, 0, 0600);
    RAW(semget, 0, 1, 0600);
    RAW(mlock, &left, 1);
    RAW(pipe2, NULL, 0);
    RAW(eventfd2, 0, 0);
    RAW(epoll_create1, 0);
    RAW(inotify_init1, 0);
    RAW(io_uring_setup, 1, NULL);
    RAW(userfaultfd, 0);
    struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    CALL("setrlimit", setrlimit(RLIMIT_DATA, &most));
    RAW(setrlimit, RLIMIT_DATA, &most);
}

static void tasks(void)
{
    CALL("clone a thread", syscall(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, NULL, 0, 0, 0));
    RAW(clone3, NULL, 0);
    RAW(fork, 0);
    RAW(vfork, 0);
    char *none[] = {NULL};
    RAW(execve, "/bin/true", none, none);
    RAW(execveat, AT_FDCWD, "/bin/true", none, none, 0);
    RAW(setpriority, 0, 0, 0);
    RAW(sched_setscheduler, 0, 0, NULL);
    RAW(sched_setaffinity, 0, 0, NULL);
    RAW(setsid, 0);
    RAW(setpgid, 0, 0);
    RAW(setuid, 0);
    RAW(setgid, 0);
    RAW(setgroups, 0, NULL);
    RAW(capset, NULL, NULL);
}

static void system_wide(void)
{
    RAW(socket, 1, 1, 0);
    RAW(socket, 2, 1, 0);
    RAW(socket, 16, 3, 0);
    RAW(socketpair, 1, 1, 0, NULL);
    RAW(connect, 3, NULL, 0);
    RAW(bind, 3, NULL, 0);
    RAW(listen, 3, 0);
    RAW(accept4, 3, NULL, NULL, 0);
    RAW(sendmsg, 3, NULL, 0);
    RAW(unshare, 0);
    RAW(setns, 1, 0);
    RAW(mount, NULL, NULL, NULL, 0, NULL);
    RAW(umount2, "", 0);
    RAW(bpf, 0, NULL, 0);
    RAW(perf_event_open, NULL, 0, 0, 0, 0);
    RAW(keyctl, 0, 0);
    RAW(add_key, NULL, NULL, NULL, 0, 0);
    RAW(personality, 0xFFFFFFFF);
    RAW(syslog, 10, NULL, 0);
    RAW(init_module, NULL, 0, NULL);
    RAW(swapon, "", 0);
    RAW(iopl, 0);
    RAW(landlock_create_ruleset, NULL, 0, 1);
    RAW(seccomp, 3, 0, NULL);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", getppid());
    CALL("open the region's environment", open(path, O_RDONLY));
    snprintf(path, sizeof path, "/proc/%d/mem", getppid());
    CALL("open the region's memory", open(path, O_RDWR));
    CALL("open /etc/passwd", open("/etc/passwd", O_RDONLY));
    CALL("open /proc/self/maps", open("/proc/self/maps", O_RDONLY));
}

static void attack_all(char *commarea)
{
    char file[256];
    snprintf(file, sizeof file, "%s", commarea);
    memset(commarea, ' ', COMMAREA_BYTES);
    to = commarea;
    left = COMMAREA_BYTES;
    terminals();
    signals();
    metadata(file);
    memory();
    tasks();
    system_wide();
}

/* What floods the log past the runtime, forges a line, and would turn a terminal's colours. */
static void write_to_log(void)
{
    static const char forged[] = "2026-01-01T00:00:00Z  INFO security: the administrator has logged in\n\x1b[2J";
    char line[4096];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    if (write(1, forged, sizeof forged - 1) < 0) return;
    for (int count = 0; count < 1000; count++)
        if (write(2, line, sizeof line) < 0) return;
}

/* All memory that it can get. */
static long take_memory(void)
{
    long bytes = 0;
    for (;;) {
        char *place = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (place == MAP_FAILED) return bytes;
        memset(place, 1, 1 << 20);
        bytes += 1 << 20;
    }
}

int ATTACK(unsigned char *eib, char *commarea)
{
    (void)eib;
    if (strncmp(commarea, "LOG", 4) == 0) {
        write_to_log();
    } else if (strncmp(commarea, "MEMORY", 7) == 0) {
        snprintf(commarea, COMMAREA_BYTES, "%ld", take_memory());
    } else {
        attack_all(commarea);
    }
    return 0;
}
