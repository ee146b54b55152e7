public import DictationCore
import EventLoop

/// Why recognition cannot begin or continue. Messages are for people and say what to do; they never contain recognised
/// text.
public struct RecognitionError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// The engine or its model is not installed or cannot be loaded.
        case engineUnavailable
        /// The engine was running and failed.
        case engineFailed
        case unsupportedLanguage
        /// The engine does not support the grammar or the vocabulary.
        case invalidOptions
        /// A descriptor without audio, or an unsupported audio format.
        case unsupportedFormat
        /// Reading audio failed.
        case unreadable
        /// All allowed decoders or threads are in use.
        case limitExceeded
        /// The engine exceeded its time limit.
        case tooSlow
    }

    public var kind: Kind
    public var message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    init(noThread error: EventLoopError) {
        self.init(.limitExceeded, "No thread for recognition could be started: \(error)")
    }

    /// The effect on a session.
    public var loss: EngineLoss {
        switch kind {
        case .unsupportedLanguage, .invalidOptions, .unsupportedFormat: .clientMistake
        case .engineUnavailable: .notInstalled
        case .engineFailed, .unreadable, .limitExceeded: .failed
        case .tooSlow: .tooSlow
        }
    }

    public var description: String { message }
}
