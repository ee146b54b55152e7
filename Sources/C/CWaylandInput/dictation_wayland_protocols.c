#include "dictation_wayland_protocols.h"

// The interfaces of object arguments. Null for other arguments, and for objects that are not used here.
static const struct wl_interface *no_types[6] = {0};
static const struct wl_interface *input_method_types[] = {&wl_seat_interface, &dictation_input_method};
static const struct wl_interface *keyboard_types[] = {&wl_seat_interface, &dictation_keyboard};
static const struct wl_interface *window_types[] = {&dictation_window};
static const struct wl_interface *source_types[] = {&dictation_data_source};
static const struct wl_interface *device_types[] = {&dictation_data_device, &wl_seat_interface};
static const struct wl_interface *offer_types[] = {&dictation_data_offer};

#define MESSAGES(list) sizeof(list) / sizeof *(list), (list)

static const struct wl_message input_method_manager_requests[] = {
    {"get_input_method", "on", input_method_types},
    {"destroy", "", no_types},
};
const struct wl_interface dictation_input_method_manager = {
    "zwp_input_method_manager_v2", 1, MESSAGES(input_method_manager_requests), 0, NULL};

static const struct wl_message input_method_requests[] = {
    {"commit_string", "s", no_types},
    {"set_preedit_string", "sii", no_types},
    {"delete_surrounding_text", "uu", no_types},
    {"commit", "u", no_types},
    {"get_input_popup_surface", "no", no_types},
    {"grab_keyboard", "n", no_types},
    {"destroy", "", no_types},
};
static const struct wl_message input_method_events[] = {
    {"activate", "", no_types},
    {"deactivate", "", no_types},
    {"surrounding_text", "suu", no_types},
    {"text_change_cause", "u", no_types},
    {"content_type", "uu", no_types},
    {"done", "", no_types},
    {"unavailable", "", no_types},
};
const struct wl_interface dictation_input_method = {
    "zwp_input_method_v2", 1, MESSAGES(input_method_requests), MESSAGES(input_method_events)};

static const struct wl_message keyboard_manager_requests[] = {
    {"create_virtual_keyboard", "on", keyboard_types},
};
const struct wl_interface dictation_keyboard_manager = {
    "zwp_virtual_keyboard_manager_v1", 1, MESSAGES(keyboard_manager_requests), 0, NULL};

static const struct wl_message keyboard_requests[] = {
    {"keymap", "uhu", no_types},
    {"key", "uuu", no_types},
    {"modifiers", "uuuu", no_types},
    {"destroy", "", no_types},
};
const struct wl_interface dictation_keyboard = {
    "zwp_virtual_keyboard_v1", 1, MESSAGES(keyboard_requests), 0, NULL};

static const struct wl_message window_manager_requests[] = {
    {"stop", "", no_types},
};
static const struct wl_message window_manager_events[] = {
    {"toplevel", "n", window_types},
    {"finished", "", no_types},
};
const struct wl_interface dictation_window_manager = {
    "zwlr_foreign_toplevel_manager_v1", 1, MESSAGES(window_manager_requests), MESSAGES(window_manager_events)};

static const struct wl_message window_requests[] = {
    {"set_maximized", "", no_types},
    {"unset_maximized", "", no_types},
    {"set_minimized", "", no_types},
    {"unset_minimized", "", no_types},
    {"activate", "o", no_types},
    {"close", "", no_types},
    {"set_rectangle", "oiiii", no_types},
    {"destroy", "", no_types},
};
static const struct wl_message window_events[] = {
    {"title", "s", no_types},
    {"app_id", "s", no_types},
    {"output_enter", "o", no_types},
    {"output_leave", "o", no_types},
    {"state", "a", no_types},
    {"done", "", no_types},
    {"closed", "", no_types},
};
const struct wl_interface dictation_window = {
    "zwlr_foreign_toplevel_handle_v1", 1, MESSAGES(window_requests), MESSAGES(window_events)};

static const struct wl_message data_manager_requests[] = {
    {"create_data_source", "n", source_types},
    {"get_data_device", "no", device_types},
    {"destroy", "", no_types},
};
const struct wl_interface dictation_ext_data_manager = {
    "ext_data_control_manager_v1", 1, MESSAGES(data_manager_requests), 0, NULL};
const struct wl_interface dictation_wlr_data_manager = {
    "zwlr_data_control_manager_v1", 2, MESSAGES(data_manager_requests), 0, NULL};

static const struct wl_message data_device_requests[] = {
    {"set_selection", "?o", source_types},
    {"destroy", "", no_types},
    {"set_primary_selection", "?o", source_types},
};
static const struct wl_message data_device_events[] = {
    {"data_offer", "n", offer_types},
    {"selection", "?o", offer_types},
    {"finished", "", no_types},
    {"primary_selection", "?o", offer_types},
};
const struct wl_interface dictation_data_device = {
    "zwlr_data_control_device_v1", 2, MESSAGES(data_device_requests), MESSAGES(data_device_events)};

static const struct wl_message data_source_requests[] = {
    {"offer", "s", no_types},
    {"destroy", "", no_types},
};
static const struct wl_message data_source_events[] = {
    {"send", "sh", no_types},
    {"cancelled", "", no_types},
};
const struct wl_interface dictation_data_source = {
    "zwlr_data_control_source_v1", 2, MESSAGES(data_source_requests), MESSAGES(data_source_events)};

static const struct wl_message data_offer_requests[] = {
    {"receive", "sh", no_types},
    {"destroy", "", no_types},
};
static const struct wl_message data_offer_events[] = {
    {"offer", "s", no_types},
};
const struct wl_interface dictation_data_offer = {
    "zwlr_data_control_offer_v1", 2, MESSAGES(data_offer_requests), MESSAGES(data_offer_events)};
