#pragma once

#include "dictation_connection.h"

#pragma clang assume_nonnull begin

// A link between two ports. It ends with its connection.

struct dictation_link;

/// Asks the server for a link. ``dictation_connection_events`` report it when it is made. Null with errno on failure.
struct dictation_link *_Nullable dictation_link_new(
    struct dictation_connection *connection, uint32_t output_port, uint32_t input_port);

/// The server has refused or removed the link.
bool dictation_link_is_over(const struct dictation_link *link);

/// Removes the link. Call it before the connection is freed.
void dictation_link_free(struct dictation_link *link);

#pragma clang assume_nonnull end
