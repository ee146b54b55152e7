public import DBus
public import DictationCore
public import EventLoop
import Glibc

/// The screen savers of a desktop session that tell whether they cover the screen.
///
/// One is believed if a process of the same user owns its name.
@EventLoopActor
public final class ScreenSavers {
    private let connection: Connection
    private let timeout: Duration
    private let publish: @EventLoopActor ([ScreenSaver: Bool]) -> Void
    private var following: Task<Void, Never>?
    private var entries: [ScreenSaver: Entry] = [:]
    private var published: [ScreenSaver: Bool] = [:]

    /// A name that somebody owns.
    private struct Entry {
        let owner: BusName
        /// Its process belongs to the user.
        var isTrusted = false
        /// What it said last; nil where it has said nothing.
        var isActive: Bool?
    }

    /// - Parameters:
    ///   - connection: To the session's bus.
    ///   - timeout: How long a screen saver may take to answer. One that takes longer counts from its next signal on.
    ///   - publish: Called after every change with what all of them say.
    public nonisolated init(
        on connection: Connection, timeout: Duration = .seconds(5),
        publish: @escaping @EventLoopActor ([ScreenSaver: Bool]) -> Void
    ) {
        self.connection = connection
        self.timeout = timeout
        self.publish = publish
    }

    /// Begins to follow them, until ``stop()`` or the end of the connection.
    public func start() {
        guard following == nil else { return }
        following = Task {
            await withTaskGroup { group in
                for screenSaver in ScreenSaver.allCases {
                    // Fails only when the connection ends, which whoever owns it notices.
                    group.addTask { try? await self.follow(screenSaver) }
                }
            }
        }
    }

    public func stop() async {
        following?.cancel()
        await following?.value
        following = nil
        entries = [:]
    }

    private func follow(_ screenSaver: ScreenSaver) async throws {
        let changes = try await connection.signals(
            MatchRule(
                sender: screenSaver.busName, interface: screenSaver.interface, member: "ActiveChanged"))
        let owners = try await connection.signals(
            MatchRule(
                sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
                arguments: [0: screenSaver.rawValue]))
        ownerChanged(screenSaver, try await connection.owner(of: screenSaver.busName))
        async let followed: Void = follow(screenSaver, changes)
        for await change in owners {
            ownerChanged(screenSaver, change.body.last.flatMap { BusText($0) }.flatMap { BusName($0) })
        }
        await followed
    }

    private func follow(_ screenSaver: ScreenSaver, _ changes: AsyncStream<Message>) async {
        for await change in changes {
            guard entries[screenSaver]?.owner == change.sender,
                let isActive = change.body.first.flatMap({ Bool($0) })
            else { continue }
            entries[screenSaver]?.isActive = isActive
            tell()
        }
    }

    /// The name has this owner now.
    private func ownerChanged(_ screenSaver: ScreenSaver, _ owner: BusName?) {
        guard entries[screenSaver]?.owner != owner else { return }
        entries[screenSaver] = owner.map { Entry(owner: $0) }
        tell()
        guard let owner else { return }
        Task {
            let isTrusted = try? await connection.credentials(of: owner).uid == getuid()
            guard isTrusted == true, entries[screenSaver]?.owner == owner else { return }
            entries[screenSaver]?.isTrusted = true
            let isActive = await isActive(screenSaver, owner)
            guard entries[screenSaver]?.owner == owner else { return }
            // What it has told meanwhile is newer.
            if entries[screenSaver]?.isActive == nil { entries[screenSaver]?.isActive = isActive }
            tell()
        }
    }

    /// Nil where it does not say.
    private func isActive(_ screenSaver: ScreenSaver, _ owner: BusName) async -> Bool? {
        for path in screenSaver.paths {
            // Its unique name: nobody is started by the call.
            let reply = try? await connection.call(
                destination: owner, path: path, interface: screenSaver.interface, member: "GetActive",
                timeout: timeout)
            if let isActive = reply?.first.flatMap({ Bool($0) }) { return isActive }
        }
        return nil
    }

    private func tell() {
        let states = entries.compactMapValues { $0.isTrusted ? $0.isActive : nil }
        guard states != published else { return }
        published = states
        publish(states)
    }
}

extension ScreenSaver {
    var busName: BusName {
        switch self {
        case .gnome: "org.gnome.ScreenSaver"
        case .freedesktop: "org.freedesktop.ScreenSaver"
        case .kde: "org.kde.screensaver"
        case .cinnamon: "org.cinnamon.ScreenSaver"
        case .mate: "org.mate.ScreenSaver"
        case .xfce: "org.xfce.ScreenSaver"
        }
    }

    /// That of GetActive and ActiveChanged.
    var interface: InterfaceName {
        switch self {
        case .gnome: "org.gnome.ScreenSaver"
        case .freedesktop, .kde: "org.freedesktop.ScreenSaver"
        case .cinnamon: "org.cinnamon.ScreenSaver"
        case .mate: "org.mate.ScreenSaver"
        case .xfce: "org.xfce.ScreenSaver"
        }
    }

    /// Where its object is, in the order in which to ask.
    var paths: [ObjectPath] {
        switch self {
        case .gnome: ["/org/gnome/ScreenSaver"]
        case .freedesktop, .kde: ["/org/freedesktop/ScreenSaver", "/ScreenSaver"]
        case .cinnamon: ["/org/cinnamon/ScreenSaver"]
        case .mate: ["/org/mate/ScreenSaver", "/"]
        case .xfce: ["/org/xfce/ScreenSaver", "/"]
        }
    }
}
