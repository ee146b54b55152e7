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

    /// Calls `Number` of the echo service with these numbers, without waiting for replies, and waits until the bus has forwarded
    /// the calls.
    func callNumber(_ numbers: Range<UInt32>, expectsReplies: Bool = false) throws {
        for number in numbers {
            guard
                let message = dbus_message_new_method_call(
                    "org.example.Echo", "/org/example/Echo", "org.example.Echo", "Number")
            else { throw TestFailure("no memory") }
            defer { dbus_message_unref(message) }
            dbus_message_set_no_reply(message, expectsReplies ? 0 : 1)
            var iterator = DBusMessageIter()
            dbus_message_iter_init_append(message, &iterator)
            withUnsafePointer(to: number) {
                _ = dbus_message_iter_append_basic(&iterator, Int32(UInt8(ascii: "u")), $0)
            }
            dbus_connection_send(connection, message, nil)
        }
        // A later round trip through the bus.
        _ = dbus_bus_name_has_owner(connection, "org.example.Echo", nil)
    }

    /// Waits until the bus has written all its messages for a connection to that connection's socket.
    func waitUntilSent(to name: BusName) async throws {
        try await eventually("the bus has sent its messages") { [self] in try queuedBytes(for: name) == 0 }
    }

    private func queuedBytes(for name: BusName) throws -> UInt32 {
        guard
            let call = dbus_message_new_method_call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Debug.Stats",
                "GetConnectionStats")
        else { throw TestFailure("no memory") }
        defer { dbus_message_unref(call) }
        var arguments = DBusMessageIter()
        dbus_message_iter_init_append(call, &arguments)
        name.rawValue.withCString { name in
            withUnsafePointer(to: name) {
                _ = dbus_message_iter_append_basic(&arguments, Int32(UInt8(ascii: "s")), $0)
            }
        }
        guard let reply = dbus_connection_send_with_reply_and_block(connection, call, -1, nil) else {
            throw TestFailure("the bus has no statistics")
        }
        defer { dbus_message_unref(reply) }
        var body = DBusMessageIter()
        var entries = DBusMessageIter()
        dbus_message_iter_init(reply, &body)
        dbus_message_iter_recurse(&body, &entries)
        while dbus_message_iter_get_arg_type(&entries) != 0 {
            var entry = DBusMessageIter()
            var value = DBusMessageIter()
            var key: UnsafePointer<CChar>?
            dbus_message_iter_recurse(&entries, &entry)
            dbus_message_iter_get_basic(&entry, &key)
            dbus_message_iter_next(&entry)
            dbus_message_iter_recurse(&entry, &value)
            if key.map({ String(cString: $0) }) == "OutgoingBytes" {
                var bytes: UInt32 = 0
                dbus_message_iter_get_basic(&value, &bytes)
                return bytes
            }
            dbus_message_iter_next(&entries)
        }
        throw TestFailure("the bus does not count outgoing bytes")
    }

    /// The replies and errors that have arrived, by their error's name; "" for replies.
    func takeReplies() -> [String: Int] {
        var counts: [String: Int] = [:]
        dbus_connection_read_write(connection, 0)
        while let message = dbus_connection_pop_message(connection) {
            defer { dbus_message_unref(message) }
            guard dbus_message_get_reply_serial(message) != 0 else { continue }
            counts[dbus_message_get_error_name(message).map { String(cString: $0) } ?? "", default: 0] += 1
        }
        return counts
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
