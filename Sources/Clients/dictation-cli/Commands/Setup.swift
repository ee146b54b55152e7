import ArgumentParser
import DictationClient
import Foundation

struct Setup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Set up dictation, step by step: permission, microphone, language, speech engine, last texts, key.",
        discussion: """
            For the first time, on a terminal. An empty line takes the answer in brackets; Ctrl-C ends it, and what was \
            answered stays.
            """)

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        guard Terminal.hasKeyboard, Terminal.isLive else {
            throw ValidationError("“setup” asks questions: run it on a terminal.")
        }
        let client = try await busOptions.connect()
        let dialog = SetupDialog(client: client, environment: ProcessInfo.processInfo.environment)
        try await dialog.permission()
        try await dialog.microphone()
        try await dialog.engine()
        try dialog.history()
        try await dialog.key()
        try Output.standardOutput.line("")
        let findings = await Diagnosis(busOptions: busOptions).findings()
        try Output.standardOutput.line(findings.nextStep)
    }
}
