/// An engine that recognises passages of speech and answers later, such as a server in another process.
///
/// Completions and events come later, from a thread of the engine's own. They must return soon.
public protocol PassageEngine: AnyObject, Sendable {
    /// The name in the configuration, in `Start`'s option `engine` and in the details of a final text.
    var name: String { get }
    /// Whether audio stays on this machine.
    var isLocal: Bool { get }

    /// Requests the engine's description. Completes within 2 s.
    func describe(_ completion: @escaping @Sendable (Result<EngineDescription, EngineFailure>) -> Void)

    /// Begins a passage.
    func open(
        _ options: PassageOptions, _ events: @escaping @Sendable (PassageEvent) -> Void
    ) -> any PassageStream
}

/// The sound of one passage on its way to a ``PassageEngine``. Calls take effect in order, and return at once.
public protocol PassageStream: AnyObject, Sendable {
    /// Sends 16 kHz mono. Fails the passage if the engine has taken none of the sound of the last 2 s.
    func send(_ samples: [Int16])
    /// The passage is complete: the engine's answer is due within `timeout`.
    func finish(within timeout: Duration)
    /// The answer is not wanted any more. The final event may still come.
    func cancel()
}

extension PassageEngine {
    /// Recognises a passage that is complete: opens it, sends all of its sound and finishes it.
    /// - Returns: cancels the request. The completion may still be called after that.
    @discardableResult public func recognize(
        _ samples: [Int16], _ options: PassageOptions, timeout: Duration,
        _ completion: @escaping @Sendable (Result<PassageAnswer, EngineFailure>) -> Void
    ) -> @Sendable () -> Void {
        let stream = open(options) { event in
            if case .final(let result) = event { completion(result) }
        }
        stream.send(samples)
        stream.finish(within: timeout)
        return { stream.cancel() }
    }
}

/// What a passage's engine is asked for.
public struct PassageOptions: Hashable, Sendable {
    /// Exactly codes of ``EngineDescription/languages``, the preferred one first. The engine detects which of them is
    /// spoken.
    public var languages: [String]
    /// Likely words, in order of importance. Engines may ignore them.
    public var vocabulary: [String]
    /// Whether text is wanted while the passage goes on.
    public var wantsPartials: Bool

    public init(languages: [String], vocabulary: [String] = [], wantsPartials: Bool = false) {
        self.languages = languages
        self.vocabulary = vocabulary
        self.wantsPartials = wantsPartials
    }
}

/// An event of a ``PassageStream``.
public enum PassageEvent: Hashable, Sendable {
    /// The text so far. Replaces the one before.
    case partial(PassagePartial)
    /// Whether the engine answers at all, however busy it is. Comes with each change, first when it does not.
    case responds(Bool)
    /// The last event; comes once.
    case final(Result<PassageAnswer, EngineFailure>)
}

/// The text of a passage that is not complete yet.
public struct PassagePartial: Hashable, Sendable {
    public var text: String
    /// Unicode scalars at the beginning of the text that are not likely to change.
    public var settled: Int
    /// Samples that were recognised for it; nil if the engine gives no position.
    public var samples: Int?
    /// The engine's code of the language.
    public var language: String?

    public init(text: String, settled: Int = 0, samples: Int? = nil, language: String? = nil) {
        self.text = text
        self.settled = settled
        self.samples = samples
        self.language = language
    }
}

/// The final text of a passage.
public struct PassageAnswer: Hashable, Sendable {
    public var text: String
    /// The engine's code of the language.
    public var language: String?
    /// Whether the engine's own voice activity detector heard speech; nil if the engine does not say.
    public var isSpeech: Bool?

    public init(_ text: String, language: String? = nil, isSpeech: Bool? = nil) {
        self.text = text
        self.language = language
        self.isSpeech = isSpeech
    }
}

/// When a ``PassageEngine`` gives text.
public enum PassageEngineKind: String, Hashable, Sendable {
    /// During speech; each text replaces the one before.
    case revises
    /// During speech; each text follows the one before.
    case appends
    /// After the passage.
    case wholePassages

    /// Whether it gets the sound while it is captured.
    public var isLive: Bool { self != .wholePassages }
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
    public var kind: PassageEngineKind

    public init(
        program: String, models: [String] = [], languages: [String], detectsSpeech: Bool = false,
        kind: PassageEngineKind = .wholePassages
    ) {
        self.program = program
        self.models = models
        self.languages = languages
        self.detectsSpeech = detectsSpeech
        self.kind = kind
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
