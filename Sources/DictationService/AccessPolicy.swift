import DictationCore
import DictationInterface

/// Who may do what. Every call comes through here, and what is not listed is refused.
///
/// The service runs for one user on that user's own bus: that user may dictate, and nobody else may do anything.
struct AccessPolicy: Sendable {
    /// The user whose bus it is.
    let uid: UInt32

    /// Nil where `caller` may make this call.
    func refusal(of request: DictationRequest, by caller: Identity) -> Refusal? {
        guard caller.uid == uid else {
            return Refusal(.accessDenied, "This service belongs to another user.")
        }
        return nil
    }

    /// What an application may do before anybody has decided about it.
    func permission(of caller: Identity) -> Permission {
        caller.uid == uid ? .granted : .notDetermined
    }
}
