import EventLoop

/// A key that types nothing, under X11.
public enum SilentKey {
    /// How long the tool may take.
    private static let timeout = Duration.seconds(1)

    /// The only key in the layouts of X11 that no application uses. Shift would change a letter that the user types at the
    /// same time.
    private static let key = "XF86WakeUp"

    /// Presses and releases the key in the window with the focus.
    /// - Returns: false if there is no X11 screen, or xdotool is not installed.
    @EventLoopActor @discardableResult
    public static func press(environment: [String: String]) async -> Bool {
        guard environment["DISPLAY"]?.isEmpty == false else { return false }
        return await succeeds(["xdotool", "key", key], environment)
    }

    /// Whether ``press(environment:)`` works here.
    @EventLoopActor
    public static func isAvailable(environment: [String: String]) async -> Bool {
        guard environment["DISPLAY"]?.isEmpty == false else { return false }
        return await succeeds(["xdotool", "version"], environment)
    }

    @EventLoopActor
    private static func succeeds(_ arguments: [String], _ environment: [String: String]) async -> Bool {
        await Tool.run(arguments, environment: environment, timeout: timeout).output != nil
    }
}
