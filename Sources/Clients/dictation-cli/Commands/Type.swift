import ArgumentParser
import DictationClient
import DictationTyping
import EventLoop
import Typing

struct Type: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Dictate into the focused window.",
        discussion: """
            Text appears where the cursor is, until Ctrl-C. It goes into the field in which a block began, and never \
            into fields for passwords. What could not be typed is printed, and the exit code is 69 then. A second Ctrl-C \
            prints what is there and ends at once; Ctrl-Z gives the keyboard back to other input methods for a while. \
            A block ends after a second of silence, unless --auto-commit says otherwise.
            """)

    @OptionGroup var busOptions: BusOptions
    @OptionGroup var speech: SpeechOptions
    @OptionGroup var microphone: MicrophoneOptions

    @Flag(help: "End after the first text.")
    var once = false

    @Flag(inversion: .prefixedNo, help: "Show words in the window while they are spoken.")
    var live = true

    @Flag(
        help:
            "Type keys in windows without an input method, under a wlroots compositor. Password fields are not noticed then."
    )
    var keyboard = false

    @Flag(
        help:
            "Paste where no input method works, under X11 or a wlroots compositor. Password fields are not noticed then."
    )
    var clipboard = false

    func run() async throws {
        var choice = RouteChoice.current
        choice.usesKeyboard = keyboard
        choice.usesClipboard = clipboard
        var options = StartOptions()
        try speech.apply(to: &options)
        microphone.apply(to: &options)
        options.autoCommit = options.autoCommit ?? .seconds(1)
        let client = try await busOptions.connect()
        try await OwnPermission.request(client)
        try await microphone.check(client)
        let turn: TypingTurn?
        do {
            turn = try TypingTurn(environment: choice.environment)
        } catch {
            Output.standardError.note("\(error)")
            throw ExitStatus.noSession.code
        }
        let isFormatted = options.formatting == .dictation
        let style = TypingStyle(
            showsLiveText: live, fitsCapitals: isFormatted, language: options.language ?? "",
            isFormatted: isFormatted)
        let typing = await TypingCommand(
            client: client, options: options, style: style, endsAfterFirst: once, choice: choice,
            turn: turn)
        try await typing.run()
    }
}
