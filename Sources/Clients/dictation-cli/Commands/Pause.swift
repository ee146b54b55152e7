import ArgumentParser
import DictationClient

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Stop listening; the text so far stays.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        try await busOptions.connect().pause()
    }
}
