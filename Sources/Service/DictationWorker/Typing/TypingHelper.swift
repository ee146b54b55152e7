import Desktop
import Foundation
import Glibc
import IBus
import WaylandInput

/// A process that this program starts for a route, and that outlasts it.
public enum TypingHelper: String, CaseIterable, Sendable {
    /// Sets IBus's engine again when the worker was killed: the engine, and the name that the worker had on the bus of IBus.
    case restoreInputMethod = "restore-input-method"
    /// Gives the clipboard back after a paste, because under Wayland a selection ends with the program that owns it: the
    /// format that marks the selections to be replaced, then selection, format and length of each part of standard input.
    case keepClipboard = "keep-clipboard"
    /// Gives the clipboard back by the desktop's portal when the worker was killed: the file of the permission. The text is
    /// standard input; the end of standard output, which is a pipe to read from, is the end of the worker.
    case restoreClipboard = "restore-clipboard"

    /// The program and its first arguments.
    var command: [String] { ["/proc/self/exe", rawValue] }

    /// Runs in the new process.
    public func run(_ arguments: [String]) async throws {
        guard let first = arguments.first else { throw TypingHelperError() }
        let environment = ProcessInfo.processInfo.environment
        switch self {
        case .restoreInputMethod:
            guard arguments.count == 2 else { throw TypingHelperError() }
            // A service manager ends the processes of a worker that was killed.
            signal(SIGTERM, SIG_IGN)
            // Nothing is written: the end of the file is the end of the worker.
            _ = try FileHandle.standardInput.readToEnd()
            try await IBusRoute.restore(first, after: arguments[1], environment: environment)
        case .restoreClipboard:
            guard arguments.count == 1 else { throw TypingHelperError() }
            signal(SIGTERM, SIG_IGN)
            let text = try FileHandle.standardInput.readToEnd() ?? Data()
            _ = try FileHandle.standardOutput.readToEnd()
            try await RemoteDesktopRoute.restoreClipboard(
                Array(text), environment: environment, applicationID: RouteChoice.applicationID,
                tokenFile: first)
        case .keepClipboard:
            let bytes = try FileHandle.standardInput.readToEnd() ?? Data()
            guard let content = ClipboardContent(arguments: Array(arguments.dropFirst()), bytes: Array(bytes))
            else { throw TypingHelperError() }
            // The answer says that the selections are taken.
            try await ClipboardKeeper.keep(content, marker: first, environment: environment) {
                try FileHandle.standardOutput.write(contentsOf: Data("kept\n".utf8))
                try FileHandle.standardOutput.close()
            }
        }
    }
}

struct TypingHelperError: Error, CustomStringConvertible {
    var description: String { "these are not the arguments of a helper" }
}
