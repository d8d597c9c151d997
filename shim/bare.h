/* The system without a C library: raw Linux calls on x86-64 and aarch64, and our own first instruction. */
#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436 /* the same number everywhere; older headers lack it */
#endif

/* A limit may leave us a stack of less than a page, and growing past it is our end: we bring one. */
__attribute__((used, aligned(16))) char own_stack[16384];

#if defined(__x86_64__)
__asm__(".globl _start\n"
        "_start:\n"
        "  xor %ebp, %ebp\n"
        "  mov %rsp, %rdi\n"
        "  lea own_stack+16384(%rip), %rsp\n"
        "  call first\n");

static long kernel(long number, long a, long b, long c, long d, long e)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
__asm__(".globl _start\n"
        "_start:\n"
        "  mov x29, #0\n"
        "  mov x30, #0\n"
        "  mov x0, sp\n"
        "  adrp x1, own_stack\n"
        "  add x1, x1, :lo12:own_stack\n"
        "  add sp, x1, #4, lsl #12\n"
        "  bl first\n");

static long kernel(long number, long a, long b, long c, long d, long e)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = 0;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory", "cc");
    return x0;
}
#else
#error "INTERLOCK_BARE is for x86-64 and aarch64; leave it out elsewhere"
#endif

/* The compiler calls these on its own; it must not find their loops to be calls of themselves. */
#if defined(__GNUC__) && !defined(__clang__)
#define PLAIN_LOOP __attribute__((used, optimize("no-tree-loop-distribute-patterns")))
#else
#define PLAIN_LOOP __attribute__((used))
#endif

PLAIN_LOOP void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    for (size_t i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

PLAIN_LOOP void *memmove(void *to, const void *from, size_t size)
{
    if ((uintptr_t)to <= (uintptr_t)from) {
        for (size_t i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
    } else {
        while (size-- > 0) ((char *)to)[size] = ((const char *)from)[size];
    }
    return to;
}

PLAIN_LOOP void *memset(void *to, int byte, size_t size)
{
    for (size_t i = 0; i < size; i++) ((char *)to)[i] = (char)byte;
    return to;
}

PLAIN_LOOP int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *left = a, *right = b;
    for (size_t i = 0; i < size; i++)
        if (left[i] != right[i]) return left[i] - right[i];
    return 0;
}

PLAIN_LOOP size_t strlen(const char *text)
{
    size_t size = 0;
    while (text[size] != 0) size++;
    return size;
}

/* Every call gives a result or a negative errno. */
static long sys_read(int fd, void *to, size_t size) { return kernel(SYS_read, fd, (long)to, (long)size, 0, 0); }
static long sys_write(int fd, const void *from, size_t size) { return kernel(SYS_write, fd, (long)from, (long)size, 0, 0); }
static long sys_close(int fd) { return kernel(SYS_close, fd, 0, 0, 0, 0); }
static long sys_fstat(int fd, struct stat *to) { return kernel(SYS_fstat, fd, (long)to, 0, 0, 0); }
static long sys_fsync(int fd) { return kernel(SYS_fsync, fd, 0, 0, 0, 0); }
static long sys_flock(int fd, int how) { return kernel(SYS_flock, fd, how, 0, 0, 0); }
static long sys_unlink(const char *path) { return kernel(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0); }
static long sys_mkdir(const char *path) { return kernel(SYS_mkdirat, AT_FDCWD, (long)path, 0700, 0, 0); }
static long sys_chdir(const char *path) { return kernel(SYS_chdir, (long)path, 0, 0, 0, 0); }
static long sys_umask(int mask) { return kernel(SYS_umask, mask, 0, 0, 0, 0); }
static long sys_setsid(void) { return kernel(SYS_setsid, 0, 0, 0, 0, 0); }
static long sys_getpid(void) { return kernel(SYS_getpid, 0, 0, 0, 0, 0); }
static long sys_getuid(void) { return kernel(SYS_getuid, 0, 0, 0, 0, 0); }
static long sys_fork(void) { return kernel(SYS_clone, SIGCHLD, 0, 0, 0, 0); }
static long sys_wait(long pid) { return kernel(SYS_wait4, pid, 0, 0, 0, 0); }
static long sys_pipe(int ends[2]) { return kernel(SYS_pipe2, (long)ends, O_CLOEXEC, 0, 0, 0); }
static long sys_close_from(int first) { return kernel(SYS_close_range, first, ~0U, 0, 0, 0); }

/* Fresh memory of `size` bytes, or none. */
static char *sys_map(size_t size)
{
    long at = kernel(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    return at < 0 && at > -4096 ? NULL : (char *)at;
}

/* The same memory with more room, perhaps elsewhere, or none. */
static char *sys_remap(char *from, size_t size, size_t wanted)
{
    long at = kernel(SYS_mremap, (long)from, (long)size, (long)wanted, MREMAP_MAYMOVE, 0);
    return at < 0 && at > -4096 ? NULL : (char *)at;
}

static long sys_open(const char *path, int flags)
{
    return kernel(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0600, 0);
}

static long sys_rename(const char *from, const char *to)
{
    return kernel(SYS_renameat, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0);
}

static long sys_above(int fd, int lowest) { return kernel(SYS_fcntl, fd, F_DUPFD_CLOEXEC, lowest, 0, 0); }

static long sys_dup_to(int fd, int target, int flags) { return kernel(SYS_dup3, fd, target, flags, 0, 0); }

static long sys_exec(char *const *argv, char *const *envp)
{
    return kernel(SYS_execve, (long)argv[0], (long)argv, (long)envp, 0, 0);
}

static long sys_poll(int fd, int events, int ms)
{
    struct pollfd one = {.fd = fd, .events = (short)events};
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    return kernel(SYS_ppoll, (long)&one, fd >= 0, (long)&time, 0, 8);
}

static long sys_socket(void)
{
    return kernel(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0, 0);
}

static long sys_connect(int fd, const struct sockaddr_un *to)
{
    return kernel(SYS_connect, fd, (long)to, sizeof *to, 0, 0);
}

static long sys_peer_uid(int fd)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    long failed = kernel(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&size);
    return failed < 0 ? failed : (long)peer.uid;
}

static long long clock_at(int which, long scale)
{
    struct timespec time = {0};
    kernel(SYS_clock_gettime, which, (long)&time, 0, 0, 0);
    return (long long)time.tv_sec * scale + (scale > 1 ? time.tv_nsec / (1000000000L / scale) : 0);
}

static long long sys_now_ms(void) { return clock_at(CLOCK_MONOTONIC, 1000); }
static long long sys_wall_s(void) { return clock_at(CLOCK_REALTIME, 1); }
static long long sys_boot_s(void) { return clock_at(CLOCK_BOOTTIME, 1); }

static int sys_is_terminal(int fd)
{
    char settings[256];
    return kernel(SYS_ioctl, fd, TCGETS, (long)settings, 0, 0) == 0;
}

static long sys_own_path(char *to, size_t size)
{
    return kernel(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)to, (long)size, 0);
}

static long sys_link(const char *path, char *to, size_t size)
{
    return kernel(SYS_readlinkat, AT_FDCWD, (long)path, (long)to, (long)size, 0);
}

/* As the kernel reads it; both architectures have the restorer. */
struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

static void sys_handle(int signal, void (*handler)(int))
{
    struct kernel_action action = {.handler = handler};
    kernel(SYS_rt_sigaction, signal, (long)&action, 0, sizeof action.mask, 0);
}

static void sys_unblock_signals(void)
{
    unsigned long none = 0;
    kernel(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof none, 0);
}

_Noreturn static void sys_exit(int code)
{
    for (;;) kernel(SYS_exit_group, code, 0, 0, 0, 0);
}

static int run(int argc, char **argv, char **envp);

_Noreturn __attribute__((used)) void first(long *stack)
{
    char **argv = (char **)(stack + 1);
    sys_exit(run((int)stack[0], argv, argv + stack[0] + 1));
}
