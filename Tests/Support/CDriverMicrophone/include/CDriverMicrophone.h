#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "CRecorder.h"
#include "CMeddler.h"

#pragma clang assume_nonnull begin

// A microphone for tests: a PipeWire source that drives the graph, at any rate, and emits exactly the samples
// it is given. Signed 16 bit, mono, 16 kHz. It is C because PipeWire's API is out of Swift's reach and the
// graph's cycles do not wait for Swift. It has a thread of its own; every function may be called from any.

struct driver_microphone;

/// Nanoseconds. A cycle that has not ended after this time never will: the graph was changed meanwhile.
#define DRIVER_MICROPHONE_CYCLE_TIMEOUT 1000000000LL

/// Appears in the graph through a duplicate of a connected socket.
/// - properties: keys and values in turn, then null. They come on top of what a driving source needs. `audio.rate` is
///   that of its samples; 16 kHz without it.
/// - period: nanoseconds from one cycle of the graph to the next.
/// - waits: a cycle begins only when all that the one before has set going is done, so that nothing is lost
///   however slow the machine; else cycles begin on time, like those of real hardware.
/// Null with errno on failure.
struct driver_microphone *_Nullable driver_microphone_new(
    int socket, const char *_Nullable const *_Nonnull properties, int64_t period, bool waits);

/// Vanishes from the graph, like a microphone that is unplugged.
void driver_microphone_free(struct driver_microphone *microphone);

/// Samples to emit, behind those given before. Where there are none it emits zeroes, or hangs: then, if the
/// count is a multiple of the graph's cycle, it has emitted nothing after them.
void driver_microphone_play(
    struct driver_microphone *microphone, const int16_t *samples, size_t count, bool hangs_when_done);

/// Cycles that never ended: it stood still for up to the timeout each time.
uint64_t driver_microphone_abandoned(struct driver_microphone *microphone);

/// Begins cycles at another pace from now on: see ``driver_microphone_new``. A negative error number on failure.
int driver_microphone_set_pace(struct driver_microphone *microphone, int64_t period, bool waits);

/// Frames emitted so far: those given, and all with the zeroes between.
uint64_t driver_microphone_played(struct driver_microphone *microphone);
uint64_t driver_microphone_emitted(struct driver_microphone *microphone);

/// Frames of those given that all readers have taken: their cycle has ended.
uint64_t driver_microphone_taken(struct driver_microphone *microphone);

/// Frames emitted before the first that was given.
uint64_t driver_microphone_lead(struct driver_microphone *microphone);

/// Emits nothing, as a device that hangs, until it is told otherwise.
void driver_microphone_set_hung(struct driver_microphone *microphone, bool is_hung);

/// From now on, cycles without given samples are slow: ten in a second.
void driver_microphone_rest(struct driver_microphone *microphone);

/// How far a microphone counts before it begins again.
#define DRIVER_MICROPHONE_COUNT 32767

/// From now on it emits numbers of frames by the machine's clock, 1 to ``DRIVER_MICROPHONE_COUNT`` and again from 1,
/// all positive or all negative: of two microphones that count, the samples tell which spoke, and when.
void driver_microphone_count(struct driver_microphone *microphone, bool is_negative);

/// Changes properties of its node, keys and values in turn, then null, as a headset does that changes its profile.
void driver_microphone_change(
    struct driver_microphone *microphone, const char *_Nullable const *_Nonnull properties);

/// Moves the graph's clock on once, by so many frames, as if the cycles between had been missed.
void driver_microphone_skip(struct driver_microphone *microphone, uint64_t frames);

/// Continues a stopped process once so many more frames were emitted, however late other threads are.
void driver_microphone_continue(struct driver_microphone *microphone, pid_t process, uint64_t frames);

#pragma clang assume_nonnull end
