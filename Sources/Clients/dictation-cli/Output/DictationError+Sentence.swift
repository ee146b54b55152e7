import DictationClient
import Localization

extension DictationError {
    /// For people, without words of the bus.
    var sentence: String {
        guard name.isEmpty || name.hasPrefix("org.freedesktop.") else { return description }
        switch code {
        case .serviceUnavailable:
            return translated(
                "The dictation service is not installed here, or does not start. “dictation-cli doctor” shows what is missing."
            )
        case .timeout:
            return translated(
                "The dictation service does not answer. Try again; “dictation-cli doctor” shows what is missing."
            )
        case .disconnected where name.isEmpty:
            return translated(
                "The dictation service cannot be reached: run this in a desktop session. \(message)")
        case .disconnected:
            return translated("The connection to the dictation service is lost.")
        default: return description
        }
    }
}
