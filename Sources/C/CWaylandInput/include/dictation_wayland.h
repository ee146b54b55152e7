#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A connection to a wlroots compositor, with its input method, a virtual keyboard, the selections and the list of windows.
// It is C because libwayland-client has variadic calls and tables of function pointers. One thread uses it.
//
// Nothing here blocks. Until 1.22 libwayland ends the process when a request does not fit into its buffer of 4096 bytes
// and the socket takes no more: send the next requests only after dictation_wayland_flush() has returned 1.

struct dictation_wayland;

enum dictation_wayland_kind {
    /// The compositor has handled everything before dictation_wayland_sync().
    DICTATION_WAYLAND_SYNCED,
    /// A text field has the focus. The events until DONE describe it.
    DICTATION_WAYLAND_ACTIVATED,
    DICTATION_WAYLAND_DEACTIVATED,
    /// text, and in bytes the cursor (first) and the other end of the selection (second).
    DICTATION_WAYLAND_SURROUNDING,
    /// Of text-input-unstable-v3: hints (first) and purpose (second).
    DICTATION_WAYLAND_CONTENT,
    /// The events before this take effect.
    DICTATION_WAYLAND_DONE,
    /// Another input method has the seat.
    DICTATION_WAYLAND_UNAVAILABLE,
    /// A window (first) has the focus, or not (second).
    DICTATION_WAYLAND_WINDOW,
    /// A window (first) is of this application (text).
    DICTATION_WAYLAND_APPLICATION,
    /// A window (first) is gone.
    DICTATION_WAYLAND_WINDOW_CLOSED,
    /// A new offer (first) for a selection.
    DICTATION_WAYLAND_OFFER,
    /// An offer (first) has this type (text).
    DICTATION_WAYLAND_OFFER_TYPE,
    /// A selection (first) has this offer (second), or none (0).
    DICTATION_WAYLAND_SELECTION,
    /// A program wants a selection of ours (first) in a type (text), written to the descriptor, which the handler closes.
    DICTATION_WAYLAND_SEND,
    /// A selection (first) is no longer ours.
    DICTATION_WAYLAND_CANCELLED,
};

enum dictation_wayland_selection {
    DICTATION_WAYLAND_CLIPBOARD,
    DICTATION_WAYLAND_PRIMARY,
};

struct dictation_wayland_event {
    enum dictation_wayland_kind kind;
    uint32_t first;
    uint32_t second;
    const char *_Nullable text;
    int descriptor;
};

typedef void (*dictation_wayland_handler)(void *_Nullable data, const struct dictation_wayland_event *event);

/// Connects to the compositor's socket; one too busy to accept is an error (EAGAIN). The handler is called from
/// dictation_wayland_read() alone. Null with errno on failure.
struct dictation_wayland *_Nullable dictation_wayland_new(
    const char *path, dictation_wayland_handler handler, void *_Nullable data);

/// Sends as much as the socket accepts, destroys all objects and closes the socket.
void dictation_wayland_free(struct dictation_wayland *wayland);

/// The socket, to be watched.
int dictation_wayland_descriptor(struct dictation_wayland *wayland);

/// Reads what has arrived and calls the handler. -1 with errno where the connection is lost.
int dictation_wayland_read(struct dictation_wayland *wayland);

/// 1 if everything was sent, 0 if the socket accepts no more now, -1 with errno if the connection is lost.
int dictation_wayland_flush(struct dictation_wayland *wayland);

/// Requests the event DICTATION_WAYLAND_SYNCED. Calls before the event are merged.
void dictation_wayland_sync(struct dictation_wayland *wayland);

/// The protocols of the compositor, known after the first DICTATION_WAYLAND_SYNCED.
bool dictation_wayland_has_input_method(const struct dictation_wayland *wayland);
bool dictation_wayland_has_keyboard(const struct dictation_wayland *wayland);
bool dictation_wayland_has_windows(const struct dictation_wayland *wayland);
bool dictation_wayland_has_clipboard(const struct dictation_wayland *wayland);

// MARK: The input method

/// Becomes the seat's input method, until dictation_wayland_end_input_method().
void dictation_wayland_begin_input_method(struct dictation_wayland *wayland);
void dictation_wayland_end_input_method(struct dictation_wayland *wayland);
/// These take effect with dictation_wayland_apply(). Texts have at most 4000 bytes.
void dictation_wayland_commit(struct dictation_wayland *wayland, const char *text);
void dictation_wayland_show(struct dictation_wayland *wayland, const char *text, int32_t cursor);
void dictation_wayland_delete(struct dictation_wayland *wayland, uint32_t before);
/// serial: the number of DICTATION_WAYLAND_DONE so far.
void dictation_wayland_apply(struct dictation_wayland *wayland, uint32_t serial);

// MARK: The virtual keyboard

void dictation_wayland_begin_keyboard(struct dictation_wayland *wayland);
void dictation_wayland_end_keyboard(struct dictation_wayland *wayland);
/// A keymap in XKB's text format, in a file that the compositor maps. The descriptor stays the caller's.
void dictation_wayland_keymap(struct dictation_wayland *wayland, int descriptor, uint32_t size);
/// key: as evdev numbers it, 8 less than XKB does.
void dictation_wayland_key(struct dictation_wayland *wayland, uint32_t milliseconds, uint32_t key, bool is_down);
/// The modifiers that are down, as bits in the order of the keymap; Shift is 1.
void dictation_wayland_modifiers(struct dictation_wayland *wayland, uint32_t modifiers);

// MARK: The selections

/// Starts the events of the selections.
void dictation_wayland_begin_clipboard(struct dictation_wayland *wayland);
/// Requests the content of a selection in a type. The descriptor stays the caller's.
void dictation_wayland_receive(
    struct dictation_wayland *wayland, enum dictation_wayland_selection selection, const char *type, int descriptor);
/// Prepares a content for a selection, with dictation_wayland_offer() for each type; dictation_wayland_select() sets it.
void dictation_wayland_new_source(struct dictation_wayland *wayland, enum dictation_wayland_selection selection);
/// type: at most 256 bytes.
void dictation_wayland_offer(
    struct dictation_wayland *wayland, enum dictation_wayland_selection selection, const char *type);
void dictation_wayland_select(struct dictation_wayland *wayland, enum dictation_wayland_selection selection);
/// Gives a selection up: it is empty if it was ours.
void dictation_wayland_disown(struct dictation_wayland *wayland, enum dictation_wayland_selection selection);

#pragma clang assume_nonnull end
