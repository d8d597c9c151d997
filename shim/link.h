/* The call on the daemon's socket: the frame goes out, heartbeats and one answer come back. */

#define ANSWER_HEAD 13

struct answer {
    int code;
    const char *out, *err;
    size_t out_size, err_size;
};

SPACE(received, 8192, ANSWER_HEAD + PAYLOAD_MAX);

static const char HUNG[] = "the daemon is silent";
static const char CLOSED[] = "the daemon closed the connection";
static const char CUT[] = "the daemon's answer was cut short";
static const char NO_ROOM[] = "there is not enough memory for the daemon's answer";
static const char OTHER_HOME[] = "the daemon at its socket serves another home";
static const char MORE[] = "the daemon's answer goes on";
static const char STRANGE[] = "the daemon's answer was not understood";

/* A connected descriptor above 2, or a negative errno; -EPERM when somebody else listens there. */
static long connect_to(const char *path)
{
    struct sockaddr_un where = {.sun_family = AF_UNIX};
    memcpy(where.sun_path, path, strlen(path) + 1);
    long fd = sys_socket();
    if (fd >= 0 && fd < 3) { /* whoever called us closed a standard descriptor: leave its number free */
        long high = sys_above((int)fd, 3);
        sys_close((int)fd);
        fd = high;
    }
    if (fd < 0) return fd;
    long failed;
    do failed = sys_connect((int)fd, &where);
    while (failed == -EINTR);
    if (failed == 0 && sys_peer_uid((int)fd) != sys_getuid()) failed = -EPERM;
    if (failed == 0) return fd;
    sys_close((int)fd);
    return failed;
}

/* Sends it all, or as much as the daemon takes: it may answer at the length and read no further. */
static const char *send_frame(int fd, const char *from, size_t size)
{
    while (size > 0) {
        long wrote = sys_write(fd, from, size);
        if (wrote == -EINTR) continue;
        if (wrote == -EAGAIN) {
            if (sys_poll(fd, POLLOUT, SILENCE_MS) == 0) return HUNG;
            continue;
        }
        if (wrote <= 0) return NULL;
        from += wrote;
        size -= (size_t)wrote;
    }
    return NULL;
}

static size_t u32_at(const char *from)
{
    const unsigned char *byte = (const unsigned char *)from;
    return (size_t)byte[0] | (size_t)byte[1] << 8 | (size_t)byte[2] << 16 | (size_t)byte[3] << 24;
}

/* Reads `size` received bytes: nothing = a whole answer, MORE = it goes on, else what is wrong with it. */
static const char *parse_answer(size_t size, struct answer *to)
{
    static const char magic[] = "ILR1", other[] = "ILH1";
    if (size >= 4 && memcmp(received.at, other, 4) == 0) return OTHER_HOME;
    if (size >= 4 && memcmp(received.at, magic, 4) != 0) return STRANGE;
    if (size < ANSWER_HEAD) return memcmp(received.at, magic, size < 2 ? size : 2) == 0 ? MORE : STRANGE;
    to->code = (unsigned char)received.at[4];
    to->out_size = u32_at(received.at + 5);
    to->err_size = u32_at(received.at + 9);
    if (to->out_size > PAYLOAD_MAX || to->err_size > PAYLOAD_MAX - to->out_size) return STRANGE;
    size_t whole = ANSWER_HEAD + to->out_size + to->err_size;
    if (widen(&received, whole) < 0) return NO_ROOM;
    to->out = received.at + ANSWER_HEAD;
    to->err = to->out + to->out_size;
    return size < whole ? MORE : size == whole ? NULL : STRANGE;
}

/* A heartbeat is one `.`; they come only before the answer. */
static size_t beats(const char *from, size_t size)
{
    size_t count = 0;
    while (count < size && from[count] == '.') count++;
    return count;
}

/* Gives what went wrong, or nothing; `heard` tells whether the daemon sent anything at all. */
static const char *receive(int fd, struct answer *to, int *heard)
{
    size_t size = 0;
    for (long long end = sys_now_ms() + CEILING_MS; sys_now_ms() < end;) {
        long ready = sys_poll(fd, POLLIN, SILENCE_MS);
        if (ready == 0) return HUNG;
        /* There is always room: a head that has come makes it for the whole, and a full buffer parses. */
        long got = ready < 0 ? ready : sys_read(fd, received.at + size, received.room - size);
        if (got == -EINTR || got == -EAGAIN) continue;
        if (got <= 0) return size > 0 ? CUT : CLOSED;
        *heard = 1;
        size_t fresh = (size_t)got, skipped = size == 0 ? beats(received.at, fresh) : 0;
        if (skipped > 0) memmove(received.at, received.at + skipped, fresh - skipped);
        size += fresh - skipped;
        const char *found = parse_answer(size, to);
        if (found != MORE) return found;
    }
    return "the daemon found no decision in time";
}
