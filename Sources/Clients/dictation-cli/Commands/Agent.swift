import ArgumentParser
import DictationClient
import Localization

struct Agent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask on this terminal whether applications may dictate, until Ctrl-C.",
        discussion: "For desktops without a dialog for it, and for those who prefer a terminal.")

    @OptionGroup var busOptions: BusOptions

    @Flag(help: "Ask only if the desktop's own dialog fails.")
    var fallback = false

    func run() async throws {
        let client = try await busOptions.connect()
        let prompter = try TerminalPrompter()
        let (ends, end) = AsyncThrowingStream<Void, any Error>.makeStream()
        try await client.registerAgent(fallback ? .fallback : []) { question in
            do {
                return try await prompter.ask(question)
            } catch {
                end.finish()
                throw error
            }
        }
        Output.standardError.writeNotice(translated("Waiting for questions."))
        // Until the connection or standard input ends, or a signal ends the program.
        Task {
            do {
                for try await _ in await client.events {}
                end.finish()
            } catch {
                end.finish(throwing: error)
            }
        }
        for try await _ in ends {}
    }
}
