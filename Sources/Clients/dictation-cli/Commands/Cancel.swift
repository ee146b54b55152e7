import ArgumentParser
import DictationClient
import Localization

struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Discard the text that is not committed.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        let client = try await busOptions.connect()
        try await SessionOfOthers.explain(client) { client throws(DictationError) in try await client.cancel()
        }
        Output.confirm("The text that was not committed is discarded.")
    }
}
