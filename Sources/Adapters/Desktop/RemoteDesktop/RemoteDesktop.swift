import DBus
import EventLoop
import TypingRoutes

/// A session of the RemoteDesktop portal with a keyboard and the clipboard. The user allows it once, in the desktop's dialog.
///
/// https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.RemoteDesktop.html
@EventLoopActor
final class RemoteDesktop {
    enum Event: Hashable, Sendable {
        /// The formats of the clipboard's content, which is that of another program.
        case clipboardChanged([String])
        /// Another program owns the clipboard, or reads what this one offers in a format.
        case clipboardRead(type: String, serial: UInt32)
        /// The user or the desktop has ended the session.
        case closed
    }

    private let connection: Connection
    private let requests: PortalRequests
    private let applicationID: String
    private let handle: @EventLoopActor (Event) -> Void
    private var session: ObjectPath?

    private static let interface: InterfaceName = "org.freedesktop.portal.RemoteDesktop"
    private static let clipboard: InterfaceName = "org.freedesktop.portal.Clipboard"
    private static let sessionInterface: InterfaceName = "org.freedesktop.portal.Session"
    private static let keyboard: UInt32 = 1
    /// The permission lasts until the user takes it back.
    private static let lasting: UInt32 = 2
    private static let replyTimeout = Duration.seconds(25)
    /// How long the user may take to answer the dialog.
    private static let dialogTimeout = Duration.seconds(60)
    /// Between two changes of keys.
    private static let keyPause = Duration.milliseconds(20)
    /// How long the owner of the clipboard may take to send its content.
    private static let readTimeout = Duration.seconds(1)

    init(
        on connection: Connection, applicationID: String, handle: @escaping @EventLoopActor (Event) -> Void
    ) {
        self.connection = connection
        self.applicationID = applicationID
        self.handle = handle
        requests = PortalRequests(on: connection)
    }

    /// Opens the session. Asks the user, unless `token` is of a permission that lasts.
    /// - Returns: the token for the next session; nil if the permission does not last.
    func open(token: String?) async throws -> String? {
        try await listen()
        // Refused only by portals that do not need it.
        _ = await requests.register(applicationID, within: Self.replyTimeout)
        for interface in [Self.interface, Self.clipboard] { try await require(interface) }
        let created = try await succeed("CreateSession", within: Self.replyTimeout) {
            [Value(["handle_token": $0, "session_handle_token": .string(PortalRequests.token())])]
        }
        guard let handle = created["session_handle"],
            let session = ObjectPath(handle) ?? String(handle).flatMap({ ObjectPath($0) })
        else { throw DBusError.failed("the portal returned no session") }
        self.session = session
        _ = try await succeed("SelectDevices", within: Self.replyTimeout) {
            var options: [BusText: Value] = [
                "handle_token": $0, "types": .uint32(Self.keyboard), "persist_mode": .uint32(Self.lasting),
            ]
            if let token { options["restore_token"] = .string(token) }
            return [Value(session), Value(options)]
        }
        _ = try await call(Self.clipboard, "RequestClipboard", [Value(session), Value([:])])
        let started = try await succeed("Start", within: Self.dialogTimeout) {
            [Value(session), .string(""), Value(["handle_token": $0])]
        }
        guard started["clipboard_enabled"].flatMap({ Bool($0) }) == true else {
            throw DBusError.failed(
                "the desktop allows keys, but not the clipboard; allow both when it asks")
        }
        // The owner of the clipboard is reported after that. It has come when the portal answers again.
        try await require(Self.clipboard)
        return started["restore_token"].flatMap { String($0) }
    }

    func close() async {
        guard let session = session.take() else { return }
        await requests.notify(session, Self.sessionInterface, "Close")
    }

    private func listen() async throws {
        try await requests.listen()
        try await connection.listen(
            MatchRule(sender: PortalRequests.portal, path: PortalRequests.path, interface: Self.clipboard),
            finish: { [weak self] in self?.handle(.closed) },
            { [weak self] in self?.receive($0) })
        try await connection.listen(
            MatchRule(
                sender: PortalRequests.portal,
                pathNamespace: PortalRequests.ownPath(of: connection, for: "session"),
                interface: Self.sessionInterface, member: "Closed")
        ) { [weak self] in
            guard let self, let session, $0.path == session else { return }
            self.session = nil
            handle(.closed)
        }
        try await connection.listen(
            MatchRule(
                sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged",
                arguments: [0: PortalRequests.portal.rawValue])
        ) { [weak self] _ in
            guard let self, session.take() != nil else { return }
            handle(.closed)
        }
    }

    private func receive(_ signal: Message) {
        switch signal.member {
        case "SelectionOwnerChanged":
            guard let (path, details) = try? signal.body.decoded(as: ObjectPath.self, [BusText: Value].self),
                path == session, details["session_is_owner"].flatMap({ Bool($0) }) != true
            else { return }
            handle(.clipboardChanged(Self.types(details["mime_types"])))
        case "SelectionTransfer":
            guard
                let (path, type, serial) = try? signal.body.decoded(
                    as: ObjectPath.self, BusText.self, UInt32.self), path == session
            else { return }
            handle(.clipboardRead(type: type.string, serial: serial))
        default: break
        }
    }

    /// GNOME wraps the list in a structure.
    private static func types(_ value: Value?) -> [String] {
        switch value {
        case .structure(let members)?: types(members.first)
        case let value?: [String](value) ?? []
        case nil: []
        }
    }

    // MARK: The keyboard and the clipboard

    /// Presses keys one after the other, and releases them in the opposite order, as slowly as a person: GNOME Shell has sent a
    /// letter without the modifier that came right before it.
    /// - Parameter keysyms: as in `xkbcommon-keysyms.h`. The desktop finds their places in the present layout.
    func press(_ keysyms: [Int32]) async throws {
        let presses = keysyms.map { ($0, UInt32(1)) } + keysyms.reversed().map { ($0, 0) }
        for (index, (keysym, state)) in presses.enumerated() {
            if index > 0 { await EventLoopActor.pause(Self.keyPause) }
            guard let session else { return }
            try connection.callWithoutReply(
                destination: PortalRequests.portal, path: PortalRequests.path, interface: Self.interface,
                member: "NotifyKeyboardKeysym",
                [Value(session), Value([:] as [BusText: Value]), .int32(keysym), .uint32(state)])
        }
    }

    /// Becomes the owner of the clipboard, with content in these formats.
    func offer(_ types: [String]) async throws {
        guard let session else { return }
        _ = try await call(
            Self.clipboard, "SetSelection",
            [Value(session), Value(["mime_types": Value(types.map { BusText($0) })])])
    }

    /// The content of the clipboard in a format; nil if it is longer than the limit, or its owner does not send it.
    func content(as type: String, limit: Int) async throws -> [UInt8]? {
        guard let session else { return nil }
        let pipe = try await call(Self.clipboard, "SelectionRead", [Value(session), .string(type)])
            .decoded(as: Descriptor.self)
        return await PipeReader.contents(of: pipe, limit: limit, timeout: Self.readTimeout)
    }

    /// The pipe for what this program offers, for a program that reads it. ``finishWriting(_:isWritten:)`` follows.
    func beginWriting(_ serial: UInt32) async throws -> Descriptor? {
        guard let session else { return nil }
        return try await call(Self.clipboard, "SelectionWrite", [Value(session), .uint32(serial)])
            .decoded(as: Descriptor.self)
    }

    func finishWriting(_ serial: UInt32, isWritten: Bool) throws {
        guard let session else { return }
        try connection.callWithoutReply(
            destination: PortalRequests.portal, path: PortalRequests.path, interface: Self.clipboard,
            member: "SelectionWriteDone", [Value(session), .uint32(serial), .bool(isWritten)])
    }

    // MARK: Calls

    /// Throws if the portal does not run, or if the desktop does not have the interface.
    private func require(_ interface: InterfaceName) async throws {
        _ = try await call(.properties, "Get", [.string(interface.rawValue), .string("version")])
    }

    private func call(
        _ interface: InterfaceName, _ member: MemberName, _ body: [Value]
    ) async throws -> [Value] {
        try await connection.call(
            destination: PortalRequests.portal, path: PortalRequests.path, interface: interface,
            member: member, body, timeout: Self.replyTimeout)
    }

    /// The results of a request. Throws if the user or the desktop refuses it.
    private func succeed(
        _ member: MemberName, within timeout: Duration, _ arguments: (_ token: Value) -> [Value]
    ) async throws -> [BusText: Value] {
        let response = try await requests.call(Self.interface, member, within: timeout, arguments)
        guard response.code == 0 else {
            throw DBusError.failed(
                response.code == 1 ? "you refused it" : "the desktop refused \(member) (\(response.code))")
        }
        return response.results
    }
}
