import DBus
import Desktop
import DictationCore
import DictationTestKit
import EventLoop

/// A session bus with media players, their observer, and the machine that decides.
final class PlayerRig: Sendable {
    let bus: PrivateBus
    /// The test's own connection.
    let connection: Connection
    let players: MediaPlayers
    private let ours: Connection
    private let record: Record

    final class Record: Sendable {
        let told = Lock<[[PlayerName: Player]]>([])
        let troubles = Lock<[DesktopError]>([])
        let machine = Lock(PlaybackMachine())
        /// They live as long as the rig does.
        let mocks = Lock<[MockPlayer]>([])
        /// Carries out the machine's commands, until the rig is closed.
        let performer = Lock<MediaPlayers?>(nil)
        /// Those that do not answer.
        let hanging = Lock<Set<PlayerName>>([])
        let epoch = SuspendingClock.now

        func handle(_ event: PlaybackMachine.Event) -> [PlaybackMachine.Effect] {
            machine.withLock { $0.handle(event, at: SuspendingClock.now - epoch) }
        }
    }

    init() async throws {
        let record = Record()
        self.record = record
        bus = try await PrivateBus()
        connection = try await Connection(to: .custom(bus.address))
        ours = try await Connection(to: .custom(bus.address))
        players = MediaPlayers(
            on: ours,
            timeout: { name in
                record.hanging.withLock { $0.contains(name) } ? .milliseconds(300) : DictationTestKit.timeout
            },
            publish: { players in
                record.told.withLock { $0.append(players) }
                let effects = record.handle(.players(players))
                let performer = record.performer.withLock { $0 }
                for effect in effects { performer?.perform(effect) }
            },
            report: { error in record.troubles.withLock { $0.append(error) } })
        record.performer.withLock { [players] in $0 = players }
    }

    func close() async {
        await players.stop()
        record.performer.withLock { $0 = nil }
        await ours.close()
        await connection.close()
    }

    func player(
        _ name: String, _ status: Player.Status, canPause: Bool = true, obeys: Bool = true
    ) async throws -> MockPlayer {
        let player = try await MockPlayer(
            name, status.rawValue, canPause: canPause, obeys: obeys, on: bus.address, by: connection)
        record.mocks.withLock { $0.append(player) }
        return player
    }

    /// Makes a player hang. Nobody waits long for it from now on.
    func stop(_ player: MockPlayer) throws {
        _ = record.hanging.withLock { $0.insert(PlayerName(player.name)) }
        try player.mock.pause()
    }

    /// The player answers again.
    func resume(_ player: MockPlayer) {
        _ = record.hanging.withLock { $0.remove(PlayerName(player.name)) }
        player.mock.resume()
    }

    /// Dictation changes its activity.
    func dictation(_ activity: DictationActivity) async {
        for effect in record.handle(.dictation(activity)) { await players.perform(effect) }
    }

    /// All published facts, in order.
    var history: [[PlayerName: Player]] { record.told.withLock { $0 } }
    var troubles: [DesktopError] { record.troubles.withLock { $0 } }

    func player(_ player: MockPlayer) -> Player? { history.last?[PlayerName(player.name)] }

    /// Waits until the players have this state.
    func statuses(_ expected: [String: Player.Status]) async throws {
        let expected = Dictionary(
            uniqueKeysWithValues: expected.map { (PlayerName("org.mpris.MediaPlayer2.\($0)"), $1) })
        do {
            try await eventually("\(expected)") { history.last?.mapValues(\.status) == expected }
        } catch {
            throw TestFailure("\(error); told: \(history.last ?? [:]); troubles: \(troubles)")
        }
    }

    /// A call or signal of another MPRIS client.
    func playerctl(_ arguments: String...) async throws -> String {
        let run = try await ChildProcess.run(["playerctl"] + arguments, adding: bus.environment)
        guard run.status == .exited(0) else { throw TestFailure("playerctl: \(run.errors)") }
        return run.output.split(separator: "\n").joined(separator: "\n")
    }
}

/// Runs a test with players, and then releases them.
func withPlayers(_ body: (PlayerRig) async throws -> Void) async throws {
    let rig = try await PlayerRig()
    do {
        try await body(rig)
    } catch {
        await rig.close()
        throw error
    }
    await rig.close()
}
