import DictationBus
import DictationCore
import RecordingFiles

/// Who may record into what.
enum RecordingPolicy {
    /// Why a client may not give a folder; nil if it may.
    ///
    /// Only a descriptor that is open for writing proves that its sender may write there: a folder's proves nothing, and a
    /// sandbox may keep an application from writing to it.
    static func refusalOfFolder(from identity: Identity) -> Refusal? {
        if identity.isSandboxed || !identity.isKnown {
            return Refusal(
                .accessDenied,
                "Applications in a sandbox and unidentified programs may record into a file only: give 'record' a new file."
            )
        }
        return nil
    }

    static func refusal(_ error: RecordingError, ofFolder folderRefusal: Refusal?) -> Refusal {
        switch error.kind {
        case .folder: folderRefusal ?? Refusal(.invalidArguments, error.message)
        case .unsuitable: Refusal(.invalidArguments, error.message)
        case .write: Refusal(.fileWrite, error.message)
        case .limitExceeded: Refusal(.limitExceeded, error.message)
        }
    }
}
