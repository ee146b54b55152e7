#include "dictation_wayland_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/// A window, in the connection's list.
struct window {
    struct wl_list link;
    struct dictation_wayland *wayland;
    struct wl_proxy *proxy;
};

void dictation_wayland_tell(
    struct dictation_wayland *wayland, enum dictation_wayland_kind kind, uint32_t first, uint32_t second,
    const char *text, int descriptor) {
    struct dictation_wayland_event event = {kind, first, second, text, descriptor};
    wayland->handler(wayland->data, &event);
}

static void tell(
    struct dictation_wayland *wayland, enum dictation_wayland_kind kind, uint32_t first, uint32_t second,
    const char *text) {
    dictation_wayland_tell(wayland, kind, first, second, text, -1);
}

// MARK: Events

static void on_activate(void *data, struct wl_proxy *proxy) {
    tell(data, DICTATION_WAYLAND_ACTIVATED, 0, 0, NULL);
}

static void on_deactivate(void *data, struct wl_proxy *proxy) {
    tell(data, DICTATION_WAYLAND_DEACTIVATED, 0, 0, NULL);
}

static void on_surrounding_text(
    void *data, struct wl_proxy *proxy, const char *text, uint32_t cursor, uint32_t anchor) {
    tell(data, DICTATION_WAYLAND_SURROUNDING, cursor, anchor, text);
}

static void on_text_change_cause(void *data, struct wl_proxy *proxy, uint32_t cause) {}

static void on_content_type(void *data, struct wl_proxy *proxy, uint32_t hints, uint32_t purpose) {
    tell(data, DICTATION_WAYLAND_CONTENT, hints, purpose, NULL);
}

static void on_done(void *data, struct wl_proxy *proxy) { tell(data, DICTATION_WAYLAND_DONE, 0, 0, NULL); }

static void on_unavailable(void *data, struct wl_proxy *proxy) {
    tell(data, DICTATION_WAYLAND_UNAVAILABLE, 0, 0, NULL);
}

static const struct {
    void (*activate)(void *, struct wl_proxy *);
    void (*deactivate)(void *, struct wl_proxy *);
    void (*surrounding_text)(void *, struct wl_proxy *, const char *, uint32_t, uint32_t);
    void (*text_change_cause)(void *, struct wl_proxy *, uint32_t);
    void (*content_type)(void *, struct wl_proxy *, uint32_t, uint32_t);
    void (*done)(void *, struct wl_proxy *);
    void (*unavailable)(void *, struct wl_proxy *);
} input_method_listener = {
    on_activate, on_deactivate, on_surrounding_text, on_text_change_cause, on_content_type, on_done, on_unavailable,
};

static void remove_window(struct window *window) {
    wl_proxy_marshal_flags(window->proxy, WINDOW_DESTROY, NULL, 1, WL_MARSHAL_FLAG_DESTROY);
    wl_list_remove(&window->link);
    free(window);
}

static void on_text(void *data, struct wl_proxy *proxy, const char *text) {}
static void on_output(void *data, struct wl_proxy *proxy, struct wl_proxy *output) {}
static void on_window_done(void *data, struct wl_proxy *proxy) {}

static void on_app_id(void *data, struct wl_proxy *proxy, const char *application) {
    struct window *window = data;
    tell(window->wayland, DICTATION_WAYLAND_APPLICATION, wl_proxy_get_id(proxy), 0, application);
}

static void on_state(void *data, struct wl_proxy *proxy, struct wl_array *states) {
    static const uint32_t activated = 2;
    struct window *window = data;
    bool is_active = false;
    uint32_t *state;
    wl_array_for_each(state, states) is_active = is_active || *state == activated;
    tell(window->wayland, DICTATION_WAYLAND_WINDOW, wl_proxy_get_id(proxy), is_active, NULL);
}

static void on_closed(void *data, struct wl_proxy *proxy) {
    struct window *window = data;
    struct dictation_wayland *wayland = window->wayland;
    uint32_t number = wl_proxy_get_id(proxy);
    remove_window(window);
    tell(wayland, DICTATION_WAYLAND_WINDOW_CLOSED, number, 0, NULL);
}

static const struct {
    void (*title)(void *, struct wl_proxy *, const char *);
    void (*app_id)(void *, struct wl_proxy *, const char *);
    void (*output_enter)(void *, struct wl_proxy *, struct wl_proxy *);
    void (*output_leave)(void *, struct wl_proxy *, struct wl_proxy *);
    void (*state)(void *, struct wl_proxy *, struct wl_array *);
    void (*done)(void *, struct wl_proxy *);
    void (*closed)(void *, struct wl_proxy *);
} window_listener = {on_text, on_app_id, on_output, on_output, on_state, on_window_done, on_closed};

static void on_toplevel(void *data, struct wl_proxy *manager, struct wl_proxy *proxy) {
    struct dictation_wayland *wayland = data;
    struct window *window = calloc(1, sizeof *window);
    if (window == NULL) {
        wl_proxy_marshal_flags(proxy, WINDOW_DESTROY, NULL, 1, WL_MARSHAL_FLAG_DESTROY);
        return;
    }
    window->wayland = wayland;
    window->proxy = proxy;
    wl_list_insert(&wayland->windows, &window->link);
    wl_proxy_add_listener(proxy, (void (**)(void))&window_listener, window);
}

static void on_finished(void *data, struct wl_proxy *manager) {}

static const struct {
    void (*toplevel)(void *, struct wl_proxy *, struct wl_proxy *);
    void (*finished)(void *, struct wl_proxy *);
} window_manager_listener = {on_toplevel, on_finished};

static void on_synced(void *data, struct wl_callback *callback, uint32_t serial) {
    struct dictation_wayland *wayland = data;
    wl_callback_destroy(callback);
    wayland->sync = NULL;
    tell(wayland, DICTATION_WAYLAND_SYNCED, 0, 0, NULL);
}

static const struct wl_callback_listener callback_listener = {on_synced};

// MARK: Globals

static void *bind_if(
    struct wl_registry *registry, void *bound, uint32_t name, const char *interface, const struct wl_interface *wanted) {
    if (bound != NULL || strcmp(interface, wanted->name) != 0) return bound;
    return wl_registry_bind(registry, name, wanted, wanted == &wl_seat_interface ? 1 : wanted->version);
}

static void on_global(
    void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
    struct dictation_wayland *wayland = data;
    wayland->seat = bind_if(registry, wayland->seat, name, interface, &wl_seat_interface);
    wayland->input_method_manager =
        bind_if(registry, wayland->input_method_manager, name, interface, &dictation_input_method_manager);
    wayland->keyboard_manager =
        bind_if(registry, wayland->keyboard_manager, name, interface, &dictation_keyboard_manager);
    wayland->data_manager = bind_if(registry, wayland->data_manager, name, interface, &dictation_ext_data_manager);
    // Version 1 has no primary selection.
    if (version >= 2)
        wayland->data_manager = bind_if(registry, wayland->data_manager, name, interface, &dictation_wlr_data_manager);
    if (wayland->window_manager != NULL) return;
    wayland->window_manager = bind_if(registry, NULL, name, interface, &dictation_window_manager);
    if (wayland->window_manager != NULL)
        wl_proxy_add_listener(wayland->window_manager, (void (**)(void))&window_manager_listener, wayland);
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name) {}

static const struct wl_registry_listener registry_listener = {on_global, on_global_remove};

// MARK: The connection

/// wl_display_connect() would wait for a compositor that does not accept.
static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

struct dictation_wayland *dictation_wayland_new(const char *path, dictation_wayland_handler handler, void *data) {
    int descriptor = connect_to(path);
    if (descriptor < 0) return NULL;
    struct dictation_wayland *wayland = calloc(1, sizeof *wayland);
    if (wayland == NULL) {
        close(descriptor);
        errno = ENOMEM;
        return NULL;
    }
    wl_list_init(&wayland->windows);
    wl_list_init(&wayland->offers);
    wayland->handler = handler;
    wayland->data = data;
    wayland->display = wl_display_connect_to_fd(descriptor);
    if (wayland->display == NULL) {
        int error = errno;
        free(wayland);
        errno = error;
        return NULL;
    }
    wayland->registry = wl_display_get_registry(wayland->display);
    wl_registry_add_listener(wayland->registry, &registry_listener, wayland);
    return wayland;
}

void dictation_wayland_free(struct dictation_wayland *wayland) {
    struct window *window, *next;
    wl_list_for_each_safe(window, next, &wayland->windows, link) {
        // Without a request: the connection may be lost.
        wl_proxy_destroy(window->proxy);
        free(window);
    }
    dictation_wayland_free_clipboard(wayland);
    struct wl_proxy *proxies[] = {
        wayland->input_method,   wayland->input_method_manager, wayland->keyboard,
        wayland->keyboard_manager, wayland->window_manager,     (struct wl_proxy *)wayland->seat,
        (struct wl_proxy *)wayland->registry, (struct wl_proxy *)wayland->sync,
    };
    for (size_t index = 0; index < sizeof proxies / sizeof *proxies; index++)
        if (proxies[index] != NULL) wl_proxy_destroy(proxies[index]);
    wl_display_disconnect(wayland->display);
    free(wayland);
}

int dictation_wayland_descriptor(struct dictation_wayland *wayland) { return wl_display_get_fd(wayland->display); }

int dictation_wayland_read(struct dictation_wayland *wayland) {
    while (wl_display_prepare_read(wayland->display) != 0)
        if (wl_display_dispatch_pending(wayland->display) < 0) return -1;
    // Does not block: EAGAIN if nothing has arrived.
    if (wl_display_read_events(wayland->display) < 0 && errno != EAGAIN) return -1;
    return wl_display_dispatch_pending(wayland->display) < 0 ? -1 : 0;
}

int dictation_wayland_flush(struct dictation_wayland *wayland) {
    if (wl_display_flush(wayland->display) >= 0) return 1;
    return errno == EAGAIN ? 0 : -1;
}

void dictation_wayland_sync(struct dictation_wayland *wayland) {
    if (wayland->sync != NULL) return;
    wayland->sync = wl_display_sync(wayland->display);
    if (wayland->sync != NULL) wl_callback_add_listener(wayland->sync, &callback_listener, wayland);
}

bool dictation_wayland_has_input_method(const struct dictation_wayland *wayland) {
    return wayland->seat != NULL && wayland->input_method_manager != NULL;
}

bool dictation_wayland_has_keyboard(const struct dictation_wayland *wayland) {
    return wayland->seat != NULL && wayland->keyboard_manager != NULL;
}

bool dictation_wayland_has_windows(const struct dictation_wayland *wayland) { return wayland->window_manager != NULL; }

bool dictation_wayland_has_clipboard(const struct dictation_wayland *wayland) {
    return wayland->seat != NULL && wayland->data_manager != NULL;
}

// MARK: The input method

void dictation_wayland_begin_input_method(struct dictation_wayland *wayland) {
    if (wayland->input_method != NULL || !dictation_wayland_has_input_method(wayland)) return;
    wayland->input_method = wl_proxy_marshal_flags(
        wayland->input_method_manager, INPUT_METHOD_MANAGER_GET, &dictation_input_method, 1, 0, wayland->seat, NULL);
    if (wayland->input_method != NULL)
        wl_proxy_add_listener(wayland->input_method, (void (**)(void))&input_method_listener, wayland);
}

void dictation_wayland_end_input_method(struct dictation_wayland *wayland) {
    if (wayland->input_method == NULL) return;
    wl_proxy_marshal_flags(wayland->input_method, INPUT_METHOD_DESTROY, NULL, 1, WL_MARSHAL_FLAG_DESTROY);
    wayland->input_method = NULL;
}

void dictation_wayland_commit(struct dictation_wayland *wayland, const char *text) {
    if (wayland->input_method != NULL)
        wl_proxy_marshal_flags(wayland->input_method, INPUT_METHOD_COMMIT_STRING, NULL, 1, 0, text);
}

void dictation_wayland_show(struct dictation_wayland *wayland, const char *text, int32_t cursor) {
    if (wayland->input_method != NULL)
        wl_proxy_marshal_flags(
            wayland->input_method, INPUT_METHOD_SET_PREEDIT_STRING, NULL, 1, 0, text, cursor, cursor);
}

void dictation_wayland_delete(struct dictation_wayland *wayland, uint32_t before) {
    if (wayland->input_method != NULL)
        wl_proxy_marshal_flags(
            wayland->input_method, INPUT_METHOD_DELETE_SURROUNDING_TEXT, NULL, 1, 0, before, (uint32_t)0);
}

void dictation_wayland_apply(struct dictation_wayland *wayland, uint32_t serial) {
    if (wayland->input_method != NULL)
        wl_proxy_marshal_flags(wayland->input_method, INPUT_METHOD_COMMIT, NULL, 1, 0, serial);
}

// MARK: The virtual keyboard

void dictation_wayland_begin_keyboard(struct dictation_wayland *wayland) {
    if (wayland->keyboard != NULL || !dictation_wayland_has_keyboard(wayland)) return;
    wayland->keyboard = wl_proxy_marshal_flags(
        wayland->keyboard_manager, KEYBOARD_MANAGER_CREATE, &dictation_keyboard, 1, 0, wayland->seat, NULL);
}

void dictation_wayland_end_keyboard(struct dictation_wayland *wayland) {
    if (wayland->keyboard == NULL) return;
    wl_proxy_marshal_flags(wayland->keyboard, KEYBOARD_DESTROY, NULL, 1, WL_MARSHAL_FLAG_DESTROY);
    wayland->keyboard = NULL;
}

void dictation_wayland_keymap(struct dictation_wayland *wayland, int descriptor, uint32_t size) {
    if (wayland->keyboard != NULL)
        wl_proxy_marshal_flags(
            wayland->keyboard, KEYBOARD_KEYMAP, NULL, 1, 0, (uint32_t)WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, descriptor,
            size);
}

void dictation_wayland_key(struct dictation_wayland *wayland, uint32_t milliseconds, uint32_t key, bool is_down) {
    if (wayland->keyboard != NULL)
        wl_proxy_marshal_flags(
            wayland->keyboard, KEYBOARD_KEY, NULL, 1, 0, milliseconds, key, (uint32_t)is_down);
}

void dictation_wayland_modifiers(struct dictation_wayland *wayland, uint32_t modifiers) {
    if (wayland->keyboard != NULL)
        wl_proxy_marshal_flags(
            wayland->keyboard, KEYBOARD_MODIFIERS, NULL, 1, 0, modifiers, (uint32_t)0, (uint32_t)0, (uint32_t)0);
}
