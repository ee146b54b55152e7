#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A connection to a PipeWire server, confined to one thread: the one that makes it, iterates it and frees it.
// Only the samples of a capture come on another thread, PipeWire's own, and never leave C there.

struct dictation_connection;

/// Properties of an object of the graph, valid during the event that shows them. Values are whatever the
/// object's owner put there: any bytes but NUL, of any length.
struct dictation_properties;

const char *_Nullable dictation_properties_get(const struct dictation_properties *properties, const char *key);

/// What the server tells, during ``dictation_connection_iterate``. The functions must not free the connection.
/// All of them are required.
struct dictation_connection_events {
    /// Everything asked before the round trip of this number has been answered.
    void (*round_trip_done)(void *context, int number);
    /// The connection as a whole is in trouble; errors of single objects, which end with the object, are
    /// not told. `error` is an errno value; EPIPE, ECONNRESET and ENOTCONN mean the server is gone.
    void (*failed)(void *context, int error, const char *_Nullable message);
    /// The server knows this connection as the client of this id.
    void (*client_identified)(void *context, uint32_t client);
    /// A client, and the process that connected it, as the server's kernel names it; 0 if unknown. No client can change
    /// this.
    void (*client_added)(void *context, uint32_t client, int process);
    void (*node_added)(void *context, uint32_t node, const struct dictation_properties *properties);
    /// Of a node that is watched: whether it runs, and all its properties, null where they are as before.
    void (*node_changed)(
        void *context, uint32_t node, bool is_running,
        const struct dictation_properties *_Nullable properties);
    /// Of a node that is watched.
    void (*node_mute_changed)(void *context, uint32_t node, bool is_muted);
    /// Of a client that is watched: all its properties.
    void (*client_changed)(
        void *context, uint32_t client, const struct dictation_properties *properties);
    /// Of a device that is watched: all its properties.
    void (*device_changed)(
        void *context, uint32_t device, const struct dictation_properties *properties);
    /// An audio port of a node. `index` is its `port.id`, which counts the ports of one direction.
    void (*port_added)(void *context, uint32_t port, uint32_t node, bool is_input, uint32_t index);
    /// `client` made the link; UINT32_MAX where the server does not say who.
    void (*link_added)(
        void *context, uint32_t link, uint32_t output_node, uint32_t input_node, uint32_t client);
    /// This connection may make links.
    void (*link_factory_added)(void *context, uint32_t factory);
    /// A node, a port, a link, a client, a device, a factory, or another object that was never told of.
    void (*object_removed)(void *context, uint32_t object);
    /// The `node.name` in the metadata `default.audio.source`. Null where there is none.
    void (*default_source_changed)(void *context, const char *_Nullable name);
};

/// Connects through a duplicate of a connected socket. Never waits. Null with errno on failure.
struct dictation_connection *_Nullable dictation_connection_new(
    int socket, const struct dictation_connection_events *events, void *context);

/// Every capture of the connection must have been stopped before.
void dictation_connection_free(struct dictation_connection *connection);

/// Readable when there is something to iterate. Belongs to the connection.
int dictation_connection_descriptor(const struct dictation_connection *connection);

/// Takes what has come and calls the events. Never waits.
void dictation_connection_iterate(struct dictation_connection *connection);

/// Starts a round trip and returns its number; negative errno on failure.
int dictation_connection_begin_round_trip(struct dictation_connection *connection);

/// Asks for state, properties and mute of a node, now and whenever they change, until it is removed.
/// 0, or negative errno.
int dictation_connection_watch_node(struct dictation_connection *connection, uint32_t node);

/// Asks for the properties of a client or a device, likewise.
int dictation_connection_watch_client(struct dictation_connection *connection, uint32_t client);
int dictation_connection_watch_device(struct dictation_connection *connection, uint32_t device);

/// Asks for the default source anew.
void dictation_connection_reread_default_source(struct dictation_connection *connection);

/// Takes from this client, for as long as its connection lives, all that capturing and watching do not need: it may
/// look at everything, make streams of its own, and change nothing that is another's. To be called when all that was
/// there has been told, on a connection that is to be lent; it tells nothing any more but round trips.
/// 0, or negative errno.
int dictation_connection_restrict(struct dictation_connection *connection);

/// Gives up the connection's socket, for another to speak on as if it were new; only to be freed then. Negative errno
/// on failure.
int dictation_connection_take_socket(struct dictation_connection *connection);

#pragma clang assume_nonnull end
