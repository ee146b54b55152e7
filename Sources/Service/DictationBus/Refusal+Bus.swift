package import DBus
package import DictationCore
import DictationInterface

extension DBusError {
    package init(_ refusal: Refusal) {
        self.init(refusal.kind.errorName, refusal.message)
    }
}

extension Refusal.Kind {
    /// The same name as in the signal Error.
    package var errorName: ErrorName {
        switch self {
        case .invalidArguments: .invalidArgs
        case .accessDenied: .accessDenied
        case .notSupported: .notSupported
        case .permissionDenied: DictationInterface.errorName(.permissionDenied)
        case .permissionRequired: DictationInterface.errorName(.permissionRequired)
        case .notRunning: DictationInterface.errorName(.notRunning)
        case .alreadyRunning: DictationInterface.errorName(.alreadyRunning)
        case .noSource: DictationInterface.errorName(.noSource)
        case .routeChangeFailed: DictationInterface.errorName(.routeChangeFailed)
        case .audioServerUnavailable: DictationInterface.errorName(.audioServerUnavailable)
        case .engineUnavailable: DictationInterface.errorName(.engineUnavailable)
        case .engineFailed: DictationInterface.errorName(.engineFailed)
        case .unsupportedFormat: DictationInterface.errorName(.unsupportedFormat)
        case .unsupportedLanguage: DictationInterface.errorName(.unsupportedLanguage)
        case .limitExceeded: DictationInterface.errorName(.limitExceeded)
        case .fileWrite: DictationInterface.errorName(.fileWrite)
        case .timeout: DictationInterface.errorName(.timeout)
        case .cancelled: DictationInterface.errorName(.cancelled)
        case .noField: DictationInterface.errorName(.noField)
        case .secretField: DictationInterface.errorName(.secretField)
        }
    }
}
