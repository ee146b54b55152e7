import ArgumentParser
import DictationClient
import DictationInterface
import Localization

struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the session; text that is not committed is discarded.",
        discussion: "Without a session of its own, ends “type”, which types what was said until now.")

    @OptionGroup var busOptions: BusOptions

    @Flag(help: "End every session of this user, whichever program started it.")
    var all = false

    func run() async throws {
        let client = try await busOptions.connect()
        if all {
            try await client.stopAll()
            Output.confirm("Every session has ended.")
        } else {
            try await SessionOfOthers.control(
                client, { client throws(DictationError) in try await client.stop() },
                typing: { client throws(DictationError) in try await client.finishTyping() })
            Output.confirm("Dictation has ended.")
        }
    }
}
