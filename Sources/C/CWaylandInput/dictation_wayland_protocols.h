#pragma once

#include <wayland-client.h>

// The descriptions that libwayland needs of the protocols input-method-unstable-v2, virtual-keyboard-unstable-v1,
// wlr-foreign-toplevel-management-unstable-v1, wlr-data-control-unstable-v1 and ext-data-control-v1: names and types of
// their messages, in the protocols' order. The last two differ only in the names of their interfaces, which are sent for
// the manager alone.

extern const struct wl_interface dictation_input_method_manager;
extern const struct wl_interface dictation_input_method;
extern const struct wl_interface dictation_keyboard_manager;
extern const struct wl_interface dictation_keyboard;
extern const struct wl_interface dictation_window_manager;
extern const struct wl_interface dictation_window;
extern const struct wl_interface dictation_ext_data_manager;
extern const struct wl_interface dictation_wlr_data_manager;
extern const struct wl_interface dictation_data_device;
extern const struct wl_interface dictation_data_source;
extern const struct wl_interface dictation_data_offer;

enum { INPUT_METHOD_MANAGER_GET, INPUT_METHOD_MANAGER_DESTROY };
enum {
    INPUT_METHOD_COMMIT_STRING,
    INPUT_METHOD_SET_PREEDIT_STRING,
    INPUT_METHOD_DELETE_SURROUNDING_TEXT,
    INPUT_METHOD_COMMIT,
    INPUT_METHOD_GET_POPUP,
    INPUT_METHOD_GRAB_KEYBOARD,
    INPUT_METHOD_DESTROY,
};
enum { KEYBOARD_MANAGER_CREATE };
enum { KEYBOARD_KEYMAP, KEYBOARD_KEY, KEYBOARD_MODIFIERS, KEYBOARD_DESTROY };
enum { WINDOW_DESTROY = 7 };
enum { DATA_MANAGER_CREATE_SOURCE, DATA_MANAGER_GET_DEVICE };
enum { DATA_DEVICE_SET_SELECTION, DATA_DEVICE_DESTROY, DATA_DEVICE_SET_PRIMARY_SELECTION };
enum { DATA_SOURCE_OFFER, DATA_SOURCE_DESTROY };
enum { DATA_OFFER_RECEIVE, DATA_OFFER_DESTROY };
