#include "CPocketSphinx.h"

#include <sphinxbase/err.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[512];

static void keep_error(void *user_data, err_lvl_t level, const char *format, ...) {
    (void)user_data;
    if (level < ERR_ERROR) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    last_error[strcspn(last_error, "\n")] = '\0';
}

void dictation_sphinx_keep_errors(void) {
    err_set_callback(keep_error, NULL);
    // For the calling thread; ps_init prints its whole configuration there.
    err_set_logfp(NULL);
}

void dictation_sphinx_forget_error(void) {
    last_error[0] = '\0';
}

const char *dictation_sphinx_last_error(void) {
    return last_error;
}
