import ArgumentParser
import DictationClient

struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the session; text that is not committed is discarded.")

    @OptionGroup var busOptions: BusOptions

    @Flag(help: "End every session of this user, whichever program started it.")
    var all = false

    func run() async throws {
        let client = try await busOptions.connect()
        if all {
            try await client.stopAll()
        } else {
            try await SessionOfOthers.explain(client) { client throws(DictationError) in
                try await client.stop()
            }
        }
    }
}
