import ArgumentParser
import DictationInterface

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take back what “type” typed last.",
        discussion: """
            For a keyboard shortcut. Discards the words that are not final yet; if there are none, deletes the text that \
            was typed last, if the cursor is still behind it. After “toggle --type” has ended a dictation it works for a \
            minute. Fails if nothing was deleted.
            """)

    func run() async throws {
        guard let running = await RunningTyping.find() else {
            Output.standardError.note(
                translated("Nothing types into windows now. “dictation-cli type” does."))
            throw ExitStatus.noSession.code
        }
        try await running.perform { try await $0.undo() }
        Output.confirm("The last text is taken back.")
    }
}
