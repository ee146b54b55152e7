import ArgumentParser
import DictationClient

struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the session; what is not committed is discarded.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        try await busOptions.connect().stop()
    }
}
