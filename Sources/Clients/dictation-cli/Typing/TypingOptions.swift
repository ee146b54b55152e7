import ArgumentParser

/// Options for typing into windows.
struct TypingOptions: ParsableArguments {
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

    var choice: RouteChoice {
        var choice = RouteChoice.current
        choice.usesKeyboard = keyboard
        choice.usesClipboard = clipboard
        return choice
    }
}
