public import EventLoop
internal import Glibc
public import Typing
public import TypingRoutes

/// Pastes into the window with the focus, under X11: both selections get the text, then Shift+Insert is pressed, which
/// pastes in terminals (the primary selection) as in other windows (the clipboard). Afterwards the selections are restored,
/// unless another program has taken them meanwhile. If one of them cannot be restored, such as a picture, both are left
/// alone and nothing is pasted: which of them a window pastes is unknown.
///
/// It cannot detect that a window asks for a password.
@EventLoopActor
public final class ClipboardRoute: TypingRoute {
    public nonisolated var name: String { "the clipboard" }

    private let environment: [String: String]
    /// Timeout of a tool.
    private let toolTimeout: Duration
    private var handler: (@EventLoopActor (RouteEvent) -> Void)?
    private var window: String?
    private var visit: UInt64 = 0
    private var watching: Task<Void, Never>?
    private var pasting: Task<Void, Never>?

    private static let selections = ["clipboard", "primary"]
    /// How often to check which window has the focus.
    private static let pollInterval = Duration.milliseconds(250)
    /// How long a window may take to fetch the text.
    private static let fetchTimeout = Duration.seconds(2)
    /// A window asks for the types of a selection before its text.
    private static let fetchPause = Duration.milliseconds(150)

    /// - Parameter toolTimeout: how long xclip and xdotool may take.
    public nonisolated init(environment: [String: String], toolTimeout: Duration = .seconds(1)) {
        self.environment = environment
        self.toolTimeout = toolTimeout
    }

    public func open(_ handler: @escaping @EventLoopActor (RouteEvent) -> Void) async throws(RouteError) {
        guard environment["DISPLAY"]?.isEmpty == false else {
            throw RouteError("There is no X11 screen with a clipboard.")
        }
        let remedy = "Install the packages xclip and xdotool."
        for tool in ["xclip", "xdotool"] where await run([tool, "-version"]) == nil {
            throw RouteError("\(tool) cannot be run.", remedy: remedy)
        }
        guard let window = await focusedWindow() else {
            throw RouteError("The X11 screen does not answer.", remedy: nil)
        }
        self.handler = handler
        enter(window)
        watching = Task {
            while !Task.isCancelled {
                await EventLoopActor.pause(Self.pollInterval)
                if let window = await focusedWindow(), window != self.window { enter(window) }
            }
        }
    }

    private func enter(_ window: String) {
        self.window = window
        visit += 1
        handler?(.field(field))
    }

    private var field: TextField? {
        window.map { TextField(id: "window \($0)", visit: visit, abilities: [.commitReports]) }
    }

    private func focusedWindow() async -> String? {
        guard let output = await run(["xdotool", "getwindowfocus"]) else { return nil }
        let text = String(decoding: output.prefix(20), as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }

    public func perform(_ actions: [TypingAction]) {
        for case .commit(let text, let token) in actions {
            let (field, previous) = (field, pasting)
            pasting = Task {
                await previous?.value
                let isPasted = await paste(text, into: field)
                handler?(.committed(token: token, isPasted ? .unknown : .refused))
            }
        }
    }

    /// False if a selection cannot be restored, or the window has lost the focus or does not fetch the text.
    private func paste(_ text: String, into field: TextField?) async -> Bool {
        var saved: [String: [UInt8]] = [:]
        for selection in Self.selections {
            guard let content = await content(of: selection) else { return false }
            saved[selection] = content
        }
        let waiter = ChangeWaiter()
        var owners: [String: Tool] = [:]
        for selection in Self.selections {
            // It reports requests on standard error, and ends when another program owns the selection.
            owners[selection] = try? Tool(
                ["xclip", "-verbose", "-selection", selection, "-in"], input: Array(text.utf8),
                environment: environment, onChange: { waiter.resume() })
        }
        let areReady = await waiter.wait(within: toolTimeout) {
            owners.count == Self.selections.count && owners.values.allSatisfy { $0.requests > 0 }
        }
        var isFetched = false
        if areReady, let window = await focusedWindow(), window == self.window, self.field == field,
            owners.values.allSatisfy({ $0.isRunning })
        {
            // A clipboard manager may have read the text already.
            let before = owners.mapValues { $0.requests }
            _ = await run(["xdotool", "key", "--clearmodifiers", "shift+Insert"])
            isFetched = await waiter.wait(within: Self.fetchTimeout) {
                owners.contains { $0.value.requests > before[$0.key, default: 0] }
            }
            await EventLoopActor.pause(Self.fetchPause)
            // Another window may have pasted it.
            if await focusedWindow() != window { isFetched = false }
        }
        for (selection, owner) in owners where owner.isRunning {
            guard let text = saved[selection], !text.isEmpty else { continue }
            // In the background: a selection lasts as long as its owner.
            _ = await run(["xclip", "-silent", "-selection", selection, "-in"], input: text)
            // Its child may not own the selection yet. If the present owner ended before, nobody would own it.
            _ = await waiter.wait(within: toolTimeout) { !owner.isRunning }
        }
        return isFetched
    }

    /// The text of a selection; empty if it has no owner. Nil if it is not text, if a password manager marks it as a secret,
    /// if it is too long to be restored, or if its owner does not answer.
    private func content(of selection: String) async -> [UInt8]? {
        let get = ["xclip", "-selection", selection, "-out"]
        switch await result(of: get + ["-target", "TARGETS"]) {
        case .failed: return []
        case .timedOut: return nil
        case .output(let list):
            let targets = String(decoding: list, as: UTF8.self).split(separator: "\n")
            guard targets.contains(where: Self.textTargets.contains), !targets.contains(Self.secretTarget)
            else { return nil }
            return await run(get).flatMap { $0.count <= Tool.inputLimit ? $0 : nil }
        }
    }

    private static let textTargets: Set<Substring> = [
        "UTF8_STRING", "STRING", "TEXT", "text/plain", "text/plain;charset=utf-8",
    ]
    /// Password managers mark secrets with it.
    private static let secretTarget: Substring = "x-kde-passwordManagerHint"

    /// The output of a tool; nil if it failed or took too long.
    private func run(_ arguments: [String], input: [UInt8] = []) async -> [UInt8]? {
        await result(of: arguments, input: input).output
    }

    private func result(of arguments: [String], input: [UInt8] = []) async -> Tool.Result {
        await Tool.run(arguments, input: input, environment: environment, timeout: toolTimeout)
    }

    public func close() async {
        handler = nil
        watching?.cancel()
        await watching?.value
        await pasting?.value
    }
}

extension Tool {
    /// The number of the request for which xclip waits; 0 before it owns the selection.
    fileprivate var requests: Int {
        String(decoding: output, as: UTF8.self).matches(of: /selection request number/).count
    }
}
