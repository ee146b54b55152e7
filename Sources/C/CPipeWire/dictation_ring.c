#include "dictation_ring.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE 64
// The smallest page size of Linux.
#define PAGE 4096

// Positions only grow; they wrap with size_t, which is a multiple of a power of two. Each side writes only its own
// position, so acquire and release on both are sufficient.
struct dictation_ring {
    size_t capacity;
    int16_t *samples;
    _Alignas(CACHE_LINE) _Atomic size_t written;
    _Atomic uint64_t dropped;
    _Alignas(CACHE_LINE) _Atomic size_t read;
};

struct dictation_ring *dictation_ring_new(size_t frames) {
    size_t capacity = 1;
    while (capacity < frames) {
        if (capacity > SIZE_MAX / 2 / sizeof(int16_t)) return NULL;
        capacity *= 2;
    }
    struct dictation_ring *ring = aligned_alloc(CACHE_LINE, sizeof(struct dictation_ring));
    if (ring == NULL) return NULL;
    ring->samples = malloc(capacity * sizeof(int16_t));
    if (ring->samples == NULL) {
        free(ring);
        return NULL;
    }
    // The pages must exist before the data thread needs them. Compilers turn a memset into calloc, which leaves pages
    // to be faulted in later; they must keep volatile writes.
    volatile char *bytes = (volatile char *)ring->samples;
    for (size_t i = 0; i < capacity * sizeof(int16_t); i += PAGE) bytes[i] = 0;
    bytes[capacity * sizeof(int16_t) - 1] = 0;
    ring->capacity = capacity;
    atomic_init(&ring->written, 0);
    atomic_init(&ring->dropped, 0);
    atomic_init(&ring->read, 0);
    return ring;
}

void dictation_ring_free(struct dictation_ring *ring) {
    free(ring->samples);
    free(ring);
}

size_t dictation_ring_write(struct dictation_ring *ring, const int16_t *samples, size_t count)
    __attribute__((nonblocking)) {
    size_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    size_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
    size_t room = ring->capacity - (written - read);
    size_t fitting = count < room ? count : room;
    size_t offset = written & (ring->capacity - 1);
    size_t upToEnd = ring->capacity - offset;
    size_t first = fitting < upToEnd ? fitting : upToEnd;
    memcpy(ring->samples + offset, samples, first * sizeof(int16_t));
    memcpy(ring->samples, samples + first, (fitting - first) * sizeof(int16_t));
    atomic_store_explicit(&ring->written, written + fitting, memory_order_release);
    if (fitting < count) dictation_ring_count_dropped(ring, count - fitting);
    return fitting;
}

void dictation_ring_count_dropped(struct dictation_ring *ring, size_t frames) __attribute__((nonblocking)) {
    atomic_fetch_add_explicit(&ring->dropped, frames, memory_order_relaxed);
}

size_t dictation_ring_read(struct dictation_ring *ring, int16_t *samples, size_t capacity) {
    size_t readable = dictation_ring_readable(ring);
    size_t taken = readable < capacity ? readable : capacity;
    size_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    size_t offset = read & (ring->capacity - 1);
    size_t upToEnd = ring->capacity - offset;
    size_t first = taken < upToEnd ? taken : upToEnd;
    memcpy(samples, ring->samples + offset, first * sizeof(int16_t));
    memcpy(samples + first, ring->samples, (taken - first) * sizeof(int16_t));
    atomic_store_explicit(&ring->read, read + taken, memory_order_release);
    return taken;
}

size_t dictation_ring_readable(const struct dictation_ring *ring) __attribute__((nonblocking)) {
    return atomic_load_explicit(&ring->written, memory_order_acquire)
        - atomic_load_explicit(&ring->read, memory_order_relaxed);
}

uint64_t dictation_ring_take_dropped(struct dictation_ring *ring) {
    return atomic_exchange_explicit(&ring->dropped, 0, memory_order_relaxed);
}
