import ArgumentParser
import DictationClient

struct Commit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finish the current block and print its text.",
        discussion: "Listening goes on. Prints nothing where nothing was said.")

    @OptionGroup var busOptions: BusOptions

    @Flag(help: "Write the text and its details as JSON.")
    var json = false

    func run() async throws {
        let final = try await busOptions.connect().commit()
        if json {
            try Output.standardOutput.line(final.json.text)
        } else if !final.text.isEmpty {
            try Output.standardOutput.line(DisplayText.harmless(final.text))
        }
    }
}
