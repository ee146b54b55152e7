#include "dictation_loss.h"

#define RATE 16000
#define NANOSECONDS 1000000000
// Longer silence is a source's own.
#define SILENCE_LIMIT (RATE / 10)

// A buffer contains audio up to the cycle that delivers it. Between two sources, the audio from the last cycle of one
// to the beginning of the first buffer of the other is lost, less what was heard in between.
static int64_t between_sources(const struct dictation_loss *loss, const struct dictation_loss_cycle *cycle)
    __attribute__((nonblocking)) {
    if (loss->time == 0) return 0;
    int64_t elapsed = cycle->time > loss->time ? (cycle->time - loss->time) * RATE / NANOSECONDS : 0;
    return elapsed - (int64_t)(cycle->frames - cycle->empty_frames + loss->since);
}

static uint64_t begin(struct dictation_loss *loss, const struct dictation_loss_cycle *cycle)
    __attribute__((nonblocking)) {
    // No further cycle of the former clock will confirm a gap. Frames that it reported in excess are subtracted.
    int64_t lost = loss->missing + between_sources(loss, cycle);
    // The server took the stream off its former source first, and gave it silence instead.
    if (loss->empty <= SILENCE_LIMIT) lost += (int64_t)loss->empty;
    int64_t missing = 0;
    if (lost < 0) {
        if (loss->missing < 0) missing = lost > loss->missing ? lost : loss->missing;
        lost = 0;
    }
    *loss = (struct dictation_loss){
        .position = cycle->position, .time = cycle->time, .quantum = cycle->last_frames,
        .missing = missing, .told = lost - missing,
        // Silence before any sound is the source's.
        .empty = cycle->empty_frames < cycle->frames ? 0 : SILENCE_LIMIT + 1};
    return (uint64_t)lost;
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
        int64_t late = loss->missing <= 0 ? 0 : frames < loss->missing ? frames : loss->missing;
        loss->missing -= late;
        loss->quantum += (uint64_t)(frames - late);
        int64_t heard = frames - late - (int64_t)cycle->empty_frames;
        if (heard > 0) loss->since += (uint64_t)heard;
        return 0;
    }
    loss->empty = cycle->empty_frames < cycle->frames ? 0 : loss->empty + cycle->frames;
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
    loss->since = 0;
    return (uint64_t)lost;
}
