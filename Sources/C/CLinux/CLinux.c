#define _GNU_SOURCE
#include "CLinux.h"
#include <malloc.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

int dictation_linux_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

int dictation_linux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

void dictation_linux_trim_heap(void) {
    malloc_trim(0);
}

int dictation_linux_make_real_time(int thread, int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return sched_setscheduler(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters);
}
