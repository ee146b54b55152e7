#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Counts the audio that a stream has missed, by the graph's clock. Used by one thread.
//
// In each cycle a stream gets the audio from the cycle's position on. A gap is reported when the next cycle confirms
// it: a buffer that is late by one cycle fills it before. A buffer that is later than that reduces the next gap.
struct dictation_loss {
    // The last cycle, in frames of the graph's clock and in nanoseconds of the machine's, 0 before the first.
    uint64_t position;
    int64_t time;
    // Frames of the last buffer in it.
    uint64_t quantum;
    // Frames of the graph's clock that passed and were neither received nor reported; negative if more was reported
    // than was missing.
    int64_t missing;
    // Frames reported as lost, from which late buffers were not subtracted yet.
    int64_t told;
    // Frames heard since the time above that belong to no earlier gap: the rest of its cycle, and what came while the
    // stream was still shown the clock of the source it had before.
    uint64_t since;
    // Frames of the cycles since the last sound, whose buffers were all empty.
    uint64_t empty;
};

// A call of the stream, and its buffers.
struct dictation_loss_cycle {
    uint64_t position;
    int64_t time;
    // Frames a second.
    uint32_t rate;
    // In all buffers, and in the last one.
    uint64_t frames;
    uint64_t last_frames;
    // Of all frames, those in buffers that are marked as empty. A source that has just been linked gives such a buffer
    // before its first sound.
    uint64_t empty_frames;
    // The clock may have changed: the loss is measured by the machine's clock.
    bool clock_is_new;
};

// Whether silence in a call of the stream at this position replaces missing audio and is not the source's. PipeWire
// (0.3.65) calls a stream that has missed a cycle twice in the next one, the second time with a buffer that is marked
// as empty.
bool dictation_loss_is_filler(const struct dictation_loss *loss, uint64_t position) __attribute__((nonblocking));

// Counts a call of the stream. Returns the lost frames. All frames are at the rate of the cycle.
uint64_t dictation_loss_take(struct dictation_loss *loss, const struct dictation_loss_cycle *cycle)
    __attribute__((nonblocking));

#pragma clang assume_nonnull end
