/* The pause: a person, at a terminal, lets calls pass for a while when the daemon cannot be reached. */

#define PAUSE_MAX_S (8 * 3600)

static int ends_soon(long long end, long long now) { return end > now && end <= now + PAUSE_MAX_S; }

/* Whether a pause is in force: written by us for us alone, and ending soon enough to have been one of ours. */
static int paused(const struct launch *launch)
{
    TEXT(path, 4200);
    char content[32];
    struct stat found;
    const char *name = launch->usable ? state_path(launch, "pause", &path) : NULL;
    if (name == NULL) return 0;
    int fd = (int)sys_open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return 0;
    int good = sys_fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
               found.st_uid == (uid_t)sys_getuid() && (found.st_mode & 022) == 0;
    long size = good ? read_file(fd, content, sizeof content - 1) : -1;
    sys_close(fd);
    if (size <= 0) return 0;
    content[size] = 0;
    const char *rest = content;
    /* By the clock on the wall and by the time that has passed: the one can be put back, the other starts anew. */
    if (!ends_soon(leading_number(content, &rest), sys_wall_s()) || *rest != ' ') return 0;
    return ends_soon(leading_number(rest + 1, &rest), sys_boot_s()) && same(rest, "\n");
}

/* Seconds of `15m`, `90s` or `1h`, or -1; `unit` is the word for what was counted. */
static long long duration(const char *text, const char **unit)
{
    const char *rest = text;
    long long number = leading_number(text, &rest);
    long long scale = same(rest, "s") ? 1 : same(rest, "m") ? 60 : same(rest, "h") ? 3600 : 0;
    *unit = scale == 1 ? "second" : scale == 60 ? "minute" : "hour";
    return scale == 0 || number < 1 || number > PAUSE_MAX_S / scale ? -1 : number * scale;
}

static void put_duration(struct text *to, const char *text, const char *unit)
{
    const char *rest;
    long long number = leading_number(text, &rest);
    put_number(to, number);
    put(to, " ");
    put(to, unit);
    if (number != 1) put(to, "s");
}

/* What agents set for the programs they start; src/interlock/cli/people_only.py lists the same. */
static const char *const agent_marks[] = {
    "AI_AGENT",       "CLAUDECODE",         "CLAUDE_CODE_ENTRYPOINT",         "CLAUDE_CODE_SESSION_ID",
    "CODEX_SANDBOX",  "CODEX_THREAD_ID",    "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI",
    "CURSOR_AGENT",   "GEMINI_CLI",         "QWEN_CODE",                      "OPENCODE",
    "CRUSH",          "CLINE_ACTIVE",       "COPILOT_AGENT",                  "COPILOT_CLI",
    "DROID_PROJECT_DIR", "FACTORY_PROJECT_DIR", "CLAUDE_PROJECT_DIR",         "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",  "CRUSH_PROJECT_DIR",
};

/* Whether an agent started us, by what it leaves in the environment. */
static int by_agent(char **envp)
{
    for (; *envp != NULL; envp++)
        for (size_t i = 0; i < sizeof agent_marks / sizeof *agent_marks; i++) {
            size_t size = strlen(agent_marks[i]);
            if (begins(*envp, agent_marks[i]) && (*envp)[size] == '=' && (*envp)[size + 1] != 0) return 1;
        }
    return 0;
}

/* Whether people set a passphrase, which only the Python side can check. */
static int has_passphrase(const struct launch *launch)
{
    TEXT(path, 4200);
    const char *name = state_path(launch, "passphrase", &path);
    int fd = name == NULL ? -1 : (int)sys_open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return name == NULL || fd != -ENOENT;
    sys_close(fd);
    return 1;
}

/* Whether the person at the terminal typed yes; a pipe cannot. */
static int confirmed(const struct text *question)
{
    char typed[16];
    size_t size = 0;
    int fd = (int)sys_open("/dev/tty", O_RDWR | O_NOCTTY);
    if (fd < 0 || !sys_is_terminal(fd)) {
        say(2, "interlock-hook: a pause is confirmed on a terminal and there is none here; "
               "type the command in a terminal of your own\n");
        return 0;
    }
    write_text(fd, question);
    for (char one = 0; one != '\n';) {
        long got = sys_read(fd, &one, 1);
        if (got == -EINTR) continue;
        if (got != 1) break;
        if (one != '\n' && one != '\r' && size < sizeof typed) typed[size++] = one;
    }
    sys_close(fd);
    int yes = size == 3 && memcmp(typed, "yes", 3) == 0;
    if (!yes) say(2, "interlock-hook: not confirmed; nothing has changed\n");
    return yes;
}

static int write_pause(const struct launch *launch, long long seconds)
{
    TEXT(path, 4200);
    TEXT(fresh, 4200);
    TEXT(content, 32);
    const char *name = state_path(launch, "pause", &path);
    put(&fresh, launch->state);
    put(&fresh, "/pause.");
    put_number(&fresh, sys_getpid());
    put_number(&content, sys_wall_s() + seconds);
    put(&content, " ");
    put_number(&content, sys_boot_s() + seconds);
    put(&content, "\n");
    if (name == NULL || as_string(&fresh) == NULL) return -1;
    sys_mkdir(launch->state);
    sys_unlink(fresh.at); /* left by an earlier process of this number */
    int fd = (int)sys_open(fresh.at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (fd < 0) return -1;
    int failed = write_text(fd, &content) < 0 || sys_fsync(fd) < 0;
    sys_close(fd);
    if (!failed && sys_rename(fresh.at, name) == 0) return 0;
    sys_unlink(fresh.at);
    return -1;
}

static int pause_command(const struct launch *launch, const char *time, char **envp)
{
    const char *unit;
    long long seconds = duration(time, &unit);
    TEXT(question, 128);
    TEXT(done, 256);
    if (seconds < 0) {
        say(2, "interlock-hook: a pause is 1s to 8h long; write it like 15m, 90s or 1h\n");
        return 2;
    }
    if (by_agent(envp)) {
        say(2, "interlock-hook: a pause is for people and an agent started this; "
               "type the command in a terminal of your own\n");
        return 1;
    }
    enum standing found = standing(launch);
    if (found == AGENT) {
        say(2, "interlock-hook: a pause is for people and an agent started this; "
               "type the command in a terminal of your own\n");
        return 1;
    }
    if (found == UNKNOWN) {
        say(2, "interlock-hook: this cannot be told from what an agent started; use a terminal that was open "
               "before the agent, or `interlock pause`, which asks for your passphrase\n");
        return 1;
    }
    if (has_passphrase(launch)) {
        say(2, "interlock-hook: a passphrase is set; use `interlock pause`, which asks for it\n");
        return 1;
    }
    put(&question, "type yes to let calls run without a decision for ");
    put_duration(&question, time, unit);
    put(&question, ": ");
    if (!confirmed(&question)) return 1;
    if (write_pause(launch, seconds) < 0) {
        say(2, "interlock-hook: the pause could not be written; check the disk and the state folder\n");
        return 1;
    }
    put(&done, "while Interlock cannot be reached, calls run without a decision for ");
    put_duration(&done, time, unit);
    put(&done, "; `interlock-hook resume` ends it\n");
    return write_text(1, &done) < 0;
}

static int resume_command(const struct launch *launch)
{
    TEXT(path, 4200);
    const char *name = state_path(launch, "pause", &path);
    long failed = name == NULL ? -ENAMETOOLONG : sys_unlink(name);
    if (failed == 0) say(1, "the pause has ended\n");
    else if (failed == -ENOENT) say(1, "there was no pause\n");
    else say(2, "interlock-hook: the pause could not be removed; check the state folder\n");
    return failed != 0 && failed != -ENOENT;
}
