/* The daemon's start: one winner holds the lock, and the daemon inherits nothing of whoever called us. */

/* The lock's descriptor, -EWOULDBLOCK while somebody else starts the daemon, or another negative errno. */
static long take_lock(const char *path)
{
    long fd = sys_open(path, O_RDWR | O_CREAT | O_NOFOLLOW);
    if (fd == -ENOENT) {
        static char folder_bytes[4096];
        struct text folder = {.at = folder_bytes, .size = 0, .room = sizeof folder_bytes, .cut = 0};
        put_folder(&folder, path, strlen(path));
        if (as_string(&folder) == NULL) return -ENAMETOOLONG;
        sys_mkdir(folder.at);
        fd = sys_open(path, O_RDWR | O_CREAT | O_NOFOLLOW);
    }
    if (fd < 0) return fd;
    long locked = sys_flock((int)fd, LOCK_EX | LOCK_NB);
    if (locked == 0) return fd;
    sys_close((int)fd);
    return locked;
}

/* Leaves descriptors 0 to 2 on /dev/null and `keep` as 3, and closes all others. */
static void drop_descriptors(int keep)
{
    int high = (int)sys_above(keep, 16); /* out of the way of what is replaced below */
    long opened = sys_open("/dev/null", O_RDWR);
    int null = (int)sys_above((int)opened, 16);
    for (int target = 0; target < 3; target++) sys_dup_to(null, target, 0);
    sys_dup_to(high, 3, O_CLOEXEC);
    if (sys_close_from(4) < 0)
        for (int other = 4; other < 65536; other++) sys_close(other);
}

/* In the daemon-to-be: never returns. */
_Noreturn static void become(const struct launch *launch, int failure)
{
    drop_descriptors(failure);
    sys_unblock_signals();
    for (int number = 1; number < 32; number++)
        if (number != SIGKILL && number != SIGSTOP) sys_handle(number, SIG_DFL);
    sys_umask(077);
    sys_chdir("/");
    char code = (char)-sys_exec(launch->argv, launch->envp);
    write_all(3, &code, 1);
    sys_exit(127);
}

/* Starts the daemon, twice forked so that it is nobody's child; gives 0 or the errno that kept it from running. */
static int start_daemon(const struct launch *launch)
{
    int ends[2];
    char code = 0;
    long failed = sys_pipe(ends);
    if (failed < 0) return (int)-failed;
    long child = sys_fork();
    if (child == 0) {
        sys_setsid();
        if (sys_fork() != 0) sys_exit(0);
        become(launch, ends[1]);
    }
    sys_close(ends[1]);
    if (child > 0) {
        while (sys_wait(child) == -EINTR) continue;
        /* The pipe closes when the program runs, or carries why it does not. */
        if (sys_poll(ends[0], POLLIN, START_MS) <= 0 || sys_read(ends[0], &code, 1) != 1) code = 0;
    }
    sys_close(ends[0]);
    return child < 0 ? (int)-child : code;
}
