public import DBus
public import DictationCore
internal import EventLoop

/// Has the media players of a desktop session follow what dictation does: what ``PlaybackMachine`` decides,
/// ``MediaPlayers`` do. Lives on the loop of its connection.
public actor Playback {
    private let connection: Connection
    private let report: @Sendable (DesktopError) -> Void
    private var machine = PlaybackMachine()
    private var players: MediaPlayers?
    private let epoch = SuspendingClock.now

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        connection.loop.asUnownedSerialExecutor()
    }

    /// - Parameters:
    ///   - connection: To the session's bus.
    ///   - report: Told what goes wrong with a player, for the log.
    public init(on connection: Connection, report: @escaping @Sendable (DesktopError) -> Void) {
        self.connection = connection
        self.report = report
    }

    /// Begins to follow the players, until ``stop()``.
    public func start() {
        guard players == nil else { return }
        let players = MediaPlayers(
            on: connection,
            publish: { [weak self] players in self?.assumeIsolated { $0.handle(.players(players)) } },
            report: report)
        self.players = players
        players.assumeIsolated { $0.start() }
    }

    /// Returns when the players have done what they were asked, or have had their time.
    public func stop() async {
        await players?.stop()
        players = nil
    }

    public func follow(_ activity: DictationActivity) {
        handle(.dictation(activity))
    }

    private func handle(_ event: PlaybackMachine.Event) {
        for effect in machine.handle(event, at: SuspendingClock.now - epoch) {
            players?.assumeIsolated { $0.perform(effect) }
        }
    }
}
