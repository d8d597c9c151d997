/*
 * interlock-hook: what a coding agent runs at every hook. It carries the event to the daemon and the answer back,
 * starts the daemon when it is absent, and answers by a fixed table when no decision can be had.
 *
 * One translation unit, no heap, little static memory. With INTERLOCK_BARE (Linux on x86-64 and aarch64) also no C library: starting one
 * costs more than everything else done here. Calls give a result or a negative errno on every platform.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef INTERLOCK_VERSION
#define INTERLOCK_VERSION "unknown"
#endif
#ifndef SILENCE_MS
#define SILENCE_MS 1000 /* without a heartbeat the daemon counts as hung */
#endif
#ifndef START_MS
#define START_MS 5000 /* for the daemon to come up */
#endif
#ifndef WARM_MS
#define WARM_MS 10000 /* the same at SessionStart, where nobody waits for a tool */
#endif
#define PAUSED_MS 1000     /* the same during a pause, which says that it does not come up */
#define CEILING_MS 590000  /* ends before the longest wait a host grants */
#define STDIN_MS 30000     /* a host that writes no byte for so long has gone */
#define DRAIN_MAX (1LL << 30)
#define PAYLOAD_MAX (16u << 20)
#define HEADER_MAX 4096
#define FRAME_HEAD 12
#define PASSED_ON                                                                                       \
    {"INTERLOCK_ACTOR", "AGENT_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR", "AI_AGENT", "TMUX", \
     "TMUX_PANE"}

#ifdef INTERLOCK_BARE
#include "bare.h"
#else
#include "hosted.h"
#endif
#include "text.h"
#include "memory.h"
#include "event_name.h"
#include "launch.h"
#include "starter.h"
#include "link.h"
#include "person.h"
#include "pause.h"
#include "table.h"

struct call {
    const char *host;
    size_t payload_at, kept;
    long long payload_size;   /* as the host wrote it, also what was too much to keep */
    const char *wrong, *next; /* what is wrong with the call itself, and what to do about it */
    int starved;              /* there was no memory for it */
    char event[NAME_ROOM];
};

/* Head, header and payload, sent in one piece. */
SPACE(frame, 20480, FRAME_HEAD + HEADER_MAX + PAYLOAD_MAX + 1);
static struct launch launch;

static const char STATUS[] = "run `interlock daemon status`";

static void put_field(struct text *to, const char *prefix, const char *name, const char *value)
{
    put(to, prefix);
    put(to, name);
    put(to, "=");
    put_bytes(to, value, strlen(value) + 1);
}

static const char *variable(char **envp, const char *name)
{
    size_t size = strlen(name);
    for (; *envp != NULL; envp++)
        if (begins(*envp, name) && (*envp)[size] == '=') return *envp + size + 1;
    return NULL;
}

static void put_u32(char *to, size_t number)
{
    for (int i = 0; i < 4; i++) to[i] = (char)(number >> 8 * i & 0xff);
}

/* Whose call it is: a daemon of another home, or of other policies, must not answer it. */
static void put_home(struct text *to)
{
    static const char config[] = "--user-config=", managed[] = "--managed-config=";
    if (!launch.usable) return;
    put_field(to, "", "state", launch.state);
    for (char **word = launch.argv; *word != NULL; word++) {
        if (begins(*word, config)) put_field(to, "", "config", *word + sizeof config - 1);
        if (begins(*word, managed)) put_field(to, "", "managed", *word + sizeof managed - 1);
    }
}

static void write_header(struct call *call, char **envp)
{
    static const char *const names[] = PASSED_ON;
    struct text header = {.at = frame.at + FRAME_HEAD, .size = 0, .room = HEADER_MAX, .cut = 0};
    put_field(&header, "", "host", call->host);
    put_field(&header, "", "shim", INTERLOCK_VERSION);
    put_home(&header);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = variable(envp, names[i]);
        if (value != NULL) put_field(&header, "env.", names[i], value);
    }
    /* Leaving one out could change who acts, so a header that does not fit is not sent. */
    if (header.cut) {
        call->wrong = "the variables that go with it are longer than 4 KiB";
        call->next = "shorten INTERLOCK_ACTOR, AGENT_ID, TMUX, or the path of the project or of the home";
    }
    memcpy(frame.at, "ILK1", 4);
    put_u32(frame.at + 4, header.size);
    call->payload_at = FRAME_HEAD + header.size;
}

static long read_some(char *to, size_t room)
{
    for (;;) {
        if (sys_poll(0, POLLIN, STDIN_MS) == 0) return -ETIMEDOUT;
        long got = sys_read(0, to, room);
        if (got != -EINTR && got != -EAGAIN) return got;
    }
}

/* What cannot be kept is counted and dropped, so that the host can finish writing. */
static void refuse_size(struct call *call)
{
    TEXT(wrong, 96);
    for (long got = 1; got > 0 && call->payload_size < DRAIN_MAX; call->payload_size += got > 0 ? got : 0)
        got = read_some(received.at, received.room);
    put(&wrong, "its input of ");
    put_number(&wrong, call->payload_size);
    put(&wrong, call->starved ? " bytes does not fit into the memory there is" : " bytes is larger than 16 MiB");
    call->wrong = as_string(&wrong);
    call->next = call->starved ? "raise the agent's memory limits (ulimit -v, ulimit -d)" : "do it in smaller pieces";
}

/* Takes all of standard input. */
static void read_payload(struct call *call)
{
    long got = 0;
    while (call->kept <= PAYLOAD_MAX) {
        size_t end = call->payload_at + call->kept;
        call->starved = end == frame.room && widen(&frame, end + 1) < 0;
        if (call->starved) break;
        got = read_some(frame.at + end, frame.room - end);
        if (got <= 0) break;
        call->kept += (size_t)got;
    }
    call->payload_size = (long long)call->kept;
    put_u32(frame.at + 8, call->kept);
    if (call->starved || call->kept > PAYLOAD_MAX) {
        refuse_size(call);
    } else if (got < 0) {
        call->wrong = "its input could not be read to the end";
        call->next = "try it again";
    }
}

static const char *name_of(struct call *call)
{
    int cut_short = call->starved || call->kept > PAYLOAD_MAX;
    event_name(frame.at + call->payload_at, call->kept, cut_short, call->event);
    return call->event;
}

static int start_wait(struct call *call)
{
    if (paused(&launch)) return PAUSED_MS;
    return same(name_of(call), "SessionStart") ? WARM_MS : START_MS;
}

/* How far we are with a daemon that is not there. */
struct start {
    int lock, done, wait;
    long long since;
};

static int blame(struct trouble *trouble, const char *what, const char *about)
{
    trouble->what = what;
    trouble->about = about;
    return -1;
}

/* One step: the lock, a second look by whoever has it, the start. Gives 0 to look again, or -1 and the trouble. */
static int advance(struct start *start, struct trouble *trouble)
{
    if (start->done || launch.argv[0] == NULL) return 0;
    if (start->lock < 0) {
        start->lock = (int)take_lock(launch.lock);
        if (start->lock >= 0 || start->lock == -EWOULDBLOCK) return 0;
        return blame(trouble, "its start lock cannot be taken", launch.lock);
    }
    start->done = 1;
    if (start_daemon(&launch) == 0) return 0;
    return blame(trouble, "the daemon's program cannot be run", launch.argv[0]);
}

/* A descriptor connected to the daemon, started if need be; or -1 and the trouble. */
static int reach(struct call *call, struct trouble *trouble)
{
    struct start start = {.lock = -1};
    for (int pace = 5;; pace = pace < 20 ? pace + 5 : pace) {
        long fd = connect_to(launch.socket);
        if (fd >= 0) {
            if (start.lock >= 0) sys_close(start.lock);
            return (int)fd;
        }
        int absent = fd == -ENOENT || fd == -ECONNREFUSED;
        if (fd == -EPERM) return blame(trouble, "its socket belongs to another user", launch.socket);
        if (!absent && fd != -EAGAIN) return blame(trouble, "its socket cannot be used", launch.socket);
        if (start.since == 0) {
            start.since = sys_now_ms();
            start.wait = absent ? start_wait(call) : SILENCE_MS;
        } else if (sys_now_ms() - start.since >= start.wait) {
            return blame(trouble, absent ? "the daemon does not come up" : "the daemon takes no more calls", NULL);
        }
        int had = start.lock >= 0;
        if (absent && advance(&start, trouble) < 0) return -1;
        if (had || start.lock < 0) sys_poll(-1, 0, pace); /* with the lock fresh in hand, look at once */
    }
}

/* Gives 1 and the answer, or 0 and the trouble. A daemon that goes before it said a word is asked for once more;
 * one that was killed may take a connection a moment longer, until all of it is gone. */
static int ask(struct call *call, struct answer *answer, struct trouble *trouble)
{
    for (int attempt = 0;; attempt++) {
        int heard = 0, fd = reach(call, trouble);
        if (fd < 0) return 0;
        trouble->what = send_frame(fd, frame.at, call->payload_at + call->kept);
        if (trouble->what == NULL) trouble->what = receive(fd, answer, &heard);
        sys_close(fd);
        if (trouble->what == NULL) return 1;
        if (trouble->what != CLOSED || heard || attempt > 1) return 0;
        sys_poll(-1, 0, attempt == 0 ? 5 : 100);
    }
}

static int deliver(struct call *call, const struct answer *answer)
{
    int lost = write_all(1, answer->out, answer->out_size) < 0;
    write_all(2, answer->err, answer->err_size);
    return lost && closes(name_of(call)) ? 2 : answer->code; /* half an answer would let the call pass */
}

static int hook(const char *host, char **envp)
{
    static struct call call;
    struct answer answer = {0};
    struct trouble trouble = {.next = STATUS, .pausable = 1};
    call.host = host;
    const char *unlaunched = read_launch(&launch);
    write_header(&call, envp);
    read_payload(&call);
    if (call.wrong != NULL) {
        trouble = (struct trouble){.what = call.wrong, .next = call.next, .pausable = 0, .starved = call.starved};
    } else if (unlaunched != NULL) {
        TEXT(what, 256);
        put(&what, "its launch file ");
        put(&what, unlaunched);
        trouble = (struct trouble){.what = as_string(&what), .next = "run `interlock install`", .pausable = 1};
        trouble.about = launch.path[0] != 0 ? launch.path : NULL;
        return fall_back(host, name_of(&call), &trouble, &launch);
    } else if (ask(&call, &answer, &trouble)) {
        return deliver(&call, &answer);
    }
    if (trouble.what == NO_ROOM) trouble.starved = 1;
    if (trouble.what == OTHER_HOME) {
        trouble.about = launch.socket;
        trouble.next = "run `interlock doctor`";
    }
    return fall_back(host, name_of(&call), &trouble, &launch);
}

static int usage(void)
{
    say(2, "interlock-hook: not understood; use: interlock-hook [--home DIR] [HOST], or interlock-hook --version "
           "(DIR is a full path)\n");
    return 2; /* to a host this is a refusal */
}

static int is_host(const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i < size; i++)
        if (!is_letter(word[i]) && !(word[i] >= '0' && word[i] <= '9') && (i == 0 || word[i] != '-')) return 0;
    return size > 0 && size <= 64;
}

static int command(const char *word, const char *time, char **envp)
{
    const char *wrong = read_launch(&launch);
    if (wrong == NULL) return same(word, "pause") ? pause_command(&launch, time, envp) : resume_command(&launch);
    TEXT(line, 1024);
    put(&line, "interlock-hook: the launch file ");
    put(&line, wrong);
    put(&line, " (");
    put_plain(&line, launch.path);
    put(&line, "); run `interlock install`, or name the home with --home\n");
    write_text(2, &line);
    return 1;
}

static int run(int argc, char **argv, char **envp)
{
    const char *words[2] = {"claude-code", NULL};
    int given = 0;
    sys_handle(SIGPIPE, SIG_IGN);
    sys_handle(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to handle, not our end */
    if (argc == 2 && same(argv[1], "--version")) {
        say(1, "interlock-hook " INTERLOCK_VERSION "\n");
        return 0;
    }
    for (int i = 1; i < argc; i++) {
        if (same(argv[i], "--home") && i + 1 < argc) launch.home = argv[++i];
        else if (begins(argv[i], "--home=")) launch.home = argv[i] + strlen("--home=");
        else if (begins(argv[i], "--token=")) continue; /* only makes the host's entry unlike any other */
        else if (argv[i][0] == '-' || given == 2) return usage();
        else words[given++] = argv[i];
    }
    /* A relative home would be looked up in whichever project the agent is in. */
    if (launch.home != NULL && launch.home[0] != '/') return usage();
    if (same(words[0], "pause") ? words[1] != NULL : same(words[0], "resume") && words[1] == NULL)
        return command(words[0], words[1], envp);
    if (words[1] != NULL || same(words[0], "pause") || !is_host(words[0])) return usage();
    return hook(words[0], envp);
}
