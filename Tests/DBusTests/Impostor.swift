import CDBus
import DBus
import DictationTestKit

/// A program on the bus that replies to calls made to others, which a session bus allows.
final class Impostor {
    private let connection: OpaquePointer

    /// Connects and calls Hello.
    init(on bus: PrivateBus) throws {
        guard let connection = dbus_connection_open_private(bus.address, nil) else {
            throw TestFailure("the impostor cannot connect")
        }
        self.connection = connection
        dbus_connection_set_exit_on_disconnect(connection, 0)
        guard dbus_bus_register(connection, nil) != 0 else {
            throw TestFailure("the bus does not take the impostor")
        }
    }

    var uniqueName: BusName {
        dbus_bus_get_unique_name(connection).flatMap { BusName(String(cString: $0)) } ?? .bus
    }

    /// Reads its socket, so that libdbus sends its automatic replies.
    func readAndDispatch() {
        dbus_connection_read_write(connection, 0)
        while dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS {}
        dbus_connection_flush(connection)
    }

    deinit {
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
    }

    /// Replies to the calls with these serials, with a text or an error, and waits until the bus has forwarded the
    /// replies.
    func answer(_ victim: BusName, serials: ClosedRange<UInt32>, with text: String?) throws {
        for serial in serials {
            let kind = text == nil ? Message.Kind.error : .methodReturn
            guard let message = dbus_message_new(kind.rawValue) else { throw TestFailure("no memory") }
            defer { dbus_message_unref(message) }
            dbus_message_set_destination(message, victim.rawValue)
            dbus_message_set_reply_serial(message, serial)
            if let text {
                var iterator = DBusMessageIter()
                dbus_message_iter_init_append(message, &iterator)
                text.withCString { text in
                    withUnsafePointer(to: text) {
                        _ = dbus_message_iter_append_basic(&iterator, Int32(UInt8(ascii: "s")), $0)
                    }
                }
            } else {
                dbus_message_set_error_name(message, "org.example.Forged")
            }
            dbus_connection_send(connection, message, nil)
        }
        // A later round trip through the bus.
        _ = dbus_bus_name_has_owner(connection, "org.example.Echo", nil)
    }
}
