public import DBus
public import EventLoop
import Foundation

/// The real xdg-desktop-portal, and behind it a desktop that watches keys as the test says.
@EventLoopActor
public final class ShortcutPortal {
    /// How the desktop answers the wish for a key.
    public enum Answer: Hashable, Sendable {
        /// Binds it, with this response: GNOME 48 gives 2.
        case bind(response: UInt32)
        case refuse
        /// Shows a dialog that nobody answers.
        case wait
    }

    public var answer = Answer.bind(response: 0)
    /// The shortcuts that the desktop leaves without a key.
    public var unbound: Set<String> = []
    /// How often keys were wished for.
    public private(set) var dialogCount = 0
    /// The keys that were wished for.
    public private(set) var wishes: [String] = []
    /// The dialogs that were closed by the program.
    public private(set) var closedDialogs = 0
    /// The sessions that were closed by the program.
    public private(set) var closedSessions = 0
    /// Of the latest session.
    public private(set) var session: ObjectPath?
    public private(set) var process: ChildProcess?

    private let bus: PrivateBus
    private let connection: Connection
    private let settings: TemporaryDirectory
    private var dialogs: [ObjectPath: MethodCall] = [:]

    private static let name: BusName = "org.freedesktop.impl.portal.desktop.test"
    private static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    private static let portal: BusName = "org.freedesktop.portal.Desktop"
    private static let interface = InterfaceDescription(
        "org.freedesktop.impl.portal.GlobalShortcuts",
        methods: [
            .init(
                "CreateSession", in: ["handle": "o", "session": "o", "app_id": "s", "options": "a{sv}"],
                out: ["response": "u", "results": "a{sv}"]),
            .init(
                "BindShortcuts",
                in: [
                    "handle": "o", "session": "o", "shortcuts": "a(sa{sv})", "parent": "s",
                    "options": "a{sv}",
                ], out: ["response": "u", "results": "a{sv}"]),
        ],
        properties: [.init("version", "u", .read)])
    private static let request = InterfaceDescription(
        "org.freedesktop.impl.portal.Request", methods: [.init("Close")])
    private static let sessionInterface = InterfaceDescription(
        "org.freedesktop.impl.portal.Session", methods: [.init("Close")],
        properties: [.init("version", "u", .read)])

    /// Starts both.
    /// - Parameter hasShortcuts: whether the desktop has any.
    public init(on bus: PrivateBus, hasShortcuts: Bool = true) async throws {
        self.bus = bus
        connection = try await Connection(to: .custom(bus.address))
        settings = try TemporaryDirectory()
        try settings.write(
            """
            [portal]
            DBusName=\(Self.name)
            Interfaces=\(hasShortcuts ? Self.interface.name.rawValue : "");
            UseIn=test
            """, to: "test.portal")
        connection.export(Self.path, interfaces: [Self.interface], handler: self)
        _ = try await connection.requestName(Self.name)
        try await start()
    }

    /// Starts the portal, and waits until it is on the bus.
    public func start() async throws {
        let process = try ChildProcess(
            ["/usr/libexec/xdg-desktop-portal"],
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": settings.path, "XDG_RUNTIME_DIR": settings.path,
                "XDG_DESKTOP_PORTAL_DIR": settings.path, "XDG_CURRENT_DESKTOP": "test",
                "GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8",
            ].merging(bus.environment) { $1 })
        self.process = process
        let connection = connection
        try await eventually("the portal is on the bus") {
            guard process.isRunning else { throw TestFailure("portal: \(process.text(of: .errors))") }
            return try await connection.owner(of: Self.portal) != nil
        }
    }

    public func kill() async throws {
        process?.kill()
        let connection = connection
        try await eventually("the portal is gone") { try await connection.owner(of: Self.portal) == nil }
    }

    public func close() async {
        process?.kill()
        await connection.close()
    }

    /// The key goes down, or repeats.
    public func press(_ id: String = "dictate") throws { try tell("Activated", id) }

    public func release(_ id: String = "dictate") throws { try tell("Deactivated", id) }

    /// The desktop ends the session.
    public func endSession() throws {
        guard let session else { return }
        try connection.emit(path: session, interface: Self.sessionInterface.name, member: "Closed")
    }

    private func tell(_ member: MemberName, _ id: String) throws {
        guard let session else { throw TestFailure("no session") }
        try connection.emit(
            path: Self.path, interface: Self.interface.name, member: member,
            [.objectPath(session), .string(id), .uint64(0), Value([:])])
    }
}

extension ShortcutPortal: ObjectHandler {
    public func value(of property: PropertyAccess) throws(DBusError) -> Value { .uint32(1) }

    public func handle(_ call: MethodCall) {
        do {
            switch call.member {
            case "CreateSession":
                let body = try call.body()
                guard case .objectPath(let path) = body[1] else { return }
                session = path
                connection.export(path, interfaces: [Self.sessionInterface], handler: self)
                call.reply([.uint32(0), Value([:])])
            case "BindShortcuts": try bind(call)
            default:
                if let dialog = dialogs.removeValue(forKey: call.path) {
                    closedDialogs += 1
                    dialog.reply([.uint32(2), Value([:])])
                } else {
                    closedSessions += 1
                }
                call.reply()
            }
        } catch {
            call.fail(error as? DBusError ?? .failed("\(error)"))
        }
    }

    private func bind(_ call: MethodCall) throws {
        let body = try call.body()
        guard case .objectPath(let request) = body[0], case .array(let shortcuts, let type) = body[2] else {
            return
        }
        var bound: [Value] = []
        dialogCount += 1
        for case .structure(let members) in shortcuts {
            let details = members.last.flatMap { [BusText: Value]($0) } ?? [:]
            wishes.append(details["preferred_trigger"].flatMap { String($0) } ?? "")
            guard !unbound.contains(where: { members[0] == .string($0) }) else { continue }
            let told: [BusText: Value] = ["trigger_description": .string("Super+Alt+Space")]
            bound.append(.structure([members[0], Value(told)]))
        }
        switch answer {
        case .bind(let response):
            call.reply([.uint32(response), Value(["shortcuts": .array(bound, of: type)])])
        case .refuse:
            call.reply([.uint32(1), Value([:])])
        case .wait:
            dialogs[request] = call
            connection.export(request, interfaces: [Self.request], handler: self)
        }
    }
}
