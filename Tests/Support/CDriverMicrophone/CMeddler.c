#include "CMeddler.h"

#include <errno.h>
#include <fcntl.h>
#include <pipewire/pipewire.h>
#include <pipewire/extensions/metadata.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXIMUM_OF_OBJECTS 512

struct global {
    uint32_t id;
    char type[64];
    char name[128];
};

struct meddler {
    struct pw_main_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct spa_hook core_listener;
    struct spa_hook registry_listener;
    struct global globals[MAXIMUM_OF_OBJECTS];
    size_t count;
    int awaited;
    int error;
};

static void on_done(void *data, uint32_t id, int sequence) {
    struct meddler *meddler = data;
    if (id == PW_ID_CORE && sequence == meddler->awaited) pw_main_loop_quit(meddler->loop);
}

static void on_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    struct meddler *meddler = data;
    if (meddler->error == 0) meddler->error = result;
    if (id == PW_ID_CORE && result == -EPIPE) pw_main_loop_quit(meddler->loop);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .done = on_done, .error = on_error};

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
    const struct spa_dict *properties) {
    struct meddler *meddler = data;
    if (meddler->count == MAXIMUM_OF_OBJECTS || properties == NULL) return;
    const char *keys[] = {PW_KEY_NODE_NAME, PW_KEY_METADATA_NAME, PW_KEY_FACTORY_NAME};
    const char *name = NULL;
    for (size_t i = 0; i < SPA_N_ELEMENTS(keys) && name == NULL; i++) name = spa_dict_lookup(properties, keys[i]);
    struct global *global = &meddler->globals[meddler->count++];
    global->id = id;
    snprintf(global->type, sizeof global->type, "%s", type);
    snprintf(global->name, sizeof global->name, "%s", name == NULL ? "" : name);
}

static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = on_global};

// The server's errors for earlier requests.
static int settle(struct meddler *meddler) {
    meddler->awaited = pw_core_sync(meddler->core, PW_ID_CORE, 0);
    pw_main_loop_run(meddler->loop);
    int error = meddler->error;
    meddler->error = 0;
    return error;
}

static uint32_t find(const struct meddler *meddler, const char *type, const char *name) {
    for (size_t i = 0; i < meddler->count; i++) {
        const struct global *global = &meddler->globals[i];
        if (strcmp(global->type, type) == 0 && strcmp(global->name, name) == 0) return global->id;
    }
    return PW_ID_ANY;
}

struct meddler *meddler_new(int socket) {
    pw_init(NULL, NULL);
    struct meddler *meddler = calloc(1, sizeof *meddler);
    if (meddler == NULL) return NULL;
    meddler->loop = pw_main_loop_new(NULL);
    meddler->context = pw_context_new(pw_main_loop_get_loop(meddler->loop), NULL, 0);
    int own = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    meddler->core = pw_context_connect_fd(meddler->context, own, NULL, 0);
    if (meddler->core == NULL) {
        int error = errno;
        meddler_free(meddler);
        errno = error;
        return NULL;
    }
    pw_core_add_listener(meddler->core, &meddler->core_listener, &core_events, meddler);
    meddler->registry = pw_core_get_registry(meddler->core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(meddler->registry, &meddler->registry_listener, &registry_events, meddler);
    settle(meddler);
    return meddler;
}

void meddler_free(struct meddler *meddler) {
    if (meddler->registry != NULL) pw_proxy_destroy((struct pw_proxy *)meddler->registry);
    if (meddler->core != NULL) pw_core_disconnect(meddler->core);
    if (meddler->context != NULL) pw_context_destroy(meddler->context);
    if (meddler->loop != NULL) pw_main_loop_destroy(meddler->loop);
    free(meddler);
}

int meddler_set_volume(struct meddler *meddler, const char *node) {
    uint32_t id = find(meddler, PW_TYPE_INTERFACE_Node, node);
    if (id == PW_ID_ANY) return -ENOENT;
    struct pw_proxy *proxy = pw_registry_bind(meddler->registry, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    uint8_t memory[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *pod = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props, SPA_PROP_volume, SPA_POD_Float(0.5f));
    pw_node_set_param((struct pw_node *)proxy, SPA_PARAM_Props, 0, pod);
    int result = settle(meddler);
    pw_proxy_destroy(proxy);
    return result;
}

int meddler_link(struct meddler *meddler, const char *output, const char *input) {
    char outputs[16], inputs[16];
    uint32_t ids[] = {
        find(meddler, PW_TYPE_INTERFACE_Node, output), find(meddler, PW_TYPE_INTERFACE_Node, input)};
    if (ids[0] == PW_ID_ANY || ids[1] == PW_ID_ANY) return -ENOENT;
    snprintf(outputs, sizeof outputs, "%u", ids[0]);
    snprintf(inputs, sizeof inputs, "%u", ids[1]);
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_LINK_OUTPUT_NODE, outputs, PW_KEY_LINK_INPUT_NODE, inputs, PW_KEY_OBJECT_LINGER, "true", NULL);
    struct pw_proxy *proxy = pw_core_create_object(
        meddler->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &properties->dict, 0);
    int result = settle(meddler);
    pw_properties_free(properties);
    if (proxy != NULL) pw_proxy_destroy(proxy);
    return result;
}

int meddler_destroy(struct meddler *meddler, const char *node) {
    uint32_t id = find(meddler, PW_TYPE_INTERFACE_Node, node);
    if (id == PW_ID_ANY) return -ENOENT;
    pw_registry_destroy(meddler->registry, id);
    return settle(meddler);
}

int meddler_choose_default(struct meddler *meddler, const char *node) {
    uint32_t id = find(meddler, PW_TYPE_INTERFACE_Metadata, "default");
    if (id == PW_ID_ANY) return -ENOENT;
    struct pw_proxy *proxy =
        pw_registry_bind(meddler->registry, id, PW_TYPE_INTERFACE_Metadata, PW_VERSION_METADATA, 0);
    char value[256];
    snprintf(value, sizeof value, "{ \"name\": \"%s\" }", node);
    pw_metadata_set_property(
        (struct pw_metadata *)proxy, PW_ID_CORE, "default.configured.audio.source", "Spa:String:JSON", value);
    int result = settle(meddler);
    pw_proxy_destroy(proxy);
    return result;
}

int meddler_create_node(struct meddler *meddler, const char *name) {
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_FACTORY_NAME, "support.null-audio-sink", PW_KEY_NODE_NAME, name, PW_KEY_MEDIA_CLASS,
        "Audio/Source/Virtual", PW_KEY_OBJECT_LINGER, "true", NULL);
    struct pw_proxy *proxy = pw_core_create_object(
        meddler->core, "adapter", PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, &properties->dict, 0);
    int result = settle(meddler);
    pw_properties_free(properties);
    if (proxy != NULL) pw_proxy_destroy(proxy);
    return result;
}

int meddler_lift_restrictions(struct meddler *meddler) {
    struct pw_permission *permissions = calloc(meddler->count + 2, sizeof *permissions);
    if (permissions == NULL) return -errno;
    for (size_t i = 0; i < meddler->count; i++)
        permissions[i] = PW_PERMISSION_INIT(meddler->globals[i].id, PW_PERM_ALL);
    permissions[meddler->count] = PW_PERMISSION_INIT(PW_ID_CORE, PW_PERM_ALL);
    permissions[meddler->count + 1] = PW_PERMISSION_INIT(PW_ID_ANY, PW_PERM_ALL);
    pw_client_update_permissions(pw_core_get_client(meddler->core), meddler->count + 2, permissions);
    free(permissions);
    const struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT("pipewire.access", "unrestricted"), SPA_DICT_ITEM_INIT("media.category", "Manager")};
    pw_client_update_properties(
        pw_core_get_client(meddler->core), &SPA_DICT_INIT(items, SPA_N_ELEMENTS(items)));
    return settle(meddler);
}
