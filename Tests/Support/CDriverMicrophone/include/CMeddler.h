#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

// A client that tries forbidden operations on a connection. Each attempt waits for the server and returns 0 if it was
// not refused, else the negative errno of the refusal, or -ENOENT if the client cannot see the object that it needs.

struct meddler;

/// Speaks on a duplicate of a connected socket, and looks at the graph. Null with errno on failure.
struct meddler *_Nullable meddler_new(int socket);

void meddler_free(struct meddler *meddler);

/// Halves the volume of the node of this name.
int meddler_set_volume(struct meddler *meddler, const char *node);

/// Links an output of one node to an input of another.
int meddler_link(struct meddler *meddler, const char *output, const char *input);

/// Destroys the node of this name.
int meddler_destroy(struct meddler *meddler, const char *node);

/// Chooses the default source for everybody.
int meddler_choose_default(struct meddler *meddler, const char *node);

/// Has the server make a node of its own.
int meddler_create_node(struct meddler *meddler, const char *name);

/// Gives itself every right to everything.
int meddler_lift_restrictions(struct meddler *meddler);

#pragma clang assume_nonnull end
