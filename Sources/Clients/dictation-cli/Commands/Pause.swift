import ArgumentParser
import DictationClient

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Stop listening; keep the text so far.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        let client = try await busOptions.connect()
        try await SessionOfOthers.explain(client) { client throws(DictationError) in try await client.pause()
        }
    }
}
