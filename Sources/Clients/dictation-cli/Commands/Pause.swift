import ArgumentParser
import DictationClient
import DictationInterface

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Stop listening; keep the text so far.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        let client = try await busOptions.connect()
        try await SessionOfOthers.control(
            client, { client throws(DictationError) in try await client.pause() },
            typing: { try await $0.pause() })
        Output.confirm("Dictation is paused. “dictation-cli resume” goes on.")
    }
}
