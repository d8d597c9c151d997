/* The launch file: where the daemon listens, where state is kept, and how the daemon is started. */

#define LAUNCH_MAX 65537 /* with the NUL behind it */
#define ARGS_ROOM 64
#define ENV_ROOM 32

struct launch {
    char path[4096 + 32];
    const char *home; /* as given by --home, or none */
    const char *socket, *state, *lock;
    char *argv[ARGS_ROOM + 1];
    char *envp[ENV_ROOM + 2];
    int usable;
};

SPACE(launch_space, 8192, LAUNCH_MAX); /* what the file says, cut into strings */

/* Ours or the system's, and nobody else's to write: what it names is run. */
static int trustworthy(int fd)
{
    struct stat found;
    if (sys_fstat(fd, &found) < 0 || !S_ISREG(found.st_mode)) return 0;
    return (found.st_uid == (uid_t)sys_getuid() || found.st_uid == 0) && (found.st_mode & 022) == 0;
}

/* The whole file, as far as there is room for it. */
static long read_file(int fd, char *to, size_t room)
{
    size_t size = 0;
    while (size < room) {
        long got = sys_read(fd, to + size, room - size);
        if (got == -EINTR) continue;
        if (got < 0) return got;
        if (got == 0) break;
        size += (size_t)got;
    }
    return (long)size;
}

/* The next line as a string of its own, or none at the end. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (*line == 0) return NULL;
    while (**rest != 0 && **rest != '\n') (*rest)++;
    if (**rest == '\n') *(*rest)++ = 0;
    return line;
}

static const char *absolute(char **rest)
{
    const char *line = next_line(rest);
    return line != NULL && line[0] == '/' ? line : NULL;
}

static const char *parse_launch(struct launch *to)
{
    static char path[] = "PATH=/usr/bin:/bin";
    size_t args = 0, vars = 0;
    char *rest = launch_space.at, *line = next_line(&rest);
    if (line == NULL || !same(line, "interlock-launch 1")) return "is another version";
    to->socket = absolute(&rest);
    to->state = absolute(&rest);
    to->lock = absolute(&rest);
    if (to->socket == NULL || to->state == NULL || to->lock == NULL) return "lacks a path";
    if (strlen(to->socket) >= sizeof((struct sockaddr_un *)0)->sun_path) return "names a socket with too long a path";
    to->envp[vars++] = path;
    while ((line = next_line(&rest)) != NULL) {
        if (args == 0 && begins(line, "env ")) {
            if (begins(line + 4, "PATH=")) {
                to->envp[0] = line + 4; /* in place of ours: of two, programs may take either */
                continue;
            }
            if (vars == ENV_ROOM + 1) return "has too many variables";
            to->envp[vars++] = line + 4;
        } else {
            if (args == ARGS_ROOM) return "has too many arguments";
            to->argv[args++] = line;
        }
    }
    if (args > 0 && to->argv[0][0] != '/') return "starts a program without its full path";
    return NULL;
}

/* The folder of a path, its slash included, into `to`. */
static void put_folder(struct text *to, const char *path, size_t size)
{
    while (size > 0 && path[size - 1] != '/') size--;
    put_bytes(to, path, size);
}

static const char *find_launch(struct launch *to)
{
    struct text path = {.at = to->path, .size = 0, .room = sizeof to->path, .cut = 0};
    if (to->home != NULL) {
        put(&path, to->home);
        put(&path, "/launch");
    } else {
        static char own[4096];
        long size = sys_own_path(own, sizeof own);
        if (size <= 0 || (size_t)size == sizeof own) return "cannot be looked for";
        put_folder(&path, own, (size_t)size);
        put(&path, "interlock-hook.launch");
    }
    return as_string(&path) == NULL ? "has too long a path" : NULL;
}

/* Reads it all, with a NUL behind it; gives what is wrong with the file, or nothing. */
static const char *read_text(int fd)
{
    size_t size = 0;
    for (;;) {
        long got = read_file(fd, launch_space.at + size, launch_space.room - 1 - size);
        if (got < 0) return "cannot be read";
        size += (size_t)got;
        if (size < launch_space.room - 1) break;
        if (launch_space.room == launch_space.most) return "is too long";
        if (widen(&launch_space, launch_space.room + 1) < 0) return "is longer than the memory there is";
    }
    launch_space.at[size] = 0;
    return strlen(launch_space.at) == size ? NULL : "is not text"; /* a NUL within */
}

/* Fills `to`; gives what is wrong with the file, or nothing. */
static const char *read_launch(struct launch *to)
{
    const char *wrong = find_launch(to);
    if (wrong != NULL) {
        to->path[0] = 0;
        return wrong;
    }
    int fd = (int)sys_open(to->path, O_RDONLY | O_NONBLOCK);
    if (fd < 0) return fd == -ENOENT ? "is missing" : "cannot be read";
    wrong = trustworthy(fd) ? read_text(fd) : "can be written by others";
    sys_close(fd);
    if (wrong == NULL) wrong = parse_launch(to);
    to->usable = wrong == NULL;
    return wrong;
}
