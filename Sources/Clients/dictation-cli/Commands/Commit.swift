import ArgumentParser
import DictationClient
import DictationInterface

struct Commit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finish the current block and print its text.",
        discussion: """
            Listening continues unless --stop is given. Prints nothing if there was no speech. Without a session of its \
            own, “type” types its text.
            """)

    @OptionGroup var busOptions: BusOptions

    @Flag(help: "Also end the session: the microphone closes at once.")
    var stop = false

    @Flag(help: "Write the text and its details as JSON.")
    var json = false

    func run() async throws {
        let client = try await busOptions.connect()
        if try await client.status().session == nil, try await commitTyping(client) { return }
        // Speech from now on would not be in the block.
        try await SessionOfOthers.explain(client) { client throws(DictationError) in
            if stop { try await client.pause() }
        }
        let final: Final
        do throws(DictationError) {
            final = try await SessionOfOthers.explain(client) { client throws(DictationError) in
                try await client.commit()
            }
        } catch {
            if stop { try await endSession(of: client, after: error) }
            throw error
        }
        // The text is written before anything else can fail.
        if json {
            try Output.standardOutput.line(final.json.text)
        } else {
            try final.print()
        }
        if stop { try await client.stop() }
    }

    /// - Returns: false if nothing types into windows.
    private func commitTyping(_ client: DictationClient) async throws(DictationError) -> Bool {
        do {
            try await stop ? client.finishTyping() : client.commitTyping()
            return true
        } catch {
            guard error.code == .notRunning else { throw error }
            return false
        }
    }

    /// Keeps the session if its text may still come.
    private func endSession(
        of client: DictationClient, after failure: DictationError
    ) async throws(DictationError) {
        switch failure.code {
        case .engineFailed, .cancelled:
            try? await client.stop()
        case .timeout:
            throw DictationError(
                failure.code, name: failure.name,
                message:
                    "\(failure) The session was not ended, because the text may still come: "
                    + "“dictation-cli status” shows it then.")
        default:
            break
        }
    }
}

extension Final {
    /// The text as a line; nothing if it is empty.
    func print() throws(OutputError) {
        if !text.isEmpty { try Output.standardOutput.text(text) }
    }
}
