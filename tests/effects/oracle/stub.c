/* Two roles in one program. Started as `driver` it is the first process of the sandbox: it runs shell texts one
   after the other and reports which programs each of them started. Under any other name it is such a program: it
   notes how it was called and then does nothing, or becomes the real one. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOG "/oracle/log"
#define UNKNOWN "@unknown" /* stands in for every program that bash does not find */
#define SHELL_UNKNOWN "BASH_FUNC_command_not_found_handle%%=() { /usr/bin/" UNKNOWN " \"$@\"; }"

enum { FLOOD = 24 * 1024, RUN_MS = 2000, AFTER_MS = 250 };

/* ---- a program that a text starts -------------------------------------------------------------------------- */

/* Programs that run the command in their arguments: which short options take a value, which long ones do. */
struct wrapper {
    const char *name, *values, *long_values;
    int skip; /* operands before the command */
};
static const struct wrapper WRAPPERS[] = {
    {"sudo", "aCcDghpRrTtUu", " user group prompt chdir chroot host close-from role type other-user command-timeout ", 0},
    {"doas", "aCu", " ", 0},
    {"chroot", "", " ", 1},
    {"flock", "wEo", " timeout wait conflict-exit-code ", 1},
    {"time", "fo", " format output ", 0},
    {"strace", "eopPsSu", " trace output attach string-limit user ", 0},
    {"runuser", "ugG", " user group ", 0},
    {"caffeinate", "tw", " ", 0},
    {NULL, NULL, NULL, 0},
};

static void note(const char *exe, int argc, char **argv) {
    char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd)) cwd[0] = 0;
    size_t size = strlen(cwd) + strlen(exe) + 32;
    for (int i = 1; i < argc; i++) size += strlen(argv[i]) + 1;
    char *record = malloc(size), *end = record;
    if (!record) _exit(125);
    end += sprintf(end, "%d", argc - 1) + 1;
    end = stpcpy(end, cwd) + 1;
    end = stpcpy(end, exe) + 1;
    for (int i = 1; i < argc; i++) end = stpcpy(end, argv[i]) + 1;
    int fd = open(LOG, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0) _exit(125);
    if (write(fd, record, end - record) < 0) _exit(125);
    if (lseek(fd, 0, SEEK_END) > FLOOD) kill(-1, SIGKILL); /* a loop without end has shown all it does */
    close(fd);
    free(record);
}

static void become_shell(char **words) {
    static char text[1 << 17];
    for (; *words; words++) {
        strncat(text, *words, sizeof text - strlen(text) - 2);
        if (words[1]) strcat(text, " ");
    }
    char *call[] = {"sh", "-c", text, NULL};
    execv("/real/dash", call); /* not noted: no text names this shell */
    _exit(126);
}

static char **after_options(const struct wrapper *w, char **argv, int *shell) {
    char **at = argv + 1;
    for (; *at && (*at)[0] == '-' && (*at)[1]; at++) {
        if (!strcmp(*at, "--")) return at + 1;
        if (!strncmp(*at, "--", 2)) {
            char name[128];
            snprintf(name, sizeof name, " %s ", *at + 2);
            if (strstr(w->long_values, name) && at[1]) at++;
            if (!strcmp(*at, "--shell") || !strcmp(*at, "--login")) *shell = 1;
            continue;
        }
        for (char *letter = *at + 1; *letter; letter++) {
            if (strchr("si", *letter) && (!strcmp(w->name, "sudo") || !strcmp(w->name, "doas"))) *shell = 1;
            if (strchr("eklKvV", *letter) && !strcmp(w->name, "sudo")) _exit(0); /* runs no command */
            if (!strchr(w->values, *letter)) continue;
            if (!letter[1] && at[1]) at++;
            break;
        }
    }
    return at;
}

static void wrap(const struct wrapper *w, char **argv) {
    int shell = 0;
    char **at = after_options(w, argv, &shell);
    for (int i = 0; i < w->skip && *at; i++) at++;
    if (!strcmp(w->name, "sudo"))
        while (*at && strchr(*at, '=') && (*at)[0] != '=') putenv(*at++);
    if (!*at) _exit(0);
    if (shell) become_shell(at);
    if (!strcmp(w->name, "flock") && !strcmp(*at, "-c")) become_shell(at + 1);
    execvp(*at, at);
    _exit(127);
}

static int program(const char *exe, int argc, char **argv) {
    if (!strcmp(exe, UNKNOWN)) {
        if (argc > 1) note(argv[1], argc - 1, argv + 1);
        return 127;
    }
    note(exe, argc, argv);
    for (const struct wrapper *w = WRAPPERS; w->name; w++)
        if (!strcmp(w->name, exe)) wrap(w, argv);
    if (!strcmp(exe, "ssh") && argc > 2 && argv[1][0] != '-') become_shell(argv + 2);
    if (!strcmp(exe, "watch") && argc > 1 && argv[1][0] != '-') become_shell(argv + 1);
    if (!strcmp(exe, "su") && argc > 2 && !strcmp(argv[1], "-c")) become_shell((char *[]){argv[2], NULL});
    char real[PATH_MAX];
    snprintf(real, sizeof real, "/real/%s", exe);
    execv(real, argv);
    if (argc > 1) puts(argv[argc - 1]); /* something for pipelines and substitutions */
    return 0;
}

/* ---- the first process --------------------------------------------------------------------------------------- */

static const char *FOLDERS[] = {"/w/app", "/w/app/src", "/w/app/build", "/w/app/docs", "/home/me", "/home/me/.ssh", NULL};
static const char *FILES[] = {"a.txt", "b.txt", "c d.txt", "-rf", ".env", "src/main.py", "src/util.py", "docs/x.md", "x", "f", NULL};

static const char *TOPS[] = {"/w", "/tmp", "/home", NULL};

/* Run as a script, a prepared file starts nothing: what is in files is no part of a text. */
static int wipe(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st;
    (void)kind;
    if (at->level > 0) remove(path);
    return 0;
}

static void fresh_folders(void) {
    for (int i = 0; TOPS[i]; i++) nftw(TOPS[i], wipe, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    for (int i = 0; FOLDERS[i]; i++) mkdir(FOLDERS[i], 0755);
    if (chdir("/w/app")) _exit(125);
    for (int i = 0; FILES[i]; i++) {
        int fd = open(FILES[i], O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (fd >= 0 && write(fd, ": one two\n", 10) == 10) futimens(fd, (struct timespec[]){{0, 0}, {0, 0}});
        close(fd);
    }
    close(open(LOG, O_WRONLY | O_CREAT | O_TRUNC, 0666));
}

/* What the text left: `+` and the path of every file made or changed, `-` and that of every prepared one gone. */
static char left[1 << 20];
static size_t left_size;

static void leave(char how, const char *path) {
    size_t size = strlen(path) + 2;
    if (left_size + size > sizeof left) return;
    left[left_size] = how;
    memcpy(left + left_size + 1, path, size - 1);
    left_size += size;
}

static int is_prepared(const char *path) {
    if (strncmp(path, "/w/app/", 7)) return 0;
    for (int i = 0; FILES[i]; i++)
        if (!strcmp(path + 7, FILES[i])) return 1;
    return 0;
}

static int look(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)at;
    if (kind == FTW_F && S_ISREG(st->st_mode) && (st->st_mtime || !is_prepared(path))) leave('+', path);
    return 0;
}

static void look_around(void) {
    left_size = 0;
    for (int i = 0; TOPS[i]; i++) nftw(TOPS[i], look, 16, FTW_PHYS | FTW_MOUNT);
    for (int i = 0; FILES[i]; i++) {
        char path[128];
        snprintf(path, sizeof path, "/w/app/%s", FILES[i]);
        if (access(path, F_OK)) leave('-', path);
    }
}

static void limit(int what, rlim_t most) { setrlimit(what, &(struct rlimit){most, most}); }

/* b: bash, d: dash, n: bash looks at the grammar only. */
static void become_text(char shell, char *text) {
    limit(RLIMIT_CPU, 2);
    limit(RLIMIT_NPROC, 96);
    limit(RLIMIT_FSIZE, 4 << 20);
    limit(RLIMIT_AS, 384 << 20);
    limit(RLIMIT_CORE, 0);
    setsid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(null, fd);
    if (null > 2) close(null);
    /* A shell's own notes of what was typed (`bash -i`) are nothing that a text does. */
    char *environment[] = {
        "PATH=/usr/bin", "HOME=/home/me", "USER=me", "LC_ALL=C.UTF-8", "HISTFILE=/dev/null", SHELL_UNKNOWN, NULL,
    };
    char *name = shell == 'd' ? "sh" : "bash";
    char *call[] = {name, "-c", text, NULL}, *check[] = {name, "-n", "-c", text, NULL};
    if (shell == 'n') execve("/real/bash", check, environment);
    execve(shell == 'd' ? "/real/dash" : "/real/bash", call, environment);
    _exit(126);
}

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

enum { STILL_RUNNING = 255 };

/* Wait for the text and all it left behind; what then still runs is killed. Gives how the text ended. */
static int wait_for_all(pid_t text) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    int ended = STILL_RUNNING, status;
    int64_t until = now_ms() + RUN_MS;
    for (;;) {
        pid_t done;
        while ((done = waitpid(-1, &status, WNOHANG)) > 0)
            if (done == text) {
                ended = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
                until = now_ms() + AFTER_MS;
            }
        if (done < 0) return ended;
        int64_t left = until - now_ms();
        if (left <= 0) break;
        sigtimedwait(&child, NULL, &(struct timespec){left / 1000, (left % 1000) * 1000000});
    }
    kill(-1, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0) continue;
    return ended;
}

static int read_whole(void *into, size_t size) { return fread(into, 1, size, stdin) == size; }

static void report(int ended) {
    static char log[8 << 20];
    int fd = open(LOG, O_RDONLY);
    ssize_t size = fd < 0 ? 0 : read(fd, log, sizeof log);
    if (fd >= 0) close(fd);
    uint32_t length = size < 0 ? 0 : (uint32_t)size;
    putchar(ended);
    fwrite(&length, sizeof length, 1, stdout);
    fwrite(log, 1, length, stdout);
    look_around();
    length = left_size;
    fwrite(&length, sizeof length, 1, stdout);
    fwrite(left, 1, length, stdout);
}

static int drive(void) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    char shell;
    uint32_t length;
    while (read_whole(&shell, 1) && read_whole(&length, sizeof length)) {
        char *text = malloc(length + 1);
        if (!text || !read_whole(text, length)) return 1;
        text[length] = 0;
        fresh_folders();
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) become_text(shell, text);
        report(wait_for_all(pid));
        free(text);
    }
    return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv) {
    static char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1); /* argv[0] is the caller's to choose */
    if (size <= 0) return 125;
    path[size] = 0;
    const char *exe = strrchr(path, '/') + 1;
    return strcmp(exe, "driver") ? program(exe, argc, argv) : drive();
}
