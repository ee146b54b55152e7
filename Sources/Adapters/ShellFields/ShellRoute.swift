internal import DBus
internal import DictationInterface
public import EventLoop
public import Typing
public import TypingRoutes

/// Types through the desktop's shell, see `dbus/org.example.Dictation.Fields.xml`: GNOME Shell with the Dictation extension.
@EventLoopActor
public final class ShellRoute: TypingRoute {
    public nonisolated let name = "the Dictation extension"
    public nonisolated let reportsEveryField = true
    private let busAddress: String?
    private var connection: Connection?
    private var shell: DictationFieldsProxy?
    private var handler: (@EventLoopActor (RouteEvent) -> Void)?
    /// Of the field that was reported last.
    private var visit: UInt64 = 0
    private var hasReport = false

    nonisolated static let busName: BusName = "org.example.Dictation.Fields"
    /// The shell's own name. Another connection with the fields' name is not the shell, and would get the text.
    nonisolated static let shellName: BusName = "org.gnome.Shell"
    private static let callTimeout: Duration = .seconds(2)

    /// - Parameter environment: the variables of this process, such as `DBUS_SESSION_BUS_ADDRESS`.
    public init(environment: [String: String]) {
        busAddress = environment["DBUS_SESSION_BUS_ADDRESS"]
    }

    /// Checks whether the shell offers its fields.
    public static func check(environment: [String: String]) async throws(RouteError) {
        let route = ShellRoute(environment: environment)
        let connection = try await route.connect()
        defer { Task { await connection.close(within: .seconds(1)) } }
        _ = try await findShell(on: connection)
    }

    public func open(_ handler: @escaping @EventLoopActor (RouteEvent) -> Void) async throws(RouteError) {
        let connection = try await connect()
        self.connection = connection
        self.handler = handler
        hasReport = false
        do {
            let owner = try await Self.findShell(on: connection)
            let shell = DictationFieldsProxy(
                connection: connection, destination: owner, flags: .noAutoStart)
            self.shell = shell
            try await follow(owner, on: connection)
            let field = try await shell.open(timeout: Self.callTimeout)
            // A report that came after the reply may have been read before this.
            if !hasReport { receive(field) }
        } catch {
            await close()
            throw error as? RouteError ?? RouteError("The desktop's shell does not answer: \(error).")
        }
    }

    private func connect() async throws(RouteError) -> Connection {
        do {
            return try await Connection(to: busAddress.map { .custom($0) } ?? .session)
        } catch {
            throw RouteError("The session has no bus: \(error).")
        }
    }

    /// The connection of the shell.
    private static func findShell(on connection: Connection) async throws(RouteError) -> BusName {
        // An error is the bus's, which then has no such name.
        if let owner = try? await connection.owner(of: busName),
            let shell = try? await connection.owner(of: shellName), owner == shell
        {
            return owner
        }
        throw RouteError(
            "The desktop's shell does not offer its text fields.",
            remedy: "On GNOME, enable the extension: gnome-extensions enable dictation@dictation.example.org")
    }

    private func follow(_ owner: BusName, on connection: Connection) async throws {
        try await connection.listen(
            MatchRule(
                sender: owner, path: DictationFieldsInterface.path, interface: DictationFieldsInterface.name),
            finish: { [weak self] in self?.lose("The session's bus has ended.") },
            { [weak self] in self?.receive($0) })
        try await connection.listen(
            MatchRule(
                sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
                arguments: [0: Self.busName.rawValue])
        ) { [weak self] _ in self?.lose("The desktop's shell has ended, or its extension was disabled.") }
    }

    // MARK: Reports

    private func receive(_ message: Message) {
        switch DictationFieldsSignal(message) {
        case .fieldChanged(let field): receive(field)
        case .committed(let token, let arrival):
            handler?(.committed(token: token, Arrival(shell: arrival)))
        case .closed: lose("Another program types through the desktop's shell.")
        case nil: break
        }
    }

    private func receive(_ report: [BusText: Value]) {
        hasReport = true
        let field = TextField(shell: report)
        visit = field?.visit ?? 0
        handler?(.field(field))
    }

    private func lose(_ problem: String) {
        handler?(.lost(RouteError(problem)))
        handler = nil
    }

    // MARK: Typing

    public func perform(_ actions: [TypingAction]) {
        guard let connection, let shell else { return }
        do {
            try connection.callWithoutReply(
                destination: shell.destination, path: shell.path, interface: DictationFieldsInterface.name,
                member: "Edit",
                [
                    .uint64(visit), Value(actions.map(\.edit)),
                    Value(actions.map { BusText($0.text) }), Value(actions.map(\.number)),
                ])
        } catch {
            lose("The desktop's shell cannot be reached: \(error).")
        }
    }

    /// The shell counts the visits of all its fields.
    public func lastingName(of field: TextField) -> String? {
        shell.map { "\($0.destination) \(field.visit) \(field.id)" }
    }

    public func close() async {
        handler = nil
        let shell = shell.take()
        // Fails only if the shell is gone or does not answer: the end of the connection does the same.
        try? await shell?.close(timeout: .seconds(1))
        await connection.take()?.close(within: .seconds(1))
    }
}

extension Arrival {
    /// A shell that reports something else has typed the text, as far as is known.
    fileprivate init(shell arrival: String) {
        self =
            switch arrival {
            case "arrived": .arrived
            case "refused": .refused
            default: .unknown
            }
    }
}

extension TypingAction {
    fileprivate var edit: BusText {
        switch self {
        case .show: "show"
        case .clear: "clear"
        case .commit: "commit"
        case .delete: "delete"
        }
    }

    fileprivate var text: String {
        switch self {
        case .show(let text), .commit(let text, _): text
        case .clear, .delete: ""
        }
    }

    fileprivate var number: UInt64 {
        switch self {
        case .commit(_, let token): token
        case .delete(let count): UInt64(max(0, count))
        case .show, .clear: 0
        }
    }
}
