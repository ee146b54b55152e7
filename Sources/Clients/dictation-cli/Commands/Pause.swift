import ArgumentParser
import DictationClient
import DictationInterface
import Localization

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Stop listening; keep the text so far.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        let client = try await busOptions.connect()
        try await SessionOfOthers.control(
            client, { client throws(DictationError) in try await client.pause() },
            typing: { client throws(DictationError) in try await client.pauseTyping() })
        Output.confirm("Dictation is paused. “dictation-cli resume” goes on.")
    }
}
