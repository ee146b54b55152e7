/// An engine that recognises a passage of speech as a whole and answers later, such as a server in another process.
///
/// Completions are called once, later, from a thread of the engine's own. They must return soon.
public protocol PassageEngine: AnyObject, Sendable {
    /// The name in the configuration, in `Start`'s option `engine` and in the details of a final text.
    var name: String { get }
    /// Whether audio stays on this machine.
    var isLocal: Bool { get }

    /// Requests the engine's description. Completes within 2 s.
    func describe(_ completion: @escaping @Sendable (Result<EngineDescription, EngineFailure>) -> Void)

    /// Recognises a passage.
    /// - Returns: cancels the request. The completion may still be called after that.
    func recognize(
        _ request: PassageRequest,
        _ completion: @escaping @Sendable (Result<String, EngineFailure>) -> Void
    ) -> @Sendable () -> Void
}

/// A request to a ``PassageEngine``.
public struct PassageRequest: Hashable, Sendable {
    /// 16 kHz mono, at most 28 s.
    public var samples: [Int16]
    /// Exactly a code of ``EngineDescription/languages``.
    public var language: String
    /// Likely words, in order of importance. Engines may ignore them.
    public var vocabulary: [String]
    /// From the request to the answer.
    public var timeout: Duration

    public init(samples: [Int16], language: String, vocabulary: [String] = [], timeout: Duration) {
        self.samples = samples
        self.language = language
        self.vocabulary = vocabulary
        self.timeout = timeout
    }
}

/// A ``PassageEngine``'s description of itself.
public struct EngineDescription: Hashable, Sendable {
    /// For people, such as `faster-whisper 3.8.1`.
    public var program: String
    /// Names of the models, for people.
    public var models: [String]
    /// Codes as the engine spells them. Empty if it does not say which it knows.
    public var languages: [String]
    /// Whether it decides itself whether somebody spoke, and writes nothing if not.
    public var detectsSpeech: Bool

    public init(program: String, models: [String] = [], languages: [String], detectsSpeech: Bool = false) {
        self.program = program
        self.models = models
        self.languages = languages
        self.detectsSpeech = detectsSpeech
    }

    /// The engine's code for a BCP 47 tag: that of the nearest language. Nil if it has none.
    public func code(for tag: String) -> String? {
        languages.isEmpty ? LanguageTag.primary(of: tag) : LanguageTag.nearest(to: tag, among: languages)
    }
}

/// Why a ``PassageEngine`` gave no answer. The message is for people and never holds recognised text.
public struct EngineFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// Connecting failed.
        case unreachable
        /// A program of another user listens at the address, or the configuration forbids it.
        case notTrusted
        /// The answer did not come in time.
        case tooSlow
        /// The connection ended before the answer.
        case closed
        /// The answer breaks the protocol or a limit.
        case malformed
        /// The engine reported an error.
        case failed
        /// The engine cannot be used for dictation.
        case unsuitable
        case cancelled
    }

    public var kind: Kind
    public var message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    public var description: String { message }
}
