internal import EventLoop

/// Types into the window with the focus, whatever has the focus in it.
@EventLoopActor
protocol WindowTyping: AnyObject {
    /// Types a text, until the task is cancelled. One call at a time.
    /// - Parameter mayContinue: whether the same window still has the focus.
    /// - Returns: whether everything was typed, and the focus did not move meanwhile.
    func type(_ text: String, while mayContinue: @escaping @EventLoopActor () -> Bool) async -> Bool

    /// Events of the selections.
    func handle(_ event: ClipboardEvent)

    /// Removes the keyboard. Call it when nothing is being typed.
    func close()
}

extension WindowTyping {
    func handle(_ event: ClipboardEvent) {}
}
