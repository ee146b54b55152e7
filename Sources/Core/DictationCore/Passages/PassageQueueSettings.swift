/// What to do when an engine has no text for a passage.
public enum EngineFallback: String, Hashable, Sendable, CaseIterable {
    /// The preview's text becomes final at once.
    case preview
    /// The text waits up to 45 s for the engine.
    case wait
}

extension PassageQueue {
    public struct Settings: Hashable, Sendable {
        public var engine: String
        /// Nil if there is no preview.
        public var previewEngine: String?
        public var fallback = EngineFallback.preview
        /// How long a commit waits for its text.
        public var commitTimeout = Duration.seconds(5)
        /// The same for ``EngineFallback/wait``. Less than the machine's own timeout for commits. For a file or pipe, how
        /// long the oldest passage waits.
        public var waitTimeout = Duration.seconds(45)
        /// The audio comes from a file or pipe, which is read as fast as it is recognised: a slow engine skips nothing.
        public var inputWaits = false
        /// Whether an engine that gives text during speech gets the sound while it is captured.
        public var streams = true

        public init(engine: String, previewEngine: String?) {
            self.engine = engine
            self.previewEngine = previewEngine
        }

        /// Whether a passage waits for its engine, and does not take the preview's text instead.
        var waitsForEngine: Bool { fallback == .wait || previewEngine == nil }
    }
}
