import ArgumentParser
import DictationClient

struct Commit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finish the current block and print its text.",
        discussion: "Listening goes on, unless --stop is given. Prints nothing where nothing was said.")

    @OptionGroup var busOptions: BusOptions

    @Flag(help: "End the session as well: the microphone closes at once.")
    var stop = false

    @Flag(help: "Write the text and its details as JSON.")
    var json = false

    func run() async throws {
        let client = try await busOptions.connect()
        // What is said from now on would not be in the block.
        if stop { try await client.pause() }
        let final = try await client.commit()
        // The text is out before anything else can fail.
        if json {
            try Output.standardOutput.line(final.json.text)
        } else {
            try final.print()
        }
        if stop { try await client.stop() }
    }
}

extension Final {
    /// The text, as a line; nothing where nothing was said.
    func print() throws(OutputClosed) {
        if !text.isEmpty { try Output.standardOutput.line(DisplayText.harmless(text)) }
    }
}
