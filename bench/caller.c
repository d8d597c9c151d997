/*
 * Runs programs as a host does, in turn, and prints the microseconds of each run: one line per round, one column per
 * program. Beside them answers a peer that reads a call and says nothing but yes, so that only the shim is timed;
 * with `-` for its socket there is none. In the payload `@@@@@@@@` becomes a number of its own for every run, so that
 * no two calls are the same. A program after `+sync FILE` counts together with one 4 KB write and fdatasync to FILE.
 *
 * caller ROUNDS SOCKET|- PAYLOAD-FILE -- [+sync FILE] PROGRAM [ARG ...] -- PROGRAM ...
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAMS 8
#define MARK 8
#define MARKS 16
#define PAYLOAD 60000 /* fits a pipe, so that it is written before the program runs */

static size_t marks[MARKS], marked; /* where the numbers stand in the payload */

static void check(int good, const char *what)
{
    if (good) return;
    perror(what);
    exit(1);
}

static size_t at(const unsigned char *from)
{
    return (size_t)from[0] | (size_t)from[1] << 8 | (size_t)from[2] << 16 | (size_t)from[3] << 24;
}

static void answer_calls(int listener)
{
    static const char yes[] = "ILR1\0\2\0\0\0\0\0\0\0{}";
    static unsigned char call[1 << 20];
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        size_t size = 0;
        check(fd >= 0, "accept");
        while (size < 12 || size < 12 + at(call + 4) + at(call + 8)) {
            ssize_t got = read(fd, call + size, sizeof call - size);
            check(got > 0, "read");
            size += (size_t)got;
        }
        check(write(fd, yes, sizeof yes - 1) == sizeof yes - 1, "write");
        close(fd);
    }
}

static pid_t start_peer(const char *path)
{
    struct sockaddr_un where = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    check(strlen(path) < sizeof where.sun_path, "socket path");
    strcpy(where.sun_path, path);
    check(bind(listener, (struct sockaddr *)&where, sizeof where) == 0, "bind");
    check(listen(listener, 16) == 0, "listen");
    pid_t peer = fork();
    if (peer == 0) answer_calls(listener);
    close(listener);
    return peer;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void number_payload(char *payload, size_t size)
{
    static int number;
    char digits[16];
    snprintf(digits, sizeof digits, "%08d", number++ % 100000000);
    for (size_t i = 0; i + MARK <= size; i++)
        if (marked < MARKS && memcmp(payload + i, "@@@@@@@@", MARK) == 0) marks[marked++] = i, i += MARK - 1;
    for (size_t i = 0; i < marked; i++) memcpy(payload + marks[i], digits, MARK);
}

/* What a durable answer cannot do without: the smallest write that survives a power cut. */
static void sync_block(int file)
{
    static char block[4096];
    check(pwrite(file, block, sizeof block, 0) == sizeof block, "pwrite");
    check(fdatasync(file) == 0, "fdatasync");
}

static double run(char **argv, char *payload, size_t size)
{
    int file = -1;
    if (strcmp(argv[0], "+sync") == 0) {
        file = open(argv[1], O_WRONLY | O_CREAT, 0600);
        check(file >= 0, argv[1]);
        argv += 2;
    }
    number_payload(payload, size);
    static char *environment[] = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "CLAUDE_PROJECT_DIR=/nonexistent", NULL};
    int in[2], out[2], status;
    char said[256];
    posix_spawn_file_actions_t actions;
    pid_t child;
    check(pipe(in) == 0 && pipe(out) == 0, "pipe");
    for (int i = 0; i < 2; i++) {
        fcntl(in[i], F_SETFD, FD_CLOEXEC);
        fcntl(out[i], F_SETFD, FD_CLOEXEC);
    }
    check(write(in[1], payload, size) == (ssize_t)size, "payload");
    close(in[1]);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    double start = now();
    check(posix_spawn(&child, argv[0], &actions, NULL, argv, environment) == 0, argv[0]);
    close(out[1]);
    while (read(out[0], said, sizeof said) > 0) continue;
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, argv[0]);
    if (file >= 0) sync_block(file);
    double took = now() - start;
    if (file >= 0) close(file);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[0]);
    return took;
}

int main(int argc, char **argv)
{
    static char payload[PAYLOAD];
    char **programs[PROGRAMS];
    int count = 0;
    check(argc > 5, "usage: caller ROUNDS SOCKET PAYLOAD -- PROGRAM ...");
    FILE *file = fopen(argv[3], "rb");
    check(file != NULL, argv[3]);
    size_t size = fread(payload, 1, sizeof payload, file);
    fclose(file);
    for (int i = 4; i < argc; i++) {
        if (strcmp(argv[i], "--") != 0) continue;
        argv[i] = NULL;
        check(count < PROGRAMS && i + 1 < argc, "programs");
        programs[count++] = argv + i + 1;
    }
    pid_t peer = strcmp(argv[2], "-") == 0 ? 0 : start_peer(argv[2]);
    for (int round = 0, rounds = atoi(argv[1]); round < rounds; round++)
        for (int i = 0; i < count; i++)
            printf("%.1f%c", run(programs[i], payload, size), i + 1 < count ? ' ' : '\n');
    if (peer > 0) {
        kill(peer, SIGKILL);
        waitpid(peer, NULL, 0);
    }
    return 0;
}
