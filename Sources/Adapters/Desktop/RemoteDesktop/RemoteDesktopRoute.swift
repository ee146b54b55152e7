internal import DBus
public import EventLoop
public import Typing
public import TypingRoutes

/// Pastes into the window with the focus by the RemoteDesktop portal, on desktops where programs can neither be the input
/// method nor see the clipboard: KDE, GNOME without the extension, and others that have the portal.
///
/// Pastes instead of sending the text as keys, which is slow and wrong with many layouts. The clipboard is restored
/// afterwards; if it cannot be, because it holds a picture or a secret, nothing is pasted.
///
/// It knows neither which window has the focus nor whether it asks for a password.
@EventLoopActor
public final class RemoteDesktopRoute: TypingRoute {
    public nonisolated let name = "the desktop's portal"
    private let connect: @EventLoopActor () async throws -> Connection
    private let applicationID: String
    private let tokenFile: String?
    private let environment: [String: String]
    private let restorer: [String]
    private var connection: Connection?
    private var desktop: RemoteDesktop?
    private var handler: (@EventLoopActor (RouteEvent) -> Void)?
    private var pasting: Task<Void, Never>?
    /// The formats of the clipboard, if another program owns it.
    private var foreignTypes: [String] = []
    /// What this program offers on the clipboard, by format; empty if it offers nothing.
    private var offered: [String: [UInt8]] = [:]
    private var writers: [UInt32: PipeWriter] = [:]
    /// How often the offered text was fetched.
    private var fetches = 0
    /// Of the present paste.
    private var guardian: PasteGuard?
    /// The desktop fetches what is offered, to keep it.
    private var isKeptByDesktop = false
    private let changes = ChangeWaiter()

    /// Of text, the best first.
    private static let textTypes = ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain"]
    /// Password managers mark what they copy with it; histories of the clipboard skip it.
    private static let secretType = "x-kde-passwordManagerHint"
    /// Control_L and v. Nearly all windows paste then; a terminal does not, and gets nothing.
    private static let pasteKeys: [Int32] = [0xFFE3, 0x76]
    private static let textLimit = 1 << 20
    /// Maximum number of programs that fetch the text at the same time.
    private static let writerLimit = 16
    /// How long a window may take to fetch the text.
    private static let fetchTimeout = Duration.seconds(2)
    /// A window may fetch the text in several formats.
    private static let fetchPause = Duration.milliseconds(150)

    /// - Parameters:
    ///   - environment: the variables of this process, such as `DBUS_SESSION_BUS_ADDRESS`.
    ///   - applicationID: of an installed `.desktop` file, by which the desktop names this program.
    ///   - tokenFile: keeps the permission that lasts; nil asks each time.
    ///   - restorer: a program and its first arguments, to which the token file is added. It gets the clipboard's text and calls
    ///     ``restoreClipboard(_:environment:applicationID:tokenFile:)`` if this process is killed. Empty for none.
    public init(
        environment: [String: String], applicationID: String, tokenFile: String?, restorer: [String] = []
    ) {
        self.environment = environment
        self.restorer = restorer
        let address = environment["DBUS_SESSION_BUS_ADDRESS"]
        connect = { try await Connection(to: address.map { .custom($0) } ?? .session) }
        self.applicationID = applicationID
        self.tokenFile = tokenFile
    }

    public func open(_ handler: @escaping @EventLoopActor (RouteEvent) -> Void) async throws(RouteError) {
        do {
            let connection = try await connect()
            self.connection = connection
            let desktop = RemoteDesktop(on: connection, applicationID: applicationID) { [weak self] in
                self?.handle($0)
            }
            self.desktop = desktop
            let token = try await desktop.open(token: await readToken())
            await writeToken(token)
            self.handler = handler
            handler(.field(Self.window(of: connection)))
        } catch {
            await close()
            throw RouteError(
                "The desktop's portal does not type: \((error as? DBusError)?.message ?? "\(error)").",
                remedy:
                    "It needs a desktop whose portal has RemoteDesktop and Clipboard, such as GNOME 47; Plasma 6.3 has no Clipboard."
            )
        }
    }

    /// The portal does not say which window it is. The next dictation may be into another one, so it gets another name.
    private static func window(of connection: Connection) -> TextField {
        TextField(
            id: "portal \(connection.uniqueName.rawValue)", visit: 1, abilities: [.commitReports],
            commitLimit: textLimit)
    }

    private func handle(_ event: RemoteDesktop.Event) {
        switch event {
        case .clipboardChanged(let types):
            foreignTypes = types
            offered = [:]
        case .clipboardRead(let type, let serial): Task.immediate { await write(type, serial) }
        case .closed: lose("The desktop has ended the permission to type.")
        }
        changes.resume()
    }

    private func lose(_ problem: String) {
        handler?(.lost(RouteError(problem)))
        handler = nil
    }

    private func write(_ type: String, _ serial: UInt32) async {
        do {
            guard let desktop else { return }
            guard let bytes = offered[type], writers.count < Self.writerLimit,
                let pipe = try await desktop.beginWriting(serial),
                let writer = PipeWriter(
                    bytes, to: pipe, onEnd: { [weak self] in self?.written(type, serial) })
            else { return try desktop.finishWriting(serial, isWritten: false) }
            writers[serial] = writer
        } catch {
            // The window that fetches gets nothing; the portal is gone or has given the clipboard to another program.
            changes.resume()
        }
    }

    private func written(_ type: String, _ serial: UInt32) {
        writers[serial] = nil
        if type != Self.secretType { fetches += 1 }
        // Fails only if the bus is closing.
        try? desktop?.finishWriting(serial, isWritten: true)
        changes.resume()
    }

    // MARK: Pasting

    public func perform(_ actions: [TypingAction]) {
        for case .commit(let text, let token) in actions {
            let previous = pasting
            pasting = Task {
                await previous?.value
                let arrival = await paste(text)
                handler?(.committed(token: token, arrival))
            }
        }
    }

    private func paste(_ text: String) async -> Arrival {
        defer { guardian = nil }
        let saved: [UInt8]
        let before: Int
        do {
            guard let desktop, let content = try await clipboardText() else { return .refused }
            saved = content
            guardian = tokenFile.flatMap {
                restorer.isEmpty
                    ? nil : PasteGuard(restoring: saved, by: restorer + [$0], environment: environment)
            }
            let earlier = fetches
            try await offer(text, on: desktop)
            // A manager of the clipboard, such as that of GNOME Shell, fetches the text when it is offered.
            await EventLoopActor.pause(Self.fetchPause)
            if isKeptByDesktop {
                _ = await changes.wait(within: Self.fetchTimeout) { fetches > earlier || offered.isEmpty }
            }
            guard !offered.isEmpty else { return .refused }
            before = fetches
            isKeptByDesktop = before > earlier
            try await desktop.press(Self.pasteKeys)
        } catch {
            // No key was pressed, so the text is kept.
            return .refused
        }
        let isFetched = await changes.wait(within: Self.fetchTimeout) { fetches > before }
        if isFetched { await EventLoopActor.pause(Self.fetchPause) }
        do {
            try await restore(saved)
        } catch {
            lose("The desktop's portal does not restore the clipboard.")
        }
        return isFetched ? .unknown : .refused
    }

    private func offer(_ text: String, on desktop: RemoteDesktop) async throws {
        let bytes = Array(text.utf8)
        offered = Dictionary(uniqueKeysWithValues: Self.textTypes.map { ($0, bytes) })
        offered[Self.secretType] = Array("secret".utf8)
        try await desktop.offer(Self.textTypes + [Self.secretType])
    }

    /// The text of the clipboard; empty if it has no content. Nil if it is not text or a secret.
    private func clipboardText() async throws -> [UInt8]? {
        if !offered.isEmpty { return offered[Self.textTypes[0]] }
        guard !foreignTypes.isEmpty else { return [] }
        guard !foreignTypes.contains(Self.secretType),
            let type = Self.textTypes.first(where: foreignTypes.contains)
        else { return nil }
        return try await desktop?.content(as: type, limit: Self.textLimit)
    }

    /// Another program may have taken the clipboard meanwhile: then its content stays.
    ///
    /// What is offered ends with the permission. GNOME Shell keeps the last content that it could fetch, so an empty clipboard
    /// is restored as an empty text, and the end waits for the fetch.
    private func restore(_ text: [UInt8]) async throws {
        guard !offered.isEmpty else { return }
        try await put(text)
    }

    private func put(_ text: [UInt8]) async throws {
        offered = Dictionary(uniqueKeysWithValues: Self.textTypes.map { ($0, text) })
        let before = fetches
        try await desktop?.offer(Self.textTypes)
        guard isKeptByDesktop else { return }
        _ = await changes.wait(within: Self.fetchTimeout) { fetches > before || offered.isEmpty }
    }

    /// Makes a text the content of the clipboard, for a process that was killed. Only if the permission lasts.
    public static func restoreClipboard(
        _ text: [UInt8], environment: [String: String], applicationID: String, tokenFile: String
    ) async throws {
        let route = RemoteDesktopRoute(
            environment: environment, applicationID: applicationID, tokenFile: tokenFile)
        guard await route.readToken() != nil else { return }
        try await route.open { _ in }
        // Without a process that offers it, only a desktop that keeps it has it.
        route.isKeptByDesktop = true
        try await route.put(text)
        await route.close()
    }

    public func close() async {
        handler = nil
        await pasting?.value
        await desktop.take()?.close()
        await connection.take()?.close(within: .seconds(1))
    }

    // MARK: The permission

    private func readToken() async -> String? {
        guard let tokenFile else { return nil }
        // Without it the desktop asks again.
        return try? await OwnThread.run("token") { (try? TextFile.read(tokenFile)) ?? nil }
    }

    private func writeToken(_ token: String?) async {
        guard let tokenFile, let token else { return }
        // Without it the desktop asks again.
        try? await OwnThread.run("token") { try? TextFile.replace(tokenFile, with: token) }
    }
}
