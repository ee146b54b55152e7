public import DBus
internal import EventLoop

/// Asks polkit whether a program may do something, which may ask the user or an administrator for a password.
public struct Polkit: Sendable {
    public enum Answer: Hashable, Sendable {
        case allowed
        /// It would be authorised if the user could be asked.
        case needsUser
        case refused
    }

    private let connection: Connection

    private static let name: BusName = "org.freedesktop.PolicyKit1"
    private static let path: ObjectPath = "/org/freedesktop/PolicyKit1/Authority"
    private static let interface: InterfaceName = "org.freedesktop.PolicyKit1.Authority"
    /// Timeout while the user types a password.
    private static let timeout = Duration.seconds(120)

    /// - Parameter connection: to the bus that polkit is on.
    public init(on connection: Connection) {
        self.connection = connection
    }

    /// Whether a connection is authorised.
    /// - Parameters:
    ///   - action: an action of a file in `/usr/share/polkit-1/actions`.
    ///   - mayAskUser: the caller waits while the user is asked.
    /// - Throws: the error of the bus or of polkit.
    public func answer(
        _ action: String, for caller: BusName, mayAskUser: Bool
    ) async throws -> Answer {
        // The ID is used only to cancel this check.
        let question = "dictation-\(UInt64.random(in: .min ... .max))"
        let subject: Value = .structure([
            .string("system-bus-name"), Value(["name": Value.string(caller.rawValue)]),
        ])
        do {
            let reply = try await call(
                "CheckAuthorization",
                [
                    subject, .string(action), Value([BusText: String]()), .uint32(mayAskUser ? 1 : 0),
                    .string(question),
                ])
            guard case .structure(let fields)? = reply.first, fields.count == 3,
                case .bool(let isAllowed) = fields[0], case .bool(let isChallenge) = fields[1]
            else { throw DBusError.failed("polkit's reply is not valid") }
            return isAllowed ? .allowed : isChallenge ? .needsUser : .refused
        } catch let error as DBusError where error.name == .noReply {
            _ = try await call("CancelCheckAuthorization", [.string(question)])
            return .refused
        } catch is CancellationError {
            // Nobody waits for the dialog any more. If this fails, polkit notices the end of the connection.
            Task { _ = try? await call("CancelCheckAuthorization", [.string(question)]) }
            throw CancellationError()
        }
    }

    private func call(_ member: MemberName, _ body: [Value]) async throws -> [Value] {
        try await connection.call(
            destination: Self.name, path: Self.path, interface: Self.interface, member: member, body,
            timeout: Self.timeout)
    }
}
