import ArgumentParser
import DictationClient
import Foundation

struct Setup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set up dictation, step by step: permission, microphone, language, speech engine, key.",
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
        try await OwnPermission.request(client)
        let dialog = SetupDialog(client: client, environment: ProcessInfo.processInfo.environment)
        try await dialog.microphone()
        try await dialog.engine()
        try dialog.key()
        try Output.standardOutput.line("")
        let findings = await Diagnosis(busOptions: busOptions).findings()
        try Output.standardOutput.line(findings.nextStep)
    }
}

struct Shortcut: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say how to bind a key that dictates into the focused window on this desktop.")

    func run() throws {
        try ShortcutAdvice(environment: ProcessInfo.processInfo.environment).print()
    }
}
