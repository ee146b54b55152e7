#include <dbus/dbus.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/// The bytes of the array that the iterator is in. libdbus deprecates its function, but has no other that does not visit every element.
static inline int dictation_dbus_array_bytes(DBusMessageIter *iterator) {
    return dbus_message_iter_get_array_len(iterator);
}
#pragma GCC diagnostic pop
