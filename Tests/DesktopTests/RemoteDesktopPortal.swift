import DBus
import DictationTestKit
import EventLoop
import TypingRoutes

/// A portal with the interfaces RemoteDesktop and Clipboard as their documentation defines them, and a desktop with one window
/// behind it, which pastes when Control+V is pressed. The portal of Debian 12 has no clipboard.
@EventLoopActor
final class RemoteDesktopPortal: ObjectHandler {
    /// What the user answers to the dialog.
    var allows = true
    /// Whether programs may become the owner of the clipboard.
    var givesClipboard = true
    /// The desktop fetches what is offered, to keep it, as GNOME Shell does.
    var keepsCopies = false
    /// What it has fetched last.
    private(set) var kept: String?
    /// Whether the window pastes when the keys are pressed.
    var pastes = true
    /// What another program has on the clipboard, by format.
    private(set) var foreign: [String: [UInt8]]
    /// What the window has pasted.
    private(set) var pasted: [String] = []
    /// The keysyms that were pressed and released.
    private(set) var keys: [String] = []
    /// The tokens with which sessions began; empty for none.
    private(set) var tokens: [String] = []
    private(set) var closedSessions = 0
    /// The formats that the program offers; nil if another program owns the clipboard.
    private(set) var offered: [String]?
    private var session: ObjectPath?
    private var client: BusName?
    private var lastSerial: UInt32 = 0
    private var pipes: [UInt32: Descriptor] = [:]
    private var writers: [UInt32: PipeWriter] = [:]

    private let connection: Connection

    private static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    private static let remoteDesktop = InterfaceDescription(
        "org.freedesktop.portal.RemoteDesktop",
        methods: [
            .init("CreateSession", in: ["options": "a{sv}"], out: ["handle": "o"]),
            .init("SelectDevices", in: ["session": "o", "options": "a{sv}"], out: ["handle": "o"]),
            .init("Start", in: ["session": "o", "parent": "s", "options": "a{sv}"], out: ["handle": "o"]),
            .init(
                "NotifyKeyboardKeysym",
                in: ["session": "o", "options": "a{sv}", "keysym": "i", "state": "u"]),
        ], properties: [.init("version", "u", .read)])
    private static let clipboard = InterfaceDescription(
        "org.freedesktop.portal.Clipboard",
        methods: [
            .init("RequestClipboard", in: ["session": "o", "options": "a{sv}"]),
            .init("SetSelection", in: ["session": "o", "options": "a{sv}"]),
            .init("SelectionWrite", in: ["session": "o", "serial": "u"], out: ["fd": "h"]),
            .init("SelectionWriteDone", in: ["session": "o", "serial": "u", "success": "b"]),
            .init("SelectionRead", in: ["session": "o", "mime_type": "s"], out: ["fd": "h"]),
        ], properties: [.init("version", "u", .read)])
    private static let sessionInterface = InterfaceDescription(
        "org.freedesktop.portal.Session", methods: [.init("Close")])
    private static let textType = "text/plain;charset=utf-8"

    init(on bus: PrivateBus, clipboard foreign: [String: String] = [:], hasClipboard: Bool = true)
        async throws
    {
        self.foreign = foreign.mapValues { Array($0.utf8) }
        connection = try await Connection(to: .custom(bus.address))
        connection.export(
            Self.path,
            interfaces: hasClipboard ? [Self.remoteDesktop, Self.clipboard] : [Self.remoteDesktop],
            handler: self)
        _ = try await connection.requestName("org.freedesktop.portal.Desktop")
    }

    func end() async { await connection.close() }

    func endSession() throws {
        guard let session else { throw TestFailure("no session") }
        try emit("Closed", of: Self.sessionInterface.name, at: session, [Value([:] as [BusText: Value])])
    }

    /// What another program gets from the clipboard.
    func clipboardText() async throws -> String {
        guard offered != nil else { return String(decoding: foreign[Self.textType] ?? [], as: UTF8.self) }
        return try await fetch()
    }

    func value(of property: PropertyAccess) throws(DBusError) -> Value { .uint32(2) }

    func handle(_ call: MethodCall) {
        do {
            try answer(call, try call.body())
        } catch {
            call.fail(error as? DBusError ?? .failed("\(error)"))
        }
    }

    private func answer(_ call: MethodCall, _ body: [Value]) throws {
        switch call.member {
        case "CreateSession":
            guard let options = body.first.flatMap({ [BusText: Value]($0) }),
                let token = options["session_handle_token"].flatMap({ String($0) }),
                let path = ObjectPath("\(Self.path)/session/\(Self.folder(of: call.sender))/\(token)")
            else { throw DBusError.invalidArgs("no token") }
            session = path
            client = call.sender
            connection.export(path, interfaces: [Self.sessionInterface], handler: self)
            try respond(to: call, options, ["session_handle": .string(path.rawValue)])
        case "SelectDevices":
            let options = try options(body, at: 1)
            guard options["types"] == .uint32(1), options["persist_mode"] == .uint32(2) else {
                throw DBusError.invalidArgs("the test expects a keyboard and a lasting permission")
            }
            tokens.append(options["restore_token"].flatMap { String($0) } ?? "")
            try respond(to: call, options, [:])
        case "Start":
            let results: [BusText: Value] = [
                "devices": .uint32(1), "clipboard_enabled": .bool(true),
                "restore_token": .string("token \(tokens.count)"),
            ]
            try respond(to: call, try options(body, at: 2), allows ? results : [:], code: allows ? 0 : 1)
            if allows { try reportOwner() }
        case "NotifyKeyboardKeysym":
            guard case .int32(let keysym) = body[2], case .uint32(let state) = body[3] else { return }
            keys.append("\(keysym) \(state == 1 ? "down" : "up")")
            call.reply()
            if keys.suffix(4) == ["65507 down", "118 down", "118 up", "65507 up"], pastes {
                Task {
                    let text = try await clipboardText()
                    pasted.append(text)
                }
            }
        case "RequestClipboard": call.reply()
        case "SetSelection":
            guard givesClipboard else { throw DBusError.failed("the clipboard is in use") }
            let types = try options(body, at: 1)["mime_types"].flatMap { [String]($0) } ?? []
            offered = types
            guard keepsCopies else { return call.reply() }
            // The first time, the program waits only for a moment to learn of it.
            let isFirst = kept == nil
            if !isFirst { call.reply() }
            Task {
                kept = try await clipboardText()
                if isFirst { call.reply() }
            }
        case "SelectionWrite":
            guard case .uint32(let serial) = body[1], let pipe = pipes.removeValue(forKey: serial) else {
                throw DBusError.invalidArgs("no such transfer")
            }
            call.reply([.descriptor(pipe)])
        case "SelectionWriteDone": call.reply()
        case "SelectionRead":
            guard case .string(let type) = body[1], let content = foreign[type.string] else {
                throw DBusError.invalidArgs("no such format")
            }
            let (reading, writing) = try Descriptor.pipe()
            lastSerial += 1
            let number = lastSerial
            // The pipe is closed with its writer.
            writers[number] = PipeWriter(content, to: writing) { [weak self] in self?.writers[number] = nil }
            call.reply([.descriptor(reading)])
        default:
            closedSessions += 1
            call.reply()
        }
    }

    private func fetch() async throws -> String {
        guard let session, offered?.contains(Self.textType) == true else { return "" }
        let reading = try makePipe()
        try emit(
            "SelectionTransfer", of: Self.clipboard.name, at: Self.path,
            [Value(session), .string(Self.textType), .uint32(lastSerial)])
        let bytes = await PipeReader.contents(of: reading, limit: 1 << 20, timeout: .seconds(20))
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    /// The end for reading. The other one is kept for the next transfer, and only there, so that it is closed with it.
    private func makePipe() throws -> Descriptor {
        let (reading, writing) = try Descriptor.pipe()
        lastSerial += 1
        pipes[lastSerial] = writing
        return reading
    }

    private func reportOwner() throws {
        guard let session else { return }
        // GNOME wraps the list in a structure.
        let types = Value.structure([Value(foreign.keys.sorted().map { BusText($0) })])
        try emit(
            "SelectionOwnerChanged", of: Self.clipboard.name, at: Self.path,
            [Value(session), Value(["mime_types": types, "session_is_owner": .bool(false)])])
    }

    private func options(_ body: [Value], at index: Int) throws(DBusError) -> [BusText: Value] {
        guard body.count > index, let options = [BusText: Value](body[index]) else {
            throw .invalidArgs("no options")
        }
        return options
    }

    private func respond(
        to call: MethodCall, _ options: [BusText: Value], _ results: [BusText: Value], code: UInt32 = 0
    ) throws {
        guard let token = options["handle_token"].flatMap({ String($0) }),
            let path = ObjectPath("\(Self.path)/request/\(Self.folder(of: call.sender))/\(token)")
        else { throw DBusError.invalidArgs("no token") }
        call.reply([.objectPath(path)])
        try connection.emit(
            path: path, interface: "org.freedesktop.portal.Request", member: "Response",
            [.uint32(code), Value(results)], to: call.sender)
    }

    private func emit(
        _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, _ body: [Value]
    ) throws { try connection.emit(path: path, interface: interface, member: member, body, to: client) }

    private static func folder(of client: BusName) -> String {
        client.rawValue.dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
    }
}
