import DBus
import Desktop
import DictationTestKit
import EventLoop

/// A bus, and a program on it that requests a key.
final class ShortcutRig: Sendable {
    let bus: PrivateBus
    let connection: Connection
    let shortcut: GlobalShortcuts
    private let record: Record

    private final class Record: Sendable {
        let events = Lock<[GlobalShortcuts.Event]>([])
        let troubles = Lock<[DesktopError]>([])
    }

    init(languages: [String] = []) async throws {
        let record = Record()
        self.record = record
        bus = try await PrivateBus()
        connection = try await Connection(to: .custom(bus.address))
        var timing = GlobalShortcuts.Timing()
        timing.shortestBackoff = .milliseconds(20)
        shortcut = GlobalShortcuts(
            [GlobalShortcuts.Wish(id: "dictate", description: "Dictate", trigger: "LOGO+ALT+space")]
                + languages.map {
                    GlobalShortcuts.Wish(id: "dictate-\($0)", description: "In \($0)", trigger: "LOGO+ALT+d")
                },
            applicationID: "org.example.Dictation", on: connection, timing: timing,
            handler: { event in record.events.withLock { $0.append(event) } },
            report: { error in record.troubles.withLock { $0.append(error) } })
    }

    static let bound = GlobalShortcuts.Event.bound(triggers: ["dictate": "Super+Alt+Space"])

    var events: [GlobalShortcuts.Event] { record.events.withLock { $0 } }
    var troubles: [DesktopError] { record.troubles.withLock { $0 } }

    func expect(_ wanted: [GlobalShortcuts.Event]) async throws {
        try await eventually("\(wanted), not \(events); \(troubles)") { events == wanted }
    }

    func close() async {
        await shortcut.stop()
        await connection.close()
    }
}

/// Runs a test with a portal, and always releases it.
@EventLoopActor
func withShortcut(
    hasShortcuts: Bool = true, languages: [String] = [],
    _ body: @EventLoopActor (ShortcutRig, ShortcutPortal) async throws -> Void
) async throws {
    let rig = try await ShortcutRig(languages: languages)
    let portal = try await ShortcutPortal(on: rig.bus, hasShortcuts: hasShortcuts)
    do {
        try await body(rig, portal)
    } catch {
        await rig.close()
        await portal.close()
        throw TestFailure("\(error)\n\(portal.process?.text(of: .errors) ?? "")")
    }
    await rig.close()
    await portal.close()
}

/// A portal that knows only registered programs outside a sandbox, like version 1.20 and later.
@EventLoopActor
final class RegisteringPortal: ObjectHandler {
    private(set) var registered: [String] = []
    private let connection: Connection

    private static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    private static let shortcuts: InterfaceName = "org.freedesktop.portal.GlobalShortcuts"

    init(on bus: PrivateBus) async throws {
        connection = try await Connection(to: .custom(bus.address))
        let interfaces = [
            InterfaceDescription(
                "org.freedesktop.host.portal.Registry",
                methods: [.init("Register", in: ["app_id": "s", "options": "a{sv}"])]),
            InterfaceDescription(
                Self.shortcuts,
                methods: [
                    .init("CreateSession", in: ["options": "a{sv}"], out: ["handle": "o"]),
                    .init(
                        "BindShortcuts",
                        in: [
                            "session": "o", "shortcuts": "a(sa{sv})", "parent": "s", "options": "a{sv}",
                        ], out: ["handle": "o"]),
                ], properties: [.init("version", "u")]),
        ]
        connection.export(Self.path, interfaces: interfaces, handler: self)
        _ = try await connection.requestName("org.freedesktop.portal.Desktop")
    }

    func close() async { await connection.close() }

    func value(of property: PropertyAccess) throws(DBusError) -> Value { .uint32(2) }

    func handle(_ call: MethodCall) {
        do {
            let body = try call.body()
            if call.member == "Register" {
                if case .string(let id)? = body.first { registered.append(id.string) }
                return call.reply()
            }
            guard !registered.isEmpty else { throw DBusError.accessDenied("register first") }
            let options = body.last.flatMap { [BusText: Value]($0) } ?? [:]
            let token = options["handle_token"].flatMap { String($0) } ?? ""
            let sender = call.sender.rawValue.dropFirst().replacing(".", with: "_")
            let request = try path("request/\(sender)/\(token)")
            var results: [BusText: Value] = [:]
            if call.member == "CreateSession" {
                let session = options["session_handle_token"].flatMap { String($0) } ?? ""
                results["session_handle"] = .string("\(Self.path)/session/\(sender)/\(session)")
            } else {
                results["shortcuts"] = body[1]
            }
            // Before the reply, which the specification allows.
            try connection.emit(
                path: request, interface: "org.freedesktop.portal.Request", member: "Response",
                [.uint32(0), Value(results)], to: call.sender)
            call.reply([.objectPath(request)])
        } catch {
            call.fail(error as? DBusError ?? .failed("\(error)"))
        }
    }

    private func path(_ rest: String) throws -> ObjectPath {
        guard let path = ObjectPath("\(Self.path)/\(rest)") else { throw DBusError.invalidArgs(rest) }
        return path
    }
}
