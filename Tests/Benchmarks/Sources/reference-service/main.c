// The least that a service must do to answer calls with libdbus: the bar for what an attack costs the daemon on top of it.
//
//   reference-service ADDRESS
//
// It owns org.example.Dictation, answers GetSession with nothing, and every other call with an error. It prints "ready".
#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Paths of more bytes are an attack.
#define LONGEST_PATH 100

static void answer(DBusConnection *bus, DBusMessage *call) {
    const char *path = dbus_message_get_path(call);
    bool is_short = path != NULL && strnlen(path, LONGEST_PATH) < LONGEST_PATH;
    DBusMessage *reply = is_short && dbus_message_has_member(call, "GetSession")
        ? dbus_message_new_method_return(call)
        : dbus_message_new_error(call, DBUS_ERROR_NOT_SUPPORTED, "no");
    if (reply == NULL) return;
    dbus_connection_send(bus, reply, NULL);
    dbus_message_unref(reply);
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = dbus_connection_open_private(arguments[1], &error);
    if (bus == NULL || !dbus_bus_register(bus, &error)
        || dbus_bus_request_name(bus, "org.example.Dictation", 0, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    dbus_connection_set_max_message_unix_fds(bus, 253);
    dbus_connection_set_max_received_size(bus, 256 << 20);
    puts("ready");
    fflush(stdout);
    while (dbus_connection_read_write(bus, -1)) {
        DBusMessage *message;
        while ((message = dbus_connection_pop_message(bus)) != NULL) {
            if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL) answer(bus, message);
            dbus_message_unref(message);
        }
    }
}
