public import DBus
public import DictationCore
public import EventLoop

/// Observes the media players of a desktop session and carries out the commands of ``PlaybackMachine``.
///
/// A player that does not answer within the timeout is treated as absent and does not delay the others.
@EventLoopActor
public final class MediaPlayers {
    /// The usual timeout of MPRIS clients.
    public nonisolated static let defaultTimeout = Duration.seconds(1)

    private let connection: Connection
    private let timeout: @Sendable (PlayerName) -> Duration
    private let publish: @EventLoopActor ([PlayerName: Player]) -> Void
    private let report: @EventLoopActor (DesktopError) -> Void

    private var following: Task<Void, Never>?
    private var entries: [PlayerName: Entry] = [:]
    /// Whether all names that existed at the start have been looked at.
    private var isComplete = false
    private var published: [PlayerName: Player]?
    private var commands: [UInt64: Task<Void, Never>] = [:]
    private var lastCommand: UInt64 = 0

    /// A name on the bus that has an owner.
    private struct Entry {
        let owner: BusName
        /// The last state; nil until the player has answered.
        var player: Player?
        var looking = Looking.no
        /// Whether a query has ended, successfully or not.
        var wasLookedAt = false
        var hasFailed = false
    }

    private enum Looking {
        case no, yes
        /// A change was signalled since the query began.
        case again
    }

    /// Makes players of which nothing is known before ``start()``.
    /// - Parameters:
    ///   - connection: to the session's bus.
    ///   - timeout: timeout of a player's answers.
    ///   - publish: called with all players after each change; first when each player that existed at the start has
    ///     answered or timed out.
    ///   - report: called with failures of players, for the log.
    public nonisolated init(
        on connection: Connection,
        timeout: @escaping @Sendable (PlayerName) -> Duration = { _ in defaultTimeout },
        publish: @escaping @EventLoopActor ([PlayerName: Player]) -> Void,
        report: @escaping @EventLoopActor (DesktopError) -> Void
    ) {
        self.connection = connection
        self.timeout = timeout
        self.publish = publish
        self.report = report
    }

    /// Starts observing the players, until ``stop()`` or the end of the connection.
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

    /// Stops observing. Returns when the pending calls to players are done or have timed out.
    public func stop() async {
        for command in commands.values { await command.value }
        following?.cancel()
        await following?.value
        following = nil
        entries = [:]
        isComplete = false
        published = nil
    }

    /// Sends the machine's command to a player and queries its state.
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
        // Players whose owner has changed are left alone.
        guard let entry = entries[name], entry.owner.rawValue == owner.rawValue else { return }
        lastCommand += 1
        let number = lastCommand
        commands[number] = Task {
            do {
                try await body(player(name, entry.owner))
            } catch {
                fail(name, error)
            }
            look(at: name)
            commands[number] = nil
        }
    }

    /// Reports a player's failure, once until it answers again.
    private func fail(_ name: PlayerName, _ error: any Error) {
        guard entries[name]?.hasFailed == false else { return }
        entries[name]?.hasFailed = true
        report(DesktopError(.player, error, of: name.rawValue))
    }

    private func player(_ name: PlayerName, _ owner: BusName) -> MediaPlayer {
        MediaPlayer(owner: owner, connection: connection, timeout: timeout(name))
    }

    private func publishChange() {
        if published == nil, !isComplete || !entries.values.allSatisfy(\.wasLookedAt) { return }
        let players = entries.compactMapValues(\.player)
        guard players != published else { return }
        published = players
        publish(players)
    }
}

// MARK: - Observing

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
        publishChange()
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

    /// Handles a change of a name's owner.
    private func ownerChanged(_ name: PlayerName, _ owner: BusName?) {
        guard entries[name]?.owner != owner else { return }
        entries[name] = owner.map { Entry(owner: $0) }
        look(at: name)
        publishChange()
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
            let seen = await Result { try await player(name, entry.owner).look() }
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
            publishChange()
        }
    }
}
