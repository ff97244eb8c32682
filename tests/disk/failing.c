/*
 * A disk that fails when a test wants it to, for a process that loads this library (LD_PRELOAD).
 *
 * FAILING_CONTROL names a file with three numbers of 8 bytes, which the test changes while the process runs:
 *   room     bytes by which files may still grow; -1 is no limit. Beyond them a write fails with ENOSPC.
 *   syncs    not 0: fsync and fdatasync fail with EIO.
 *   clock    seconds by which the clock of the day is ahead.
 * Only files with ".store" in their path have faults. A file that shrinks or is removed gives its room back.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct control {
    int64_t room;
    int64_t syncs;
    int64_t clock;
};

static struct control usual = { -1, 0, 0 };
static struct control *control = &usual;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAILING_CONTROL");
    int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    void *map = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map != MAP_FAILED)
        control = map;
}

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* Whether a file has faults. */
static int concerns(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    return strstr(path, ".store") != NULL;
}

/* Takes room, or gives it back if the number is negative; false if there is not so much. */
static int take(int64_t bytes)
{
    int64_t room = __atomic_load_n(&control->room, __ATOMIC_SEQ_CST);
    while (room >= 0) {
        if (bytes > room)
            return 0;
        if (__atomic_compare_exchange_n(&control->room, &room, room - bytes, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return 1;
    }
    return 1;
}

/* Whether a file may have this length; a shorter one counts only if it is cut. */
static int may_have(int fd, int64_t length, int is_cut)
{
    struct stat found;
    if (control->room < 0 || !concerns(fd) || fstat(fd, &found) != 0)
        return 1;
    if (length <= found.st_size && !is_cut)
        return 1;
    if (take(length - found.st_size))
        return 1;
    errno = ENOSPC;
    return 0;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
    static ssize_t (*next)(int, const void *, size_t, off64_t);
    if (next == NULL)
        next = real("pwrite64");
    return may_have(fd, offset + (int64_t)count, 0) ? next(fd, bytes, count, offset) : -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
    return pwrite64(fd, bytes, count, offset);
}

int ftruncate64(int fd, off64_t length)
{
    static int (*next)(int, off64_t);
    if (next == NULL)
        next = real("ftruncate64");
    return may_have(fd, length, 1) ? next(fd, length) : -1;
}

int ftruncate(int fd, off_t length)
{
    return ftruncate64(fd, length);
}

int unlink(const char *path)
{
    static int (*next)(const char *);
    struct stat found;
    if (next == NULL)
        next = real("unlink");
    int is_known = strstr(path, ".store") != NULL && stat(path, &found) == 0;
    int outcome = next(path);
    if (outcome == 0 && is_known)
        take(-(int64_t)found.st_size);
    return outcome;
}

int fdatasync(int fd)
{
    static int (*next)(int);
    if (next == NULL)
        next = real("fdatasync");
    if (control->syncs != 0 && concerns(fd)) {
        errno = EIO;
        return -1;
    }
    return next(fd);
}

int fsync(int fd)
{
    static int (*next)(int);
    if (next == NULL)
        next = real("fsync");
    if (control->syncs != 0 && concerns(fd)) {
        errno = EIO;
        return -1;
    }
    return next(fd);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*next)(clockid_t, struct timespec *);
    if (next == NULL)
        next = real("clock_gettime");
    int outcome = next(clock, time);
    if (outcome == 0 && clock == CLOCK_REALTIME)
        time->tv_sec += control->clock;
    return outcome;
}
