import EventLoop

/// Copies text to the clipboard of an X11 screen.
public enum X11Clipboard {
    /// How long the tool may take.
    private static let timeout = Duration.seconds(1)

    /// Makes a text the content of the clipboard until another program copies something.
    /// - Returns: false if there is no screen, xclip is not installed, or the text is longer than 32 KiB.
    @EventLoopActor
    public static func copy(_ text: String, environment: [String: String]) async -> Bool {
        guard environment["DISPLAY"]?.isEmpty == false else { return false }
        // In the background: a selection lasts as long as its owner.
        let result = await Tool.run(
            ["xclip", "-silent", "-selection", "clipboard", "-in"], input: Array(text.utf8),
            environment: environment, timeout: timeout)
        return result.output != nil
    }
}
