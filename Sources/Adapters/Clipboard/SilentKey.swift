import EventLoop

/// A key that types nothing, under X11.
public enum SilentKey {
    /// How long the tool may take.
    private static let timeout = Duration.seconds(1)

    /// Presses and releases Shift in the window with the focus. Keys that the user holds are released meanwhile, so that
    /// none of them means something together with it.
    /// - Returns: false where there is no X11 screen, or the tool for it is not installed.
    @EventLoopActor @discardableResult
    public static func press(environment: [String: String]) async -> Bool {
        guard environment["DISPLAY"]?.isEmpty == false else { return false }
        return await Tool.run(
            ["xdotool", "key", "--clearmodifiers", "Shift_L"], environment: environment, timeout: timeout)
            != nil
    }

    /// Whether ``press(environment:)`` works here.
    @EventLoopActor
    public static func isAvailable(environment: [String: String]) async -> Bool {
        guard environment["DISPLAY"]?.isEmpty == false else { return false }
        return await Tool.run(["xdotool", "version"], environment: environment, timeout: timeout) != nil
    }
}
