/* The system through the C library: every platform on which we do not speak to the kernel ourselves. */
#include <stdio.h> /* rename */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

/* Every call gives a result or a negative errno. */
static long given(long result) { return result < 0 ? -errno : result; }

static long sys_read(int fd, void *to, size_t size) { return given(read(fd, to, size)); }
static long sys_write(int fd, const void *from, size_t size) { return given(write(fd, from, size)); }
static long sys_close(int fd) { return given(close(fd)); }
static long sys_fstat(int fd, struct stat *to) { return given(fstat(fd, to)); }
static long sys_fsync(int fd) { return given(fsync(fd)); }
static long sys_flock(int fd, int how) { return given(flock(fd, how)); }
static long sys_unlink(const char *path) { return given(unlink(path)); }
static long sys_mkdir(const char *path) { return given(mkdir(path, 0700)); }
static long sys_chdir(const char *path) { return given(chdir(path)); }
static long sys_umask(int mask) { return (long)umask((mode_t)mask); }
static long sys_setsid(void) { return given(setsid()); }
static long sys_getpid(void) { return getpid(); }
static long sys_getuid(void) { return (long)getuid(); }
static long sys_fork(void) { return given(fork()); }
static long sys_wait(long pid) { return given(waitpid((pid_t)pid, NULL, 0)); }
static long sys_open(const char *path, int flags) { return given(open(path, flags | O_CLOEXEC, 0600)); }
static long sys_rename(const char *from, const char *to) { return given(rename(from, to)); }
static long sys_above(int fd, int lowest) { return given(fcntl(fd, F_DUPFD_CLOEXEC, lowest)); }
static long sys_exec(char *const *argv, char *const *envp) { return given(execve(argv[0], argv, envp)); }
static int sys_is_terminal(int fd) { return isatty(fd); }
static void sys_handle(int number, void (*handler)(int)) { signal(number, handler); }

/* Fresh memory of `size` bytes, or none. */
static char *sys_map(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* The same memory with more room, or none. */
static char *sys_remap(char *from, size_t size, size_t wanted)
{
    char *at = sys_map(wanted);
    if (at == NULL) return NULL;
    memcpy(at, from, size);
    munmap(from, size);
    return at;
}

static long sys_pipe(int ends[2])
{
    long failed = given(pipe(ends));
    if (failed < 0) return failed;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

static long sys_dup_to(int fd, int target, int flags)
{
    long result = given(dup2(fd, target));
    if (result >= 0 && (flags & O_CLOEXEC) != 0) fcntl(target, F_SETFD, FD_CLOEXEC);
    return result;
}

static long sys_close_from(int first)
{
    (void)first;
    return -ENOSYS; /* the caller closes one by one */
}

static long sys_poll(int fd, int events, int ms)
{
    struct pollfd one = {.fd = fd, .events = (short)events};
    return given(poll(&one, fd >= 0, ms));
}

static long sys_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) return -errno;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

static long sys_connect(int fd, const struct sockaddr_un *to)
{
    return given(connect(fd, (const struct sockaddr *)to, sizeof *to));
}

static long sys_peer_uid(int fd)
{
#ifdef SO_PEERCRED
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ? -errno : (long)peer.uid;
#else
    uid_t user = 0;
    gid_t group = 0;
    return getpeereid(fd, &user, &group) < 0 ? -errno : (long)user;
#endif
}

static long long sys_now_ms(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static long long sys_wall_s(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (long long)now.tv_sec;
}

/* Seconds since the machine started, sleep included: nobody sets this clock. */
static long long sys_boot_s(void)
{
    struct timespec now = {0};
#ifdef CLOCK_BOOTTIME
    clock_gettime(CLOCK_BOOTTIME, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (long long)now.tv_sec;
}

static long sys_own_path(char *to, size_t size)
{
#ifdef __APPLE__
    char raw[4096], real[PATH_MAX];
    uint32_t room = sizeof raw;
    if (_NSGetExecutablePath(raw, &room) != 0 || realpath(raw, real) == NULL) return -ENOENT;
    size_t length = strlen(real);
    if (length > size) return -ENAMETOOLONG;
    memcpy(to, real, length);
    return (long)length;
#else
    return given(readlink("/proc/self/exe", to, size));
#endif
}

#ifdef __linux__
static long sys_link(const char *path, char *to, size_t size) { return given(readlink(path, to, size)); }
#else
static int sys_runs(long long pid) { return kill((pid_t)pid, 0) == 0 || errno == EPERM; }
#endif

static void sys_unblock_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn static void sys_exit(int code) { _exit(code); }

static int run(int argc, char **argv, char **envp);

int main(int argc, char **argv, char **envp) { return run(argc, argv, envp); }
