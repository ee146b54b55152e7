#include "dictation_link.h"

#include "dictation_connection_internal.h"

#include <errno.h>
#include <pipewire/pipewire.h>
#include <stdlib.h>

struct dictation_link {
    struct pw_proxy *proxy;
    struct spa_hook listener;
    bool is_over;
};

static void on_removed(void *data) {
    struct dictation_link *link = data;
    link->is_over = true;
}

static void on_error(void *data, int sequence, int result, const char *message) {
    struct dictation_link *link = data;
    link->is_over = true;
}

static const struct pw_proxy_events proxy_events = {
    PW_VERSION_PROXY_EVENTS, .removed = on_removed, .error = on_error};

struct dictation_link *dictation_link_new(
    struct dictation_connection *connection, uint32_t output_port, uint32_t input_port) {
    struct dictation_link *link = calloc(1, sizeof *link);
    if (link == NULL) return NULL;
    int error;
    struct pw_properties *properties = pw_properties_new(PW_KEY_OBJECT_LINGER, "false", NULL);
    if (properties == NULL) goto failed;
    pw_properties_setf(properties, PW_KEY_LINK_OUTPUT_PORT, "%u", output_port);
    pw_properties_setf(properties, PW_KEY_LINK_INPUT_PORT, "%u", input_port);
    link->proxy = pw_core_create_object(
        dictation_connection_core(connection), "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK,
        &properties->dict, 0);
    error = errno;
    pw_properties_free(properties);
    errno = error;
    if (link->proxy == NULL) goto failed;
    pw_proxy_add_listener(link->proxy, &link->listener, &proxy_events, link);
    return link;

failed:
    error = errno;
    free(link);
    errno = error;
    return NULL;
}

bool dictation_link_is_over(const struct dictation_link *link) { return link->is_over; }

void dictation_link_free(struct dictation_link *link) {
    spa_hook_remove(&link->listener);
    pw_proxy_destroy(link->proxy);
    free(link);
}
