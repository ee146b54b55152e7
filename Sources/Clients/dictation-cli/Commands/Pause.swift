import ArgumentParser
import DictationClient

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Stop listening; keep the text so far.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        try await busOptions.connect().pause()
    }
}
