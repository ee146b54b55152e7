internal import CLinux
public import EventLoop
internal import Glibc
internal import TypingRoutes

/// Owns selections after the program that saved them has ended, until another program takes them.
@EventLoopActor
public enum ClipboardKeeper {
    private final class State {
        var clipboard: ClipboardAccess?
        var isLost = false
    }

    /// Takes selections that still have a format, and returns when they are no longer ours.
    /// - Parameters:
    ///   - marker: the format. A selection without it belongs to another program, and is left alone.
    ///   - ready: called when the selections are taken.
    public static func keep(
        _ content: ClipboardContent, marker: String, environment: [String: String],
        ready: @EventLoopActor () throws -> Void
    ) async throws {
        let state = State()
        let connection = try WaylandConnection(
            environment: environment,
            handler: { events in
                for case .clipboard(let event) in events { state.clipboard?.handle(event) }
            },
            onLoss: { _ in
                state.isLost = true
                state.clipboard?.changes.resume()
            })
        guard await connection.synced(), connection.hasClipboard else {
            throw RouteError("The Wayland compositor does not let programs set the clipboard.")
        }
        let clipboard = ClipboardAccess(on: connection)
        state.clipboard = clipboard
        defer { state.clipboard = nil }
        _ = await connection.synced()
        for (selection, parts) in content.parts where clipboard.types(of: selection).contains(marker) {
            clipboard.set(selection, to: parts)
        }
        guard await connection.synced() else { return }
        try ready()
        while clipboard.ownsAny, !state.isLost {
            _ = await clipboard.changes.wait(within: .seconds(3600)) { !clipboard.ownsAny || state.isLost }
        }
        await connection.close()
    }
}

/// Starts processes that run ``ClipboardKeeper``.
@EventLoopActor
final class ClipboardKeepers {
    private let command: [String]
    private let environment: [String: String]
    /// Of all objects, because a process may outlast the object that has started it.
    private static var processes: [Subprocess] = []

    /// What it writes when it has the selections.
    private static let answer = Array("kept\n".utf8)
    private static let timeout = Duration.seconds(5)

    init(command: [String], environment: [String: String]) {
        self.command = command
        self.environment = environment
    }

    /// - Returns: whether a process has taken the selections.
    func keep(_ content: ClipboardContent, marker: String) async -> Bool {
        reap()
        let number = dictation_linux_memory_file("dictation clipboard")
        guard number >= 0 else { return false }
        let file = Descriptor(owning: number)
        let bytes = content.bytes
        guard write(number, bytes, bytes.count) == bytes.count, lseek(number, 0, SEEK_SET) == 0,
            let output = start(command + [marker] + content.arguments, input: file)
        else { return false }
        let answer = await PipeReader.contents(
            of: output, limit: Self.answer.count, timeout: Self.timeout)
        return answer == Self.answer
    }

    /// Starts a process that signals to the terminal's process group do not end.
    /// - Returns: its output; nil if it cannot be started. The process alone keeps the other end open.
    private func start(_ arguments: [String], input: Descriptor) -> Descriptor? {
        guard let (reading, writing) = try? Descriptor.pipe(),
            let process = try? Subprocess(
                arguments, environment: environment,
                files: [
                    0: .descriptor(input.rawValue), 1: .descriptor(writing.rawValue),
                    2: .path("/dev/null", flags: O_WRONLY),
                ],
                isSessionLeader: true)
        else { return nil }
        Self.processes.append(process)
        return reading
    }

    /// Forgets those that have ended.
    private func reap() {
        Self.processes.removeAll { $0.statusIfEnded() != nil }
    }
}
