import DBus
import DictationCore
import DictationInterface
import DictationRig
import DictationTestKit
import EventLoop

/// A client of the service that records the time of each signal.
actor Client {
    nonisolated let connection: Connection
    nonisolated let dictation: DictationProxy
    nonisolated let signals: Timeline<DictationSignal>

    nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoopActor.sharedUnownedExecutor }

    init(on rig: Rig) async throws {
        connection = try await Connection(to: .custom(rig.bus.address))
        dictation = DictationProxy(connection: connection, destination: DictationInterface.busName)
        signals = Timeline(on: EventLoopActor.loop)
        let messages = try await connection.signals(MatchRule(interface: DictationInterface.name))
        Task { await follow(messages) }
    }

    private func follow(_ messages: AsyncStream<Message>) async {
        for await message in messages {
            if let signal = DictationSignal(message) { signals.note(signal) }
        }
    }

    nonisolated var permissions: DictationPermissionsProxy {
        DictationPermissionsProxy(connection: connection, destination: DictationInterface.busName)
    }

    /// Sets this program's permission.
    nonisolated func set(_ resource: Resource, _ status: PermissionStatus) async throws {
        try await permissions.set(
            client: [
                ClientKey.kind: .string("executable"), ClientKey.id: .string(try executableOfThisProcess()),
            ], resource: BusText(resource.rawValue), status: BusText(status.rawValue))
    }

    nonisolated func close() async {
        await connection.close()
    }

    /// Starts a session. Returns when sound flows.
    @discardableResult
    nonisolated func start() async throws -> Instant {
        let start = Instant.now
        _ = try await dictation.start(options: [:])
        return try await listening(since: start)
    }

    nonisolated func listening(since start: Instant) async throws -> Instant {
        try await signals.time(of: "listening", since: start) { signal in
            if case .stateChanged(_, "listening", _, _) = signal { true } else { false }
        }
    }

    nonisolated func interrupted(by reason: String, since start: Instant) async throws -> Instant {
        try await signals.time(of: "Interrupted by \(reason)", since: start) { signal in
            if case .interrupted(_, reason, _) = signal { true } else { false }
        }
    }

    nonisolated func resumed(since start: Instant) async throws -> Instant {
        try await signals.time(of: "Resumed", since: start) { signal in
            if case .resumed = signal { true } else { false }
        }
    }

    nonisolated func rerouted(since start: Instant) async throws -> Instant {
        try await signals.time(of: "RouteChanged", since: start) { signal in
            if case .routeChanged = signal { true } else { false }
        }
    }

    /// The session's audio so far, and its reported losses.
    nonisolated func heard() async throws -> (frames: Int, dropouts: Int) {
        let session = try await dictation.getSession()
        guard let duration = session[SessionKey.duration].flatMap({ Double($0) }),
            let dropouts = session[SessionKey.dropouts].flatMap({ UInt64($0) })
        else { throw TestFailure("GetSession tells no duration: \(session)") }
        return (Int((duration * 16000).rounded()), Int(dropouts))
    }
}
