import ArgumentParser
import DictationClient
import DictationInterface
import Localization

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Listen again.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        let client = try await busOptions.connect()
        try await SessionOfOthers.control(
            client, { client throws(DictationError) in try await client.resume() },
            typing: { client throws(DictationError) in try await client.resumeTyping() })
        Output.confirm("Dictation listens again.")
    }
}
