public import DictationCore
import EventLoop

/// Why recognition cannot begin or go on. Messages are for people and say what to do; they never hold
/// recognised text.
public struct RecognitionError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// The engine or its model is not installed or cannot be loaded.
        case engineUnavailable
        /// The engine was running and failed.
        case engineFailed
        case unsupportedLanguage
        /// A grammar or vocabulary that the engine cannot take.
        case invalidOptions
        /// A descriptor that holds no audio, or audio of a kind that cannot be read.
        case unsupportedFormat
        /// Reading audio failed.
        case unreadable
        /// As many decoders or threads as allowed are in use.
        case limitExceeded
        /// The engine takes longer than it may.
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

    /// What becomes of a session that is hit by it.
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
