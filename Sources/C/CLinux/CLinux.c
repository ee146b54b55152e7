#define _GNU_SOURCE
#include "CLinux.h"
#include <malloc.h>
#include <fcntl.h>
#include <sched.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
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

// A rule that refuses one system call.
#define REFUSE(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

#if defined __x86_64__
#define DICTATION_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define DICTATION_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

int dictation_linux_forbid_programs(void) {
#ifdef DICTATION_ARCHITECTURE
    struct sock_filter rules[] = {
        // Other ABIs have other numbers.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, DICTATION_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        // x32 on amd64; no other number is that high.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        // Other programs.
        REFUSE(execve), REFUSE(execveat),
        // The memory and the descriptors of other processes.
        REFUSE(ptrace), REFUSE(process_vm_readv), REFUSE(process_vm_writev), REFUSE(pidfd_getfd),
        // Namespaces, mounts, and parts of the kernel that an ordinary program does not need.
        REFUSE(unshare), REFUSE(setns), REFUSE(mount), REFUSE(umount2), REFUSE(pivot_root), REFUSE(chroot), REFUSE(bpf),
        REFUSE(perf_event_open), REFUSE(userfaultfd), REFUSE(add_key), REFUSE(request_key), REFUSE(keyctl),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    // Otherwise an ordinary process may set no filter.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (result > 0) errno = EBUSY;
    return result == 0 ? 0 : -1;
#else
    errno = ENOSYS;
    return -1;
#endif
}

// A descriptor that the kernel adds if anyone who has the socket sets SO_PASSPIDFD. Not in glibc 2.36.
#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

// Room for the descriptors of one message.
union passed_descriptors {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(DICTATION_LINUX_DESCRIPTOR_LIMIT * sizeof(int))];
};

long dictation_linux_receive(int socket, void *bytes, size_t size, int *descriptors, size_t *count) {
    union passed_descriptors control;
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *count = 0;
    ssize_t received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received < 0) return -1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET) continue;
        if (header->cmsg_type == SCM_PIDFD) {
            int pidfd;
            memcpy(&pidfd, CMSG_DATA(header), sizeof pidfd);
            close(pidfd);
        }
        if (header->cmsg_type != SCM_RIGHTS) continue;
        size_t length = header->cmsg_len - CMSG_LEN(0);
        memcpy(descriptors + *count, CMSG_DATA(header), length);
        *count += length / sizeof(int);
    }
    if ((message.msg_flags & MSG_CTRUNC) == 0) return received;
    while (*count > 0) close(descriptors[--*count]);
    errno = EMSGSIZE;
    return -1;
}

long dictation_linux_send(
    int socket, const void *bytes, size_t size, const int *descriptors, size_t count) {
    union passed_descriptors control = {0};
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.header), descriptors, count * sizeof(int));
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// Not in the headers of Debian 12 and 13.
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

int dictation_linux_refuse_descriptors(int socket) {
    int passes = 0;
    return setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &passes, sizeof passes);
}

bool dictation_linux_brings_descriptors(int socket) {
    char bytes[32 << 10];
    struct iovec part = {.iov_base = bytes, .iov_len = sizeof bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    // Without room for descriptors the kernel says that there are some, and keeps those in the socket.
    return recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT) >= 0 && (message.msg_flags & MSG_CTRUNC) != 0;
}

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif

// A new table is a copy of at least so many descriptors of the old one, also of those that are then closed, with waiting.
#define FIRST_LEFT 64

int dictation_linux_own_descriptors(int zero, int one, int ready) {
    if (unshare(CLONE_FILES) != 0) return -1;
    // Not among those that are replaced.
    int copies[3] = {fcntl(zero, F_DUPFD_CLOEXEC, 3), fcntl(one, F_DUPFD_CLOEXEC, 3), open("/dev/null", O_RDWR | O_CLOEXEC)};
    int signal = fcntl(ready, F_DUPFD_CLOEXEC, 3);
    if (copies[2] >= 0 && copies[2] < 3) copies[2] = fcntl(copies[2], F_DUPFD_CLOEXEC, 3);
    if (signal < 0) return -1;
    for (int number = 0; number < 3; number++) {
        if (copies[number] < 0 || dup3(copies[number], number, O_CLOEXEC) < 0) return -1;
    }
    uint64_t one_more = 1;
    if (write(signal, &one_more, sizeof one_more) != sizeof one_more) return -1;
    for (int number = 3; number < FIRST_LEFT; number++) {
        if (dup3(2, number, O_CLOEXEC) < 0) return -1;
    }
    return (int)syscall(SYS_close_range, FIRST_LEFT, ~0U, 0);
}

struct left_table {
    sem_t is_left;
    bool failed;
    void (*ended)(void *);
    void *context;
    size_t count;
    int early[];
};

static void *close_left_table(void *argument) {
    struct left_table *table = argument;
    prctl(PR_SET_NAME, "left", 0, 0, 0);
    while (sem_wait(&table->is_left) != 0) {}
    // From now on the table is this thread's alone.
    if (!table->failed) {
        for (size_t index = 0; index < table->count; index++) close(table->early[index]);
        syscall(SYS_close_range, 0, ~0U, 0);
    }
    table->ended(table->context);
    sem_destroy(&table->is_left);
    free(table);
    return NULL;
}

int dictation_linux_leave_descriptors(const int *early, size_t count, void (*ended)(void *), void *context) {
    struct left_table *table = calloc(1, sizeof *table + count * sizeof(int));
    pthread_attr_t attributes;
    pthread_t thread;
    if (table == NULL) return -1;
    table->ended = ended;
    table->context = context;
    table->count = count;
    if (count > 0) memcpy(table->early, early, count * sizeof(int));
    sem_init(&table->is_left, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int code = pthread_create(&thread, &attributes, close_left_table, table);
    pthread_attr_destroy(&attributes);
    if (code != 0) {
        sem_destroy(&table->is_left);
        free(table);
        errno = code;
        return -1;
    }
    // The new thread shares the table. What is not copied is not closed, so that this does not wait.
    table->failed = syscall(SYS_close_range, FIRST_LEFT, ~0U, CLOSE_RANGE_UNSHARE) != 0;
    int result = table->failed ? 1 : 0;
    sem_post(&table->is_left);
    return result;
}

int dictation_linux_unread(int socket) {
    int unread;
    return ioctl(socket, SIOCOUTQ, &unread) < 0 ? -1 : unread;
}

bool dictation_linux_is_memory(int descriptor) {
    struct statfs system;
    // What has seals is in memory, so that fstatfs does not block. It may have huge pages.
    return fcntl(descriptor, F_GET_SEALS) >= 0 && fstatfs(descriptor, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

// Puts an empty page where the file has none.
static void on_bus_error(int number, siginfo_t *info, void *context) {
    (void)context;
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));
    int failure = errno;
    bool is_mapped = info->si_code == BUS_ADRERR
        && mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page;
    errno = failure;
    // The access is repeated, and ends the process.
    if (!is_mapped) signal(number, SIG_DFL);
}

int dictation_linux_survive_truncation(void) {
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_NODEFER};
    return sigaction(SIGBUS, &action, NULL);
}

static void on_interruption(int number) { (void)number; }

int dictation_linux_make_interruptible(void) {
    struct sigaction action = {.sa_handler = on_interruption};
    return sigaction(SIGURG, &action, NULL);
}
