import ArgumentParser
import Foundation
import IBus

/// Runs beside `type`, and ends with it.
struct RestoreInputMethod: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore-input-method",
        abstract: "Set IBus's engine again when “type” was killed.",
        shouldDisplay: false)

    @Argument(help: "The engine.")
    var engine: String

    @Argument(help: "The name that “type” had on the bus of IBus.")
    var connection: String

    func run() async throws {
        // Nothing is written: the end of the file is the end of the program.
        _ = try FileHandle.standardInput.readToEnd()
        try await IBusRoute.restore(
            engine, after: connection, environment: ProcessInfo.processInfo.environment)
    }
}
