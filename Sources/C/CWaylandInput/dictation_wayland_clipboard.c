// The selections: the clipboard, and what is selected last.
#include "dictation_wayland_internal.h"

#include <stdlib.h>

/// What a program offers to others, in the connection's list.
struct dictation_wayland_offer {
    struct wl_list link;
    struct dictation_wayland *wayland;
    struct wl_proxy *proxy;
};

static void remove_offer(struct dictation_wayland_offer *offer) {
    wl_proxy_marshal_flags(
        offer->proxy, DATA_OFFER_DESTROY, NULL, wl_proxy_get_version(offer->proxy), WL_MARSHAL_FLAG_DESTROY);
    wl_list_remove(&offer->link);
    free(offer);
}

static void remove_source(struct dictation_wayland *wayland, uint32_t selection) {
    struct wl_proxy *source = wayland->sources[selection];
    if (source == NULL) return;
    wl_proxy_marshal_flags(source, DATA_SOURCE_DESTROY, NULL, wl_proxy_get_version(source), WL_MARSHAL_FLAG_DESTROY);
    wayland->sources[selection] = NULL;
}

// MARK: Events

static void on_type(void *data, struct wl_proxy *proxy, const char *type) {
    struct dictation_wayland_offer *offer = data;
    dictation_wayland_tell(offer->wayland, DICTATION_WAYLAND_OFFER_TYPE, wl_proxy_get_id(proxy), 0, type, -1);
}

static const struct {
    void (*offer)(void *, struct wl_proxy *, const char *);
} offer_listener = {on_type};

static void on_offer(void *data, struct wl_proxy *device, struct wl_proxy *proxy) {
    struct dictation_wayland *wayland = data;
    struct dictation_wayland_offer *offer = calloc(1, sizeof *offer);
    if (offer == NULL) {
        wl_proxy_marshal_flags(proxy, DATA_OFFER_DESTROY, NULL, wl_proxy_get_version(proxy), WL_MARSHAL_FLAG_DESTROY);
        return;
    }
    offer->wayland = wayland;
    offer->proxy = proxy;
    wl_list_insert(&wayland->offers, &offer->link);
    wl_proxy_add_listener(proxy, (void (**)(void))&offer_listener, offer);
    dictation_wayland_tell(wayland, DICTATION_WAYLAND_OFFER, wl_proxy_get_id(proxy), 0, NULL, -1);
}

static void set_offer(struct dictation_wayland *wayland, uint32_t selection, struct wl_proxy *proxy) {
    struct dictation_wayland_offer *found = NULL, *offer;
    wl_list_for_each(offer, &wayland->offers, link)
        if (offer->proxy == proxy) found = offer;
    struct dictation_wayland_offer *previous = wayland->selections[selection];
    wayland->selections[selection] = found;
    dictation_wayland_tell(
        wayland, DICTATION_WAYLAND_SELECTION, selection, found == NULL ? 0 : wl_proxy_get_id(proxy), NULL, -1);
    if (previous != NULL && previous != found) remove_offer(previous);
}

static void on_selection(void *data, struct wl_proxy *device, struct wl_proxy *offer) {
    set_offer(data, DICTATION_WAYLAND_CLIPBOARD, offer);
}

static void on_primary_selection(void *data, struct wl_proxy *device, struct wl_proxy *offer) {
    set_offer(data, DICTATION_WAYLAND_PRIMARY, offer);
}

static void on_device_finished(void *data, struct wl_proxy *device) {
    struct dictation_wayland *wayland = data;
    wl_proxy_marshal_flags(device, DATA_DEVICE_DESTROY, NULL, wl_proxy_get_version(device), WL_MARSHAL_FLAG_DESTROY);
    wayland->data_device = NULL;
}

static const struct {
    void (*data_offer)(void *, struct wl_proxy *, struct wl_proxy *);
    void (*selection)(void *, struct wl_proxy *, struct wl_proxy *);
    void (*finished)(void *, struct wl_proxy *);
    void (*primary_selection)(void *, struct wl_proxy *, struct wl_proxy *);
} device_listener = {on_offer, on_selection, on_device_finished, on_primary_selection};

static uint32_t selection_of(const struct dictation_wayland *wayland, const struct wl_proxy *source) {
    return source == wayland->sources[DICTATION_WAYLAND_PRIMARY] ? DICTATION_WAYLAND_PRIMARY : DICTATION_WAYLAND_CLIPBOARD;
}

static void on_send(void *data, struct wl_proxy *source, const char *type, int descriptor) {
    dictation_wayland_tell(data, DICTATION_WAYLAND_SEND, selection_of(data, source), 0, type, descriptor);
}

static void on_cancelled(void *data, struct wl_proxy *source) {
    uint32_t selection = selection_of(data, source);
    remove_source(data, selection);
    dictation_wayland_tell(data, DICTATION_WAYLAND_CANCELLED, selection, 0, NULL, -1);
}

static const struct {
    void (*send)(void *, struct wl_proxy *, const char *, int);
    void (*cancelled)(void *, struct wl_proxy *);
} source_listener = {on_send, on_cancelled};

// MARK: Requests

void dictation_wayland_begin_clipboard(struct dictation_wayland *wayland) {
    if (wayland->data_device != NULL || !dictation_wayland_has_clipboard(wayland)) return;
    wayland->data_device = wl_proxy_marshal_flags(
        wayland->data_manager, DATA_MANAGER_GET_DEVICE, &dictation_data_device,
        wl_proxy_get_version(wayland->data_manager), 0, NULL, wayland->seat);
    if (wayland->data_device != NULL)
        wl_proxy_add_listener(wayland->data_device, (void (**)(void))&device_listener, wayland);
}

void dictation_wayland_receive(
    struct dictation_wayland *wayland, enum dictation_wayland_selection selection, const char *type, int descriptor) {
    struct dictation_wayland_offer *offer = wayland->selections[selection];
    if (offer != NULL)
        wl_proxy_marshal_flags(
            offer->proxy, DATA_OFFER_RECEIVE, NULL, wl_proxy_get_version(offer->proxy), 0, type, descriptor);
}

void dictation_wayland_new_source(struct dictation_wayland *wayland, enum dictation_wayland_selection selection) {
    remove_source(wayland, selection);
    if (wayland->data_manager == NULL) return;
    struct wl_proxy *source = wl_proxy_marshal_flags(
        wayland->data_manager, DATA_MANAGER_CREATE_SOURCE, &dictation_data_source,
        wl_proxy_get_version(wayland->data_manager), 0, NULL);
    if (source != NULL) wl_proxy_add_listener(source, (void (**)(void))&source_listener, wayland);
    wayland->sources[selection] = source;
}

void dictation_wayland_offer(
    struct dictation_wayland *wayland, enum dictation_wayland_selection selection, const char *type) {
    struct wl_proxy *source = wayland->sources[selection];
    if (source != NULL) wl_proxy_marshal_flags(source, DATA_SOURCE_OFFER, NULL, wl_proxy_get_version(source), 0, type);
}

void dictation_wayland_select(struct dictation_wayland *wayland, enum dictation_wayland_selection selection) {
    uint32_t request =
        selection == DICTATION_WAYLAND_PRIMARY ? DATA_DEVICE_SET_PRIMARY_SELECTION : DATA_DEVICE_SET_SELECTION;
    if (wayland->data_device != NULL && wayland->sources[selection] != NULL)
        wl_proxy_marshal_flags(
            wayland->data_device, request, NULL, wl_proxy_get_version(wayland->data_device), 0,
            wayland->sources[selection]);
}

void dictation_wayland_disown(struct dictation_wayland *wayland, enum dictation_wayland_selection selection) {
    remove_source(wayland, selection);
}

void dictation_wayland_free_clipboard(struct dictation_wayland *wayland) {
    struct dictation_wayland_offer *offer, *next;
    wl_list_for_each_safe(offer, next, &wayland->offers, link) {
        wl_proxy_destroy(offer->proxy);
        free(offer);
    }
    struct wl_proxy *proxies[] = {
        wayland->sources[0], wayland->sources[1], wayland->data_device, wayland->data_manager,
    };
    for (size_t index = 0; index < sizeof proxies / sizeof *proxies; index++)
        if (proxies[index] != NULL) wl_proxy_destroy(proxies[index]);
}
