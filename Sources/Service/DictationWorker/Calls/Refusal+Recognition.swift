import DictationBus
import DictationCore
import Recognition

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
