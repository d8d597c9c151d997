/*
 * Many clients of the daemon at once, in one process: each sends a call, waits for its answer and sends the next.
 *
 * clients SOCKET CLIENTS CALLS kept|fresh FRAME-FILE
 *
 * FRAME-FILE holds one whole call. In it `@@@@@@@@` becomes a number of its own for every call and `######` the number
 * of the client, so that no two calls are the same and each client is a session. Prints the seconds it took and the
 * p50 and p99 of one call in microseconds; ends with an error when an answer is missing or is not the one expected.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS 1024
#define FRAME 65536
#define ANSWER_HEAD 13

struct client {
    int fd;
    char frame[FRAME];
    double began;
};

static struct client clients[CLIENTS];
static struct sockaddr_un where = {.sun_family = AF_UNIX};
static size_t frame_size;
static long sent, answered, calls;
static int kept, poller;
static float *took;

static void check(int good, const char *what)
{
    if (good) return;
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void open_connection(struct client *client)
{
    client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check(client->fd >= 0, "socket");
    /* The queue may be full for a moment: the kernel says so at once. */
    while (connect(client->fd, (struct sockaddr *)&where, sizeof where) != 0) {
        check(errno == EAGAIN || errno == EINTR, "connect");
        usleep(100);
    }
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    check(epoll_ctl(poller, EPOLL_CTL_ADD, client->fd, &event) == 0, "epoll_ctl");
}

static void put_number(char *frame, const char *original, const char *mark, long number)
{
    char digits[32];
    size_t size = strlen(mark);
    snprintf(digits, sizeof digits, "%0*ld", (int)size, number);
    for (size_t i = 0; i + size <= frame_size; i++)
        if (memcmp(original + i, mark, size) == 0) memcpy(frame + i, digits + strlen(digits) - size, size);
}

static void send_call(struct client *client, const char *original)
{
    put_number(client->frame, original, "@@@@@@@@", sent++);
    client->began = now();
    check(write(client->fd, client->frame, frame_size) == (ssize_t)frame_size, "write");
}

/* Takes one answer: nothing printed and exit code 0, which is what the calls sent here get. */
static void take_answer(struct client *client)
{
    static const char expected[ANSWER_HEAD] = "ILR1";
    char said[4096];
    ssize_t got = read(client->fd, said, sizeof said);
    check(got == ANSWER_HEAD && memcmp(said, expected, ANSWER_HEAD) == 0, "not the answer expected");
    took[answered++] = (float)(now() - client->began);
}

static int by_size(const void *one, const void *other)
{
    float a = *(const float *)one, b = *(const float *)other;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    static char original[FRAME];
    check(argc == 6, "usage: clients SOCKET CLIENTS CALLS kept|fresh FRAME-FILE");
    int count = atoi(argv[2]);
    calls = atol(argv[3]);
    kept = strcmp(argv[4], "kept") == 0;
    check(count > 0 && count <= CLIENTS && calls >= count && strlen(argv[1]) < sizeof where.sun_path, "arguments");
    strcpy(where.sun_path, argv[1]);
    FILE *file = fopen(argv[5], "rb");
    check(file != NULL, argv[5]);
    frame_size = fread(original, 1, sizeof original, file);
    fclose(file);
    took = calloc((size_t)calls, sizeof *took);
    poller = epoll_create1(EPOLL_CLOEXEC);
    check(poller >= 0 && took != NULL, "epoll");
    double start = now();
    for (int i = 0; i < count; i++) {
        memcpy(clients[i].frame, original, frame_size);
        put_number(clients[i].frame, original, "######", i);
        open_connection(&clients[i]);
        send_call(&clients[i], original);
    }
    while (answered < calls) {
        struct epoll_event events[256];
        int ready = epoll_wait(poller, events, 256, 30000);
        check(ready > 0 || errno == EINTR, "no answer within 30 s");
        for (int i = 0; i < ready; i++) {
            struct client *client = events[i].data.ptr;
            take_answer(client);
            if (!kept) close(client->fd);
            if (sent >= calls) continue;
            if (!kept) open_connection(client);
            send_call(client, original);
        }
    }
    double passed = now() - start;
    qsort(took, (size_t)calls, sizeof *took, by_size);
    printf("%.6f %.1f %.1f\n", passed / 1e6, (double)took[calls / 2], (double)took[calls * 99 / 100]);
    return 0;
}
