/// Divides a block's speech into passages, each for one request to an engine. Longer passages give better text for less
/// work, up to a limit. A cut inside a word costs about one word.
///
/// Positions count samples at 16 kHz from the block's beginning.
public struct PassageCutter: Hashable, Sendable {
    public struct Rules: Hashable, Sendable {
        /// Seconds from which a passage closes at a pause of `pause`.
        public var usual = 8.0
        public var pause = 0.6
        /// Seconds from which it closes at a pause of `shortPause`.
        public var long = 15.0
        public var shortPause = 0.5
        /// Seconds of silence that always close it.
        public var silence = 2.0
        /// Seconds from which it closes at a dip in speech without a pause.
        public var longest = 20.0
        /// Seconds after `longest` at which it closes inside a word, and the next begins `overlap` earlier.
        public var dipSearch = 5.0
        public var overlap = 1.0
        /// Audio kept after the last speech.
        public var margin = 0.5
        /// Silence that the end of speech contains already.
        public var hangover = 0.2

        public init() {}

        /// For an engine that gives text during speech: it decodes an open passage again and again, so passages are shorter.
        public static var live: Rules {
            var rules = Rules()
            rules.usual = 6
            rules.long = 10
            rules.shortPause = 0.3
            return rules
        }
    }

    public struct Cut: Hashable, Sendable {
        public var start: Int
        public var end: Int
        /// Samples at the beginning that belong to the passage before as well.
        public var overlap = 0
        /// Speech goes on after it.
        public var isInSpeech = false

        public init(start: Int, end: Int, overlap: Int = 0, isInSpeech: Bool = false) {
            self.start = start
            self.end = end
            self.overlap = overlap
            self.isInSpeech = isInSpeech
        }
    }

    public var rules: Rules
    /// Where the passage that is open begins.
    public private(set) var start: Int?
    private var overlap = 0
    /// Whether the first samples of the open passage also belong to the one before.
    public var overlaps: Bool { overlap > 0 }
    private var lastEnd = 0
    private var isSpeech = false

    public init(rules: Rules = Rules()) {
        self.rules = rules
    }

    /// How long speech that begins now may go on until it must be cut at a dip.
    /// - Parameter position: where it begins.
    public func secondsUntilDip(from position: Int) -> Double {
        rules.longest - Double(position - (start ?? position)) / 16000
    }

    /// - Returns: the passage that ends before.
    public mutating func speechBegan(at position: Int) -> Cut? {
        var cut: Cut?
        if let start, seconds(lastEnd - start) >= rules.long { cut = close(at: position) }
        if start == nil { start = position }
        isSpeech = true
        return cut
    }

    public mutating func speechEnded(at position: Int) {
        isSpeech = false
        lastEnd = position
    }

    /// Speech goes on, and was cut because it was long.
    public mutating func speechCut(at position: Int) -> Cut? {
        guard let start, seconds(position - start) >= rules.longest else { return nil }
        let isInsideWord = seconds(position - start) >= rules.longest + rules.dipSearch
        let cut = Cut(start: start, end: position, overlap: overlap, isInSpeech: true)
        overlap = isInsideWord ? Int(rules.overlap * 16000) : 0
        self.start = position - overlap
        return cut
    }

    /// The audio has come this far.
    public mutating func advance(to position: Int) -> Cut? {
        guard let start, !isSpeech else { return nil }
        let length = seconds(lastEnd - start)
        let pause = seconds(position - lastEnd) + rules.hangover
        let closes =
            pause >= rules.silence || (length >= rules.usual && pause >= rules.pause)
            || (length >= rules.long && pause >= rules.shortPause)
        return closes ? close(at: position) : nil
    }

    /// The audio ends here: a commit, a pause, an interruption.
    public mutating func flush(at position: Int) -> Cut? {
        if isSpeech { speechEnded(at: position) }
        return close(at: position)
    }

    /// A new block.
    public mutating func restart() {
        self = PassageCutter(rules: rules)
    }

    private mutating func close(at position: Int) -> Cut? {
        guard let start else { return nil }
        self.start = nil
        let margin = Int(((rules.margin - rules.hangover) * 16000).rounded())
        defer { overlap = 0 }
        return Cut(start: start, end: max(start, min(position, lastEnd + margin)), overlap: overlap)
    }

    private func seconds(_ samples: Int) -> Double { Double(samples) / 16000 }
}
