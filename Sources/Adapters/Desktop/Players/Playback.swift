public import DBus
public import DictationCore
public import EventLoop

/// Pauses and resumes the media players of a desktop session: ``PlaybackMachine`` decides, ``MediaPlayers`` acts.
@EventLoopActor
public final class Playback {
    private let connection: Connection
    private let timeout: Duration
    private let report: @EventLoopActor (DesktopError) -> Void
    private var machine = PlaybackMachine()
    private var players: MediaPlayers?
    private let epoch = SuspendingClock.now

    /// - Parameters:
    ///   - connection: to the session's bus.
    ///   - timeout: of a player's answers.
    ///   - report: called with failures of players, for the log.
    public nonisolated init(
        on connection: Connection, timeout: Duration = MediaPlayers.defaultTimeout,
        report: @escaping @EventLoopActor (DesktopError) -> Void
    ) {
        self.connection = connection
        self.timeout = timeout
        self.report = report
    }

    /// Starts observing the players, until ``stop()``.
    public func start() {
        guard players == nil else { return }
        let players = MediaPlayers(
            on: connection, timeout: { [timeout] _ in timeout },
            publish: { [weak self] players in self?.handle(.players(players)) },
            report: report)
        self.players = players
        players.start()
    }

    /// Returns when the pending calls to players are done or have timed out.
    public func stop() async {
        await players?.stop()
        players = nil
    }

    public func follow(_ activity: DictationActivity) {
        handle(.dictation(activity))
    }

    private func handle(_ event: PlaybackMachine.Event) {
        for effect in machine.handle(event, at: SuspendingClock.now - epoch) {
            players?.perform(effect)
        }
    }
}
