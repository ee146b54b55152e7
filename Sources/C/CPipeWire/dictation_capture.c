#include "dictation_capture.h"

#include "dictation_connection_internal.h"
#include "dictation_loss.h"
#include "dictation_ring.h"

#include <errno.h>
#include <pipewire/pipewire.h>
#include <pipewire/extensions/client-node.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/props.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

// More proxies than a connection ever has.
#define PROXY_LIMIT (1 << 16)

struct dictation_capture {
    struct pw_core *core;
    struct pw_stream *stream;
    struct spa_hook listener;
    // Null while the stream is being destroyed.
    dictation_capture_state_changed state_changed;
    void *context;
    // Frames a second.
    uint32_t rate;
    struct dictation_ring *ring;
    int wake;
    // Set by the writer when it wakes the reader, cleared by the reader: one system call for each reading, not for each
    // cycle.
    atomic_bool is_awake;
    // Quiet samples are batched up to this many frames; a sample beyond `quiet_peak` wakes the reader at once.
    atomic_uint batch_frames;
    atomic_int quiet_peak;
    // The data thread's id; 0 before its first cycle.
    atomic_int thread;
    // The graph's clock may have changed (a pause, another source or driver): the loss up to the next cycle is measured
    // by the machine's clock.
    atomic_bool clock_is_new;
    // Used by the data thread only.
    struct dictation_loss loss;
    // The factor for the samples, if one was set.
    float volume;
    bool has_volume;
    // Instead of the mean of all.
    bool has_one_channel;
};

// Calls of the data thread that are not declared nonblocking. PipeWire documents its three as safe there; writing to an
// eventfd does not block, because it is read long before it could overflow.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wfunction-effects"

static struct pw_buffer *take_buffer(struct pw_stream *stream) __attribute__((nonblocking)) {
    return pw_stream_dequeue_buffer(stream);
}

static void return_buffer(struct pw_stream *stream, struct pw_buffer *buffer) __attribute__((nonblocking)) {
    pw_stream_queue_buffer(stream, buffer);
}

static struct pw_time graph_time(struct pw_stream *stream) __attribute__((nonblocking)) {
    struct pw_time time = {0};
    pw_stream_get_time_n(stream, &time, sizeof time);
    return time;
}

static int this_thread(void) __attribute__((nonblocking)) { return (int)syscall(SYS_gettid); }

static void write_wake(int wake) __attribute__((nonblocking)) {
    uint64_t one = 1;
    ssize_t written = write(wake, &one, sizeof one);
    (void)written;
}

#pragma clang diagnostic pop

// Returns true if frames were lost.
static bool count_lost(struct dictation_capture *capture, struct dictation_loss_cycle cycle)
    __attribute__((nonblocking)) {
    cycle.clock_is_new = atomic_exchange_explicit(&capture->clock_is_new, false, memory_order_acquire);
    uint64_t lost = dictation_loss_take(&capture->loss, &cycle);
    if (lost > 0) dictation_ring_count_dropped(capture->ring, lost);
    return lost > 0;
}

static bool is_quiet(const int16_t *samples, size_t count, int peak) __attribute__((nonblocking)) {
    bool is_quiet = true;
    for (size_t i = 0; i < count; i++) is_quiet &= samples[i] <= peak && samples[i] >= -peak;
    return is_quiet;
}

static void on_process(void *data) __attribute__((nonblocking)) {
    struct dictation_capture *capture = data;
    struct pw_buffer *buffer;
    struct pw_time time = graph_time(capture->stream);
    bool has_clock = time.rate.denom != 0;
    struct dictation_loss_cycle cycle = {.time = time.now, .rate = capture->rate};
    if (has_clock) cycle.position = time.ticks * time.rate.num * capture->rate / time.rate.denom;
    // Losses are reported at once.
    bool may_wait = !atomic_load_explicit(&capture->clock_is_new, memory_order_relaxed);
    bool skips_silence = has_clock && may_wait && dictation_loss_is_filler(&capture->loss, cycle.position);
    int peak = atomic_load_explicit(&capture->quiet_peak, memory_order_relaxed);
    if (atomic_load_explicit(&capture->thread, memory_order_relaxed) == 0)
        atomic_store_explicit(&capture->thread, this_thread(), memory_order_relaxed);
    while ((buffer = take_buffer(capture->stream)) != NULL) {
        const struct spa_data *plane = &buffer->buffer->datas[0];
        bool is_empty = (plane->chunk->flags & SPA_CHUNK_FLAG_EMPTY) != 0;
        bool is_filler = skips_silence && is_empty;
        if (plane->data != NULL && !is_filler) {
            uint32_t offset = SPA_MIN(plane->chunk->offset, plane->maxsize);
            uint32_t size = SPA_MIN(plane->chunk->size, plane->maxsize - offset);
            size_t frames = size / sizeof(int16_t);
            const int16_t *samples = SPA_PTROFF(plane->data, offset, const int16_t);
            if (frames > 0) {
                cycle.frames += frames;
                cycle.last_frames = frames;
                if (is_empty) cycle.empty_frames += frames;
            }
            if (dictation_ring_write(capture->ring, samples, frames) < frames) may_wait = false;
            if (may_wait) may_wait = is_quiet(samples, frames, peak);
        }
        return_buffer(capture->stream, buffer);
    }
    if (has_clock && cycle.frames > 0 && count_lost(capture, cycle)) may_wait = false;
    if (may_wait
        && dictation_ring_readable(capture->ring) < atomic_load_explicit(&capture->batch_frames, memory_order_relaxed))
        return;
    if (!atomic_exchange_explicit(&capture->is_awake, true, memory_order_acq_rel)) write_wake(capture->wake);
}

static enum dictation_capture_state state_of(enum pw_stream_state state) {
    switch (state) {
    case PW_STREAM_STATE_ERROR: return DICTATION_CAPTURE_ERROR;
    case PW_STREAM_STATE_UNCONNECTED: return DICTATION_CAPTURE_UNCONNECTED;
    case PW_STREAM_STATE_CONNECTING: return DICTATION_CAPTURE_CONNECTING;
    case PW_STREAM_STATE_PAUSED: return DICTATION_CAPTURE_PAUSED;
    case PW_STREAM_STATE_STREAMING: return DICTATION_CAPTURE_STREAMING;
    }
    return DICTATION_CAPTURE_ERROR;
}

static void apply_volume(struct dictation_capture *capture) {
    pw_stream_set_control(capture->stream, SPA_PROP_volume, 1, &capture->volume, 0);
}

static void on_state_changed(
    void *data, enum pw_stream_state old, enum pw_stream_state state, const char *message) {
    struct dictation_capture *capture = data;
    if (capture->state_changed == NULL) return;
    // A volume that is set while the stream is not running is lost.
    if (state == PW_STREAM_STATE_STREAMING && capture->has_volume) apply_volume(capture);
    atomic_store_explicit(&capture->clock_is_new, true, memory_order_release);
    capture->state_changed(capture->context, state_of(state), message);
}

// Another node drives the graph with its own clock, as when another program records two sources at once.
static void on_io_changed(void *data, uint32_t id, void *area, uint32_t size) {
    struct dictation_capture *capture = data;
    if (id == SPA_IO_Position) atomic_store_explicit(&capture->clock_is_new, true, memory_order_release);
}

static const struct pw_stream_events stream_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = on_state_changed,
    .io_changed = on_io_changed,
    .process = on_process,
};

static int connect_stream(struct dictation_capture *capture) {
    uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *format = spa_format_audio_raw_build(
        &builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(
                .format = SPA_AUDIO_FORMAT_S16, .rate = capture->rate, .channels = 1,
                .position = {capture->has_one_channel ? SPA_AUDIO_CHANNEL_FL : SPA_AUDIO_CHANNEL_MONO}));
    return pw_stream_connect(
        capture->stream, PW_DIRECTION_INPUT, PW_ID_ANY,
        PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS, &format, 1);
}

struct dictation_capture *dictation_capture_new(
    struct dictation_connection *connection, const struct dictation_capture_options *options,
    dictation_capture_state_changed state_changed, void *context) {
    struct dictation_capture *capture = calloc(1, sizeof *capture);
    if (capture == NULL) return NULL;
    capture->state_changed = state_changed;
    capture->context = context;
    capture->rate = options->rate;
    capture->has_one_channel = options->has_one_channel;
    capture->core = dictation_connection_core(connection);
    atomic_init(&capture->is_awake, false);
    atomic_init(&capture->thread, 0);
    atomic_init(&capture->batch_frames, 0);
    atomic_init(&capture->quiet_peak, 0);
    atomic_init(&capture->clock_is_new, true);
    capture->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (capture->wake < 0) goto no_wake;
    capture->ring = dictation_ring_new(options->ring_frames);
    if (capture->ring == NULL) goto no_ring;
    // 20 ms
    char latency[32];
    snprintf(latency, sizeof latency, "%u/%u", options->rate / 50, options->rate);
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Capture", PW_KEY_MEDIA_ROLE, "Accessibility",
        PW_KEY_NODE_NAME, options->name, PW_KEY_NODE_DESCRIPTION, options->description,
        PW_KEY_NODE_LATENCY, latency, NULL);
    if (properties == NULL) goto no_stream;
    if (options->target != NULL) pw_properties_set(properties, PW_KEY_TARGET_OBJECT, options->target);
    if (options->has_port) {
        // Setting it as a parameter of the client's own node would block the connection: the server (0.3.65) stops
        // reading from the client until the client has answered.
        pw_properties_set(properties, "adapter.auto-port-config", "{ mode = dsp }");
        // A session manager would remember the volume for other streams.
        pw_properties_set(properties, "state.restore-props", "false");
    }
    capture->stream = pw_stream_new(capture->core, options->description, properties);
    if (capture->stream == NULL) goto no_stream;
    pw_stream_add_listener(capture->stream, &capture->listener, &stream_events, capture);
    int result = connect_stream(capture);
    if (result < 0) {
        dictation_capture_stop(capture);
        errno = -result;
        goto no_stream;
    }
    return capture;

    int error;
no_stream:
    error = errno;
    dictation_ring_free(capture->ring);
    errno = error;
no_ring:
    error = errno;
    close(capture->wake);
    errno = error;
no_wake:
    free(capture);
    return NULL;
}

// pw_stream does not expose its proxy. It is the only client node bound to the stream's node.
static struct pw_proxy *find_proxy(const struct dictation_capture *capture) {
    uint32_t node = dictation_capture_node(capture);
    if (node == PW_ID_ANY) return NULL;
    for (uint32_t id = 0; id < PROXY_LIMIT; id++) {
        struct pw_proxy *proxy = pw_core_find_proxy(capture->core, id);
        uint32_t version;
        if (proxy != NULL && pw_proxy_get_bound_id(proxy) == node
            && spa_streq(pw_proxy_get_type(proxy, &version), PW_TYPE_INTERFACE_ClientNode))
            return proxy;
    }
    return NULL;
}

bool dictation_capture_withdraw(struct dictation_capture *capture) {
    struct pw_proxy *proxy = find_proxy(capture);
    if (proxy == NULL) return false;
    // The same request as destroying the proxy, but the proxy stays until the server has removed the node. It has no
    // result in PipeWire 1.6; before, it fails only where the connection is lost.
    (void)pw_core_destroy(capture->core, proxy);
    return true;
}

void dictation_capture_stop(struct dictation_capture *capture) {
    // pw_stream_destroy takes the stream from the data thread and then removes the listener. If it were removed before,
    // PipeWire 0.3.65 could call on_process without data.
    capture->state_changed = NULL;
    pw_stream_destroy(capture->stream);
    capture->stream = NULL;
}

void dictation_capture_free(struct dictation_capture *capture) {
    dictation_ring_free(capture->ring);
    close(capture->wake);
    free(capture);
}

uint32_t dictation_capture_node(const struct dictation_capture *capture) {
    return capture->stream == NULL ? PW_ID_ANY : pw_stream_get_node_id(capture->stream);
}

int dictation_capture_thread(const struct dictation_capture *capture) {
    return atomic_load_explicit(&capture->thread, memory_order_relaxed);
}

int dictation_capture_descriptor(const struct dictation_capture *capture) { return capture->wake; }

void dictation_capture_rearm(struct dictation_capture *capture) {
    uint64_t count;
    ssize_t taken = read(capture->wake, &count, sizeof count);
    (void)taken;
    // An exchange, not a store: it makes data visible that was written before the wake-up that it clears.
    atomic_exchange_explicit(&capture->is_awake, false, memory_order_acq_rel);
}

void dictation_capture_batch(struct dictation_capture *capture, unsigned frames, int quiet_peak) {
    atomic_store_explicit(&capture->batch_frames, frames, memory_order_relaxed);
    atomic_store_explicit(&capture->quiet_peak, quiet_peak, memory_order_relaxed);
}

void dictation_capture_set_volume(struct dictation_capture *capture, float volume) {
    capture->volume = volume;
    capture->has_volume = true;
    if (capture->stream != NULL) apply_volume(capture);
}

size_t dictation_capture_readable(const struct dictation_capture *capture) {
    return dictation_ring_readable(capture->ring);
}

size_t dictation_capture_read(struct dictation_capture *capture, int16_t *samples, size_t capacity) {
    return dictation_ring_read(capture->ring, samples, capacity);
}

uint64_t dictation_capture_take_dropped(struct dictation_capture *capture) {
    return dictation_ring_take_dropped(capture->ring);
}
