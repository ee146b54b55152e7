#pragma once

#include "dictation_wayland.h"
#include "dictation_wayland_protocols.h"

struct dictation_wayland {
    struct wl_display *display;
    struct wl_registry *registry;
    struct wl_seat *seat;
    struct wl_proxy *input_method_manager;
    struct wl_proxy *input_method;
    struct wl_proxy *keyboard_manager;
    struct wl_proxy *keyboard;
    struct wl_proxy *window_manager;
    struct wl_list windows;
    struct wl_proxy *data_manager;
    struct wl_proxy *data_device;
    /// Of each selection: the program's own content, and the present offer.
    struct wl_proxy *sources[2];
    struct dictation_wayland_offer *selections[2];
    struct wl_list offers;
    struct wl_callback *sync;
    dictation_wayland_handler handler;
    void *data;
};

/// Calls the handler, with a descriptor of -1 for none.
void dictation_wayland_tell(
    struct dictation_wayland *wayland, enum dictation_wayland_kind kind, uint32_t first, uint32_t second,
    const char *text, int descriptor);

/// Destroys the objects of the selections without requests: the connection may be lost.
void dictation_wayland_free_clipboard(struct dictation_wayland *wayland);
