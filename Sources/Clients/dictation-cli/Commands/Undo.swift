import ArgumentParser
import DictationClient
import DictationInterface
import Localization

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take back what “type” typed last.",
        discussion: """
            For a keyboard shortcut. Discards the words that are not final yet; if there are none, deletes the text that \
            was typed last, if the cursor is still behind it. After the end of a dictation it works for a minute. Fails if nothing was deleted.
            """)

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        try await busOptions.connect().undoTyping()
        Output.confirm("The last text is taken back.")
    }
}
