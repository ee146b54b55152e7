import ArgumentParser
import DictationClient

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Listen again.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        let client = try await busOptions.connect()
        try await SessionOfOthers.explain(client) { client throws(DictationError) in try await client.resume()
        }
    }
}
