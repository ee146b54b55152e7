import ArgumentParser
import DictationClient
import DictationCore
import DictationInterface

struct Toggle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start or resume dictation; if it is listening, pause it and print its text.",
        discussion: """
            For a keyboard shortcut. With --type, dictates into the focused window until it is called again; what is not \
            typed is shown as a notification. Without it, starts a session in the background; resumes a paused \
            session. Otherwise closes the microphone, and commits and prints the block.
            """)

    @OptionGroup var busOptions: BusOptions
    @OptionGroup var speech: SpeechOptions
    @OptionGroup var microphone: MicrophoneOptions
    @OptionGroup var typing: TypingOptions

    @Flag(name: .customLong("type"), help: "Dictate into the focused window.")
    var types = false

    @Flag(help: "Write the action as JSON: started, resumed, or committed with the text and its details.")
    var json = false

    func run() async throws {
        let client = try await busOptions.connect()
        if types {
            let options = try TypingCommand.options(speech, microphone, typing)
            try await OwnPermission.request(client)
            try await microphone.check(client)
            _ = try await client.toggleTyping(options)
            return
        }
        if try await finishTyping(client) { return }
        switch ToggleStep(inState: try await client.status().state.rawValue) {
        case .start:
            do {
                let session = try await Start.session(client, speech, microphone)
                try report("started", [("session", JSON(session.id))])
            } catch let error as DictationError where error.code == .alreadyRunning {
                // The shortcut was pressed twice, and the other process was first.
                try await finish(client)
            }
        case .resume:
            try await client.resume()
            try report("resumed")
        case .finish:
            try await finish(client)
        }
    }

    /// Ends dictation into windows.
    /// - Returns: false if nobody dictates so.
    private func finishTyping(_ client: DictationClient) async throws(DictationError) -> Bool {
        do {
            try await client.finishTyping()
            return true
        } catch {
            guard error.code == .notRunning else { throw error }
            return false
        }
    }

    /// Closes the microphone, then waits for the text.
    private func finish(_ client: DictationClient) async throws {
        try await client.pause()
        let final = try await client.commit()
        if json {
            try report("committed", final.members)
        } else {
            try final.print()
        }
    }

    private func report(_ action: String, _ members: [(String, JSON)] = []) throws(OutputError) {
        guard json else { return }
        try Output.standardOutput.line(JSON.object([("action", .string(action))] + members).text)
    }
}
