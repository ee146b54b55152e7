import ArgumentParser
import DictationClient

struct Listen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Dictate, and show the text while it is spoken.",
        discussion: """
            On a terminal Space pauses and resumes, Enter commits, Escape discards what is not committed, u brings that \
            back, q and Ctrl-C commit and quit. A pipe or a file gets only final text, each block on a line of its own; \
            a block then ends after a second of silence, unless --auto-commit says otherwise.
            """)

    @OptionGroup var busOptions: BusOptions
    @OptionGroup var speech: SpeechOptions
    @OptionGroup var microphone: MicrophoneOptions
    @OptionGroup var recording: RecordingOptions

    @Flag(help: "End after the first text. A block ends after a second of silence then too.")
    var once = false

    @Flag(help: "Keep no text in the history, and give none to the program of the setting “filter”.")
    var `private` = false

    @Flag(help: "Write every event as a line of JSON.")
    var json = false

    @Flag(
        help:
            "Show the level as a wide bar, with the highest peak of the last second and a half; with --json, write it as events."
    )
    var meter = false

    func run() async throws {
        let style: Listener.Style = json ? .json : Terminal.isLive ? .live : .plain
        var options = StartOptions()
        try speech.apply(to: &options)
        microphone.apply(to: &options)
        // Standard output is not a terminal, so text is written as it is spoken.
        if style == .plain || once { options.autoCommit = options.autoCommit ?? .seconds(1) }
        options.sendsPartials = style != .plain
        options.sendsLevels = style == .live || (style == .json && meter)
        options.survivesRestart = true
        if self.private {
            options.keepsTexts = false
            options.isFiltered = false
        }
        let client = try await busOptions.connect()
        try await OwnPermission.request(client)
        try await microphone.check(client)
        try recording.apply(to: &options)
        var listener = try Listener(
            client: client, options: options, style: style, endsAfterFirst: once, hasMeter: meter)
        try await listener.run()
    }
}
