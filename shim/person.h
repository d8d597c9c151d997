/* Is whoever runs us a person? By what the system knows of processes; src/interlock/daemon/caller_kind.py says the same. */

#define LINE_MAX_PROCESSES 256

enum standing { PERSON, UNKNOWN, AGENT };

struct process {
    long long pid, parent;
    unsigned long long began;
    int starter; /* being below it says nothing about who wanted something */
};

static const char *state_path(const struct launch *launch, const char *name, struct text *to)
{
    put(to, launch->state);
    put(to, "/");
    put(to, name);
    return as_string(to);
}

/* A number at the start of `text`, or -1; `rest` is what follows it. */
static long long leading_number(const char *text, const char **rest)
{
    long long number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (number > 1000000000000LL) return -1;
        number = number * 10 + (*at - '0');
    }
    *rest = at;
    return at == text ? -1 : number;
}

#ifdef __linux__

/* These adopt processes that lost their parent, or start programs for anybody; caller_kind.py lists the same. */
static const char *const starters[] = {
    "systemd",         "init",           "launchd",         "upstart",      "runsvdir",  "s6-svscan",
    "s6-supervise",    "supervisord",    "tini",            "docker-init",  "dumb-init", "catatonit",
    "conmon",          "containerd-shim", "SessionLeader",  "gnome-session-b", "plasma_session",
    "lxqt-session",    "dbus-daemon",    "dbus-broker-lau", "cron",         "crond",     "anacron",
    "atd",             "fcron",
};

/* The start of a file as a string; its length, or a negative errno. */
static long read_start(const char *path, char *to, size_t room)
{
    int fd = (int)sys_open(path, O_RDONLY | O_NOFOLLOW);
    if (fd < 0) return fd;
    long size = read_file(fd, to, room - 1);
    sys_close(fd);
    to[size < 0 ? 0 : size] = 0;
    return size;
}

static long read_of(long long pid, const char *file, char *to, size_t room)
{
    TEXT(path, 64);
    put(&path, "/proc/");
    put_number(&path, pid);
    put(&path, file);
    return as_string(&path) == NULL ? -ENAMETOOLONG : read_start(path.at, to, room);
}

static int is_starter(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
        if (strlen(starters[i]) == size && memcmp(starters[i], name, size) == 0) return 1;
    return 0;
}

/* Fills `to`; gives 0 when there is no such process. */
static int look_up(long long pid, struct process *to)
{
    char stat[1024];
    long size = read_of(pid, "/stat", stat, sizeof stat);
    if (size <= 0) return 0;
    /* The name may hold anything, also blanks and brackets: it ends at the last one. */
    size_t open = 0, end = (size_t)size;
    while (stat[open] != '(' && stat[open] != 0) open++;
    while (end > open && stat[end] != ')') end--;
    if (end == open) return 0;
    to->pid = pid;
    to->starter = pid == 1 || is_starter(stat + open + 1, end - open - 1);
    const char *at = stat + end + 1;
    int field = 0;
    for (; *at == ' '; field++) {
        const char *next = ++at;
        long long number = leading_number(at, &next);
        if (field == 1) to->parent = number;
        if (field == 19) {
            to->began = (unsigned long long)number;
            return number >= 0;
        }
        while (*at != 0 && *at != ' ') at++;
    }
    return 0;
}

/* This process and its ancestors, the nearest first; 0 if one of them is unknown. */
static int line_above(struct process *line)
{
    long long pid = sys_getpid();
    for (int count = 0; count < LINE_MAX_PROCESSES; pid = line[count++].parent) {
        if (!look_up(pid, &line[count])) return pid == 1 ? count : 0;
        /* A reused number makes a parent that is younger than its child. */
        if (count > 0 && line[count].began > line[count - 1].began) return 0;
        if (line[count].parent == 0) return count + 1;
    }
    return 0;
}

static int is_roots(long long pid)
{
    char status[1024];
    static const char real[] = "\nUid:\t0\t";
    long size = read_of(pid, "/status", status, sizeof status);
    for (long i = 0; i + (long)sizeof real - 1 <= size; i++)
        if (begins(status + i, real)) return 1;
    return 0;
}

/* Whether a person is behind this line while the first living agent began then. */
static int from_a_person(const struct process *line, int count, long long adopter, unsigned long long first)
{
    int below = 0, roots = 0;
    while (below < count && !line[below].starter && line[below].pid != adopter) below++;
    if (below == 0) return 0;
    const struct process *top = &line[below - 1];
    if (top->began < first || top->parent == 0) return 1;
    for (int i = 0; i < below && sys_getuid() != 0; i++) roots |= is_roots(line[i].pid);
    return roots;
}

/* The namespaces of our process numbers and times, in the daemon's format. */
static void put_namespaces(struct text *to)
{
    static const char *const links[] = {"/proc/self/ns/pid", "/proc/self/ns/time"};
    char found[64];
    for (size_t i = 0; i < 2; i++) {
        long size = sys_link(links[i], found, sizeof found);
        if (i > 0) put(to, ",");
        if (size > 0) put_bytes(to, found, (size_t)size);
    }
}

/* Compares one line of the file, `PID BOOT/TICKS SESSION`, with the running processes. */
static void compare_agent(const char *text, const char *boot, const struct process *line, int count, struct process *first,
                 enum standing *found)
{
    struct process one;
    const char *rest = text;
    long long pid = leading_number(text, &rest);
    size_t size = strlen(boot);
    if (pid <= 0 || *rest != ' ' || !begins(rest + 1, boot) || rest[1 + size] != '/') return;
    long long began = leading_number(rest + 2 + size, &rest);
    if (began < 0 || !look_up(pid, &one) || one.began != (unsigned long long)began) return;
    if (*found == PERSON) *found = UNKNOWN;
    if (first->pid == 0 || one.began < first->began) *first = one;
    for (int i = 0; i < count; i++)
        if (line[i].pid == pid) *found = AGENT;
}

/* Reads the file line by line; only the start of a line matters, since sessions may have long names. */
static enum standing compare_agents(int fd, const char *header, const struct process *line, int count)
{
    char piece[512], text[160], boot[64];
    enum standing found = PERSON;
    struct process first = {0};
    long long adopter = 0;
    size_t size = 0;
    int lines = 0;
    long got = read_start("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    if (got < 36) return UNKNOWN;
    boot[36] = 0;
    while ((got = read_file(fd, piece, sizeof piece)) > 0)
        for (long i = 0; i < got; i++) {
            if (piece[i] != '\n') {
                if (size < sizeof text - 1) text[size++] = piece[i];
                continue;
            }
            text[size] = 0;
            size = 0;
            if (lines++ > 0) compare_agent(text, boot, line, count, &first, &found);
            else if (!begins(text, header)) return UNKNOWN; /* of another version, or counted elsewhere */
            else adopter = leading_number(text + strlen(header), &(const char *){NULL});
        }
    if (got < 0 || lines == 0) return UNKNOWN;
    return found == UNKNOWN && count > 0 && from_a_person(line, count, adopter, first.began) ? PERSON : found;
}

static enum standing standing_by_file(int fd)
{
    struct process line[LINE_MAX_PROCESSES];
    TEXT(header, 256);
    put(&header, "interlock-agents 1 ");
    put_namespaces(&header);
    put(&header, " ");
    return as_string(&header) == NULL ? UNKNOWN : compare_agents(fd, header.at, line, line_above(line));
}

#else

/* Without /proc: a person only if none of those numbers is in use. */
static enum standing standing_by_file(int fd)
{
    char one = 0, last = '\n';
    long long pid = 0;
    int number = 0, lines = 0;
    for (; sys_read(fd, &one, 1) == 1; last = one) {
        if (last == '\n') {
            pid = 0;
            number = lines++ > 0;
        }
        if (number && one >= '0' && one <= '9' && pid < 100000000) {
            pid = pid * 10 + (one - '0');
        } else if (number) {
            number = 0;
            if (pid > 0 && sys_runs(pid)) return UNKNOWN;
        }
    }
    return PERSON;
}

#endif

/* Whose process this is, by the file of agents that the daemon writes; the daemon need not run. */
static enum standing standing(const struct launch *launch)
{
    TEXT(path, 4200);
    const char *name = state_path(launch, "agents", &path);
    int fd = name == NULL ? -ENAMETOOLONG : (int)sys_open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return fd == -ENOENT ? PERSON : UNKNOWN;
    enum standing found = standing_by_file(fd);
    sys_close(fd);
    return found;
}
