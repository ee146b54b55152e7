#pragma once

#include <stdbool.h>

#pragma clang assume_nonnull begin

// Another program's capture, for tests: records the default source, throws it away, and can be corked, which
// PipeWire's own tools cannot.

struct recorder;

/// Appears in the graph through a duplicate of a connected socket.
/// - properties: keys and values in turn, then null.
/// Null with errno on failure.
struct recorder *_Nullable recorder_new(
    int socket, const char *_Nullable const *_Nonnull properties, bool is_corked);

/// Leaves the graph.
void recorder_free(struct recorder *recorder);

/// Corked, its node stays in the graph and is idle.
void recorder_set_corked(struct recorder *recorder, bool is_corked);

#pragma clang assume_nonnull end
