#include "dictation_loss.h"

#define RATE 16000
#define NANOSECONDS 1000000000

// A buffer contains audio up to the cycle that delivers it. Between two sources, the audio from the last cycle of one
// to the beginning of the first buffer of the other is lost.
static uint64_t between_sources(const struct dictation_loss *loss, const struct dictation_loss_cycle *cycle)
    __attribute__((nonblocking)) {
    if (loss->time == 0 || cycle->time <= loss->time) return 0;
    uint64_t elapsed = (uint64_t)(cycle->time - loss->time) * RATE / NANOSECONDS;
    return elapsed > cycle->frames ? elapsed - cycle->frames : 0;
}

static uint64_t begin(struct dictation_loss *loss, const struct dictation_loss_cycle *cycle)
    __attribute__((nonblocking)) {
    // A gap that no further cycle of the old clock can confirm is within the time since.
    uint64_t lost = between_sources(loss, cycle);
    *loss = (struct dictation_loss){
        .position = cycle->position, .time = cycle->time, .quantum = cycle->last_frames};
    return lost;
}

bool dictation_loss_is_filler(const struct dictation_loss *loss, uint64_t position) __attribute__((nonblocking)) {
    return loss->time != 0 && loss->position == position && loss->missing > 0;
}

uint64_t dictation_loss_take(struct dictation_loss *loss, const struct dictation_loss_cycle *cycle)
    __attribute__((nonblocking)) {
    if (cycle->clock_is_new || loss->time == 0 || cycle->position < loss->position) return begin(loss, cycle);
    int64_t frames = (int64_t)cycle->frames;
    if (cycle->position == loss->position) {
        // The rest of the same cycle's audio, or a late buffer.
        if (loss->missing > 0) loss->missing -= frames;
        else loss->quantum += cycle->frames;
        return 0;
    }
    // The last buffer is this cycle's audio; earlier ones fill the gap.
    int64_t late = frames - (int64_t)cycle->last_frames;
    int64_t gap = (int64_t)(cycle->position - loss->position) - (int64_t)loss->quantum;
    int64_t before = loss->missing;
    int64_t missing = before + gap - late;
    int64_t half = (int64_t)loss->quantum / 2;
    int64_t lost = 0;
    if (missing < half && missing > -half) {
        // Rounding of a resampler.
        missing = 0;
    } else if (before > 0 && missing > 0) {
        lost = before < missing ? before : missing;
        loss->told += lost;
        missing -= lost;
    }
    // Audio that was not reported as lost does not reduce later gaps.
    if (missing < -loss->told) missing = -loss->told;
    loss->missing = missing;
    loss->position = cycle->position;
    loss->time = cycle->time;
    loss->quantum = cycle->last_frames;
    return (uint64_t)lost;
}
