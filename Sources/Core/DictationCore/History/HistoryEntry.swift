/// A text that was dictated, in the user's history.
public struct HistoryEntry: Hashable, Sendable {
    /// Later texts have higher numbers. None is used twice.
    public typealias ID = UInt64

    /// Where a text comes from, while its session runs.
    struct Source: Hashable {
        var session: SessionID
        var block: BlockNumber
    }

    public internal(set) var id: ID
    /// When it was final, in seconds since 1970.
    public internal(set) var time: Int64
    /// The application that dictated it.
    public let identity: Identity
    /// The application into whose window it was typed, by its desktop id; nil if that is the one that dictated it, or not known.
    public let application: String?
    public internal(set) var language: String
    public internal(set) var engine: String
    public internal(set) var text: String
    /// The first text; nil if it was not recognised again.
    public internal(set) var original: String?
    /// The length of its sound at 16 kHz; 0 if none is kept.
    public internal(set) var frames: Int
    /// Nil for a text of an earlier service.
    var source: Source?

    /// In bytes of UTF-8, of both texts.
    var size: Int { text.utf8.count + (original?.utf8.count ?? 0) }

    /// The length of its sound in seconds; nil if none is kept.
    public var duration: Double? { frames > 0 ? Double(frames) / sampleRate : nil }
}

/// A final text for the history.
public struct KeptText: Hashable, Sendable {
    public var session: SessionID
    public var block: BlockNumber
    public var identity: Identity
    /// See ``StartOptions/application``.
    public var application: String?
    public var language: String
    public var engine: String
    /// Empty if all of it was taken back.
    public var text: String
    /// What is left of a text that was kept before.
    public var isRest: Bool

    public init(
        session: SessionID, block: BlockNumber, identity: Identity, application: String? = nil,
        language: String, engine: String, text: String, isRest: Bool = false
    ) {
        self.session = session
        self.block = block
        self.identity = identity
        self.application = application
        self.language = language
        self.engine = engine
        self.text = text
        self.isRest = isRest
    }
}
