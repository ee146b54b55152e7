#include "dictation_connection_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
// Included before its extension, which depends on it.
#include <pipewire/pipewire.h>
#include <pipewire/extensions/metadata.h>
#include <pthread.h>
#include <spa/param/props.h>
#include <spa/pod/iter.h>
#include <spa/utils/json.h>
#include <stdlib.h>
#include <string.h>

// Longer names are ignored.
#define NAME_SIZE 1024

struct dictation_connection {
    struct dictation_connection_events events;
    void *context;
    struct pw_loop *loop;
    struct pw_context *pipewire;
    struct pw_core *core;
    struct pw_registry *registry;
    struct spa_hook core_listener;
    struct spa_hook client_listener;
    struct spa_hook registry_listener;
    // Of struct object: the bound objects.
    struct spa_list objects;
};

// A bound node or metadata, kept in its proxy's user data.
struct object {
    struct spa_list link;
    struct dictation_connection *connection;
    struct pw_proxy *proxy;
    uint32_t id;
    bool is_metadata;
    struct spa_hook proxy_listener;
    struct spa_hook object_listener;
};

const char *dictation_properties_get(const struct dictation_properties *properties, const char *key) {
    return spa_dict_lookup((const struct spa_dict *)properties, key);
}

static const struct dictation_properties *properties_of(const struct spa_dict *dict) {
    static const struct spa_dict none = SPA_DICT_INIT(NULL, 0);
    return (const struct dictation_properties *)(dict != NULL ? dict : &none);
}

// MARK: Bound objects

static void destroy_object(struct object *object) {
    spa_list_remove(&object->link);
    spa_hook_remove(&object->object_listener);
    spa_hook_remove(&object->proxy_listener);
    pw_proxy_destroy(object->proxy);
}

static void lose_object(struct object *object) {
    struct dictation_connection *connection = object->connection;
    bool was_metadata = object->is_metadata;
    destroy_object(object);
    // The session manager that owned it is gone, and so are all defaults.
    if (was_metadata) connection->events.default_source_changed(connection->context, NULL);
}

static void on_proxy_removed(void *data) { lose_object(data); }

static const struct pw_proxy_events proxy_events = {PW_VERSION_PROXY_EVENTS, .removed = on_proxy_removed};

static struct object *bind_object(
    struct dictation_connection *connection, uint32_t id, const char *type, uint32_t version) {
    struct pw_proxy *proxy = pw_registry_bind(connection->registry, id, type, version, sizeof(struct object));
    if (proxy == NULL) return NULL;
    struct object *object = pw_proxy_get_user_data(proxy);
    object->connection = connection;
    object->proxy = proxy;
    object->id = id;
    pw_proxy_add_listener(proxy, &object->proxy_listener, &proxy_events, object);
    spa_list_append(&connection->objects, &object->link);
    return object;
}

// MARK: Nodes

static void on_node_info(void *data, const struct pw_node_info *info) {
    struct object *object = data;
    struct dictation_connection *connection = object->connection;
    connection->events.node_changed(
        connection->context, object->id, info->state == PW_NODE_STATE_RUNNING,
        info->change_mask & PW_NODE_CHANGE_MASK_PROPS ? properties_of(info->props) : NULL);
}

/// Of a node, for its volume.
#define MAXIMUM_OF_CHANNELS 64

static void on_node_param(
    void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param) {
    struct object *object = data;
    struct dictation_connection *connection = object->connection;
    if (id != SPA_PARAM_Props || param == NULL || !spa_pod_is_object(param)) return;
    const struct spa_pod_prop *mute = spa_pod_find_prop(param, NULL, SPA_PROP_mute);
    bool is_muted;
    if (mute != NULL && spa_pod_get_bool(&mute->value, &is_muted) == 0)
        connection->events.node_mute_changed(connection->context, object->id, is_muted);
    float volumes[MAXIMUM_OF_CHANNELS + 1];
    uint32_t count = 0;
    const struct spa_pod_prop *channels = spa_pod_find_prop(param, NULL, SPA_PROP_channelVolumes);
    if (channels != NULL) count = spa_pod_copy_array(&channels->value, SPA_TYPE_Float, volumes, MAXIMUM_OF_CHANNELS);
    const struct spa_pod_prop *all = spa_pod_find_prop(param, NULL, SPA_PROP_volume);
    float volume = 1;
    if (all != NULL && spa_pod_get_float(&all->value, &volume) < 0) volume = 1;
    if (channels == NULL && all == NULL) return;
    float loudest = count == 0 ? volume : 0;
    for (uint32_t i = 0; i < count; i++) loudest = fmaxf(loudest, volumes[i] * volume);
    connection->events.node_volume_changed(connection->context, object->id, loudest);
}

static const struct pw_node_events node_events = {
    PW_VERSION_NODE_EVENTS, .info = on_node_info, .param = on_node_param};

int dictation_connection_watch_node(struct dictation_connection *connection, uint32_t id) {
    struct object *object = bind_object(connection, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE);
    if (object == NULL) return -errno;
    struct pw_node *node = (struct pw_node *)object->proxy;
    pw_node_add_listener(node, &object->object_listener, &node_events, object);
    uint32_t params[] = {SPA_PARAM_Props};
    return pw_node_subscribe_params(node, params, SPA_N_ELEMENTS(params));
}

// MARK: Clients and devices

static void on_other_client_info(void *data, const struct pw_client_info *info) {
    struct object *object = data;
    struct dictation_connection *connection = object->connection;
    if (info->change_mask & PW_CLIENT_CHANGE_MASK_PROPS)
        connection->events.client_changed(connection->context, object->id, properties_of(info->props));
}

static const struct pw_client_events other_client_events = {
    PW_VERSION_CLIENT_EVENTS, .info = on_other_client_info};

int dictation_connection_watch_client(struct dictation_connection *connection, uint32_t id) {
    struct object *object = bind_object(connection, id, PW_TYPE_INTERFACE_Client, PW_VERSION_CLIENT);
    if (object == NULL) return -errno;
    return pw_client_add_listener(
        (struct pw_client *)object->proxy, &object->object_listener, &other_client_events, object);
}

static void on_device_info(void *data, const struct pw_device_info *info) {
    struct object *object = data;
    struct dictation_connection *connection = object->connection;
    if (info->change_mask & PW_DEVICE_CHANGE_MASK_PROPS)
        connection->events.device_changed(connection->context, object->id, properties_of(info->props));
}

static const struct pw_device_events device_events = {PW_VERSION_DEVICE_EVENTS, .info = on_device_info};

int dictation_connection_watch_device(struct dictation_connection *connection, uint32_t id) {
    struct object *object = bind_object(connection, id, PW_TYPE_INTERFACE_Device, PW_VERSION_DEVICE);
    if (object == NULL) return -errno;
    return pw_device_add_listener(
        (struct pw_device *)object->proxy, &object->object_listener, &device_events, object);
}

// MARK: The default source

static int on_metadata_property(
    void *data, uint32_t subject, const char *key, const char *type, const char *value) {
    struct object *object = data;
    struct dictation_connection *connection = object->connection;
    struct spa_json outer, inner;
    char name[NAME_SIZE], word[NAME_SIZE];
    // A null key means that all of the subject's values are gone.
    if (subject != PW_ID_CORE || (key != NULL && !spa_streq(key, "default.audio.source"))) return 0;
    name[0] = '\0';
    if (key != NULL && value != NULL) {
        spa_json_init(&outer, value, strlen(value));
        if (spa_json_enter_object(&outer, &inner) > 0) {
            while (spa_json_get_string(&inner, word, sizeof word) > 0) {
                if (spa_streq(word, "name")) {
                    if (spa_json_get_string(&inner, name, sizeof name) <= 0) name[0] = '\0';
                    break;
                }
                const char *skipped;
                if (spa_json_next(&inner, &skipped) <= 0) break;
            }
        }
    }
    connection->events.default_source_changed(connection->context, name[0] == '\0' ? NULL : name);
    return 0;
}

static const struct pw_metadata_events metadata_events = {
    PW_VERSION_METADATA_EVENTS, .property = on_metadata_property};

static void watch_metadata(struct dictation_connection *connection, uint32_t id) {
    struct object *object = bind_object(connection, id, PW_TYPE_INTERFACE_Metadata, PW_VERSION_METADATA);
    if (object == NULL) return;
    object->is_metadata = true;
    pw_metadata_add_listener(
        (struct pw_metadata *)object->proxy, &object->object_listener, &metadata_events, object);
}

void dictation_connection_reread_default_source(struct dictation_connection *connection) {
    struct object *object;
    spa_list_for_each(object, &connection->objects, link) {
        if (!object->is_metadata) continue;
        uint32_t id = object->id;
        destroy_object(object);
        return watch_metadata(connection, id);
    }
}

// MARK: The registry

static uint32_t id_property(const struct spa_dict *properties, const char *key) {
    uint32_t id;
    return spa_atou32(spa_dict_lookup(properties, key), &id, 10) ? id : PW_ID_ANY;
}

static void note_port(
    struct dictation_connection *connection, uint32_t id, const struct spa_dict *properties) {
    const char *format = spa_dict_lookup(properties, PW_KEY_FORMAT_DSP);
    if (format == NULL || !spa_streq(format, "32 bit float mono audio")) return;
    const char *direction = spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION);
    if (direction == NULL) return;
    connection->events.port_added(
        connection->context, id, id_property(properties, PW_KEY_NODE_ID), spa_streq(direction, "in"),
        id_property(properties, PW_KEY_PORT_ID));
}

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
    const struct spa_dict *properties) {
    struct dictation_connection *connection = data;
    if (properties == NULL) return;
    if (spa_streq(type, PW_TYPE_INTERFACE_Node)) {
        connection->events.node_added(connection->context, id, properties_of(properties));
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Link)) {
        connection->events.link_added(
            connection->context, id, id_property(properties, PW_KEY_LINK_OUTPUT_NODE),
            id_property(properties, PW_KEY_LINK_INPUT_NODE), id_property(properties, PW_KEY_CLIENT_ID));
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Client)) {
        int process;
        if (!spa_atoi32(spa_dict_lookup(properties, PW_KEY_SEC_PID), &process, 10)) process = 0;
        connection->events.client_added(connection->context, id, process);
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Port)) {
        note_port(connection, id, properties);
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Factory)) {
        const char *name = spa_dict_lookup(properties, PW_KEY_FACTORY_NAME);
        if (spa_streq(name, "link-factory")) connection->events.link_factory_added(connection->context, id);
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Metadata)) {
        if (spa_streq(spa_dict_lookup(properties, PW_KEY_METADATA_NAME), "default")) watch_metadata(connection, id);
    }
}

static void on_global_removed(void *data, uint32_t id) {
    struct dictation_connection *connection = data;
    struct object *object, *next;
    spa_list_for_each_safe(object, next, &connection->objects, link) {
        if (object->id == id) lose_object(object);
    }
    connection->events.object_removed(connection->context, id);
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = on_global, .global_remove = on_global_removed};

// MARK: The core

static void on_done(void *data, uint32_t id, int sequence) {
    struct dictation_connection *connection = data;
    if (id == PW_ID_CORE) connection->events.round_trip_done(connection->context, sequence);
}

static void on_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    struct dictation_connection *connection = data;
    if (id == PW_ID_CORE) connection->events.failed(connection->context, -result, message);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .done = on_done, .error = on_error};

static void on_client_info(void *data, const struct pw_client_info *info) {
    struct dictation_connection *connection = data;
    connection->events.client_identified(connection->context, info->id);
}

static const struct pw_client_events client_events = {PW_VERSION_CLIENT_EVENTS, .info = on_client_info};

// MARK: The connection

static void initialise(void) { pw_init(NULL, NULL); }

static int connect_core(struct dictation_connection *connection, int socket) {
    connection->loop = pw_loop_new(NULL);
    if (connection->loop == NULL) return -errno;
    pw_loop_enter(connection->loop);
    // Without module-rt, which makes blocking D-Bus calls whenever a context is made. client.conf loads it since 1.4
    // unless told otherwise.
    connection->pipewire = pw_context_new(
        connection->loop,
        pw_properties_new(
            PW_KEY_CONFIG_NAME, "client.conf", "module.rt", "false", "support.dbus", "false", PW_KEY_APP_NAME, "Dictation", PW_KEY_APP_ID,
            "org.example.Dictation", PW_KEY_APP_ICON_NAME, "audio-input-microphone", NULL),
        0);
    if (connection->pipewire == NULL) return -errno;
    // PipeWire closes the descriptor in any case.
    int own = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return -errno;
    connection->core = pw_context_connect_fd(connection->pipewire, own, NULL, 0);
    if (connection->core == NULL) return -errno;
    pw_core_add_listener(connection->core, &connection->core_listener, &core_events, connection);
    pw_client_add_listener(
        pw_core_get_client(connection->core), &connection->client_listener, &client_events, connection);
    connection->registry = pw_core_get_registry(connection->core, PW_VERSION_REGISTRY, 0);
    if (connection->registry == NULL) return -errno;
    pw_registry_add_listener(
        connection->registry, &connection->registry_listener, &registry_events, connection);
    return 0;
}

struct dictation_connection *dictation_connection_new(
    int socket, const struct dictation_connection_events *events, void *context) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
    struct dictation_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) return NULL;
    connection->events = *events;
    connection->context = context;
    spa_list_init(&connection->objects);
    int result = connect_core(connection, socket);
    if (result < 0) {
        dictation_connection_free(connection);
        errno = -result;
        return NULL;
    }
    return connection;
}

static void forget_registry(struct dictation_connection *connection) {
    struct object *object;
    spa_list_consume(object, &connection->objects, link) destroy_object(object);
    if (connection->registry == NULL) return;
    spa_hook_remove(&connection->registry_listener);
    pw_proxy_destroy((struct pw_proxy *)connection->registry);
    connection->registry = NULL;
}

void dictation_connection_free(struct dictation_connection *connection) {
    forget_registry(connection);
    if (connection->core != NULL) {
        spa_hook_remove(&connection->client_listener);
        spa_hook_remove(&connection->core_listener);
        pw_core_disconnect(connection->core);
    }
    if (connection->pipewire != NULL) pw_context_destroy(connection->pipewire);
    if (connection->loop != NULL) {
        pw_loop_leave(connection->loop);
        pw_loop_destroy(connection->loop);
    }
    free(connection);
}

struct pw_core *dictation_connection_core(const struct dictation_connection *connection) {
    return connection->core;
}

int dictation_connection_descriptor(const struct dictation_connection *connection) {
    return pw_loop_get_fd(connection->loop);
}

void dictation_connection_iterate(struct dictation_connection *connection) {
    pw_loop_iterate(connection->loop, 0);
}

int dictation_connection_begin_round_trip(struct dictation_connection *connection) {
    return pw_core_sync(connection->core, PW_ID_CORE, 0);
}
