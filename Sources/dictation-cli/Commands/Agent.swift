import ArgumentParser
import DictationClient

struct Agent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask on this terminal whether applications may dictate, until Ctrl-C.",
        discussion: "For desktops without a dialog for it, and for those who prefer a terminal.")

    @OptionGroup var busOptions: BusOptions

    @Flag(help: "Ask only where the desktop's own dialog cannot.")
    var fallback = false

    func run() async throws {
        let client = try await busOptions.connect()
        let prompter = try TerminalPrompter()
        try await client.registerAgent(fallback ? .fallback : []) { await prompter.ask($0) }
        Output.standardError.note("Waiting for questions.")
        // Until the connection ends, or a signal ends the program.
        for try await _ in await client.events {}
    }
}
