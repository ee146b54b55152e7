import DBus
import DictationCore
import DictationInterface
import Recognition

extension DBusError {
    /// The one table of errors.
    init(_ refusal: Refusal) {
        switch refusal.kind {
        case .invalidArguments: self = .invalidArgs(refusal.message)
        case .accessDenied: self = .accessDenied(refusal.message)
        default: self.init(refusal.kind.errorName, refusal.message)
        }
    }
}

extension Refusal.Kind {
    /// As told by the signal Error.
    var errorName: ErrorName { DictationInterface.errorName(rawValue) }
}

extension Refusal {
    init(_ error: RecognitionError) {
        let kind: Kind =
            switch error.kind {
            case .engineUnavailable: .engineUnavailable
            case .engineFailed: .engineFailed
            case .unsupportedLanguage: .unsupportedLanguage
            case .invalidOptions: .invalidArguments
            case .unsupportedFormat, .unreadable: .unsupportedFormat
            case .limitExceeded: .limitExceeded
            case .tooSlow: .timeout
            }
        self.init(kind, error.message)
    }
}
