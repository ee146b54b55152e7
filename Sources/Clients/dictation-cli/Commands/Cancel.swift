import ArgumentParser
import DictationClient

struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Discard the text that is not committed.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        try await busOptions.connect().cancel()
    }
}
