import ArgumentParser
import DictationClient

struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Begin a session that goes on in the background.",
        discussion: "Drive it with pause, resume, commit, cancel and stop; see it with status and monitor.")

    @OptionGroup var busOptions: BusOptions
    @OptionGroup var speech: SpeechOptions
    @OptionGroup var microphone: MicrophoneOptions

    @Flag(help: "Let the session outlive this program. Needed: see “listen” for one that does not.")
    var linger = false

    @Flag(help: "Write the number of the session as JSON.")
    var json = false

    func validate() throws {
        if !linger {
            throw ValidationError(
                "Without --linger the session would end together with this program. Give --linger, or use “listen”."
            )
        }
    }

    func run() async throws {
        var options = StartOptions()
        options.lingers = linger
        try speech.apply(to: &options)
        microphone.apply(to: &options)
        let client = try await busOptions.connect()
        try await Consent.seek(client)
        let session = try await client.start(options)
        if json { try Output.standardOutput.line(JSON.object([("session", JSON(session.id))]).text) }
    }
}
