import ArgumentParser
import DictationClient

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Listen again.")

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        try await busOptions.connect().resume()
    }
}
