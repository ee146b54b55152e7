import ArgumentParser
import DictationClient
import DictationCore

struct Toggle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start or resume dictation; if it is listening, pause it and print its text.",
        discussion: """
            For a keyboard shortcut. Without a session, starts one in the background; resumes a paused \
            session. Otherwise closes the microphone, and commits and prints the block.
            """)

    @OptionGroup var busOptions: BusOptions
    @OptionGroup var speech: SpeechOptions
    @OptionGroup var microphone: MicrophoneOptions

    @Flag(help: "Write the action as JSON: started, resumed, or committed with the text and its details.")
    var json = false

    func run() async throws {
        let client = try await busOptions.connect()
        switch ToggleStep(inState: try await client.status().state.rawValue) {
        case .start:
            do {
                let session = try await Start.session(client, speech, microphone)
                try tell("started", [("session", JSON(session.id))])
            } catch let error as DictationError where error.code == .alreadyRunning {
                // The shortcut was pressed twice, and the other process was first.
                try await finish(client)
            }
        case .resume:
            try await client.resume()
            try tell("resumed")
        case .finish:
            try await finish(client)
        }
    }

    /// Closes the microphone, then waits for the text.
    private func finish(_ client: DictationClient) async throws {
        try await client.pause()
        let final = try await client.commit()
        if json {
            try tell("committed", final.members)
        } else {
            try final.print()
        }
    }

    private func tell(_ action: String, _ members: [(String, JSON)] = []) throws(OutputError) {
        guard json else { return }
        try Output.standardOutput.line(JSON.object([("action", .string(action))] + members).text)
    }
}
