import ArgumentParser

/// Started by the bus for programs that call org.example.Dictation.Typing.
struct TypingService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "typing-service",
        abstract: "Type for other programs of the desktop session.",
        shouldDisplay: false)

    @OptionGroup var busOptions: BusOptions

    func run() async throws {
        do {
            try await FieldService.run(busOptions)
        } catch let error as TypingTurnTaken {
            Output.standardError.note("\(error)")
            throw ExitStatus.noSession.code
        }
    }
}
