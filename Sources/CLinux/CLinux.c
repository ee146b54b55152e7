#define _GNU_SOURCE
#include "CLinux.h"
#include <malloc.h>
#include <fcntl.h>
#include <unistd.h>

int dictation_linux_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

void dictation_linux_trim_heap(void) {
    malloc_trim(0);
}
