internal import CWaylandInput
public import EventLoop
public import Typing
public import TypingRoutes

/// Types as the input method of a wlroots compositor, or by other ``Means``.
@EventLoopActor
public final class WaylandRoute: TypingRoute {
    /// How to type.
    public enum Means: Hashable, Sendable {
        /// The input method. Windows in which the compositor has reported no text field get nothing.
        case inputMethod
        /// The input method, and keys where a window has no text field. Password fields are not detected there.
        case inputMethodAndKeys
        /// Keys in every window. Password fields are not detected.
        case keyboard
        /// Paste in every window. Password fields are not detected.
        /// - Parameter keeper: a program and its first arguments that runs ``ClipboardKeeper``.
        case clipboard(keeper: [String])
    }

    public nonisolated var name: String {
        switch means {
        case .inputMethod: "the compositor's input method"
        case .inputMethodAndKeys: "the compositor's input method and a virtual keyboard"
        case .keyboard: "a virtual keyboard"
        case .clipboard: "the clipboard"
        }
    }

    private let means: Means
    private nonisolated var usesInputMethod: Bool { means == .inputMethod || means == .inputMethodAndKeys }
    private let environment: [String: String]
    private let readTimeout: Duration
    private var connection: WaylandConnection?
    private var keyboard: (any WindowTyping)?
    /// The last text for the keyboard, after the earlier ones.
    private var typing: Task<Void, Never>?
    private var state = InputMethodState()
    private var handler: (@EventLoopActor (RouteEvent) -> Void)?
    private var published: TextField?
    private var shown = ""
    /// Edits that were not sent to the compositor yet.
    private var transactions: [Transaction] = []
    private var settling: EventLoop.Timer?
    /// The latest visit that has lasted long enough for its window to report a text field.
    private var settledVisit: UInt64?

    /// How long a window may take to report its text field.
    private static let settlingTime = Duration.milliseconds(200)

    /// How long the owner of a selection may take to give it, in all formats.
    public nonisolated static let defaultReadTimeout = ClipboardLimits.readTimeout

    /// - Parameters:
    ///   - environment: has the address of the compositor.
    ///   - readTimeout: how long the owner of a selection may take to give it, in all formats.
    public nonisolated init(
        environment: [String: String], means: Means = .inputMethod, readTimeout: Duration = defaultReadTimeout
    ) {
        self.environment = environment
        self.means = means
        self.readTimeout = readTimeout
    }

    /// Throws if the route does not work here. Becomes the input method for a moment.
    public static func check(environment: [String: String]) async throws(RouteError) {
        let route = WaylandRoute(environment: environment)
        try await route.open { _ in }
        await route.close()
    }

    public func open(_ handler: @escaping @EventLoopActor (RouteEvent) -> Void) async throws(RouteError) {
        let connection = try WaylandConnection(
            environment: environment, handler: { [weak self] in self?.handle($0) },
            onLoss: { [weak self] in self?.lose($0) })
        self.connection = connection
        state = InputMethodState(after: state)
        published = nil
        shown = ""
        transactions = []
        do {
            try await begin(connection)
        } catch {
            await close()
            throw error
        }
        self.handler = handler
        handler(.field(nil))
        publish()
    }

    private func begin(_ connection: WaylandConnection) async throws(RouteError) {
        let silence = RouteError("The Wayland compositor does not answer.")
        guard await connection.synced() else { throw silence }
        if usesInputMethod {
            guard connection.hasInputMethod else {
                throw RouteError(
                    "The Wayland compositor has no input methods of version 2.",
                    remedy: "Compositors of wlroots have them, such as sway and Hyprland.")
            }
        } else if !connection.hasKeyboard {
            throw RouteError(
                "The Wayland compositor has no virtual keyboards, or does not tell which window has the focus.",
                remedy: "Compositors of wlroots do both, such as sway and Hyprland.")
        }
        if connection.hasKeyboard {
            keyboard = try windowTyping(on: connection)
            // A new keyboard makes the compositor report the focus again, and with it the text field.
            guard await connection.synced() else { throw silence }
            await EventLoopActor.pause(Self.settlingTime)
        }
        if usesInputMethod { connection.send { dictation_wayland_begin_input_method($0) } }
        guard await connection.synced() else { throw silence }
        state.settle(state.visit)
        if state.isUnavailable {
            throw RouteError(
                "Another input method, such as fcitx5 or IBus, serves this desktop.",
                remedy: "A compositor has one input method at a time: use that one, or end it.")
        }
    }

    private func windowTyping(
        on connection: WaylandConnection
    ) throws(RouteError) -> any WindowTyping {
        guard case .clipboard(let keeper) = means else { return VirtualKeyboard(on: connection) }
        guard connection.hasClipboard else {
            throw RouteError(
                "The Wayland compositor does not let programs set the clipboard.",
                remedy: "Compositors of wlroots do, such as sway and Hyprland.")
        }
        return PasteKeyboard(
            on: connection, environment: environment, keeper: keeper, readTimeout: readTimeout)
    }

    // MARK: Events

    private func handle(_ events: [WaylandEvent]) {
        let (wasUnavailable, visit) = (state.isUnavailable, state.visit)
        for event in events {
            state.handle(event)
            if case .clipboard(let event) = event { keyboard?.handle(event) }
        }
        if state.isUnavailable, !wasUnavailable, handler != nil {
            return lose(RouteError("The compositor took the input method away."))
        }
        if state.visit != visit { settle(state.visit) }
        publish()
    }

    /// Reports the field when the compositor has reported its window too.
    private func settle(_ visit: UInt64) {
        Task { [weak self] in
            guard let self, await connection?.synced() == true else { return }
            state.settle(visit)
            publish()
        }
    }

    private func publish() {
        guard let handler else { return }
        let field = presentField
        guard field != published else { return }
        if field?.visit != published?.visit { shown = "" }
        published = field
        handler(.field(field))
    }

    private var presentField: TextField? {
        if let field = state.field { return field }
        guard means != .inputMethod, keyboard != nil, let window = state.windowWithoutFields else {
            return nil
        }
        if settledVisit == window.visit { return window }
        settling?.cancel()
        settling = EventLoopActor.schedule(after: Self.settlingTime) { [weak self] in
            self?.settledVisit = window.visit
            self?.publish()
        }
        return nil
    }

    private func lose(_ error: RouteError) {
        settling?.cancel()
        handler.take()?(.lost(error))
    }

    // MARK: Actions

    public func perform(_ actions: [TypingAction]) {
        if published?.abilities.contains(.liveText) == true {
            type(actions)
        } else {
            for case .commit(let text, let token) in actions { press(text, token) }
        }
    }

    /// Edits that take effect together. Without live text, the field shows none afterwards.
    private struct Transaction {
        /// The field that they are for.
        var visit: UInt64
        var deletion = 0
        var text: String?
        var live = ""
    }

    /// Newer live text replaces live text that was not sent yet: the compositor disconnects an application that gets more
    /// than it reads.
    private func type(_ actions: [TypingAction]) {
        var transaction = Transaction(visit: state.fieldVisit)
        for action in actions {
            switch action {
            case .show(let live): shown = live
            case .clear: shown = ""
            case .commit(let piece, _): transaction.text = (transaction.text ?? "") + piece
            case .delete(let count): transaction.deletion += count
            }
        }
        transaction.live = shown
        if let last = transactions.last, last.visit == transaction.visit, transaction.text == nil,
            transaction.deletion == 0
        {
            transactions[transactions.count - 1].live = shown
            return
        }
        transactions.append(transaction)
        connection?.send { [weak self] wayland in self?.sendNext(wayland) }
    }

    private func sendNext(_ wayland: OpaquePointer) {
        guard !transactions.isEmpty else { return }
        let next = transactions.removeFirst()
        guard next.visit == state.fieldVisit else { return }
        if next.deletion > 0 { dictation_wayland_delete(wayland, UInt32(next.deletion)) }
        if let text = next.text { dictation_wayland_commit(wayland, text) }
        if !next.live.isEmpty { dictation_wayland_show(wayland, next.live, Int32(next.live.utf8.count)) }
        dictation_wayland_apply(wayland, state.serial)
    }

    private func press(_ text: String, _ token: UInt64) {
        guard let keyboard, let field = published else { return }
        let previous = typing
        typing = Task { [weak self] in
            await previous?.value
            let isTyped = await keyboard.type(text) { self?.published == field }
            self?.handler?(.committed(token: token, isTyped ? .unknown : .refused))
        }
    }

    public func close() async {
        handler = nil
        settling?.cancel()
        typing?.cancel()
        await typing?.value
        keyboard?.close()
        keyboard = nil
        // The compositor removes live text with the input method.
        connection?.send { dictation_wayland_end_input_method($0) }
        await connection?.close()
        connection = nil
    }
}
