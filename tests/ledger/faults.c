/* Stands between a program and the C library: lets the n-th change to a file go wrong.
 *
 * Modes: 0 count only, 1 kill the process at it, 2 kill in the middle of it (half of a write is done),
 * 3 answer "no space left". Loaded by LD_PRELOAD; armed from Python by ctypes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int mode, at, seen;

void faults_arm(int new_mode, int n) { mode = new_mode; at = n; seen = 0; }
int faults_seen(void) { return seen; }

/* 1 when this call is the one that fails for want of space. */
static int strikes(int *half)
{
    *half = 0;
    if (++seen != at || mode == 0) return 0;
    if (mode == 1) kill(getpid(), SIGKILL);
    if (mode == 2) *half = 1;
    return mode == 3;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define WRITER(name, offset) \
    ssize_t name(int fd, const void *data, size_t size, offset place) { \
        int half; REAL(ssize_t, #name, int, const void *, size_t, offset); \
        if (strikes(&half)) { errno = ENOSPC; return -1; } \
        if (half) { real(fd, data, size / 2, place); kill(getpid(), SIGKILL); } \
        return real(fd, data, size, place); \
    }
WRITER(pwrite, off_t)
WRITER(pwrite64, off64_t)

#define SYNC(name) \
    int name(int fd) { \
        int half; REAL(int, #name, int); \
        if (strikes(&half)) { errno = ENOSPC; return -1; } \
        if (half) kill(getpid(), SIGKILL); \
        return real(fd); \
    }
SYNC(fsync)
SYNC(fdatasync)

#define CUT(name, offset) \
    int name(int fd, offset size) { \
        int half; REAL(int, #name, int, offset); \
        if (strikes(&half)) { errno = ENOSPC; return -1; } \
        if (half) kill(getpid(), SIGKILL); \
        return real(fd, size); \
    }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

/* Only to plain files: what goes to pipes, sockets and terminals changes none. */
ssize_t write(int fd, const void *data, size_t size) {
    struct stat found; int half;
    REAL(ssize_t, "write", int, const void *, size_t);
    if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) return real(fd, data, size);
    if (strikes(&half)) { errno = ENOSPC; return -1; }
    if (half) { real(fd, data, size / 2); kill(getpid(), SIGKILL); }
    return real(fd, data, size);
}

#define NAMES(name, parameters, ...) \
    int name parameters { \
        int half; static int (*real) parameters; \
        if (!real) real = (int (*) parameters)dlsym(RTLD_NEXT, #name); \
        if (strikes(&half)) { errno = ENOSPC; return -1; } \
        if (half) kill(getpid(), SIGKILL); \
        return real(__VA_ARGS__); \
    }
NAMES(unlink, (const char *path), path)
NAMES(unlinkat, (int folder, const char *path, int flags), folder, path, flags)
NAMES(link, (const char *old, const char *new), old, new)
NAMES(rename, (const char *old, const char *new), old, new)
NAMES(renameat, (int from, const char *old, int to, const char *new), from, old, to, new)
