#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A bounded queue of samples between one writing and one reading thread. It is C because the writer is PipeWire's data
// thread: neither side locks, allocates or blocks.

struct dictation_ring;

/// Room for at least `frames` samples, rounded up to a power of two. Null if memory is short.
struct dictation_ring *_Nullable dictation_ring_new(size_t frames);
void dictation_ring_free(struct dictation_ring *ring);

/// Writing thread. Appends what fits and counts the rest as dropped. Returns the number of appended samples.
size_t dictation_ring_write(struct dictation_ring *ring, const int16_t *samples, size_t count)
    __attribute__((nonblocking));

/// Writing thread. Counts missing frames.
void dictation_ring_count_dropped(struct dictation_ring *ring, size_t frames) __attribute__((nonblocking));

/// Reading thread. Reads at most `capacity` samples, the oldest first. Returns their number.
size_t dictation_ring_read(struct dictation_ring *ring, int16_t *samples, size_t capacity);

/// Either thread. The number of samples that can be read now.
size_t dictation_ring_readable(const struct dictation_ring *ring) __attribute__((nonblocking));

/// Any thread. The frames dropped since the last call.
uint64_t dictation_ring_take_dropped(struct dictation_ring *ring);

#pragma clang assume_nonnull end
