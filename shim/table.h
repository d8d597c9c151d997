/* The answer when no decision can be had: closed before an action, open after it, and every open pass leaves a line. */

struct trouble {
    const char *what;   /* what is wrong, in a few words */
    const char *about;  /* the path or program it is wrong with, or none */
    const char *next;   /* the next step */
    int pausable;       /* a pause lets the call pass */
    int starved;        /* there is no memory to go on with: refused by the exit code alone */
};

static int closes(const char *event) { return same(event, "PreToolUse") || same(event, "PermissionRequest"); }

/* The daemon leaves a mark where a hook judges prompts: there, one that cannot be judged is held back. */
static int prompts_are_judged(const struct launch *launch)
{
    TEXT(path, 4200);
    const char *name = launch->usable ? state_path(launch, "prompts-judged", &path) : NULL;
    int fd = name == NULL ? -1 : (int)sys_open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return 0;
    sys_close(fd);
    return 1;
}

static int held_back(const char *event, const struct launch *launch)
{
    if (closes(event)) return 1;
    int prompt = same(event, "UserPromptSubmit") || same(event, "UserPromptExpansion");
    return prompt && prompts_are_judged(launch);
}

static void put_reason(struct text *to, const struct trouble *trouble)
{
    put(to, trouble->pausable ? "Interlock cannot be reached (" : "Interlock cannot judge this call (");
    put(to, trouble->what);
    if (trouble->about != NULL) {
        put(to, ": ");
        put_plain(to, trouble->about);
    }
    put(to, "): ");
    put(to, trouble->next);
}

/* One line for the daemon to record at its next start: time, process, event, `passed`, `paused` or `refused`, why. */
static void note_gap(const struct launch *launch, const char *event, const char *outcome, const struct trouble *trouble)
{
    TEXT(path, 4200);
    TEXT(line, 512);
    const char *name = launch->usable ? state_path(launch, "gaps", &path) : NULL;
    if (name == NULL) return;
    put_number(&line, sys_wall_s());
    put(&line, " ");
    put_number(&line, sys_getpid());
    put(&line, " ");
    put(&line, event[0] != 0 ? event : "-");
    put(&line, " ");
    put(&line, outcome);
    put(&line, ": ");
    put(&line, trouble->what);
    put(&line, "\n");
    sys_mkdir(launch->state);
    int fd = (int)sys_open(name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return;
    write_text(fd, &line);
    sys_close(fd);
}

/* In words the host takes for a refusal; exit code 2 where it knows no others. */
static int refuse(const char *host, const char *event, const struct text *reason, int plainly)
{
    TEXT(out, 4096);
    if (same(host, "claude-code") && closes(event) && !plainly) {
        put(&out, "{\"hookSpecificOutput\":{\"hookEventName\":\"");
        put(&out, event);
        put(&out, same(event, "PreToolUse") ? "\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\""
                                            : "\",\"decision\":{\"behavior\":\"deny\",\"message\":\"");
        put_bytes(&out, reason->at, reason->size);
        put(&out, same(event, "PreToolUse") ? "\"}}" : "\"}}}");
        if (!out.cut && write_text(1, &out) == 0) return 0;
    }
    write_text(2, reason);
    say(2, "\n");
    return 2;
}

static int fall_back(const char *host, const char *event, const struct trouble *trouble, const struct launch *launch)
{
    TEXT(reason, 2048);
    if (trouble->pausable && paused(launch)) {
        note_gap(launch, event, "paused", trouble);
        return 0;
    }
    if (same(host, "claude-code") && event[0] != 0 && !held_back(event, launch)) {
        note_gap(launch, event, "passed", trouble);
        return 0;
    }
    if (!trouble->pausable) note_gap(launch, event, "refused", trouble);
    put_reason(&reason, trouble);
    return refuse(host, event, &reason, trouble->starved);
}
