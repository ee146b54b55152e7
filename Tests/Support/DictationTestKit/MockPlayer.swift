public import DBus

/// A media player on a private bus, which can misbehave.
public final class MockPlayer: Sendable {
    public let name: String
    public let mock: DBusMock

    private static let path: ObjectPath = "/org/mpris/MediaPlayer2"
    private static let root: InterfaceName = "org.mpris.MediaPlayer2"
    private static let interface: InterfaceName = "org.mpris.MediaPlayer2.Player"

    /// - Parameters:
    ///   - name: the part after `org.mpris.MediaPlayer2.`.
    ///   - status: `Playing`, `Paused` or `Stopped`.
    ///   - obeys: whether commands have an effect.
    public init(
        _ name: String, _ status: String, canPause: Bool = true, obeys: Bool = true, on bus: String,
        by connection: Connection
    ) async throws {
        self.name = "org.mpris.MediaPlayer2.\(name)"
        guard let busName = BusName(self.name) else { throw TestFailure("not a name: \(name)") }
        mock = try await DBusMock(
            busName, ["--session", self.name, Self.path.rawValue, Self.interface.rawValue], on: bus,
            by: connection)
        let properties: [BusText: Value] = [
            "PlaybackStatus": .string(status), "CanPause": .bool(canPause), "CanPlay": .bool(true),
            "CanControl": .bool(true),
        ]
        try await mock.steer(
            Self.path, "AddProperties", [.string(Self.interface.rawValue), Value(properties)])
        let identity: [BusText: Value] = ["Identity": .string(name)]
        try await mock.steer(Self.path, "AddProperties", [.string(Self.root.rawValue), Value(identity)])
        for (method, status) in [("Pause", "Paused"), ("Play", "Playing")] {
            let code =
                obeys
                ? "self.Set('\(Self.interface)', 'PlaybackStatus', '\(status)')" : "pass"
            try await mock.steer(
                Self.path, "AddMethod",
                [.string(Self.interface.rawValue), .string(method), .string(""), .string(""), .string(code)])
        }
        // Its properties were added after its name.
        try await set(status)
    }

    /// A change by its user.
    public func set(_ status: String) async throws {
        try await mock.set(Self.path, Self.interface, "PlaybackStatus", .string(status))
    }

    public func status() async throws -> String {
        try await mock.call(
            Self.path, .properties, "Get", [.string(Self.interface.rawValue), .string("PlaybackStatus")]
        ).decoded(as: Value.self).text
    }

    /// Forgets earlier calls.
    public func forgetCalls() async throws {
        try await mock.steer(Self.path, "ClearCalls")
    }

    /// The names of called methods, in order.
    public func calls() async throws -> [String] {
        let reply = try await mock.steer(Self.path, "GetCalls")
        guard case .array(let calls, _) = reply.first else { throw TestFailure("no list: \(reply)") }
        return calls.compactMap { call in
            guard case .structure(let members) = call, members.count > 1 else { return nil }
            return String(members[1])
        }.filter { ["Pause", "Play"].contains($0) }
    }
}

extension Value {
    fileprivate var text: String { String(self) ?? "" }
}
