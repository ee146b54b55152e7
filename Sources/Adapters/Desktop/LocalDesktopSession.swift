public import DBus
public import DictationCore
public import EventLoop
public import Prompts

/// The desktop session that this process belongs to.
public final class LocalDesktopSession: DesktopSession {
    private let environment: [String: String]
    private let seat: SeatWatch
    // Nil without a session bus.
    private let screenSavers: ScreenSavers?
    private let playback: Playback?
    private let prompter: PortalPrompter?
    private let scheduling: RealTimeScheduling
    private let socket: Result<FileWatch, EventLoopError>
    private let listener: Listener

    /// Set by ``start``.
    @EventLoopActor
    private final class Listener {
        var report: (@EventLoopActor (DesktopEvent) -> Void)?

        func callAsFunction(_ event: DesktopEvent) { report?(event) }
    }

    /// - Parameters:
    ///   - uid: the session's user.
    ///   - connection: to the session's bus; nil where there is none: then nobody is asked, and players are not paused.
    ///   - absence: what to assume if logind cannot be asked.
    ///   - systemBus: the bus that logind is on.
    ///   - environment: of this process.
    ///   - playerTimeout: of a media player's answers.
    public init(
        of uid: UInt32, on connection: Connection?, absence: SeatWatch.Absence,
        systemBus: BusAddress = .system, environment: [String: String],
        playerTimeout: Duration = MediaPlayers.defaultTimeout
    ) {
        let listener = Listener()
        self.listener = listener
        self.environment = environment
        let seat = SeatWatch(
            over: uid, bus: systemBus, absence: absence,
            publish: { listener(.seat($0)) }, report: { listener(.trouble($0)) })
        self.seat = seat
        screenSavers = connection.map { ScreenSavers(on: $0) { seat.follow($0) } }
        playback = connection.map { Playback(on: $0, timeout: playerTimeout) { listener(.trouble($0)) } }
        scheduling = RealTimeScheduling(sessionBus: connection, systemBus: systemBus)
        prompter = connection.map { PortalPrompter(on: $0, environment: environment) }
        let path = LocalPipeWire.socketPath(environment: environment)
        socket = Result { () throws(EventLoopError) in
            try FileWatch(path)
        }
    }

    public func begin(_ report: @escaping @EventLoopActor (DesktopEvent) -> Void) {
        listener.report = report
        seat.start()
        screenSavers?.start()
        playback?.start()
        do throws(EventLoopError) {
            try socket.get().start { [listener] in listener(.audioServerAppeared) }
        } catch {
            report(.trouble(DesktopError(.noSocketWatch, error)))
        }
    }

    public func end() async {
        try? socket.get().stop()
        await playback?.stop()
        await screenSavers?.stop()
        await seat.stop()
        listener.report = nil
    }

    /// Not on the event loop, because connecting can block.
    public nonisolated func openPipeWireRemote() throws -> Descriptor {
        try LocalPipeWire.connect(environment: environment)
    }

    public func prioritize(thread: Int32) {
        scheduling.request(for: thread) { [listener] in listener(.trouble($0)) }
    }

    public func userActed() {
        seat.userActed()
    }

    public func delaySleep(_ delays: Bool) {
        seat.delaySleep(delays)
    }

    public func follow(_ activity: DictationActivity) {
        playback?.follow(activity)
    }

    public func ask(_ prompt: Prompt) async throws(DesktopError) -> Decision? {
        guard let prompter else {
            throw DesktopError(
                .noPrompter, DBusError(.serviceUnknown, "the session has no bus"), of: "The desktop")
        }
        return try await prompter.ask(prompt)
    }
}
