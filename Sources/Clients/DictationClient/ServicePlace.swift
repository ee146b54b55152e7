import DBus
import DictationInterface

/// The bus on which the service is called.
public struct ServicePlace: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The program chose this bus.
        case chosen
        /// The service is installed for the whole machine.
        case installed
        /// The service is not installed on the system bus.
        case notInstalled
        /// There is no system bus; the message has the error.
        case noSystemBus(String)
    }

    /// Never ``DictationClient/Bus/automatic``.
    public let bus: DictationClient.Bus
    public let reason: Reason

    static func connect(
        to bus: DictationClient.Bus
    ) async throws -> (Connection, ServicePlace) {
        switch bus {
        case .automatic: try await find()
        case .session: (try await Connection(to: .session), Self(bus: bus, reason: .chosen))
        case .system: (try await Connection(to: .system), Self(bus: bus, reason: .chosen))
        case .address(let address):
            (try await Connection(to: .custom(address)), Self(bus: bus, reason: .chosen))
        }
    }

    private static func find() async throws -> (Connection, ServicePlace) {
        let reason: Reason
        do {
            let connection = try await Connection(to: .system)
            if try await connection.canReach(DictationInterface.busName) {
                return (connection, Self(bus: .system, reason: .installed))
            }
            await connection.close()
            reason = .notInstalled
        } catch {
            reason = .noSystemBus("\(DictationError(error))")
        }
        return (try await Connection(to: .session), Self(bus: .session, reason: reason))
    }
}
