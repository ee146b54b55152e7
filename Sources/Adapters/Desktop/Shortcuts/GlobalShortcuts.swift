public import DBus
public import EventLoop
internal import Prompts

/// Global shortcuts, bound together with the GlobalShortcuts portal, which asks the user once for all. Bound again when the
/// portal has restarted or has ended the binding.
@EventLoopActor
public final class GlobalShortcuts {
    public enum Event: Hashable, Sendable {
        /// These shortcuts are bound to the keys with these descriptions; empty if the desktop gives none. Never without any.
        case bound(triggers: [String: String])
        /// The key of the shortcut with this id was pressed, or repeats.
        case activated(String)
        case deactivated(String)
        case unbound
    }

    public struct Wish: Hashable, Sendable {
        /// Identifies the shortcut to the desktop, which remembers its key.
        public var id: String
        /// For people.
        public var description: String
        /// The preferred key, as the XDG shortcuts specification writes it. The desktop may choose another.
        public var trigger: String

        public init(id: String, description: String, trigger: String) {
            self.id = id
            self.description = description
            self.trigger = trigger
        }
    }

    private let wishes: [Wish]
    private let applicationID: String
    private let connection: Connection
    private let requests: PortalRequests
    private let timing: Timing
    private let handler: @EventLoopActor (Event) -> Void
    private let report: @EventLoopActor (DesktopError) -> Void
    private var following: Task<Void, Never>?
    private var binding: Task<Void, Never>?
    private var nextAttempt: EventLoop.Timer?
    private var backoff: Duration
    /// The owner of the portal's name.
    private var owner: BusName?
    private var session: ObjectPath?
    /// The shortcuts that the desktop has bound.
    private var bound: Set<String> = []

    private static let interface: InterfaceName = "org.freedesktop.portal.GlobalShortcuts"
    private static let sessionInterface: InterfaceName = "org.freedesktop.portal.Session"

    /// Timeouts.
    public struct Timing: Sendable {
        /// For a reply of the portal.
        public var reply: Duration = .seconds(25)
        /// For the user to answer the desktop's dialog.
        public var dialog: Duration = .seconds(300)
        /// Backoff between attempts, from the shortest to the longest.
        public var shortestBackoff: Duration = .seconds(1)
        public var longestBackoff: Duration = .seconds(60)

        public init() {}
    }

    /// - Parameters:
    ///   - wishes: with different ids.
    ///   - applicationID: of an installed `.desktop` file.
    ///   - connection: to the session's bus.
    ///   - report: called with the reason if no key can be bound.
    public nonisolated init(
        _ wishes: [Wish], applicationID: String, on connection: Connection, timing: Timing = Timing(),
        handler: @escaping @EventLoopActor (Event) -> Void,
        report: @escaping @EventLoopActor (DesktopError) -> Void
    ) {
        self.wishes = wishes
        self.applicationID = applicationID
        self.connection = connection
        self.timing = timing
        self.handler = handler
        self.report = report
        requests = PortalRequests(on: connection)
        backoff = timing.shortestBackoff
    }

    /// Binds the keys, until ``stop()`` or the end of the connection.
    public func start() {
        guard following == nil else { return }
        following = Task {
            do {
                try await listen()
                bind()
            } catch {
                report(DesktopError(.noShortcut, error))
            }
        }
    }

    /// Ends the binding, and closes a dialog that is still shown.
    public func stop() async {
        following?.cancel()
        await following?.value
        nextAttempt?.cancel()
        binding?.cancel()
        await binding?.value
        await closeSession()
        bound = []
    }

    private func listen() async throws {
        try await requests.listen()
        try await connection.listen(
            MatchRule(
                sender: PortalRequests.portal, path: PortalRequests.path, interface: Self.interface)
        ) { [weak self] in self?.receive($0) }
        try await connection.listen(
            MatchRule(
                sender: PortalRequests.portal,
                pathNamespace: PortalRequests.ownPath(of: connection, for: "session"),
                interface: Self.sessionInterface, member: "Closed")
        ) { [weak self] in self?.sessionClosed($0.path) }
        try await connection.listen(
            MatchRule(
                sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
                arguments: [0: PortalRequests.portal.rawValue])
        ) { [weak self] change in
            self?.ownerChanged(change.body.last.flatMap { BusText($0) }.flatMap { BusName($0) })
        }
        owner = try await connection.owner(of: PortalRequests.portal)
    }

    private func receive(_ signal: Message) {
        guard
            let (path, name, _, _) = try? signal.body.decoded(
                as: ObjectPath.self, BusText.self, UInt64.self, [BusText: Value].self),
            path == session, let id = bound.first(where: { name == BusText($0) })
        else { return }
        switch signal.member {
        case "Activated": handler(.activated(id))
        case "Deactivated": handler(.deactivated(id))
        default: break
        }
    }

    private func ownerChanged(_ owner: BusName?) {
        guard following?.isCancelled == false, owner != self.owner else { return }
        self.owner = owner
        session = nil
        unbind()
        binding?.cancel()
        backoff = timing.shortestBackoff
        // If the portal has crashed, the next attempt starts it again.
        if owner == nil { bindLater() } else { bind() }
    }

    private func sessionClosed(_ path: ObjectPath?) {
        guard let path, path == session else { return }
        session = nil
        unbind()
        bindLater()
    }

    private func unbind() {
        guard !bound.isEmpty else { return }
        bound = []
        handler(.unbound)
    }

    private func bindLater() {
        nextAttempt?.cancel()
        nextAttempt = EventLoopActor.schedule(after: backoff) { [weak self] in self?.bind() }
        backoff = min(backoff * 2, timing.longestBackoff)
    }

    private func bind() {
        nextAttempt?.cancel()
        binding?.cancel()
        binding = Task {
            do {
                let triggers = try await boundTriggers()
                backoff = timing.shortestBackoff
                bound = Set(triggers.keys)
                handler(.bound(triggers: triggers))
            } catch {
                guard !Task.isCancelled else { return }
                await closeSession()
                report(DesktopError(.noShortcut, error))
                if (error as? DBusError)?.isTemporary == true { bindLater() }
            }
        }
    }

    /// Binds the keys and returns the desktop's descriptions of those that are bound.
    private func boundTriggers() async throws -> [String: String] {
        let registration = await requests.register(applicationID, within: timing.reply)
        try await connection.requireShortcuts(within: timing.reply)
        let created = try await requests.call(Self.interface, "CreateSession", within: timing.reply) {
            [Value(["handle_token": $0, "session_handle_token": .string(PortalRequests.token())])]
        }
        guard created.code == 0, let handle = created.results["session_handle"],
            let path = String(handle).flatMap({ ObjectPath($0) }) ?? ObjectPath(handle)
        else { throw DBusError.failed("the desktop refused a session (\(created.code))") }
        try Task.checkCancellation()
        session = path
        let shortcuts = Value.array(
            wishes.map { wish in
                let details: [BusText: Value] = [
                    "description": .string(wish.description), "preferred_trigger": .string(wish.trigger),
                ]
                return .structure([.string(wish.id), Value(details)])
            }, of: "(sa{sv})")
        do {
            let response = try await requests.call(
                Self.interface, "BindShortcuts", within: timing.dialog
            ) { [Value(path), shortcuts, .string(""), Value(["handle_token": $0])] }
            try Task.checkCancellation()
            // GNOME 48 returns 2 although the key is bound, so only the list counts.
            let triggers = response.triggers(of: wishes.map(\.id))
            if !triggers.isEmpty { return triggers }
            throw DBusError.failed(
                response.code == 1 ? "the user refused" : "the desktop did not bind it (\(response.code))")
        } catch let error as DBusError {
            throw ShortcutRefusal(reason: error, registration: registration)
        }
    }

    private func closeSession() async {
        guard let session = session.take() else { return }
        await requests.notify(session, Self.sessionInterface, "Close")
    }
}

extension Connection {
    /// Throws if the portal does not run, or if the desktop has no shortcuts: the portal has the interface only if a
    /// backend implements it.
    fileprivate func requireShortcuts(within timeout: Duration) async throws {
        _ = try await call(
            destination: PortalRequests.portal, path: PortalRequests.path, interface: .properties,
            member: "Get", [.string("org.freedesktop.portal.GlobalShortcuts"), .string("version")],
            timeout: timeout)
    }
}

extension PortalRequests.Response {
    /// The desktop's descriptions of the keys that are bound.
    fileprivate func triggers(of ids: [String]) -> [String: String] {
        guard case .array(let shortcuts, _)? = results["shortcuts"] else { return [:] }
        var triggers: [String: String] = [:]
        for case .structure(let members) in shortcuts {
            guard let id = ids.first(where: { members.first == .string($0) }) else { continue }
            let details = members.last.flatMap { [BusText: Value]($0) }
            triggers[id] = details?["trigger_description"].flatMap { String($0) }?.displayable ?? ""
        }
        return triggers
    }
}

extension DBusError {
    /// Whether another attempt may succeed while the same portal runs. If there is no portal, or it has no shortcuts, only
    /// its start or restart can change that.
    fileprivate var isTemporary: Bool {
        ![
            .unknownInterface, .unknownMethod, .unknownObject, .unknownProperty, .invalidArgs,
            .serviceUnknown,
            .nameHasNoOwner, .accessDenied, .notSupported,
        ].contains(name)
    }
}

/// The user or the desktop has refused the key. Not tried again while the same portal runs, because that may show a dialog.
private struct ShortcutRefusal: Error, CustomStringConvertible {
    let reason: DBusError
    let registration: DBusError?

    var description: String {
        registration.map { "\(reason.message); the portal did not register this program: \($0)" }
            ?? reason.message
    }
}
