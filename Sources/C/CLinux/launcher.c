#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// A process that starts a few programs for this one after it has given up the right to start any (seccomp). It is a copy of this
// process that runs nothing but the code below, which allocates nothing: another thread may have held a lock when it was made.
// Its programs are children of this process (CLONE_PARENT), which waits for them as for others.

#define MOST_BYTES (96 * 1024)
#define MOST_WORDS 256
#define FILES 3

static int launcher = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

struct request {
    int32_t words;
    int32_t variables;
    int32_t leads;
};

// Room for the descriptors of one message.
union files {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(FILES * sizeof(int))];
};

static int is(const char *one, const char *other) { return strcmp(one, other) == 0; }

// `allowed` has a list for each program: its name and its words, ended by NULL; a further NULL ends all. A last word "*" means:
// the words before it come first, in this order, and the rest is free. Otherwise every argument is one of the words.
static int is_allowed(const char *const *allowed, char *const *words) {
    while (*allowed) {
        const char *const *first = allowed + 1;
        const char *const *end = first;
        while (*end) end++;
        if (is(*allowed, words[0])) {
            int is_free = end > first && is(end[-1], "*");
            if (is_free) {
                int matches = 1;
                for (long index = 0; index < end - 1 - first; index++) {
                    if (!words[1 + index] || !is(first[index], words[1 + index])) { matches = 0; break; }
                }
                if (matches) return 1;
            } else {
                int matches = 1;
                for (char *const *word = words + 1; *word && matches; word++) {
                    const char *const *known = first;
                    while (*known && !is(*known, *word)) known++;
                    if (!*known) matches = 0;
                }
                if (matches) return 1;
            }
        }
        allowed = end + 1;
    }
    return 0;
}

// What would run other code, such as LD_PRELOAD, is left out.
static int may_pass(const char *variable) {
    static const char *const names[] = {
        "DISPLAY", "HOME", "IBUS_ADDRESS", "IBUS_ADDRESS_FILE", "LANG", "LC_ALL", "WAYLAND_DISPLAY", "XAUTHORITY",
        "XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP", "XDG_RUNTIME_DIR", NULL};
    for (const char *const *name = names; *name; name++) {
        size_t length = strlen(*name);
        if (strncmp(variable, *name, length) == 0 && variable[length] == '=') return 1;
    }
    return 0;
}

static void execute(char *const *words, char *const *variables, const char *folders) {
    if (strchr(words[0], '/')) {
        execve(words[0], words, variables);
        return;
    }
    char path[4096];
    size_t name = strlen(words[0]);
    while (folders && *folders) {
        const char *end = strchrnul(folders, ':');
        size_t length = (size_t)(end - folders);
        if (length > 0 && length + name + 2 < sizeof path) {
            memcpy(path, folders, length);
            path[length] = '/';
            memcpy(path + length + 1, words[0], name + 1);
            execve(path, words, variables);
        }
        folders = *end ? end + 1 : end;
    }
}

static pid_t launch(const char *const *allowed, const char *folders, char *bytes, size_t size, const int *files) {
    struct request request;
    if (size < sizeof request || bytes[size - 1] != 0) return -EINVAL;
    memcpy(&request, bytes, sizeof request);
    if (request.words < 1 || request.words > MOST_WORDS || request.variables < 0 || request.variables > MOST_WORDS) return -EINVAL;
    char *words[MOST_WORDS + 1] = {0};
    char *variables[MOST_WORDS + 1] = {0};
    char *at = bytes + sizeof request;
    char *end = bytes + size;
    int kept = 0;
    for (int index = 0; index < request.words + request.variables; index++) {
        if (at >= end) return -EINVAL;
        if (index < request.words) {
            words[index] = at;
        } else if (may_pass(at)) {
            variables[kept++] = at;
        }
        at += strlen(at) + 1;
    }
    if (!is_allowed(allowed, words)) return -EPERM;
    pid_t child = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (child != 0) return child < 0 ? -errno : child;
    if (request.leads) setsid();
    // The received descriptors are above the first three.
    for (int number = 0; number < FILES; number++) {
        if (dup2(files[number], number) < 0) _exit(127);
    }
    execute(words, variables, folders);
    _exit(127);
}

static void serve(int socket, const char *const *allowed, const char *folders) {
    static char bytes[MOST_BYTES];
    for (;;) {
        union files control;
        struct iovec part = {.iov_base = bytes, .iov_len = sizeof bytes};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
        ssize_t size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
        if (size < 0 && errno == EINTR) continue;
        // The process that it serves has ended.
        if (size <= 0) _exit(0);
        int files[FILES] = {-1, -1, -1};
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        int has_files = header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS
            && header->cmsg_len == CMSG_LEN(sizeof files) && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
        if (has_files) memcpy(files, CMSG_DATA(header), sizeof files);
        int32_t answer = has_files ? launch(allowed, folders, bytes, (size_t)size, files) : -EINVAL;
        for (int number = 0; number < FILES; number++) {
            if (files[number] >= 0) close(files[number]);
        }
        if (send(socket, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) _exit(0);
    }
}

int dictation_linux_start_launcher(const char *const *allowed) {
    if (launcher >= 0) return 0;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    int size = 2 * MOST_BYTES;
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    const char *folders = getenv("PATH");
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    int code = errno;
    if (child == 0) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &standard, NULL);
        int nothing = open("/dev/null", O_RDWR);
        for (int number = 0; number < FILES; number++) dup2(nothing, number);
        dup2(ends[1], FILES);
        fcntl(FILES, F_SETFD, FD_CLOEXEC);
        syscall(SYS_close_range, FILES + 1, ~0U, 0);
        // Signals to the terminal's process group do not end it.
        setsid();
        prctl(PR_SET_NAME, "dict-launcher");
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        serve(FILES, allowed, folders);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        errno = code;
        return -1;
    }
    launcher = ends[0];
    return 0;
}

int dictation_linux_has_launcher(void) { return launcher >= 0; }

pid_t dictation_linux_launch(char *const *words, char *const *variables, const int *files, int leads) {
    char *bytes = malloc(MOST_BYTES);
    if (!bytes) return -1;
    struct request request = {.leads = leads};
    size_t size = sizeof request;
    int fits = 1;
    for (int part = 0; part < 2; part++) {
        int32_t *count = part == 0 ? &request.words : &request.variables;
        for (char *const *text = part == 0 ? words : variables; *text; text++) {
            if (part == 1 && !may_pass(*text)) continue;
            size_t length = strlen(*text) + 1;
            if (size + length > MOST_BYTES || *count == MOST_WORDS) { fits = 0; break; }
            memcpy(bytes + size, *text, length);
            size += length;
            ++*count;
        }
    }
    memcpy(bytes, &request, sizeof request);
    union files control;
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_SPACE(FILES * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(FILES * sizeof(int));
    memcpy(CMSG_DATA(header), files, FILES * sizeof(int));
    int32_t answer = -E2BIG;
    if (fits) {
        pthread_mutex_lock(&turn);
        if (sendmsg(launcher, &message, MSG_NOSIGNAL) != (ssize_t)size
            || recv(launcher, &answer, sizeof answer, 0) != sizeof answer) answer = -ECHILD;
        pthread_mutex_unlock(&turn);
    }
    free(bytes);
    if (answer > 0) return answer;
    errno = -answer;
    return -1;
}
