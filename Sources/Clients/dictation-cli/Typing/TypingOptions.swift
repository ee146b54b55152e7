import ArgumentParser
import DictationClient
import Foundation

/// Options for typing into windows.
struct TypingOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Show words in the window while they are spoken.")
    var live = true

    @Flag(
        help:
            "Type keys in windows without an input method, under a wlroots compositor, and into fields of which IBus does not say what they are for. Password fields are not noticed then."
    )
    var keyboard = false

    @Flag(
        help:
            "Paste where no input method works, under X11 or a wlroots compositor. Password fields are not noticed then."
    )
    var clipboard = false

    /// In the windows of this program's desktop session.
    var typing: StartOptions.Typing {
        var typing = StartOptions.Typing(environment: ProcessInfo.processInfo.environment)
        typing.showsLiveText = live
        typing.usesKeyboard = keyboard
        typing.usesClipboard = clipboard
        return typing
    }
}
