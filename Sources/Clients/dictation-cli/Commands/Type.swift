import ArgumentParser

struct Type: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Dictate into the focused window.",
        discussion: """
            Text appears where the cursor is, until Ctrl-C. It goes into the field in which a block began, and never \
            into fields for passwords. What could not be typed is printed, and the exit code is 69 then. A second Ctrl-C \
            prints what is there and ends at once; Ctrl-Z gives the keyboard back to other input methods for a while. \
            A block ends after a second of silence, unless --auto-commit says otherwise. While it runs, “pause”, \
            “resume”, “commit”, “undo”, “stop” and “toggle” control it, so that a keyboard shortcut can.
            """)

    @OptionGroup var busOptions: BusOptions
    @OptionGroup var speech: SpeechOptions
    @OptionGroup var microphone: MicrophoneOptions

    @Flag(help: "End after the first text.")
    var once = false

    @OptionGroup var typing: TypingOptions

    func run() async throws {
        let options = try TypingCommand.options(speech, microphone, typing)
        let client = try await busOptions.connect()
        try await OwnPermission.request(client)
        try await microphone.check(client)
        try await TypingCommand.run(client, options, endsAfterFirst: once)
    }
}
