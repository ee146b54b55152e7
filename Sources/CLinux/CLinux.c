#define _GNU_SOURCE
#include "CLinux.h"
#include <fcntl.h>
#include <unistd.h>

int dictation_linux_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }
