#include "CRecorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pipewire/pipewire.h>
#include <pthread.h>
#include <spa/param/audio/format-utils.h>
#include <stdlib.h>

struct recorder {
    struct pw_thread_loop *thread;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_stream *stream;
    struct spa_hook listener;
};

static void on_process(void *data) {
    struct recorder *recorder = data;
    struct pw_buffer *buffer;
    while ((buffer = pw_stream_dequeue_buffer(recorder->stream)) != NULL)
        pw_stream_queue_buffer(recorder->stream, buffer);
}

static const struct pw_stream_events stream_events = {
    PW_VERSION_STREAM_EVENTS,
    .process = on_process,
};

static int connect_stream(struct recorder *recorder, const char *const *properties, bool is_corked) {
    struct pw_properties *all = pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Capture", NULL);
    if (all == NULL) return -errno;
    for (; properties[0] != NULL; properties += 2) pw_properties_set(all, properties[0], properties[1]);
    recorder->stream = pw_stream_new(recorder->core, "recorder", all);
    if (recorder->stream == NULL) return -errno;
    pw_stream_add_listener(recorder->stream, &recorder->listener, &stream_events, recorder);
    uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *format = spa_format_audio_raw_build(
        &builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_S16, .rate = 16000, .channels = 1));
    enum pw_stream_flags flags = PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS;
    if (is_corked) flags |= PW_STREAM_FLAG_INACTIVE;
    return pw_stream_connect(recorder->stream, PW_DIRECTION_INPUT, PW_ID_ANY, flags, &format, 1);
}

static int start(struct recorder *recorder, int socket, const char *const *properties, bool is_corked) {
    recorder->thread = pw_thread_loop_new("recorder", NULL);
    if (recorder->thread == NULL) return -errno;
    recorder->context = pw_context_new(pw_thread_loop_get_loop(recorder->thread), NULL, 0);
    if (recorder->context == NULL) return -errno;
    int own = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return -errno;
    recorder->core = pw_context_connect_fd(recorder->context, own, NULL, 0);
    if (recorder->core == NULL) return -errno;
    int result = connect_stream(recorder, properties, is_corked);
    return result < 0 ? result : pw_thread_loop_start(recorder->thread);
}

static void initialise(void) { pw_init(NULL, NULL); }

struct recorder *recorder_new(int socket, const char *const *properties, bool is_corked) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL) return NULL;
    int result = start(recorder, socket, properties, is_corked);
    if (result < 0) {
        recorder_free(recorder);
        errno = -result;
        return NULL;
    }
    return recorder;
}

void recorder_free(struct recorder *recorder) {
    if (recorder->thread != NULL) {
        // While the thread still runs: PipeWire's data thread calls back on it.
        pw_thread_loop_lock(recorder->thread);
        if (recorder->stream != NULL) pw_stream_destroy(recorder->stream);
        pw_thread_loop_unlock(recorder->thread);
        pw_thread_loop_stop(recorder->thread);
    }
    if (recorder->core != NULL) pw_core_disconnect(recorder->core);
    if (recorder->context != NULL) pw_context_destroy(recorder->context);
    if (recorder->thread != NULL) pw_thread_loop_destroy(recorder->thread);
    free(recorder);
}

void recorder_set_corked(struct recorder *recorder, bool is_corked) {
    pw_thread_loop_lock(recorder->thread);
    pw_stream_set_active(recorder->stream, !is_corked);
    pw_thread_loop_unlock(recorder->thread);
}
