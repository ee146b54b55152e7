public import EventLoop
internal import Glibc
public import TypingRoutes

/// Copies text to the clipboard of a compositor that lets programs without a window do that.
@EventLoopActor
public enum WaylandClipboard {
    private final class State {
        var clipboard: ClipboardAccess?
    }

    /// Makes a text the content of the clipboard until another program copies something.
    /// - Parameter keeper: a program and its first arguments that runs ``ClipboardKeeper``.
    public static func copy(
        _ text: String, environment: [String: String], keeper: [String]
    ) async throws(RouteError) {
        let state = State()
        let connection = try WaylandConnection(
            environment: environment,
            handler: { events in
                for case .clipboard(let event) in events { state.clipboard?.handle(event) }
            },
            onLoss: { _ in })
        guard await connection.synced(), connection.hasClipboard else {
            await connection.close()
            throw RouteError("The Wayland compositor does not let programs set the clipboard.")
        }
        let clipboard = ClipboardAccess(on: connection)
        state.clipboard = clipboard
        let marker = "application/x-dictation-\(getpid())-copy"
        let parts = (ClipboardType.text + [marker]).map { ClipboardPart(type: $0, bytes: Array(text.utf8)) }
        clipboard.set(.clipboard, to: parts)
        _ = await connection.synced()
        let content = ClipboardContent([.clipboard: parts.filter { $0.type != marker }])
        let isKept = await ClipboardKeepers(command: keeper, environment: environment)
            .keep(content, marker: marker)
        await connection.close()
        if !isKept { throw RouteError("The clipboard was not set.") }
    }
}
