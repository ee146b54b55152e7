#define _GNU_SOURCE
#include "CLinux.h"
#include <malloc.h>
#include <fcntl.h>
#include <sched.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int dictation_linux_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

int dictation_linux_unnamed_file(int folder) {
    return openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
}

int dictation_linux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

void dictation_linux_trim_heap(void) {
    malloc_trim(0);
}

int dictation_linux_make_real_time(int thread, int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return sched_setscheduler(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters);
}

int dictation_linux_punch_hole(int file, long offset, long length) {
    return fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

int dictation_linux_set_access_time(int file) {
    struct timespec times[] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    return futimens(file, times);
}

int dictation_linux_lock_file(int file) { return flock(file, LOCK_EX | LOCK_NB); }

int dictation_linux_send_descriptor(const char *address, const char *text, int descriptor) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t length = strlen(address);
    if (length == 0 || length >= sizeof to.sun_path) {
        errno = EINVAL;
        return -1;
    }
    memcpy(to.sun_path, address, length);
    if (address[0] == '@') to.sun_path[0] = 0;
    int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sender < 0) return -1;
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = (void *)text, .iov_len = strlen(text)};
    struct msghdr message = {
        .msg_name = &to,
        .msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length),
        .msg_iov = &part,
        .msg_iovlen = 1,
    };
    if (descriptor >= 0) {
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
    }
    ssize_t sent = sendmsg(sender, &message, MSG_NOSIGNAL);
    int failure = errno;
    close(sender);
    errno = failure;
    return sent < 0 ? -1 : 0;
}
