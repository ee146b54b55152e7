public import DBus
public import DictationCore
public import EventLoop

/// The desktop session that this process itself belongs to.
public final class LocalDesktopSession: DesktopSession {
    private let environment: [String: String]
    private let seat: SeatWatch
    private let screenSavers: ScreenSavers
    private let playback: Playback
    private let prompter: PortalPrompter
    private let scheduling: RealTimeScheduling
    private let socket: Result<FileWatch, EventLoopError>
    private let listener: Listener

    /// Whom to tell, once that is known.
    private final class Listener: Sendable {
        let tell = Lock<(@Sendable (DesktopEvent) -> Void)?>(nil)

        func callAsFunction(_ event: DesktopEvent) { tell.withLock { $0 }?(event) }
    }

    /// - Parameters:
    ///   - uid: Whose session it is.
    ///   - connection: To the session's bus. Its loop is the one on which everything is told.
    ///   - systemBus: Where logind is.
    ///   - environment: Of this process.
    public init(
        of uid: UInt32, on connection: Connection, systemBus: BusAddress = .system,
        environment: [String: String]
    ) {
        let listener = Listener()
        self.listener = listener
        self.environment = environment
        let seat = SeatWatch(
            over: uid, on: connection.loop, bus: systemBus, absence: .present,
            publish: { listener(.seat($0)) }, report: { listener(.trouble($0)) })
        self.seat = seat
        screenSavers = ScreenSavers(on: connection) { states in
            seat.assumeIsolated { $0.follow(states) }
        }
        playback = Playback(on: connection) { listener(.trouble($0)) }
        scheduling = RealTimeScheduling(session: connection, systemBus: systemBus, loop: connection.loop)
        prompter = PortalPrompter(on: connection, environment: environment)
        let path = LocalPipeWire.socketPath(environment: environment)
        socket = Result { () throws(EventLoopError) in
            try FileWatch(path, on: connection.loop) { listener(.audioServerAppeared) }
        }
    }

    public func begin(_ tell: @escaping @Sendable (DesktopEvent) -> Void) {
        listener.tell.withLock { $0 = tell }
        seat.assumeIsolated { $0.start() }
        screenSavers.assumeIsolated { $0.start() }
        playback.assumeIsolated { $0.start() }
        do throws(EventLoopError) {
            try socket.get().start()
        } catch {
            tell(.trouble(DesktopError(.noSocketWatch, error)))
        }
    }

    public func end() async {
        try? socket.get().stop()
        await playback.stop()
        await screenSavers.stop()
        await seat.stop()
        listener.tell.withLock { $0 = nil }
    }

    public func openPipeWireRemote() throws -> Descriptor {
        try LocalPipeWire.connect(environment: environment)
    }

    public func prioritize(thread: Int32) {
        scheduling.request(for: thread) { [listener] in listener(.trouble($0)) }
    }

    public func userActed() {
        seat.assumeIsolated { $0.userActed() }
    }

    public func delaySleep(_ delays: Bool) {
        seat.assumeIsolated { $0.delaySleep(delays) }
    }

    public func follow(_ activity: DictationActivity) {
        playback.assumeIsolated { $0.follow(activity) }
    }

    public func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision? {
        try await prompter.ask(prompt)
    }
}
