public import DBus
public import DictationCore
public import EventLoop
import Glibc

/// The screen savers of a desktop session, and whether each covers the screen.
///
/// A screen saver counts if its process belongs to the same user.
@EventLoopActor
public final class ScreenSavers {
    private let connection: Connection
    private let timeout: Duration
    private let publish: @EventLoopActor ([ScreenSaver: Bool]) -> Void
    private var following: Task<Void, Never>?
    private var entries: [ScreenSaver: Entry] = [:]
    private var published: [ScreenSaver: Bool] = [:]

    /// A name on the bus that has an owner.
    private struct Entry {
        let owner: BusName
        /// Its process belongs to the user.
        var isTrusted = false
        /// Its last answer; nil before the first.
        var isActive: Bool?
    }

    /// - Parameters:
    ///   - connection: to the session's bus.
    ///   - timeout: timeout of a screen saver's answer. One that takes longer counts from its next signal on.
    ///   - publish: called after every change with the answers of all screen savers.
    public nonisolated init(
        on connection: Connection, timeout: Duration = .seconds(5),
        publish: @escaping @EventLoopActor ([ScreenSaver: Bool]) -> Void
    ) {
        self.connection = connection
        self.timeout = timeout
        self.publish = publish
    }

    /// Starts observing them, until ``stop()`` or the end of the connection.
    public func start() {
        guard following == nil else { return }
        following = Task {
            await withTaskGroup { group in
                for screenSaver in ScreenSaver.allCases {
                    // Fails only when the connection ends, which its owner notices.
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
            publishChange()
        }
    }

    /// Handles a name's new owner.
    private func ownerChanged(_ screenSaver: ScreenSaver, _ owner: BusName?) {
        guard entries[screenSaver]?.owner != owner else { return }
        entries[screenSaver] = owner.map { Entry(owner: $0) }
        publishChange()
        guard let owner else { return }
        Task {
            let isTrusted = try? await connection.credentials(of: owner).uid == getuid()
            guard isTrusted == true, entries[screenSaver]?.owner == owner else { return }
            entries[screenSaver]?.isTrusted = true
            let isActive = await isActive(screenSaver, owner)
            guard entries[screenSaver]?.owner == owner else { return }
            // A signal that came meanwhile is newer.
            if entries[screenSaver]?.isActive == nil { entries[screenSaver]?.isActive = isActive }
            publishChange()
        }
    }

    /// Nil if it does not answer.
    private func isActive(_ screenSaver: ScreenSaver, _ owner: BusName) async -> Bool? {
        for path in screenSaver.paths {
            // By its unique name, so that the call starts no program.
            let reply = try? await connection.call(
                destination: owner, path: path, interface: screenSaver.interface, member: "GetActive",
                timeout: timeout)
            if let isActive = reply?.first.flatMap({ Bool($0) }) { return isActive }
        }
        return nil
    }

    private func publishChange() {
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

    /// The interface of GetActive and ActiveChanged.
    var interface: InterfaceName {
        switch self {
        case .gnome: "org.gnome.ScreenSaver"
        case .freedesktop, .kde: "org.freedesktop.ScreenSaver"
        case .cinnamon: "org.cinnamon.ScreenSaver"
        case .mate: "org.mate.ScreenSaver"
        case .xfce: "org.xfce.ScreenSaver"
        }
    }

    /// The paths of its object, in the order of trying.
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
