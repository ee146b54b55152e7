public import DBus
public import DictationCore
public import EventLoop

/// The media players of a desktop session: what they do, and doing what ``PlaybackMachine`` asks of them.
///
/// A player that does not answer within the timeout is as if it were not there, and keeps no other waiting.
@EventLoopActor
public final class MediaPlayers {
    /// What MPRIS clients commonly allow a player for an answer.
    public nonisolated static let defaultTimeout = Duration.seconds(1)

    private let connection: Connection
    private let timeout: Duration
    private let publish: @EventLoopActor ([PlayerName: Player]) -> Void
    private let report: @EventLoopActor (DesktopError) -> Void

    private var following: Task<Void, Never>?
    private var entries: [PlayerName: Entry] = [:]
    /// Whether all names that were there at the start have been met.
    private var isComplete = false
    private var told: [PlayerName: Player]?
    private var commands: [UInt64: Task<Void, Never>] = [:]
    private var lastCommand: UInt64 = 0

    /// A name that somebody owns.
    private struct Entry {
        let owner: BusName
        /// What was seen last; none as long as it has not answered.
        var player: Player?
        var looking = Looking.no
        /// Whether a look has ended, well or not.
        var wasLookedAt = false
        var hasFailed = false
    }

    private enum Looking {
        case no, yes
        /// Something has changed since the look began.
        case again
    }

    /// Makes players of which nothing is known before ``start()``.
    /// - Parameters:
    ///   - connection: To the session's bus.
    ///   - timeout: How long a player may take to answer.
    ///   - publish: Told all players whenever one has changed; for the first time when each of those there were at
    ///     the start has answered or has had its time.
    ///   - report: Told what goes wrong with a player, for the log.
    public nonisolated init(
        on connection: Connection, timeout: Duration = defaultTimeout,
        publish: @escaping @EventLoopActor ([PlayerName: Player]) -> Void,
        report: @escaping @EventLoopActor (DesktopError) -> Void
    ) {
        self.connection = connection
        self.timeout = timeout
        self.publish = publish
        self.report = report
    }

    /// Begins to follow the players, until ``stop()`` or the end of the connection.
    public func start() {
        guard following == nil else { return }
        following = Task {
            do {
                try await follow()
            } catch {
                if !Task.isCancelled { report(DesktopError(.noPlayers, error)) }
            }
        }
    }

    /// Follows no longer. Returns when what players were asked before is done, or has had its time.
    public func stop() async {
        for command in commands.values { await command.value }
        following?.cancel()
        await following?.value
        following = nil
        entries = [:]
        isComplete = false
        told = nil
    }

    /// Asks a player to do what the machine decided, and looks what became of it.
    public func perform(_ effect: PlaybackMachine.Effect) {
        switch effect {
        case .pause(let name, let owner): command(name, of: owner) { try await $0.pause() }
        case .play(let name, let owner): command(name, of: owner) { try await $0.play() }
        }
    }

    private func command(
        _ name: PlayerName, of owner: ClientName,
        _ body: @escaping @EventLoopActor (MediaPlayer) async throws -> Void
    ) {
        // An owner that has gone, or whose name another has taken, is left alone.
        guard let entry = entries[name], entry.owner.rawValue == owner.rawValue else { return }
        lastCommand += 1
        let number = lastCommand
        commands[number] = Task {
            do {
                try await body(player(entry.owner))
            } catch {
                fail(name, error)
            }
            look(at: name)
            commands[number] = nil
        }
    }

    /// Tells that a player failed, once until it answers again.
    private func fail(_ name: PlayerName, _ error: any Error) {
        guard entries[name]?.hasFailed == false else { return }
        entries[name]?.hasFailed = true
        report(DesktopError(.player, error, of: name.rawValue))
    }

    private func player(_ owner: BusName) -> MediaPlayer {
        MediaPlayer(owner: owner, connection: connection, timeout: timeout)
    }

    private func tell() {
        if told == nil, !isComplete || !entries.values.allSatisfy(\.wasLookedAt) { return }
        let players = entries.compactMapValues(\.player)
        guard players != told else { return }
        told = players
        publish(players)
    }
}

// MARK: - Following

extension MediaPlayers {
    /// Returns when the connection ends.
    private func follow() async throws {
        let changes = try await connection.signals(
            MatchRule(
                path: MediaPlayer.path, interface: .properties, member: "PropertiesChanged",
                arguments: [0: MediaPlayer.interface.rawValue]))
        let owners = try await connection.signals(
            MatchRule(sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged"))
        let names = try await connection.call(
            destination: .bus, path: .bus, interface: .bus, member: "ListNames"
        ).decoded(as: [String].self)
        for name in names where MediaPlayer.isName(name) {
            guard let busName = BusName(name), let owner = try await connection.owner(of: busName) else {
                continue
            }
            ownerChanged(PlayerName(name), owner)
        }
        isComplete = true
        tell()
        async let followed: Void = follow(changes)
        for await change in owners {
            guard case .string(let text) = change.body.first, MediaPlayer.isName(text.string) else {
                continue
            }
            ownerChanged(
                PlayerName(text.string), change.body.last.flatMap { BusText($0) }.flatMap { BusName($0) })
        }
        await followed
    }

    private func follow(_ changes: AsyncStream<Message>) async {
        for await change in changes { handle(change) }
    }

    /// Takes in who owns the name now.
    private func ownerChanged(_ name: PlayerName, _ owner: BusName?) {
        guard entries[name]?.owner != owner else { return }
        entries[name] = owner.map { Entry(owner: $0) }
        look(at: name)
        tell()
    }

    private func handle(_ signal: Message) {
        guard
            let (_, changed, lost) = try? signal.body.decoded(
                as: BusText.self, [BusText: Value].self, [BusText].self)
        else { return }
        let mentioned = Set(changed.keys).union(lost)
        guard mentioned.contains("PlaybackStatus") || mentioned.contains("CanPause") else { return }
        for (name, entry) in entries where entry.owner == signal.sender { look(at: name) }
    }

    private func look(at name: PlayerName) {
        guard let entry = entries[name] else { return }
        guard entry.looking == .no else {
            entries[name]?.looking = .again
            return
        }
        entries[name]?.looking = .yes
        Task {
            let seen = await Result { try await player(entry.owner).look() }
            guard let now = entries[name], now.owner == entry.owner else { return }
            entries[name]?.looking = .no
            entries[name]?.wasLookedAt = true
            switch seen {
            case .success(let player):
                entries[name]?.player = player
                entries[name]?.hasFailed = false
            case .failure(let error):
                fail(name, error)
            }
            if now.looking == .again { look(at: name) }
            tell()
        }
    }
}
