#include "CDriverMicrophone.h"

#include <errno.h>
#include <fcntl.h>
#include <pipewire/pipewire.h>
#include <pthread.h>
#include <signal.h>
#include <spa/param/audio/format-utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RATE 16000
#define DEFAULT_QUANTUM 320
// libpipewire 0.3.65 may never stop counting a follower that has left, so that no cycle ends any more. After an abandoned
// cycle, this is the timeout of the next ones until one ends. Hardware does not wait either.
#define ABANDONED_AGAIN (10 * SPA_NSEC_PER_MSEC)
// What counts at most of the time from one tick to the next. More passes while the whole machine stands still, and with it
// those that the cycle waits for.
#define LONGEST_WAIT (50 * SPA_NSEC_PER_MSEC)
// From one cycle to the next while it rests.
#define REST (100 * SPA_NSEC_PER_MSEC)

// Samples to play in one batch.
struct recording {
    struct recording *following;
    size_t count;
    size_t next;
    int16_t samples[];
};

struct driver_microphone {
    struct pw_thread_loop *thread;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_stream *stream;
    struct spa_hook listener;
    struct spa_source *timer;
    int64_t period;
    bool waits;
    // Used by the thread, and by other threads while they hold its lock.
    struct spa_io_clock *clock;
    struct spa_io_position *position;
    bool is_streaming;
    bool is_hung;
    bool is_triggering;
    bool is_in_cycle;
    bool has_abandoned;
    int64_t cycle_start;
    int64_t last_tick;
    // For how long the cycle has not ended.
    int64_t waited;
    bool is_prompt;
    uint64_t skip;
    struct recording *recordings;
    struct recording **last;
    // To be freed outside the data thread.
    struct recording *spent;
    // Read without the lock, because the timing thread must not wait for a holder of the lock.
    _Atomic uint64_t played;
    _Atomic uint64_t taken;
    _Atomic uint64_t emitted;
    _Atomic uint64_t lead;
    _Atomic uint64_t abandoned;
    bool hangs_when_done;
    bool rests_when_done;
    // 1 or -1 while it emits frame numbers, else 0; and the frames of the machine's clock up to the next cycle.
    int sign;
    uint64_t count_position;
    // A process that is continued when this many frames were emitted; 0 if there is none.
    pid_t stopped;
    uint64_t continuation;
};

// It counts from cycle to cycle, like a crystal, and uses the clock after a pause.
static void count(struct driver_microphone *microphone, int16_t *target, size_t frames) {
    uint64_t due = microphone->cycle_start * RATE / SPA_NSEC_PER_SEC;
    uint64_t distance = due > microphone->count_position ? due - microphone->count_position
                                                         : microphone->count_position - due;
    if (distance > 2 * frames) {
        // A device continues to sample while the machine is suspended by its host, and its clock shows that.
        if (microphone->count_position != 0 && due > microphone->count_position) microphone->skip += distance;
        microphone->count_position = due;
    }
    for (size_t index = 0; index < frames; index++) {
        uint64_t number = (microphone->count_position + index) % DRIVER_MICROPHONE_COUNT;
        target[index] = (int16_t)(microphone->sign * (int16_t)(number + 1));
    }
    microphone->count_position += frames;
    microphone->emitted += frames;
}

static void put_away(struct driver_microphone *microphone, struct recording *first) {
    microphone->recordings = first->following;
    if (microphone->recordings == NULL) microphone->last = &microphone->recordings;
    first->following = microphone->spent;
    microphone->spent = first;
}

static void free_all(struct recording *recording) {
    while (recording != NULL) {
        struct recording *following = recording->following;
        free(recording);
        recording = following;
    }
}

static void fill(struct driver_microphone *microphone, int16_t *target, size_t frames) {
    if (microphone->sign != 0) return count(microphone, target, frames);
    size_t given = 0;
    struct recording *recording;
    while (given < frames && (recording = microphone->recordings) != NULL) {
        size_t part = SPA_MIN(frames - given, recording->count - recording->next);
        memcpy(target + given, recording->samples + recording->next, part * sizeof(int16_t));
        given += part;
        recording->next += part;
        if (recording->next == recording->count) put_away(microphone, recording);
    }
    memset(target + given, 0, (frames - given) * sizeof(int16_t));
    if (microphone->played == 0) microphone->lead = microphone->emitted;
    microphone->played += given;
    microphone->emitted += frames;
    if (microphone->hangs_when_done && microphone->recordings == NULL) microphone->is_hung = true;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return SPA_TIMESPEC_TO_NSEC(&time);
}

static void advance_clock(struct driver_microphone *microphone, uint64_t frames) {
    struct spa_io_clock *clock = microphone->clock;
    if (clock == NULL) return;
    // A device's clock advances as evenly as it samples, whenever it is read.
    clock->nsec = microphone->sign != 0 ? (int64_t)(microphone->count_position * (SPA_NSEC_PER_SEC / RATE)) : now();
    clock->position += frames + microphone->skip;
    clock->rate_diff = 1.0;
    clock->next_nsec = clock->nsec + microphone->period;
    microphone->skip = 0;
}

static void on_process(void *data) {
    struct driver_microphone *microphone = data;
    // Before it knows that the stream drives, PipeWire asks for a buffer in advance. All later cycles would
    // emit the one before theirs.
    if (!microphone->is_triggering) return;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(microphone->stream);
    if (buffer == NULL) return;
    struct spa_data *plane = &buffer->buffer->datas[0];
    uint64_t quantum = microphone->position != NULL ? microphone->position->clock.duration : 0;
    size_t frames = buffer->requested != 0 ? buffer->requested : quantum != 0 ? quantum : DEFAULT_QUANTUM;
    frames = SPA_MIN(frames, plane->maxsize / sizeof(int16_t));
    fill(microphone, plane->data, frames);
    plane->chunk->offset = 0;
    plane->chunk->stride = sizeof(int16_t);
    plane->chunk->size = frames * sizeof(int16_t);
    advance_clock(microphone, quantum != 0 ? quantum : frames);
    pw_stream_queue_buffer(microphone->stream, buffer);
}

static void on_trigger_done(void *data) {
    struct driver_microphone *microphone = data;
    microphone->is_in_cycle = false;
    microphone->has_abandoned = false;
    microphone->taken = microphone->played;
}

static void on_io_changed(void *data, uint32_t id, void *area, uint32_t size) {
    struct driver_microphone *microphone = data;
    if (id == SPA_IO_Clock) microphone->clock = size >= sizeof(struct spa_io_clock) ? area : NULL;
    if (id == SPA_IO_Position) microphone->position = size >= sizeof(struct spa_io_position) ? area : NULL;
}

static void on_state_changed(
    void *data, enum pw_stream_state old, enum pw_stream_state state, const char *message) {
    struct driver_microphone *microphone = data;
    microphone->is_streaming = state == PW_STREAM_STATE_STREAMING;
    microphone->is_in_cycle = false;
}

static const struct pw_stream_events stream_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = on_state_changed,
    .io_changed = on_io_changed,
    .process = on_process,
    .trigger_done = on_trigger_done,
};

// Cycles begin on time even on a busy machine, like interrupts of hardware. Without the right to real-time priority they
// may be late.
static void keep_time(struct driver_microphone *microphone) {
    struct sched_param priority = {.sched_priority = 60};
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
    microphone->is_prompt = true;
}

static void on_tick(void *data, uint64_t expirations) {
    struct driver_microphone *microphone = data;
    if (microphone->stream == NULL || !microphone->is_streaming || microphone->is_hung || !pw_stream_is_driving(microphone->stream)) return;
    int64_t start = now();
    microphone->waited += SPA_MIN(start - microphone->last_tick, LONGEST_WAIT);
    microphone->last_tick = start;
    if (microphone->rests_when_done && microphone->recordings == NULL && start - microphone->cycle_start < REST) return;
    if (microphone->waits && microphone->is_in_cycle) {
        int64_t limit = microphone->has_abandoned ? ABANDONED_AGAIN : DRIVER_MICROPHONE_CYCLE_TIMEOUT;
        if (microphone->waited < limit) return;
        microphone->has_abandoned = true;
        microphone->abandoned++;
    }
    if (!microphone->waits && !microphone->is_prompt) keep_time(microphone);
    microphone->is_in_cycle = true;
    microphone->cycle_start = start;
    microphone->waited = 0;
    microphone->is_triggering = true;
    pw_stream_trigger_process(microphone->stream);
    microphone->is_triggering = false;
    if (microphone->stopped != 0 && microphone->emitted >= microphone->continuation) {
        kill(microphone->stopped, SIGCONT);
        microphone->stopped = 0;
    }
}

static int connect_stream(struct driver_microphone *microphone, const char *const *properties) {
    struct pw_properties *all = pw_properties_new(
        PW_KEY_MEDIA_CLASS, "Audio/Source", PW_KEY_NODE_DRIVER, "true", PW_KEY_PRIORITY_DRIVER, "30000",
        PW_KEY_PRIORITY_SESSION, "5000", NULL);
    if (all == NULL) return -errno;
    for (; properties[0] != NULL; properties += 2) pw_properties_set(all, properties[0], properties[1]);
    const char *wanted_rate = pw_properties_get(all, PW_KEY_AUDIO_RATE);
    uint32_t rate = wanted_rate != NULL ? (uint32_t)atoi(wanted_rate) : RATE;
    microphone->stream = pw_stream_new(microphone->core, "microphone", all);
    if (microphone->stream == NULL) return -errno;
    pw_stream_add_listener(microphone->stream, &microphone->listener, &stream_events, microphone);
    uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *format = spa_format_audio_raw_build(
        &builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(
                .format = SPA_AUDIO_FORMAT_S16, .rate = rate, .channels = 1,
                .position = {SPA_AUDIO_CHANNEL_MONO}));
    return pw_stream_connect(
        microphone->stream, PW_DIRECTION_OUTPUT, PW_ID_ANY, PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_DRIVER,
        &format, 1);
}

static int start_timer(struct driver_microphone *microphone) {
    struct timespec period = {microphone->period / SPA_NSEC_PER_SEC, microphone->period % SPA_NSEC_PER_SEC};
    struct pw_loop *loop = pw_thread_loop_get_loop(microphone->thread);
    return pw_loop_update_timer(loop, microphone->timer, &period, &period, false);
}

// Since PipeWire 1.4, client.conf loads module-rt, and client-rt.conf is deprecated.
static bool has_one_configuration(void) {
    int major, minor;
    if (sscanf(pw_get_library_version(), "%d.%d", &major, &minor) != 2) return true;
    return major > 1 || (major == 1 && minor >= 4);
}

static int start(struct driver_microphone *microphone, int socket, const char *const *properties) {
    microphone->thread = pw_thread_loop_new("microphone", NULL);
    if (microphone->thread == NULL) return -errno;
    struct pw_loop *loop = pw_thread_loop_get_loop(microphone->thread);
    // Without waiting, the timing thread has the same priority as threads that real microphones wake: see module-rt.
    microphone->context = pw_context_new(
        loop,
        pw_properties_new(
            PW_KEY_CONFIG_NAME, microphone->waits || has_one_configuration() ? "client.conf" : "client-rt.conf",
            "module.rt", microphone->waits ? "false" : "true", NULL),
        0);
    if (microphone->context == NULL) return -errno;
    int own = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return -errno;
    microphone->core = pw_context_connect_fd(microphone->context, own, NULL, 0);
    if (microphone->core == NULL) return -errno;
    int result = connect_stream(microphone, properties);
    if (result < 0) return result;
    microphone->timer = pw_loop_add_timer(loop, on_tick, microphone);
    if (microphone->timer == NULL) return -errno;
    result = start_timer(microphone);
    if (result < 0) return result;
    return pw_thread_loop_start(microphone->thread);
}

static void initialise(void) { pw_init(NULL, NULL); }

struct driver_microphone *driver_microphone_new(
    int socket, const char *const *properties, int64_t period, bool waits) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
    struct driver_microphone *microphone = calloc(1, sizeof *microphone);
    if (microphone == NULL) return NULL;
    microphone->last = &microphone->recordings;
    microphone->period = period;
    microphone->waits = waits;
    int result = start(microphone, socket, properties);
    if (result < 0) {
        driver_microphone_free(microphone);
        errno = -result;
        return NULL;
    }
    return microphone;
}

void driver_microphone_free(struct driver_microphone *microphone) {
    if (microphone->thread != NULL) {
        // While the thread still runs: PipeWire would call back on its data thread after the end of this one.
        pw_thread_loop_lock(microphone->thread);
        if (microphone->stream != NULL) pw_stream_destroy(microphone->stream);
        microphone->stream = NULL;
        pw_thread_loop_unlock(microphone->thread);
        pw_thread_loop_stop(microphone->thread);
    }
    if (microphone->timer != NULL)
        pw_loop_destroy_source(pw_thread_loop_get_loop(microphone->thread), microphone->timer);
    if (microphone->core != NULL) pw_core_disconnect(microphone->core);
    if (microphone->context != NULL) pw_context_destroy(microphone->context);
    if (microphone->thread != NULL) pw_thread_loop_destroy(microphone->thread);
    free_all(microphone->recordings);
    free_all(microphone->spent);
    free(microphone);
}

void driver_microphone_play(
    struct driver_microphone *microphone, const int16_t *samples, size_t count, bool hangs_when_done) {
    struct recording *recording = NULL;
    if (count > 0) recording = malloc(sizeof *recording + count * sizeof(int16_t));
    if (recording != NULL) {
        *recording = (struct recording){.count = count};
        memcpy(recording->samples, samples, count * sizeof(int16_t));
    }
    pw_thread_loop_lock(microphone->thread);
    microphone->hangs_when_done = hangs_when_done;
    if (recording != NULL) {
        *microphone->last = recording;
        microphone->last = &recording->following;
    }
    struct recording *spent = microphone->spent;
    microphone->spent = NULL;
    pw_thread_loop_unlock(microphone->thread);
    free_all(spent);
}

int driver_microphone_set_pace(struct driver_microphone *microphone, int64_t period, bool waits) {
    pw_thread_loop_lock(microphone->thread);
    microphone->period = period;
    microphone->waits = waits;
    int result = start_timer(microphone);
    pw_thread_loop_unlock(microphone->thread);
    return result;
}

uint64_t driver_microphone_played(struct driver_microphone *microphone) { return microphone->played; }

uint64_t driver_microphone_taken(struct driver_microphone *microphone) { return microphone->taken; }

uint64_t driver_microphone_abandoned(struct driver_microphone *microphone) {
    return microphone->abandoned;
}

uint64_t driver_microphone_emitted(struct driver_microphone *microphone) { return microphone->emitted; }

uint64_t driver_microphone_lead(struct driver_microphone *microphone) { return microphone->lead; }

void driver_microphone_set_hung(struct driver_microphone *microphone, bool is_hung) {
    pw_thread_loop_lock(microphone->thread);
    microphone->is_hung = is_hung;
    pw_thread_loop_unlock(microphone->thread);
}

void driver_microphone_rest(struct driver_microphone *microphone) {
    pw_thread_loop_lock(microphone->thread);
    microphone->rests_when_done = true;
    pw_thread_loop_unlock(microphone->thread);
}

void driver_microphone_count(struct driver_microphone *microphone, bool is_negative) {
    pw_thread_loop_lock(microphone->thread);
    microphone->sign = is_negative ? -1 : 1;
    pw_thread_loop_unlock(microphone->thread);
}

void driver_microphone_change(struct driver_microphone *microphone, const char *const *properties) {
    struct spa_dict_item items[16];
    uint32_t count = 0;
    for (; properties[0] != NULL && count < SPA_N_ELEMENTS(items); properties += 2)
        items[count++] = SPA_DICT_ITEM_INIT(properties[0], properties[1]);
    pw_thread_loop_lock(microphone->thread);
    pw_stream_update_properties(microphone->stream, &SPA_DICT_INIT(items, count));
    pw_thread_loop_unlock(microphone->thread);
}

void driver_microphone_skip(struct driver_microphone *microphone, uint64_t frames) {
    pw_thread_loop_lock(microphone->thread);
    microphone->skip += frames;
    pw_thread_loop_unlock(microphone->thread);
}

void driver_microphone_continue(struct driver_microphone *microphone, pid_t process, uint64_t frames) {
    pw_thread_loop_lock(microphone->thread);
    microphone->stopped = process;
    microphone->continuation = microphone->emitted + frames;
    pw_thread_loop_unlock(microphone->thread);
}
