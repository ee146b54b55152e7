#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A connection to a PipeWire server, confined to the thread that makes it, iterates it and frees it. Only the samples
// of a capture arrive on another thread, PipeWire's own, and stay in C there.

struct dictation_connection;

/// Properties of an object of the graph, valid during the event. Values are chosen by the object's owner: any bytes but
/// NUL, of any length.
struct dictation_properties;

const char *_Nullable dictation_properties_get(const struct dictation_properties *properties, const char *key);

/// The server's events, during ``dictation_connection_iterate``. The functions must not free the connection. All of
/// them are required.
struct dictation_connection_events {
    /// Everything requested before the round trip with this number has been answered.
    void (*round_trip_done)(void *context, int number);
    /// An error of the whole connection. Errors of single objects, which end with the object, are not reported. `error`
    /// is an errno value; EPIPE, ECONNRESET and ENOTCONN mean that the server is gone.
    void (*failed)(void *context, int error, const char *_Nullable message);
    /// The ID of this connection's client.
    void (*client_identified)(void *context, uint32_t client);
    /// A client, and the process that connected it, as the server's kernel names it; 0 if unknown. No client can change
    /// this.
    void (*client_added)(void *context, uint32_t client, int process);
    void (*node_added)(void *context, uint32_t node, const struct dictation_properties *properties);
    /// Of a watched node: whether it runs, and all its properties, null if unchanged.
    void (*node_changed)(
        void *context, uint32_t node, bool is_running,
        const struct dictation_properties *_Nullable properties);
    /// Of a watched node.
    void (*node_mute_changed)(void *context, uint32_t node, bool is_muted);
    /// Of a watched node: the amplification of its loudest channel.
    void (*node_volume_changed)(void *context, uint32_t node, float volume);
    /// Of a watched client: all its properties.
    void (*client_changed)(
        void *context, uint32_t client, const struct dictation_properties *properties);
    /// Of a watched device: all its properties.
    void (*device_changed)(
        void *context, uint32_t device, const struct dictation_properties *properties);
    /// An audio port of a node. `index` is its `port.id`, which counts the ports with one direction.
    void (*port_added)(void *context, uint32_t port, uint32_t node, bool is_input, uint32_t index);
    /// `client` made the link; UINT32_MAX if unknown.
    void (*link_added)(
        void *context, uint32_t link, uint32_t output_node, uint32_t input_node, uint32_t client);
    /// This connection may make links.
    void (*link_factory_added)(void *context, uint32_t factory);
    /// A node, a port, a link, a client, a device, a factory, or an object without an earlier event.
    void (*object_removed)(void *context, uint32_t object);
    /// The `node.name` in the metadata `default.audio.source`; null if there is none.
    void (*default_source_changed)(void *context, const char *_Nullable name);
};

/// Connects with a duplicate of a connected socket. Does not block. Null with errno on failure.
struct dictation_connection *_Nullable dictation_connection_new(
    int socket, const struct dictation_connection_events *events, void *context);

/// Every capture of the connection must have been stopped before.
void dictation_connection_free(struct dictation_connection *connection);

/// Readable when there is something to iterate. Belongs to the connection.
int dictation_connection_descriptor(const struct dictation_connection *connection);

/// Reads messages and calls the events. Does not block.
void dictation_connection_iterate(struct dictation_connection *connection);

/// Starts a round trip and returns its number; negative errno on failure.
int dictation_connection_begin_round_trip(struct dictation_connection *connection);

/// Subscribes to state, properties and mute of a node, until it is removed. 0, or negative errno.
int dictation_connection_watch_node(struct dictation_connection *connection, uint32_t node);

/// Subscribes to the properties of a client or a device, likewise.
int dictation_connection_watch_client(struct dictation_connection *connection, uint32_t client);
int dictation_connection_watch_device(struct dictation_connection *connection, uint32_t device);

/// Queries the default source again.
void dictation_connection_reread_default_source(struct dictation_connection *connection);

#pragma clang assume_nonnull end
