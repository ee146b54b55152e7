#pragma once

#include "dictation_connection.h"

#pragma clang assume_nonnull begin

// A capture stream: signed 16 bit, mono, at any rate; PipeWire converts the source's format. Samples arrive on PipeWire's
// data thread, which copies them into a ring and wakes the reader by an eventfd.

struct dictation_capture;

enum dictation_capture_state {
    /// No source, or refused. PipeWire links the same stream once it can.
    DICTATION_CAPTURE_ERROR,
    /// The server removed it or is gone.
    DICTATION_CAPTURE_UNCONNECTED,
    DICTATION_CAPTURE_CONNECTING,
    DICTATION_CAPTURE_PAUSED,
    DICTATION_CAPTURE_STREAMING,
};

struct dictation_capture_options {
    /// `node.name` and `node.description`.
    const char *name;
    const char *description;
    /// `target.object`: the `node.name` or `object.serial` of the wanted source; null for the default.
    const char *_Nullable target;
    /// Frames a second.
    uint32_t rate;
    /// Minimum number of frames in the ring.
    size_t ring_frames;
    /// The stream's node has one input port from the beginning. Otherwise it has none until a session manager
    /// configures its ports, which may happen in either case.
    bool has_port;
    /// The first channel of the source is captured, instead of the mean of all.
    bool has_one_channel;
};

/// Called during ``dictation_connection_iterate``; must not free the capture. `message` is PipeWire's own for an error,
/// else null.
typedef void (*dictation_capture_state_changed)(
    void *context, enum dictation_capture_state state, const char *_Nullable message);

/// Null with errno on failure.
struct dictation_capture *_Nullable dictation_capture_new(
    struct dictation_connection *connection, const struct dictation_capture_options *options,
    dictation_capture_state_changed state_changed, void *context);

/// Asks the server to remove the node of a connected stream. The state `UNCONNECTED` follows. Returns false if there is
/// nothing to wait for.
///
/// Call it before ``dictation_capture_stop`` while the server is there. PipeWire before 0.3.72 does not close
/// descriptors that arrive for a destroyed stream, for example while it is being linked.
bool dictation_capture_withdraw(struct dictation_capture *capture);

/// Destroys the stream. No event and no sample follows; samples in the ring can still be read. Call it once, before the
/// connection is freed.
void dictation_capture_stop(struct dictation_capture *capture);

/// Frees a stopped capture.
void dictation_capture_free(struct dictation_capture *capture);

/// The ID of the stream's node; UINT32_MAX until the server has made it.
uint32_t dictation_capture_node(const struct dictation_capture *capture);

/// The kernel's id of the data thread that brings the samples; 0 until it has run.
int dictation_capture_thread(const struct dictation_capture *capture);

/// Readable when there are samples or losses. Belongs to the capture.
int dictation_capture_descriptor(const struct dictation_capture *capture);

/// Call before reading after a wake-up, so that the next samples wake again.
void dictation_capture_rearm(struct dictation_capture *capture);

/// Batches samples within ±`quiet_peak` up to `frames`, so that silence rarely wakes the reader. Louder samples, losses
/// and the first samples after a change of state wake at once.
void dictation_capture_batch(struct dictation_capture *capture, unsigned frames, int quiet_peak);

/// Multiplies the samples before they are converted to 16 bit.
void dictation_capture_set_volume(struct dictation_capture *capture, float volume);

/// The number of samples that can be read now.
size_t dictation_capture_readable(const struct dictation_capture *capture);

/// Reads at most `capacity` samples, the oldest first. Returns their number.
size_t dictation_capture_read(struct dictation_capture *capture, int16_t *samples, size_t capacity);

/// Frames lost since the last call, because the ring was full, the graph ran cycles without this stream, or the stream
/// was moved to another source. At least the missing ones, and on an overloaded machine sometimes more. After a move
/// the machine's clock is used, with an error of up to a cycle of each source. A gap is reported in the second cycle
/// after it. Cycles skipped by the source itself, and those before the second received one, are not detected.
uint64_t dictation_capture_take_dropped(struct dictation_capture *capture);

#pragma clang assume_nonnull end
