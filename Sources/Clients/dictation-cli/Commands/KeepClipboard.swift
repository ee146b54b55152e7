import ArgumentParser
import Foundation
import WaylandInput

/// Started by `type` after each paste, because under Wayland a selection ends with the program that owns it.
struct KeepClipboard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep-clipboard",
        abstract: "Give the clipboard back after “type” has pasted.",
        shouldDisplay: false)

    @Argument(help: "The format that marks the selections to be replaced.")
    var marker: String

    @Argument(help: "Selection, format and length of each part of standard input.")
    var parts: [String]

    func run() async throws {
        let bytes = try FileHandle.standardInput.readToEnd() ?? Data()
        guard let content = ClipboardContent(arguments: parts, bytes: Array(bytes)) else {
            throw ValidationError("The parts do not fit standard input.")
        }
        // The answer tells “type” that the selections are taken.
        try await ClipboardKeeper.keep(
            content, marker: marker, environment: ProcessInfo.processInfo.environment
        ) {
            try FileHandle.standardOutput.write(contentsOf: Data("kept\n".utf8))
            try FileHandle.standardOutput.close()
        }
    }
}
