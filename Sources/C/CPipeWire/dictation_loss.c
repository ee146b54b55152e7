#include "dictation_loss.h"

// Of two cycles of a resampler.
#define ROUNDING 4
#define NANOSECONDS 1000000000

// Frames of a tenth of a second: longer silence is a source's own.
static uint64_t silence_limit(const struct dictation_loss_cycle *cycle) __attribute__((nonblocking)) {
    return cycle->rate / 10;
}

// A buffer contains audio up to the cycle that delivers it. Between two sources, the audio from the last cycle of one
// to the beginning of the first buffer of the other is lost, less what was heard in between. What both were heard at
// the same time does not fill an earlier gap.
static int64_t between_sources(
    const struct dictation_loss *loss, const struct dictation_loss_cycle *cycle, int64_t late)
    __attribute__((nonblocking)) {
    if (loss->time == 0) return 0;
    int64_t elapsed = cycle->time > loss->time ? (cycle->time - loss->time) * cycle->rate / NANOSECONDS : 0;
    int64_t lost = elapsed - ((int64_t)(cycle->frames - cycle->empty_frames + loss->since) - late);
    // The server took the stream off its former source first, and gave it silence instead.
    if (loss->empty <= silence_limit(cycle)) lost += (int64_t)loss->empty;
    return lost > 0 ? lost : 0;
}

static uint64_t begin(struct dictation_loss *loss, const struct dictation_loss_cycle *cycle)
    __attribute__((nonblocking)) {
    // No further cycle of the former clock will confirm a gap. Late buffers fill it before, and frames that it reported in
    // excess are subtracted.
    int64_t before = (int64_t)(cycle->frames - cycle->last_frames);
    int64_t late = loss->missing <= 0 ? 0 : before < loss->missing ? before : loss->missing;
    int64_t lost = loss->missing - late + between_sources(loss, cycle, late);
    int64_t missing = lost < 0 ? lost : 0;
    if (lost < 0) lost = 0;
    *loss = (struct dictation_loss){
        .position = cycle->position, .time = cycle->time, .quantum = cycle->last_frames,
        .missing = missing, .told = lost - missing,
        // Silence before any sound is the source's.
        .empty = cycle->empty_frames < cycle->frames ? 0 : silence_limit(cycle) + 1};
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
    // What is left of a gap that was filled is a resampler's rounding, or was missed.
    int64_t rounding = before == 0 ? (int64_t)loss->quantum / 2 : ROUNDING;
    int64_t lost = 0;
    if (missing < rounding && missing > -rounding) {
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
