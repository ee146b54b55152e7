import ArgumentParser
import DictationClient
import Localization

struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start a session in the background.",
        discussion: """
            The session outlives this program. Control it with pause, resume, toggle, commit, cancel and stop; show it \
            with status and monitor.
            """)

    @OptionGroup var busOptions: BusOptions
    @OptionGroup var speech: SpeechOptions
    @OptionGroup var microphone: MicrophoneOptions

    @Flag(help: "Write the number of the session as JSON.")
    var json = false

    func run() async throws {
        let client = try await busOptions.connect()
        let session = try await Self.session(client, speech, microphone)
        if json { try Output.standardOutput.line(JSON.object([("session", JSON(session.id))]).text) }
        Output.confirm("Dictation listens in the background. “dictation-cli commit” prints the text.")
    }

    /// Starts a session that outlives this program. Asks for permission first if there is no decision.
    static func session(
        _ client: DictationClient, _ speech: SpeechOptions, _ microphone: MicrophoneOptions
    ) async throws -> DictationSession {
        var options = StartOptions()
        options.lingers = true
        try speech.apply(to: &options)
        microphone.apply(to: &options)
        try await OwnPermission.request(client)
        try await microphone.check(client)
        return try await client.start(options)
    }
}
