// Written by packaging/generate from dbus/org.example.Dictation.xml; change that instead.

public import DBus

/// Calls the methods of org.example.Dictation over a connection.
public struct DictationProxy: Sendable {
    public let connection: Connection
    /// A well-known or unique name.
    public let destination: BusName
    public let path: ObjectPath

    public init(connection: Connection, destination: BusName, path: ObjectPath = DictationInterface.path) {
        self.connection = connection
        self.destination = destination
        self.path = path
    }

    /// See ``DictationRequest/start(options:)``.
    public func start(
        options: [String: Value], timeout: Duration = Connection.usualTimeout
    ) async throws -> UInt64 {
        let reply = try await call(.start, [Value(options)], timeout: timeout)
        return try reply.decoded(as: UInt64.self)
    }

    /// See ``DictationRequest/pause``.
    public func pause(timeout: Duration = Connection.usualTimeout) async throws {
        _ = try await call(.pause, [], timeout: timeout)
    }

    /// See ``DictationRequest/resume``.
    public func resume(timeout: Duration = Connection.usualTimeout) async throws {
        _ = try await call(.resume, [], timeout: timeout)
    }

    /// See ``DictationRequest/commit``.
    public func commit(
        timeout: Duration = Connection.usualTimeout
    ) async throws -> (block: UInt64, text: String, details: [String: Value]) {
        let reply = try await call(.commit, [], timeout: timeout)
        return try reply.decoded(as: UInt64.self, String.self, [String: Value].self)
    }

    /// See ``DictationRequest/cancel``.
    public func cancel(timeout: Duration = Connection.usualTimeout) async throws -> UInt64 {
        let reply = try await call(.cancel, [], timeout: timeout)
        return try reply.decoded(as: UInt64.self)
    }

    /// See ``DictationRequest/stop``.
    public func stop(timeout: Duration = Connection.usualTimeout) async throws {
        _ = try await call(.stop, [], timeout: timeout)
    }

    /// See ``DictationRequest/subscribe(options:)``.
    public func subscribe(
        options: [String: Value], timeout: Duration = Connection.usualTimeout
    ) async throws {
        _ = try await call(.subscribe, [Value(options)], timeout: timeout)
    }

    /// See ``DictationRequest/getSession``.
    public func getSession(timeout: Duration = Connection.usualTimeout) async throws -> [String: Value] {
        let reply = try await call(.getSession, [], timeout: timeout)
        return try reply.decoded(as: [String: Value].self)
    }

    /// See ``DictationRequest/requestPermission(resources:options:)``.
    public func requestPermission(
        resources: [String], options: [String: Value], timeout: Duration = Connection.usualTimeout
    ) async throws -> [String: String] {
        let body = [Value(resources), Value(options)]
        let reply = try await call(.requestPermission, body, timeout: timeout)
        return try reply.decoded(as: [String: String].self)
    }

    /// See ``DictationRequest/checkPermission``.
    public func checkPermission(
        timeout: Duration = Connection.usualTimeout
    ) async throws -> (status: [String: String], ready: Bool) {
        let reply = try await call(.checkPermission, [], timeout: timeout)
        return try reply.decoded(as: [String: String].self, Bool.self)
    }

    /// See ``DictationRequest/listRoutes``.
    public func listRoutes(timeout: Duration = Connection.usualTimeout) async throws -> [[String: Value]] {
        let reply = try await call(.listRoutes, [], timeout: timeout)
        return try reply.decoded(as: [[String: Value]].self)
    }

    /// See ``DictationRequest/selectRoute(name:options:)``.
    public func selectRoute(
        name: String, options: [String: Value], timeout: Duration = Connection.usualTimeout
    ) async throws {
        let body = [Value(name), Value(options)]
        _ = try await call(.selectRoute, body, timeout: timeout)
    }

    /// The present value of a property.
    public func value(of property: DictationProperty) async throws -> Value {
        let reply = try await connection.call(
            destination: destination, path: path, interface: .properties, member: "Get",
            body: [Value(DictationInterface.name.rawValue), Value(property.rawValue)])
        return try reply.decoded(as: Value.self)
    }

    private func call(_ method: DictationMethod, _ body: [Value], timeout: Duration) async throws -> [Value] {
        try await connection.call(
            destination: destination, path: path, interface: DictationInterface.name,
            member: MemberName(stringLiteral: method.rawValue), body: body, timeout: timeout)
    }
}
