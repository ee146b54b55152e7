import ArgumentParser
import DictationClient
import Localization

extension History {
    struct TypeAgain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "type", abstract: "Type a text into the text field that has the focus.",
            discussion: """
                For a keyboard shortcut: without a number it types the last text once more. Fields for passwords get nothing.
                """)

        @OptionGroup var busOptions: BusOptions
        @OptionGroup var target: HistoryTarget

        func run() async throws {
            let client = try await busOptions.connect()
            // Not target.text(client): that crashes the optimiser of Swift 6.3.1.
            let text = try await client.historyText(target.id(client)).text
            if let reason = try await client.type(text) {
                throw DictationError(.other, message: translated("The text was not typed: \(reason)"))
            }
            Output.confirm("The text is typed.")
        }
    }
}
