import DBus
import DictationInterface
import EventLoop

// The user's dictation into windows: a session with ``StartOptions/typing``, or one that a key has begun.

extension DictationClient {
    /// Begins dictation into the focused window, which belongs to no program, or finishes the one that runs. Refused to
    /// programs in a sandbox, as the other calls here are.
    /// - Returns: whether it begins.
    public func toggleTyping(_ options: StartOptions = StartOptions()) async throws(DictationError) -> Bool {
        // The desktop may ask the user first.
        try await calling {
            try await typingProxy.toggle(
                options: options.dictionary, timeout: DictationInterface.permissionTimeout)
        }
    }

    /// Ends the dictation into windows, whichever program started it. Speech so far is still typed.
    public func finishTyping() async throws(DictationError) {
        try await calling { try await typingProxy.finish() }
    }

    public func pauseTyping() async throws(DictationError) {
        try await calling { try await typingProxy.pause() }
    }

    public func resumeTyping() async throws(DictationError) {
        try await calling { try await typingProxy.resume() }
    }

    /// Types the text so far. The dictation goes on.
    public func commitTyping() async throws(DictationError) {
        try await calling { try await typingProxy.commit(timeout: DictationInterface.commitTimeout) }
    }

    /// Discards the words that are not final yet; if there are none, deletes the text that was typed last.
    public func undoTyping() async throws(DictationError) {
        try await calling { try await typingProxy.undo() }
    }

    /// Types a text into the text field that has the focus.
    /// - Returns: why it was not typed, for people; nil if it was.
    public func type(_ text: String) async throws(DictationError) -> String? {
        try await calling {
            let field = try await typingProxy.beginField(options: [:]).field
            let (outcome, details) = try await typingProxy.insert(
                field: field, text: BusText(text), timeout: DictationInterface.permissionTimeout)
            try await typingProxy.release(field: field)
            guard TypedOutcome(rawValue: "\(outcome)") != .typed else { return nil }
            return details[TypedKey.message].flatMap { String($0) } ?? "\(outcome)"
        }
    }

    /// What becomes of the texts of this connection's sessions with ``StartOptions/typing``, from now on.
    public func typingEvents() async throws(DictationError) -> AsyncStream<TypingEvent> {
        let (events, continuation) = AsyncStream.makeStream(of: TypingEvent.self)
        try await calling {
            try await connection.listen(
                MatchRule(
                    sender: proxy.destination, path: proxy.path, interface: DictationTypingInterface.name),
                finish: { continuation.finish() }
            ) { message in
                if let event = DictationTypingSignal(message).flatMap(TypingEvent.init) {
                    continuation.yield(event)
                }
            }
        }
        return events
    }

    private var typingProxy: DictationTypingProxy {
        DictationTypingProxy(connection: proxy.connection, destination: proxy.destination, path: proxy.path)
    }
}
