import ArgumentParser
import DictationClient
import DictationInterface

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Listen again.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        let client = try await busOptions.connect()
        try await SessionOfOthers.control(
            client, { client throws(DictationError) in try await client.resume() },
            typing: { try await $0.resume() })
        Output.confirm("Dictation listens again.")
    }
}
