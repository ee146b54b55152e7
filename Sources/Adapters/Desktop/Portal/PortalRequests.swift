internal import DBus
internal import EventLoop

/// Calls of xdg-desktop-portal that are answered by a `Response` signal, as the Request interface defines.
@EventLoopActor
final class PortalRequests {
    static let portal: BusName = "org.freedesktop.portal.Desktop"
    static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    private static let interface: InterfaceName = "org.freedesktop.portal.Request"
    private static let registry: InterfaceName = "org.freedesktop.host.portal.Registry"

    private let connection: Connection
    /// By the path of the request. The first response of each is kept.
    private var open: [ObjectPath: AsyncStream<[Value]>.Continuation] = [:]

    /// The result: 0 is success, 1 the user's refusal, 2 any other end.
    struct Response {
        let code: UInt32
        let results: [BusText: Value]
    }

    nonisolated init(on connection: Connection) {
        self.connection = connection
    }

    /// Receives responses from now on, from the owner of the portal's name only.
    func listen() async throws {
        let rule = MatchRule(
            sender: Self.portal, pathNamespace: Self.ownPath(of: connection, for: "request"),
            interface: Self.interface, member: "Response")
        try await connection.listen(rule) { [weak self] signal in
            guard let path = signal.path else { return }
            self?.open[path]?.yield(signal.body)
        }
    }

    /// An unpredictable name for a request or session of this connection.
    static func token() -> String { "dictation_\(UInt64.random(in: .min ... .max))" }

    /// Registers the application that this program belongs to. From version 1.20 programs outside a sandbox need this:
    /// GNOME binds no shortcut without it. Older portals do not have the method, and a second registration is refused.
    /// - Returns: the error, which matters only if a later call fails.
    func register(_ applicationID: String, within timeout: Duration) async -> DBusError? {
        do {
            _ = try await connection.call(
                destination: Self.portal, path: Self.path, interface: Self.registry, member: "Register",
                [.string(applicationID), Value([:])], timeout: timeout)
            return nil
        } catch {
            return error as? DBusError
        }
    }

    /// Calls a method and waits for its response. After a timeout or cancellation the request is closed, which closes its
    /// dialog.
    /// - Parameters:
    ///   - timeout: of the call, and again of the response.
    ///   - arguments: called with the request's token, for the option `handle_token`.
    func call(
        _ interface: InterfaceName, _ member: MemberName, within timeout: Duration,
        _ arguments: (_ token: Value) -> [Value]
    ) async throws -> Response {
        let token = Self.token()
        guard let expected = ObjectPath("\(Self.ownPath(of: connection, for: "request"))/\(token)") else {
            throw DBusError.failed("no path for a request")
        }
        let (stream, continuation) = AsyncStream.makeStream(
            of: [Value].self, bufferingPolicy: .bufferingOldest(1))
        open[expected] = continuation
        defer { open[expected] = nil }
        let path: ObjectPath
        do {
            path = try await connection.call(
                destination: Self.portal, path: Self.path, interface: interface, member: member,
                arguments(.string(token)), timeout: timeout
            ).decoded(as: ObjectPath.self)
        } catch {
            // The dialog may be shown before the reply arrives.
            await close(expected)
            throw error
        }
        // Portals before 0.9 choose another path.
        open[path] = continuation
        defer { open[path] = nil }
        let deadline = EventLoopActor.schedule(after: timeout) { continuation.finish() }
        defer { deadline.cancel() }
        for await body in stream {
            let (code, results) = try body.decoded(as: UInt32.self, [BusText: Value].self)
            return Response(code: code, results: results)
        }
        await close(path)
        try Task.checkCancellation()
        throw DBusError.noReply("no response to \(member) within \(timeout)")
    }

    private func close(_ path: ObjectPath) async {
        await notify(path, Self.interface, "Close")
    }

    /// Calls a method of one of the portal's objects and ignores the reply.
    func notify(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName) async {
        let connection = connection
        // In a task of its own, because the caller's may be cancelled. It fails only if the bus is gone, and then the object
        // is gone too.
        await Task {
            _ = try? await connection.call(
                destination: Self.portal, path: path, interface: interface, member: member,
                flags: [.noReplyExpected, .noAutoStart])
        }.value
    }

    /// The path of the portal's objects of this kind for this connection.
    static func ownPath(of connection: Connection, for kind: String) -> ObjectPath {
        let sender = connection.uniqueName.rawValue.dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
        return ObjectPath("\(path)/\(kind)/\(sender)") ?? path
    }
}
