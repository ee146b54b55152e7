import CDBus
import Glibc

/// The address of a bus.
public enum BusAddress: Hashable, Sendable {
    /// The bus of the user's session: `DBUS_SESSION_BUS_ADDRESS`, or the socket that systemd provides.
    case session
    /// The machine's bus: `DBUS_SYSTEM_BUS_ADDRESS`, or the well-known socket.
    case system
    /// An address in the format of the specification: `unix:path=/run/user/1000/bus`.
    case custom(String)

    func resolved() throws(DBusError) -> String {
        switch self {
        case .custom(let address):
            if address.containsNUL { throw DBusError(.badAddress, "the address contains a NUL character") }
            return address
        case .system:
            return Self.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .session:
            if let address = Self.variable("DBUS_SESSION_BUS_ADDRESS") { return address }
            guard let directory = Self.variable("XDG_RUNTIME_DIR") else {
                throw DBusError(
                    .noServer, "no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
            }
            return "unix:path=\(directory)/bus"
        }
    }

    /// The address of a socket.
    static func unix(_ path: String) throws(DBusError) -> String {
        guard !path.containsNUL, let escaped = dbus_address_escape_value(path) else {
            throw DBusError(.badAddress, "\(path) cannot be the path of a socket")
        }
        defer { dbus_free(escaped) }
        return "unix:path=\(String(cString: escaped))"
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
