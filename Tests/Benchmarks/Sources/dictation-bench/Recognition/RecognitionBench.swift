import ArgumentParser

/// The results and the cost of recognition, beside other programs with the same library and model.
struct RecognitionBench: AsyncParsableCommand {
    private static let parts: [any AsyncParsableCommand.Type] = [
        Accuracy.self, CommitLatency.self, Partials.self, Silence.self, Memory.self, Gate.self,
        Engines.self, LiveText.self, OwnWords.self, Forms.self, FalseMarks.self,
    ]

    static let configuration = CommandConfiguration(
        commandName: "recognition", abstract: "What recognition gives and costs: all of it, or a part.",
        subcommands: parts)

    func run() async throws {
        for part in Self.parts {
            var command = try part.parse([])
            try await command.run()
        }
    }
}
