// Swift's Glibc module leaves these headers out. Do not define _GNU_SOURCE here:
// it would give this module an fd_set that differs from Glibc's.
#pragma once
#include <stdbool.h>
#include <libintl.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

/// Names the calling thread; the kernel keeps the first 15 bytes.
/// Swift cannot call prctl itself, which is variadic.
static inline int dictation_linux_name_thread(const char *_Nonnull name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

/// Opens a new file without a name in a folder, for writing and for the user only. The name O_TMPFILE needs _GNU_SOURCE.
int dictation_linux_unnamed_file(int folder);

/// pipe2(2) with O_CLOEXEC. Glibc declares it with _GNU_SOURCE alone.
int dictation_linux_pipe(int *_Nonnull ends);

/// memfd_create(2) with MFD_CLOEXEC. Glibc declares it with _GNU_SOURCE alone.
int dictation_linux_memory_file(const char *_Nonnull name);

/// malloc_trim(3) with no padding: gives freed memory back to the kernel. Its header, <malloc.h>, would move
/// types that Glibc's module has into this one.
void dictation_linux_trim_heap(void);

/// sched_setscheduler(2) to SCHED_FIFO of this priority, which the thread's children do not inherit. Glibc declares the
/// flag for that with _GNU_SOURCE alone. -1 with errno on failure.
int dictation_linux_make_real_time(int thread, int priority);

/// fallocate(2) that frees a range of a file without changing its size. Glibc declares the flags with _GNU_SOURCE alone.
/// -1 with errno on failure.
int dictation_linux_punch_hole(int file, long offset, long length);

/// futimens(2) with the present time of access and without a time of modification. These are macros that Swift does not import.
/// -1 with errno on failure.
int dictation_linux_set_access_time(int file);

/// flock(2), exclusive and without waiting. Not in Glibc's module. -1 with errno on failure.
int dictation_linux_lock_file(int file);

/// Takes from all threads of this process, for ever, the system calls that start programs, read other processes, or change
/// namespaces (seccomp(2)). They fail with EPERM. -1 with errno on failure: ENOSYS where the architecture is not known.
int dictation_linux_forbid_programs(void);

/// Starts a process that starts programs for this one after dictation_linux_forbid_programs(): those in `allowed` alone, which
/// lasts as long as this process. For each program its name and the words that may be its arguments, ended by NULL; a further
/// NULL ends the list. A last word "*" means: the words before it come first, in this order, and the rest is free. Programs without
/// a slash are looked up in PATH. -1 with errno on failure.
int dictation_linux_start_launcher(const char *_Nullable const *_Nonnull allowed);

/// Whether there is one.
int dictation_linux_has_launcher(void);

/// Starts a program by it: a child of this process, with these three open files. Of the variables it gets those that say where the
/// display is. A program that cannot be run exits with 127. -1 with errno on failure: EPERM for a program that is not allowed.
pid_t dictation_linux_launch(
    char *_Nullable const *_Nonnull words, char *_Nullable const *_Nonnull variables, const int *_Nonnull files, int leads);

/// The most descriptors that one message carries (SCM_MAX_FD of the kernel).
#define DICTATION_LINUX_DESCRIPTOR_LIMIT 253

/// recvmsg(2) of bytes and descriptors, without waiting. `descriptors` has room for DICTATION_LINUX_DESCRIPTOR_LIMIT; `count` is
/// set to how many there are. The number of bytes, 0 at the end, or -1 with errno: EMSGSIZE if descriptors were lost.
long dictation_linux_receive(
    int socket, void *_Nonnull bytes, size_t size, int *_Nonnull descriptors, size_t *_Nonnull count);

/// sendmsg(2) of bytes and at most DICTATION_LINUX_DESCRIPTOR_LIMIT descriptors, without waiting. The number of bytes, or -1
/// with errno.
long dictation_linux_send(
    int socket, const void *_Nonnull bytes, size_t size, const int *_Nullable descriptors, size_t count);

/// Refuses descriptors that others send to this Unix socket, and to those that it accepts (SO_PASSRIGHTS): sending one fails with
/// EPERM. -1 with errno on failure: ENOPROTOOPT before Linux 6.16.
int dictation_linux_refuse_descriptors(int socket);

/// Whether descriptors come with the next 32 KiB that a Unix stream socket has received. Receives nothing and closes nothing.
bool dictation_linux_brings_descriptors(int socket);

/// Gives the calling thread a table of descriptors of its own, with two descriptors as 0 and 1, and /dev/null as those to 63.
/// Descriptors of this process are not valid on the thread any more, nor its descriptors elsewhere. Then writes to the eventfd `ready`
/// of the process's table. -1 with errno on failure.
int dictation_linux_own_descriptors(int zero, int one, int ready);

/// For a thread with a table of its own: leaves the table with all of its descriptors to a new thread, which closes them, those of
/// `early` first, however long that takes, and then calls `ended`. The calling thread goes on with another table that has those
/// before 64. -1 with errno if there is no new thread; 1 if it has closed nothing.
int dictation_linux_leave_descriptors(
    const int *_Nonnull early, size_t count, void (*_Nonnull ended)(void *_Nullable), void *_Nullable context);

/// How much a Unix stream socket has sent that its peer has not read, in bytes of the kernel's memory (SIOCOUTQ). -1 with errno on failure.
int dictation_linux_unread(int socket);

/// Whether a descriptor is a memory file: of memfd_create(2) without huge pages, or on a tmpfs. Does not block, unlike fstat(2),
/// whose file system may.
bool dictation_linux_is_memory(int descriptor);

/// Sets this process's handler of SIGBUS: reading a mapped file after its end gives zeros, and what is written there is lost.
/// Other bus errors end the process. -1 with errno on failure.
int dictation_linux_survive_truncation(void);

/// Sets a handler of SIGURG that does nothing, so that the signal interrupts a call that waits. Without a handler it is ignored.
/// -1 with errno on failure.
int dictation_linux_make_interruptible(void);
