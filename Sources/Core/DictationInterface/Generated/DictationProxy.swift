// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation over a connection. Calls made on the event
/// loop's actor are sent in that order.
public struct DictationProxy: Sendable {
    public let connection: MessageChannel
    /// A well-known or unique name, or the other end of a connection without a bus.
    public let destination: BusName
    public let path: ObjectPath
    /// Of every call.
    public let flags: Message.Flags
    /// The default time that calls wait for their reply. With nil they wait until the bus is gone.
    public static let usualTimeout: Duration = .seconds(25)

    public init(
        connection: MessageChannel, destination: BusName,
        path: ObjectPath = DictationInterface.path, flags: Message.Flags = []
    ) {
        self.connection = connection
        self.destination = destination
        self.path = path
        self.flags = flags
    }

    /// See ``DictationRequest/start(options:)``.
    public nonisolated(nonsending) func start(
        options: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws -> UInt64 {
        let reply = try await call(.start, [Value(options)], timeout: timeout)
        return try reply.decoded(as: UInt64.self)
    }

    /// See ``DictationRequest/pause``.
    public nonisolated(nonsending) func pause(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.pause, [], timeout: timeout)
    }

    /// See ``DictationRequest/resume``.
    public nonisolated(nonsending) func resume(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.resume, [], timeout: timeout)
    }

    /// See ``DictationRequest/commit``.
    public nonisolated(nonsending) func commit(
        timeout: Duration? = Self.usualTimeout
    ) async throws -> (block: UInt64, text: String, details: [BusText: Value]) {
        let reply = try await call(.commit, [], timeout: timeout)
        return try reply.decoded(as: UInt64.self, String.self, [BusText: Value].self)
    }

    /// See ``DictationRequest/cancel``.
    public nonisolated(nonsending) func cancel(
        timeout: Duration? = Self.usualTimeout
    ) async throws -> UInt64 {
        let reply = try await call(.cancel, [], timeout: timeout)
        return try reply.decoded(as: UInt64.self)
    }

    /// See ``DictationRequest/stop``.
    public nonisolated(nonsending) func stop(
        timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.stop, [], timeout: timeout)
    }

    /// See ``DictationRequest/stopAll(options:)``.
    public nonisolated(nonsending) func stopAll(
        options: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws -> UInt32 {
        let reply = try await call(.stopAll, [Value(options)], timeout: timeout)
        return try reply.decoded(as: UInt32.self)
    }

    /// See ``DictationRequest/subscribe(options:)``.
    public nonisolated(nonsending) func subscribe(
        options: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.subscribe, [Value(options)], timeout: timeout)
    }

    /// See ``DictationRequest/getSession``.
    public nonisolated(nonsending) func getSession(
        timeout: Duration? = Self.usualTimeout
    ) async throws -> [BusText: Value] {
        let reply = try await call(.getSession, [], timeout: timeout)
        return try reply.decoded(as: [BusText: Value].self)
    }

    /// See ``DictationRequest/requestPermission(resources:options:)``.
    public nonisolated(nonsending) func requestPermission(
        resources: [BusText], options: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws -> [BusText: String] {
        let reply = try await call(.requestPermission, [Value(resources), Value(options)], timeout: timeout)
        return try reply.decoded(as: [BusText: String].self)
    }

    /// See ``DictationRequest/checkPermission``.
    public nonisolated(nonsending) func checkPermission(
        timeout: Duration? = Self.usualTimeout
    ) async throws -> (status: [BusText: String], ready: Bool) {
        let reply = try await call(.checkPermission, [], timeout: timeout)
        return try reply.decoded(as: [BusText: String].self, Bool.self)
    }

    /// See ``DictationRequest/listRoutes``.
    public nonisolated(nonsending) func listRoutes(
        timeout: Duration? = Self.usualTimeout
    ) async throws -> [[BusText: Value]] {
        let reply = try await call(.listRoutes, [], timeout: timeout)
        return try reply.decoded(as: [[BusText: Value]].self)
    }

    /// See ``DictationRequest/selectRoute(name:options:)``.
    public nonisolated(nonsending) func selectRoute(
        name: BusText, options: [BusText: Value], timeout: Duration? = Self.usualTimeout
    ) async throws {
        _ = try await call(.selectRoute, [Value(name), Value(options)], timeout: timeout)
    }

    /// The present value of a property.
    public nonisolated(nonsending) func value(of property: DictationProperty) async throws -> Value {
        let reply = try await connection.call(
            destination: destination, path: path, interface: .properties, member: "Get",
            [Value(DictationInterface.name.rawValue), Value(property.rawValue)])
        return try reply.decoded(as: Value.self)
    }

    private nonisolated(nonsending) func call(
        _ method: DictationMethod, _ body: [Value], timeout: Duration?
    ) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body, timeout: timeout, flags: flags)
    }
}
